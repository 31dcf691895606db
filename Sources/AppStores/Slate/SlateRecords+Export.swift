public import AppFormats
internal import GRDB
public import StrictJSON

/// What an export wrote.
public struct SlateExport: Sendable, Hashable {
    /// The number of rows of each table.
    public let counts: [SlateTable: Int]
    /// What importing the export will find: references that lead nowhere.
    public let warnings: [Diagnostic]
}

extension SlateDatabase {
    /// Writes an export of the current version, row by row, in memory that does not grow with it.
    ///
    /// - Parameters:
    ///   - exportedAt: The moment of the export, RFC 3339 with its offset.
    ///   - style: How it is laid out.
    ///   - progress: Called now and then with the number of rows written so far.
    ///   - sink: Takes the bytes.
    /// - Throws: `slate.unknown-table`, `slate.value`, `store.corrupt` where a table has more or fewer rows than came out, and
    ///   what the sink throws.
    public func export(
        exportedAt: String,
        style: JSONStyle = .indented,
        progress: (Int) -> Void = { _ in },
        to sink: @escaping JSONWriter.Sink
    ) throws -> SlateExport {
        try read { records in
            try file.checkTables(records.database)
            var writer = JSONWriter(style: style, sink: sink)
            let counts = try SlateWriter.write(records, exportedAt: exportedAt, to: &writer, progress: progress)
            try writer.finish()
            for table in SlateTable.allCases {
                let (found, written) = (try records.count(table), counts[table] ?? 0)
                guard found == written else {
                    let message =
                        "the table \(table.name) has \(found) rows, and \(written) came out by its index: the database is "
                        + "damaged; restore it from a copy"
                    throw StoreError(.corrupt, message, path: path)
                }
            }
            return SlateExport(counts: counts, warnings: try records.referenceFaults().map(\.diagnostic))
        }
    }
}

/// Rows whose references lead nowhere.
struct SlateReferenceFault {
    let code: String
    let table: SlateTable
    let keys: [String]
    let count: Int
    let path: String

    private var rows: String {
        let shown = keys.map { quoted($0) }.joined(separator: ", ") + (count > keys.count ? ", …" : "")
        return "\(count == 1 ? "1 row" : "\(count) rows") of \(table.name) (\(shown))"
    }

    private var what: String { table == .tasks ? "depend on tasks" : "plan tasks or habits" }

    /// What an export says of it.
    var diagnostic: Diagnostic {
        let message = "\(rows) \(what) that are not there; importing the export will need --repair"
        return Diagnostic(.warning, code: code, message: message, file: path)
    }

    /// Why an import does not bring it about.
    var error: StoreError {
        let message = "\(rows) would \(what) that the database does not have; nothing was changed"
        return StoreError(.reference, message, path: path)
    }
}

extension SlateRecords {
    /// What of the references leads nowhere.
    func referenceFaults() throws -> [SlateReferenceFault] {
        var faults = [
            try fault(
                "slate.dangling-plan-item",
                .dayPlanItems,
                """
                (entity_type = 'task' AND entity_id NOT IN (SELECT id FROM tasks))
                    OR (entity_type = 'habit' AND entity_id NOT IN (SELECT id FROM habits))
                """
            )
        ]
        if version >= 2 {
            let condition = "depends_on_task_id IS NOT NULL AND depends_on_task_id NOT IN (SELECT id FROM tasks)"
            faults.append(try fault("slate.dangling-dependency", .tasks, condition))
        }
        return faults.compactMap(\.self)
    }

    /// Tasks that depend on each other in a circle, in words.
    func dependencyCircle() throws -> String? {
        guard version >= 2 else { return nil }
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT id, depends_on_task_id FROM tasks WHERE depends_on_task_id IS NOT NULL"
        )
        let ids = rows.map { $0[0] as String }
        let numbers = Dictionary(ids.enumerated().map { (ScalarKey($1), $0) }, uniquingKeysWith: { first, _ in first })
        var graph = SlateDependencies(count: ids.count)
        for (number, row) in rows.enumerated() {
            if let target = numbers[ScalarKey(row[1])] { graph.add(number, dependsOn: target) }
        }
        guard let circle = graph.cycles().first else { return nil }
        return (circle.prefix(10) + [circle[0]]).map { quoted(ids[$0]) }.joined(separator: " → ")
    }

    private func fault(_ code: String, _ table: SlateTable, _ condition: String) throws -> SlateReferenceFault? {
        let count = try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table.name) WHERE \(condition)") ?? 0
        guard count > 0 else { return nil }
        let keys = try String.fetchAll(
            database,
            sql: "SELECT id FROM \(table.name) WHERE \(condition) ORDER BY id LIMIT 5"
        )
        return SlateReferenceFault(code: code, table: table, keys: keys, count: count, path: path)
    }
}
