package import StrictJSON

/// Text in Windows-1252, as older programs and spreadsheets save it, made UTF-8.
package struct Windows1252 {
    /// The first word with a character that is none of ASCII's, for a person to check.
    let sample: String
    /// The line where that word stands.
    package let position: TextPosition

    /// Decodes a source that is Windows-1252, and rewinds it.
    ///
    /// - Returns: The source itself and nil where it is UTF-8, or neither; else the text as UTF-8.
    static func decoding(_ source: JSONByteSource) throws -> (source: JSONByteSource, found: Windows1252?) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var scan = Scan()
        while true {
            let count = try source.read(buffer)
            guard count > 0 else { break }
            scan.take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        try source.rewind()
        guard let found = scan.result else { return (source, nil) }
        return (transcoded(source), found)
    }

    /// Returns the bytes as UTF-8 where they are Windows-1252; else nil.
    package static func decoded(_ bytes: [UInt8]) -> (bytes: [UInt8], found: Windows1252)? {
        var scan = Scan()
        bytes.withUnsafeBytes { scan.take($0) }
        return scan.result.map { found in (bytes.flatMap { utf8($0) }, found) }
    }

    /// The message about such a file.
    package var message: String {
        "the file is not UTF-8; it is read as Windows-1252: check names such as \(quoted(sample)), or save it as UTF-8"
    }

    private static func transcoded(_ source: JSONByteSource) -> JSONByteSource {
        JSONByteSource(
            read: { buffer in
                guard buffer.count >= 3 else { return 0 }
                // A character takes at most three bytes.
                let room = UnsafeMutableRawBufferPointer.allocate(byteCount: buffer.count / 3, alignment: 16)
                defer { room.deallocate() }
                let count = try source.read(room)
                var written = 0
                for byte in room[..<count] {
                    for unit in utf8(byte) {
                        buffer[written] = unit
                        written += 1
                    }
                }
                return written
            },
            rewind: source.rewind
        )
    }

    private static func utf8(_ byte: UInt8) -> [UInt8] {
        if byte < 0x80 { return [byte] }
        let value = (0x80..<0xA0).contains(byte) ? high[Int(byte) - 0x80] : UInt32(byte)
        return Unicode.Scalar(value).map { Array(String($0).utf8) } ?? []
    }

    /// The characters of 0x80 to 0x9F; 0 where there is none.
    private static let high: [UInt32] = [
        0x20AC, 0, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
        0, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E,
        0x0178,
    ]

    /// Tells by all bytes of a text what it is: Windows-1252 is what has bytes that UTF-8 does not, no sequence that is UTF-8's,
    /// and only characters that a text has.
    private struct Scan {
        private var isText = true
        /// The bytes of a character in UTF-8 that are still to come.
        private var expected = 0
        private var hasUTF8 = false
        private var hasOther = false
        private var line = 1
        private var offset = 0
        private var word: [UInt8] = []
        private var found: Windows1252?

        mutating func take(_ bytes: UnsafeRawBufferPointer) {
            for byte in bytes {
                defer { offset += 1 }
                if byte >= 0x80 {
                    takeHigh(byte)
                } else {
                    if expected > 0 { (expected, hasOther) = (0, true) }
                    if byte < 0x20, byte != 0x09, byte != 0x0A, byte != 0x0D { isText = false }
                }
                // Quotes and what separates words, rows and elements.
                if byte <= 0x20 || [0x22, 0x2C, 0x3B, 0x3C, 0x3E].contains(byte) {
                    noteWord()
                    word.removeAll(keepingCapacity: true)
                    if byte == 0x0A { line += 1 }
                } else if word.count < 40 {
                    word.append(byte)
                }
            }
        }

        private mutating func takeHigh(_ byte: UInt8) {
            if byte < 0xA0, high[Int(byte) - 0x80] == 0 { isText = false }
            if expected > 0, byte & 0xC0 == 0x80 {
                expected -= 1
                if expected == 0 { hasUTF8 = true }
                return
            }
            if expected > 0 { hasOther = true }
            switch byte {
            case 0xC2...0xDF: expected = 1
            case 0xE0...0xEF: expected = 2
            case 0xF0...0xF4: expected = 3
            default: (expected, hasOther) = (0, true)
            }
        }

        private mutating func noteWord() {
            guard found == nil, word.contains(where: { $0 >= 0x80 }) else { return }
            let text = String(decoding: word.flatMap { utf8($0) }, as: UTF8.self)
            found = Windows1252(sample: text, position: TextPosition(offset: offset, line: line, column: 1))
        }

        /// The encoding's evidence, once all of the text was taken; nil where the text is not Windows-1252.
        var result: Windows1252? {
            var scan = self
            scan.noteWord()
            return isText && !hasUTF8 && (hasOther || expected > 0) ? scan.found : nil
        }
    }
}
