internal import CivilTime
internal import RecordStore
internal import SQLiteDatabase

extension SlateDatabase {
    /// Upgrades older tables, and keeps a copy of the database first.
    ///
    /// - Returns: The copy; nil where the tables are of the present version already.
    func upgrade(moment: Timestamp) throws -> SlateSafetyBackup? {
        let (_, copy) = try changing(.beforeUpgrade, moment: moment) { database, keepCopy in
            guard try file.state(of: database) != .slate(version: SlateSchema.version) else { return ((), false) }
            try keepCopy()
            try file.makeTables(database)
            return ((), true)
        }
        return copy
    }

    /// Changes the database in one transaction; a copy that was kept is complete when the change is.
    ///
    /// - Parameters:
    ///   - reason: What the copy is kept before.
    ///   - moment: The moment by which it is named.
    ///   - body: Makes the change and tells whether there is anything to commit. It is handed what keeps the copy.
    func changing<Result>(
        _ reason: SlateSafetyBackup.Reason,
        moment: Timestamp,
        _ body: (_ database: Database, _ keepCopy: @escaping () throws -> Void) throws -> (Result, isChanged: Bool)
    ) throws -> (result: Result, safetyBackup: SlateSafetyBackup?) {
        try translating {
            var result: Result?
            let kept = KeptCopy()
            var (isCommitting, isCommitted) = (false, false)
            defer {
                if !isCommitted {
                    removeIfUnused()
                    if let copy = kept.copy { SlateSafetyBackups.drop(copy, of: path, unlessChanged: isCommitting) }
                }
            }
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    SlateSafetyBackups.removeLeftovers(of: file.path, reason)
                    let (outcome, isChanged) = try body(database) { [file] in
                        kept.copy = try SlateSafetyBackups.copy(file.path, reason: reason, moment: moment)
                    }
                    result = outcome
                    isCommitting = isChanged
                    return isChanged ? .commit : .rollback
                }
            }
            isCommitted = true
            guard let result else { throw StoreError(.inputOutput, "the change gave no result", path: path) }
            // The change is done: a copy that cannot be renamed is still a copy.
            let copy = kept.copy.map { copy in (try? SlateSafetyBackups.mark(copy, .done)) ?? copy }
            SlateSafetyBackups.removeOldCopies(of: path)
            return (result, copy)
        }
    }

    /// The copy that a change keeps.
    private final class KeptCopy {
        var copy: SlateSafetyBackup?
    }
}
