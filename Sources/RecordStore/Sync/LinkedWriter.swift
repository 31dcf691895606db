internal import CSQLite
internal import SQLiteDatabase

/// Writes records; for many it turns the triggers of the journal off meanwhile.
package final class LinkedWriter: SyncWriter {
    /// The number of records from which turning the triggers off is faster: statements are prepared again then.
    private static let many = 50

    private let state: SyncState
    private var transaction: any StoreWriter
    private var count = 0
    private var hasTriggers = true
    private var areOurs: Bool?
    private let check: WriteCheck?
    /// The journal's notes that stay, and the records that they name.
    private var kept: (rows: [[String]], keys: [StoreRecordKey])?

    package init(_ state: SyncState) throws {
        self.state = state
        transaction = try state.adapter.writer(state.database, path: state.path)
        check = try WriteCheck(state)
    }

    package var schema: Int { get throws { try state.schema() } }
    package var records: any SyncRecords { StoreRecords(state) }

    package func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        try check?.begin()
        do {
            try write(edits, orders)
        } catch let refusal as SyncRefusal {
            throw refusal.error(state.path)
        }
    }

    private func write(_ edits: [SyncEdit], _ orders: [String: [String]]) throws {
        // Without this, it would overwrite the document's own members.
        if let edit = edits.first(where: { !state.adapter.hasPlace(for: $0.key) }) {
            throw SyncRefusal(key: edit.key, reason: RejectedRecord.noPlace)
        }
        count += edits.count
        if hasTriggers, count >= Self.many, check == nil, try hasOnlyOurs() { try enableTriggers(false) }
        try transaction.apply(edits, orders: orders)
        try check?.check(edits)
    }

    /// Returns whether all triggers of the database are those of the journal: others belong to the app.
    private func hasOnlyOurs() throws -> Bool {
        if let areOurs { return areOurs }
        let found = try state.database.names(ofType: "trigger").allSatisfy(JournalTriggers.areOurs)
        areOurs = found
        return found
    }

    private func enableTriggers(_ isOn: Bool) throws {
        let code = csqlite_enable_triggers(state.database.sqliteConnection, isOn ? 1 : 0)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        hasTriggers = isOn
    }

    package func finish(_ link: SyncLink) throws {
        try transaction.finish()
        if let check {
            try check.clear(link, keepingReasons: kept != nil)
        } else {
            try state.clear(link, keepingReasons: kept != nil)
        }
        guard let kept else { return }
        try state.note(kept.rows)
        try state.noteLeftOut(kept.keys)
    }

    /// Turns the triggers on again, whatever became of the transaction.
    func end() throws {
        if !hasTriggers { try enableTriggers(true) }
    }

    package func keepJournal() throws { kept = (try state.journalRows(), try Array(state.journal().keys)) }

    // MARK: What the store cannot hold

    package func applyFitting(_ edits: [SyncEdit], orders: [String: [String]]) throws -> [StoreRecordKey: String] {
        try check?.begin()
        var refused: [StoreRecordKey: String] = [:]
        // Removing first makes room for new records.
        try writeFitting(edits.filter { $0.object == nil }, &refused)
        try writeFitting(edits.filter { $0.object != nil }, &refused)
        try writeTogether(edits, &refused)
        try write([], orders)
        return refused
    }

    /// Writes all edits, or each half by itself.
    private func writeFitting(_ edits: [SyncEdit], _ refused: inout [StoreRecordKey: String]) throws {
        guard let first = edits.first else { return }
        do {
            try taking { try write(edits, [:]) }
        } catch let refusal as SyncRefusal where state.database.isInsideTransaction {
            guard edits.count > 1 else {
                refused[first.key] = refusal.reason
                return
            }
            // Write buttons that swap names together, as long as that works.
            let same = edits.filter { $0.key.collection == first.key.collection }
            let others = edits.filter { $0.key.collection != first.key.collection }
            let half = edits.count / 2
            let parts = others.isEmpty ? [Array(edits[..<half]), Array(edits[half...])] : [same, others]
            for part in parts { try writeFitting(part, &refused) }
        }
    }

    /// The most rejected records that are tried again together.
    private static let mostTogether = 200

    /// Writes rejected records that only fit together, such as two that swap unique values.
    ///
    /// It leaves out the record that the database names, until it takes the others.
    private func writeTogether(_ edits: [SyncEdit], _ refused: inout [StoreRecordKey: String]) throws {
        var rest = edits.filter { refused[$0.key] != nil }
        guard rest.count <= Self.mostTogether else { return }
        while rest.count > 1 {
            do {
                try taking { try write(rest, [:]) }
                for edit in rest { refused[edit.key] = nil }
                return
            } catch let refusal as SyncRefusal where state.database.isInsideTransaction {
                let count = rest.count
                rest.removeAll { $0.key == refusal.key }
                guard rest.count < count else { return }
            }
        }
    }

    /// Runs a body, and rolls back its writes if it throws.
    private func taking<Result>(_ body: () throws -> Result) throws -> Result {
        let before = count
        let known = check?.known
        var result: Swift.Result<Result, any Error>?
        do {
            try state.database.inSavepoint {
                result = .success(try body())
                return .commit
            }
        } catch {
            count = before
            if let known { check?.known = known }
            result = .failure(error)
        }
        guard let result else { throw StoreError(.inputOutput, "the transaction gave no result", path: state.path) }
        return try result.get()
    }
}
