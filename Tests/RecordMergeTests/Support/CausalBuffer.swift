import RecordMerge

/// Keeps changes until everything they build on has arrived, in any order.
///
/// A change that needs a newer program delays its writer and what builds on it, but nobody else.
struct CausalBuffer {
    /// The reason why a change waits.
    enum Reason: Hashable {
        /// The change builds on one that has not arrived.
        case missing(Dot)
        /// The change needs a newer program: at least this version of the reader.
        case tooNew(Int)
    }

    private var held: [Dot: (change: Change, minimumReader: Int)] = [:]

    /// Adds a change; a known change has no effect.
    ///
    /// - Parameter minimumReader: The oldest version of the program that can apply it.
    mutating func insert(_ change: Change, minimumReader: Int = 1) {
        if held[change.stamp.dot] == nil { held[change.stamp.dot] = (change, minimumReader) }
    }

    /// Removes and returns the next change that can be applied, and forgets those already seen.
    ///
    /// - Parameters:
    ///   - seen: The changes that the state has seen.
    ///   - reader: The version of this program.
    mutating func next(after seen: VersionVector, reader: Int = 1) -> Change? {
        held = held.filter { !seen.covers($0.key) }
        let ready = held.filter { $0.value.minimumReader <= reader && $0.value.change.missing(in: seen) == nil }
        guard let dot = ready.keys.min() else { return nil }
        return held.removeValue(forKey: dot)?.change
    }

    /// Returns the waiting changes with their reasons, ordered by writer and number.
    func waiting(after seen: VersionVector, reader: Int = 1) -> [(dot: Dot, reason: Reason)] {
        held.sorted { $0.key < $1.key }.compactMap { dot, entry in
            if seen.covers(dot) { return nil }
            if let missing = entry.change.missing(in: seen) { return (dot, .missing(missing)) }
            return entry.minimumReader > reader ? (dot, .tooNew(entry.minimumReader)) : nil
        }
    }
}

extension RecordStorage {
    /// Applies all changes of a buffer that need no others.
    ///
    /// - Returns: The keys of the changed records.
    /// - Throws: The error of the storage, when reading or writing a record fails.
    @discardableResult
    mutating func apply(from buffer: inout CausalBuffer, reader: Int = 1) throws -> Set<RecordKey> {
        var keys: Set<RecordKey> = []
        while let change = buffer.next(after: seen, reader: reader) { keys.formUnion(try apply(change)) }
        return keys
    }
}
