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
/// keeps the writer's name, except where somebody has its segments; then that device's name for it is taken over.
extension SyncSession {
    /// Names what this device wrote after it was set back.
    ///
    /// - Returns: The first of these changes under each of the device's names.
    func noteSetBack() throws -> [Dot] {
        // Its own checkpoints are known, unless they are from after the moment to which it was set back.
        let names = Set(try listing.checkpoints.filter { try !knowsFile($0.path) }.map(\.writer))
        return try names.compactMap { name in
            let sql = "WHERE writer = ?1 AND branch = ?1 AND is_own AND sequence <= ?2 ORDER BY sequence"
            guard let last = ownCheckpoints[name]?.map(\.sequence).max(),
                let first = try state.segments(sql, [name.description, last]).first(where: isAfterSetBack),
                let fork = WriterFork(name, from: first.sequence, mark: first.hash)
            else { return nil }
            try note(fork, first.hash)
            wasSetBack = true
            return Dot(name, first.sequence)
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
    func coveredOnly(_ segments: [KnownSegment]) throws -> Set<String> {
        let later = segments.filter { $0.state == .applied && isAfterSetBack($0) }
        guard !later.isEmpty else { return [] }
        var covered = Set(later.map(\.hash))
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

    /// Takes over names of continuations from a device that knows where a writer's histories part.
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
            guard let mark = WriterFork.mark(of: branch), try parent(of: branch) == nil else { continue }
            if let first = try state.segments("WHERE hash = ?", [mark]).first {
                guard let fork = WriterFork(first.branch, named: branch), fork.sequence == first.sequence else { continue }
                try note(fork, mark)
                writers.insert(first.writer)
            } else if !isWaiting,
                // What is known here under another name has the same last change.
                let same = try state.heads().first(where: { $0.dot.sequence == head.dot.sequence && $0.hash == head.hash }),
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
