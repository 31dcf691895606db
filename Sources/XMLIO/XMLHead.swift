internal import StrictJSON

/// Reads the encoding from the first bytes of a text.
///
/// Only UTF-8 is read, as in every format of the toolkit; the error for another encoding names it.
enum XMLHead {
    /// Returns the number of bytes of the byte order mark.
    ///
    /// - Throws: `xml.encoding` where the text is, or declares to be, in another encoding.
    static func byteOrderMark(_ head: UnsafeBufferPointer<UInt8>) throws(XMLError) -> Int {
        let start = TextPosition(offset: 0, line: 1, column: 1)
        if let name = foreign(head) {
            throw XMLError(.encoding, "the text is in \(name); convert it to UTF-8", at: start)
        }
        let mark = head.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let text = UnsafeBufferPointer(rebasing: head[mark...])
        if let name = declared(text), !["utf-8", "utf8", "us-ascii", "ascii"].contains(name.lowercased()) {
            let message = "the text declares the encoding \"\(name)\"; convert it to UTF-8, and the declaration with it"
            throw XMLError(.encoding, message, at: start)
        }
        return mark
    }

    /// Returns the encoding that the first bytes show, by their mark or by how '<' looks in it.
    private static func foreign(_ head: UnsafeBufferPointer<UInt8>) -> String? {
        let known: [(name: String, magic: [UInt8])] = [
            ("UTF-32", [0x00, 0x00, 0xFE, 0xFF]), ("UTF-32", [0xFF, 0xFE, 0x00, 0x00]),
            ("UTF-32 without a byte order mark", [0x00, 0x00, 0x00, 0x3C]),
            ("UTF-32 without a byte order mark", [0x3C, 0x00, 0x00, 0x00]),
            ("UTF-16", [0xFE, 0xFF]), ("UTF-16", [0xFF, 0xFE]),
            ("UTF-16 without a byte order mark", [0x00, 0x3C]), ("UTF-16 without a byte order mark", [0x3C, 0x00]),
            ("EBCDIC", [0x4C, 0x6F, 0xA7, 0x94]),
        ]
        return known.first { head.starts(with: $0.magic) }?.name
    }

    /// Returns the name behind `encoding=` in the XML declaration, cut where it is long.
    private static func declared(_ text: UnsafeBufferPointer<UInt8>) -> String? {
        guard text.starts(with: "<?xml".utf8) else { return nil }
        let declaration = String(decoding: text.prefix(1000).prefix { $0 != UInt8(ascii: ">") }, as: UTF8.self)
        guard let range = declaration.firstRange(of: "encoding") else { return nil }
        let value = declaration[range.upperBound...].drop { " \t\r\n=".contains($0) }
        guard let quote = value.first, quote == "\"" || quote == "'" else { return nil }
        let name = value.dropFirst().prefix { $0 != quote }.prefix(40)
        return String(String.UnicodeScalarView(name.unicodeScalars.filter { (0x20..<0x7F).contains($0.value) }))
    }
}
