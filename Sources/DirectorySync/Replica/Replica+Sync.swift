internal import FileSystem
internal import GRDB
internal import RecordMerge
internal import RecordStore

extension Replica {
    /// Publishes what was changed in the store, takes in what others changed, and writes it into the store.
    ///
    /// The order is: what a person changed is compared with what the store was given, and stamped with what was seen *then*; it
    /// is published; files of others are read; all comes together; the store is written in one transaction, in which nobody
    /// else writes. Ended at any place, the next synchronisation goes on where it has to.
    ///
    /// - Parameter decision: What a person decided where a store lost much at once.
    /// - Throws: ``SyncError``, ``DirectoryError`` where the folder is not there, and what the store throws.
    public func sync(_ decision: SyncDecision = .none) throws -> SyncOutcome {
        try directory.check(space)
        try updateDeclaration()
        return try withState { state in
            let session = SyncSession(self, state, decision)
            try session.run()
            try state.useLog()
            return session.outcome
        }
    }
}

/// One synchronisation.
final class SyncSession {
    let replica: Replica
    let state: ReplicaState
    let decision: SyncDecision
    let writer: SegmentMaker
    var outcome: SyncOutcome
    var listing = DirectoryListing()
    /// Records whose derived members somebody may have set: the store works them out anew.
    var anew: Set<RecordKey> = []
    /// What was done to the records of the store, up to a limit.
    var written = WrittenRecords()
    /// Whether the store was compared as a whole.
    var hasComparedAll = false
    /// How many records the store is given at once.
    var pace: WritingPace
    /// Whether nothing is kept, published or written in the end.
    private(set) var isDryRun = false
    /// Whether the store's file is the very one that the last synchronisation left, so that it need not be opened.
    private var isStoreAsLeft = false
    private var hasWrittenStore = false

    var store: any SyncStore { replica.store }
    var directory: SyncDirectory { replica.directory }

