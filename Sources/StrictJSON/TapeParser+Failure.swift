/// The failure of a parser: a code, the byte offset, and the message.
struct ParseFailure: Error {
    var code: JSONError.Code
    var offset: Int
    var message: String
    /// The offset of the other place that the message speaks of; its line and column replace `%@`.
    var related: Int?
    /// The failure that holds if other bytes follow the NUL bytes seen so far.
    var unlessNUL: (code: JSONError.Code, message: String)?

    init(_ code: JSONError.Code, at offset: Int, _ message: String, related: Int? = nil) {
        self.code = code
        self.offset = offset
        self.message = message
        self.related = related
    }

    static func truncated(at offset: Int) -> ParseFailure {
        ParseFailure(.truncated, at: offset, "the file ends inside a value: it was cut off or is not yet complete")
    }

    static func duplicate(_ name: String, at offset: Int, first: Int) -> ParseFailure {
        let message = "the name \(quoted(name)) occurs twice in this object, first at %@"
        return ParseFailure(.duplicateName, at: offset, message, related: first)
    }

    static func tooDeep(at offset: Int, limit: Int) -> ParseFailure {
        ParseFailure(.depth, at: offset, "found more than \(limit) levels of nesting, which is the limit")
    }

    static func empty(at offset: Int, isWithoutBytes: Bool) -> ParseFailure {
        ParseFailure(.empty, at: offset, isWithoutBytes ? "the file is empty" : "the file holds only white space")
    }

    static func tooLarge(at offset: Int, limit: Int) -> ParseFailure {
        ParseFailure(.size, at: offset, "found more than \(limit) bytes, which is the limit")
    }

    static func tooMany(at offset: Int, limit: Int) -> ParseFailure {
        ParseFailure(.size, at: offset, "found more than \(limit) values and names, which is the limit")
    }

    /// Returns the failure for a text whose rest is only NUL bytes, as a crash of the machine leaves them.
    func becauseOfNULs(_ count: Int) -> ParseFailure {
        let message =
            "all \(count) bytes from here to the end are NUL: the file was not written completely; take another copy"
        var failure = ParseFailure(.nulFilled, at: offset, message)
        failure.unlessNUL = (code, self.message)
        return failure
    }
}

extension TapeParser {
    /// Returns the reference tokens that lead to the place where the parser stopped.
    func failurePointer(_ failure: ParseFailure) -> [String] {
        // Between two members there is a name, but it is that of the member before: the name counts where it, or the
        // value that failed, was appended last.
        var last = tape.count - 1
        if last > 0, tape.words[last] &>> 60 != UInt64(TapeWord.Tag.name.rawValue),
            TapeWord(bits: tape.words[last]).offset == failure.offset
        {
            last -= 1
        }
        let isInMember = last > current.start + 1 && TapeWord(bits: tape.words[last]).tag == .name
        let inner = current.object == 0 || isInMember ? [current] : []
        return (frames + inner).compactMap { frame in
            if frame.start < 0 { return nil }
            return frame.object == 0 ? String(frame.count) : names.string(frame.name)
        }
    }

    /// Returns the failure of two members with one name, with the position of the first.
    mutating func duplicate(_ symbol: Int, _ at: Pointer, _ text: Text) -> ParseFailure {
        var index = current.start + 2
        while index < tape.count {
            let word = TapeWord(bits: tape.words[index])
            if word.tag == .name, word.payload == symbol { break }
            index = word.isContainer ? Int(tape.words[index + 1]) : index + 1
        }
        let first = index < tape.count ? TapeWord(bits: tape.words[index]).offset : 0
        // The pointer shall name this member, not the one before it.
        current.name = symbol
        append(.name, from: at, to: at + symbol, text)
        return .duplicate(names.string(symbol), at: at - text.base, first: first)
    }

    /// Returns the failure of more elements or members than a tape word can count.
    func tooMany(_ text: Text) -> ParseFailure {
        let start = TapeWord(bits: tape.words[current.start]).offset
        return ParseFailure(.size, at: start, "found more than \(TapeWord.largestPayload) elements, which is the limit")
    }
}

