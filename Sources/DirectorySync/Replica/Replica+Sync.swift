internal import FileSystem
internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension Replica {
    /// Publishes the store's changes, merges the changes of others, and applies them to the store.
    ///
    /// Sync first compares the store with the records it last applied, and stamps the differences with the changes seen
    /// *then*. It publishes them, reads the files of others, and merges. It writes the store in one transaction, which
    /// keeps other writers out. It is safe to interrupt: the next sync resumes.
    ///
    /// - Parameter decision: A person's decision on a mass change.
    /// - Throws: ``SyncError``, `DirectoryError` where the folder is missing or of another space, and the errors of the
    ///   store.
    public func sync(_ decision: SyncDecision = .none) throws -> SyncOutcome {
        try directory.check(space)
        try updateDeclaration(decision)
        return try withState { state in
            let session = SyncSession(self, state, decision)
            try session.run()
            try state.useLog()
            return session.outcome
        }
    }
}

/// One run of a sync.
final class SyncSession {
    let replica: Replica
    let state: ReplicaState
    let decision: SyncDecision
    let writer: SegmentMaker
    var outcome: SyncOutcome
    var listing = DirectoryListing() { didSet { checkpointsRead = nil } }
    /// The last changes and clocks of the writers' own checkpoints in the listing; read where they are needed.
    var ownCheckpoints: [WriterID: [(sequence: Int, clock: HybridClock)]] {
        let found = checkpointsRead ?? readOwnCheckpoints()
        checkpointsRead = found
        return found
    }
    private var checkpointsRead: [WriterID: [(sequence: Int, clock: HybridClock)]]?
    /// True if this device has names of continuations that others cannot find by themselves, so that it tells them.
    var tellsNames = false
    /// The hashes of the first changes of continuations that nothing here is of.
    var elsewhere: Set<String> = []
    /// True if checkpoints are believed about changes of this device that it lost when it was set back.
    var takesOwnPast = false
    /// True if a segment was forgotten, so that its file is read again.
    var readsAgain = false
    /// The records whose derived members may be edited: the store derives them again.
    var anew: Set<RecordKey> = []
    /// The written records of the store, up to a limit.
    var written = WrittenRecords()
    /// The latest deletions of each writer.
    var deletions: [WriterID: [ChangeDeletions]] = [:]
    /// The store's changes that a person's decision discards.
    var dropped: [DroppedRecord] = []
    /// True if the whole store was compared.
    var hasComparedAll = false
    /// The number of records in one write of the store.
    var pace: WritingPace
    /// The blocks of a new replica that the store gets next.
    var nextBlocks: NextBlocks?
    /// True if nothing is kept, published or written in the end.
    private(set) var isDryRun = false
    /// True if the store's file is unchanged since the last sync, so that it need not be opened.
    private var isStoreAsLeft = false
    private var hasWrittenStore = false

    var store: any SyncStore { replica.store }
    var directory: SyncDirectory { replica.directory }

    /// The number of attempts while the app writes, before sync makes the app wait.
    private static let mostAttempts = 3

    init(_ replica: Replica, _ state: ReplicaState, _ decision: SyncDecision = .none) {
        self.replica = replica
        self.state = state
        self.decision = decision
        pace = WritingPace(replica.environment.writesAtOnce)
        writer = SegmentMaker(replica, state)
        outcome = SyncOutcome(app: replica.app, store: replica.storePath)
    }

    func run() throws {
        defer { _ = nextBlocks?.resolved.take() }
        // The fingerprint comes before reading the store: later writes change it.
        let stamp = FileFingerprint(settledDatabase: replica.storePath)?.description
        isStoreAsLeft =
            try stamp != nil && stamp == state.property(.storeStamp) && decision == .none
            && !state.isFresh && state.property(.full) == nil
            && state.property(.resolvedBy) == replica.environment.program
        var plain = try takeInPlainFiles()
        try prepare()
        try directory.files.bringForward(hasRead)
        announce()
        try finish()
        // It may have been the last one that the others waited for.
        if try goOver() { plain = try takeInPlainFiles() }
        note(plain)
        if state.queries.hasWritten { try state.packIfMany() }
        if !isStoreAsLeft { try noteUnsynced() }
        guard !isStoreAsLeft, !hasWrittenStore, let stamp else { return }
        try state.setProperty(.storeStamp, stamp)
    }

