/// Holds changes until all that they build on has come, in whatever order they arrive.
///
/// A change that this program is too old for holds up its writer, and what builds on it, but nobody else.
public struct CausalBuffer: Sendable {
    /// Why a change waits.
    public enum Reason: Sendable, Hashable {
        /// A change that it builds on has not come.
        case missing(Dot)
        /// It needs a newer program; the number is the version that it needs.
        case tooNew(Int)
    }

    private var held: [Dot: (change: Change, minimumReader: Int)] = [:]

    /// An empty buffer.
    public init() {}

    /// Adds a change; one that is there already changes nothing.
    ///
    /// - Parameter minimumReader: The version of the program that can apply it.
    public mutating func insert(_ change: Change, minimumReader: Int = 1) {
        if held[change.stamp.dot] == nil { held[change.stamp.dot] = (change, minimumReader) }
    }

    /// Takes out the next change that can be applied, and forgets those that have been seen.
    ///
    /// - Parameters:
    ///   - seen: What has been seen.
    ///   - reader: The version of this program.
    public mutating func next(after seen: VersionVector, reader: Int = 1) -> Change? {
        held = held.filter { !seen.covers($0.key) }
        let ready = held.filter { $0.value.minimumReader <= reader && $0.value.change.missing(in: seen) == nil }
        guard let dot = ready.keys.min() else { return nil }
        return held.removeValue(forKey: dot)?.change
    }

    /// What waits, and for what, ordered by writer and number.
    public func waiting(after seen: VersionVector, reader: Int = 1) -> [(dot: Dot, reason: Reason)] {
        held.sorted { $0.key < $1.key }.compactMap { dot, entry in
            if seen.covers(dot) { return nil }
            if let missing = entry.change.missing(in: seen) { return (dot, .missing(missing)) }
            return entry.minimumReader > reader ? (dot, .tooNew(entry.minimumReader)) : nil
        }
    }
}

extension RecordStorage {
    /// Applies all changes of a buffer that can be.
    ///
    /// - Returns: The keys of the records that they touch.
    /// - Throws: The error of the storage, when reading or writing a record fails.
    @discardableResult
    public mutating func apply(from buffer: inout CausalBuffer, reader: Int = 1) throws -> Set<RecordKey> {
        var keys: Set<RecordKey> = []
        while let change = buffer.next(after: seen, reader: reader) { keys.formUnion(try apply(change)) }
        return keys
    }
}
