internal import FormatKit
internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

extension Replica {
    /// Reads every file of the folder, computes the digest of the state, and compares the whole store with it.
    ///
    /// It changes nothing.
    ///
    /// - Throws: ``SyncError``; `DirectoryError` where the folder is missing or is another space; `StoreError` where
    ///   the store cannot be read.
    public func verify() throws -> FolderVerification {
        try directory.check(space)
        return try withState { state in
            var found = FolderVerification()
            let listing = try directory.listing()
            let files = listing.segments + listing.packs + listing.checkpoints
            found.uncounted = directory.files.closedCount
            if directory.files.isSealed {
                for problem in listing.problems + (try directory.files.keyFaults()) {
                    let kind = SyncIssue.Kind(problem)
                    found.faults.append(
                        SyncIssue(kind: kind, path: problem.path, device: nil, message: problem.message)
                    )
                }
            }
            for (index, file) in files.enumerated() {
                try environment.progress(SyncProgress(phase: .reading, completed: index, total: files.count))
                verify(file, &found)
            }
            try environment.progress(SyncProgress(phase: .detecting, completed: 0, total: nil))
            for file in listing.doubtful where isDamaged(copy: file) {
                found.faults.append(
                    SyncIssue(kind: .damaged, path: file.path, device: nil, message: words(ofCopy: file, listing))
                )
            }
            found.faults += listing.placeholders.map(SyncIssue.init(placeholder:))
            // A placeholder, a newer program's file or one of another key may hold the changes that seem to be gone.
            if !found.faults.contains(where: { [.noKey, .notDownloaded, .tooNew].contains($0.kind) }) {
                if let fault = try missingFiles(listing, state) { found.faults.append(fault) }
                found.faults += try missingOfOthers(listing, state)
            }
            try state.checkPackedLinks()
            var digest = StateDigest(
                StateHeader(seen: state.seen, recordCount: try state.recordCount())
            )
            try state.forEachLine { line in line.withUnsafeBytes { digest.update($0) } }
            found.stateDigest = digest.finalize()
            found.digest = try store.read { records in
                var shown = StoreDigest(info)
                for collection in store.collections {
                    try shown.add(collection, of: records) { key, object in
                        guard info.declaration != nil else { return object }
                        let record = RecordKey(key)
                        let held = try state.held(record)?.inStore(record, info.schema)
                        return info.completed(record, object, from: held)
                    }
                }
                return shown.finalize(found.stateDigest)
            }
            found.evicted = try state.evictedCount()
            let tooLarge = try state.tooLarge()
            found.differing = try differing(state).filter { tooLarge[RecordKey($0.collection, $0.key)] == nil }
            let session = SyncSession(self, state)
            session.listing = listing
            found.faults += try session.severalSpaces + session.tooLargeRecords()
            // Damaged and missing files are the reason why others wait.
            if found.faults.isEmpty { found.faults = try waiting(session) }
            let issues = try session.keyIssues()
            found.faults += issues
            found.uncounted -= issues.count { $0.kind == .oldKey }
            found.unsynced = try unsynced()
            return found
        }
    }

    private func verify(_ file: ListedFile, _ found: inout FolderVerification) {
        func note(_ kind: SyncIssue.Kind, _ message: String) {
            let path = directory.files.stored(file.path)
            found.faults.append(SyncIssue(kind: kind, path: path, device: nil, message: message))
        }
        do {
            switch file.kind {
            case .segment: try directory.coder.read(directory.read(file))
            case .pack: try directory.forEachSegment(of: file) { try directory.coder.read($0.bytes) }
            case .checkpoint: try directory.readState(of: file) { _, _, _ in }
            }
            found.sound += 1
        } catch let error as DirectoryError where error.code == .gone {
            return
        } catch let error as DirectoryError {
            note(SyncIssue.Kind(error), error.message)
        } catch let error as SegmentError {
            if case .tooNew = error.code { note(.tooNew, error.message) } else { note(.damaged, error.message) }
        } catch {
            note(.damaged, "\(error)")
        }
    }

    /// Returns issues of changes and checkpoints that wait for others.
    private func waiting(_ session: SyncSession) throws -> [SyncIssue] {
        try (session.unusableFiles() + session.issues()).filter { [.missing, .unshown].contains($0.kind) }
    }