    /// Names the store's tables and columns that do not sync, each once.
    private func noteUnsynced() throws {
        guard !(store is DocumentStore), let names = try? replica.unsynced() else { return }
        func line(_ name: String) -> String { name.split(separator: "\n").joined(separator: " ") }
        let told = try state.property(.unsynced)?.split(separator: "\n").map(String.init) ?? []
        outcome.unsynced = names.filter { !told.contains(line($0)) }
        guard names.map(line) != told else { return }
        try state.setProperty(.unsynced, names.isEmpty ? nil : names.map(line).joined(separator: "\n"))
    }

    /// Returns whether this device has read all that the file of a path holds.
    func hasRead(_ path: String) throws -> Bool {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 3, let writer = FileName.writer(ofFolder: parts[1]),
            case .file(let file) = FileName.read(parts[2], in: "\(parts[0])/\(parts[1])", of: writer)
        else { return false }
        switch file.kind {
        case .segment: return try state.knows(writer, file.sequence, file.hash)
        case .pack: return try knowsFile(file.path)
        case .checkpoint: return false
        }
    }

    /// Finishes an interrupted sync and lists the folder; for a new replica it also reads the folder's files.
    func prepare() throws {
        if !isStoreAsLeft { try recover() }
        listing = try directory.listing()
        try renewWriter()
        let isFresh = try state.isFresh
        if try isFresh || !isStoreAsLeft && isBehind() {
            // Read the folder first, so that records of the store that it has are no change.
            try ingest()
            if isFresh { state.waitingCollections = waitingCollections }
            defer { state.waitingCollections = [] }
            try joinWithoutStore()
        }
    }

    /// Does everything except publishing and writing the store, and rolls back.
    ///
    /// - Parameter look: Reads the result before the rollback.
    func dryRun(_ look: () throws -> Void = {}) throws {
        isDryRun = true
        let database = state.database
        try database.beginTransaction(.immediate)
        defer { rollback() }
        try recover()
        listing = try directory.listing()
        try renewWriter()
        for segment in try state.unpublishedSegments() { outcome.late.append(try summary(of: segment)) }
        try ingest()
        let isFirst = try state.isFresh || isBehind()
        if isFirst { outcome.received += try applyAll() }
        _ = try detectChanges()
        if !isFirst { outcome.received += try applyAll() }
        try restoreDependents()
        outcome.written = try apply()
        outcome.received = try written.effects(of: outcome.received, state, replica.info.schema)
        outcome.conflicts = try state.conflictCount()
        try addTitles()
        try updateIssues()
        try foreseeOutbox()
        try look()
    }

    /// Detects the store's changes, and rolls back.
    ///
    /// - Parameter look: Reads the result before the rollback.
    func dryRunDetection(_ look: () throws -> Void = {}) throws {
        isDryRun = true
        try state.database.beginTransaction(.immediate)
        defer {
            rollback()
            isDryRun = false
            outcome.published = []
        }
        try recover()
        if try isCopied() { try renewRestored() }
        if try isBehind(), let files = try? directory.listing() {
            listing = files
            try ingest()
            _ = try applyAll()
        }
        _ = try detectChanges()
        try look()
    }

    /// Reads the folder's new files as the next sync does, and rolls back.
    ///
    /// - Parameter look: Reads the result before the rollback.
    func dryRunReading<Result>(_ look: () throws -> Result) throws -> Result {
        let (issues, notes) = (outcome.issues, outcome.notes)
        isDryRun = true
        // A change that is rolled back needs no room on the disk.
        try state.database.execute(sql: "PRAGMA cache_spill = OFF")
        try state.database.beginTransaction(.immediate)
        defer {
            rollback()
            try? state.database.execute(sql: "PRAGMA cache_spill = ON")
            isDryRun = false
            (outcome.issues, outcome.notes) = (issues, notes)
        }
        try ingest()
        return try look()
    }

