internal import GRDB
internal import RecordMerge

/// Finds what stood at a place before devices wrote it without knowing of each other.
struct EarlierValues {
    private let state: ReplicaState
    private var sources: SegmentSources

    init(_ replica: Replica, _ state: ReplicaState) {
        self.state = state
        let listing = try? replica.directory.listing()
        sources = SegmentSources(replica, state, listing ?? DirectoryListing())
    }

    /// What stood there in the last change that all of the authors had seen; nil where that is not known any more.
    mutating func value(of conflict: Conflict) throws -> Write? {
        guard conflict.kind == .value, let record = try state.record(conflict.key) else { return nil }
        let versions = record.versions.filter { version in
            version.cells.contains { $0.path.names == conflict.path }
        }
        guard let first = versions.first, versions.count > 1 else { return nil }
        var seen = first.seen.entries
        for version in versions.dropFirst() {
            seen = seen.compactMap { dot in
                let sequence = min(dot.sequence, version.seen[dot.writer])
                return sequence > 0 ? Dot(dot.writer, sequence) : nil
            }
        }
        let segments = try seen.compactMap { dot in
            try state.segments("WHERE branch = ? AND sequence = ?", [dot.writer.description, dot.sequence]).first
        }
        // Of a change that is in no file any more nobody knows whether it was the last.
        guard segments.count == seen.count, let last = segments.max(by: { $0.clock < $1.clock }),
            let bytes = try sources.bytes(of: last), let change = try? Segment(decoding: bytes).change,
            let version = change.records.first(where: { $0.key == conflict.key })?.version
        else { return nil }
        let cell = version.cells.first { $0.path.names == conflict.path }
        return cell?.writes.last ?? Write(Stamp(last.dot, last.clock), nil)
    }
}
