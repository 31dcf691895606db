internal import Crypto

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension MergeState {
    /// Writes the state: the same state gives the same bytes.
    ///
    /// - Throws: The error of `sink`.
    public func write(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        var writer = LineWriter(sink)
        writer.stateHeader(seen, recordCount: records.count)
        for (key, record) in inOrder(Array(records), \.key) {
            writer.endLine()
            writer.record(key, record)
        }
        try writer.finish()
    }

    /// Returns the canonical bytes of the state: JSON lines, as in a checkpoint.
    public func encoded() -> [UInt8] { collect { sink in try write(to: sink) } }

    /// SHA-256 of the canonical bytes, in lowercase hexadecimal.
    public var digest: String {
        var hash = SHA256()
        // A sink that takes everything does not throw.
        withoutThrowing { try write { hash.update(bufferPointer: $0) } }
        return hash.finalize().hexadecimal
    }

    /// Reads a state.
    ///
    /// - Throws: ``MergeDataError`` for the first wrong line. Any bytes may be given.
    public init(decoding bytes: [UInt8], limits: MergeLimits = MergeLimits()) throws(MergeDataError) {
        self.init()
        var decoder = LineDecoder(limits: limits)
        var lines = LineSplitter(bytes)
        let header = try lines.next("the header of a state") { line, number throws(MergeDataError) in
            try decoder.stateHeader(line, number: number)
        }
        seen = header.seen
        var last: RecordKey?
        for _ in 0..<header.recordCount {
            let (key, record) = try lines.next("a record") { line, number throws(MergeDataError) in
                try decoder.record(line, number: number, in: header.seen)
            }
            if let last, !(last < key) { throw lines.fail("found records out of order") }
            last = key
            setRecord(key, record)
        }
        try lines.end()
    }
}

extension Change {
    /// Writes the change: the same change gives the same bytes.
    ///
    /// - Throws: The error of `sink`.
    public func write(to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        try write(with: nil, to: sink)
    }

    /// Writes the change with lines of plain records among its own.
    package func write(with plain: PlainLines?, to sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
        var writer = LineWriter(sink)
        writer.changeHeader(self, recordCount: records.count + (plain?.keys.count ?? 0))
        writer.endLine()
        var order = (plain?.order ?? [])[...]
        for record in records {
            try plain?.write(&order, before: record.key, to: sink)
            writer.record(record)
            writer.endLine()
        }
        try plain?.write(&order, before: nil, to: sink)
        try writer.finishLines()
    }

    /// Returns the change as JSON lines, as in a segment.
    public func encoded() -> [UInt8] { collect { sink in try write(to: sink) } }

    /// Reads a change.
    ///
    /// - Throws: ``MergeDataError`` for the first wrong line. Any bytes may be given.
    public init(decoding bytes: [UInt8], limits: MergeLimits = MergeLimits()) throws(MergeDataError) {
        var reader = ChangeReader(limits: limits)
        var lines = LineSplitter(bytes)
        let (stamp, base, count) = try lines.next("the header of a change") { line, number throws(MergeDataError) in
            try reader.header(line, number: number)
        }
        var records: [ChangedRecord] = []
        for _ in 0..<count {
            let record = try lines.next("a record") { line, number throws(MergeDataError) in
                try reader.record(line, number: number)
            }
            records.append(record)
        }
        try lines.end()
        self.init(stamp, base: base, records: records)
    }
}

/// Reads a change line by line, in memory that does not grow with it.
///
/// ```swift
/// var reader = ChangeReader()
/// let (stamp, base, count) = try reader.header(first, number: 1)
/// for line in lines { try use(reader.record(line, number: number)) }
/// ```
package struct ChangeReader: ~Copyable {
    private var decoder: LineDecoder
    private var stamp: Stamp?
    private var base = VersionVector()
    private var last: RecordKey?
    private var returning: PlainLines.Returning?

    /// Makes a reader with these limits.
    ///
    /// - Parameter plain: The lines that the change was written with, where a writer reads it back.
    package init(limits: MergeLimits = MergeLimits(), returning plain: PlainLines? = nil) {
        decoder = LineDecoder(limits: limits)
        returning = plain.map { PlainLines.Returning($0) }
    }

    /// True if all lines that the change was written with came back as they were written.
    package var isComplete: Bool { returning?.isComplete ?? true }

    /// Reads the first line: the change's stamp, its base and the number of its records.
    package mutating func header(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> (stamp: Stamp, base: VersionVector, count: Int) {
        let header = try decoder.changeHeader(line, number: number)
        (stamp, base) = (header.stamp, header.base)
        return header
    }

    /// Reads the next record, which must belong to this change and follow the one before.
    package mutating func record(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> ChangedRecord {
        let record = try decoder.changedRecord(line, number: number)
        try check(.record(record), number)
        return record
    }

    /// Reads the next record as ``record(_:number:)`` does, and makes no values of a plain one.
    package mutating func line(
        _ line: UnsafeRawBufferPointer,
        number: Int
    ) throws(MergeDataError) -> ChangedLine {
        let found: ChangedLine
        if let stamp, let key = returning?.key(of: line) {
            found = .plain(key, stamp)
        } else {
            found = try decoder.changedLine(line, number: number)
        }
        try check(found, number)
        return found
    }

    private mutating func check(_ line: ChangedLine, _ number: Int) throws(MergeDataError) {
        if let last, !(last < line.key) {
            throw MergeDataError(line: number, message: "found records out of order")
        }
        let isOwn =
            switch line {
            case .plain(_, let by): by == stamp
            case .record(let record): record.version.map { $0.stamp == stamp && base.covers($0.seen) } ?? true
            }
        guard isOwn else { throw MergeDataError(line: number, message: "found a version of another change") }
        last = line.key
    }
}

/// Takes bytes apart into lines.
private struct LineSplitter {
    private let bytes: [UInt8]
    private var offset = 0
    private var line = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    func fail(_ message: String) -> MergeDataError { MergeDataError(line: line, message: message) }

    /// Reads the next line with its number.
    mutating func next<Line>(
        _ what: String,
        _ read: (UnsafeRawBufferPointer, Int) throws(MergeDataError) -> Line
    ) throws(MergeDataError) -> Line {
        line += 1
        guard offset < bytes.count else { throw fail("found the end, expected \(what)") }
        let start = offset
        guard let end = endOfLine(from: start) else { throw fail("found no end of the line") }
        offset = end + 1
        return try bytes.withUnsafeBufferPointer { all throws(MergeDataError) in
            try read(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[start..<end])), line)
        }
    }

    private func endOfLine(from start: Int) -> Int? {
        bytes.withUnsafeBytes { all in
            guard let base = all.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), all.count - start)
            else { return nil }
            return UnsafeRawPointer(found) - base
        }
    }

    func end() throws(MergeDataError) {
        guard offset == bytes.count else {
            throw MergeDataError(line: line + 1, message: "found more than the records that the header counts")
        }
    }
}

/// Returns the bytes that `write` writes.
private func collect(_ write: (@escaping (UnsafeRawBufferPointer) throws -> Void) throws -> Void) -> [UInt8] {
    var bytes: [UInt8] = []
    withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
        withoutThrowing { try write(sink) }
    }
    return bytes
}

/// Runs a body that throws only if its sink does.
private func withoutThrowing(_ body: () throws -> Void) { try? body() }
