public import AppFormats
internal import GRDB
internal import StrictJSON

/// How an export is imported.
public struct SlateImportOptions: Sendable {
    /// Whether the database is replaced or added to.
    public var mode: SlateImportMode
    /// The parts that are imported.
    public var parts: Set<SlatePart>
    /// For which days the flag `perfect_day` is computed anew afterwards.
    public var perfectDays: SlateDays.Recomputation
    /// What counts as today; only that computation asks.
    public var today: CivilDay
    /// The moment by which the safety copy is named.
    public var moment: Timestamp

    /// Options; by default the whole database is replaced and flags stay as provided.
    public init(
        mode: SlateImportMode = .replace,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        perfectDays: SlateDays.Recomputation = .asProvided,
        today: CivilDay,
        moment: Timestamp
    ) {
        self.mode = mode
        self.parts = parts
        self.perfectDays = perfectDays
        self.today = today
        self.moment = moment
    }
}

/// What an import did.
public struct SlateImportResult: Sendable {
    /// What was planned, and done.
    public let plan: SlateImportPlan
    /// The copy of the database as it was before; nil where nothing had to be changed.
    public let safetyCopy: SlateSafetyCopy?
    /// How many flags `perfect_day` were changed.
    public let changedPerfectDays: Int
}

/// How far an import is.
public struct SlateProgress: Sendable, Hashable {
    /// What is being done.
    public enum Step: String, Sendable, Hashable {
        /// The database is held against the file.
        case compare
        /// The database is copied.
        case copy
        /// Rows are written.
        case write
        /// What was written is read again and held against the file.
        case verify
    }

    /// What is being done.
    public let step: Step
    /// Rows so far.
    public let rows: Int
}

extension SlateDatabase {
    /// Imports an export in one transaction: plans, asks, copies the database, writes, reads all of it again, commits.
    ///
    /// Until the commit nothing of the database is changed, and after it everything is; between there is nothing that an
    /// interruption could leave. Nobody else can write from the plan to the commit, so that what was confirmed is done.
    ///
    /// - Parameters:
    ///   - content: What is imported.
    ///   - options: How.
    ///   - confirm: Called with the plan; what it throws stops the import with nothing changed.
    ///   - progress: Called now and then.
    /// - Throws: `slate.reference` where references would lead nowhere afterwards, `slate.not-as-planned` where what was
    ///   read again is not what was planned; what opening and SQLite throw.
    public func importing(
        _ content: SlateContent,
        _ options: SlateImportOptions,
        confirm: (SlateImportPlan) throws -> Void = { _ in },
        progress: @escaping (SlateProgress) -> Void = { _ in }
    ) throws -> SlateImportResult {
        try translating {
            var result: SlateImportResult?
            defer { if result == nil { removeIfUnused() } }
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    let writer = SlateImportWriter(
                        database: database,
                        file: file,
                        content: content,
                        options: options,
                        progress: progress
                    )
                    result = try writer.run(confirm: confirm)
                    return .commit
                }
            }
            guard let result else { throw StoreError(.inputOutput, "the import gave no result", path: path) }
            SlateSafety.removeOldCopies(of: path)
            return result
        }
    }

    /// What an import into a database that does not exist yet would do.
    public static func planIntoNew(
        _ content: SlateContent,
        mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases)
    ) throws -> SlateImportPlan {
        let queue = try DatabaseQueue(configuration: SlateFile.configuration(readOnly: false))
        return try queue.write { database in
            try SlateFile(path: "", excluded: []).makeTables(database)
            return try SlateRecords(database, version: SlateSchema.version, path: "")
                .plan(content, mode: mode, parts: parts)
        }
    }
}

/// Carries out one import within its transaction.
private struct SlateImportWriter {
    let database: Database
    let file: SlateFile
    let content: SlateContent
    let options: SlateImportOptions
    let progress: (SlateProgress) -> Void

    func run(confirm: (SlateImportPlan) throws -> Void) throws -> SlateImportResult {
        // The tables as they were are in the copy: it reads from a connection of its own.
        try file.makeTables(database)
        let records = try SlateRecords(database, version: SlateSchema.version, path: file.path)
        let job = try plan(records, .compare)
        try confirm(job.plan)
        guard !job.plan.isEmpty || options.perfectDays != .asProvided else {
            return SlateImportResult(plan: job.plan, safetyCopy: nil, changedPerfectDays: 0)
        }
        progress(SlateProgress(step: .copy, rows: 0))
        let copy = try SlateSafety.copy(file.path, reason: .beforeImport, moment: options.moment)
        let faults = try records.referenceFaults()
        try write(job, records)
        try verify(job, records, faultsBefore: faults)
        let days = try SlatePerfectDays(database).recompute(options.perfectDays, today: options.today)
        return SlateImportResult(plan: job.plan, safetyCopy: copy, changedPerfectDays: days)
    }

