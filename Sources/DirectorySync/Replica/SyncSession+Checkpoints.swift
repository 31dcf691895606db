internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension SyncSession {
    /// Merges checkpoints with changes whose segments are no longer in the folder.
    func joinCheckpoints() throws {
        var candidates: [(file: ListedFile, header: CheckpointHeader)] = []
        for file in listing.checkpoints where try !knowsFile(file.path) {
            try reading(file) {
                let header = try directory.checkpointHeader(of: file)
                guard header.segment.space == replica.space else { return }
                guard header.segment.app == replica.store.app else { return try noteFile(file, clock: 0) }
                candidates.append((file, header))
            }
        }
        let headers = candidates.map(\.header)
        // Begin with the one that reaches furthest, so that most others need not be read.
        for (file, header) in candidates.sorted(by: { $0.header.segment.clock > $1.header.segment.clock }) {
            if try contradiction(header) != nil {
                // Its author may know by which names to tell these changes apart.
                _ = try state.transaction { try adoptNames(header.segment.heads, isWaiting: true) }
            }
            if try noteWaiting(file, header, among: headers) { continue }
            if try header.segment.heads.allSatisfy({ try covers($0, in: header) }) {
                let heads = try isOwn(header) ? header.segment.heads : nil
                try noteFile(file, clock: Int(truncatingIfNeeded: header.segment.clock.milliseconds), own: heads)
            } else if try state.seen.isEmpty || !isOnItsWay(header) {
                do {
                    try reading(file) { try join(file, header) }
                } catch let other as OtherChange {
                    noteContradiction(other.dot, file)
                }
            }
        }
    }

    /// Returns whether this device wrote a checkpoint, as it does before it notes that.
    private func isOwn(_ header: CheckpointHeader) throws -> Bool {
        let sql = """
            SELECT EXISTS (SELECT 1 FROM segment WHERE writer = ?1 AND is_own)
                AND NOT EXISTS (SELECT 1 FROM fork WHERE writer = ?1 OR branch = ?1)
            """
        return try header.segment.device.id == replica.environment.device.id
            && state.count(sql, [header.segment.writer.description]) > 0
    }

    /// Notes a checkpoint that is not merged, because it contradicts other writers' own files.
    ///
    /// - Parameters:
    ///   - candidates: The headers of all new checkpoints.
    ///   - unread: The writers with unread files in the folder.
    /// - Returns: Whether it is one.
    func noteWaiting(
        _ file: ListedFile,
        _ header: CheckpointHeader,
        among candidates: [CheckpointHeader],
        unread: Set<WriterID> = []
    ) throws -> Bool {
        if let other = try contradiction(header) {
            noteContradiction(other.dot, file)
        } else if let (head, shown) = try unshownHead(of: header, in: file, among: candidates, unread: unread) {
            try noteUnshown(head, shown: shown, file, header)
        } else {
            return false
        }
        return true
    }

    /// The advice for two changes of one number, neither of which is in a file any more.
    static let ifItStays =
        "If it stays when all devices have synchronised, run foldersync repair on them; if that does not help,"
        + " foldersync leave and then foldersync join here"

    private func noteContradiction(_ dot: Dot, _ file: ListedFile) {
        let message =
            "it holds another change \(dot.sequence) of \(dot.writer) than is known here; it waits for that."
            + " \(Self.ifItStays)"
        note(.missing, message, file)
    }

    /// Returns a head for which this replica knows different changes of that writer; nil where there is none.
    private func contradiction(_ header: CheckpointHeader) throws -> WriterHead? {
        try header.segment.heads.first { head in
            guard state.seen.covers(head.dot) else {
                return try isOlder(header, head) || isOfUnknownBranch(head, header)
            }
            guard head.hash != ReplicaState.unknownHash else { return false }
            return try branch(of: head, beside: header.segment.heads) == nil
        }
    }

    /// Returns whether a checkpoint tells of more changes of a writer than are known here, and yet is older than one of those
    /// that are known.
    ///
    /// The writer was set back then, and went on from there under its name: the checkpoint stands for the changes that it
    /// had made before, and has not seen the later ones. Merging it would take these for deleted. A checkpoint's clock is
    /// not before that of any change of its own device; what others say of a writer is only compared where that is this
    /// device, as nobody follows a clock that is days ahead.
    ///
    /// A device whose clock was ahead goes on by the right one under a new name. So changes of its former names that
    /// are dated days after now tell nothing.
    private func isOlder(_ header: CheckpointHeader, _ head: WriterHead) throws -> Bool {
        // What was renamed, as the two histories were told apart, is not covered by the head.
        if try covers(head, in: header) { return false }
        let isFormerName =
            try head.dot.writer != header.segment.writer
            && state.device(of: head.dot)?.id == header.segment.device.id
        let latest =
            isFormerName ? Int64(clamping: ReplicaState.latest(header.segment.clock.milliseconds).bits) : .max
        let sql = "WHERE branch = ? AND sequence <= ? AND state = 1 AND clock <= ? ORDER BY clock DESC LIMIT 1"
        let known = try state.segments(sql, [head.dot.writer.description, head.dot.sequence, latest])
        return known.contains { segment in
            (segment.isOwn || segment.device.id == header.segment.device.id) && segment.clock > header.segment.clock
        }
    }

    /// Returns whether the change of a checkpoint's head is known here, whatever its name.
    func covers(_ head: WriterHead, in header: CheckpointHeader) throws -> Bool {
        if state.seen.covers(head.dot) { return true }
        // Its author may know neither the fork nor the hash.
        guard head.hash != ReplicaState.unknownHash else {
            return try branch(of: head, beside: header.segment.heads) != nil
        }
        // Its author may know a branch by its earlier name.
        return try segments(of: head).contains { $0.state == .applied } || knownBranch(of: head) != nil
    }

    /// Returns the branch whose last change here is that of a head; nil where there is none.
    private func knownBranch(of head: WriterHead) throws -> WriterID? {
        guard head.hash != ReplicaState.unknownHash else { return nil }
        return try state.heads().first {
            try $0.dot.sequence == head.dot.sequence && head.names($0.hash)
                && !path(from: head.dot.writer, to: $0.dot.writer).isEmpty
        }?.dot.writer
    }

    /// Returns the branch to which a checkpoint's head belongs, though its author did not know of the fork.
    private func branch(of head: WriterHead, in header: CheckpointHeader) throws -> WriterID? {
        if head.hash == ReplicaState.unknownHash { return try branch(of: head, beside: header.segment.heads) }
        if let branch = try segments(of: head).first?.branch ?? knownBranch(of: head) { return branch }
        // A writer's own checkpoint is younger than the first change of its own branch.
        guard head.dot.writer == header.segment.writer else { return nil }
        let older = try branches(of: head).filter { branch in
            let first = try WriterFork.mark(of: branch).flatMap { try state.segments("WHERE hash = ?", [$0]).first }
            return first.map { $0.clock <= header.segment.clock } ?? true
        }
        return older.count == 1 ? older.first : nil
    }

    /// Returns the branches of a fork, one of which must have the change of a head; none where a writer is not forked so.
    private func branches(of head: WriterHead) throws -> [WriterID] {
        let rows = try Row.fetchAll(
            state.database,
            sql: "SELECT sequence, branch FROM fork WHERE writer = ? AND sequence <= ?",
            arguments: [head.dot.writer.description, head.dot.sequence]
        )
        let forks = Dictionary(grouping: rows) { $0[0] as Int }.filter { $0.value.count > 1 }
        return forks.min { $0.key < $1.key }?.value.compactMap { WriterID($0[1] as String) } ?? []
    }

    /// Returns whether a checkpoint's author did not know of a fork, and nothing tells here which branch it has.
    private func isOfUnknownBranch(_ head: WriterHead, _ header: CheckpointHeader) throws -> Bool {
        try head.hash != ReplicaState.unknownHash && !covers(head, in: header) && !branches(of: head).isEmpty
            && branch(of: head, in: header) == nil
    }

    /// Returns the segments that a head names, whatever the name of their branch.
    ///
    /// Its author may know a branch by the name that it had before it forked again.
    func segments(of head: WriterHead) throws -> [KnownSegment] {
        let writer = try root(of: head.dot.writer)
        return try state.segments("WHERE writer = ? AND sequence = ?", [writer.description, head.dot.sequence])
            .filter { head.names($0.hash) }
    }

    /// Returns whether segments contain all that is new in a checkpoint.
    private func isOnItsWay(_ header: CheckpointHeader) throws -> Bool {
        try header.segment.heads.allSatisfy { head in
            let first = state.seen[head.dot.writer] + 1
            guard first <= head.dot.sequence else { return true }
            let waiting = try state.count(
                "SELECT count(DISTINCT sequence) FROM segment WHERE branch = ? AND sequence BETWEEN ? AND ? AND state = 0",
                [head.dot.writer.description, first, head.dot.sequence]
            )
            return waiting == head.dot.sequence - first + 1
        }
    }

    /// Merges a checkpoint into the state, record by record.
    ///
    /// The caller's transaction rolls back if something is wrong with the file.
    private func join(_ file: ListedFile, _ header: CheckpointHeader) throws {
        let isNew = state.seen.isEmpty
        let (forks, theirs) = try compare(file, header, isChecked: true) { key, old, joined in
            if joined != old || isNew { try state.setRecord(key, joined) }
        }
        if !isNew { try state.noteUntoldDeletions(seen: theirs, isListed) }
        // The checkpoint's forks may have renamed what is known here.
        let ours = state.seen
        let hashes = Dictionary(header.segment.heads.map { ($0.dot, $0.hash) }) { first, _ in first }
        for dot in theirs.entries where !ours.covers(dot) {
            let old = forks.lazy.filter { $0.branch == dot.writer }.compactMap { hashes[Dot($0.writer, dot.sequence)] }
                .first
            try state.setHead(dot, hash: hashes[dot] ?? old ?? ReplicaState.unknownHash)
        }
        try noteAuthor(
            header.segment.device,
            writer: header.segment.writer,
            clock: header.segment.clock,
            heads: header.segment.heads
        )
        try noteFile(file, clock: header.segment.clock.milliseconds)
        // It may contain waiting segments.
        try state.execute(
            """
            UPDATE segment SET state = 1, bytes = iif(is_published, NULL, bytes),
                heads = iif(is_published, '{}', heads) WHERE state = 0
            AND sequence <= (SELECT h.sequence FROM head h WHERE h.writer = segment.branch)
            """
        )
        outcome.notes.append("took in the checkpoint \(file.path) of \(header.segment.device.name)")
    }

    /// Compares a checkpoint with the state, record by record.
    ///
    /// - Parameters:
    ///   - isChecked: Whether to look for changes of one number that differ.
    ///   - body: Takes each record of the state, and its merge with the checkpoint.
    /// - Returns: The renames in the checkpoint, and all its changes.
    /// - Throws: ``OtherChange`` for the first change that is another one here.
    func compare(
        _ file: ListedFile,
        _ header: CheckpointHeader,
        isChecked: Bool = false,
        _ body: (RecordKey, RecordState?, RecordState?) throws -> Void
    ) throws -> (forks: [WriterFork], theirs: VersionVector) {
        let forks = try applyForks(of: header)
        let ours = state.seen
        let theirs = forks.reduce(header.segment.base) { $1.renamed($0) }
        try state.execute(
            "CREATE TEMP TABLE IF NOT EXISTS listed (collection, key, PRIMARY KEY (collection, key)) WITHOUT ROWID"
        )
        try state.execute("DELETE FROM temp.listed")
        var clocks: [Dot: HybridClock?] = [:]
        try directory.readState(of: file) { found in
            guard found == header else { throw SegmentError.corrupt(1, "the header is not the one that was read") }
        } record: { key, record, _ in
            let record = forks.reduce(record) { $1.renamed($0) }
            guard !ours.isEmpty else { return try body(key, nil, record) }
            try state.execute("INSERT INTO temp.listed VALUES (?, ?)", [key.collection, key.key])
            let old = try state.record(key)
            if isChecked { try check(record, old, &clocks) }
            try body(key, old, RecordState.join(old, seen: ours, record, seen: theirs))
        }
        for key in try ours.isEmpty ? [] : state.keys() where try !isListed(key) {
            let old = try state.record(key)
            try body(key, old, RecordState.join(old, seen: ours, nil, seen: theirs))
        }
        return (forks, theirs)
    }

    /// Returns whether the checkpoint that was compared last has a record.
    private func isListed(_ key: RecordKey) throws -> Bool {
        let sql = "SELECT count(*) FROM temp.listed WHERE collection = ? AND key = ?"
        return try state.count(sql, [key.collection, key.key]) > 0
    }

    /// Checks that a checkpoint's record is of the changes that are known here.
    ///
    /// Two devices that write under one name give one number to two changes. Each change has a clock of its own.
    private func check(_ record: RecordState, _ old: RecordState?, _ clocks: inout [Dot: HybridClock?]) throws {
        for stamp in record.versions.map(\.stamp) where state.seen.covers(stamp.dot) {
            let known: HybridClock?
            if let same = old?.versions.first(where: { $0.stamp.dot == stamp.dot }) {
                known = same.stamp.clock
            } else if let found = clocks[stamp.dot] {
                known = found
            } else {
                let sql = "WHERE branch = ? AND sequence = ? AND state = 1"
                let segments = try state.segments(sql, [stamp.dot.writer.description, stamp.dot.sequence])
                known = segments.count == 1 ? segments[0].clock : nil
                clocks[stamp.dot] = .some(known)
            }
            if let known, known != stamp.clock { throw OtherChange(dot: stamp.dot) }
        }
    }

    /// Adds a checkpoint's forks to the state, and finds those that the checkpoint lacks.
    ///
    /// - Returns: The renames for the checkpoint.
    func applyForks(of header: CheckpointHeader) throws -> [WriterFork] {
        var writers: Set<WriterID> = []
        try noteElsewhere(header)
        for mark in header.forks {
            let fork = WriterFork(mark.writer, from: mark.sequence, as: mark.branch)
            try note(fork, mark.hash)
            writers.insert(mark.writer)
        }
        if !writers.isEmpty { try applyForks(of: writers) }
        try adoptNames(header.segment.heads)
        var renames: [WriterFork] = []
        for head in header.segment.heads {
            let found = try branches(of: head).isEmpty ? segments(of: head).first?.branch : branch(of: head, in: header)
            guard let branch = found, branch != head.dot.writer else { continue }
            for fork in try path(from: head.dot.writer, to: branch) where !renames.contains(fork) {
                renames.append(fork)
            }
        }
        return renames
    }
}

/// A change of a checkpoint whose number another change has here.
struct OtherChange: Error {
    let dot: Dot
}

extension ReplicaState {
    /// The hash that stands for an unknown segment.
    static let unknownHash = String(repeating: "0", count: ContentHash.length)
}
