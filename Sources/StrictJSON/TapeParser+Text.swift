extension TapeParser {
    /// The bytes being read, and the scanners of single tokens.
    ///
    /// Each takes and gives places between base and end.
    struct Text {
        let base: Pointer
        let end: Pointer
    }
}

extension TapeParser.Text {
    typealias Pointer = TapeParser.Pointer

    /// Returns the first place that is not white space; there is a byte to read at it.
    @inline(__always)
    func skipSpace(_ start: Pointer) throws(ParseFailure) -> Pointer {
        guard start < end else { throw .truncated(at: offset(start)) }
        if start.pointee > 0x20 { return start }
        // Programs that write a document in one line set one space behind colons and commas.
        let next = start + 1
        if start.pointee == 0x20, next < end, next.pointee > 0x20 { return next }
        return try skipSpaces(start)
    }

    @inline(never)
    private func skipSpaces(_ start: Pointer) throws(ParseFailure) -> Pointer {
        var at = start
        let spaces: UInt64 = 0x2020_2020_2020_2020
        while at < end {
            switch at.pointee {
            case 0x20:
                // Indentation comes in runs.
                while end - at >= 8, UnsafeRawPointer(at).loadUnaligned(as: UInt64.self) == spaces { at += 8 }
                while at < end, at.pointee == 0x20 { at += 1 }
            case 0x0A, 0x0D, 0x09: at += 1
            default: return at
            }
        }
        throw .truncated(at: offset(at))
    }

    /// Scans a string from behind its opening quote to its closing one.
    ///
    /// What comes out is valid UTF-8 without control characters, with escapes that each stand for a code point.
    @inline(__always)
    func scanString(_ start: Pointer) throws(ParseFailure) -> (end: Pointer, hasEscape: Bool) {
        var at = start
        while end - at >= 8 {
            let special = Self.special(UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
            if special == 0 {
                at += 8
                continue
            }
            at += special.trailingZeroBitCount &>> 3
            if at.pointee == UInt8(ascii: "\"") { return (at, false) }
            break
        }
        return try scanRest(at)
    }

    /// Marks the bytes of a word that end a run of plain characters: quote, backslash, control, not ASCII.
    ///
    /// Above the lowest marked byte there may be marks in error, for borrows run upwards.
    @inline(__always)
    private static func special(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ 0x2222_2222_2222_2222
        let backslash = word ^ 0x5C5C_5C5C_5C5C_5C5C
        let found = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word | word
        return found & 0x8080_8080_8080_8080
    }

    @inline(never)
    private func scanRest(_ start: Pointer) throws(ParseFailure) -> (end: Pointer, hasEscape: Bool) {
        var at = start
        var hasEscape = false
        while at < end {
            let byte = at.pointee
            if byte >= 0x80 {
                at = try scanMultibyte(at)
            } else if byte == UInt8(ascii: "\"") {
                return (at, hasEscape)
            } else if byte == UInt8(ascii: "\\") {
                hasEscape = true
                at = try scanEscape(at)
            } else if byte < 0x20 {
                throw controlCharacter(at)
            } else {
                at += 1
                while end - at >= 8 {
                    let special = Self.special(UnsafeRawPointer(at).loadUnaligned(as: UInt64.self))
                    at += special == 0 ? 8 : special.trailingZeroBitCount &>> 3
                    if special != 0 { break }
                }
            }
        }
        throw .truncated(at: offset(at))
    }

    private func controlCharacter(_ at: Pointer) -> ParseFailure {
        let message = "found \(found(at)) in a string, expected it escaped (or the string's closing quote is missing)"
        return orNULs(ParseFailure(.controlCharacter, at: offset(at), message), at)
    }

    /// Checks one sequence of two to four bytes (RFC 3629, section 4).
    @inline(__always)
    private func scanMultibyte(_ at: Pointer) throws(ParseFailure) -> Pointer {
        let first = at[0]
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0...0xEF:
            length = 3
            if first == 0xE0 { second = 0xA0...0xBF }
            if first == 0xED { second = 0x80...0x9F }
        case 0xF0...0xF4:
            length = 4
            if first == 0xF0 { second = 0x90...0xBF }
            if first == 0xF4 { second = 0x80...0x8F }
        default: throw invalidUTF8(at)
        }
        guard end - at >= length else {
            for index in 1..<max(1, end - at) where at[index] & 0xC0 != 0x80 { throw invalidUTF8(at) }
            throw .truncated(at: offset(end))
        }
        guard second.contains(at[1]) else { throw invalidUTF8(at) }
        if length > 2, at[2] & 0xC0 != 0x80 { throw invalidUTF8(at) }
        if length > 3, at[3] & 0xC0 != 0x80 { throw invalidUTF8(at) }
        return at + length
    }

    private func invalidUTF8(_ at: Pointer) -> ParseFailure {
        let bytes = UnsafeBufferPointer(start: at, count: min(4, end - at)).map {
            String($0, radix: 16, uppercase: true)
        }
        return ParseFailure(
            .invalidUTF8,
            at: offset(at),
            "found the bytes \(bytes.joined(separator: " ")), expected UTF-8; save the file as UTF-8"
        )
    }

    private func scanEscape(_ at: Pointer) throws(ParseFailure) -> Pointer {
        guard end - at >= 2 else { throw .truncated(at: offset(end)) }
        switch at[1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            return at + 2
        case UInt8(ascii: "u"):
            let unit = try hexUnit(at + 2)
            guard unit & 0xF800 == 0xD800 else { return at + 6 }
            guard unit < 0xDC00 else { throw loneSurrogate(at, unit) }
            guard end - at >= 8 else {
                if end - at == 7, at[6] != UInt8(ascii: "\\") { throw loneSurrogate(at, unit) }
                throw .truncated(at: offset(end))
            }
            guard at[6] == UInt8(ascii: "\\"), at[7] == UInt8(ascii: "u") else { throw loneSurrogate(at, unit) }
            guard try hexUnit(at + 8) & 0xFC00 == 0xDC00 else { throw loneSurrogate(at, unit) }
            return at + 12
        default:
            throw ParseFailure(
                .escape,
                at: offset(at),
                "found \\ followed by \(found(at + 1)), expected one of \" \\ / b f n r t u"
            )
        }
    }

    private func hexUnit(_ at: Pointer) throws(ParseFailure) -> UInt16 {
        var unit: UInt16 = 0
        for index in 0..<4 {
            guard at + index < end else { throw .truncated(at: offset(end)) }
            guard let digit = hexValue(at[index]) else {
                throw ParseFailure(
                    .escape,
                    at: offset(at + index),
                    "found \(found(at + index)), expected a hexadecimal digit"
                )
            }
            unit = unit &<< 4 | UInt16(digit)
        }
        return unit
    }

    private func loneSurrogate(_ at: Pointer, _ unit: UInt16) -> ParseFailure {
        let name = "\\u" + String(unit, radix: 16, uppercase: true)
        return ParseFailure(
            .loneSurrogate,
            at: offset(at),
            "found the surrogate \(name) without its other half, expected a pair or a character"
        )
    }
}

/// Returns the value of a hexadecimal digit; nil for any other byte.
@inline(__always)
func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
    default: nil
    }
}