    /// Returns the known changes that no file has any more.
    private func missing(_ sql: String, _ listing: DirectoryListing, _ state: ReplicaState) throws -> [KnownSegment] {
        let hashes = Set(listing.segments.map(\.hash))
        let held = listing.checkpoints.compactMap { try? directory.checkpointHeader(of: $0).segment.base }
        return try state.segments("WHERE \(sql) ORDER BY writer, sequence").filter { segment in
            let isPacked = listing.packs.contains {
                $0.writer == segment.writer && ($0.sequence...$0.last).contains(segment.sequence)
            }
            return !hashes.contains(segment.hash) && !isPacked && !held.contains { $0.covers(segment.dot) }
        }
    }

    /// Returns an issue for each other device of whose changes no file is there any more, though this device has them.
    ///
    /// - Parameter condition: Which changes to look for; nil for all.
    func missingOfOthers(
        _ listing: DirectoryListing,
        _ state: ReplicaState,
        where condition: String? = nil
    ) throws -> [SyncIssue] {
        let missing = try missing("NOT is_own AND state = 1 AND (\(condition ?? "true"))", listing, state)
        return Dictionary(grouping: missing, by: \.device.id).sorted { $0.key < $1.key }.map { _, segments in
            let changes = segments.count == 1 ? "1 change" : "\(segments.count) changes"
            let message =
                "\(changes) of \(segments[0].device.name) that this device has; no other file holds them, and a device that"
                + " joins would lack them: \"foldersync repair\" writes a file that does; if that device is lost, retire it too"
            return SyncIssue(kind: .gone, path: segments[0].file.path, device: segments[0].device, message: message)
        }
    }

    /// Returns an issue for published changes of this device that no file has any more.
    private func missingFiles(_ listing: DirectoryListing, _ state: ReplicaState) throws -> SyncIssue? {
        let missing = try missing("is_own AND is_published", listing, state)
        guard let first = missing.first else { return nil }
        let message =
            "\(missing.count) of them, and no other file holds their changes; \"foldersync repair\" publishes these again"
        return SyncIssue(kind: .gone, path: first.file.path, device: environment.device, message: message)
    }

    /// Returns the records that differ from what sync applied, though the journal does not note them.
    private func differing(_ state: ReplicaState) throws -> [RecordName] {
        guard try !state.isFresh else { return [] }
        return try store.read { records in
            let edited = Set(try records.journal.keys)
            let tooLarge = try state.tooLarge()
            var found: [RecordName] = []
            for collection in store.collections where store.wholeCollections.contains(collection) {
                guard !edited.contains(StoreRecordKey(collection, "")) else { continue }
                found += try differing(whole: collection, records, state)
            }
            for collection in store.collections where !store.wholeCollections.contains(collection) {
                let rules = info.schema.record(in: collection)
                try records.forEachRecord(in: collection, by: .key) { key, object in
                    let record = RecordKey(key)
                    let held = try state.held(record)
                    let given = held?.inStore(record, info.schema).map { info.sent(record, $0) }
                    let now = info.completed(record, info.sent(record, object), from: given)
                    guard !edited.contains(key), given != now, !(given.map { rules.prefers($0, to: now) } ?? false)
                    else {
                        return
                    }
                    found.append(RecordName(record, title: info.title(record, object)))
                } unreadable: { _ in
                }
                try state.forEachRecord(in: collection) { key, held in
                    guard held.isInStore, !edited.contains(key.inStore),
                        tooLarge[key] == nil, try records.record(key.inStore) == nil
                    else { return }
                    let title = info.title(key, held.inStore(key, info.schema))
                    found.append(RecordName(key, title: title))
                }
            }
            return found
        }
    }

    /// Does the same for a collection whose keys depend on known records.
    private func differing(
        whole collection: String,
        _ records: any SyncRecords,
        _ state: ReplicaState
    ) throws -> [RecordName] {
        var known = RecordSet()
        try state.forEachRecord(in: collection) { key, held in known[key] = held.inStore(key, info.schema) }
        var objects: [JSONObject] = []
        try records.forEachRecord(in: collection) {
            objects.append($1)
        } unreadable: { row in
            // The unreadable row stands for the applied record.
            if let given = known.objects.first(where: { $0.value["id"]?.string == row.key }) {
                objects.append(given.value)
            }
        }
        let now = try info.records(of: collection, objects, known: known).objects
        let keys = Set(now.keys).union(known.objects.keys).filter { key in
            // A record with only local members counts as missing.
            (now[key].map { info.sent(key, $0) } ?? [:]) != (known.objects[key] ?? [:])
        }
        return keys.sorted().map { key in
            RecordName(key, title: info.title(key, now[key] ?? known[key]))
        }
    }