    /// How often it begins anew where the app writes meanwhile, before it keeps the app waiting.
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
        // Taken before the store is looked at: what is written to it from now on changes the stamp.
        let stamp = FileFingerprint(settledDatabase: replica.storePath)?.description
        isStoreAsLeft =
            try stamp != nil && stamp == state.property("store-stamp") && decision == .none
            && state.property("fresh") == nil && state.property("full") == nil
        try prepare()
        try finish()
        guard !isStoreAsLeft, !hasWrittenStore, let stamp else { return }
        try state.setProperty("store-stamp", stamp)
    }

    /// Finishes what was begun, and sees what is in the folder; of a new replica, all that it holds.
    func prepare() throws {
        if !isStoreAsLeft { try recover() }
        listing = try directory.listing()
        try renewWriter()
        if try state.property("fresh") != nil {
            // What the folder has is known first, so that what the store has of it already is no change.
            try ingest()
            try joinWithoutStore()
        }
    }

    /// Does all but publish and write the store, and takes it back.
    ///
    /// - Parameter look: Looks at what there would be, before that.
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
        let isFresh = try state.property("fresh") != nil
        if isFresh { outcome.received += try applyAll() }
        _ = try detectChanges()
        if !isFresh { outcome.received += try applyAll() }
        outcome.written = try apply()
        outcome.received = try written.effects(of: outcome.received, state, replica.info.schema)
        outcome.conflicts = try state.conflictCount()
        try updateIssues()
        try look()
    }

    /// Finds what was changed in the store, and takes it back.
    ///
    /// - Parameter look: Looks at what there is then, before that.
    func dryRunDetection(_ look: () throws -> Void = {}) throws {
        isDryRun = true
        try state.database.beginTransaction(.immediate)
        defer {
            rollback()
            isDryRun = false
            outcome.published = []
        }
        try recover()
        _ = try detectChanges()
        try look()
    }

    /// Publishes, reads, brings together and writes the store.
    func finish() throws {
        var hasIngested = false
        var attempts = 0
        written = WrittenRecords()
        while true {
            let journal = isStoreAsLeft ? SyncJournal(keys: [], revision: 0, isIntact: true) : try detectChanges()
            try publish()
            if !hasIngested { try ingest() }
            hasIngested = true
            if isStoreAsLeft, try state.hasWaiting() {
                isStoreAsLeft = false
                continue
            }
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
        outcome.notes += state.decided
        state.decided = []
        try keepHouse()
        try confirm()
        outcome.conflicts = try state.conflictCount()
        try updateIssues()
    }

    /// Writes the store of an app that leaves no time between its own writes, and publishes what the app changed.
    private func insist() throws {
        guard try integrateWhileAppWaits() else {
            let message = "the app keeps writing to the store; not all could be written to it; try again"
            throw SyncError(.busy, message, path: replica.storePath)
        }
        try publish()
    }

    /// What was found before in files stays; all else is looked at again.
    private func updateIssues() throws {
        var seen: Set<SyncIssue> = []
        // What another attempt found once more is said once.
        outcome.issues = try (outcome.issues + issues()).filter { seen.insert($0).inserted }
    }

    /// Finishes what an earlier synchronisation could not: it had written the store and was ended before it noted that.
    ///
    /// - Returns: The number of records that it had written or removed.
    @discardableResult
    func recover() throws -> Int {
        let next = try link(generation: state.integer("generation") + 1)
        let link = try store.read { try $0.link }
        let keepsJournal = try state.property("keeps-journal") != nil
        guard link == next || keepsJournal else { return 0 }
        return try state.transaction {
            try state.setProperty("keeps-journal", nil)
            guard link == next else { return 0 }
            try state.setProperty("generation", String(next.generation))
            let batch = try state.property("giving").flatMap(Int.init).map(untried)
            guard keepsJournal else { return try apply(batch) }
            // What the app wrote meanwhile was left out; where the journal is gone that is found by comparing all.
            let journal = try store.read { try $0.journal }
            return try journal.isIntact ? apply(batch, except: Set(journal.keys)) : 0
        }
    }

    /// Takes a new writer's name where somebody else goes on under this one, or this device was set back.
    func renewWriter() throws {
        let name = try state.required("writer")
        let others = (listing.segments + listing.packs).filter { $0.writer.description == name }
        let isContinued = try others.contains { file in
            let isOther =
                try file.kind == .pack
                ? file.last > state.integer("sequence")
                : state.count(
                    "SELECT count(*) FROM segment WHERE writer = ? AND sequence = ? AND hash = ? AND is_own",
                    [name, file.sequence, file.hash]
                ) == 0
            return isOther && holdsChanges(file)
        }
        guard try isContinued || isContinuedInCheckpoint(name) else { return }
        try state.transaction {
            try writer.renew()
        }
        outcome.notes.append(
            "somebody goes on under this device's name \(name): it was copied or set back; it has a new one now"
        )
    }

    /// Whether a new checkpoint that says it is of this device tells of changes of this device that it did not make.
    ///
    /// All devices believe it, and would never read what this device publishes under these numbers.
    private func isContinuedInCheckpoint(_ name: String) throws -> Bool {
        let (last, this) = (try state.integer("sequence"), replica.environment.device.id)
        var isContinued = false
        for file in listing.checkpoints where try !knowsFile(file.path) {
            try reading(file, isSilent: true) {
                let header = try directory.checkpointHeader(of: file)
                let segment = header.segment
                guard segment.space == replica.space, segment.app == replica.store.app,
                    segment.writer.description == name || segment.device.id == this,
                    segment.heads.contains(where: { $0.dot.writer.description == name && $0.dot.sequence > last })
                else { return }
                // One that is damaged further on is not believed.
                try directory.readState(of: file) { _, _, _ in }
                isContinued = true
            }
        }
        return isContinued
    }

    /// Whether a file holds changes that somebody made: not where it is damaged, or has not arrived yet.
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
            // One that a cloud drive did not fetch yet may be what its name says.
            return (error as? DirectoryError)?.code == .notDownloaded
        }
    }

    // MARK: The store

    /// Brings everything together and writes the store; none of it where the app wrote meanwhile.
    ///
    /// What comes together is committed before the store is: should it end in between, the next synchronisation finds what the
    /// store has still to be given, or that it has it.
    func integrate(_ journal: SyncJournal) throws -> Given {
        try joinWithoutStore()
        guard try state.hasUntried() || !journal.keys.isEmpty || isRefusedWorthATry() else { return .all }
        guard !isStoreAsLeft else {
            isStoreAsLeft = false
            return .none
        }
        hasWrittenStore = true
        return try give(expecting: journal.revision, link: link(generation: state.integer("generation") + 1))
    }

    /// Writes the store of an app that writes so often that the store never is as it was captured.
    ///
    /// All records that the app does not write come first, worked out before the store is locked. What the app wrote is
    /// captured, and given what others changed of it, in one transaction of the store: these are few, unless the app writes
    /// very many. It is published afterwards.
    ///
    /// - Returns: False where the store has to be compared as a whole.
    private func integrateWhileAppWaits() throws -> Bool {
        struct NotNow: Error {}
        struct NotAll: Error { let refused: [RecordKey: String] }
        try joinWithoutStore()
        hasWrittenStore = true
        while let batch = try nextBatch(), try giveOthers(batch) {}
        try giveOthers()
        let current = try link(generation: state.integer("generation"))
        let next = try link(generation: current.generation + 1)
        let (keptBack, before) = (outcome.keptBack, written)
        defer { endGiving() }
        while true {
            do {
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
                try state.setProperty("generation", String(next.generation))
                try state.database.commit()
                return true
            } catch is NotNow {
                return false
            } catch let error as NotAll {
                endGiving()
                (outcome.keptBack, written) = (keptBack, before)
                try state.transaction { for (key, reason) in error.refused { try state.setRefused(key, reason) } }
            }
        }
    }

    /// Gives the store all records, or some of them, but those that its journal notes, which it keeps.
    ///
    /// - Returns: Whether it was given any.
    @discardableResult
    private func giveOthers(_ batch: [RecordKey]? = nil) throws -> Bool {
        struct NotNow: Error {}
        let untried = try state.untriedCount()
        let current = try link(generation: state.integer("generation"))
        let (keptBack, before) = (outcome.keptBack, written)
        try state.transaction {
            try state.setProperty("keeps-journal", "1")
            try state.setProperty("giving", batch.map { String($0.count) })
        }
        defer { endGiving() }
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
            // Which of them it cannot hold is found with the others.
        }
        rollback()
        (outcome.keptBack, written) = (keptBack, before)
        outcome.written += try recover()
        try state.transaction { try state.setProperty("giving", nil) }
        return try state.untriedCount() < untried
    }

    func link(generation: Int) throws -> SyncLink {
        SyncLink(space: replica.space, replica: try state.required("replica"), generation: generation)
    }

    func rollback() {
        if state.database.isInsideTransaction { try? state.database.rollback() }
        state.forgetSeen()
    }

    /// Tells how far the synchronisation has come, which may end it.
    func report(_ phase: SyncProgress.Phase, _ completed: Int, of total: Int? = nil) throws {
        try replica.environment.progress(SyncProgress(phase: phase, completed: completed, total: total))
    }

    /// Brings records together without a store.
    private func joinWithoutStore() throws {
        try state.transaction { outcome.received += try applyAll() }
    }
}
