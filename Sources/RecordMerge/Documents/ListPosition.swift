internal import StrictJSON

/// A position in a list, which keeps its order among all others, wherever and whenever they are made.
///
/// A position is a path of steps. Each step is a number, a writer and a count. Elements that one writer inserts one
/// after the other form a *run*: they differ only in the last count. So nothing that another writer inserts there comes
/// between them.
///
/// Positions compare step by step, by number, writer and count. A path comes before those that it begins.
struct ListPosition: Hashable, Comparable, Sendable {
    struct Step: Hashable, Sendable {
        var number: Int
        var writer: WriterID
        var count: Int
    }

    var steps: [Step]

    /// The most steps of a position; where more were needed, the list is renumbered.
    static let mostSteps = 24

    /// Reads steps `number:writer:count` with `/` between them; nil for any other text.
    init?(_ text: String) {
        steps = []
        guard text.utf8.count <= 4096 else { return nil }
        for part in text.split(separator: "/", omittingEmptySubsequences: false) {
            let fields = part.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, let number = Int(fields[0]), let writer = WriterID(String(fields[1])),
                let count = Int(fields[2]), steps.count < Self.mostSteps
            else { return nil }
            steps.append(Step(number: number, writer: writer, count: count))
        }
    }

    init(steps: [Step]) { self.steps = steps }

    var text: String {
        steps.map { "\($0.number):\($0.writer):\($0.count)" }.joined(separator: "/")
    }

    static func < (left: ListPosition, right: ListPosition) -> Bool {
        for (ours, theirs) in zip(left.steps, right.steps) where ours != theirs {
            if ours.number != theirs.number { return ours.number < theirs.number }
            if ours.writer != theirs.writer { return ours.writer < theirs.writer }
            return ours.count < theirs.count
        }
        return left.steps.count < right.steps.count
    }
}

extension ListPosition {
    /// Returns positions for a run of new elements.
    ///
    /// The first of these that fits:
    ///
    /// - Continue the writer's own run after the left neighbour or before the right one.
    ///
    /// - Begin a run after the left or before the right neighbour, on the deepest level that lies between them.
    ///
    /// - Go below the left neighbour; only this makes positions longer.
    ///
    /// - Parameters:
    ///   - count: How many; at least one.
    ///   - left: The position before the place; nil for the beginning.
    ///   - right: The position behind it; nil for the end.
    /// - Returns: As many positions in order, or nil where there is no room between the neighbours.
    static func run(
        _ count: Int,
        between left: ListPosition?,
        and right: ListPosition?,
        by writer: WriterID
    ) -> [ListPosition]? {
        for candidate in candidates(count, left, right, writer) {
            guard let first = candidate.adding(0), let last = candidate.adding(count - 1),
                candidate.steps.count <= mostSteps
            else { continue }
            if let left, !(left < first) { continue }
            if let right, !(last < right) { continue }
            return (0..<count).compactMap { candidate.adding($0) }
        }
        return nil
    }

    /// Returns candidates for the first position, the best first.
    private static func candidates(
        _ count: Int,
        _ left: ListPosition?,
        _ right: ListPosition?,
        _ writer: WriterID
    ) -> [ListPosition] {
        var found: [ListPosition] = []
        if let left, left.steps.last?.writer == writer, let next = left.adding(1) { found.append(next) }
        if let right, right.steps.last?.writer == writer, let next = right.adding(-count) { found.append(next) }
        if let left {
            for depth in left.steps.indices.reversed() {
                let (number, overflow) = left.steps[depth].number.addingReportingOverflow(1)
                if !overflow { found.append(left.sibling(depth, number, writer)) }
            }
        }
        if let right {
            for depth in right.steps.indices.reversed() {
                let (number, overflow) = right.steps[depth].number.subtractingReportingOverflow(1)
                if !overflow { found.append(right.sibling(depth, number, writer)) }
            }
        }
        found.append(ListPosition(steps: (left?.steps ?? []) + [Step(number: 0, writer: writer, count: 0)]))
        return found
    }

    private func sibling(_ depth: Int, _ number: Int, _ writer: WriterID) -> ListPosition {
        ListPosition(steps: steps[..<depth] + [Step(number: number, writer: writer, count: 0)])
    }

    /// Returns the position that is so many further in its run.
    private func adding(_ offset: Int) -> ListPosition? {
        guard var last = steps.last else { return nil }
        let (count, overflow) = last.count.addingReportingOverflow(offset)
        if overflow { return nil }
        last.count = count
        return ListPosition(steps: steps.dropLast() + [last])
    }
}