    /// Publishes, reads, merges and writes the store.
    func finish() throws {
        var hasIngested = false
        var attempts = 0
        written = WrittenRecords()
        while true {
            let journal = isStoreAsLeft ? SyncJournal(keys: [], revision: 0, isIntact: true) : try detectChanges()
            try endRestoring()
            try publish()
            if !hasIngested { try ingest() }
            hasIngested = true
            if isStoreAsLeft, try state.hasWaiting() {
                isStoreAsLeft = false
                continue
            }
            try joinWithoutStore()
            if try restoreDependents() { try publish() }
            try report(.applying, outcome.written)
            switch try integrate(journal) {
            case .all: break
            case .some:
                attempts = 0
                continue
            case .none:
                attempts += 1
                guard attempts >= Self.mostAttempts else { continue }
                try insist()
            }
            break
        }
        var seen: Set<RecordName> = []
        outcome.keptBack.removeAll { !seen.insert($0).inserted }
        outcome.received = try written.effects(of: outcome.received, state, replica.info.schema)
        outcome.notes += try state.notes + clockNotes()
        state.notes = []
        try compactIfDue()
        try confirm()
        outcome.conflicts = try state.conflictCount()
        try addTitles()
        try updateIssues()
    }

    /// Adds the titles of the records to which changed members refer.
    private func addTitles() throws {
        let lists: [WritableKeyPath<SyncOutcome, [SyncedChange]>] = [\.published, \.late, \.waiting, \.received]
        var titles = KnownTitles()
        for list in lists {
            for index in outcome[keyPath: list].indices {
                try replica.addTitles(to: &outcome[keyPath: list][index], state, &titles)
            }
        }
    }

    /// Writes the store of an app that never stops writing, and publishes the app's changes.
    private func insist() throws {
        guard try integrateWhileAppWaits() else {
            let message = "the app keeps writing to the store; not all could be written to it; try again"
            throw SyncError(.busy, message, path: replica.storePath)
        }
        try publish()
    }

    /// Finds the issues again, and keeps those of files.
    private func updateIssues() throws {
        var seen: Set<SyncIssue> = []
        // Several attempts may find an issue; report it once.
        outcome.issues = try (outcome.issues + issues(isAfterSync: true)).filter { seen.insert($0).inserted }
    }

    /// The property of a write of all records that the store lacks; of some, it is their number.
    static let all = "all"

    /// The property of a write that keeps the journal, and names what it leaves out.
    private static let namesLeftOut = "2"

    /// Finishes an earlier sync that wrote the store and ended before it noted that.
    ///
    /// - Returns: The number of records that the earlier sync had written or removed.
    @discardableResult
    func recover() throws -> Int {
        let next = try link(generation: state.integer(.generation) + 1)
        let link = try store.read { try $0.link }
        let keepsJournal = try state.property(.keepsJournal)
        // Where no write had begun, the state is an older copy, and nobody knows what the store was given.
        guard try keepsJournal != nil || link == next && hasBegunWriting() else { return 0 }
        return try state.transaction {
            try state.setProperty(.keepsJournal, nil)
            guard link == next else { return 0 }
            try state.setProperty(.generation, String(next.generation))
            if let blocks = try blocksBeingApplied() {
                try state.setProperty(.givingBlocks, nil)
                return try endWaiting(blocks)
            }
            let batch = try state.property(.giving).flatMap(Int.init).map(untried)
            guard let keepsJournal else { return try apply(batch) }
            // The write itself says what it left out: what the app wrote since is in the journal as well.
            if keepsJournal == Self.namesLeftOut { return try apply(batch, except: store.read { try $0.leftOut }) }
            // An earlier version did not say so; without a journal, a full comparison finds that.
            let journal = try store.read { try $0.journal }
            return try journal.isIntact ? apply(batch, except: Set(journal.keys)) : 0
        }
    }

