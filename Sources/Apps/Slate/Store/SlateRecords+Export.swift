internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

/// The result of an export.
public struct SlateExport: Sendable, Hashable {
    /// The number of rows of each table.
    public let counts: [SlateTable: Int]
    /// The warnings that importing the export will give: references that lead nowhere, and circles.
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
            try file.checkTables(records.database, records.version)
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
            return SlateExport(counts: counts, warnings: try SlateReferences(records).warnings)
        }
    }
}
