internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

/// Tells apart what a device wrote before and after it was set back, where its former files are gone.
///
/// A device that was set back with its folder gives numbers a second time. Two segments of one number show the fork. But
/// where the former ones are in checkpoints alone, a device that joined later would take the new ones for those that it
/// has. The writer's own checkpoint tells: it has these numbers, and is older than the new changes, by the same clock. A
/// device removes its files only when such a checkpoint has them.
///
/// Only who has all segments from there on knows with which one the new history begins: the device itself. It names
/// that, and writes a checkpoint which tells the name to all. Elsewhere such changes wait for it. The former history
/// keeps the writer's name, except where somebody has its segments: the others use that device's name for it.
extension SyncSession {
    /// Names what this device wrote after it was set back.
    ///
    /// - Returns: The first of these changes under each of the device's names.
    func noteSetBack() throws -> [Dot] {
        // Its own checkpoints are known, unless they are from after the moment to which it was set back.
        let unknown = try listing.checkpoints.filter { try !knowsFile($0.path) }
        return try Set(unknown.map(\.writer)).compactMap { name in
            let sql = "WHERE writer = ?1 AND branch = ?1 AND is_own AND sequence <= ?2 ORDER BY sequence"
            guard let last = ownCheckpoints[name]?.map(\.sequence).max() else { return nil }
            let segments = try state.segments(sql, [name.description, last])
            guard !segments.isEmpty else { return nil }
            var clocks: [Int: HybridClock] = [:]
            for file in unknown where file.writer == name { readClocks(of: name, in: file, &clocks) }
            // A clock may have been set back, too: then the changes of one number have different clocks.
            let first = segments.first { isAfterSetBack($0) || $0.clock != clocks[$0.sequence, default: $0.clock] }
            guard let first, let fork = WriterFork(name, from: first.sequence, mark: first.hash) else { return nil }
            try note(fork, first.hash)
            tellsNames = true
            return Dot(name, first.sequence)
        }
    }

    /// Reads the clocks of a writer's changes that a checkpoint's records still tell.
    func readClocks(of writer: WriterID, in file: ListedFile, _ clocks: inout [Int: HybridClock]) {
        // A damaged file is told where it is read.
        try? directory.readState(of: file) { _ in
        } record: { _, record, _ in
            for version in record.versions {
                let stamps = [version.stamp] + version.cells.flatMap { $0.writes.map(\.stamp) }
                for stamp in stamps where stamp.dot.writer == writer { clocks[stamp.dot.sequence] = stamp.clock }
            }
        }
    }

    /// Returns whether an unnamed change was written later than its writer's checkpoint that has another of its number.
    func isAfterSetBack(_ segment: KnownSegment) -> Bool {
        guard segment.branch == segment.writer, let checkpoints = ownCheckpoints[segment.writer] else { return false }
        return checkpoints.contains { $0.sequence >= segment.sequence && $0.clock < segment.clock }
    }

    /// Returns what the writers' own checkpoints have of them: their last changes and the checkpoints' clocks.
    func readOwnCheckpoints() -> [WriterID: [(sequence: Int, clock: HybridClock)]] {
        var found: [WriterID: [(sequence: Int, clock: HybridClock)]] = [:]
        for file in listing.checkpoints {
            // A damaged file is told where it is read.
            guard let header = try? directory.checkpointHeader(of: file), header.segment.space == replica.space,
                header.segment.app == replica.store.app,
                let head = header.segment.heads.first(where: { $0.dot.writer == file.writer })
            else { continue }
            found[file.writer, default: []].append((head.dot.sequence, header.segment.clock))
        }
        return found
    }

    /// Returns the hashes of segments that were taken for known by their numbers, so that nothing has their changes.
    ///
    /// - Parameter segments: The segments of a writer, by number.
    func coveredOnly(_ segments: [KnownSegment]) throws -> Set<String> {
        var covered: Set<String> = []
        for segment in segments where segment.state == .applied {
            let follows = segment.previous.map(covered.contains) ?? false
            if follows || isAfterSetBack(segment) || elsewhere.contains(segment.hash) { covered.insert(segment.hash) }
        }
        guard !covered.isEmpty else { return [] }
        let byHash = Dictionary(segments.map { ($0.hash, $0) }) { first, _ in first }
        for head in try state.heads() {
            var hash: String? = head.hash
            while let next = hash, let segment = byHash[next] {
                covered.remove(next)
                hash = segment.previous
            }
        }
        return covered
    }

    /// Notes the continuations of a checkpoint which the records here are not of, as they are of the former history.
    func noteElsewhere(_ header: CheckpointHeader) throws {
        let ours = Set(try state.heads())
        for fork in header.forks {
            let former = header.segment.heads.first { $0.dot.writer == fork.writer && $0.dot.sequence >= fork.sequence }
            if let former, ours.contains(former) { elsewhere.insert(fork.hash) }
        }
    }

    /// Uses the names of continuations that come from a device that knows where a writer's histories part.
    ///
    /// - Parameters:
    ///   - heads: The heads of a change or a checkpoint.
    ///   - isWaiting: Whether it is not merged: then only those count whose first change is known here.
    /// - Returns: Whether there were any.
    @discardableResult
    func adoptNames(_ heads: [WriterHead], isWaiting: Bool = false) throws -> Bool {
        var writers: Set<WriterID> = []
        for head in heads where head.hash != ReplicaState.unknownHash {
            let branch = head.dot.writer
            // A fork may be known of which nothing is.
            guard let mark = WriterFork.mark(of: branch), state.seen[branch] == 0 else { continue }
            let isKnown = try parent(of: branch) != nil
            if !isKnown, let first = try state.segments("WHERE hash = ?", [mark]).first {
                guard let fork = WriterFork(first.branch, named: branch), fork.sequence == first.sequence else {
                    continue
                }
                try note(fork, mark)
                writers.insert(first.writer)
            } else if !isWaiting,
                // The same last change has another name here.
                let same = try state.heads().first(where: {
                    $0.dot.sequence == head.dot.sequence && $0.hash == head.hash
                }),
                let fork = WriterFork(same.dot.writer, named: branch)
            {
                try note(fork, mark)
                try rename(fork)
                try renameHistory(of: fork, from: head.hash)
                writers.insert(try root(of: branch))
            }
        }
        try applyForks(of: writers)
        return !writers.isEmpty
    }

    /// Gives the segments of a continuation its name, from the last one back.
    private func renameHistory(of fork: WriterFork, from last: String) throws {
        var hash: String? = last
        while let next = hash, var segment = try state.segments("WHERE hash = ?", [next]).first,
            segment.branch == fork.writer, segment.sequence >= fork.sequence
        {
            segment.branch = fork.branch
            try state.update(segment)
            hash = segment.previous
        }
    }
}
