/// Makes tars (POSIX ustar), wrong ones above all, byte by byte.
struct TarBuilder {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8] = Array("{}".utf8)
        var type: Character = "0"
        var link = ""
        var declaredSize: Int?

        init(_ name: String, type: Character = "0", link: String = "") {
            self.name = Array(name.utf8)
            self.type = type
            self.link = link
            if type != "0" { content = [] }
        }
    }

    var entries: [Entry]
    /// The blocks of zeros at the end; two make an end.
    var endBlocks = 2

    init(_ names: String...) { entries = names.map { Entry($0) } }

    var bytes: [UInt8] {
        var file: [UInt8] = []
        for entry in entries {
            file += header(entry) + entry.content
            file += Array(repeating: 0, count: (512 - entry.content.count % 512) % 512)
        }
        return file + Array(repeating: 0, count: endBlocks * 512)
    }

    private func header(_ entry: Entry) -> [UInt8] {
        var block = [UInt8](repeating: 0, count: 512)
        func put(_ bytes: some Collection<UInt8>, at start: Int) {
            block.replaceSubrange(start..<start + bytes.count, with: bytes)
        }
        put(entry.name.prefix(100), at: 0)
        put("0000644\0".utf8, at: 100)
        put("0000000\0".utf8, at: 108)
        put("0000000\0".utf8, at: 116)
        put(octal(entry.declaredSize ?? entry.content.count, digits: 11), at: 124)
        put(octal(0, digits: 11), at: 136)
        put("        ".utf8, at: 148)
        put(String(entry.type).utf8, at: 156)
        put(entry.link.utf8, at: 157)
        put("ustar\u{0}00".utf8, at: 257)
        let sum = block.reduce(0) { $0 + Int($1) }
        put(octal(sum, digits: 6) + [0x20], at: 148)
        return block
    }

    private func octal(_ value: Int, digits: Int) -> [UInt8] {
        let text = String(value, radix: 8)
        return Array((String(repeating: "0", count: digits - text.count) + text).utf8) + (digits == 6 ? [0] : [0])
    }
}

/// gzip of one stored block (RFC 1951, section 3.2.4).
func gzip(_ content: [UInt8], checksum: UInt32? = nil, size: UInt32? = nil) -> [UInt8] {
    let count = UInt16(content.count)
    var bytes: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1] + word16(count) + word16(~count) + content
    bytes += word32(checksum ?? crc32(content)) + word32(size ?? UInt32(content.count))
    return bytes
}

/// Zstandard of one raw block (RFC 8878, section 3.1.1).
func zstd(_ content: [UInt8]) -> [UInt8] {
    let header = UInt32(content.count) << 3 | 1
    return [0x28, 0xB5, 0x2F, 0xFD, 0x00, 0x58] + word32(header).dropLast() + content
}
