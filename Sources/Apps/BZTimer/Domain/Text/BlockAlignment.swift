/// Finds the blocks of a list that another list has in the same order.
enum BlockAlignment {
    /// How much two blocks have in common.
    enum Likeness: Int {
        case none = 0
        /// All but the label: decides between alignments that are equally good otherwise.
        case relabelled = 1
        /// The label alone.
        case label = 3
        /// Everything: outweighs all of the lesser matches together.
        case same = 65_536
    }

    /// The most pairs of blocks that are compared; beyond, only what both lists begin and end with is aligned.
    private static let mostPairs = 4_000_000

    /// Returns for each block of the first list the index of the one in the second that it is, rising; nil for none.
    static func align(_ first: Int, _ second: Int, _ likeness: (Int, Int) -> Likeness) -> [Int?] {
        var found = [Int?](repeating: nil, count: first)
        var start = 0
        while start < min(first, second), likeness(start, start) == .same {
            found[start] = start
            start += 1
        }
        var (firstEnd, secondEnd) = (first, second)
        while firstEnd > start, secondEnd > start, likeness(firstEnd - 1, secondEnd - 1) == .same {
            (firstEnd, secondEnd) = (firstEnd - 1, secondEnd - 1)
            found[firstEnd] = secondEnd
        }
        let (rows, columns) = (firstEnd - start, secondEnd - start)
        guard rows > 0, columns > 0, rows <= mostPairs / columns else { return found }
        // The best sum of matches from a pair of places to the ends.
        var best = [Int](repeating: 0, count: (rows + 1) * (columns + 1))
        func place(_ row: Int, _ column: Int) -> Int { row * (columns + 1) + column }
        func matched(_ row: Int, _ column: Int) -> Int? {
            let likeness = likeness(start + row, start + column)
            return likeness == .none ? nil : likeness.rawValue + best[place(row + 1, column + 1)]
        }
        for row in (0..<rows).reversed() {
            for column in (0..<columns).reversed() {
                let skipping = max(best[place(row + 1, column)], best[place(row, column + 1)])
                best[place(row, column)] = max(skipping, matched(row, column) ?? 0)
            }
        }
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            let sum = best[place(row, column)]
            if matched(row, column) == sum {
                found[start + row] = start + column
                (row, column) = (row + 1, column + 1)
            } else if best[place(row + 1, column)] == sum {
                row += 1
            } else {
                column += 1
            }
        }
        return found
    }
}
