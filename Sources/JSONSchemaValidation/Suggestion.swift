/// Finds the name that somebody probably meant.
enum Suggestion {
    /// The candidate within two edits, or within one for short names; the first of equally near ones.
    static func nearest(to name: String, among candidates: [String]) -> String? {
        let name = Array(name.unicodeScalars.prefix(64))
        // Names of one or two letters are all within an edit of each other.
        let limit = name.count < 3 ? 0 : name.count < 5 ? 1 : 2
        var best: (distance: Int, name: String)?
        for candidate in candidates {
            let distance = distance(name, Array(candidate.unicodeScalars.prefix(64)))
            if distance <= limit, distance < best?.distance ?? .max { best = (distance, candidate) }
        }
        return best?.name
    }

    /// The number of insertions, deletions, substitutions and swaps of neighbours between two texts, case ignored.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        let left = left.map(\.properties.lowercaseMapping)
        let right = right.map(\.properties.lowercaseMapping)
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
            (before, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
