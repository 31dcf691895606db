internal import StrictJSON

/// Brings concurrent texts together by words.
enum TextMerge {
    /// Longer texts are not merged: they conflict.
    private static let mostWords = 4000

    /// The text of two concurrent writes with a common past, or nil where they change the same words, there are more
    /// than two different texts, or no common past is known.
    static func merge(_ writes: [Write]) -> String? {
        var distinct: [Write] = []
        for write in writes where !distinct.contains(where: { $0.value == write.value }) { distinct.append(write) }
        guard distinct.count == 2, let left = distinct[0].value?.string, let right = distinct[1].value?.string,
            let base = commonPast(distinct[0], distinct[1])
        else { return nil }
        return merge(base: base, left, right)
    }

    /// What stood there when the histories of two writes parted.
    private static func commonPast(_ left: Write, _ right: Write) -> String? {
        left.history.first { earlier in right.history.contains(earlier) }?.text
    }

    /// A three-way merge by words; nil where both change the same words differently.
    static func merge(base: String, _ left: String, _ right: String) -> String? {
        let words = [base, left, right].map(split)
        guard words.allSatisfy({ $0.count <= mostWords }) else { return nil }
        let ours = Hunk.between(words[0], words[1])
        let theirs = Hunk.between(words[0], words[2])
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

    /// Words, each with the white space behind it.
    private static func split(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        var index = text.startIndex
        var isInSpace = false
        while index < text.endIndex {
            let isSpace = text[index].isWhitespace
            if isInSpace, !isSpace {
                words.append(text[start..<index])
                start = index
            }
            isInSpace = isSpace
            index = text.index(after: index)
        }
        if start < text.endIndex { words.append(text[start...]) }
        return words
    }
}

/// Words that stand in place of others.
private struct Hunk: Equatable {
    /// The words of the base that are replaced.
    var range: Range<Int>
    /// What stands there instead.
    var words: [Substring]

    static func == (left: Hunk, right: Hunk) -> Bool {
        left.range == right.range && left.words.count == right.words.count
            && zip(left.words, right.words).allSatisfy { $0.utf8.elementsEqual($1.utf8) }
    }

    /// Whether both concern the same words or meet.
    func touches(_ other: Hunk) -> Bool {
        range.lowerBound <= other.range.upperBound && other.range.lowerBound <= range.upperBound
    }

    /// What changed between two texts, in order.
    static func between(_ base: [Substring], _ changed: [Substring]) -> [Hunk] {
        let difference = changed.difference(from: base) { $0.utf8.elementsEqual($1.utf8) }
        var removed = Set<Int>()
        var inserted = Set<Int>()
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        var hunks: [Hunk] = []
        var (old, new) = (0, 0)
        while old < base.count || new < changed.count {
            let start = old
            var words: [Substring] = []
            while removed.contains(old) || inserted.contains(new) {
                if removed.contains(old) {
                    old += 1
                } else {
                    words.append(changed[new])
                    new += 1
                }
            }
            if start < old || !words.isEmpty { hunks.append(Hunk(range: start..<old, words: words)) }
            old += 1
            new += 1
        }
        return hunks
    }
}
