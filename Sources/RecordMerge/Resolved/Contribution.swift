internal import StrictJSON

/// The amount that one writer added to a counter.
///
/// A device that was restored without noticing continues under its writer's name. Then the writer has two sums: each has
/// what was added before, and what one branch added. The earlier sums tell how much they have in common.
struct Contribution {
    /// The most earlier sums that a sum keeps.
    static let mostEarlier = 16

    /// The amount that the writer added in all its branches.
    ///
    /// Where each of two branches added more often than ``mostEarlier`` times, nothing tells what they have in common.
    /// Then the larger sum counts, as nothing may count twice.
    private(set) var sum = 0
    /// The sums that the next one replaces, the latest first.
    private(set) var history: [Write.Earlier] = []

    /// A sum and the earlier ones, the latest first.
    private struct Branch {
        let writer: WriterID
        let sums: [(dot: Dot, sum: Int)]
        /// True if the first of all sums is among them.
        let isWhole: Bool

        init?(_ write: Write) {
            guard let value = write.value?.int else { return nil }
            writer = write.stamp.dot.writer
            let earlier = write.history.compactMap { old in Int(old.text).map { (dot: old.dot, sum: $0) } }
            sums = [(write.stamp.dot, value)] + earlier
            isWhole = write.history.count < Contribution.mostEarlier
        }

        /// Returns the place of the last sum from before this branch, and before another one began.
        private func place(before other: WriterID) -> Int? {
            WriterFork.number(of: other).flatMap { number in
                sums.firstIndex { $0.dot.writer != writer && $0.dot.sequence < number }
            }
        }

        /// Returns the last sum that this branch shares with another one, and its place among this branch's sums.
        func common(with other: Branch) -> (place: Int, sum: Int)? {
            if let place = sums.firstIndex(where: { mine in other.sums.contains { $0 == mine } }) {
                return (place, sums[place].sum)
            }
            if isWhole && other.isWhole { return (sums.count, 0) }
            // Where one of them has it no more, what was added before they parted is shared.
            if let place = place(before: other.writer) { return (place, sums[place].sum) }
            if let place = other.place(before: writer) { return (sums.count, other.sums[place].sum) }
            // One that has all its sums, and none from before the other parted from it, began at nothing.
            return isWhole || other.isWhole ? (sums.count, 0) : nil
        }
    }

    /// Adds up concurrent sums, ordered by stamp.
    init(_ writes: [Write]) {
        let branches = writes.compactMap(Branch.init)
        for (index, branch) in branches.enumerated() {
            let value = branch.sums[0].sum
            let shared = branches[..<index].map(branch.common)
            if index == 0 {
                sum = value
            } else if !shared.contains(where: { $0 == nil }),
                let latest = shared.compactMap(\.self).min(by: { $0.place < $1.place })
            {
                sum = sum.addingClamped(value.subtractingClamped(latest.sum))
            } else {
                sum = max(sum, value)
            }
        }
        guard let last = writes.last, let value = last.value?.int else { return }
        history = Array(([Write.Earlier(last.stamp.dot, String(value))] + last.history).prefix(Self.mostEarlier))
    }
}

extension Int {
    /// Returns the sum, or the nearest representable integer.
    func addingClamped(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }

    /// Returns the difference, or the nearest representable integer.
    func subtractingClamped(_ other: Int) -> Int {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other > 0 ? .min : .max) : difference
    }
}
