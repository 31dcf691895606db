package import SQLiteDatabase
internal import StrictJSON

/// A table of a store whose rows are records, or parts of them.
public struct JournalSource: Sendable {
    /// The table's name.
    public let table: String
    /// The notes that the triggers make of a written row.
    public let notes: [JournalNote]
    /// Further SQL of the triggers: before the note for an added or changed row, after it for a removed one.
    let inserted: [String]
    let updated: [String]
    let deleted: [String]

    /// Makes a table with the notes of its rows.
    ///
    /// - Parameters:
    ///   - inserted: Further SQL of the trigger for a row that is added.
    ///   - updated: Further SQL of the trigger for a row that is changed.
    ///   - deleted: Further SQL of the trigger for a row that is removed.
    public init(
        table: String,
        notes: [JournalNote],
        inserted: [String] = [],
        updated: [String] = [],
        deleted: [String] = []
    ) {
        self.table = table
        self.notes = notes
        self.inserted = inserted
        self.updated = updated
        self.deleted = deleted
    }
}

/// A note of a dirty row; `$row` stands for the row in SQL.
public struct JournalNote: Sendable {
    /// The collection as a value.
    public let collection: String
    /// The key as a value.
    public let key: String
    /// The columns that identify the record: of two rows with the same values, one note is enough.
    public let columns: [String]
    /// The condition for a note of a row.
    public var condition: String?
    /// True if the row stays the same record when the columns change.
    let isMapped: Bool

    /// Makes a note in SQL; ``row(of:by:)-(_,String)`` and ``whole(_:)`` make the usual ones.
    public init(
        collection: String,
        key: String,
        columns: [String],
        condition: String? = nil,
        isMapped: Bool = false
    ) {
        self.collection = collection
        self.key = key
        self.columns = columns
        self.condition = condition
        self.isMapped = isMapped
    }

    /// Notes a row by the text of a column.
    ///
    /// NULL is noted as a blob: a failing trigger would abort the app's write.
    public static func row(of collection: String, by column: String) -> JournalNote {
        JournalNote(collection: "'\(collection)'", key: "ifnull($row.\"\(column)\", x'')", columns: [column])
    }

    /// Notes a row by the texts of several columns.
    public static func row(of collection: String, by columns: [String]) -> JournalNote {
        JournalNote(collection: "'\(collection)'", key: JournalKey.expression(columns, of: "$row"), columns: columns)
    }

    /// Notes a collection.
    public static func whole(_ collection: String) -> JournalNote {
        JournalNote(collection: "'\(collection)'", key: "''", columns: [])
    }
}

