/// Marks the words in which one text differs from another.
package enum MarkedText {
    /// The most pairs of words that are compared one by one; of longer texts the middle is marked as a whole.
    private static let mostPairs = 250_000

    /// Returns the text with `<mark>` around words that the other one does not have there; line ends stay.
    package static func marked(_ text: String, against other: String) -> HTML {
        let (words, others) = (words(text), words(other))
        let kept = kept(words, others)
        var html = HTML()
        var index = 0
        while index < words.count {
            let isKept = kept[index]
            var end = index + 1
            while end < words.count, kept[end] == isKept { end += 1 }
            let part = words[index..<end].joined()
            html += isKept ? "\(lines: part)" : "<mark>\(lines: part)</mark>"
            index = end
        }
        return html
    }

    /// Words, and what is between them, each by itself.
    private static func words(_ text: String) -> [Substring] {
        var words: [Substring] = []
        var start = text.startIndex
        func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
        while start < text.endIndex {
            var end = text.index(after: start)
            if isWord(text[start]) {
                while end < text.endIndex, isWord(text[end]) { end = text.index(after: end) }
            }
            words.append(text[start..<end])
            start = end
        }
        return words
    }

    /// Tells of each word whether it belongs to a longest common sequence of both.
    private static func kept(_ words: [Substring], _ others: [Substring]) -> [Bool] {
        let most = min(words.count, others.count)
        let prefix = (0..<most).first { words[$0] != others[$0] } ?? most
        let suffix =
            (0..<(most - prefix)).first { words[words.count - 1 - $0] != others[others.count - 1 - $0] }
            ?? (most - prefix)
        var kept = words.indices.map { $0 < prefix || $0 >= words.count - suffix }
        let (rows, columns) = (words.count - prefix - suffix, others.count - prefix - suffix)
        guard rows > 0, columns > 0, rows <= mostPairs / columns else { return kept }
        // The length of the longest common sequence of what is left of both.
        var lengths = [Int](repeating: 0, count: (rows + 1) * (columns + 1))
        for row in (0..<rows).reversed() {
            for column in (0..<columns).reversed() {
                let place = row * (columns + 1) + column
                lengths[place] =
                    words[prefix + row] == others[prefix + column]
                    ? lengths[place + columns + 2] + 1 : max(lengths[place + columns + 1], lengths[place + 1])
            }
        }
        var (row, column) = (0, 0)
        while row < rows, column < columns {
            let place = row * (columns + 1) + column
            if words[prefix + row] == others[prefix + column] {
                kept[prefix + row] = true
                (row, column) = (row + 1, column + 1)
            } else if lengths[place + columns + 1] >= lengths[place + 1] {
                row += 1
            } else {
                column += 1
            }
        }
        return kept
    }
}