    /// Publishes everything again if files of this device are missing, as in a copy of the folder made before they arrived.
    ///
    /// - Returns: What it did; nil where none is missing.
    /// - Throws: The errors of ``repair()``.
    package func publishMissing() throws -> SyncOutcome? {
        guard try withState({ try missingFiles(directory.listing(), $0) }) != nil else { return nil }
        return try repair()
    }

    /// Publishes a checkpoint of the whole state, so that the folder has everything again.
    ///
    /// It makes the store's triggers again, compares the whole store, and removes this device's damaged files.
    ///
    /// It also removes a transport's damaged copies of intact files. If only the folder's marker is gone, it writes the
    /// marker again.
    ///
    /// - Throws: `sync.unpublished` where the folder accepts no files; the errors of ``sync(_:)``.
    public func repair() throws -> SyncOutcome {
        let lacksMarker = try directory.lacksOnlyMarker(of: space)
        if lacksMarker {
            let now = Moments.text(environment.now())
            try directory.restoreMarker(of: space, device: environment.device, now: now)
        }
        return try edit(takingOwnPast: true) { session in
            if lacksMarker { session.outcome.notes.append("wrote the folder's missing marker again") }
            session.listing = try directory.listing()
            session.announce()
            session.outcome.notes += try directory.files.repairKeys(isPreview: false)
            do {
                try session.writeCheckpoint()
            } catch let error as DirectoryError where error.code != .corrupt {
                throw session.unpublished(error)
            }
            for file in try damagedFiles(session) {
                let path = directory.files.stored(file.path)
                try directory.remove(file)
                session.outcome.notes.append("removed \(path), which was damaged; a checkpoint holds its changes")
            }
            for file in needlessCopies(session.listing) {
                let path = directory.files.stored(file.path)
                try directory.remove(file)
                session.outcome.notes.append("removed \(path), a damaged copy of \(file.properPath)")
            }
            try session.state.setProperty(.full, FullComparison.journal.rawValue)
            return []
        }
    }

    /// Returns what ``repair()`` would do, and changes nothing.
    ///
    /// - Throws: The errors of ``sync(_:)``.
    public func previewRepair() throws -> SyncOutcome {
        try preview { session in
            session.outcome.notes += try directory.files.repairKeys(isPreview: true)
            session.outcome.notes.append("would write a checkpoint of \(try session.state.recordCount()) records")
            for file in try damagedFiles(session) {
                session.outcome.notes.append(
                    "would remove \(directory.files.stored(file.path)), which is damaged; a checkpoint holds its changes"
                )
            }
            for file in needlessCopies(session.listing) {
                let path = directory.files.stored(file.path)
                session.outcome.notes.append("would remove \(path), a damaged copy of \(file.properPath)")
            }
        }
    }

    /// Writes a checkpoint, packs this device's segments, and removes its files that are no longer needed.
    ///
    /// - Throws: The errors of ``sync(_:)``.
    public func compact() throws -> SyncOutcome {
        try directory.check(space)
        try completeTakeOver()
        return try withState { state in
            let session = SyncSession(self, state)
            try session.run()
            try session.compactIfDue(now: true)
            return session.outcome
        }
    }

    /// Returns what ``compact()`` would do, and changes nothing.
    ///
    /// - Throws: The errors of ``sync(_:)``.
    public func previewCompact() throws -> SyncOutcome {
        try preview { session in
            let writer = try session.state.required(.writer)
            let loose = session.listing.segments.count { $0.writer.description == writer }
            let files = try loose + session.state.unpublishedSegments().count
            session.outcome.notes.append("would write a checkpoint of \(try session.state.recordCount()) records")
            if files > 1 { session.outcome.notes.append("would pack \(files) of this device's files into one") }
            let needless = try session.needless()
            let count = needless.files.count + needless.checkpoints.count
            if count > 0 { session.outcome.notes.append("would remove \(count) files that a checkpoint holds") }
        }
    }

    func preview(_ look: (SyncSession) throws -> Void) throws -> SyncOutcome {
        let lacksMarker = try directory.lacksOnlyMarker(of: space)
        if !lacksMarker { try directory.check(space) }
        return try withState { state in
            let session = SyncSession(self, state)
            if lacksMarker { session.outcome.notes.append("would write the folder's missing marker again") }
            try session.dryRun { try look(session) }
            return session.outcome
        }
    }

