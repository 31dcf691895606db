internal import FormatKit

/// Reads a session's text.
struct SessionTextParser {
    private(set) var name: String?
    private(set) var tags: [String]?
    private(set) var days: [Int]?
    private(set) var blocks: [SessionText.Block] = []

    private let characters: [Character]
    private var index = 0
    private var line = 1
    /// The open groups: the number of times that each runs, and where it begins in `blocks`.
    private var groups: [(count: Int, start: Int, line: Int)] = []

    private static let deepest = 8

    init(_ text: String) { characters = Array(text.replacing("\r\n", with: "\n")) }

    mutating func parse() throws(SessionTextError) {
        while true {
            skipSeparators()
            guard let character = peek else { break }
            if character == ")" {
                index += 1
                try closeGroup()
            } else if let count = groupStart() {
                guard count >= 1 else { throw error("found a group that runs \(count) times, expected 1 or more") }
                guard groups.count < Self.deepest else { throw error("groups nest at most \(Self.deepest) deep") }
                groups.append((count, blocks.count, line))
            } else {
                try parseItem()
            }
            guard blocks.count <= SessionText.mostBlocks else {
                throw error("more than \(SessionText.mostBlocks) blocks")
            }
        }
        if let open = groups.last {
            throw SessionTextError(line: open.line, message: "found no \")\" for this \"(\", expected one")
        }
        guard !blocks.isEmpty else { throw error("found no block, expected one, such as: Squats 45 s") }
    }

    // MARK: Characters

    private var peek: Character? { index < characters.count ? characters[index] : nil }

    private func error(_ message: String) -> SessionTextError { SessionTextError(line: line, message: message) }

    private mutating func skipSeparators() {
        while let character = peek, character.isWhitespace || character == "/" {
            if character.isNewline { line += 1 }
            index += 1
        }
    }

    /// Reads `8 x (`; nil, and nothing is read, where there is something else.
    private mutating func groupStart() -> Int? {
        var at = index
        var digits = ""
        func character(_ at: Int) -> Character? { at < characters.count ? characters[at] : nil }
        while let digit = character(at), digit.isASCII, digit.isNumber {
            digits.append(digit)
            at += 1
        }
        while character(at) == " " { at += 1 }
        if !digits.isEmpty {
            guard let sign = character(at), "x×X*".contains(sign) else { return nil }
            at += 1
            while character(at) == " " { at += 1 }
        }
        guard character(at) == "(" else { return nil }
        index = at + 1
        // A larger number makes too many blocks all the same, and could not be multiplied.
        return digits.isEmpty ? 1 : min(Int(digits) ?? .max, SessionText.mostBlocks + 1)
    }

    private mutating func closeGroup() throws(SessionTextError) {
        guard let group = groups.popLast() else { throw error("found \")\" without \"(\"") }
        let content = Array(blocks[group.start...])
        guard !content.isEmpty else { throw error("found an empty group, expected a block in it") }
        guard content.count * group.count + group.start <= SessionText.mostBlocks else {
            throw error("more than \(SessionText.mostBlocks) blocks")
        }
        for _ in 1..<max(1, group.count) { blocks += content }
    }

    // MARK: Items

    /// Reads the text of an item: up to the end of the line, ` / ` or a closing parenthesis, none of them in quotes.
    private mutating func itemText() throws(SessionTextError) -> (text: String, notes: String?) {
        var text = ""
        var quoted = false
        while let character = peek, !character.isNewline {
            if character == "\\", quoted, index + 1 < characters.count {
                text += [character, characters[index + 1]]
                index += 2
                continue
            }
            if character == "\"" { quoted.toggle() }
            if !quoted {
                if character == ")" { break }
                if character == "/", text.last == " " || text.isEmpty { break }
                if character == "-", text.last == " ", index + 1 < characters.count, characters[index + 1] == "-" {
                    index += 2
                    return (text, try notes())
                }
            }
            text.append(character)
            index += 1
        }
        guard !quoted else { throw error("found no end of the text in quotes, expected \"") }
        return (text, nil)
    }

    /// Reads notes: in quotes, which may be empty, or to the end of the line.
    ///
    /// - Throws: An error for ` / ` outside of quotes, which may be part of the notes, or the end of the block.
    private mutating func notes() throws(SessionTextError) -> String? {
        if let quoted = quotedNotes() { return quoted }
        let end = characters[index...].firstIndex(where: \.isNewline) ?? characters.count
        let text = SessionTextScanner.trimmed(String(characters[index..<end]))
        guard !SessionTextScanner.hasSeparator(text) else {
            throw error(
                "found \" / \" in the notes \"\(text)\", expected notes in quotes, such as -- \"slow / easy\", or the next "
                    + "block on a line of its own"
            )
        }
        index = end
        let notes = SessionTextScanner.unescaped(text)
        return notes.isEmpty ? nil : notes
    }

