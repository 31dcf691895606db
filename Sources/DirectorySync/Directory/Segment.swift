package import RecordMerge

/// What a reader of segments accepts at most; a writer reads what it wrote with the same limits.
package struct SegmentLimits: Sendable {
    /// Bytes of the expanded segment, which is read line by line: a limit of time, not of memory.
    package var mostBytes = 1 << 28
    /// Limits of the change in it.
    package var merge = MergeLimits()

    /// The limits that programs use.
    package init() {}
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
}

/// Writes and reads segments.
package struct SegmentCoder: Sendable {
    let compression: any Compression

    /// A coder that compresses so.
    package init(_ compression: any Compression) { self.compression = compression }

    /// Returns the bytes of the file: the header's line and the change's, compressed.
    ///
    /// - Throws: ``CompressionError`` where the library cannot be used.
    package func encode(_ segment: Segment) throws -> [UInt8] {
        let compressor = try compression.makeCompressor()
        var bytes: [UInt8] = []
        let take = { (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }
        try (segment.header.encoded() + [UInt8(ascii: "\n")]).withUnsafeBytes { try compressor.write($0, to: take) }
        try segment.change.write { try compressor.write($0, to: take) }
        try compressor.finish(take)
        return bytes
    }

    /// Reads the bytes of a file whose hash was right.
    ///
    /// - Throws: Whatever is wrong with them, with its line; any bytes may be given.
    package func decode(_ bytes: [UInt8], limits: SegmentLimits = SegmentLimits()) throws(SegmentError) -> Segment {
        var header: SegmentHeader?
        var records: [ChangedRecord] = []
        do {
            try read(bytes, limits: limits) {
                header = $0
            } record: {
                records.append($0)
            }
        } catch let error as SegmentError {
            throw error
        } catch {
            throw SegmentError.corrupt(0, "\(error)")
        }
        guard let header else { throw SegmentError.corrupt(1, "found no end of the line") }
        return Segment(header, Change(header.stamp, base: header.base, records: records))
    }

    /// Reads a segment line by line, in memory that does not grow with it.
    ///
    /// Only when it returns all of the segment has been checked.
    ///
    /// - Parameters:
    ///   - take: Takes the header.
    ///   - record: Takes each record of the change.
    /// - Throws: `SegmentError` for whatever is wrong, with its line; any bytes may be given. What the functions throw.
    package func read(
        _ bytes: [UInt8],
        limits: SegmentLimits = SegmentLimits(),
        header take: (SegmentHeader) throws -> Void = { _ in },
        record: (ChangedRecord) throws -> Void = { _ in }
    ) throws {
        var reader = ChangeReader(limits: limits.merge)
        var header: SegmentHeader?
        var number = 0
        do {
            let text = try compression.makeExpander(of: .bytes(bytes), limit: limits.mostBytes, isBeginningOnly: false)
            try LineStream(text, limit: limits.merge.mostChangeBytes).forEach { line in
                number += 1
                if number == 1 {
                    header = try HeaderReader(Array(line)).segment()
                } else if number == 2, let header {
                    try header.check(reader.header(line, number: number))
                    try take(header)
                } else {
                    guard let header, number - 2 <= header.records else {
                        throw SegmentError.corrupt(number, "found more than the records that the header counts")
                    }
                    try record(reader.record(line, number: number))
                }
            }
        } catch let error as MergeDataError {
            throw SegmentError.corrupt(error.line, error.message)
        } catch let error as CompressionError {
            throw SegmentError.corrupt(0, error.message)
        }
        guard number > 0 else { throw SegmentError.corrupt(1, "found no end of the line") }
        guard number > 1 else { throw SegmentError.corrupt(2, "found the end, expected the header of a change") }
        guard let header, number - 2 == header.records else {
            throw SegmentError.corrupt(number + 1, "found the end, expected a record")
        }
    }

    /// Whether bytes are a segment that this program can use.
    func isSound(_ bytes: [UInt8]) -> Bool { (try? read(bytes)) != nil }

    /// The header of a segment, without looking at the rest of it.
    package func header(of bytes: [UInt8]) throws(SegmentError) -> SegmentHeader {
        let line: [UInt8]?
        do throws(CompressionError) {
            line = try firstLine(of: bytes)
        } catch {
            throw SegmentError.corrupt(0, error.message)
        }
        guard let line else { throw SegmentError.corrupt(1, "found no end of the line") }
        return try HeaderReader(line).segment()
    }

    /// The first line without its line feed; nil where there is no whole line.
    private func firstLine(of bytes: [UInt8]) throws(CompressionError) -> [UInt8]? {
        let limit = SegmentLimits().mostBytes
        let reader = try compression.makeExpander(of: .bytes(bytes), limit: limit, isBeginningOnly: true)
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
}

extension SegmentHeader {
    /// The change's name and clock.
    package var stamp: Stamp { Stamp(dot, clock) }

    /// Whether it says what the change's own header says.
    fileprivate func check(_ change: (stamp: Stamp, base: VersionVector, count: Int)) throws(SegmentError) {
        guard stamp == change.stamp else {
            throw SegmentError.corrupt(2, "the change is not the one that the header names")
        }
        guard base == change.base, heads.count == change.base.entries.count else {
            throw SegmentError.corrupt(2, "the change has another base than the header's heads")
        }
        guard records == change.count else {
            throw SegmentError.corrupt(2, "the change has \(change.count) records, the header \(records)")
        }
        let before = heads.first { $0.dot.writer == writer }
        guard previous.map({ before?.names($0) ?? false }) ?? (before == nil) else {
            throw SegmentError.corrupt(1, "the head of the writer is not the previous segment")
        }
    }
}
