internal import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Reads content lines of iCalendar (RFC 5545, section 3.1), unfolded, in memory that does not grow with the text.
///
/// Lines end with CRLF, LF or CR. Folds are undone byte by byte, so that one inside of a character does no harm.
struct ContentLines: ~Copyable {
    /// The most bytes of a line; what is beyond is dropped, as of a picture that somebody attached.
    static let longest = 1 << 20

    private var feed: TextFeed
    private var hasBegun = false
    /// The line, without its end.
    private(set) var bytes: [UInt8] = []
    /// The position where the line begins.
    private(set) var position = TextPosition(offset: 0, line: 1, column: 1)
    /// True if the line was longer than the limit.
    private(set) var isCut = false

    init(_ source: JSONByteSource) { feed = TextFeed(source) }

    /// Goes on to the next line that is not blank; false at the end.
    mutating func next() throws -> Bool {
        if !hasBegun {
            hasBegun = true
            try feed.begin()
        }
        repeat {
            guard try feed.peek() != nil else { return false }
            bytes.removeAll(keepingCapacity: true)
            isCut = false
            position = feed.position
            try readPart()
            while let byte = try feed.peek() {
                if byte == 0x20 || byte == 0x09 {
                    feed.take()
                } else if bytes.last == UInt8(ascii: "="), line?.isQuotedPrintable ?? false {
                    // A soft line break of quoted-printable.
                    bytes.removeLast()
                } else {
                    break
                }
                try readPart()
            }
        } while bytes.isEmpty
        return true
    }

    /// Reads to the end of a line of the file.
    private mutating func readPart() throws {
        while let byte = try feed.peek() {
            switch byte {
            case 0x0A:
                feed.take()
                return
            case 0x0D:
                feed.take()
                if try feed.peek() == 0x0A { feed.take() }
                return
            case 0: throw feed.nulError()
            default:
                feed.takeRun(until: 0x0A, into: &bytes)
                guard bytes.count > Self.longest else { continue }
                isCut = true
                bytes.removeSubrange(Self.longest...)
            }
        }
    }

    /// The place behind the last line.
    var end: TextPosition { feed.position }

    /// The line taken apart, nil where it has no colon.
    var line: ContentLine? { ContentLine(bytes, at: position, isCut: isCut) }
}

/// A property: `NAME;PARAMETER=value:value`.
struct ContentLine {
    /// The name, in upper case.
    let name: String
    /// The bytes of the value.
    let value: ArraySlice<UInt8>
    private let parameters: ArraySlice<UInt8>
    private let hasParameters: Bool
    /// True if a parameter has a colon and no quotes around it.
    let isZoneUnquoted: Bool
    private static let times: Set<String> = ["DTSTART", "DTEND", "RECURRENCE-ID", "EXDATE", "RDATE"]
    private static let backslash = UInt8(ascii: "\\")
    let position: TextPosition
    let isCut: Bool

