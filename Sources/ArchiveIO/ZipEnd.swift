/// The record at the end of a zip, which says where its directory is.
struct ZipEnd {
    let entryCount: Int
    let directoryOffset: Int
    let directorySize: Int

    private static let length = 22
    /// The longest comment, which libarchive limits as well.
    private static let longestComment = (1 << 14) - length

    /// Finds the record: it must be the last thing in the file.
    init(_ source: ByteSource) throws(ArchiveError) {
        let tailCount = min(source.size, Self.length + Self.longestComment)
        let tail = try source.bytes(at: source.size - tailCount, count: tailCount)
        guard let start = Self.lastRecord(tail) else {
            throw ArchiveError(
                .truncated,
                "the zip has no directory at its end, so it was cut off; get a complete copy"
            )
        }
        let fields = LittleEndianFields(tail[start...])
        guard let disk = fields.word16(4), let directoryDisk = fields.word16(6), let countHere = fields.word16(8),
            let count = fields.word16(10), let size = fields.word32(12), let offset = fields.word32(16),
            let commentLength = fields.word16(20)
        else { throw ZipDirectory.damaged("the record at its end is incomplete") }
        let excess = fields.count - Self.length - commentLength
        guard excess <= 0 else {
            throw ArchiveError(.trailing, "\(byteCount(excess)) too many behind the end of the zip; cut them off")
        }
        guard excess == 0 else {
            throw ArchiveError(.truncated, "the comment of the zip was cut off; get a complete copy")
        }

        let place = source.size - tailCount + start
        var end = place
        // Info-ZIP writes the wide record also where the numbers would fit.
        if let wide = try Self.wideRecord(source, before: place) {
            (end, entryCount, directorySize, directoryOffset) = wide
        } else {
            guard disk == 0, directoryDisk == 0, countHere == count else {
                throw ArchiveError(.unsupported, "the zip is split into several files; join them first (zip -s 0)")
            }
            (entryCount, directorySize, directoryOffset) = (count, size, offset)
        }
        guard directoryOffset <= end, directorySize == end - directoryOffset else {
            throw ZipDirectory.damaged("its directory is not where its last record says")
        }
    }

    private static func lastRecord(_ tail: [UInt8]) -> Int? {
        guard tail.count >= length else { return nil }
        return (0...tail.count - length).last { tail[$0...].starts(with: [0x50, 0x4B, 5, 6]) }
    }

    /// Returns the place of the record with numbers of 64 bits, and the directory's entries, size and place.
    private static func wideRecord(
        _ source: ByteSource,
        before place: Int
    ) throws(ArchiveError) -> (Int, Int, Int, Int)? {
        let locator = LittleEndianFields(try source.bytes(at: place - 20, count: 20))
        guard place >= 20, locator.slice(0, 4)?.elementsEqual([0x50, 0x4B, 6, 7]) == true else { return nil }
        guard let start = locator.word64(8), start <= place - 20 else {
            throw ZipDirectory.damaged("the record of its 64-bit sizes is not where it should be")
        }
        let record = LittleEndianFields(try source.bytes(at: start, count: 56))
        guard record.slice(0, 4)?.elementsEqual([0x50, 0x4B, 6, 6]) == true, let length = record.word64(4),
            length == place - 20 - start - 12, let disk = record.word32(16), let directoryDisk = record.word32(20),
            let count = record.word64(32), let size = record.word64(40), let offset = record.word64(48)
        else { throw ZipDirectory.damaged("the record of its 64-bit sizes cannot be read") }
        guard disk == 0, directoryDisk == 0 else {
            throw ArchiveError(.unsupported, "the zip is split into several files; join them first (zip -s 0)")
        }
        return (start, count, size, offset)
    }
}
