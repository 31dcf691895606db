package import RecordMerge

/// The limits of a reader of segments; a writer reads its own files back with the same limits.
package struct SegmentLimits: Sendable {
    /// The most bytes of an expanded segment; reading is line by line, so it limits time, not memory.
    package var mostBytes = 1 << 28
    /// The limits of the change in it.
    package var merge = MergeLimits()

    /// Makes the limits that programs use.
    package init() {}
}

/// A change with its header: the content of a file of the shared directory.
package struct Segment: Sendable, Hashable {
    /// The header.
    package let header: SegmentHeader
    /// The change.
    package let change: Change

    /// Makes a segment.
    package init(_ header: SegmentHeader, _ change: Change) {
        self.header = header
        self.change = change
    }
}

/// Writes and reads segments.
package struct SegmentCoder: Sendable {
    let compression: any Compression

    /// Makes a coder with a compression.
    package init(_ compression: any Compression) { self.compression = compression }

    /// Returns the bytes of the file: the header's line and the change's, compressed.
    ///
    /// - Parameter plain: Plain records of the change, beside its own.
    /// - Throws: ``CompressionError`` where the library cannot be used.
    package func encode(_ segment: Segment, with plain: PlainLines? = nil) throws -> [UInt8] {
        let compressor = try compression.makeCompressor()
        var bytes: [UInt8] = []
        let take = { (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }
        try (segment.header.encoded() + [UInt8(ascii: "\n")]).withUnsafeBytes { try compressor.write($0, to: take) }
        try segment.change.write(with: plain) { try compressor.write($0, to: take) }
        try compressor.finish(take)
        return bytes
    }

    /// Reads the bytes of a file with a verified hash.
    ///
    /// - Throws: The first fault, with its line. Any bytes may be given.
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

    /// Reads a segment line by line, in constant memory.
    ///
    /// The segment is checked completely only when the function returns.
    ///
    /// - Parameters:
    ///   - take: Takes the header.
    ///   - isMeant: Returns whether a line of a record is decoded; other lines are only counted.
    ///   - written: The plain lines that the segment was made of, where its writer reads it back.
    ///   - isChecked: Whether the bytes are known to be a segment: then `plain` takes the lines of all created records.
    ///   - plain: Takes the line of a plain record, which was checked; returns false to get the record.
    ///   - record: Takes each decoded record of the change; nil to check the records only.
    /// - Throws: `SegmentError` for the first fault, with its line; the errors of the functions. Any bytes may be
    ///   given.
    package func read(
        _ bytes: [UInt8],
        limits: SegmentLimits = SegmentLimits(),
        header take: (SegmentHeader) throws -> Void = { _ in },
        isMeant: ((UnsafeRawBufferPointer) throws -> Bool)? = nil,
        isChecked: Bool = false,
        returning written: PlainLines? = nil,
        plain: ((RecordKey, UnsafeRawBufferPointer) throws -> Bool)? = nil,
        record: ((ChangedRecord) throws -> Void)? = nil
    ) throws {
        var reader = ChangeReader(limits: limits.merge, returning: written)
        var decoder = LineDecoder(limits: limits.merge)
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
                    guard try isMeant?(line) ?? true else { return }
                    if isChecked, let plain, let key = LineOutline.created(by: line), try plain(key, line) { return }
                    if let record, plain == nil || isChecked {
                        return try record(reader.record(line, number: number))
                    }
                    switch try reader.line(line, number: number) {
                    case .plain(let key, _):
                        guard let record, try plain?(key, line) != true else { return }
                        try record(decoder.changedRecord(line, number: number))
                    case .record(let changed): try record?(changed)
                    }
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
        guard reader.isComplete else { throw SegmentError.corrupt(0, "a line is not as it was written") }
    }

    /// Reads the records with some keys, and passes over the lines of all others.
    ///
    /// It is for a segment that was checked when it was applied: of a large change that a page needs one record of,
    /// nothing else is decoded.
    ///
    /// - Returns: The header, and the records by key.
    /// - Throws: `SegmentError` for the first fault in what is read.
    package func records(
        _ keys: Set<RecordKey>,
        in bytes: [UInt8]
    ) throws -> (header: SegmentHeader, records: [RecordKey: ChangedRecord]) {
        var header: SegmentHeader?
        var records: [RecordKey: ChangedRecord] = [:]
        let heads = Set(keys.compactMap { LineOutline.head(of: $0) })
        try read(bytes) {
            header = $0
        } isMeant: { line in
            LineOutline.head(of: line).map(heads.contains) ?? true
        } record: { record in
            if keys.contains(record.key) { records[record.key] = record }
        }
        guard let header else { throw SegmentError.corrupt(1, "found no end of the line") }
        return (header, records)
    }

    /// Returns whether bytes are a segment that this program can use.
    func isSound(_ bytes: [UInt8]) -> Bool { (try? read(bytes)) != nil }

    /// Returns whether a segment that was just made can be used, and has its plain lines as they were written.
    func isSound(_ bytes: [UInt8], returning written: PlainLines?) -> Bool {
        (try? read(bytes, returning: written)) != nil
    }

    /// Returns the header of a segment, without reading the rest.
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

    /// Returns the first line without its line feed; nil where no line is complete.
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

    /// Checks that the header agrees with the change's own header.
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
