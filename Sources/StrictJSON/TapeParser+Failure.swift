/// Why the parser stopped: a code, the byte, and the message.
struct ParseFailure: Error {
    var code: JSONError.Code
    var offset: Int
    var message: String
    /// The offset of the other place that the message speaks of; its line and column replace `%@`.
    var related: Int?

    init(_ code: JSONError.Code, at offset: Int, _ message: String, related: Int? = nil) {
        self.code = code
        self.offset = offset
        self.message = message
        self.related = related
    }

    static func truncated(at offset: Int) -> ParseFailure {
        ParseFailure(.truncated, at: offset, "the file ends inside a value: it was cut off or is not yet complete")
    }
}

extension TapeParser {
    /// The reference tokens that lead to the value at which the parser stopped.
    func failurePointer() -> [String] {
        (frames + [current]).compactMap { frame in
            if frame.start < 0 { return nil }
            if frame.object == 0 { return String(frame.count) }
            return frame.name < 0 ? nil : names.string(frame.name)
        }
    }

    /// Two members of one name, with the place of the first.
    func duplicate(_ symbol: Int, _ at: Pointer, _ text: Text) -> ParseFailure {
        var index = current.start + 2
        while index < tape.count {
            let word = TapeWord(bits: tape.words[index])
            if word.tag == .name, word.payload == symbol { break }
            index = word.isContainer ? Int(tape.words[index + 1]) : index + 1
        }
        let first = index < tape.count ? TapeWord(bits: tape.words[index]).offset : 0
        let name = quoted(names.string(symbol))
        return ParseFailure(
            .duplicateName,
            at: at - text.base,
            "the name \(name) stands twice in this object; the first is at %@",
            related: first
        )
    }
}

extension TapeParser.Text {
    func offset(_ at: TapeParser.Pointer) -> Int { at - base }

    func tooLong(_ at: TapeParser.Pointer) -> ParseFailure {
        ParseFailure(.size, at: offset(at), "a string of more than \(TapeWord.largestPayload) bytes")
    }

    /// Something that cannot stand here.
    func unexpected(_ at: TapeParser.Pointer, expected: String) -> ParseFailure {
        guard at < end else { return .truncated(at: offset(at)) }
        if at.pointee == 0, let failure = nulFilled(at) { return failure }
        return ParseFailure(.syntax, at: offset(at), "found \(found(at)), expected \(expected)")
    }

    /// The failure for a rest of nothing but NUL bytes, as a crash of the machine leaves them.
    func nulFilled(_ at: TapeParser.Pointer) -> ParseFailure? {
        guard UnsafeBufferPointer(start: at, count: end - at).allSatisfy({ $0 == 0 }) else { return nil }
        let message =
            "all \(end - at) bytes from here to the end are NUL: the file was not written completely; take another copy"
        return ParseFailure(.nulFilled, at: offset(at), message)
    }

    /// The character at a place, for a message.
    func found(_ at: TapeParser.Pointer) -> String {
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

/// A scalar in the `U+XXXX` form.
package func codePoint(_ scalar: Unicode.Scalar) -> String {
    let hex = String(scalar.value, radix: 16, uppercase: true)
    return "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
}

/// A text in double quotes for a message: escaped as in JSON, and cut when it is long.
package func quoted(_ text: String) -> String {
    let scalars = text.unicodeScalars
    var shown = ""
    for scalar in scalars.prefix(60) {
        switch scalar {
        case "\"": shown += "\\\""
        case "\\": shown += "\\\\"
        case "\n": shown += "\\n"
        case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.properties.generalCategory == .format:
            shown += codePoint(scalar)
        default: shown.unicodeScalars.append(scalar)
        }
    }
    return scalars.count > 60 ? "\"\(shown)…\"" : "\"\(shown)\""
}
