internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import RecordStore
internal import Slate
internal import StrictJSON

/// A task or habit of a backup or database.
struct FoundRecord: SearchedRecord {
    let table: SlateTable
    let row: JSONObject
    /// The row as compact JSON, by which versions are told apart.
    let text: [UInt8]

    var id: String { row["id"]?.string ?? "" }
    var title: String { row["title"]?.string ?? "" }
    var kind: String { table.noun }
    var json: JSONValue { .object(row) }

    /// Tells whether the title or the notes have a text in them.
    func has(_ text: String) -> Bool {
        NameText.contains(title, text) || row["notes"]?.string.map { NameText.contains($0, text) } ?? false
    }

    /// The state in words.
    var state: String {
        if table == .habits { return row["active"]?.bool == false ? "inactive" : "active" }
        var words = [row["is_done"]?.bool == true ? "done" : "open"]
        if row["archived"]?.bool == true { words.append("archived") }
        if let due = row["due_date"]?.string { words.append("due \(due)") }
        return words.joined(separator: ", ")
    }
}

/// A backup or a database whose records are looked at.
struct RecordSource {
    /// The file as the person named it.
    let file: String
    /// The time at which the record was as it is, RFC 3339; nil where nobody knows.
    let asOf: String?
    /// The version of the file or of the database's tables.
    let version: Int
    let records: any SlateSource

    /// Opens a file: a backup of any kind, or a database.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - excluded: What of a database is left out.
    ///   - output: Where a file that cannot be used is reported as well; nil to report nothing.
    ///   - asks: Whether the person may be asked for a passphrase.
    ///   - body: Looks at the records.
    /// - Throws: 65 or 66 where the file cannot be used; what the body throws.
    static func open<Result>(
        _ path: String,
        excluding excluded: [String],
        _ output: FormatOption?,
        asks: Bool = true,
        _ body: (RecordSource) throws -> Result
    ) throws -> Result {
        guard !isDatabase(path) else {
            let copy = SlateSafetyBackups.copies(of: databaseOfCopy(path)).first { $0.path == path }
            let database = try SlateDatabase(path: path, for: .reading, excluding: Set(excluded))
            return try database.read {
                let asOf = copy?.moment.description
                return try body(RecordSource(file: path, asOf: asOf, version: database.version, records: $0))
            }
        }
        let content = try content(of: path, output, asks: asks)
        let version = content.sourceVersion
        return try body(RecordSource(file: path, asOf: content.exportedAt, version: version, records: content))
    }

    private static func content(
        of path: String,
        _ output: FormatOption?,
        asks: Bool
    ) throws(CommandFailure) -> SlateContent {
        // A record that is sound comes back out of a backup in which others are not.
        let (report, input) = SlateInput.read(path, repair: true, asks: asks)
        if let output { return try SlateInput.require((report, input), output).content }
        guard report.isUsable, let content = input?.reading.content else {
            throw CommandFailure(report.status, Messages.unusable(path), diagnostics: report.diagnostics)
        }
        return content
    }

    /// Tells whether a file is an SQLite database.
    static func isDatabase(_ path: String) -> Bool {
        guard path != "-", let head = try? InputFile.head(of: path) else { return false }
        return isDatabase(bytes: head)
    }

    /// Tells whether bytes are the beginning of an SQLite database.
    static func isDatabase(bytes: [UInt8]) -> Bool { bytes.starts(with: "SQLite format 3".utf8) }

    /// Returns the database that a safety backup belongs to: `slate.db` for `slate.db.safety/000001-….db`.
    private static func databaseOfCopy(_ path: String) -> String {
        let folder = Files.folder(of: path)
        return folder.hasSuffix(".safety") ? String(folder.dropLast(".safety".count)) : path
    }

    /// Returns the tasks and habits.
    func found() throws -> [FoundRecord] {
        var found: [FoundRecord] = []
        for table in [SlateTable.tasks, .habits] {
            try forEach(table) { row, text in found.append(FoundRecord(table: table, row: row, text: text)) }
        }
        return found
    }

    /// Hands on the rows of a table, with their texts.
    func forEach(_ table: SlateTable, _ body: (JSONObject, [UInt8]) throws -> Void) throws {
        let rows = SlateRowTexts(try records.rows(of: table))
        while try rows.next() {
            let text = try rows.text
            if let row = try JSONDocument(parsing: text).root.value.object { try body(row, text) }
        }
    }

    /// Returns the rows of a table that are wanted.
    func rows(_ table: SlateTable, where isWanted: (JSONObject) -> Bool) throws -> [JSONObject] {
        var rows: [JSONObject] = []
        try forEach(table) { row, _ in if isWanted(row) { rows.append(row) } }
        return rows
    }
}
