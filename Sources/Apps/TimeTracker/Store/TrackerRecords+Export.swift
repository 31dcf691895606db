public import CivilTime
public import FormatKit
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

extension TrackerStore {
    /// Writes an export row by row, in memory that does not grow with it: the same content gives the same bytes.
    ///
    /// Buttons come by position, activities by start, then id.
    ///
    /// - Parameters:
    ///   - exportedAt: The moment of the export, RFC 3339.
    ///   - version: The version to write, for older programs.
    ///   - style: How it is laid out.
    ///   - progress: Called now and then with the number of activities written so far.
    ///   - sink: Takes the bytes.
    /// - Throws: `store.record`, `store.corrupt` where the table has more or fewer rows than came out, and what the sink
    ///   throws.
    public func export(
        exportedAt: String?,
        version: Int = TrackerFormat.currentVersion,
        style: JSONStyle = .indented,
        progress: (Int) -> Void = { _ in },
        to sink: @escaping JSONWriter.Sink
    ) throws -> TrackerWriter.Outcome {
        try read { records in
            var writer = JSONWriter(style: style, sink: sink)
            let source = TrackerStoredExport(records: records, exportedAt: exportedAt)
            let outcome = try TrackerWriter.write(source, version: version, to: &writer, progress: progress)
            try writer.finish()
            let count = try records.count()
            guard count == outcome.activities else {
                let message =
                    "the table activity has \(count) rows, and \(outcome.activities) came out by its index: the database "
                    + "is damaged; restore it from a copy"
                throw StoreError(.corrupt, message, path: path)
            }
            return outcome
        }
    }
}

extension TrackerStore {
    /// Gives the whole log to a function that writes it in another format, all from the same state of the store.
    ///
    /// - Parameters:
    ///   - exportedAt: The moment of the export, RFC 3339.
    ///   - range: When the activities begin that are given; nil for all of them.
    ///   - body: Takes the log and the number of its activities.
    package func withSource<Result>(
        exportedAt: String?,
        startingIn range: Range<Timestamp>? = nil,
        _ body: (any TrackerSource, _ count: Int) throws -> Result
    ) throws -> Result {
        try read { records in
            let source = TrackerStoredExport(records: records, exportedAt: exportedAt, range: range)
            return try body(source, try range.map { try records.count(startingIn: $0) } ?? records.count())
        }
    }
}

/// A store as what an export is made of.
private struct TrackerStoredExport: TrackerSource {
    let records: TrackerRecords
    let exportedAt: String?
    var range: Range<Timestamp>?

    var timeZone: String? { get throws { try records.timeZone() } }
    var buttons: [ActivityButton] { get throws { try records.buttons() } }
    var unknownMembers: JSONObject { get throws { try records.unknownMembers() } }
    func rows() throws -> any TrackerRowStream { try records.rows(startingIn: range) }
}

extension TrackerRecords {
    /// Returns the activities by start, then id, as rows.
    ///
    /// - Parameter range: The time in which they begin; nil for all of them.
    package func rows(startingIn range: Range<Timestamp>? = nil) throws -> any TrackerRowStream {
        try TrackerStoredRows(database, path, range)
    }

    /// Returns the number of activities that begin in a stretch of time.
    ///
    /// - Throws: SQLite's error; the store turns it into a `StoreError`.
    public func count(startingIn range: Range<Timestamp>) throws -> Int {
        try Int.fetchOne(database, sql: "SELECT count(*) FROM activity WHERE \(Self.begins(in: range))") ?? 0
    }

    /// Returns the condition for activities that begin in a stretch of time, in whole milliseconds.
    fileprivate static func begins(in range: Range<Timestamp>) -> String {
        "start_ms >= \(range.lowerBound.milliseconds) AND start_ms < \(range.upperBound.milliseconds)"
    }
}

/// The activities of a store, one after the other.
private final class TrackerStoredRows: TrackerRowStream {
    private let statement: StoreStatement
    private let reader: TrackerRowReader

    init(_ database: Database, _ path: String, _ range: Range<Timestamp>?) throws {
        let condition = range.map { "WHERE \(TrackerRecords.begins(in: $0))" } ?? ""
        // The index gives the order; of rows with one start, which are few, SQLite sorts the rest.
        statement = try StoreStatement(
            database,
            "SELECT \(TrackerSchema.columns) FROM activity \(condition) ORDER BY start_ms, start_ns, id"
        )
        reader = TrackerRowReader(path: path)
    }

    deinit { statement.reset() }

    func next() throws -> TrackerRow? { try statement.step() ? try reader.row(statement) : nil }
}
