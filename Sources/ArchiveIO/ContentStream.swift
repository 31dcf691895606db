/// The content of a compressed file, bounded in size and ratio, and checked at its end as far as its format allows.
///
/// libarchive passes over garbage behind gzip and bzip2 data and never looks at gzip's check sums, so both are checked
/// here.
final class ContentStream: ReadFeed {
    let source: ByteSource
    let compression: ArchiveContainer.Compression
    private let limits: ArchiveLimits
    private let handle: ReadHandle
    private var head: [UInt8] = []
    private var isEmpty = false
    private var hasEnded = false
    private var produced = 0
    private var checksum = CRC32()

    init(
        _ source: ByteSource,
        _ compression: ArchiveContainer.Compression,
        limits: ArchiveLimits,
        isBeginningOnly: Bool = false
    ) throws(ArchiveError) {
        self.source = source
        self.compression = compression
        self.limits = limits
        let memory = try DecoderMemory(
            checking: source,
            compression,
            limits: limits,
            isBeginningOnly: isBeginningOnly
        )
        handle = try ReadHandle(.content(compression), feed: SourceFeed(source))
        isEmpty = try handle.nextHeader() == nil
        guard !isEmpty || !memory.hasContent else {
            throw ArchiveError(.corrupted, "the \(compression) data cannot be expanded; get an undamaged copy")
        }
        guard Magic.compression(try peek()) != compression else {
            throw ArchiveError(.nested, "the file was compressed twice; expand it once and give the result")
        }
    }

    /// Returns the first bytes of the content, which are still handed out after that.
    func peek() throws(ArchiveError) -> [UInt8] {
        guard head.isEmpty else { return head }
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Magic.length, alignment: 16)
        defer { block.deallocate() }
        while head.count < Magic.length {
            let rest = UnsafeMutableRawBufferPointer(rebasing: block[..<(Magic.length - head.count)])
            let count = try expand(into: rest)
            if count == 0 { break }
            head += rest[..<count]
        }
        return head
    }

    func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        guard !head.isEmpty else { return try expand(into: buffer) }
        let count = min(head.count, buffer.count)
        buffer.copyBytes(from: head[..<count])
        head.removeFirst(count)
        return count
    }

    private func expand(into buffer: UnsafeMutableRawBufferPointer) throws(ArchiveError) -> Int {
        if hasEnded { return 0 }
        let count = isEmpty ? 0 : try handle.read(into: buffer)
        guard count > 0 else {
            hasEnded = true
            try checkEnd()
            return 0
        }
        produced += count
        try checkSize()
        if compression == .gzip { checksum.update(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
        return count
    }

    /// Checks the size of the whole stream; headers and padding of a tar come on top of its entries.
    private func checkSize() throws(ArchiveError) {
        var bounds = limits
        bounds.totalBytes = limits.totalBytes.addingReportingOverflow(1 << 26).partialValue
        if bounds.totalBytes < limits.totalBytes { bounds.totalBytes = .max }
        try bounds.check(total: produced, from: source.size)
    }

    private func checkEnd() throws(ArchiveError) {
        let used = handle.consumed
        if compression == .gzip { try checkTrailer(used: used) }
        guard used == source.size else {
            throw ArchiveError(
                .trailing,
                "\(byteCount(source.size - used)) too many behind the compressed data; cut them off"
            )
        }
    }

    /// Checks gzip's trailer: the CRC-32 and the size of the content (RFC 1952, section 2.3.1).
    private func checkTrailer(used: Int) throws(ArchiveError) {
        let trailer = try source.bytes(at: used - 8, count: 8)
        guard trailer.count == 8, used >= 18, !(1..<8).contains(source.size - used) || isWhole(trailer) else {
            throw ArchiveError(.truncated, "the compressed data end too early; get a complete copy")
        }
        guard isWhole(trailer) else {
            let message =
                "the content is not what gzip's check sum was taken of: it is damaged, or several files were"
                + " compressed into one; expand it with gzip -dc and use the result"
            throw ArchiveError(.corrupted, message)
        }
    }

    /// Tells whether a trailer belongs to what was read.
    private func isWhole(_ trailer: [UInt8]) -> Bool {
        let words = [0, 4].map { start in
            trailer[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        return words == [checksum.value, UInt32(truncatingIfNeeded: produced)]
    }
}