    init?(_ bytes: [UInt8], at position: TextPosition, isCut: Bool) {
        var isQuoted = false
        var nameEnd: Int?
        var colon: Int?
        for index in bytes.indices {
            let byte = bytes[index]
            if byte == 0x22 { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 0x3B, nameEnd == nil { nameEnd = index }
            if byte == 0x3A {
                colon = index
                break
            }
        }
        // A quote without an end hides the colon; the first one is taken then.
        guard var colon = colon ?? bytes.firstIndex(of: 0x3A) else { return nil }
        let end = min(nameEnd ?? colon, colon)
        name = Self.upper(bytes[..<end])
        // A time has no colon, but a zone without quotes around it may: TZID=(UTC+01:00) Berlin.
        if end < colon, Self.times.contains(name), let last = bytes.lastIndex(of: 0x3A), last > colon {
            (colon, isZoneUnquoted) = (last, true)
        } else {
            isZoneUnquoted = false
        }
        hasParameters = end < colon
        parameters = end < colon ? bytes[(end + 1)..<colon] : []
        value = bytes[(colon + 1)...]
        self.position = position
        self.isCut = isCut
    }

    private static func upper(_ bytes: ArraySlice<UInt8>) -> String {
        guard bytes.contains(where: { $0 >= 0x61 && $0 <= 0x7A }) else { return String(decoding: bytes, as: UTF8.self) }
        var bytes = Array(bytes)
        for index in bytes.indices where bytes[index] >= 0x61 && bytes[index] <= 0x7A { bytes[index] &= 0xDF }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the value of a parameter, without quotes; the name is given in upper case.
    func parameter(_ name: String) -> String? {
        for part in parts {
            guard let equals = part.firstIndex(of: 0x3D), Self.upper(part[..<equals]) == name else { continue }
            return String(decoding: part[(equals + 1)...].filter { $0 != 0x22 }, as: UTF8.self)
        }
        return nil
    }

    /// True if a parameter is empty, or has no name or no `=`.
    var hasOddParameter: Bool {
        hasParameters && parts.contains { part in part.firstIndex(of: 0x3D).map { $0 == part.startIndex } ?? true }
    }

    /// The parameters as they stand, between semicolons outside of quotes.
    private var parts: [ArraySlice<UInt8>] {
        var isQuoted = false
        return parameters.split(omittingEmptySubsequences: false) { byte in
            if byte == 0x22 { isQuoted.toggle() }
            return byte == 0x3B && !isQuoted
        }
    }

    /// The value as a word in upper case, such as `CANCELLED`.
    var word: String { Self.upper(value).trimmed }

    /// Returns the value as it stands.
    ///
    /// - Throws: `text.utf-8`, and `calendar.line` where the line was too long to be kept.
    func plain() throws(InterchangeError) -> String {
        guard !isCut else {
            let message = "\(name) has more than \(ContentLines.longest) bytes, which is the limit"
            throw InterchangeError(.calendarLine, message, at: position)
        }
        guard let text = String(validating: value, as: UTF8.self) else {
            throw InterchangeError(.invalidUTF8, "\(name) is not UTF-8; save the calendar as UTF-8", at: position)
        }
        return text
    }

    /// True if the value is encoded as vCalendar 1.0 did it.
    var isQuotedPrintable: Bool { hasParameters && parameter("ENCODING")?.uppercased() == "QUOTED-PRINTABLE" }

    /// Returns the value as a text, with its encoding and its escapes undone; a backslash that begins none stays.
    func text() throws(InterchangeError) -> String {
        let plain = try plain()
        let bytes = try decoded()
        guard bytes != value else {
            return value.contains(Self.backslash) ? Self.unescaped(value, isList: false).joined() : plain
        }
        return Self.unescaped(bytes, isList: false).joined()
    }

    /// Returns the bytes of a text, as UTF-8.
    private func decoded() throws(InterchangeError) -> ArraySlice<UInt8> {
        guard hasParameters, let encoding = parameter("ENCODING")?.uppercased(), encoding != "8BIT" else {
            return value
        }
        let bytes: [UInt8]? =
            switch encoding {
            case "QUOTED-PRINTABLE": Self.quotedPrintable(value)
            case "BASE64", "B": Data(base64Encoded: String(decoding: value, as: UTF8.self)).map { Array($0) }
            default: nil
            }
        let charset = parameter("CHARSET")?.uppercased() ?? "UTF-8"
        let isLatin = ["ISO-8859-1", "WINDOWS-1252", "LATIN1", "ISO8859-1"].contains(charset)
        guard let bytes, charset == "UTF-8" || charset == "US-ASCII" || isLatin else {
            let message = "\(name) has the encoding \(quoted(encoding)) with \(quoted(charset)), which cannot be read"
            throw InterchangeError(.calendarValue, message, at: position)
        }
        if String(validating: bytes, as: UTF8.self) != nil { return bytes[...] }
        guard isLatin, let (text, _) = Windows1252.decoded(bytes) else {
            throw InterchangeError(.invalidUTF8, "\(name) holds bytes that are not \(charset)", at: position)
        }
        return text[...]
    }

    /// Returns the bytes that quoted-printable stands for (RFC 2045, section 6.7); nil where an escape is none.
    private static func quotedPrintable(_ value: ArraySlice<UInt8>) -> [UInt8]? {
        var result: [UInt8] = []
        var rest = value
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "=") else {
                result.append(byte)
                continue
            }
            guard rest.count >= 2,
                let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            else { return nil }
            result.append(code)
            rest = rest.dropFirst(2)
        }
        return result
    }

    /// Returns the value as a list of texts, which commas separate.
    func texts() throws(InterchangeError) -> [String] {
        _ = try plain()
        return Self.unescaped(value, isList: true)
    }

    private static func unescaped(_ value: ArraySlice<UInt8>, isList: Bool) -> [String] {
        var texts: [String] = []
        var result: [UInt8] = []
        result.reserveCapacity(value.count)
        var isEscape = false
        for byte in value {
            guard isEscape else {
                isEscape = byte == backslash
                if isEscape { continue }
                if isList, byte == UInt8(ascii: ",") {
                    texts.append(String(decoding: result, as: UTF8.self))
                    result.removeAll(keepingCapacity: true)
                } else {
                    result.append(byte)
                }
                continue
            }
            isEscape = false
            switch byte {
            case UInt8(ascii: "n"), UInt8(ascii: "N"): result.append(0x0A)
            case backslash, UInt8(ascii: ";"), UInt8(ascii: ","): result.append(byte)
            default: result += [backslash, byte]
            }
        }
        if isEscape { result.append(backslash) }
        return texts + [String(decoding: result, as: UTF8.self)]
    }
}
