internal import StrictJSON

/// Reads the lines of states and changes one by one, as they lie in a database or come out of a file.
///
/// ```swift
/// var decoder = LineDecoder()
/// let (key, record) = try decoder.record(line)
/// ```
///
/// It rejects everything that no writer writes. Lines come without their line feeds. Any bytes may be given.
public struct LineDecoder: ~Copyable {
    private let limits: MergeLimits
    private var fragments = JSONFragments()
    private var memory = LineMemory()

    /// Makes a reader with these limits.
    public init(limits: MergeLimits = MergeLimits()) { self.limits = limits }

    /// Reads the header of a state.
    ///
    /// - Parameter number: The number of the line, for messages.
    /// - Throws: ``MergeDataError`` with the line's number, when the line is not a header or breaks a limit.
    public mutating func stateHeader(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1
    ) throws(MergeDataError) -> StateHeader {
        let reader = try parse(line, number)
        var members = try reader.object(0, "the header of a state")
        try reader.checkFormat(&members, "satchel-state")
        let seen = try reader.vector(reader.need("seen", &members))
        let count = try reader.count(&members)
        try reader.finish(members)
        return StateHeader(seen: seen, recordCount: count)
    }

    /// Reads a record of a state.
    ///
    /// - Parameters:
    ///   - number: The number of the line, for messages.
    ///   - seen: The changes that the state has seen; nil where the caller has checked its records.
    /// - Throws: ``MergeDataError`` with the line's number, when the line is not a record or breaks a limit.
    public mutating func record(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1,
        in seen: VersionVector? = nil
    ) throws(MergeDataError) -> (key: RecordKey, record: RecordState) {
        var reader = try parse(line, number)
        defer { memory = reader.memory }
        var members = try reader.object(0, "a record")
        let key = try reader.key(&members)
        let elements = try reader.array(reader.need("versions", &members), "versions", 1...limits.mostWriters)
        try reader.finish(members)
        var versions: [RecordVersion] = []
        versions.reserveCapacity(elements.count)
        var at = elements.first
        while at < elements.end {
            let version = try reader.version(at)
            if let last = versions.last, !(last.stamp.dot < version.stamp.dot) {
                throw reader.fail("found versions out of order")
            }
            if let seen, !seen.covers(version.stamp.dot) || !seen.covers(version.seen) {
                throw reader.fail("found a change that the state has not seen")
            }
            versions.append(version)
            at = reader.tape.end(at)
        }
        guard let record = RecordState(ordered: versions) else { throw reader.fail("expected versions") }
        return (key, record)
    }

    /// Reads a record of a change.
    ///
    /// - Parameter number: The number of the line, for messages.
    /// - Throws: ``MergeDataError`` with the line's number, when the line is not a changed record or breaks a limit.
    public mutating func changedRecord(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1
    ) throws(MergeDataError) -> ChangedRecord {
        let (key, version) = try changed(line, number) { reader, version throws(MergeDataError) in
            try reader.version(version)
        }
        return ChangedRecord(key, version)
    }

    /// Reads a record of a change, and makes no values of a plain version.
    mutating func changedLine(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> ChangedLine {
        var plain: Stamp?
        let (key, version) = try changed(line, number) { reader, version throws(MergeDataError) -> RecordVersion? in
            guard let by = reader.plainStamp(version) else { return try reader.version(version) }
            plain = try reader.stamp(by)
            return nil
        }
        return plain.map { .plain(key, $0) } ?? .record(ChangedRecord(key, version))
    }

    /// Reads the line of a changed record.
    ///
    /// - Parameter read: Reads the version, by the index of its word.
    /// - Returns: The key, and what `read` returned; nil where the record was deleted.
    private mutating func changed(
        _ line: UnsafeRawBufferPointer,
        _ number: Int,
        _ read: (inout LineReader, Int) throws(MergeDataError) -> RecordVersion?
    ) throws(MergeDataError) -> (key: RecordKey, version: RecordVersion?) {
        var reader = try parse(line, number, most: min(limits.mostChangeBytes, limits.mostLineBytes))
        defer { memory = reader.memory }
        var members = try reader.object(0, "a record")
        let key = try reader.key(&members)
        guard let index = reader.take("version", &members) else { throw reader.fail("expected a version or null") }
        try reader.finish(members)
        return (key, reader.tag(index) == .null ? nil : try read(&reader, index))
    }

    /// Reads the header of a change: its stamp, its base and the number of its records.
    mutating func changeHeader(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> (stamp: Stamp, base: VersionVector, count: Int) {
        var reader = try parse(line, number)
        var members = try reader.object(0, "the header of a change")
        try reader.checkFormat(&members, "satchel-change")
        let stamp = try reader.stamp(reader.need("by", &members))
        let base = try reader.vector(reader.need("base", &members))
        guard base[stamp.dot.writer] == stamp.dot.sequence - 1 else {
            throw reader.fail("found a base that is not the writer's change before")
        }
        let count = try reader.count(&members)
        try reader.finish(members)
        return (stamp, base, count)
    }

    private mutating func parse(
        _ line: UnsafeRawBufferPointer,
        _ number: Int,
        most: Int? = nil
    ) throws(MergeDataError) -> LineReader {
        let most = most ?? limits.mostLineBytes
        guard line.count <= most else {
            let message = "found a line of \(line.count) bytes, expected at most \(most)"
            throw MergeDataError(line: number, message: message)
        }
        let text = line.assumingMemoryBound(to: UInt8.self)
        do throws(JSONError) { _ = try fragments.read(text) } catch {
            throw MergeDataError(line: number, message: "\(error)")
        }
        guard fragments.wordCount <= limits.mostWords else {
            let message = "found a line of \(fragments.wordCount) words, expected at most \(limits.mostWords)"
            throw MergeDataError(line: number, message: message)
        }
        return LineReader(tape: fragments.words(text), limits: limits, line: number, memory: memory)
    }
}

extension LineReader {
    fileprivate func checkFormat(_ members: inout Members, _ format: String) throws(MergeDataError) {
        guard let name = take("format", &members), tape.string(name) == format else {
            throw fail("expected the format \"\(format)\"")
        }
        guard let version = take("version", &members), tag(version) == .integer else {
            throw fail("expected the version of the format")
        }
        let token = String(decoding: tape.token(version), as: UTF8.self)
        guard token == "1" else { throw fail("found version \(token), but this program reads only version 1") }
    }

    fileprivate func key(_ members: inout Members) throws(MergeDataError) -> RecordKey {
        let collection = try string(need("collection", &members), "a collection")
        return RecordKey(collection, try string(need("key", &members), "a key"))
    }

    fileprivate func count(_ members: inout Members) throws(MergeDataError) -> Int {
        try integer(need("records", &members), "the number of records", 0...limits.mostRecords)
    }
}

/// A record of a change as its line has it.
package enum ChangedLine {
    /// A plain record, created by the change with that stamp; its line was checked.
    case plain(RecordKey, Stamp)
    /// Any other record.
    case record(ChangedRecord)

    var key: RecordKey {
        switch self {
        case .plain(let key, _): key
        case .record(let record): record.key
        }
    }
}
