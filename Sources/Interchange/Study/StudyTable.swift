internal import CivilTime
internal import FormatKit
internal import RecordStore
public import StrictJSON

/// Reads the tables of the Study Timer as Supabase exports them as CSV, as the rows that its JSON export has.
public enum StudyTable: String, Sendable, Hashable, CaseIterable {
    /// The table `sessions`.
    case sessions
    /// The table `session_history`.
    case history = "session_history"

    /// The columns that hold numbers.
    private static let numbers: Set<String> = ["accumulated_seconds"]

    /// The columns that hold moments.
    private static let moments: Set<String> = ["start_time", "end_time", "created_at"]

    /// Makes the table that a heading belongs to; nil where it is none.
    init?(_ heading: CSVHeading) {
        if heading.column("accumulated seconds") != nil {
            self = .sessions
        } else if heading.column("event type") != nil {
            self = .history
        } else {
            return nil
        }
    }

    /// Hands on the rows of a table as objects: an empty cell is null, between quotes it is an empty text; what is in
    /// `accumulated_seconds` is a number, where it is one, and a moment is written as RFC 3339 has it, not as PostgreSQL.
    ///
    /// A row that cannot be used is a finding, and the others are read.
    ///
    /// - Returns: Which table it is, and what was found.
    /// - Throws: `csv.…` and `text.…` for what is no such table; what the sink throws.
    public static func read(
        _ source: JSONByteSource,
        sink: (JSONObject, TextPosition) throws -> Void
    ) throws -> (table: StudyTable, summary: EntrySummary) {
        let (source, encoding) = try Windows1252.decoding(source)
        var reader = CSVReader(source)
        guard let first = try reader.next() else { throw InterchangeError(.empty, "the table has no rows") }
        let heading = try CSVHeading(first)
        guard let table = StudyTable(heading) else {
            let message =
                "no column is called accumulated_seconds, as in sessions, or event_type, as in session_history"
            throw InterchangeError(.heading, message, at: heading.position)
        }
        var summary = EntrySummary(source: "Supabase CSV of \(table.rawValue)")
        summary.note(encoding)
        while let row = try reader.next() {
            if let fault = heading.fault(in: row) {
                summary.refuse(fault)
                continue
            }
            summary.entries += 1
            var object = JSONObject()
            for (name, field) in zip(heading.names, row.fields) where !name.isEmpty {
                object[name] = value(field, name)
            }
            try sink(object, row.position ?? TextPosition(offset: 0, line: row.number, column: 1))
        }
        return (table, summary)
    }

    private static func value(_ field: CSVRow.Field, _ column: String) -> JSONValue {
        // A title may be empty, and most programs write an empty text as they write none.
        if field.text.isEmpty, !field.isQuoted { return column == "title" ? "" : .null }
        if numbers.contains(column), let number = (try? JSONDocument(parsing: field.text))?.root.value,
            number.number != nil
        {
            return number
        }
        return .string(moments.contains(column) ? moment(field.text) : field.text)
    }

    /// Returns a moment of PostgreSQL, such as `2026-03-02 09:00:00.25+00`, in the form of RFC 3339; any other text as
    /// it is.
    private static func moment(_ text: String) -> String {
        var bytes = Array(text.utf8)
        guard bytes.count > 13, bytes[10] == UInt8(ascii: " ") else { return text }
        bytes[10] = UInt8(ascii: "T")
        let sign = bytes[bytes.count - 3]
        if sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") { bytes += Array(":00".utf8) }
        let converted = String(decoding: bytes, as: UTF8.self)
        return ZonedTimestamp(converted) == nil ? text : converted
    }
}