    /// Reads notes in quotes, behind which the line ends or the next block follows; nil, and nothing is read, where there
    /// is something else.
    private mutating func quotedNotes() -> String? {
        var at = index
        while at < characters.count, characters[at].isWhitespace, !characters[at].isNewline { at += 1 }
        guard at < characters.count, characters[at] == "\"" else { return nil }
        at += 1
        let start = at
        while at < characters.count, characters[at] != "\"", !characters[at].isNewline {
            at += characters[at] == "\\" && at + 1 < characters.count ? 2 : 1
        }
        guard at < characters.count, characters[at] == "\"" else { return nil }
        let text = String(characters[start..<at])
        at += 1
        while at < characters.count, characters[at].isWhitespace, !characters[at].isNewline { at += 1 }
        guard at >= characters.count || characters[at].isNewline || "/)".contains(characters[at]) else { return nil }
        index = at
        return SessionTextScanner.unescaped(text)
    }

    private mutating func parseItem() throws(SessionTextError) {
        let isHead = blocks.isEmpty && groups.isEmpty
        let start = index
        if isHead, let (key, value) = headLine() {
            return try takeHead(key, value)
        }
        index = start
        let (text, notes) = try itemText()
        var scanner = SessionTextScanner(text, line: line)
        var block = try scanner.block()
        block.notes = notes
        blocks.append(block)
    }

    /// Reads a line such as `tags: cardio`, or what stands before ` / `.
    ///
    /// A name takes its whole line, as there may be a ` / ` in it.
    private mutating func headLine() -> (key: String, value: String)? {
        let lineEnd = characters[index...].firstIndex(where: \.isNewline) ?? characters.count
        guard let colon = characters[index..<lineEnd].firstIndex(of: ":") else { return nil }
        let key = SessionTextScanner.trimmed(String(characters[index..<colon])).lowercased()
        guard ["name", "tags", "days"].contains(key) else { return nil }
        let end = key == "name" ? lineEnd : separator(in: colon + 1..<lineEnd) ?? lineEnd
        index = end
        return (key, SessionTextScanner.trimmed(String(characters[colon + 1..<end])))
    }

    /// Returns where a slash stands between blanks, or before the end of a part of a line.
    private func separator(in part: Range<Int>) -> Int? {
        part.first { at in
            characters[at] == "/" && characters[at - 1].isWhitespace
                && (at + 1 == part.upperBound || characters[at + 1].isWhitespace)
        }
    }

    private mutating func takeHead(_ key: String, _ value: String) throws(SessionTextError) {
        switch key {
        case "name":
            let given = SessionTextScanner.unescaped(value)
            guard !value.isBlank, !given.isEmpty else { throw error("found no name, expected one") }
            name = given
        case "tags":
            tags = value.split(separator: ",").map {
                SessionTextScanner.decoded(SessionTextScanner.trimmed(String($0)))
            }.filter { !$0.isEmpty }
        default:
            var found: Set<Int> = []
            for word in value.split(whereSeparator: { " ,".contains($0) }) {
                guard let days = Self.days(word) else {
                    throw error(
                        "found the day \"\(word)\", expected Mon, Tue, Wed, Thu, Fri, Sat or Sun, such as Mon Thu, "
                            + "or Mon-Fri"
                    )
                }
                found.formUnion(days)
            }
            days = found.sorted()
        }
    }

    /// Returns the days of `Mon` or `Mon-Fri`, which may go over a Sunday; nil where it is neither.
    private static func days(_ word: Substring) -> [Int]? {
        let ends = word.split(omittingEmptySubsequences: false) { "-–".contains($0) }.map(day)
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil else { return nil }
        return (0...(last - first + 7) % 7).map { (first - 1 + $0) % 7 + 1 }
    }

    /// Returns the ISO weekday of an English name, of which three letters are enough.
    private static func day(_ word: Substring) -> Int? {
        let names = ["mondays", "tuesdays", "wednesdays", "thursdays", "fridays", "saturdays", "sundays"]
        let word = word.last == "." ? word.dropLast().lowercased() : word.lowercased()
        guard word.count >= 3 else { return nil }
        return names.firstIndex { $0.hasPrefix(word) }.map { $0 + 1 }
    }
}