/// The triggers that note dirty records, made from a description of the tables.
///
/// They are plain SQL for all versions of SQLite, as the app's SQLite runs them too. They use no conflict clause,
/// because the firing statement's own clause would override it.
///
/// SQLite fires no trigger for rows that a REPLACE removes. So the triggers look for them before an insert or update.
package struct JournalTriggers {
    private static let prefix = "satchel_"

    /// Returns whether a trigger of that name is one of them.
    package static func areOurs(_ name: String) -> Bool { name.hasPrefix(prefix) }

    private let database: Database

    package init(_ database: Database) { self.database = database }

    /// Returns the triggers' SQL by name.
    package func statements(for sources: [JournalSource]) throws -> [String: String] {
        var statements: [String: String] = [:]
        var names: Set<String> = []
        for source in sources {
            for trigger in try triggers(of: source) {
                // The tables `photo` and `photo_before` have triggers of one name. SQLite ignores the case of letters.
                var name = trigger.name
                while !names.insert(name.lowercased()).inserted { name += "_" }
                let isPlain = name.utf8.allSatisfy { JournalKey.isPlain($0) }
                statements[name] = "CREATE TRIGGER \(isPlain ? name : name.quotedName) \(trigger.body)"
            }
        }
        return statements
    }

    /// Returns the database's triggers: ours, or others with such a name.
    package func present() throws -> [String: String] {
        var present: [String: String] = [:]
        let sql = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'satchel\\_%' ESCAPE '\\'"
        try database.forEachRow(sql) { row in
            if let name = row.string(0) { present[name] = row.string(1) ?? "" }
        }
        return present
    }

    private func triggers(of source: JournalSource) throws -> [(name: String, body: String)] {
        let table = source.table
        let all = source.notes
        let new = [SyncTables.count] + all.map { $0.statement(for: "NEW") }
        let old = [SyncTables.count] + all.map { $0.statement(for: "OLD") }
        var triggers = [
            ("insert", "AFTER INSERT", "", source.inserted + new), ("update", "AFTER UPDATE", "", source.updated + new),
            ("delete", "AFTER DELETE", "", old + source.deleted),
        ]
        let moved = all.filter { !$0.columns.isEmpty && !$0.isMapped }
        if !moved.isEmpty {
            let condition = Self.differs(moved.flatMap(\.columns))
            triggers.append(("move", "AFTER UPDATE", condition, moved.map { $0.statement(for: "OLD") }))
        }
        triggers += try replacements(table, all)
        return triggers.map { name, event, condition, statements in
            let when = condition.isEmpty ? "" : " WHEN \(condition)"
            let head = "\(event) ON \(table.quotedName)\(when)"
            return ("\(Self.prefix)\(table)_\(name)", "\(head) BEGIN \(statements.joined(separator: " ")) END")
        }
    }

    /// Returns triggers that note the rows that a new one is about to replace.
    private func replacements(
        _ table: String,
        _ notes: [JournalNote]
    ) throws -> [(String, String, String, [String])] {
        let unique = try uniqueColumns(of: table).filter { unique in !notes.allSatisfy(unique.decides) }
        guard !unique.isEmpty else { return [] }
        let statements = notes.flatMap { note in
            unique.map { unique in
                unique.columns.isEmpty
                    ? note.withoutKey : note.statement(forRowsOf: table, like: unique.condition(in: table))
            }
        }
        let isKnown = unique.allSatisfy { !$0.columns.isEmpty }
        let exists = unique.map { "EXISTS (SELECT 1 FROM \(table.quotedName) WHERE \($0.condition(in: table)))" }
        let differs = Self.differs(unique.flatMap { $0.columns.map(\.name) })
        return [
            ("before_insert", "BEFORE INSERT", isKnown ? exists.joined(separator: " OR ") : "", statements),
            ("before_update", "BEFORE UPDATE", isKnown ? differs : "", statements),
        ]
    }

    /// Returns the condition that a row has changed values.
    private static func differs(_ columns: [String]) -> String {
        var terms: [String] = []
        for column in columns.map(\.quotedName) {
            // A record's key is another one even where the column's collation takes both for the same.
            let term = "NEW.\(column) IS NOT OLD.\(column) COLLATE BINARY"
            if !terms.contains(term) { terms.append(term) }
        }
        return terms.joined(separator: " OR ")
    }

    /// Columns whose values are unique together; none for an index on an expression.
    private struct Unique {
        var columns: [(name: String, collation: String)]

        /// Returns whether the note of the new row covers the row that it replaces for these columns.
        func decides(_ note: JournalNote) -> Bool {
            note.columns.allSatisfy { name in columns.contains { $0.name == name && $0.collation == "BINARY" } }
        }

        func condition(in table: String) -> String {
            columns.map { column in
                let name = column.name.quotedName
                return "\(table.quotedName).\(name) = NEW.\(name) COLLATE \(column.collation.quotedName)"
            }.joined(separator: " AND ")
        }
    }

    private func uniqueColumns(of table: String) throws -> [Unique] {
        var unique: [Unique] = []
        var names: [String] = []
        try database.forEachRow("PRAGMA index_list(\(table.quotedName))") { row in
            if let name = row.string(1), case .integer(1) = row.value(2) { names.append(name) }
        }
        for name in names.sorted() {
            var columns: [(name: String, collation: String)] = []
            var hasExpression = false
            try database.forEachRow("PRAGMA index_xinfo(\(name.quotedName))") { row in
                guard case .integer(1) = row.value(5) else { return }
                if let column = row.string(2), let collation = row.string(4) {
                    columns.append((column, collation))
                } else {
                    hasExpression = true
                }
            }
            unique.append(Unique(columns: hasExpression ? [] : columns))
        }
        if (try? database.makeStatement(sql: "SELECT _rowid_ FROM \(table.quotedName)")) != nil {
            unique.append(Unique(columns: [("_rowid_", "BINARY")]))
        }
        return unique
    }
}

