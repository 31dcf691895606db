/// Elements of a list that come several times in a row, or one that does not.
package struct Repetition: Sendable, Hashable {
    /// The range of the first round.
    package let first: Range<Int>
    /// The number of rounds.
    package let count: Int

    /// The range of all rounds.
    package var range: Range<Int> { first.lowerBound..<first.lowerBound + first.count * count }

    private static let longest = 12

    /// Divides a list into repetitions of up to 12 elements, and single elements.
    package static func all<Element: Equatable>(in elements: [Element]) -> [Repetition] {
        var found: [Repetition] = []
        var start = 0
        while start < elements.count {
            let next = best(in: elements, at: start)
            found.append(next)
            start = next.range.upperBound
        }
        return found
    }

    /// Finds the repetition that saves most lines where it is written as a group; a single element where none does.
    private static func best<Element: Equatable>(in elements: [Element], at start: Int) -> Repetition {
        var best = (length: 1, count: 1, saved: 0)
        for length in 1...longest where start + 2 * length <= elements.count {
            var count = 1
            while start + (count + 1) * length <= elements.count,
                elements[start..<start + length].elementsEqual(
                    elements[start + count * length..<start + (count + 1) * length]
                )
            { count += 1 }
            // The lines of the group itself cost two.
            let saved = length * (count - 1) - 2
            if count > 1, saved > best.saved { best = (length, count, saved) }
        }
        return Repetition(first: start..<start + best.length, count: best.count)
    }
}
