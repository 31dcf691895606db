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
        return label
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

    private mutating func takeSeconds() throws(SessionTextError) -> Int? {
        let units: [(names: [String], seconds: Int)] = [
            (["seconds", "second", "secs", "sec", "s"], 1), (["minutes", "minute", "mins", "min", "m", "'"], 60),
            (["hours", "hour", "h"], 3_600),
        ]
        var total: Int?
        var least = 0
        while let (number, rest, unit) = Self.amount(text, units), unit > least {
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

    /// Writes a new line and a backslash with a backslash before them.
    static func escaped(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\n", with: "\\n")
    }

    /// Tells whether a text in one line would be taken for several blocks.
    static func hasSeparator(_ text: String) -> Bool {
        text.contains(" / ") || text.hasPrefix("/ ") || text.hasSuffix(" /") || text == "/"
    }

    private static let reserved: Set<Character> = ["%", ",", "[", "]", "{", "}", "/", "(", ")", "\"", "\n", "-"]

    /// Writes the characters that separate as `%` and two hexadecimal digits, as addresses on the web have them.
    static func encoded(_ text: String) -> String {
        let isSpaced = text.first?.isWhitespace == true || text.last?.isWhitespace == true
        return text.map { character in
            guard reserved.contains(character) || (isSpaced && character.isWhitespace) else { return String(character) }
            return character.utf8.map { "%" + String($0 / 16, radix: 16) + String($0 % 16, radix: 16) }.joined()
        }.joined()
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

    /// Takes the backslashes out: `\n` is a new line, and every other character stands for itself.
    static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for character in text {
            if isEscaped {
                result.append(character == "n" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else {
                result.append(character)
            }
        }
        return result
    }
}