    private func hasBegunWriting() throws -> Bool {
        try state.property(.giving) != nil || blocksBeingApplied() != nil || state.hasUntried()
    }

    /// Takes a new writer's name if another device uses this one's, this device was restored, or its clock was ahead.
    func renewWriter() throws {
        if try isCopied() {
            let name = try state.required(.writer)
            try state.transaction { try renewRestored() }
            outcome.notes.append(
                "another device writes as \(name), as this one was copied or restored; this one has a new name now"
            )
        }
        try writer.leaveClockAhead()
    }

    /// Takes a new writer's name on a copied or restored device.
    ///
    /// The store's changes may be published already, and others may have changed or deleted them since. So a person
    /// decides about them before sync publishes them.
    func renewRestored() throws {
        try writer.renew()
        try state.setProperty(.restored, "1")
    }

    /// Notes that the store of a copied or restored device has no changes that wait for a person's decision.
    func endRestoring() throws {
        guard try state.property(.restored) != nil else { return }
        try state.setProperty(.restored, nil)
    }

    /// Returns whether files in the listing have changes under this device's name that the device did not make.
    func isCopied() throws -> Bool {
        let name = try state.required(.writer)
        let others = (listing.segments + listing.packs).filter { $0.writer.description == name }
        let isContinued = try others.contains { file in
            let isOther =
                try file.kind == .pack
                ? file.last > state.integer(.sequence)
                : state.count(
                    "SELECT count(*) FROM segment WHERE writer = ? AND sequence = ? AND hash = ? AND is_own",
                    [name, file.sequence, file.hash]
                ) == 0
            return isOther && holdsChanges(file)
        }
        return try isContinued || isContinuedInCheckpoint(name)
    }

    /// Returns whether a new checkpoint in this device's name has changes that the device did not make.
    ///
    /// All devices would believe it, and never read what this device publishes under these numbers.
    private func isContinuedInCheckpoint(_ name: String) throws -> Bool {
        let (last, this) = (try state.integer(.sequence), replica.environment.device.id)
        var isContinued = false
        for file in listing.checkpoints where try !knowsFile(file.path) {
            try reading(file, isSilent: true) {
                let header = try directory.checkpointHeader(of: file)
                let segment = header.segment
                guard segment.space == replica.space, segment.app == replica.store.app,
                    segment.writer.description == name || segment.device.id == this,
                    segment.heads.contains(where: { $0.dot.writer.description == name && $0.dot.sequence > last })
                else { return }
                // Do not believe a checkpoint that is damaged further on.
                try directory.readState(of: file) { _, _, _ in }
                isContinued = true
            }
        }
        return isContinued
    }

    /// Returns whether a file has real changes, and is not damaged or still arriving.
    private func holdsChanges(_ file: ListedFile) -> Bool {
        do {
            if file.kind == .segment {
                try directory.coder.read(directory.read(file))
            } else {
                try directory.forEachSegment(of: file) { try directory.coder.read($0.bytes) }
            }
            return true
        } catch let error as SegmentError {
            if case .corrupt = error.code { return false }
            return true
        } catch {
            // A file that a cloud drive did not fetch may match its name.
            return (error as? DirectoryError)?.code == .notDownloaded
        }
    }

    // MARK: The store

    /// Merges everything and writes the store; writes nothing if the app wrote meanwhile.
    ///
    /// The merged state is committed before the store. If sync ends in between, the next one finds what to write, or
    /// that it is written.
    func integrate(_ journal: SyncJournal) throws -> AppliedToStore {
        guard try state.hasUntried() || !journal.keys.isEmpty || isRefusedWorthATry() else { return .all }
        guard !isStoreAsLeft else {
            isStoreAsLeft = false
            return .none
        }
        hasWrittenStore = true
        if let given = try applyWaiting(expecting: journal.revision) { return given }
        return try applyToStore(expecting: journal.revision, link: link(generation: state.integer(.generation) + 1))
    }