extension JournalNote {
    /// Returns the SQL that notes a row with a name in a trigger.
    fileprivate func statement(for row: String) -> String {
        let (collection, key) = (collection.named(row), key.named(row))
        if let condition { return Self.statement(collection, key, from: nil, condition.named(row)) }
        // This does the same as below in a third of the time.
        return "DELETE FROM \(SyncTables.journal) WHERE collection = \(collection) AND key = \(key); "
            + "INSERT INTO \(SyncTables.journal) (collection, key) VALUES (\(collection), \(key));"
    }

    /// Returns the SQL that notes rows of the table itself.
    fileprivate func statement(forRowsOf table: String, like condition: String) -> String {
        let name = table.quotedName
        let conditions = [condition] + [self.condition?.named(name)].compactMap { $0 }
        return Self.statement(
            collection.named(name),
            key.named(name),
            from: name,
            conditions.joined(separator: " AND ")
        )
    }

    /// The SQL that notes that any row may be dirty.
    fileprivate var withoutKey: String { Self.statement(collection, "x''", from: nil, nil) }

    private static func statement(
        _ collection: String,
        _ key: String,
        from: String?,
        _ condition: String?
    ) -> String {
        let journal = SyncTables.journal
        let from = from.map { " FROM \($0)" } ?? ""
        let condition = condition.map { "\($0) AND " } ?? ""
        return
            "INSERT INTO \(journal) (collection, key) SELECT DISTINCT \(collection), \(key)\(from) WHERE \(condition)"
            + "NOT EXISTS (SELECT 1 FROM \(journal) j WHERE j.collection = \(collection) AND j.key = \(key));"
    }
}

extension String {
    /// Returns the text with the row's name for `$row`, the only part that begins with a dollar sign.
    ///
    /// `replacing` would take a tenth of a sync that finds nothing.
    fileprivate func named(_ row: String) -> String {
        let parts = utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false).map { Substring($0) }
        return parts.dropFirst().reduce(String(parts[0])) { $0 + row + $1.dropFirst("row".count) }
    }
}

/// Keys of several texts in the journal.
///
/// Swift makes the JSON of them, so that no two programs need to agree on how to escape a text.
package enum JournalKey {
    /// Returns whether a byte needs no quotes in a name: the names of the apps' own tables have only such bytes.
    static func isPlain(_ byte: UInt8) -> Bool {
        (97...122).contains(byte) || (65...90).contains(byte) || (48...57).contains(byte) || byte == 95
    }

    /// The prefix of a primary key, for a row whose own columns are the key.
    package static let row = "row "

    /// Returns SQL for the type and the bytes of each column in hexadecimal: `text:6831 text:3230`.
    package static func expression(_ columns: [String], of row: String) -> String {
        columns.map { "typeof(\(row).\"\($0)\") || ':' || hex(\(row).\"\($0)\")" }.joined(separator: " || ' ' || ")
    }

    /// Returns the texts; nil where one is not a text in UTF-8.
    package static func texts(_ key: String) -> [String]? {
        var texts: [String] = []
        for part in key.split(separator: " ") {
            guard part.hasPrefix("text:"), let bytes = Hex.bytes(part.dropFirst(5), uppercase: true),
                let text = String(validating: bytes, as: UTF8.self)
            else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Returns the record's key in merged records.
    package static func canonical(_ texts: [String]) -> String {
        JSONValue.array(texts.map { .string($0) }).text(.canonical)
    }
}
