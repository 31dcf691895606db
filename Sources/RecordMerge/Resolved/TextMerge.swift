internal import StrictJSON

/// Merges concurrent texts by words.
enum TextMerge {
    /// The most words of a text that is merged; longer texts conflict.
    private static let mostWords = 4000
    private static let mostBytes = 262_144
    /// The most words that one side may have added and removed.
    ///
    /// The work grows with this number times the words. All devices give up on the same texts.
    static let mostChangedWords = 400

    /// Returns the merged text of two concurrent writes with a common past.
    ///
    /// It is nil where they change the same words, there are more than two different texts, or no common past is known.
    static func merge(_ writes: [Write]) -> String? {
        var distinct: [Write] = []
        for write in writes where !distinct.contains(where: { $0.value == write.value }) { distinct.append(write) }
        guard distinct.count == 2, let left = distinct[0].value?.string, let right = distinct[1].value?.string,
            let base = commonPast(distinct[0], distinct[1])
        else { return nil }
        return merge(base: base, left, right)
    }

    /// Returns the text from which two writes parted.
    private static func commonPast(_ left: Write, _ right: Write) -> String? {
        left.history.first { earlier in right.history.contains(earlier) }?.text
    }

    /// Merges two texts with a base by words; nil where both change the same words differently.
    static func merge(base: String, _ left: String, _ right: String) -> String? {
        let texts = [base, left, right]
        guard texts.allSatisfy({ $0.utf8.count <= mostBytes }) else { return nil }
        let words = texts.map(split)
        guard words.allSatisfy({ $0.count <= mostWords }), let ours = Hunk.between(words[0], words[1]),
            let theirs = Hunk.between(words[0], words[2])
        else { return nil }
        var merged: [Substring] = []
        var place = 0
        var (one, two) = (0, 0)
        while one < ours.count || two < theirs.count {
            let hunk: Hunk
            if one < ours.count, two < theirs.count, ours[one].touches(theirs[two]) {
                guard ours[one] == theirs[two] else { return nil }
                hunk = ours[one]
                one += 1
                two += 1
            } else if two == theirs.count
                || one < ours.count && ours[one].range.lowerBound < theirs[two].range.lowerBound
            {
                hunk = ours[one]
                one += 1
            } else {
                hunk = theirs[two]
                two += 1
            }
            guard hunk.range.lowerBound >= place else { return nil }
            merged += words[0][place..<hunk.range.lowerBound] + hunk.words
            place = hunk.range.upperBound
        }
        return (merged + words[0][place...]).joined()
    }

    /// Returns how many words were removed and added between two texts, whatever white space is between them.
    ///
    /// It is nil for texts that are too long to compare.
    static func difference(_ base: String, _ changed: String) -> (removed: Int, added: Int)? {
        let texts = [base, changed]
        guard texts.allSatisfy({ $0.utf8.count <= mostBytes }) else { return nil }
        let words = texts.map { split($0).map { $0.prefix { !$0.isWhitespace } } }
        guard words.allSatisfy({ $0.count <= mostWords }) else { return nil }
        return Hunk.between(words[0], words[1])?.reduce((0, 0)) { ($0.0 + $1.range.count, $0.1 + $1.words.count) }
    }

    /// Returns the words, each with the white space after it.
    private static func split(_ text: String) -> [Substring] {
        var words: [Substring] = []
        // Compare scalars: how they form characters differs between versions of Unicode.
        let scalars = text.unicodeScalars
        var start = scalars.startIndex
        var index = scalars.startIndex
        var isInSpace = false
        while index < scalars.endIndex {
            let isSpace = scalars[index].properties.isWhitespace
            if isInSpace, !isSpace {
                words.append(text[start..<index])
                start = index
            }
            isInSpace = isSpace
            index = scalars.index(after: index)
        }
        if start < text.endIndex { words.append(text[start...]) }
        return words
    }
}

/// Words that replace others.
private struct Hunk: Equatable {
    /// The range of replaced words in the base.
    var range: Range<Int>
    /// The words that replace them.
    var words: [Substring]