    /// Writes the store of an app that writes so often that the store changes after every comparison.
    ///
    /// First come all records that the app does not write, computed before the store is locked.
    ///
    /// Then one transaction of the store detects the app's few changes and applies other devices' changes of the same
    /// records. Sync publishes them afterwards.
    ///
    /// - Returns: False where the whole store must be compared.
    private func integrateWhileAppWaits() throws -> Bool {
        struct NotNow: Error {}
        struct NotAll: Error { let refused: [RecordKey: String] }
        try state.unpackWaiting()
        try state.setProperty(.givingBlocks, nil)
        hasWrittenStore = true
        while let batch = try nextBatch(), try applyOthers(batch) {}
        try applyOthers()
        let current = try link(generation: state.integer(.generation))
        let next = try link(generation: current.generation + 1)
        let (keptBack, before) = (outcome.keptBack, written)
        defer { endApplying() }
        while true {
            do {
                try state.transaction { try state.setProperty(.giving, Self.all) }
                let isDone = try store.write(expecting: nil, link: next) { writer in
                    let records = writer.records
                    guard try records.link == current, try detectJournalChanges(of: records) else { throw NotNow() }
                    try state.mayLoseCommits(true)
                    try state.database.beginTransaction(.immediate)
                    let plan = ApplyQueue(state)
                    let count = try apply(into: plan)
                    let refused = try plan.write(writer, fitting: true)
                    guard refused.isEmpty else { throw NotAll(refused: refused) }
                    outcome.written += count
                }
                guard isDone else { return false }
                try state.setProperty(.generation, String(next.generation))
                try state.setProperty(.giving, nil)
                try state.database.commit()
                return true
            } catch is NotNow {
                return false
            } catch let error as NotAll {
                endApplying()
                (outcome.keptBack, written) = (keptBack, before)
                try state.transaction { for (key, reason) in error.refused { try state.setRefused(key, reason) } }
            }
        }
    }

    /// Writes all records or some of them, except those that the store's journal notes, which it keeps.
    ///
    /// - Returns: Whether it wrote any.
    @discardableResult
    private func applyOthers(_ batch: [RecordKey]? = nil) throws -> Bool {
        struct NotNow: Error {}
        let untried = try state.untriedCount()
        let current = try link(generation: state.integer(.generation))
        let (keptBack, before) = (outcome.keptBack, written)
        try state.transaction {
            try state.setProperty(.keepsJournal, Self.namesLeftOut)
            try state.setProperty(.giving, batch.map { String($0.count) } ?? Self.all)
            try state.setProperty(.givingBlocks, nil)
        }
        defer { endApplying() }
        try state.database.beginTransaction(.immediate)
        let plan = ApplyQueue(state)
        try apply(batch, into: plan)
        do {
            _ = try store.write(expecting: nil, link: link(generation: current.generation + 1)) { writer in
                let journal = try writer.records.journal
                guard try writer.records.link == current, journal.isIntact else { throw NotNow() }
                try writer.keepJournal()
                _ = try plan.write(writer, fitting: false, except: Set(journal.keys))
            }
        } catch is NotNow {
        } catch let error as StoreError where error.code == .rejected {
            // The others show which of these the store rejects.
        }
        rollback()
        (outcome.keptBack, written) = (keptBack, before)
        outcome.written += try recover()
        try state.transaction { try state.setProperty(.giving, nil) }
        return try state.untriedCount() < untried
    }

    func link(generation: Int) throws -> SyncLink {
        SyncLink(space: replica.space, replica: try state.required(.replica), generation: generation)
    }

    func rollback() {
        if state.database.isInsideTransaction { try? state.database.rollback() }
        state.forgetSeen()
    }

    /// Reports the progress of the sync, which may end it.
    func report(_ phase: SyncProgress.Phase, _ completed: Int, of total: Int? = nil) throws {
        try replica.environment.progress(SyncProgress(phase: phase, completed: completed, total: total))
    }

    /// Merges records without a store.
    func joinWithoutStore() throws {
        try state.transaction { outcome.received += try applyAll() }
    }
}
