internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

/// The limits of compaction, and how long unneeded files stay.
enum CompactionPolicy {
    /// The number of segments after the last checkpoint at which the next is written.
    static let mostSegments = 200
    /// The part of the last checkpoint's size at which the next is written, and the least size to ask for.
    static let largestContribution = 0.3
    static let fewestBytes = 256 << 10
    /// The number of this device's loose segments at which all but the latest are packed.
    static let mostLoose = 64
    static let keptLoose = 16
    /// The most bytes of a pack, which is read whole.
    static let largestPack = 8 << 20
    /// The time for which covered files stay, in milliseconds, so that slow devices find them.
    static let grace = 7 * 86_400_000
    /// The number of this device's checkpoints to keep.
    static let keptCheckpoints = 2
}

extension SyncSession {
    /// Writes a checkpoint, packs segments and removes unneeded files, when it is time.
    ///
    /// Only a device that has published does it, and only with its own files. Failures are tried again another time.
    ///
    /// - Parameter now: Whether to write a checkpoint and pack segments at once; failures are thrown then.
    func compactIfDue(now: Bool = false) throws {
        guard now || tellsNames || outcome.publishedBytes > 0, outcome.outbox == nil else { return }
        do {
            let hasCheckpoint = try now || tellsNames || needsCheckpoint()
            if hasCheckpoint { try writeCheckpoint() }
            try pack(all: now)
            if hasCheckpoint || listing.segments.count > CompactionPolicy.mostLoose { try removeNeedless() }
        } catch let error as DirectoryError {
            guard !now else { throw unpublished(error) }
            outcome.notes.append("files could not be brought together: \(error.message)")
        }
    }

    /// Returns the error for a folder that accepts no files, when writing there was the whole task.
    func unpublished(_ error: DirectoryError) -> SyncError {
        SyncError(.unpublished, "the folder accepts no files: \(error.message)", path: error.path)
    }

    // MARK: Checkpoints

    private func needsCheckpoint() throws -> Bool {
        let heads = try state.property(.checkpointHeads).flatMap(ReplicaState.heads) ?? []
        let seen = VersionVector(heads.map(\.dot))
        var count = 0
        var bytes = 0
        for dot in state.seen.entries where seen[dot.writer] < dot.sequence {
            let sql =
                "SELECT count(*), coalesce(sum(size), 0) FROM segment WHERE branch = ? AND sequence > ? AND state = 1"
            let row = try Row.fetchOne(
                state.database.cachedStatement(sql: sql),
                arguments: [dot.writer.description, seen[dot.writer]]
            )
            count += row?[0] ?? 0
            bytes += row?[1] ?? 0
        }
        if count >= CompactionPolicy.mostSegments { return true }
        guard let size = try state.property(.checkpointSize).flatMap(Int.init) else { return false }
        return bytes > max(CompactionPolicy.fewestBytes, Int(Double(size) * CompactionPolicy.largestContribution))
    }

    func writeCheckpoint() throws {
        guard let writer = WriterID(try state.required(.writer)), !state.seen.isEmpty else { return }
        let heads = try state.heads()
        let count = try state.recordCount()
        let clock = HybridClock(milliseconds: replica.environment.now())
        let header = CheckpointHeader(
            SegmentHeader(
                space: replica.space,
                app: replica.store.app,
                writer: writer,
                sequence: max(1, try state.integer(.sequence)),
                previous: nil,
                heads: heads,
                clock: max(clock, try state.clock()),
                device: replica.environment.device,
                program: replica.environment.program,
                schema: replica.info.schemaVersion,
                records: count
            ),
            forks: try state.forks()
        )
        let (hash, bytes) = try directory.publishCheckpoint(writer: writer, sequence: header.segment.sequence) { sink in
            try sink.write(header)
            try sink.writeLine(StateHeader(seen: VersionVector(heads.map(\.dot)), recordCount: count).encodedLine())
            try state.forEachLine { try sink.writeLine($0) }
        } check: { file in
            try checkWritten(file, header)
        }
        let file = ListedFile(.checkpoint, writer: writer, sequence: header.segment.sequence, hash: hash)
        try state.transaction {
            try noteFile(file, clock: replica.environment.now(), size: bytes, own: heads)
            try state.setProperty(.checkpointHeads, ReplicaState.text(heads))
            try state.setProperty(.checkpointSize, String(bytes))
        }
        listing.checkpoints.append(file)
        outcome.publishedBytes += bytes
        outcome.notes.append("wrote a checkpoint of \(count) records, \(bytes) bytes")
    }

