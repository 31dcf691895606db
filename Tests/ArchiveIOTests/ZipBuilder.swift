/// Makes zips, wrong ones above all, byte by byte; the content is stored as it is.
struct ZipBuilder {
    struct Entry {
        var name: [UInt8]
        var content: [UInt8] = Array("{}".utf8)
        /// The Unix mode, type included.
        var mode: UInt32 = 0o100644
        var flags: UInt16 = 0x0800
        var method: UInt16 = 0
        /// What is declared in place of the truth.
        var declaredSize: UInt32?
        var declaredCompressedSize: UInt32?
        var declaredChecksum: UInt32?
        var localName: [UInt8]?
        /// Points the record at the entry with that index.
        var sharesEntry: Int?

        init(_ name: String) { self.name = Array(name.utf8) }
    }

    var entries: [Entry]
    var comment: [UInt8] = []
    var declaredCount: UInt16?
    /// Bytes between the entries and the directory.
    var gap: [UInt8] = []

    init(_ names: String...) { entries = names.map(Entry.init) }

    var bytes: [UInt8] {
        var file: [UInt8] = []
        var offsets: [Int] = []
        for entry in entries {
            offsets.append(file.count)
            if entry.sharesEntry != nil { continue }
            file += [0x50, 0x4B, 3, 4] + word16(20) + fields(entry)
            file += word16(UInt16((entry.localName ?? entry.name).count)) + word16(0)
            file += (entry.localName ?? entry.name) + entry.content
        }
        file += gap
        let directory = file.count
        for (entry, offset) in zip(entries, offsets) {
            file += [0x50, 0x4B, 1, 2] + word16(0x0314) + word16(20) + fields(entry)
            file += word16(UInt16(entry.name.count)) + word16(0) + word16(0) + word16(0) + word16(0)
            file += word32(entry.mode << 16) + word32(UInt32(entry.sharesEntry.map { offsets[$0] } ?? offset))
            file += entry.name
        }
        let count = declaredCount ?? UInt16(entries.count)
        let size = file.count - directory
        file += [0x50, 0x4B, 5, 6] + word16(0) + word16(0) + word16(count) + word16(count)
        return file + word32(UInt32(size)) + word32(UInt32(directory)) + word16(UInt16(comment.count)) + comment
    }

    /// The fields that both headers share: from the flags to the size.
    private func fields(_ entry: Entry) -> [UInt8] {
        let size = UInt32(entry.content.count)
        let sizes = word32(entry.declaredCompressedSize ?? size) + word32(entry.declaredSize ?? size)
        let checksum = entry.declaredChecksum ?? crc32(entry.content)
        return word16(entry.flags) + word16(entry.method) + word16(0) + word16(0x21) + word32(checksum) + sizes
    }
}

func word16(_ value: UInt16) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
func word32(_ value: UInt32) -> [UInt8] { word16(UInt16(value & 0xFFFF)) + word16(UInt16(value >> 16)) }

/// The definition of ISO 3309, bit by bit.
func crc32(_ bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
    }
    return ~sum
}
