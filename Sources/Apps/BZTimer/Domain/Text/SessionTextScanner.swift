internal import FormatKit

/// Reads one block of a session's text: `rest: Water 30 s [Exercise] {color=#ff0000}`.
struct SessionTextScanner {
    private var text: String
    private let line: Int

    init(_ text: String, line: Int) {
        self.text = Self.trimmed(text)
        self.line = line
    }

    mutating func block() throws(SessionTextError) -> SessionText.Block {
        let whole = text
        if let before = Self.textBeforeParenthesis(text) {
            throw error(
                "found \"(\" behind \"\(before)\", expected a group such as 8 x (…) at the beginning of a line or "
                    + "behind \" / \"; a name with \"(\" stands in quotes"
            )
        }
        var look: [String: String] = [:]
        if let inner = takeEnd("{", "}") {
            for part in inner.split(whereSeparator: { " ,".contains($0) }) {
                // Apps accept any text as a colour, so an empty value counts.
                let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard pair.count == 2, ["color", "icon"].contains(pair[0]) else {
                    throw error("found \"\(part)\", expected color=… or icon=…")
                }
                look[pair[0]] = Self.decoded(pair[1])
            }
        }
        let category = takeEnd("[", "]").map(Self.decoded)
        let given = takeKind()
        guard let timing = try takeTiming() else {
            throw error("found \"\(whole)\", expected a length at its end, such as 20 s, 1:30, 2 min or 12 x 3 s")
        }
        let label = try label(whole)
        let kind = given ?? (Self.isRest(label) ? .rest : .activity)
        guard category == nil || kind == .activity else {
            throw error("found a category of a \(kind.rawValue), which has none")
        }
        var block = SessionText.Block(label: label, kind: kind, timing: timing)
        block.category = category
        block.color = look["color"]
        block.icon = look["icon"]
        return block
    }

    static func isRest(_ label: String) -> Bool { label.lowercased() == "rest" }

    private func error(_ message: String) -> SessionTextError { SessionTextError(line: line, message: message) }

    private func label(_ whole: String) throws(SessionTextError) -> String {
        var label = text
        if label.first == "\"" {
            guard label.count > 1, label.last == "\"" else { throw error("found \(label), expected a name in quotes") }
            label = Self.unescaped(String(label.dropFirst().dropLast()))
            // Files can have names of blanks; the text writes them in quotes.
            if !label.isEmpty { return label }
        }
        guard !label.isBlank else { throw error("found \"\(whole)\", expected a name before the length") }
        if let length = Self.length(in: label) {
            throw error(
                "found the length \"\(length)\" in the name \"\(label)\", expected each block on a line of its own or "
                    + "behind \" / \"; a name with a length in it stands in quotes"
            )
        }
        return label
    }

    /// Returns what stands before a parenthesis outside of quotes; nil where there is none.
    private static func textBeforeParenthesis(_ text: String) -> String? {
        var isQuoted = false
        var isEscaped = false
        for index in text.indices {
            switch text[index] {
            case _ where isEscaped: isEscaped = false
            case "\\" where isQuoted: isEscaped = true
            case "\"": isQuoted.toggle()
            case "(" where !isQuoted: return trimmed(String(text[..<index]))
            default: break
            }
        }
        return nil
    }

    /// Returns the first length in a name that is not in quotes and ends a block, such as `20 s` in `Work 20 s, Rest`.
    ///
    /// A word may follow one: `Plank 30 s hold` is a name. Metres at its end are no length: what follows is one.
    private static func length(in label: String) -> String? {
        func isDigit(_ character: Character) -> Bool { character.isASCII && character.isNumber }
        var rest = label[...]
        while let start = rest.firstIndex(where: isDigit) {
            let isInWord = start > label.startIndex && label[label.index(before: start)].isLetter
            rest = label[start...].drop(while: isDigit)
            if isInWord { continue }
            if rest.first == ":", rest.dropFirst().prefix(while: isDigit).count == 2, endsBlock(rest.dropFirst(3)) {
                return String(label[start..<rest.startIndex] + rest.prefix(3))
            }
            let word = rest.drop(while: { $0 == " " }).prefix(while: \.isLetter)
            let behind = label[word.endIndex...]
            let isWordOver = behind.first.map { !isDigit($0) && !"-'’".contains($0) } ?? true
            guard isWordOver, endsBlock(behind), isUnit(word), word.lowercased() != metre || !behind.isEmpty else {
                continue
            }
            return String(label[start..<word.endIndex])
        }
        return nil
    }

    /// Tells whether what follows a length in a name begins another block, or nothing does.
    private static func endsBlock(_ behind: Substring) -> Bool {
        let next = behind.drop(while: { $0 == " " })
        return next.first.map { ",;|/+&".contains($0) } ?? true || next.hasPrefix("then ")
    }

