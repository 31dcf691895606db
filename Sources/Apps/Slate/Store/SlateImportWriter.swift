internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Carries out one import within its transaction.
struct SlateImportWriter {
    let database: Database
    let file: SlateFile
    let content: SlateContent
    let options: SlateImportOptions
    let progress: (SlateProgress) -> Void
    /// Keeps a copy of the database as it is.
    let keepCopy: () throws -> Void

    /// Runs the import, and returns its result and whether there is anything to commit.
    func run(confirm: (SlateImportPlan) throws -> Void) throws -> (result: SlateImportResult, isChanged: Bool) {
        // The tables as they were are in the copy: it reads from a connection of its own.
        let state = try file.makeTables(database)
        let records = try SlateRecords(
            database,
            version: SlateSchema.version,
            path: file.path,
            excluded: file.excluded
        )
        let job = try plan(records, .compare)
        try confirm(job.plan)
        let flags = SlatePerfectDays(database)
        let recomputation = options.perfectDays ?? .asProvided
        guard try !job.plan.isEmpty || !flags.changes(recomputation, today: options.today).isEmpty else {
            // An older database is not upgraded for nothing; a new one is made.
            return (SlateImportResult(plan: job.plan, changedPerfectDays: []), state == .blank)
        }
        try checkWritable()
        progress(SlateProgress(step: .copy, rows: 0))
        // Of a database that is made now there is nothing to go back to.
        if state != .blank { try keepCopy() }
        let proof = try SlateImportVerification(job, content, records)
        let marksDays =
            options.mode == .merge && options.perfectDays == nil && options.parts.contains(.table(.dayPlan))
        let before = try marksDays && options.marksCompletedDays ? flags.completions() : nil
        let isPart = marksDays && !options.marksCompletedDays
        let earlier = Set(try isPart ? flags.plannedDays().filter(\.isPerfect).map(\.day) : [])
        try write(job, records)
        // What was written anew lies in order; where it does not, the proof fails.
        let sorted = Set(SlateTable.allCases.filter { job.isReplaced(.table($0)) && job.writes[$0] == nil })
        let written = try SlateRecords(
            database,
            version: SlateSchema.version,
            path: file.path,
            sorted: sorted,
            excluded: file.excluded
        )
        try proof.check(written, takesCircles: options.endsCircles) {
            try plan($0, .verify).plan
        }
        let ended = try options.endsCircles ? proof.endCircles(written) : []
        var days = try flags.recompute(recomputation, today: options.today)
        if marksDays { days += try flags.merge(content, after: before) }
        // A part of what was backed up also brings days with their flags.
        if isPart { days = try flags.plannedDays().filter { $0.isPerfect && !earlier.contains($0.day) } }
        return (SlateImportResult(plan: job.plan, changedPerfectDays: days, endedDependencies: ended), true)
    }

    /// Writes what is there already: where nothing can be written, this fails before a copy is made.
    private func checkWritable() throws {
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        try database.execute(sql: "PRAGMA user_version = \(version)")
    }

    private func plan(_ records: SlateRecords, _ step: SlateProgress.Step) throws -> SlateImport {
        try SlateImportPlanner.plan(
            content,
            into: records,
            mode: options.mode,
            parts: options.parts,
            replacements: options.replacements
        ) {
            progress(SlateProgress(step: step, rows: $0))
        }
    }

    // MARK: Writing

