public import CivilTime
internal import RecordStore
internal import SQLiteDatabase

extension SlateSafetyBackups {
    /// The steps of an undo.
    public struct UndoPlan: Sendable, Hashable {
        /// The copy that is gone back to.
        public let copy: SlateSafetyBackup
        /// The number of rows of each table now; tables that are not there or cannot be counted are left out.
        public let now: [SlateTable: Int]
        /// The number of rows of each table in the copy.
        public let then: [SlateTable: Int]
        /// The changes of the undo in each table; nil where they cannot be told, as the database is gone or damaged.
        public let changes: [SlateTable: SlateChanges]?
        /// The keys of `meta` and the app's settings that differ; nil likewise.
        public let members: [SlateDiff.Record]?
        /// A newer copy whose change was interrupted and may have been done; nil where there is none, or the copy that is
        /// gone back to was named.
        public let interrupted: SlateSafetyBackup?
    }

    /// The result of an undo.
    public struct UndoResult: Sendable, Hashable {
        /// The plan, which was carried out.
        public let plan: UndoPlan
        /// The copy of the database as it was before the undo; nil where there was none.
        public let safetyBackup: SlateSafetyBackup?
    }

    /// Makes a database what it was before the last import, in one step.
    ///
    /// Each undo goes back one import further; the state before the undo is kept as a copy as well. A copy that holds what
    /// the database holds, as one from before an import that was interrupted, is passed over. A database that is gone or
    /// damaged is made anew.
    ///
    /// - Parameters:
    ///   - path: The database.
    ///   - copy: The copy to go back to, by default the newest one from before an import that no undo has used.
    ///   - moment: The moment by which the copy of the present state is named.
    ///   - confirm: Called with the plan; what it throws stops the undo with nothing changed.
    /// - Throws: `slate.no-safety-copy`; `store.corrupt` where the copy is damaged; what SQLite throws.
    public static func undo(
        _ path: String,
        to copy: SlateSafetyBackup? = nil,
        moment: Timestamp,
        confirm: (UndoPlan) throws -> Void = { _ in }
    ) throws -> UndoResult {
        let isNamed = copy != nil
        return try StorePath.rethrowing(path) {
            let copy = try copy ?? candidate(path)
            let (source, then) = try open(copy)
            let isThere = try StorePath.size(of: path) != nil
            let differences = isThere ? changes(from: path, to: copy.path) : nil
            let plan = UndoPlan(
                copy: copy,
                now: isThere ? counts(path) : [:],
                then: then,
                changes: differences?.tables,
                members: differences?.members,
                interrupted: isNamed ? nil : interrupted(path, after: copy)
            )
            try confirm(plan)
            if isThere { try checkWritable(path) }
            let watch = try? DatabaseQueue(path: path, configuration: SlateFile.configuration(readOnly: true))
            let state = try? watch?.read(dataVersion)
            let present = isThere ? try Self.copy(path, reason: .beforeUndo, moment: moment) : nil
            guard try state == nil || watch?.read(dataVersion) == state else {
                let message = "another program changed the database during the undo; nothing was changed, try again"
                throw StoreError(.busy, message, path: path)
            }
            try restore(source, to: path, isThere: isThere)
            if let settings = try SlateStorage.file(beside: copy.path) {
                let file = SlateStorage.place(beside: StorePath.resolved(path))
                let source = try DatabaseQueue(path: settings, configuration: SlateFile.configuration(readOnly: true))
                try restore(source, to: file, isThere: StorePath.size(of: file) != nil)
            }
            if !copy.isUsed { _ = try mark(copy, .used) }
            let kept = try present.map { try mark($0, .done) }
            removeOldCopies(of: path)
            return UndoResult(plan: plan, safetyBackup: kept)
        }
    }

    /// Returns the newest unused copy from before a change that differs from the database.
    private static func candidate(_ path: String) throws -> SlateSafetyBackup {
        let all = copies(of: path)
        let changes = all.filter { $0.reason != .beforeUndo }
        let copy = changes.first { copy in
            copy.state == .done && (try? SlateRecords.areSame(copy.path, path)) != true
        }
        if let copy { return copy }
        var why = "has no safety backup"
        if !all.isEmpty {
            why =
                "has \(all.count == 1 ? "1 safety backup" : "\(all.count) safety backups"), none of a change that is "
                + "still to be undone; --list shows them, and --copy goes back to any"
        }
        if let pending = changes.first(where: { $0.state == .pending }) {
            why += "; \(pending.path) is from before an interrupted import: --copy restores it"
        }
        throw StoreError(.noSafetyBackup, "nothing to undo: \(folder(of: path)) \(why)", path: path)
    }

    /// Returns the newest pending copy that is newer than another one and different from the database.
    ///
    /// The change that it was made for may have been done, so that only its new name is missing.
    private static func interrupted(_ path: String, after other: SlateSafetyBackup) -> SlateSafetyBackup? {
        copies(of: path).first { copy in
            copy.state == .pending && copy.number > other.number
                && (try? SlateRecords.areSame(copy.path, path)) != true
        }
    }