    static func == (left: Hunk, right: Hunk) -> Bool {
        left.range == right.range && left.words.count == right.words.count
            && zip(left.words, right.words).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Returns whether both concern the same words or meet.
    func touches(_ other: Hunk) -> Bool {
        range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
    }

    /// Returns what changed between two texts, in order; nil for more than ``TextMerge/mostChangedWords``.
    static func between(_ base: [Substring], _ changed: [Substring]) -> [Hunk]? {
        // Words are compared often, so numbers stand for their bytes.
        var numbers: [ScalarKey: Int] = [:]
        func numbered(_ words: [Substring]) -> [Int] {
            words.map { word in
                let (key, next) = (ScalarKey(String(word)), numbers.count)
                let number = numbers[key] ?? next
                if number == next { numbers[key] = next }
                return number
            }
        }
        let pairs = WordPairs.between(numbered(base), numbered(changed), most: TextMerge.mostChangedWords)
        guard let pairs else { return nil }
        var hunks: [Hunk] = []
        var (old, new) = (0, 0)
        for pair in pairs + [(base.count, changed.count)] {
            if old < pair.0 || new < pair.1 {
                hunks.append(Hunk(range: old..<pair.0, words: Array(changed[new..<pair.1])))
            }
            (old, new) = (pair.0 + 1, pair.1 + 1)
        }
        return hunks
    }
}

/// Finds the most words that two texts share, by the greedy algorithm of Myers (1986).
enum WordPairs {
    /// Returns the indices of equal words in pairs, in order.
    ///
    /// - Parameter most: The number of words that may differ.
    /// - Returns: Nil where more differ.
    static func between(_ left: [Int], _ right: [Int], most: Int) -> [(Int, Int)]? {
        let start = zip(left, right).prefix { $0 == $1 }.count
        let end = zip(left.dropFirst(start).reversed(), right.dropFirst(start).reversed()).prefix { $0 == $1 }.count
        let (width, height) = (left.count - start - end, right.count - start - end)
        guard let path = path(left[start..<start + width], right[start..<start + height], most) else { return nil }
        let edges = (0..<start).map { ($0, $0) }
        let ends = (0..<end).map { (start + width + $0, start + height + $0) }
        return edges + path + ends
    }

    private static func path(_ left: ArraySlice<Int>, _ right: ArraySlice<Int>, _ most: Int) -> [(Int, Int)]? {
        let (width, height) = (left.count, right.count)
        /// The distance that each diagonal reaches, for each number of differences; -1 for one that is not reached.
        var rounds: [[Int]] = []
        for distance in 0...most {
            var reach = Array(repeating: -1, count: 2 * distance + 1)
            for diagonal in stride(from: -distance, through: distance, by: 2) {
                var x = step(to: diagonal, distance, rounds.last, width, height)?.x ?? (distance == 0 ? 0 : -1)
                guard x >= 0 else { continue }
                while x < width, x - diagonal < height,
                    left[left.startIndex + x] == right[right.startIndex + x - diagonal]
                {
                    x += 1
                }
                reach[diagonal + distance] = x
            }
            rounds.append(reach)
            let last = width - height
            if abs(last) <= distance, reach[last + distance] == width {
                return pairs(rounds, width, height, left.startIndex, right.startIndex)
            }
        }
        return nil
    }

    /// Returns how far a diagonal reaches with one more difference; nil where it does not.
    private static func step(
        to diagonal: Int,
        _ distance: Int,
        _ before: [Int]?,
        _ width: Int,
        _ height: Int
    ) -> (x: Int, from: Int)? {
        guard let before else { return nil }
        func reach(_ diagonal: Int) -> Int {
            let index = diagonal + distance - 1
            return before.indices.contains(index) ? before[index] : -1
        }
        let (removed, added) = (reach(diagonal - 1), reach(diagonal + 1))
        let canRemove = removed >= 0 && removed < width
        let canAdd = added >= 0 && added - diagonal <= height
        if canRemove, !canAdd || removed + 1 > added { return (removed + 1, diagonal - 1) }
        return canAdd ? (added, diagonal + 1) : nil
    }

    /// Goes back from the end.
    private static func pairs(
        _ rounds: [[Int]],
        _ width: Int,
        _ height: Int,
        _ left: Int,
        _ right: Int
    ) -> [(Int, Int)] {
        var found: [(Int, Int)] = []
        var (x, diagonal) = (width, width - height)
        for distance in rounds.indices.reversed() {
            let before = distance == 0 ? nil : rounds[distance - 1]
            let step = step(to: diagonal, distance, before, width, height)
            let start = step?.x ?? 0
            while x > start {
                x -= 1
                found.append((left + x, right + x - diagonal))
            }
            guard let step else { break }
            x = step.from < diagonal ? step.x - 1 : step.x
            diagonal = step.from
        }
        return found.reversed()
    }
}
