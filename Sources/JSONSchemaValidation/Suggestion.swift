/// Finds the name that somebody probably meant.
package enum Suggestion {
    /// Returns the candidate within two edits, or within one for short names; the first of equally near ones.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        let name = folded(name)
        // Names of one or two letters are all within an edit of each other.
        let limit = name.count < 3 ? 0 : name.count < 5 ? 1 : 2
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let most = best.map { $0.distance - 1 } ?? limit
            guard let distance = distance(name, folded(candidate), atMost: most) else { continue }
            best = (distance, candidate)
            if distance == 0 { break }
        }
        return best?.name
    }

    /// Returns the first 64 characters of a name in lower case.
    private static func folded(_ name: String) -> [Unicode.Scalar] {
        var start = String.UnicodeScalarView()
        start.append(contentsOf: name.unicodeScalars.prefix(64))
        return Array(String(start).lowercased().unicodeScalars)
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two texts.
    ///
    /// It is nil where they are more than the limit.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        var before: [Int] = []
        var previous = Array(0...right.count)
        for (row, scalar) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var cost = min(
                    previous[column] + (scalar == other ? 0 : 1),
                    previous[column + 1] + 1,
                    current[column] + 1
                )
                if row > 0, column > 0, scalar == right[column - 1], left[row - 1] == other {
                    cost = min(cost, before[column - 1] + 1)
                }
                current.append(cost)
            }
            // A swap leads from the row before: both are too far only together.
            guard min(current.min() ?? 0, previous.min() ?? 0) <= limit else { return nil }
            (before, previous) = (previous, current)
        }
        return previous[right.count] <= limit ? previous[right.count] : nil
    }
}