    /// Opens a copy and checks all of it; gives its counts.
    private static func open(_ copy: SlateSafetyBackup) throws -> (DatabaseQueue, [SlateTable: Int]) {
        // Also the copy of a database that nothing was made in has its first page.
        if try StorePath.size(of: copy.path) == 0 { throw damage("the file is empty", copy) }
        do {
            let queue = try DatabaseQueue(path: copy.path, configuration: SlateFile.configuration(readOnly: true))
            return try queue.read { database in
                let finding = try String.fetchOne(database, sql: "PRAGMA quick_check(1)") ?? "no answer"
                guard finding == "ok" else { throw damage(finding, copy) }
                return (queue, try counts(database))
            }
        } catch let error as DatabaseError where error.isDamage {
            throw damage(error.message ?? "no SQLite database", copy)
        } catch let error as DatabaseError {
            throw StoreError(error, path: copy.path)
        }
    }

    private static func damage(_ finding: String, _ copy: SlateSafetyBackup) -> StoreError {
        StoreError(.corrupt, "the safety backup is damaged (\(finding)); name another with --copy", path: copy.path)
    }

    /// Writes what is there already and takes it back: where nothing can be written, this fails before a copy is made.
    private static func checkWritable(_ path: String) throws {
        do {
            let queue = try DatabaseQueue(path: path, configuration: SlateFile.configuration(readOnly: false))
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
                    try database.execute(sql: "PRAGMA user_version = \(version)")
                    return .rollback
                }
            }
            try queue.close()
        } catch let error as DatabaseError where error.isDamage {
            // It is replaced.
        }
    }

    /// Makes a database what another one is, in one transaction; a file that is none, or damaged, is replaced.
    private static func restore(_ source: DatabaseQueue, to path: String, isThere: Bool) throws {
        do {
            let target = try DatabaseQueue(path: path, configuration: SlateFile.configuration(readOnly: false))
            try source.backup(to: target)
            try target.close()
        } catch let error as DatabaseError where isThere && error.isDamage {
            let temporary = path + ".undo.tmp"
            StorePath.remove(temporary)
            defer { StorePath.remove(temporary) }
            try backUp(source, toFile: temporary)
            // They belong to the file that goes, and would be taken into the one that comes.
            for suffix in ["-journal", "-wal", "-shm"] { StorePath.remove(path + suffix) }
            try DurableFile.rename(temporary, to: path)
        } catch {
            if !isThere { StorePath.remove(path) }
            throw error
        }
    }

    /// Returns a number that changes with each commit of another connection.
    private static func dataVersion(_ database: Database) throws -> Int? {
        try Int.fetchOne(database, sql: "PRAGMA data_version")
    }

    /// Returns the numbers of rows of a database; none where it is damaged.
    private static func counts(_ path: String) -> [SlateTable: Int] {
        let queue = try? DatabaseQueue(path: path, configuration: SlateFile.configuration(readOnly: true))
        return (try? queue?.read(counts)) ?? [:]
    }

    private static func counts(_ database: Database) throws -> [SlateTable: Int] {
        var counts: [SlateTable: Int] = [:]
        let names = try database.names(ofType: "table")
        for table in SlateTable.allCases where names.contains(table.name) {
            counts[table] = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name)")
        }
        return counts
    }
}

extension SlateSafetyBackups {
    /// Returns the differences between two databases; nil where they cannot be told.
    fileprivate static func changes(
        from first: String,
        to second: String
    ) -> (tables: [SlateTable: SlateChanges], members: [SlateDiff.Record])? {
        try? SlateRecords.comparing(first, second) { first, second in
            var changes: [SlateTable: SlateChanges] = [:]
            for table in SlateTable.allCases {
                let rows = (try first.rows(of: table), try second.rows(of: table))
                changes[table] = try SlateChanges(from: rows.0, to: rows.1, of: table)
            }
            var members: [SlateDiff.Record] = []
            try SlateDiff.forEachMember(first.meta, second.meta) { members.append($0) }
            try SlateDiff.forEachMember(first.unknownMembers, second.unknownMembers) { members.append($0) }
            return (changes, members)
        }
    }
}

extension SlateRecords {
    /// Tells whether two databases have the same content.
    static func areSame(_ left: String, _ right: String) throws -> Bool {
        try comparing(left, right) { one, other in
            guard one.version == other.version else { return false }
            guard try one.meta == other.meta, try one.unknownMembers == other.unknownMembers else { return false }
            return try SlateTable.allCases.allSatisfy { table in
                try SlateChanges(from: one.rows(of: table), to: other.rows(of: table), of: table).isEmpty
            }
        }
    }

    /// Reads two databases side by side.
    fileprivate static func comparing<Result>(
        _ left: String,
        _ right: String,
        _ body: (SlateRecords, SlateRecords) throws -> Result
    ) throws -> Result {
        let one = try SlateFile(path: left, excluded: [], takesUnknownColumns: true).openForReading()
        let other = try SlateFile(path: right, excluded: [], takesUnknownColumns: true).openForReading()
        return try one.0.read { database in
            let one = try SlateRecords(database, version: one.version, path: left)
            return try other.0.read { database in
                try body(one, SlateRecords(database, version: other.version, path: right))
            }
        }
    }
}