    private func plan(_ records: SlateRecords, _ step: SlateProgress.Step) throws -> SlateImport {
        try SlateImportPlanner.plan(content, into: records, mode: options.mode, parts: options.parts) {
            progress(SlateProgress(step: step, rows: $0))
        }
    }

    // MARK: Writing

    private func write(_ job: SlateImport, _ records: SlateRecords) throws {
        if job.parts.contains(.meta) { try writeMembers(job, records) }
        // All tables are emptied before one is filled, and indexes are built once, from sorted rows.
        let tables = SlateTable.allCases.filter { job.parts.contains(.table($0)) }
        let replaced = tables.filter { job.writes[$0] == nil }
        let indexes = try removeIndexes(of: replaced)
        for table in replaced {
            try database.execute(sql: "DELETE FROM \(table.name)")
            try records.extras.removeAll(table.name)
        }
        var done = 0
        for table in tables {
            let cursor = content.cursor(table)
            let isReplaced = job.writes[table] == nil
            let insertion = try SlateInsertion(
                into: table,
                of: database,
                replacing: !isReplaced,
                extras: records.extras
            )
            var positions = job.writes[table]?.makeIterator()
            while isReplaced ? cursor.next() : positions?.next().map(cursor.go) ?? false {
                try insertion.insert(cursor)
                done += 1
                if done & 0x3FFF == 0 { progress(SlateProgress(step: .write, rows: done)) }
            }
        }
        for index in indexes { try database.execute(sql: index) }
    }

    /// Removes the indexes that SQL made and gives the SQL that makes them again.
    private func removeIndexes(of tables: [SlateTable]) throws -> [String] {
        let names = tables.map(\.name)
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name"
        )
        return try rows.compactMap { row in
            let (name, table, sql): (String, String, String) = (row[0], row[1], row[2])
            guard names.contains(table) else { return nil }
            try database.execute(sql: "DROP INDEX \(name.quotedDatabaseIdentifier)")
            return sql
        }
    }

    private func writeMembers(_ job: SlateImport, _ records: SlateRecords) throws {
        try database.execute(
            sql: "DELETE FROM meta WHERE key <> ?",
            arguments: [SlateMember.version]
        )
        try records.extras.removeAll(SlateMember.meta)
        try records.extras.removeAll("")
        for member in job.meta {
            if member.value.string == nil, !member.value.isNull {
                try records.extras.set(member.value, table: SlateMember.meta, key: member.name.utf8)
            } else {
                try database.execute(
                    sql: "INSERT INTO meta (key, value) VALUES (?, ?)",
                    arguments: [member.name, member.value.string]
                )
            }
        }
        if !job.unknownMembers.isEmpty {
            try records.extras.set(.object(job.unknownMembers), table: "", key: "".utf8)
        }
    }

    // MARK: Verifying

    /// Reads the whole database again and plans once more: then nothing may be left to do.
    private func verify(_ job: SlateImport, _ records: SlateRecords, faultsBefore: [SlateReferenceFault]) throws {
        for fault in try records.referenceFaults() {
            let before = faultsBefore.first { $0.code == fault.code }?.count ?? 0
            guard fault.count <= before else { throw fault.error }
        }
        if let circle = try records.dependencyCircle() {
            let message = "tasks would depend on each other in a circle: \(circle); nothing was changed"
            throw StoreError(.reference, message, path: file.path)
        }
        let left = try plan(try SlateRecords(database, version: SlateSchema.version, path: file.path), .verify).plan
        var isRight = left.isEmpty
        if options.mode == .replace {
            for table in SlateTable.allCases where options.parts.contains(.table(table)) {
                isRight = try isRight && records.count(table) == content.count(table)
            }
        }
        guard isRight else {
            let parts = left.parts.filter { $0.changeCount > 0 }.map(\.part.name).joined(separator: ", ")
            let message =
                "the database read again is not what was planned\(parts.isEmpty ? "" : " in \(parts)"); nothing was changed"
            throw StoreError(.notAsPlanned, message, path: file.path)
        }
    }
}
