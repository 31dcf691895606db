/// The central directory of a zip, read and checked without the library.
///
/// libarchive reads a zip that was cut off as one with fewer entries, takes what a directory says about sizes for
/// granted until the data end, and lets entries share their bytes. So the directory is held against the file first:
/// it must end where the file ends, and the entries must lie side by side from the first byte up to it. Layout: PKWARE
/// APPNOTE 6.3.10, sections 4.3 and 4.4.
struct ZipDirectory {
    struct Entry {
        let name: [UInt8]
        let flags: Int
        let method: Int
        let compressedSize: Int
        let size: Int
        let offset: Int

        /// True if the sizes stand behind the data.
        var hasDescriptor: Bool { flags & 0x08 != 0 }
        var isEncrypted: Bool { flags & 0x2041 != 0 || method == 99 }
        var shownName: String { String(decoding: name.prefix(200), as: UTF8.self) }
    }

    private(set) var entries: [Entry] = []

    /// The largest directory that is read: ten thousand entries take about one MiB.
    private static let largest = 1 << 26
    private static let methods: Set<Int> = [0, 8, 12, 14, 93, 95]

    init(_ source: ByteSource, limits: ArchiveLimits) throws(ArchiveError) {
        let end = try ZipEnd(source)
        guard end.entryCount <= limits.entryCount else {
            throw ArchiveError(
                .entryCount,
                "the archive has \(end.entryCount) entries; the limit is \(limits.entryCount)"
            )
        }
        guard end.directorySize <= Self.largest else { throw Self.damaged("its directory is too large") }
        let bytes = try source.bytes(at: end.directoryOffset, count: end.directorySize)
        guard bytes.count == end.directorySize else { throw Self.damaged("its directory lies beyond its end") }
        entries = try Self.records(LittleEndianFields(bytes), count: end.entryCount)
        try checkSizes(limits, sourceBytes: source.size)
        try checkPlaces(in: source, end: end.directoryOffset)
    }

    static func damaged(_ what: String, entry: String? = nil) -> ArchiveError {
        ArchiveError(.corrupted, "the zip contradicts itself: \(what); get an undamaged copy", entry: entry)
    }

    private static func records(_ fields: LittleEndianFields, count: Int) throws(ArchiveError) -> [Entry] {
        var entries: [Entry] = []
        var start = 0
        for _ in 0..<count {
            guard let record = fields.slice(start, fields.count - start),
                let (entry, length) = record.starts(with: [0x50, 0x4B, 1, 2]) ? entry(LittleEndianFields(record)) : nil
            else { throw damaged("a record of its directory cannot be read") }
            guard !entry.isEncrypted else {
                throw ArchiveError(
                    .encrypted,
                    "the entry is encrypted; unpack it with its password and pack it again without",
                    entry: entry.shownName
                )
            }
            guard methods.contains(entry.method) else {
                let message = "the entry is compressed by method \(entry.method), which is not read; use deflate"
                throw ArchiveError(.unsupported, message, entry: entry.shownName)
            }
            entries.append(entry)
            start += length
        }
        guard start == fields.count else { throw damaged("there is more in its directory than it says") }
        return entries
    }

    /// Returns the entry of a record, and the record's length.
    private static func entry(_ record: LittleEndianFields) -> (Entry, Int)? {
        guard let nameLength = record.word16(28), let extraLength = record.word16(30),
            let commentLength = record.word16(32), let flags = record.word16(8), let method = record.word16(10),
            var compressedSize = record.word32(20), var size = record.word32(24), var offset = record.word32(42),
            let name = record.slice(46, nameLength), let extra = record.slice(46 + nameLength, extraLength),
            record.slice(46, nameLength + extraLength + commentLength) != nil
        else { return nil }
        if [size, compressedSize, offset].contains(0xFFFF_FFFF) {
            guard let wide = zip64(LittleEndianFields(extra)) else { return nil }
            var place = 0
            func widen(_ value: inout Int) -> Bool {
                guard value == 0xFFFF_FFFF else { return true }
                guard let number = wide.word64(place) else { return false }
                value = number
                place += 8
                return true
            }
            guard widen(&size), widen(&compressedSize), widen(&offset) else { return nil }
        }
        let entry = Entry(
            name: Array(name),
            flags: flags,
            method: method,
            compressedSize: compressedSize,
            size: size,
            offset: offset
        )
        return (entry, 46 + nameLength + extraLength + commentLength)
    }

    /// Returns the extra field with numbers of 64 bits.
    private static func zip64(_ extra: LittleEndianFields) -> LittleEndianFields? {
        var start = 0
        while let identifier = extra.word16(start), let length = extra.word16(start + 2) {
            guard let content = extra.slice(start + 4, length) else { return nil }
            if identifier == 1 { return LittleEndianFields(content) }
            start += 4 + length
        }
        return nil
    }
}

extension ZipDirectory {
    /// Holds what the entries declare against the limits before anything is expanded.
    private func checkSizes(_ limits: ArchiveLimits, sourceBytes: Int) throws(ArchiveError) {
        var total = 0
        for entry in entries {
            try limits.check(entryBytes: entry.size, of: entry.shownName)
            guard entry.method != 0 || entry.size == entry.compressedSize else {
                throw ArchiveError(
                    .sizeMismatch,
                    "the entry is stored as it is, yet the archive gives two sizes for it; get an undamaged copy",
                    entry: entry.shownName
                )
            }
            let (sum, overflow) = total.addingReportingOverflow(entry.size)
            total = overflow ? .max : sum
            try limits.check(total: total, from: sourceBytes)
        }
    }

    /// Checks that each entry lies where its record says and that together they fill the file.
    private func checkPlaces(in source: ByteSource, end: Int) throws(ArchiveError) {
        var place = 0
        var slack = 0
        for entry in entries.sorted(by: { $0.offset < $1.offset }) {
            guard entry.offset >= place else {
                let message = "the entry shares bytes with the one before it, as bombs do"
                throw ArchiveError(.overlap, message, entry: entry.shownName)
            }
            guard entry.offset - place <= slack else {
                throw Self.damaged("there are bytes that belong to no entry", entry: entry.shownName)
            }
            let header = LittleEndianFields(try source.bytes(at: entry.offset, count: 30 + entry.name.count))
            guard header.slice(0, 4)?.elementsEqual([0x50, 0x4B, 3, 4]) == true,
                let nameLength = header.word16(26), let extraLength = header.word16(28)
            else { throw Self.damaged("the entry is not where the directory says", entry: entry.shownName) }
            guard header.slice(30, nameLength)?.elementsEqual(entry.name) == true else {
                throw Self.damaged("the entry has two names", entry: entry.shownName)
            }
            let start = entry.offset + 30 + nameLength + extraLength
            guard start <= end, entry.compressedSize <= end - start else {
                let message = "the entry would go on beyond the end of the data; get an undamaged copy"
                throw ArchiveError(.sizeMismatch, message, entry: entry.shownName)
            }
            place = start + entry.compressedSize
            slack = entry.hasDescriptor ? 24 : 0
        }
        guard end - place <= slack else { throw Self.damaged("there are bytes that belong to no entry") }
    }
}
