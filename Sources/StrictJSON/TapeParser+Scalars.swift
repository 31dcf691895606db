extension TapeParser.Text {
    /// Scans `true`, `false` or `null`.
    @inline(__always)
    func scanLiteral(_ at: Pointer) throws(ParseFailure) -> (tag: TapeWord.Tag, end: Pointer) {
        if end - at >= 5 {
            switch UnsafeRawPointer(at).loadUnaligned(as: UInt32.self).littleEndian {
            case 0x6C6C_756E: return (.null, at + 4)
            case 0x6575_7274: return (.true, at + 4)
            case 0x736C_6166 where at[4] == UInt8(ascii: "e"): return (.false, at + 5)
            default: break
            }
        }
        return try scanLiteralSlowly(at)
    }

    /// Returns the letters from a place on, for a message.
    private func word(_ at: Pointer) -> String {
        let letters = UnsafeBufferPointer(start: at, count: min(20, end - at)).prefix {
            (0x61...0x7A).contains($0 | 0x20)
        }
        return String(decoding: letters, as: UTF8.self)
    }

    @inline(never)
    private func scanLiteralSlowly(_ at: Pointer) throws(ParseFailure) -> (tag: TapeWord.Tag, end: Pointer) {
        for name: StaticString in ["NaN", "nan", "Infinity", "infinity", "inf"] where starts(at, with: name) {
            throw ParseFailure(.number, at: offset(at), "found \(name), expected a number; JSON has no such value")
        }
        let literals: [(StaticString, TapeWord.Tag)] = [("true", .true), ("false", .false), ("null", .null)]
        for (literal, tag) in literals where at.pointee == literal.utf8Start.pointee {
            for index in 1..<literal.utf8CodeUnitCount {
                guard at + index < end else { throw .truncated(at: offset(end)) }
                guard at[index] == literal.utf8Start[index] else {
                    throw ParseFailure(.syntax, at: offset(at), "found '\(word(at))', expected \(literal)")
                }
            }
            return (tag, at + literal.utf8CodeUnitCount)
        }
        throw unexpected(at, expected: "a value")
    }

    private func starts(_ at: Pointer, with name: StaticString) -> Bool {
        end - at >= name.utf8CodeUnitCount
            && (0..<name.utf8CodeUnitCount).allSatisfy { at[$0] == name.utf8Start[$0] }
    }

    /// Scans a number by RFC 8259's grammar.
    @inline(__always)
    func scanNumber(_ start: Pointer) throws(ParseFailure) -> (end: Pointer, isInteger: Bool) {
        var at = start
        if at.pointee == UInt8(ascii: "-") { at += 1 }
        let first = at
        at = skipDigits(at)
        guard at > first else { throw badNumber(start, at, expected: "a digit") }
        if first.pointee == UInt8(ascii: "0"), at - first > 1 { throw leadingZero(start) }
        guard at < end, at.pointee == UInt8(ascii: ".") || at.pointee | 0x20 == UInt8(ascii: "e") else {
            return (at, true)
        }
        return (try scanFraction(start, at), false)
    }

    @inline(never)
    private func scanFraction(_ start: Pointer, _ from: Pointer) throws(ParseFailure) -> Pointer {
        var at = from
        if at.pointee == UInt8(ascii: ".") {
            let first = at + 1
            at = skipDigits(first)
            guard at > first else { throw badNumber(start, at, expected: "a digit after the decimal point") }
        }
        if at < end, at.pointee | 0x20 == UInt8(ascii: "e") {
            at += 1
            if at < end, at.pointee == UInt8(ascii: "+") || at.pointee == UInt8(ascii: "-") { at += 1 }
            let first = at
            at = skipDigits(first)
            guard at > first else { throw badNumber(start, at, expected: "a digit in the exponent") }
        }
        return at
    }

    @inline(__always)
    private func skipDigits(_ start: Pointer) -> Pointer {
        var at = start
        while at < end, at.pointee &- UInt8(ascii: "0") < 10 { at += 1 }
        return at
    }

    private func badNumber(_ start: Pointer, _ at: Pointer, expected: String) -> ParseFailure {
        guard at < end else { return .truncated(at: offset(end)) }
        return ParseFailure(.number, at: offset(at), "found \(found(at)) in a number, expected \(expected)")
    }

    private func leadingZero(_ at: Pointer) -> ParseFailure {
        ParseFailure(.number, at: offset(at), "found a number with a leading zero, expected one without")
    }

    /// Refuses what a double cannot hold; only a long token or an exponent can make such a number.
    @inline(__always)
    func checkRange(
        _ start: Pointer,
        _ end: Pointer,
        isInteger: Bool,
        _ options: JSONParseOptions
    ) throws(ParseFailure) {
        if isInteger, end - start <= 300 { return }
        try checkDouble(start, end, options)
    }

    @inline(never)
    private func checkDouble(_ start: Pointer, _ end: Pointer, _ options: JSONParseOptions) throws(ParseFailure) {
        let token = UnsafeBufferPointer(start: start, count: end - start)
        guard token.count < TapeWord.largestPayload else { throw tooLong(start) }
        let isLarge = token.count > 300 || token.contains { $0 | 0x20 == UInt8(ascii: "e") }
        guard isLarge, !options.allowsNumbersBeyondDouble else { return }
        let text = String(decoding: token, as: UTF8.self)
        guard let double = Double(text), !double.isFinite else { return }
        let shown = text.count > 40 ? text.prefix(40) + "…" : Substring(text)
        throw ParseFailure(
            .numberRange,
            at: offset(start),
            "the number \(shown) is larger than a double can hold, expected at most about 1.8e308"
        )
    }
}

/// Returns the content of a string token with its escapes resolved.
///
/// - Parameter raw: The bytes between the quotes, as the parser has accepted them.
package func unescaped(_ raw: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: raw.count) { $1 = unescape(raw, into: $0) }
}

/// Resolves the escapes of an accepted string token; the result is never longer than the token.
///
/// - Returns: The number of bytes written.
package func unescape(_ raw: UnsafeBufferPointer<UInt8>, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
    var count = 0
    var index = 0
    func append(_ byte: UInt8) {
        buffer[count] = byte
        count += 1
    }
    func unit(_ at: Int) -> UInt32 {
        guard at + 4 <= raw.count else { return 0xFFFD }
        return (at..<at + 4).reduce(0) { $0 &<< 4 | UInt32(hexValue(raw[$1]) ?? 0) }
    }
    while index < raw.count {
        guard raw[index] == UInt8(ascii: "\\"), index + 1 < raw.count else {
            append(raw[index])
            index += 1
            continue
        }
        let escape = raw[index + 1]
        index += 2
        switch escape {
        case UInt8(ascii: "b"): append(0x08)
        case UInt8(ascii: "f"): append(0x0C)
        case UInt8(ascii: "n"): append(0x0A)
        case UInt8(ascii: "r"): append(0x0D)
        case UInt8(ascii: "t"): append(0x09)
        case UInt8(ascii: "u"):
            var value = unit(index)
            index += 4
            if value & 0xFC00 == 0xD800 {
                value = 0x10000 + (value & 0x3FF) &<< 10 + (unit(index + 2) & 0x3FF)
                index += 6
            }
            for byte in UTF8.encode(Unicode.Scalar(value) ?? "\u{FFFD}") ?? UTF8.encodedReplacementCharacter {
                append(byte)
            }
        default: append(escape)
        }
    }
    return count
}
