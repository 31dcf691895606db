internal import StrictJSON

/// Reads the lines of states and changes one by one, as they lie in a database or come out of a file.
///
/// ```swift
/// var decoder = LineDecoder()
/// let (key, record) = try decoder.record(line)
/// ```
///
/// It refuses all that no writer writes. Lines are without their line feeds; any bytes may be given.
public struct LineDecoder: ~Copyable {
    private let limits: MergeLimits

    /// A reader that accepts what these limits allow.
    public init(limits: MergeLimits = MergeLimits()) { self.limits = limits }

    /// Reads the header of a state.
    ///
    /// - Parameter number: The number of the line, for messages.
    public mutating func stateHeader(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1
    ) throws(MergeDataError) -> StateHeader {
        let (node, reader) = try parse(line, number)
        let members = try reader.object(node, "the header of a state", ["format", "version", "seen", "records"])
        try reader.checkFormat(members, "satchel-state")
        return StateHeader(
            seen: try reader.vector(members["seen"]),
            recordCount: try reader.integer(members["records"], "the number of records", 0...limits.mostRecords)
        )
    }

    /// Reads a record of a state.
    ///
    /// - Parameters:
    ///   - number: The number of the line, for messages.
    ///   - seen: What the state has seen; nil where that is known of its records.
    public mutating func record(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1,
        in seen: VersionVector? = nil
    ) throws(MergeDataError) -> (key: RecordKey, record: RecordState) {
        let (node, reader) = try parse(line, number)
        let members = try reader.object(node, "a record", ["collection", "key", "versions"])
        let key = try reader.key(members)
        var versions: [RecordVersion] = []
        for node in try reader.array(members["versions"], "versions", 1...limits.mostWriters) {
            let version = try reader.version(node)
            if let last = versions.last, !(last.stamp.dot < version.stamp.dot) {
                throw reader.fail("found versions out of order")
            }
            if let seen, !seen.covers(version.stamp.dot) || !seen.covers(version.seen) {
                throw reader.fail("found a change that the state has not seen")
            }
            versions.append(version)
        }
        guard let record = RecordState(versions) else { throw reader.fail("expected versions") }
        return (key, record)
    }

    /// Reads a record that a change touches.
    ///
    /// - Parameter number: The number of the line, for messages.
    public mutating func changedRecord(
        _ line: UnsafeRawBufferPointer,
        number: Int = 1
    ) throws(MergeDataError) -> ChangedRecord {
        let (node, reader) = try parse(line, number)
        let members = try reader.object(node, "a record", ["collection", "key", "version"])
        let key = try reader.key(members)
        guard let node = members["version"] else { throw reader.fail("expected a version or null") }
        return ChangedRecord(key, node.isNull ? nil : try reader.version(node))
    }

    /// Reads the header of a change: its stamp, its base and the number of its records.
    mutating func changeHeader(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> (stamp: Stamp, base: VersionVector, count: Int) {
        let (node, reader) = try parse(line, number)
        let members = try reader.object(
            node,
            "the header of a change",
            ["format", "version", "by", "base", "records"]
        )
        try reader.checkFormat(members, "satchel-change")
        let stamp = try reader.stamp(members["by"])
        let base = try reader.vector(members["base"])
        guard base[stamp.dot.writer] == stamp.dot.sequence - 1 else {
            throw reader.fail("found a base that is not the writer's change before")
        }
        return (
            stamp, base, try reader.integer(members["records"], "the number of records", 0...limits.mostRecords)
        )
    }

    private func parse(
        _ line: UnsafeRawBufferPointer,
        _ number: Int
    ) throws(MergeDataError) -> (JSONNode, LineReader) {
        let reader = LineReader(limits: limits, line: number)
        guard line.count <= limits.mostLineBytes else { throw reader.fail("found a line that is too long") }
        do throws(JSONError) {
            return (try JSONDocument(parsing: Array(line)).root, reader)
        } catch {
            throw reader.fail("\(error)")
        }
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
