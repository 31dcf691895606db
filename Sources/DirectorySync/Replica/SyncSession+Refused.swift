internal import AppStores
internal import GRDB
internal import RecordMerge
internal import StrictJSON

/// Records that the store cannot hold: they are held back, and everything else is written.
extension SyncSession {
    /// What was found within one attempt.
    private struct MoreRefused: Error {
        let refused: [RecordKey: String]
    }

    /// Gives the store what it has to be given, but for what it cannot hold.
    ///
    /// Which records these are is committed before the store is, so that a run that finds the store written knows what was
    /// written. Called in a transaction of the state in which nothing was done yet, and returns in one.
    ///
    /// - Returns: The number of records of the store that were written or removed.
    func give(_ writer: any SyncWriter) throws -> Int {
        let known = try state.refused()
        let heldBack = outcome.heldBack
        if known.isEmpty {
            do {
                let written = try writer.attempt { try settle(writer) }
                try state.setProperty("refused-by", nil)
                return written
            } catch let error as StoreError where error.code == .unfit {
                try beginAnew()
            }
        }
        var refused: [RecordKey: String] = [:]
        while true {
            outcome.heldBack = heldBack
            do {
                let written = try writer.attempt {
                    try state.setRefused(refused)
                    let written = try settle(writer, fitting: true)
                    let found = try state.refused()
                    guard found.count == refused.count else { throw MoreRefused(refused: found) }
                    return written
                }
                if Set(known.keys) != Set(refused.keys) {
                    outcome.heldBack = heldBack
                    try commit(refused)
                    try settle(nil)
                }
                try state.setProperty("refused-by", refused.isEmpty ? nil : whatRefuses(writer.schema))
                return written
            } catch let more as MoreRefused {
                refused = more.refused
                try beginAnew()
            }
        }
    }

    /// Notes which records the store is not given, on the disk before the store is.
    private func commit(_ refused: [RecordKey: String]) throws {
        rollback()
        try state.mayLoseCommits(false)
        try state.transaction { try state.setRefused(refused) }
        try state.mayLoseCommits(true)
        try state.database.beginTransaction(.immediate)
    }

    private func beginAnew() throws {
        rollback()
        try state.database.beginTransaction(.immediate)
    }

    /// Whether records that the store could not hold may fit now though nothing was changed in records.
    func isRefusedWorthATry() throws -> Bool {
        guard let before = try state.property("refused-by") else { return false }
        return try hasComparedAll || before != whatRefuses(store.read { try $0.schema })
    }

    /// What decides what the store can hold: its tables, and this program.
    private func whatRefuses(_ schema: Int) -> String { "\(schema) \(replica.environment.program)" }

    /// The records that the store cannot hold, in words.
    func refusedRecords() throws -> [SyncHindrance] {
        let refused = try state.refused().sorted { $0.key < $1.key }
        var found = try refused.prefix(Self.mostNamed).map { key, reason in
            let held = try state.held(key)
            let rules = state.schema.record(in: key.collection)
            let shown = held?.record.map { ShownRecord(key, $0, rules).object } ?? held?.base
            let last = held?.record?.versions.map(\.stamp).max()
            return SyncHindrance(
                kind: .unfit,
                path: "",
                device: try last.flatMap { try state.device(of: $0.dot) },
                message: "\(reason); the store gets it as soon as it can hold it",
                record: RecordName(
                    collection: key.collection,
                    key: key.key,
                    title: ReplicaApp.title(key, shown)
                )
            )
        }
        if refused.count > found.count {
            let message = "\(refused.count - found.count) more records are held back, as the store cannot hold them"
            found.append(SyncHindrance(kind: .unfit, path: "", device: nil, message: message))
        }
        return found
    }

    /// The records of the store that cannot be published, in words.
    func tooLargeRecords() throws -> [SyncHindrance] {
        try state.tooLarge().sorted { $0.key < $1.key }.prefix(Self.mostNamed).map { key, found in
            SyncHindrance(
                kind: found.isUnreadable ? .unreadable : .tooLarge,
                path: "",
                device: nil,
                message: "\(found.reason); it stays as it is on this device, and all else is synchronised",
                record: RecordName(collection: key.collection, key: key.key, title: found.title)
            )
        }
    }

    /// Records that are named in reports.
    private static let mostNamed = 50
}

extension ReplicaApp {
    /// The records that one refers to and makes no sense without.
    func references(_ key: RecordKey, _ object: JSONObject?) -> [RecordKey] {
        guard let object else { return [] }
        func reference(_ member: String, _ collection: String) -> [RecordKey] {
            object[member]?.string.map { [RecordKey(collection, $0)] } ?? []
        }
        switch (app, key.collection) {
        case (.slate, "tasks"): return reference("depends_on_task_id", "tasks")
        case (.slate, "habit_completions"): return reference("habit_id", "habits")
        case (.slate, "day_plan_items"):
            return reference("entity_id", object["entity_type"]?.string == "habit" ? "habits" : "tasks")
        case (.bztimer, "history"): return reference("sessionId", "sessions")
        case (.study, "events"): return reference("session_id", "sessions")
        default: return []
        }
    }
}
