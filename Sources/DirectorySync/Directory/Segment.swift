internal import ArchiveIO
package import RecordMerge

/// What a reader of segments accepts at most.
package struct SegmentLimits: Sendable {
    /// Bytes of the expanded segment.
    package var mostBytes = 1 << 31
    /// Limits of the change in it.
    package var merge = MergeLimits()

    /// The limits that programs use.
    package init() {}

    var archive: ArchiveLimits {
        var limits = ArchiveLimits()
        limits.totalBytes = mostBytes
        return limits
    }
}

/// One change with what is to know of it: the content of a file of the shared directory.
package struct Segment: Sendable, Hashable {
    /// What it says of itself.
    package let header: SegmentHeader
    /// The change.
    package let change: Change

    /// A segment.
    package init(_ header: SegmentHeader, _ change: Change) {
        self.header = header
        self.change = change
    }

    /// The bytes of the file: the header's line and the change's, compressed.
    ///
    /// - Throws: `ArchiveError` where the library cannot be used.
    package func encoded() throws -> [UInt8] {
        let writer = try ZstdWriter()
        var bytes: [UInt8] = []
        let take = { (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }
        try (header.encoded() + [UInt8(ascii: "\n")]).withUnsafeBytes { try writer.write($0, to: take) }
        try change.write { try writer.write($0, to: take) }
        try writer.finish(take)
        return bytes
    }

    /// Reads the bytes of a file whose hash was right.
    ///
    /// - Throws: Whatever is wrong with them, with its line; any bytes may be given.
    package init(decoding bytes: [UInt8], limits: SegmentLimits = SegmentLimits()) throws(SegmentError) {
        let text = try Self.expanded(bytes, limits)
        guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else {
            throw SegmentError.corrupt(1, "found no end of the line")
        }
        let header = try HeaderReader(Array(text[..<end])).segment()
        let change: Change
        do throws(MergeDataError) {
            change = try Change(decoding: Array(text[(end + 1)...]), limits: limits.merge)
        } catch {
            throw SegmentError.corrupt(error.line + 1, error.message)
        }
        self.init(header, change)
        try check()
    }

    /// The header of a segment, without looking at the rest of it.
    package static func header(of bytes: [UInt8]) throws(SegmentError) -> SegmentHeader {
        let line: [UInt8]?
        do throws(ArchiveError) {
            line = try firstLine(of: bytes)
        } catch {
            throw SegmentError.corrupt(0, error.message)
        }
        guard let line else { throw SegmentError.corrupt(1, "found no end of the line") }
        return try HeaderReader(line).segment()
    }

    /// The first line without its line feed; nil where there is no whole line.
    private static func firstLine(of bytes: [UInt8]) throws(ArchiveError) -> [UInt8]? {
        let reader = try ZstdReader(.bytes(bytes), limits: SegmentLimits().archive)
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
        defer { block.deallocate() }
        var line: [UInt8] = []
        while line.count <= HeaderReader.mostBytes {
            let count = try reader.read(into: block)
            if count == 0 { return nil }
            let end = block[..<count].firstIndex(of: UInt8(ascii: "\n"))
            line.append(contentsOf: block[..<(end ?? count)])
            if end != nil { break }
        }
        return line
    }

    private static func expanded(_ bytes: [UInt8], _ limits: SegmentLimits) throws(SegmentError) -> [UInt8] {
        do throws(ArchiveError) {
            return try ZstdCoding.expanded(bytes, limits: limits.archive)
        } catch {
            throw SegmentError.corrupt(0, error.message)
        }
    }

    /// Whether the header says what the change is.
    private func check() throws(SegmentError) {
        guard header.dot == change.stamp.dot, header.clock == change.stamp.clock else {
            throw SegmentError.corrupt(2, "the change is not the one that the header names")
        }
        guard header.base == change.base, header.heads.count == change.base.entries.count else {
            throw SegmentError.corrupt(2, "the change has another base than the header's heads")
        }
        guard header.records == change.records.count else {
            throw SegmentError.corrupt(
                2,
                "the change has \(change.records.count) records, the header \(header.records)"
            )
        }
        let before = header.heads.first { $0.dot.writer == header.writer }?.hash
        guard before == header.previous.map({ String($0.prefix(ContentHash.shortLength)) }) else {
            throw SegmentError.corrupt(1, "the head of the writer is not the previous segment")
        }
    }
}