    private func write(_ job: SlateImport, _ records: SlateRecords) throws {
        if job.parts.contains(.meta) { try writeMembers(job, records) }
        // Tables are emptied before one is filled, and indexes are built once, from sorted rows.
        let tables = SlateTable.allCases.filter { job.parts.contains(.table($0)) }
        let replaced = tables.filter { job.writes[$0] == nil }
        let indexes = try removeIndexes(of: replaced)
        for table in replaced {
            try database.execute(sql: "DELETE FROM \(table.name)")
            try records.extras.removeAll(table.name)
        }
        for table in tables { try remove(job.removals[table] ?? [], from: table, records) }
        var done = 0
        let visit = {
            done += 1
            if done & 0x3FFF == 0 { progress(SlateProgress(step: .write, rows: done)) }
        }
        for table in tables {
            let cursor = content.cursor(table)
            guard let positions = job.writes[table] else {
                try SlateFilling.fill(database, from: cursor, extras: records.extras, visit: visit)
                continue
            }
            let insertion = try SlateInsertion(
                into: table,
                of: database,
                extras: records.extras,
                unsaid: options.mode == .merge ? table.columnsUnknown(to: content.sourceVersion) : []
            )
            for position in positions where cursor.go(to: position) {
                if options.mode == .replace { try makeWay(for: cursor, records) }
                try insertion.insert(cursor)
                visit()
            }
        }
        for index in indexes { try database.execute(sql: index) }
    }

    /// Gives the row that has the unique values of a row of the file a date for the meantime.
    ///
    /// It is written later with its own values, as no two rows of the file share them.
    private func makeWay(for row: SlateCursor, _ records: SlateRecords) throws {
        let table = row.table
        guard let holder = try records.holder(table, of: row) else { return }
        let key = "\"\(table.columns[0].text)\""
        let update = try StoreStatement(
            database,
            "UPDATE \(table.name) SET date = 'satchel ' || \(key) WHERE \(key) = ?",
            isCached: true
        )
        try update.bind([holder])
        try update.run()
    }

    private func remove(_ keys: [[UInt8]], from table: SlateTable, _ records: SlateRecords) throws {
        guard !keys.isEmpty else { return }
        let deletion = try StoreStatement(
            database,
            "DELETE FROM \(table.name) WHERE \"\(table.columns[0].text)\" = ?"
        )
        for key in keys {
            try deletion.bind([key])
            try deletion.run()
            try key.withUnsafeBufferPointer { try records.extras.set(JSONObject(), table: table.name, key: $0) }
        }
    }

    /// Removes the indexes that SQL made and gives the SQL that makes them again.
    private func removeIndexes(of tables: [SlateTable]) throws -> [String] {
        var indexes: [(name: String, sql: String)] = []
        let sql = "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        try database.forEachRow(sql) { row in
            guard let name = row.string(0), let table = row.string(1), let sql = row.string(2) else { return }
            if tables.contains(where: { $0.name == table }) { indexes.append((name, sql)) }
        }
        for index in indexes {
            try database.execute(sql: "DROP INDEX \(index.name.quotedName)")
        }
        return indexes.map(\.sql)
    }

    private func writeMembers(_ job: SlateImport, _ records: SlateRecords) throws {
        try database.execute(
            sql: "DELETE FROM meta WHERE key <> ?",
            arguments: [SlateMember.version]
        )
        try records.extras.removeAll(SlateMember.meta)
        try records.extras.removeAll("")
        let insertion = try StoreStatement(database, "INSERT INTO meta (key, value) VALUES (?, ?)")
        for member in job.meta {
            if let text = member.value.string {
                try insertion.bind([Array(member.name.utf8), Array(text.utf8)])
                try insertion.run()
            } else if member.value.isNull {
                try insertion.bind([Array(member.name.utf8)])
                try insertion.bindNull(2)
                try insertion.run()
            } else {
                try records.extras.set(member.value, table: SlateMember.meta, key: member.name.utf8)
            }
        }
        var members = job.unknownMembers
        if let settings = members[SlateStorage.name], SlateStorage.fits(settings), try takesStorage(records) {
            members[SlateStorage.name] = nil
            try (records.storage ?? SlateStorage(database, path: file.path)).replace(
                with: settings.object ?? JSONObject()
            )
        }
        if !members.isEmpty { try records.extras.set(.object(members), table: "", key: "".utf8) }
    }

    /// Tells that settings go to the app's table: not where it is left out, or another one has its name.
    private func takesStorage(_ records: SlateRecords) throws -> Bool {
        if records.storage != nil { return true }
        return try !file.excluded.contains(SlateStorage.name)
            && !database.names(ofType: "table").contains(SlateStorage.name)
    }
}
