/// Finds the name that somebody probably meant.
package enum Suggestion {
    /// Returns the candidate within two edits, or within one for short names; the first of equally near ones.
    package static func nearest(to name: String, among candidates: [String]) -> String? {
        nearest(to: name, among: candidates, atMost: 2)
    }

    /// Returns the nearest candidate within a number of edits, which is smaller still for short names.
    static func nearest(to name: String, among candidates: [String], atMost edits: Int) -> String? {
        var own: [UInt32] = []
        fold(name, into: &own)
        // Names of one or two letters are all within an edit of each other.
        let limit = min(edits, own.count < 3 ? 0 : own.count < 5 ? 1 : 2)
        var best: (distance: Int, name: String)?
        var other: [UInt32] = []
        for candidate in candidates {
            let most = best.map { $0.distance - 1 } ?? limit
            // Of 64 characters or fewer, each takes one to four bytes: most names need no closer look.
            let size = candidate.utf8.count
            guard size + most >= own.count, min(size / 4, 64) <= own.count + most else { continue }
            fold(candidate, into: &other)
            let edits = own.withUnsafeBufferPointer { own in
                other.withUnsafeBufferPointer { distance(own[...], $0[...], atMost: most) }
            }
            guard let edits else { continue }
            best = (edits, candidate)
            if edits == 0 { break }
        }
        return best?.name
    }

    /// Sets an array to the first 64 characters of a name in lower case.
    private static func fold(_ name: String, into scalars: inout [UInt32]) {
        scalars.removeAll(keepingCapacity: true)
        for scalar in name.unicodeScalars.prefix(64) {
            guard scalar.isASCII else {
                var start = String.UnicodeScalarView()
                start.append(contentsOf: name.unicodeScalars.prefix(64))
                scalars = String(start).lowercased().unicodeScalars.map(\.value)
                return
            }
            scalars.append(scalar.value &- 0x41 < 26 ? scalar.value | 0x20 : scalar.value)
        }
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbours between two texts.
    ///
    /// It is nil where they are more than the limit, which is small: each edit is tried where the texts first differ.
    private static func distance(_ left: Letters, _ right: Letters, atMost limit: Int) -> Int? {
        guard abs(left.count - right.count) <= limit else { return nil }
        var (left, right) = (left, right)
        while let first = left.first, first == right.first {
            left.removeFirst()
            right.removeFirst()
        }
        if left.isEmpty || right.isEmpty { return left.count + right.count }
        if limit == 0 { return nil }
        let (leftRest, rightRest) = (left.dropFirst(), right.dropFirst())
        var best = distance(leftRest, rightRest, atMost: limit - 1)
        // The others have to be better.
        best = distance(leftRest, right, atMost: (best ?? limit) - 1) ?? best
        best = distance(left, rightRest, atMost: (best ?? limit) - 1) ?? best
        if let next = leftRest.first, next == right.first, left.first == rightRest.first {
            best = distance(leftRest.dropFirst(), rightRest.dropFirst(), atMost: (best ?? limit) - 1) ?? best
        }
        return best.map { $0 + 1 }
    }

    private typealias Letters = Slice<UnsafeBufferPointer<UInt32>>
}
