internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Proves that an import did what was planned and nothing else, from what the database held before it.
struct SlateImportVerification {
    private let job: SlateImport
    private let content: SlateContent
    private let path: String
    /// Nil where all comes from the file, whose references are checked.
    private let references: SlateReferences?
    /// The titles of tasks and habits that the import may remove from plans that stay, by table and identifier.
    private var titles: [SlateTable: [ScalarKey: String]] = [:]
    private let counts: [SlateTable: Int]
    /// The data that must stay the same, where triggers of the database may change it.
    private let rest: SlateRest?

    /// Looks at the database before the import.
    init(_ job: SlateImport, _ content: SlateContent, _ records: SlateRecords) throws {
        self.job = job
        self.content = content
        path = records.path
        let isWhole = SlatePart.allCases.allSatisfy { job.isReplaced($0) }
        references = isWhole ? nil : try SlateReferences(records)
        counts = try Self.counts(records, job)
        // Those of synchronisation write to its own tables only.
        let hasTriggers = try records.database.names(ofType: "trigger").contains { !JournalTriggers.areOurs($0) }
        rest = hasTriggers ? try SlateRest(records, job, content) : nil
        for table in [SlateTable.tasks, .habits]
        where job.isReplaced(.table(table)) && !job.parts.contains(.table(.dayPlanItems)) {
            try records.database.forEachRow("SELECT id, title FROM \(table.name)") { row in
                if let id = row.string(0) { titles[table, default: [:]][ScalarKey(id)] = row.string(1) }
            }
        }
    }

    /// Returns the numbers of rows of tables that keep some.
    ///
    /// For a table that is replaced, the plan made once more tells the number.
    private static func counts(_ records: SlateRecords, _ job: SlateImport) throws -> [SlateTable: Int] {
        var counts: [SlateTable: Int] = [:]
        for table in SlateTable.allCases where !job.isReplaced(.table(table)) {
            counts[table] = try records.count(table)
        }
        return counts
    }

    /// Looks at the database after the import: references, numbers of rows, and the plan made once more, by which all
    /// has to be done.
    ///
    /// - Parameter takesCircles: Whether tasks may depend on each other in a circle, as ``endCircles(_:)`` comes next.
    func check(
        _ records: SlateRecords,
        takesCircles: Bool,
        plan: (SlateRecords) throws -> SlateImportPlan
    ) throws {
        try checkReferences(records, takesCircles: takesCircles)
        var parts = zip(job.plan.parts, try plan(records).parts).filter { !Self.isDone($0, $1) }.map(\.0.part.name)
        for (table, count) in try Self.counts(records, job) where count != expectedCount(table) {
            parts.append(table.name)
        }
        if try !hasMembers(records) { parts.append(SlateMember.meta) }
        if let rest { parts += try SlateRest(records, job, content).names(unlike: rest) }
        guard parts.isEmpty else {
            let names = SlatePart.allCases.map(\.name).filter(parts.contains).joined(separator: ", ")
            let message = "the database read again is not what was planned in \(names); nothing was changed"
            throw StoreError(.notAsPlanned, message, path: path)
        }
    }

    private func checkReferences(_ records: SlateRecords, takesCircles: Bool) throws {
        guard let references else { return }
        let now = try SlateReferences(records)
        try now.check(against: references, takesCircles: takesCircles, parts: job.parts) { table, id in
            if let title = titles[table]?[ScalarKey(id)] { return title }
            let rows = content.cursor(table)
            guard let position = content.position(of: Array(id.utf8), in: table), rows.go(to: position),
                case .text(let title) = rows.cell(1)
            else { return nil }
            return String(decoding: title, as: UTF8.self)
        }
    }

    /// Ends the circles of tasks that the import made.
    func endCircles(_ records: SlateRecords) throws -> [SlateEndedDependency] {
        guard let references else { return [] }
        let ended = try SlateReferences(records).endCircles(since: references, in: records.database)
        if !ended.isEmpty { try checkReferences(records, takesCircles: false) }
        return ended
    }

    /// Tells whether a part is done: nothing is left to do, all that was written is there, and the rest is as it was.
    private static func isDone(_ planned: SlateImportPlan.Part, _ left: SlateImportPlan.Part) -> Bool {
        left.changeCount == 0
            && left.unchanged == planned.unchanged + planned.count(.create) + planned.count(.update)
            && left.count(.keep) == planned.count(.keep) && left.count(.skip) == planned.count(.skip)
    }

    /// Tells whether `meta` and the top level have the members that were planned and no others.
    private func hasMembers(_ records: SlateRecords) throws -> Bool {
        guard job.parts.contains(.meta) else { return true }
        var (found, planned) = (try records.meta, job.meta)
        found[SlateMember.version] = nil
        planned[SlateMember.version] = nil
        return try SlateWriter.ordered(found) == SlateWriter.ordered(planned)
            && records.unknownMembers == job.unknownMembers
    }

    private func expectedCount(_ table: SlateTable) -> Int {
        let part = job.plan.parts.first { $0.part == .table(table) }
        return (counts[table] ?? 0) + (part?.count(.create) ?? 0)
    }
}

/// The data that an import does not write: `meta` and tables that are not imported, and rows that stay in a merge.
private struct SlateRest {
    private var hashes: [SlatePart: Int] = [:]

    init(_ records: SlateRecords, _ job: SlateImport, _ content: SlateContent) throws {
        for table in SlateTable.allCases {
            if job.isReplaced(.table(table)) { continue }
            let written = Set(job.parts.contains(.table(table)) ? job.writes[table] ?? [] : [])
            var hasher = Hasher()
            let rows = SlateRowTexts(try records.rows(of: table))
            while try rows.next() {
                if !written.isEmpty, let position = content.position(of: Array(rows.key), in: table),
                    written.contains(position)
                {
                    continue
                }
                hasher.combine(Array(rows.key))
                hasher.combine(try? rows.text)
            }
            hashes[.table(table)] = hasher.finalize()
        }
        if !job.parts.contains(.meta) {
            var hasher = Hasher()
            hasher.combine(SlateWriter.ordered(try records.meta))
            hasher.combine(try records.unknownMembers)
            hashes[.meta] = hasher.finalize()
        }
    }

    func names(unlike other: SlateRest) -> [String] {
        hashes.keys.filter { hashes[$0] != other.hashes[$0] }.map(\.name)
    }
}
