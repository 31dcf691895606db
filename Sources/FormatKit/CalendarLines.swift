package import CivilTime

/// Content lines of iCalendar (RFC 5545), escaped and folded.
package struct CalendarLines {
    /// The lines so far, each with CRLF at its end.
    package private(set) var bytes: [UInt8] = []

    /// The most octets of a line without its end.
    private static let longest = 75

    package init() {}

    /// Forgets the lines so far, so that the next ones can be handed on.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// Adds a line whose value needs no escapes.
    package mutating func add(_ name: String, _ value: String) {
        var room = Self.longest
        for var part in [name, ":", value] {
            part.withUTF8 { fold($0, &room) }
        }
        bytes.append(13)
        bytes.append(10)
    }

    /// Appends a part of a line, with a break before each character that would be too much.
    private mutating func fold(_ part: UnsafeBufferPointer<UInt8>, _ room: inout Int) {
        if part.count <= room {
            bytes.append(contentsOf: part)
            room -= part.count
            return
        }
        var start = 0
        while start < part.count {
            var end = start + 1
            while end < part.count, part[end] & 0xC0 == 0x80 { end += 1 }
            if end - start > room {
                bytes.append(contentsOf: [13, 10, 32])
                room = Self.longest - 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: part[start..<end]))
            room -= end - start
            start = end
        }
    }

    /// Adds a line whose value is a text, and escapes it.
    ///
    /// Control characters that no text may have are left out.
    package mutating func add(_ name: String, text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            byte >= 0x20 && byte != 0x7F && byte != UInt8(ascii: "\\") && byte != UInt8(ascii: ";")
                && byte != UInt8(ascii: ",")
        }
        add(name, isPlain ? text : Self.escaped(text))
    }

    private static func escaped(_ text: String) -> String {
        var value = String.UnicodeScalarView()
        for scalar in shown(text).unicodeScalars {
            switch scalar {
            case "\\", ";", ",": value.append(contentsOf: ["\\", scalar])
            case "\n": value.append(contentsOf: ["\\", "n"])
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    /// Returns a text as calendars show it: each line end is a line feed, and other control characters are left out.
    package static func shown(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 || $0 == 0x0A }) { return text }
        var value = String.UnicodeScalarView()
        for scalar in text.replacing("\r\n", with: "\n").unicodeScalars {
            switch scalar {
            case "\r": value.append("\n")
            case "\t", "\n": value.append(scalar)
            case "\0"..."\u{1F}", "\u{7F}": continue
            default: value.append(scalar)
            }
        }
        return String(value)
    }

    /// Returns a moment in UTC as `20260301T063000Z`; fractions of a second are left out.
    package static func utc(_ moment: Timestamp) -> String {
        let text = Timestamp(seconds: moment.seconds).description
        return text.filter { $0 != "-" && $0 != ":" }
    }
}
