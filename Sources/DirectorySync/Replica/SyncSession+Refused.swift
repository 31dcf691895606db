internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The part of the edits that was written to the store.
enum AppliedToStore {
    case all
    /// The first batch.
    case some
    /// Nothing, because the app wrote meanwhile.
    case none
}

/// The number of records in one transaction, for which the app waits.
struct WritingPace {
    /// The least number; below it the transaction takes longer than the records.
    private static let least = 250
    private static let greatest = 5_000

    private(set) var most = 1_000
    private let isFixed: Bool

    init(_ most: Int? = nil) {
        isFixed = most != nil
        if let most { self.most = most }
    }

    /// Adapts the number, so that writing the records takes a few hundredths of a second.
    ///
    /// - Parameter time: The time without the wait for the disk at the end, which fewer records do not make shorter.
    mutating func note(_ time: Duration) {
        guard !isFixed else { return }
        if time > .milliseconds(25) { most = max(Self.least, most / 2) }
        if time < .milliseconds(8) { most = min(Self.greatest, most * 2) }
    }
}

/// Records that the store cannot hold: they are rejected, and everything else is written.
extension SyncSession {
    /// Writes all edits that the store accepts.
    ///
    /// It computes all edits first, and locks the store only to write them. It commits beforehand which records the
    /// store rejects, and how many it writes of many. So a later run knows what was written.
    ///
    /// If the store rejects one of the first, it gets all the rest at once: one transaction can accept what several
    /// cannot.
    func applyToStore(expecting revision: Int, link: SyncLink) throws -> AppliedToStore {
        struct NotAll: Error {}
        let (keptBack, before) = (outcome.keptBack, written)
        // Try rejected records again with the last batch.
        let known = try state.refused()
        var batch = try nextBatch()
        var refused = batch == nil ? [:] : known
        var isFitting = batch == nil && !known.isEmpty
        defer { endApplying() }
        while true {
            endApplying()
            try state.transaction {
                if isFitting { try state.setRefused(refused) }
                try state.setProperty(.giving, batch.map { String($0.count) } ?? Self.all)
                try state.setProperty(.givingBlocks, nil)
            }
            // The store's generation shows that it was written.
            try state.mayLoseCommits(true)
            try state.database.beginTransaction(.immediate)
            (outcome.keptBack, written) = (keptBack, before)
            let plan = ApplyQueue(state)
            let count = try apply(batch, into: plan)
            let found = try state.refused()
            guard found.count == refused.count else {
                (refused, isFitting, batch) = (batch == nil ? found : [:], true, nil)
                continue
            }
            var more: [RecordKey: String] = [:]
            var schema = 0
            var taken = Duration.zero
            do {
                let isDone = try store.write(expecting: revision, link: link) { writer in
                    taken = try ContinuousClock().measure { more = try plan.write(writer, fitting: isFitting) }
                    guard more.isEmpty else { throw NotAll() }
                    schema = try writer.schema
                }
                guard isDone else { return .none }
            } catch is NotAll {
                refused.merge(more) { $1 }
                continue
            } catch let error as StoreError where error.code == .rejected && !isFitting {
                (refused, isFitting, batch) = ([:], true, nil)
                continue
            }
            outcome.written += count
            if batch == nil { try state.setProperty(.refusedBy, refused.isEmpty ? nil : whatRefuses(schema)) }
            try state.setProperty(.generation, String(link.generation))
            if batch == nil { try state.setProperty(.giving, nil) }
            try state.database.commit()
            pace.note(taken)
            return batch == nil ? .all : .some
        }
    }

    func endApplying() {
        rollback()
        try? state.mayLoseCommits(false)
    }

    /// Returns whether rejected records may fit now, though no record changed.
    func isRefusedWorthATry() throws -> Bool {
        guard let before = try state.property(.refusedBy) else { return false }
        return try hasComparedAll || before != whatRefuses(store.read { try $0.schema })
    }

    /// Returns a text of everything that decides what the store accepts: its tables, and this program.
    private func whatRefuses(_ schema: Int) -> String { "\(schema) \(replica.environment.program)" }

    /// Returns issues for the rejected records.
    func refusedRecords() throws -> [SyncIssue] {
        let refused = try state.refused().filter { !$0.value.isEmpty }.sorted { $0.key < $1.key }
        var found = try refused.prefix(Self.mostNamed).map { key, reason in
            let held = try state.held(key)
            let rules = state.schema.record(in: key.collection)
            let shown = held?.record.map { ResolvedRecord(key, $0, rules).object } ?? held?.base
            let last = held?.record?.versions.map(\.stamp).max()
            let isDeletion = held?.record == nil
            let way =
                isDeletion
                ? "it goes as soon as none does: change or delete those, or bring it back with foldersync restore"
                : "the store gets it as soon as it can hold it"
            return SyncIssue(
                kind: .rejected,
                path: "",
                device: try last.flatMap { try state.device(of: $0.dot) },
                message: "\(try titled(reason, key, shown)); \(way)",
                record: RecordName(key, title: replica.info.title(key, shown)),
                isDeletion: isDeletion
            )
        }
        if refused.count > found.count {
            let message = "\(refused.count - found.count) more records are rejected, as the store cannot hold them"
            found.append(SyncIssue(kind: .rejected, path: "", device: nil, message: message))
        }
        return found
    }

    /// Returns a reason with titles in place of the keys of records to which a record refers.
    private func titled(_ reason: String, _ key: RecordKey, _ object: JSONObject?) throws -> String {
        try replica.info.domain.targets(key, object).reduce(reason) { reason, target in
            guard reason.contains("\"\(target.key)\""), let record = try state.record(target) else { return reason }
            let object = state.schema.resolved(target, record).object
            guard let title = replica.info.title(target, object) else { return reason }
            return reason.replacing("\"\(target.key)\"", with: "\"\(title)\"")
        }
    }

    /// Returns issues for the store's records that cannot be published.
    func tooLargeRecords() throws -> [SyncIssue] {
        try state.tooLarge().sorted { $0.key < $1.key }.prefix(Self.mostNamed).map { key, found in
            SyncIssue(
                kind: found.isUnreadable ? .unreadable : .tooLarge,
                path: "",
                device: nil,
                message: "\(found.reason); kept on this device alone, and everything else syncs",
                record: RecordName(key, title: found.title)
            )
        }
    }

    /// The most records that reports name.
    private static let mostNamed = 50
}
