internal import Crypto
internal import StrictJSON

/// What a reader of states and changes accepts at most.
public struct MergeLimits: Sendable {
    /// Bytes of a line.
    public var mostLineBytes = 64 << 20
    /// Records.
    public var mostRecords = 50_000_000
    /// Writers of a vector.
    public var mostWriters = 100_000
    /// Places of a record, and values at them.
    public var mostCells = 1_000_000
    /// Earlier texts that are kept with a text.
    public var mostEarlierTexts = 16
    /// The number of a change.
    public var largestSequence = 1 << 53

    /// The limits that programs use.
    public init() {}
}

/// Bytes that are no state or no change.
public struct MergeDataError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public let line: Int
    /// What was found and what was expected.
    public let message: String

    /// The error as one line.
    public var description: String { "line \(line): \(message)" }
}

extension MergeState {
    /// Writes the state: the same state gives the same bytes.
    public func write(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        var writer = LineWriter(sink)
        writer.stateHeader(seen, recordCount: records.count)
        for (key, record) in records.sorted(by: { $0.key < $1.key }) {
            writer.endLine()
            writer.record(key, record)
        }
        try writer.finish()
    }

    /// The canonical bytes of the state: JSON lines, as a checkpoint has them.
    public func encoded() -> [UInt8] { collect { sink in try write(to: sink) } }

    /// SHA-256 of the canonical bytes, in lowercase hexadecimal.
    public var digest: String {
        var hash = SHA256()
        // A sink that takes everything does not throw.
        withoutThrowing { try write { hash.update(bufferPointer: $0) } }
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: hash.finalize().flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self
        )
    }

    /// Reads a state.
    ///
    /// - Throws: The first line that is wrong. Any bytes may be given.
    public init(decoding bytes: [UInt8], limits: MergeLimits = MergeLimits()) throws(MergeDataError) {
        self.init()
        var lines = LineSplitter(bytes, limits)
        let (header, reader) = try lines.next("the header of a state")
        let members = try reader.object(header, "the header of a state", ["format", "version", "seen", "records"])
        try reader.checkFormat(members, "satchel-state")
        seen = try reader.vector(members["seen"])
        let count = try reader.integer(members["records"], "the number of records", 0...limits.mostRecords)
        var last: RecordKey?
        for _ in 0..<count {
            let (line, reader) = try lines.next("a record")
            let members = try reader.object(line, "a record", ["collection", "key", "versions"])
            let key = try reader.key(members)
            if let last, !(last < key) { throw reader.fail("found records out of order") }
            last = key
            var versions: [RecordVersion] = []
            for node in try reader.array(members["versions"], "versions", 1...limits.mostWriters) {
                let version = try reader.version(node)
                if let last = versions.last, !(last.stamp.dot < version.stamp.dot) {
                    throw reader.fail("found versions out of order")
                }
                guard seen.covers(version.stamp.dot), seen.covers(version.seen) else {
                    throw reader.fail("found a change that the state has not seen")
                }
                versions.append(version)
            }
            setRecord(key, RecordState(versions))
        }
        try lines.end()
    }
}

extension Change {
    /// Writes the change: the same change gives the same bytes.
    public func write(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        var writer = LineWriter(sink)
        writer.changeHeader(self)
        for record in records {
            writer.endLine()
            writer.record(record)
        }
        try writer.finish()
    }

    /// The change as JSON lines, as a segment has them.
    public func encoded() -> [UInt8] { collect { sink in try write(to: sink) } }

    /// Reads a change.
    ///
    /// - Throws: The first line that is wrong. Any bytes may be given.
    public init(decoding bytes: [UInt8], limits: MergeLimits = MergeLimits()) throws(MergeDataError) {
        var lines = LineSplitter(bytes, limits)
        let (header, reader) = try lines.next("the header of a change")
        let members = try reader.object(
            header,
            "the header of a change",
            ["format", "version", "by", "base", "records"]
        )
        try reader.checkFormat(members, "satchel-change")
        let stamp = try reader.stamp(members["by"])
        let base = try reader.vector(members["base"])
        guard base[stamp.dot.writer] == stamp.dot.sequence - 1 else {
            throw reader.fail("found a base that is not the writer's change before")
        }
        let count = try reader.integer(members["records"], "the number of records", 0...limits.mostRecords)
        var records: [ChangedRecord] = []
        for _ in 0..<count {
            let (line, reader) = try lines.next("a record")
            let members = try reader.object(line, "a record", ["collection", "key", "version"])
            let key = try reader.key(members)
            if let last = records.last, !(last.key < key) { throw reader.fail("found records out of order") }
            guard let node = members["version"] else { throw reader.fail("expected a version or null") }
            let version = node.isNull ? nil : try reader.version(node)
            if let version, version.stamp != stamp || !base.covers(version.seen) {
                throw reader.fail("found a version of another change")
            }
            records.append(ChangedRecord(key, version))
        }
        try lines.end()
        self.init(stamp, base: base, records: records)
    }
}

extension LineReader {
    fileprivate func checkFormat(_ members: [String: JSONNode], _ format: String) throws(MergeDataError) {
        guard members["format"]?.string == format else { throw fail("expected the format \"\(format)\"") }
        guard let version = members["version"]?.int, version >= 1 else {
            throw fail("expected the version of the format")
        }
        guard version == 1 else { throw fail("found version \(version), but this program reads only version 1") }
    }

    fileprivate func key(_ members: [String: JSONNode]) throws(MergeDataError) -> RecordKey {
        RecordKey(try string(members["collection"], "a collection"), try string(members["key"], "a key"))
    }
}

/// Takes bytes apart into lines of JSON.
private struct LineSplitter {
    private let bytes: [UInt8]
    private let limits: MergeLimits
    private var offset = 0
    private var line = 0

    init(_ bytes: [UInt8], _ limits: MergeLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    mutating func next(_ what: String) throws(MergeDataError) -> (JSONNode, LineReader) {
        line += 1
        let reader = LineReader(limits: limits, line: line)
        guard offset < bytes.count else { throw reader.fail("found the end, expected \(what)") }
        guard let end = bytes[offset...].firstIndex(of: UInt8(ascii: "\n")) else {
            throw reader.fail("found no end of the line")
        }
        guard end - offset <= limits.mostLineBytes else { throw reader.fail("found a line that is too long") }
        do throws(JSONError) {
            let document = try JSONDocument(parsing: Array(bytes[offset..<end]))
            offset = end + 1
            return (document.root, reader)
        } catch {
            throw reader.fail("\(error)")
        }
    }

    func end() throws(MergeDataError) {
        guard offset == bytes.count else {
            throw LineReader(limits: limits, line: line + 1).fail("found more than the records that the header counts")
        }
    }
}

/// Collects what is written.
private func collect(_ write: (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
        withoutThrowing { try write(sink) }
    }
    return bytes
}

/// Calls what throws only if a sink does.
private func withoutThrowing(_ body: () throws -> Void) { try? body() }