    /// Reads a checkpoint back as others will, and compares it with its state.
    private func checkWritten(_ file: ListedFile, _ header: CheckpointHeader) throws {
        var last: RecordKey?
        do {
            let lines = try state.lines()
            try directory.readState(of: file) { found in
                guard found == header else { throw SegmentError.corrupt(1, "it is not the header that was written") }
            } record: { key, _, line in
                guard let own = try lines.next(), own.elementsEqual(line) else {
                    let message = "the record \(key.collection) \(key.key) is not the one that was written"
                    throw SegmentError.corrupt(0, message)
                }
                last = key
            }
        } catch let error as SegmentError {
            let place = last.map { ", behind the record \($0.collection) \($0.key)" } ?? ""
            let message =
                "a checkpoint could not be read back and was not published: line \(error.line)\(place): \(error.message)"
            throw DirectoryError(.corrupt, message, path: directory.path)
        }
    }

    // MARK: Packs

    /// Packs loose segments of this device's present writer, except the latest.
    private func pack(all: Bool) throws {
        let name = try state.required(.writer)
        let least = all ? 2 : CompactionPolicy.mostLoose
        let listed = listing.segments.count { $0.writer.description == name }
        // Only where there may be enough is it worth listing the folder once more.
        guard all || listed + outcome.published.count >= least else { return }
        let files = try directory.listing().segments.filter { $0.writer.description == name }
        guard files.count >= least else { return }
        var parts: [[ListedFile]] = []
        var room = 0
        for file in files.dropLast(all ? 0 : CompactionPolicy.keptLoose) {
            // A foreign or damaged file of this name stays unchanged.
            guard let size = try ownSize(file), (try? directory.verify(file)) != nil else { continue }
            if parts.isEmpty || room < size || parts[parts.count - 1].count >= PackIndex.mostEntries {
                parts.append([])
                room = CompactionPolicy.largestPack
            }
            parts[parts.count - 1].append(file)
            room -= size
        }
        for part in parts where part.count > 1 { try pack(part) }
    }

    /// Returns whether this device wrote a segment or a pack: a copy of the device may write under the same name.
    func isOwn(_ file: ListedFile) throws -> Bool {
        guard file.kind == .pack else { return try ownSize(file) != nil }
        guard try knowsFile(file.path) else { return false }
        let sql = """
            SELECT count(*) FILTER (WHERE is_own), count(*) FILTER (WHERE NOT is_own) FROM segment
            WHERE writer = ? AND sequence BETWEEN ? AND ?
            """
        let arguments: StatementArguments = [file.writer.description, file.sequence, file.last]
        let counts = try Row.fetchOne(state.database.cachedStatement(sql: sql), arguments: arguments)
        return counts?[0] == file.last - file.sequence + 1 && counts?[1] == 0
    }

    /// Returns whether this device has the changes of a file of one of some devices.
    func isKnown(_ file: ListedFile, of devices: Set<String>) throws -> Bool {
        guard !devices.isEmpty, let owner = try state.device(of: Dot(file.writer, file.sequence)) else { return false }
        guard devices.contains(owner.id) else { return false }
        guard file.kind == .segment else { return try knowsFile(file.path) }
        let sql = "WHERE writer = ? AND sequence = ? AND hash = ? AND state = 1"
        return try !state.segments(sql, [file.writer.description, file.sequence, file.hash]).isEmpty
    }

    /// Returns the size of a file of this device; nil for a file of another one.
    private func ownSize(_ file: ListedFile) throws -> Int? {
        try Int.fetchOne(
            state.database,
            sql: "SELECT size FROM segment WHERE writer = ? AND sequence = ? AND hash = ? AND is_own",
            arguments: [file.writer.description, file.sequence, file.hash]
        )
    }

    private func pack(_ packed: [ListedFile]) throws {
        guard let first = packed.first, let last = packed.last else { return }
        var segments: [PackedSegment] = []
        for file in packed { segments.append((file.sequence, file.hash, try directory.read(file))) }
        let (hash, written) = try directory.publishPack(segments, writer: first.writer)
        let pack = ListedFile(
            .pack,
            writer: first.writer,
            sequence: first.sequence,
            last: last.sequence,
            hash: hash
        )
        // Read the replacement back before removing anything.
        try directory.forEachSegment(of: pack) { try directory.coder.read($0.bytes) }
        try noteFile(pack, clock: 0)
        outcome.publishedBytes += written
        for file in packed { try directory.remove(file) }
        outcome.notes.append("packed \(packed.count) of this device's files into one")
    }

