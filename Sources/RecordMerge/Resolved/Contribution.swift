internal import StrictJSON

/// What one writer added to a counter.
///
/// A device that was restored without noticing continues under its writer's name. Then the writer has two sums: each has
/// what was added before, and what one continuation added. The earlier sums tell how much they have in common.
struct Contribution {
    /// The most earlier sums that a sum keeps.
    static let mostEarlier = 8

    /// What the writer added in all its continuations.
    ///
    /// A continuation that added more often than ``mostEarlier`` times hides what it has in common with others. Then the
    /// largest sum counts, as nothing may count twice.
    private(set) var sum = 0
    /// The sums that the next one replaces, the latest first.
    private(set) var history: [Write.Earlier] = []

    /// Adds up concurrent sums, ordered by stamp.
    init(_ writes: [Write]) {
        var known: [Dot: Int] = [:]
        var isComplete = true
        for write in writes {
            guard let value = write.value?.int else { continue }
            let earlier = write.history.compactMap { old in Int(old.text).map { (dot: old.dot, sum: $0) } }
            isComplete = isComplete && write.history.count < Self.mostEarlier
            if known.isEmpty {
                sum = value
            } else if let common = earlier.first(where: { known[$0.dot] == $0.sum })?.sum ?? (isComplete ? 0 : nil) {
                sum = sum.addingClamped(value.subtractingClamped(common))
            } else {
                sum = max(sum, value)
            }
            known[write.stamp.dot] = value
            for old in earlier { known[old.dot] = old.sum }
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
