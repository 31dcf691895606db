internal import AppStores
internal import GRDB
internal import RecordMerge

extension SyncSession {
    /// Takes in checkpoints that hold changes whose segments are not in the folder any more.
    func joinCheckpoints() throws {
        var candidates: [(file: ListedFile, header: CheckpointHeader)] = []
        for file in listing.checkpoints where try !knowsFile(file.path) {
            do {
                let header = try directory.checkpointHeader(of: file)
                guard header.segment.space == replica.space else { continue }
                guard header.segment.app == replica.store.app else {
                    try noteFile(file, clock: 0)
                    continue
                }
                candidates.append((file, header))
            } catch let error as DirectoryError {
                note(error, file)
            } catch let error as SegmentError {
                outcome.hindrances.append(
                    SyncHindrance(kind: .damaged, path: file.path, device: nil, message: error.message)
                )
            }
        }
        // The one that reaches furthest first, so that most others need not be read.
        for (file, header) in candidates.sorted(by: { $0.header.segment.clock > $1.header.segment.clock }) {
            if try isCovered(header) {
                try noteFile(file, clock: Int(truncatingIfNeeded: header.segment.clock.milliseconds))
            } else if try state.seen.isEmpty || !isOnItsWay(header) {
                try join(file, header)
            }
        }
    }

    private func note(_ error: DirectoryError, _ file: ListedFile) {
        guard error.code != .gone else { return }
        let kind: SyncHindrance.Kind = error.code == .notDownloaded ? .notDownloaded : .damaged
        outcome.hindrances.append(SyncHindrance(kind: kind, path: file.path, device: nil, message: error.message))
    }

    private func isCovered(_ header: CheckpointHeader) throws -> Bool {
        try header.segment.heads.allSatisfy { head in
            if state.seen.covers(head.dot) { return true }
            // Its author may know a branch by the name that it had before.
            let known = try state.segments(
                "WHERE writer = ? AND sequence = ? AND hash GLOB ? AND state = 1",
                [head.dot.writer.description, head.dot.sequence, head.hash + "*"]
            )
            return !known.isEmpty
        }
    }

    /// Whether all that a checkpoint has more is there as segments.
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

    /// Joins a checkpoint with what is known, record by record.
    private func join(_ file: ListedFile, _ header: CheckpointHeader) throws {
        let forks = try settleForks(of: header)
        let ours = state.seen
        let theirs = forks.reduce(header.segment.base) { $1.renamed($0) }
        try state.execute(
            "CREATE TEMP TABLE IF NOT EXISTS listed (collection, key, PRIMARY KEY (collection, key)) WITHOUT ROWID"
        )
        try state.execute("DELETE FROM temp.listed")
        let isEmpty = ours.isEmpty
        var decoder = LineDecoder()
        var number = 1
        do {
            try directory.readCheckpoint(file, header: { _ in }) { line in
                number += 1
                if number == 2 { return try check(decoder.stateHeader(line, number: number), header, file) }
                let found = try decoder.record(line, number: number)
                let record = forks.reduce(found.record) { $1.renamed($0) }
                if isEmpty {
                    try state.setRecord(found.key, record)
                } else {
                    try state.execute("INSERT INTO temp.listed VALUES (?, ?)", [found.key.collection, found.key.key])
                    try join(found.key, ours, record, theirs)
                }
            }
        } catch let error as DirectoryError {
            return note(error, file)
        }
        if !isEmpty {
            for key in try state.keys() {
                let isListed = try state.count(
                    "SELECT count(*) FROM temp.listed WHERE collection = ? AND key = ?",
                    [key.collection, key.key]
                )
                if isListed == 0 { try join(key, ours, nil, theirs) }
            }
        }
        let hashes = Dictionary(header.segment.heads.map { ($0.dot, $0.hash) }) { first, _ in first }
        for dot in theirs.entries where !ours.covers(dot) {
            let old = forks.lazy.compactMap { fork in hashes[Dot(fork.writer, dot.sequence)] }.first
            try state.setHead(dot, hash: hashes[dot] ?? old ?? ReplicaState.unknownHash)
        }
        try state.advance(header.segment.clock)
        try state.note(
            header.segment.device,
            writer: header.segment.writer,
            clock: header.segment.clock,
            heads: header.segment.heads
        )
        try noteFile(file, clock: header.segment.clock.milliseconds)
        // Segments that waited may be in it.
        try state.execute(
            """
            UPDATE segment SET state = 1, bytes = iif(is_published, NULL, bytes) WHERE state = 0
            AND sequence <= (SELECT h.sequence FROM head h WHERE h.writer = segment.branch)
            """
        )
        outcome.notes.append("took in the checkpoint \(file.path) of \(header.segment.device.name)")
    }

    private func check(_ state: StateHeader, _ header: CheckpointHeader, _ file: ListedFile) throws {
        guard state.seen == header.segment.base else {
            let message = "line 2: the state has seen other changes than the header says"
            throw DirectoryError(.corrupt, message, path: file.path)
        }
    }

    private func join(
        _ key: RecordKey,
        _ ours: VersionVector,
        _ record: RecordState?,
        _ theirs: VersionVector
    ) throws {
        let old = try state.record(key)
        let joined = RecordState.join(old, seen: ours, record, seen: theirs)
        if joined != old { try state.setRecord(key, joined) }
    }

    /// Makes the forks that a checkpoint knows known here, and finds those that it does not know.
    ///
    /// - Returns: What has to be renamed in the checkpoint.
    private func settleForks(of header: CheckpointHeader) throws -> [WriterFork] {
        var writers: Set<WriterID> = []
        for mark in header.forks {
            let fork = WriterFork(mark.writer, from: mark.sequence, as: mark.branch)
            try note(fork, mark.hash)
            writers.insert(mark.writer)
        }
        if !writers.isEmpty { try settleForks(of: writers) }
        var renames: [WriterFork] = []
        for head in header.segment.heads {
            let known = try state.segments(
                "WHERE writer = ? AND sequence = ? AND hash GLOB ?",
                [head.dot.writer.description, head.dot.sequence, head.hash + "*"]
            ).first
            guard let branch = known?.branch, branch != head.dot.writer else { continue }
            for fork in try path(from: head.dot.writer, to: branch) where !renames.contains(fork) {
                renames.append(fork)
            }
        }
        return renames
    }
}

extension ReplicaState {
    /// What stands for the hash of a segment that nobody here has seen.
    static let unknownHash = "00000000"
}