    // MARK: What is not needed any more

    /// Returns whether a checkpoint agrees with the state: it is read as others read it, and compared.
    ///
    /// Merging it must change no record, and the state must have all its changes.
    private func isTrue(_ file: ListedFile) throws -> Bool {
        struct Differs: Error {}
        do {
            let header = try directory.checkpointHeader(of: file)
            try state.transaction {
                _ = try compare(file, header) { _, old, joined in
                    guard joined == old else { throw Differs() }
                }
            }
            return header.segment.base.entries.allSatisfy { state.seen.covers($0) }
        } catch is Differs {
            return false
        } catch let error as DirectoryError where error.errno == nil {
            return false
        } catch is SegmentError {
            return false
        }
    }

    /// Removes this device's files that nobody needs.
    private func removeNeedless() throws {
        let (files, checkpoints) = try needless()
        for file in files { try directory.remove(file) }
        if !files.isEmpty { outcome.notes.append("removed \(files.count) files that a checkpoint holds") }
        for file in checkpoints { try directory.remove(file) }
    }

    /// Returns this device's files that a checkpoint covers, and its old checkpoints.
    ///
    /// The checkpoint exists, agrees with the state, and is older than the grace.
    func needless() throws -> (files: [ListedFile], checkpoints: [ListedFile]) {
        let listing = try directory.listing()
        let kept = try ownCheckpoints(listing)
        var needless: [ListedFile] = []
        // The newest one that is old enough: its content was a checkpoint for the whole grace.
        if let checkpoint = kept.first(where: { $0.age >= CompactionPolicy.grace }) {
            needless = try (listing.segments + listing.packs).filter { file in
                try checkpoint.seen[file.writer] >= file.last && isOwn(file)
            }
            if try !needless.isEmpty && !isTrue(checkpoint.file) {
                let path = directory.files.stored(checkpoint.file.path)
                outcome.notes.append("\(path) is not what this device knows: nothing is removed that it stands for")
                return ([], [])
            }
        }
        let old = kept.dropFirst(CompactionPolicy.keptCheckpoints).filter { $0.age >= CompactionPolicy.grace }
        return (needless, old.map(\.file))
    }

    /// A checkpoint of this device in the folder.
    private struct OwnCheckpoint {
        let file: ListedFile
        let seen: VersionVector
        let clock: Int
        /// The time since it was written, in milliseconds.
        var age = 0
    }

    /// Returns this device's checkpoints, those with the most changes first.
    ///
    /// Clocks jump, and changes only become more: so changes tell which checkpoint is newer. None is older than one with
    /// fewer changes, and one from the future has no age.
    private func ownCheckpoints(_ listing: DirectoryListing) throws -> [OwnCheckpoint] {
        let files = Dictionary(listing.checkpoints.map { ($0.path, $0) }) { first, _ in first }
        let sql = "SELECT name, clock, heads FROM checkpoint WHERE is_own AND heads IS NOT NULL"
        let known = try Row.fetchAll(state.database, sql: sql).compactMap { row -> (Int, OwnCheckpoint)? in
            guard let file = files[row[0]], let heads = ReplicaState.heads(row[2]) else { return nil }
            let seen = VersionVector(heads.map(\.dot))
            let count = seen.entries.reduce(0) { $0.addingReportingOverflow($1.sequence).partialValue }
            return (count, OwnCheckpoint(file: file, seen: seen, clock: row[1]))
        }
        let now = replica.environment.now()
        var latest = 0
        var checkpoints: [OwnCheckpoint] = []
        for (_, var checkpoint) in known.sorted(by: { ($0.0, $0.1.clock) < ($1.0, $1.1.clock) }) {
            if checkpoint.clock <= now {
                latest = max(latest, checkpoint.clock)
                checkpoint.age = now - latest
            }
            checkpoints.append(checkpoint)
        }
        return checkpoints.reversed()
    }
}

extension ReplicaState {
    /// Returns the known forks.
    func forks() throws -> [ForkMark] {
        try Row.fetchAll(database, sql: "SELECT writer, sequence, hash, branch FROM fork").map { row in
            guard let writer = WriterID(row[0] as String), let branch = WriterID(row[3] as String) else {
                throw damaged("fork", row[0])
            }
            return ForkMark(writer: writer, sequence: row[1], hash: row[2], branch: branch)
        }
    }
}