extension TapeParser.Text {
    func offset(_ at: TapeParser.Pointer) -> Int { at - base }

    func tooLong(_ at: TapeParser.Pointer) -> ParseFailure {
        ParseFailure(
            .size,
            at: offset(at),
            "found a string or number of more than \(TapeWord.largestPayload) bytes, which is the limit"
        )
    }

    func tooManyNames(_ at: TapeParser.Pointer) -> ParseFailure {
        ParseFailure(
            .size,
            at: offset(at),
            "found more than \(TapeWord.largestPayload) different names, which is the limit"
        )
    }

    /// Returns the failure of a character or an end of the text that cannot stand here.
    func unexpected(_ at: TapeParser.Pointer, expected: String) -> ParseFailure {
        guard at < end else { return .truncated(at: offset(at)) }
        return orNULs(ParseFailure(.syntax, at: offset(at), "found \(found(at)), expected \(expected)"), at)
    }

    /// Returns the failure, or that for a rest of only NUL bytes.
    func orNULs(_ failure: ParseFailure, _ at: TapeParser.Pointer) -> ParseFailure {
        guard UnsafeBufferPointer(start: at, count: end - at).allSatisfy({ $0 == 0 }) else { return failure }
        return failure.becauseOfNULs(end - at)
    }

    /// Tells whether a number or a literal ends right before a place, and a character of a word is there.
    func isWithinWord(_ at: TapeParser.Pointer) -> Bool {
        at > base && at < end && Self.isOfWord(at[-1]) && Self.isOfWord(at.pointee)
    }

    private static func isOfWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "_.+-".utf8.contains(byte)
        }
    }

    /// Returns the character at a place, for a message.
    func found(_ at: TapeParser.Pointer) -> String {
        if at.pointee == 0x20 { return "a space" }
        if at.pointee < 0x80 {
            let scalar = Unicode.Scalar(at.pointee)
            return (0x21...0x7E).contains(at.pointee) ? "'\(scalar)'" : "the control character \(codePoint(scalar))"
        }
        var iterator = UnsafeBufferPointer(start: at, count: min(4, end - at)).makeIterator()
        var decoder = UTF8()
        guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
            return "the byte 0x\(String(at.pointee, radix: 16, uppercase: true)), which is not UTF-8"
        }
        return "'\(scalar)' (\(codePoint(scalar)))"
    }
}

/// Returns a scalar in the `U+XXXX` form.
package func codePoint(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
}

/// Returns a text in double quotes for a message: escaped as in JSON, and cut when it is long.
package func quoted(_ text: String) -> String {
    let scalars = Array(text.unicodeScalars.prefix(61))
    var shown = ""
    for index in scalars.indices.prefix(60) {
        switch scalars[index] {
        case "\"": shown += "\\\""
        case "\\": shown += "\\\\"
        case "\n": shown += "\\n"
        case "\r": shown += "\\r"
        case "\t": shown += "\\t"
        // Joiners that do join belong to the word or the emoji; elsewhere two texts would look the same.
        case let joiner where joins(joiner, scalars, index): shown.unicodeScalars.append(joiner)
        case let scalar where isInvisible(scalar):
            for unit in UTF16.encode(scalar) ?? .init() {
                let hex = String(unit, radix: 16)
                shown += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            }
        case let scalar: shown.unicodeScalars.append(scalar)
        }
    }
    return scalars.count > 60 ? "\"\(shown)…\"" : "\"\(shown)\""
}

/// Tells whether a character is a joiner between letters of a script with joiners, from Arabic to the scripts of India,
/// or between emoji.
private func joins(_ scalar: Unicode.Scalar, _ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
    guard (0x200C...0x200D).contains(scalar.value), index > 0, index + 1 < scalars.count else { return false }
    let both = [scalars[index - 1], scalars[index + 1]]
    if both.allSatisfy({ (0x600...0xDFF).contains($0.value) && !isInvisible($0) }) { return true }
    return scalar.value == 0x200D
        && both.allSatisfy { !$0.isASCII && ($0.properties.isEmoji || $0.value == 0xFE0F) }
}

/// Tells whether a character cannot be seen, or ends the line.
private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value < 0x20 || scalar.value == 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
}
