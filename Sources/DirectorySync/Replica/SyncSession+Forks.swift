internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension SyncSession {
    /// Names the branches of forked writers in the state.
    ///
    /// All devices that have seen both branches give the same names, made of the first differing segments' hashes.
    func applyForks(of writers: Set<WriterID>) throws {
        for writer in writers.sorted() { try applyForks(of: writer) }
    }

    private func applyForks(of writer: WriterID) throws {
        let segments = try state.segments(
            "WHERE writer = ? AND state <> 2 ORDER BY sequence, hash",
            [writer.description]
        )
        var branches: [String: WriterID] = [:]
        let bySequence = Dictionary(grouping: segments, by: \.sequence)
        let covered = try coveredOnly(segments)
        for segment in segments {
            let parent = segment.previous.map { branches[$0] ?? branch(ofHash: $0) ?? segment.branch } ?? writer
            let siblings = (bySequence[segment.sequence] ?? []).filter { $0.previous == segment.previous }
            var name = parent
            let known = try forkBranch(parent, segment.sequence, segment.hash)
            let isForked = try siblings.count > 1 || known != nil || hasFork(parent, segment.sequence)
            if isForked {
                guard let fork = WriterFork(parent, from: segment.sequence, mark: segment.hash) else {
                    throw state.damaged("segment", segment.hash)
                }
                name = known ?? fork.branch
                if known == nil {
                    try note(fork, segment.hash)
                    // Where files are gone, others may have one of the histories without a segment.
                    if ownCheckpoints[writer]?.contains(where: { $0.sequence >= segment.sequence }) ?? false {
                        tellsNames = true
                    }
                }
                if segment.state == .applied, segment.branch != name, !covered.contains(segment.hash) {
                    try rename(fork)
                }
            }
            branches[segment.hash] = name
            guard segment.branch != name else { continue }
            // A change that was never applied is read again as a new one.
            guard !covered.contains(segment.hash) else {
                try state.remove(segment)
                readsAgain = true
                continue
            }
            var renamed = segment
            renamed.branch = name
            try state.update(renamed)
        }
        try renameTakenIn(writer, segments, branches)
        try renewForkedWriter(writer, branches)
    }

    /// Renames the content of a checkpoint whose author did not know of the fork yet.
    private func renameTakenIn(
        _ writer: WriterID,
        _ segments: [KnownSegment],
        _ branches: [String: WriterID]
    ) throws {
        guard let head = try state.heads().first(where: { $0.dot.writer == writer }) else { return }
        var next = segments.first { $0.sequence == head.dot.sequence && head.names($0.hash) }
        guard let last = next, let branch = branches[last.hash], branch != writer else { return }
        for fork in try path(from: writer, to: branch) { try rename(fork) }
        while var segment = next {
            (segment.branch, segment.state) = (branches[segment.hash] ?? segment.branch, .applied)
            try state.update(segment)
            next = segments.first { $0.hash == segment.previous }
        }
    }

    /// Returns the branch of a segment whose row has another writer's name, or that was applied earlier.
    private func branch(ofHash hash: String) -> WriterID? {
        let found = try? state.segments("WHERE hash = ?", [hash]).first?.branch
        return found ?? nil
    }

    private func forkBranch(_ writer: WriterID, _ sequence: Int, _ hash: String) throws -> WriterID? {
        try String.fetchOne(
            state.database,
            sql: "SELECT branch FROM fork WHERE writer = ? AND sequence = ? AND hash = ?",
            arguments: [writer.description, sequence, hash]
        )
        .flatMap { WriterID($0) }
    }

    /// Returns what a branch parts from; nil for a writer that is no known branch.
    ///
    /// - Parameter sequence: The number of the branch's first change; nil for any.
    func parent(of branch: WriterID, from sequence: Int? = nil) throws -> WriterID? {
        let sql = "SELECT writer FROM fork WHERE branch = ? AND sequence = coalesce(?, sequence)"
        return try String.fetchOne(state.database, sql: sql, arguments: [branch.description, sequence])
            .flatMap { WriterID($0) }
    }

    private func hasFork(_ writer: WriterID, _ sequence: Int) throws -> Bool {
        try state.count(
            "SELECT count(*) FROM fork WHERE writer = ? AND sequence = ?",
            [writer.description, sequence]
        ) > 0
    }

    /// Notes a branch, with the last fork before it as the one that it parts from.
    ///
    /// Whoever learned of that fork later took an earlier one for it, and the name is the same.
    func note(_ fork: WriterFork, _ hash: String) throws {
        let sql = "SELECT writer FROM fork WHERE branch = ?"
        let known = try String.fetchOne(state.database, sql: sql, arguments: [fork.branch.description])
        if let known = known.flatMap({ WriterID($0) }), known != fork.writer {
            guard WriterFork.number(of: known) ?? 0 < WriterFork.number(of: fork.writer) ?? 0 else { return }
            try state.execute("DELETE FROM fork WHERE branch = ?", [fork.branch.description])
        }
        try state.execute(
            "INSERT OR IGNORE INTO fork (writer, sequence, hash, branch) VALUES (?, ?, ?, ?)",
            [fork.writer.description, fork.sequence, hash, fork.branch.description]
        )
    }

    /// Renames what was applied under the old name.
    func rename(_ fork: WriterFork) throws {
        let notes = state.notesUnapplied
        state.notesUnapplied = false
        defer {
            state.notesUnapplied = notes
            state.forgetSeen()
        }
        for key in try state.keys() {
            guard let record = try state.record(key) else { continue }
            let renamed = fork.renamed(record)
            guard renamed != record else { continue }
            try state.unpack(key)
            try state.queries.run(.rename, key) { try $0.bind(3, blob: renamed.encodedLine(key)) }
        }
        let before = try lastHead(before: fork)
        try state.renameApplied(fork, before: before)
        try state.renameOffered(fork, before: before)
        let heads = try state.heads()
        guard let old = heads.first(where: { $0.dot.writer == fork.writer && $0.dot.sequence >= fork.sequence }) else {
            return
        }
        try state.execute("DELETE FROM head WHERE writer = ?", [fork.writer.description])
        if let before { try state.setHead(before.dot, hash: before.hash) }
        try state.setHead(Dot(fork.branch, old.dot.sequence), hash: old.hash)
        state.forgetSeen()
    }

    /// Returns the writer's last change before the fork; nil for a fork at its first change.
    private func lastHead(before fork: WriterFork) throws -> WriterHead? {
        try state.head(before: Dot(fork.writer, fork.sequence))
    }

    /// Takes a new name if another device continued this device's own history.
    private func renewForkedWriter(_ forked: WriterID, _ branches: [String: WriterID]) throws {
        guard try state.required(.writer) == forked.description else { return }
        guard branches.values.contains(where: { $0 != forked }) else { return }
        try writer.renew()
        outcome.notes.append("this device was copied or set back: both histories are kept, and it has a new name now")
    }

    /// Returns the renames for a segment's change, whose author knew the branches by other names.
    ///
    /// It is nil where something that the change builds on is missing.
    func renames(for segment: KnownSegment) throws -> [WriterFork]? {
        var renames: [WriterFork] = []
        // Most heads are the last changes that are known here.
        let known = Set(try state.heads().filter { $0.hash != ReplicaState.unknownHash })
        for head in segment.heads {
            guard let branch = try known.contains(head) ? head.dot.writer : branch(of: head, beside: segment.heads)
            else { return nil }
            for fork in try path(from: head.dot.writer, to: branch) where !renames.contains(fork) {
                renames.append(fork)
            }
        }
        for fork in try path(from: segment.writer, to: segment.branch) where !renames.contains(fork) {
            renames.append(fork)
        }
        return renames
    }

    /// Returns the name under which a head's change is known here; nil where it is not applied.
    ///
    /// - Parameter heads: All heads of its header.
    func branch(of head: WriterHead, beside heads: [WriterHead]) throws -> WriterID? {
        let name = head.dot.writer.description
        let continuations = try state.continuations(name, head.dot.sequence)
        let named = continuations.filter { head.names($0.hash) }
        if let segment = named.first {
            // The 8 digits of an early version may match two segments, without saying which.
            return named.count == 1 && segment.state == .applied ? segment.branch : nil
        }
        let others = continuations.isEmpty ? try segments(of: head) : []
        if others.count == 1 { return others[0].state == .applied ? others[0].branch : nil }
        // Its author had the change from a checkpoint that did not tell its hash. The name tells the branch.
        if head.hash == ReplicaState.unknownHash {
            let own = continuations.filter { $0.branch == head.dot.writer }
            if own.count == 1 { return own[0].state == .applied ? own[0].branch : nil }
            // Where it is the last change before a fork, the names of that fork's branches tell it.
            let parents = try Set(heads.compactMap { try parent(of: $0.dot.writer, from: head.dot.sequence + 1) })
            if let parent = parents.first, parents.count == 1 {
                return state.seen.covers(Dot(parent, head.dot.sequence)) ? parent : nil
            }
        }
        let known = "SELECT writer, hash FROM head WHERE sequence = ?"
        for row in try Row.fetchAll(state.database.cachedStatement(sql: known), arguments: [head.dot.sequence]) {
            let hash: String = row[1]
            if head.names(hash) || WriterHead(head.dot, hash: hash).names(head.hash), hash != ReplicaState.unknownHash {
                return WriterID(row[0] as String)
            }
        }
        // Changes from a checkpoint have no segments here. Other segments would mean another continuation, which is
        // missing.
        guard continuations.isEmpty, state.seen.covers(head.dot) else { return nil }
        return head.dot.writer
    }

    /// Returns the writer of a branch's files; a writer that is no branch.
    func root(of branch: WriterID) throws -> WriterID {
        var name = branch
        // The forks of a forged checkpoint may form a circle.
        var passed: Set<WriterID> = []
        while passed.insert(name).inserted, let parent = try parent(of: name) { name = parent }
        return name
    }

    /// Returns the forks on the way from a name to one of its branches.
    func path(from writer: WriterID, to branch: WriterID) throws -> [WriterFork] {
        var path: [WriterFork] = []
        var name = branch
        // The forks of a forged checkpoint may form a circle.
        var passed: Set<WriterID> = []
        while name != writer {
            guard passed.insert(name).inserted,
                let row = try Row.fetchOne(
                    state.database,
                    sql: "SELECT writer, sequence FROM fork WHERE branch = ?",
                    arguments: [name.description]
                ), let parent = WriterID(row[0] as String)
            else { return [] }
            path.append(WriterFork(parent, from: row[1], as: name))
            name = parent
        }
        return path.reversed()
    }
}