    private static func isUnit(_ word: Substring) -> Bool {
        let word = word.lowercased()
        return word == metre || units.contains { $0.names.contains(word) }
    }

    /// Takes what stands in brackets at the end.
    private mutating func takeEnd(_ open: Character, _ close: Character) -> String? {
        guard text.last == close, let start = text.lastIndex(of: open) else { return nil }
        let inner = text[text.index(after: start)...].dropLast()
        text = Self.trimmed(String(text[..<start]))
        let value = Self.trimmed(String(inner))
        return value.isEmpty ? nil : value
    }

    private mutating func takeKind() -> BlockKind? {
        guard text.first != "\"", let colon = text.firstIndex(of: ":"),
            let kind = BlockKind(rawValue: Self.trimmed(String(text[..<colon])).lowercased())
        else { return nil }
        text = Self.trimmed(String(text[text.index(after: colon)...]))
        return kind
    }

    // MARK: Lengths

    /// Takes the length at the end: `20 s`, `1 min 30 s`, `1:30`, `12 x 3 s`.
    private mutating func takeTiming() throws(SessionTextError) -> BlockTiming? {
        guard let seconds = try takeSeconds() else { return nil }
        if let last = text.last, "x×X*".contains(last) {
            let before = Self.trimmed(String(text.dropLast()))
            let digits = String(before.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
            let head = before.dropLast(digits.count)
            if !digits.isEmpty, head.isEmpty || head.last == " " || head.last == "\"" {
                guard let count = Int(digits), (1...BlockTiming.mostReps).contains(count) else {
                    throw error("found \(digits) repetitions, expected 1 to \(BlockTiming.mostReps)")
                }
                guard (1...BlockTiming.longestRep).contains(seconds) else {
                    throw error("found a repetition of \(seconds) s, expected 1 to \(BlockTiming.longestRep)")
                }
                text = Self.trimmed(String(head))
                return .reps(count: count, secondsEach: seconds)
            }
        }
        guard (1...BlockTiming.longestDuration).contains(seconds) else {
            throw error("found a length of \(seconds) s, expected 1 to \(BlockTiming.longestDuration)")
        }
        return .duration(seconds: seconds)
    }

    private static let units: [(names: [String], seconds: Int)] = [
        (["seconds", "second", "secs", "sec", "s"], 1), (["minutes", "minute", "mins", "min", "'"], 60),
        (["hours", "hour", "h"], 3_600),
    ]
    /// Minutes behind hours, else metres.
    private static let metre = "m"

    private mutating func takeSeconds() throws(SessionTextError) -> Int? {
        var total: Int?
        var least = 0
        while let (number, rest, unit) = try nextAmount(above: least) {
            let (part, overflow) = number.multipliedReportingOverflow(by: unit)
            let (sum, isTooMuch) = (total ?? 0).addingReportingOverflow(part)
            guard !overflow, !isTooMuch else { throw error("found a length that is too large") }
            total = sum
            least = unit
            text = rest
        }
        if let total { return total }
        return takeClock()
    }

    /// Returns the number and unit at the end of the text, where the unit is larger than those behind it.
    ///
    /// - Throws: An error for a number with `m`, which may be metres, unless hours stand before it.
    private func nextAmount(above least: Int) throws(SessionTextError) -> (Int, String, Int)? {
        if let found = Self.amount(text, Self.units) { return found.2 > least ? found : nil }
        guard least < 60, let minutes = Self.amount(text, [([Self.metre], 60)]) else { return nil }
        if let (_, _, unit) = Self.amount(minutes.1, Self.units), unit == 3_600 { return minutes }
        let name = minutes.1.isEmpty ? "Row" : minutes.1
        let example = "\"\(name.filter { $0 != "\"" }) \(minutes.0) m\" 2 min"
        throw error(
            "found \"\(minutes.0) m\", which may be metres, expected min for minutes, or a name in quotes and a "
                + "length, such as \(example)"
        )
    }

    /// Returns the number and unit at the end of a text, and what stands before them.
    private static func amount(
        _ text: String,
        _ units: [(names: [String], seconds: Int)]
    ) -> (Int, String, Int)? {
        let lowered = text.lowercased()
        guard lowered.count == text.count else { return nil }
        for unit in units {
            for name in unit.names where lowered.hasSuffix(name) {
                let before = trimmed(String(text.dropLast(name.count)))
                let digits = String(before.reversed().prefix { $0.isASCII && $0.isNumber }.reversed())
                let head = before.dropLast(digits.count)
                guard let number = Int(digits), head.isEmpty || " \"x×X*".contains(head.last ?? " ") else { continue }
                return (number, trimmed(String(head)), unit.seconds)
            }
        }
        return nil
    }

    /// Takes `1:30` or `1:00:00`.
    private mutating func takeClock() -> Int? {
        let clock = String(text.reversed().prefix { $0 == ":" || $0.isASCII && $0.isNumber }.reversed())
        let head = text.dropLast(clock.count)
        let parts = clock.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), head.isEmpty || " \"x×X*".contains(head.last ?? " "),
            parts.dropFirst().allSatisfy({ $0.count == 2 }), parts.allSatisfy({ (1...4).contains($0.count) })
        else { return nil }
        let numbers = parts.compactMap { Int($0) }
        guard numbers.count == parts.count, numbers.dropFirst().allSatisfy({ $0 < 60 }) else { return nil }
        text = Self.trimmed(String(head))
        return numbers.reduce(0) { $0 * 60 + $1 }
    }

    // MARK: Texts

    static func trimmed(_ text: String) -> String {
        let start = text.drop(while: \.isWhitespace)
        return String(start.reversed().drop(while: \.isWhitespace).reversed())
    }

    /// Writes with a backslash what a reader would lose: `\n`, `\r`, `\t`, `\\` and, of any character, `\u{2028}`.
    ///
    /// - Parameter isTrimmed: Whether the reader drops white space at the ends.
    static func escaped(_ text: String, isTrimmed: Bool = false) -> String {
        guarded(text, isTrimmed: isTrimmed, isSyntax: { $0 == "\\" }) { scalar in
            switch scalar {
            case "\\": "\\\\"
            case "\n": "\\n"
            case "\r": "\\r"
            case "\t": "\\t"
            default: "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
    }

    /// Tells whether a text in one line would be taken for several blocks.
    static func hasSeparator(_ text: String) -> Bool {
        text.contains(" / ") || text.hasPrefix("/ ") || text.hasSuffix(" /") || text == "/"
    }

    private static let reserved: Set<Unicode.Scalar> = ["%", ",", "[", "]", "{", "}", "/", "(", ")", "\"", "-"]

    /// Writes the characters that separate as `%` and two hexadecimal digits, as addresses on the web have them.
    static func encoded(_ text: String) -> String {
        guarded(text, isTrimmed: true, isSyntax: { reserved.contains($0) }) { scalar in
            String(scalar).utf8.map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        }
    }

    /// Writes in another form what a reader would lose or take for syntax.
    ///
    /// Beside the syntax these are line ends and other control characters, byte order marks, white space at trimmed
    /// ends, and what would make one character of a part of the syntax and its neighbour, such as an accent.
    private static func guarded(
        _ text: String,
        isTrimmed: Bool,
        isSyntax: (Unicode.Scalar) -> Bool,
        write: (Unicode.Scalar) -> String
    ) -> String {
        let scalars = text.unicodeScalars
        var result = ""
        // True where a following accent would join a part of the syntax.
        var isExposed = true
        for index in scalars.indices {
            let scalar = scalars[index]
            let isEnd = index == scalars.startIndex || scalars.index(after: index) == scalars.endIndex
            let isSpace = scalar.properties.isWhitespace
            if isSyntax(scalar) || isInvisible(scalar) || isTrimmed && isEnd && isSpace || joins(scalar, "\"")
                || isExposed && joins("\"", scalar)
            {
                result += write(scalar)
                isExposed = true
            } else {
                result.unicodeScalars.append(scalar)
                let isWord = scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                isExposed = isSpace || scalar.isASCII && !isWord
            }
        }
        return result
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: scalar == "\u{FEFF}"
        }
    }

    /// Tells whether two scalars are one character.
    private static func joins(_ first: Unicode.Scalar, _ second: Unicode.Scalar) -> Bool {
        if first.isASCII, second.isASCII { return false }
        return String(String.UnicodeScalarView([first, second])).count == 1
    }

    /// Reads what `encoded` wrote.
    static func decoded(_ text: String) -> String {
        guard text.contains("%") else { return text }
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), digits.utf8.count == 2, let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads what `escaped` wrote; every other character behind a backslash stands for itself.
    static func unescaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            guard let escape = rest.popFirst() else { break }
            switch escape {
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            case "u": result.append(takeNumber(&rest) ?? "u")
            default: result.append(escape)
            }
        }
        return String(result)
    }

    /// Takes the number of a character, such as `{2028}`; nil, and nothing is taken, where there is none.
    private static func takeNumber(_ rest: inout Substring.UnicodeScalarView) -> Unicode.Scalar? {
        guard rest.first == "{", let end = rest.prefix(8).firstIndex(of: "}"),
            let number = UInt32(String(Substring(rest[..<end].dropFirst())), radix: 16),
            let scalar = Unicode.Scalar(number)
        else { return nil }
        rest = rest[rest.index(after: end)...]
        return scalar
    }
}