    /// Writes the whole state as canonical bytes, in the form of docs/sync.md.
    ///
    /// - Parameter sink: Takes the bytes.
    /// - Throws: ``SyncError`` where the replica's own file cannot be read, and the error of `sink`.
    public func dump(to sink: ([UInt8]) throws -> Void) throws {
        try withState { state in
            try sink(StateHeader(seen: state.seen, recordCount: try state.recordCount()).encodedLine() + [0x0A])
            try state.forEachLine { try sink($0 + [0x0A]) }
        }
    }

    /// Returns what a sync would publish and receive, and changes nothing.
    ///
    /// It reads the folder's files without keeping them.
    ///
    /// - Throws: The errors of ``sync(_:)``.
    public func preview(_ decision: SyncDecision = .none) throws -> SyncOutcome {
        try directory.check(space)
        return try withState { state in
            let session = SyncSession(self, state, decision)
            try session.dryRun()
            return session.outcome
        }
    }

    /// Reunites devices that each ran `init` in one folder: this store joins the space that stays.
    ///
    /// - Returns: The space that stays.
    /// - Throws: `sync.folder` where the folder does not hold the replica's space; the errors of opening, syncing,
    ///   leaving and joining.
    public static func mergeSpaces(folder: String, store path: String, _ environment: SyncEnvironment) throws -> String
    {
        let replica: Replica
        do {
            replica = try Replica(folder: folder, store: path, environment)
        } catch let error as SyncError where error.code == .notJoined || error.code == .state {
            // An earlier run ended after the store had left and before it joined.
            guard let winner = try? space(of: folder) else { throw error }
            try join(folder: folder, space: winner, store: path, environment)
            return winner
        }
        let (spaces, winner) = try replica.adoption()
        if replica.space != winner {
            // First read what others wrote in the space that ends.
            try replica.withState { state in try SyncSession(replica, state).run() }
            if let reason = try replica.undecided() { throw SyncError(.severalSpaces, reason, path: path) }
        }
        for losing in spaces.current where losing != winner { try replica.directory.adopt(losing, into: winner) }
        guard replica.space != winner else { return winner }
        try replica.leave()
        try join(folder: folder, space: winner, store: path, environment)
        return winner
    }

    /// Returns what ``mergeSpaces(folder:store:_:)`` would do, and changes nothing.
    ///
    /// - Returns: The space that stays, and a sentence about this store in the outcome's notes.
    /// - Throws: `sync.folder` where the folder does not hold the replica's space; `DirectoryError` where the folder
    ///   cannot be listed.
    public func previewMergingSpaces() throws -> (space: String, outcome: SyncOutcome) {
        let (_, winner) = try adoption()
        var outcome = SyncOutcome(app: app, store: storePath)
        outcome.notes = [
            winner == space
                ? "stays in the space \(winner)"
                : "would leave the space \(space) and join \(winner), with all that both have"
        ]
        if space != winner, let reason = try undecided() { outcome.notes = ["would stop: \(reason)"] }
        return (winner, outcome)
    }

    /// Returns why this store cannot go over to another space, as only what it shows goes along; nil where it can.
    private func undecided() throws -> String? {
        try withState { state in
            let conflicts = try state.conflictCount()
            let blocked = try heldBack(state).count + state.refused().count
            var parts: [String] = []
            if conflicts > 0 {
                let noun = conflicts == 1 ? "conflict" : "conflicts"
                parts.append("\(conflicts) open \(noun) (see foldersync conflicts)")
            }
            if blocked > 0 {
                let records = blocked == 1 ? "record" : "records"
                parts.append("\(blocked) \(records) that it does not take (see foldersync status)")
            }
            guard !parts.isEmpty else { return nil }
            return "this store has \(parts.joined(separator: " and ")), and only what it shows goes over to the other"
                + " space: decide these first, then run foldersync merge-spaces again"
        }
    }

    /// Returns the folder's spaces, and the one that stays.
    private func adoption() throws -> (spaces: Spaces, winner: String) {
        let spaces = try directory.spaces()
        guard !directory.files.isSealed || spaces.current == [space] else {
            let message =
                "the space \(space) is encrypted, and spaces with two keys are not merged: run foldersync leave, delete this"
                + " space's satchel-….root, and join the other one"
            throw SyncError(.folder, message, path: folder)
        }
        guard let winner = spaces.current.min(), spaces.known.contains(space) else {
            throw SyncError(.folder, "the folder does not hold the space \(space)", path: folder)
        }
        return (spaces, winner)
    }
}
