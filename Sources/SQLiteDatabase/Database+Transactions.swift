internal import CSQLite

extension Database {
    /// The kinds of transaction, which differ in how they begin.
    public enum TransactionKind: String, Sendable {
        /// It takes locks when it first reads and writes.
        case deferred = "DEFERRED"
        /// It takes the right to write at once.
        case immediate = "IMMEDIATE"
        /// It keeps others from reading, too.
        case exclusive = "EXCLUSIVE"
    }

    /// The ways in which a transaction ends.
    public enum TransactionCompletion: Sendable {
        /// Its changes are kept.
        case commit
        /// Its changes are taken back.
        case rollback
    }

    /// Begins a transaction: an immediate one where nothing else is asked for and the connection may write.
    ///
    /// - Throws: ``DatabaseError``, such as `SQLITE_BUSY`.
    public func beginTransaction(_ kind: TransactionKind? = nil) throws {
        let kind = kind ?? (isReadOnly ? .deferred : .immediate)
        try execute(sql: "BEGIN \(kind.rawValue) TRANSACTION")
    }

    /// Commits the open transaction.
    ///
    /// - Throws: ``DatabaseError``; the transaction may still be open then.
    public func commit() throws { try execute(sql: "COMMIT TRANSACTION") }

    /// Rolls back the open transaction, if SQLite has not done so after an error.
    ///
    /// - Throws: ``DatabaseError`` where that fails.
    public func rollback() throws {
        if isInsideTransaction { try execute(sql: "ROLLBACK TRANSACTION") }
        // After a disk error, SQLite rolls the file back only at the next read. Until then a copy without the journal is
        // damaged, so read now.
        try? execute(sql: "SELECT 1 FROM main.sqlite_schema LIMIT 1")
        hasFailed = false
    }

    /// Rolls back a transaction that a closure left open, and what a failure in it left in the file.
    func leave() throws { if isInsideTransaction || hasFailed { try rollback() } }

    /// Runs a body in a transaction, which rolls back where the body throws or says so.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the transaction cannot begin or end.
    public func inTransaction(
        _ kind: TransactionKind? = nil,
        _ body: () throws -> TransactionCompletion
    ) throws {
        try beginTransaction(kind)
        try complete(body, commit: commit, rollback: rollback)
    }

    /// Runs a body in a savepoint of the open transaction, or in a transaction where none is open.
    ///
    /// What the body has changed is taken back where it throws or says so; what was changed before it stays.
    ///
    /// - Throws: What the body throws; ``DatabaseError`` where the savepoint cannot begin or end.
    public func inSavepoint(_ body: () throws -> TransactionCompletion) throws {
        guard isInsideTransaction else { return try inTransaction(nil, body) }
        // Savepoints nest, and SQLite means the innermost of a name.
        try execute(sql: "SAVEPOINT satchel")
        try complete(body) {
            try execute(sql: "RELEASE SAVEPOINT satchel")
        } rollback: {
            try execute(sql: "ROLLBACK TRANSACTION TO SAVEPOINT satchel; RELEASE SAVEPOINT satchel")
        }
    }

    private func complete(
        _ body: () throws -> TransactionCompletion,
        commit: () throws -> Void,
        rollback: () throws -> Void
    ) throws {
        let wasInside = isInsideTransactionBlock
        isInsideTransactionBlock = true
        defer { isInsideTransactionBlock = wasInside }
        let completion: TransactionCompletion
        do {
            completion = try body()
            if completion == .commit {
                try checkNotAborted(sql: nil)
                isInsideTransactionBlock = wasInside
                try commit()
            }
        } catch {
            // The first error says what happened. Rolling back fails where SQLite has done it already.
            isInsideTransactionBlock = wasInside
            try? rollback()
            throw error
        }
        isInsideTransactionBlock = wasInside
        if completion == .rollback { try rollback() }
    }

    /// Throws where SQLite has rolled back the transaction that a body runs in.
    ///
    /// Its next statements would be transactions of their own.
    func checkNotAborted(sql: @autoclosure () -> String?) throws {
        guard isInsideTransactionBlock, sqlite3_get_autocommit(sqliteConnection) != 0 else { return }
        throw DatabaseError(resultCode: .SQLITE_ABORT, message: "Transaction was aborted", sql: sql())
    }

    /// Runs a body in the open transaction, or in one of its own.
    func isolated<Result>(readOnly: Bool, _ body: () throws -> Result) throws -> Result {
        guard !readOnly else { return try self.readOnly { try isolated(readOnly: false, body) } }
        guard !isInsideTransaction else { return try body() }
        var result: Result?
        try inTransaction {
            result = try body()
            return .commit
        }
        guard let result else { throw DatabaseError(resultCode: .SQLITE_ABORT, message: "the body gave no result") }
        return result
    }
}
