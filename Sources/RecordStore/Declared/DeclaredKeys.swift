internal import CivilTime
internal import Crypto
internal import FormatKit
internal import SQLiteDatabase
package import StrictJSON

/// The tables that a declared app's store has for its keys, and the SQL that fills them.
///
/// `satchel_key` holds the record key of each row of a table with a mapped key. A deleted row stays there until the app
/// assigns its integer again, so that references to it keep their meaning.
struct DeclaredKeys: Sendable {
    static let app = "satchel_app"
    static let keys = "satchel_key"
    static let extras = "satchel_extra"
    static let names: Set<String> = [app, keys, extras]

    /// The table of keys: `state` is 0 for an existing row, 1 for a deleted one, 2 for another row with a used integer.
    ///
    /// `was` is the title of a deleted row.
    static let make = """
        CREATE TABLE IF NOT EXISTS \(app) (id INTEGER PRIMARY KEY CHECK (id = 1), declaration TEXT NOT NULL);
        CREATE TABLE IF NOT EXISTS \(keys) (
            collection TEXT NOT NULL,
            id INTEGER NOT NULL,
            uid TEXT NOT NULL,
            state INTEGER NOT NULL DEFAULT 0,
            was TEXT,
            PRIMARY KEY (collection, id)
        ) WITHOUT ROWID;
        CREATE UNIQUE INDEX IF NOT EXISTS satchel_key_uid ON \(keys) (collection, uid);
        CREATE TABLE IF NOT EXISTS \(extras) (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            members TEXT NOT NULL,
            PRIMARY KEY (collection, key)
        ) WITHOUT ROWID;
        """

    let declaration: AppDeclaration

    // MARK: Reserved integers

    /// The integers for rows that a store lacks: SQLite gives out none below zero, and apps use the small ones.
    static let reserved = -1_999_999_999 ... -1_000_000_000

    /// Returns the integer to reserve for a record, the same on each device.
    static func reservedNumber(_ key: String) -> Int {
        let digits = AppDeclaration.hash(Array(key.utf8)).prefix(7)
        return reserved.upperBound - (Int(digits, radix: 16) ?? 0)
    }

    /// Returns an integer as a part of a key in the journal.
    static func typed(_ number: Int) -> String {
        "integer:" + AppDeclaration.hexadecimal(Array(String(number).utf8))
    }

    // MARK: Triggers

    /// The tables with their notes.
    var sources: [JournalSource] { declaration.tables.map { $0.isMapped ? mapped($0) : keyed($0) } }

    /// Returns a table whose rows have keys of their own.
    private func keyed(_ table: AppDeclaration.Table) -> JournalSource {
        let key = table.key.map { typed($0, of: table, "$row") }.joined(separator: " || ' ' || ")
        let note = JournalNote(collection: table.name.literal, key: key, columns: table.key)
        return JournalSource(table: table.name, notes: [note])
    }

    /// Returns a table whose rows get a key when they are inserted.
    private func mapped(_ table: AppDeclaration.Table) -> JournalSource {
        let (name, id) = (table.name.literal, table.key[0].quotedName)
        let own = "collection = \(name) AND id = NEW.\(id)"
        let key = "ifnull((SELECT uid FROM \(Self.keys) WHERE collection = \(name) AND id = $row.\(id)), x'')"
        let isFollowed = "NEW.\(id) IS NOT OLD.\(id)"
        return JournalSource(
            table: table.name,
            notes: [JournalNote(collection: name, key: key, columns: table.key, isMapped: true)],
            inserted: again(table) + [
                """
                INSERT INTO \(Self.keys) (collection, id, uid) SELECT \(name), NEW.\(id), \(newKey(table, "NEW")) \
                WHERE NOT EXISTS (SELECT 1 FROM \(Self.keys) WHERE \(own));
                """
            ],
            updated: [
                "DELETE FROM \(Self.keys) WHERE \(own) AND \(isFollowed);",
                "UPDATE \(Self.keys) SET id = NEW.\(id) WHERE collection = \(name) AND id = OLD.\(id) AND \(isFollowed);",
            ],
            deleted: [
                """
                UPDATE \(Self.keys) SET state = 1, was = \(titleText(table, "OLD")) \
                WHERE collection = \(name) AND id = OLD.\(id);
                """
            ]
        )
    }

    /// Tells whether references of any table stay when a row is deleted.
    private func isKept(_ target: AppDeclaration.Table) -> Bool {
        declaration.tables.contains { table in
            table.sent.contains { column in
                column.reference?.onDelete == .keep && declaration.mappedTarget(of: column)?.name == target.name
            }
        }
    }

    /// Returns the SQL for a row that gets the integer of an earlier one.
    ///
    /// The row counts as the same one if the app never assigns an integer twice, or if it has the same title. Else it
    /// is another record.
    private func again(_ table: AppDeclaration.Table) -> [String] {
        let (name, id) = (table.name.literal, table.key[0].quotedName)
        let gone = "collection = \(name) AND state = 1"
        guard table.naturalKey.isEmpty else {
            let natural = naturalKey(table, "NEW")
            // Of a row that REPLACE removed no trigger says that it is gone.
            let isThere = "SELECT 1 FROM \(table.name.quotedName) AS o WHERE o.\(id) = \(Self.keys).id"
            // References to the earlier row lead nowhere. Without a key they would lead to any row with its integer.
            let forget =
                isKept(table)
                ? "UPDATE \(Self.keys) SET uid = \(Self.ownKey("id")), state = 1" : "DELETE FROM \(Self.keys)"
            return [
                """
                \(forget) WHERE collection = \(name) AND uid = \(natural) AND id <> NEW.\(id) \
                AND (state = 1 OR NOT EXISTS (\(isThere)));
                """,
                """
                UPDATE \(Self.keys) SET state = iif(uid = \(natural), 0, 2), \
                uid = iif(uid = \(natural), uid, \(newKey(table, "NEW"))) WHERE \(gone) AND id = NEW.\(id);
                """,
            ]
        }
        guard !table.isAutoincrement else {
            return ["UPDATE \(Self.keys) SET state = 0 WHERE \(gone) AND id = NEW.\(id);"]
        }
        let isSame = "was = \(titleText(table, "NEW"))"
        return [
            """
            UPDATE \(Self.keys) SET state = iif(\(isSame), 0, 2), \
            uid = iif(\(isSame), uid, \(newKey(table, "NEW"))) WHERE \(gone) AND id = NEW.\(id);
            """
        ]
    }

    /// Returns SQL for the key of a new row: its natural key, or its integer with random digits.
    func newKey(_ table: AppDeclaration.Table, _ row: String) -> String {
        guard !table.naturalKey.isEmpty else { return Self.ownKey("\(row).\(table.key[0].quotedName)") }
        let (name, natural) = (table.name.literal, naturalKey(table, row))
        let same = "FROM \(Self.keys) WHERE collection = \(name) AND"
        // The numbers may have holes, as rows go: one more than the highest is free.
        return """
            \(natural) || iif(EXISTS (SELECT 1 \(same) uid = \(natural)), \
            '#' || (SELECT max(2, ifnull(max(CAST(substr(uid, length(\(natural)) + 2) AS INTEGER)), 0) + 1) \
            \(same) uid GLOB \(natural) || '#*'), '')
            """
    }

    /// Returns SQL for a key of an integer with random digits.
    static func ownKey(_ id: String) -> String { "\(id) || '-' || lower(hex(randomblob(8)))" }

    func naturalKey(_ table: AppDeclaration.Table, _ row: String) -> String {
        table.naturalKey.map { typed($0, of: table, row) }.joined(separator: " || ' ' || ")
    }

    /// Returns SQL for a value of a key: its type and bytes in hexadecimal, or the key of a referenced row.
    private func typed(_ name: String, of table: AppDeclaration.Table, _ row: String) -> String {
        let column = table.column(name)
        let isFolded = column?.collation == "NOCASE" && table.isMapped
        let cell = isFolded ? "lower(\(row).\(name.quotedName))" : "\(row).\(name.quotedName)"
        let plain = "typeof(\(cell)) || ':' || hex(\(cell))"
        guard let target = column.flatMap(declaration.mappedTarget) else { return plain }
        let key =
            "SELECT 'key:' || hex(uid) FROM \(Self.keys) WHERE collection = \(target.name.literal) AND id = \(cell)"
        return "coalesce((\(key)), \(plain))"
    }

    private func titleText(_ table: AppDeclaration.Table, _ row: String) -> String {
        guard !table.title.isEmpty else { return "NULL" }
        return table.title.map { "ifnull(quote(\(row).\($0.quotedName)), '')" }.joined(separator: " || ',' || ")
    }

    // MARK: Rows that have no key yet

    /// Gives keys to earlier rows.
    ///
    /// Such a key consists of the row's integer and values: copies of one database give the same rows the same keys.
    func fill(_ database: Database) throws {
        for table in declaration.ordered where table.isMapped {
            let (name, id) = (table.name.quotedName, table.key[0].quotedName)
            let missing = """
                NOT EXISTS (SELECT 1 FROM \(Self.keys) k WHERE k.collection = \(table.name.literal) AND k.id = \(name).\(id)
                    AND k.state <> 1)
                """
            guard table.naturalKey.isEmpty else {
                // One by one: the later ones of several rows with one natural key get a number.
                var ids: [Int] = []
                try database.forEachRow("SELECT \(id) FROM \(name) WHERE \(missing) ORDER BY \(id)") { row in
                    if case .integer(let id) = row.cell(0) { ids.append(id) }
                }
                let insert = try StoreStatement(
                    database,
                    """
                    INSERT INTO \(Self.keys) (collection, id, uid)
                    SELECT \(table.name.literal), \(id), \(newKey(table, name)) FROM \(name) WHERE \(id) = ?1
                    ON CONFLICT (collection, id) DO UPDATE SET uid = excluded.uid, state = 0, was = NULL
                    """
                )
                for id in ids {
                    try insert.bind(1, id)
                    try insert.run()
                }
                continue
            }
            // A row waits until the rows it refers to have keys; rows in a circle use numbers.
            while try fill(table, missing, waiting: true, database) > 0 {}
            _ = try fill(table, missing, waiting: false, database)
        }
        for table in declaration.tables {
            for column in table.sent where column.reference?.onDelete == .keep {
                if let target = declaration.mappedTarget(of: column) {
                    try fillStrays(column.name.quotedName, of: table.name, target.name, database)
                }
            }
        }
    }

    /// The statements that let SQLite give out only integers above one, for the name of the table and that integer.
    static let countAsGiven = [
        "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1 AND seq < ?2",
        """
        INSERT INTO sqlite_sequence (name, seq)
            SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = ?1)
        """,
    ]

    /// Gives keys to integers that refer to no row, so that they lead to no row of another device either.
    ///
    /// Apps use 0 and integers below it for none.
    private func fillStrays(_ column: String, of table: String, _ target: String, _ database: Database) throws {
        var strays: [Int] = []
        let sql = """
            SELECT DISTINCT t.\(column) FROM \(table.quotedName) AS t
                WHERE typeof(t.\(column)) = 'integer' AND t.\(column) > 0 AND NOT EXISTS
                    (SELECT 1 FROM \(Self.keys) WHERE collection = \(target.literal) AND id = t.\(column))
            """
        try database.forEachRow(sql) { row in
            if case .integer(let id) = row.cell(0) { strays.append(id) }
        }
        guard let last = strays.max() else { return }
        // Where another device's key of that number arrived first, the number stays without one.
        let insert = try StoreStatement(
            database,
            "INSERT INTO \(Self.keys) (collection, id, uid, state) VALUES (?, ?, ?, 1) ON CONFLICT DO NOTHING"
        )
        for id in strays {
            try insert.bind(1, text: target)
            try insert.bind(2, id)
            // No row's values read like this.
            try insert.bind(3, text: Self.key(id, target, "no row"))
            try insert.run()
        }
        // A new row with such a number would count as the record that is gone, on each device as the same one.
        let query = "SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?"
        guard let made = try String.fetchOne(database, sql: query, arguments: [target]), SQLToken.isAutoincrement(made)
        else { return }
        for sql in Self.countAsGiven {
            let statement = try StoreStatement(database, sql)
            try statement.bind(1, text: target)
            try statement.bind(2, last)
            try statement.run()
        }
    }

    private func fill(
        _ table: AppDeclaration.Table,
        _ missing: String,
        waiting isWaiting: Bool,
        _ database: Database
    ) throws -> Int {
        let (name, id) = (table.name.quotedName, table.key[0].quotedName)
        var condition = missing
        for column in table.sent where isWaiting {
            guard let target = declaration.mappedTarget(of: column) else { continue }
            let cell = "\(name).\(column.name.quotedName)"
            condition += """
                 AND (NOT EXISTS (SELECT 1 FROM \(target.name.quotedName) AS o WHERE o.\(target.key[0].quotedName) = \(cell))
                    OR EXISTS (SELECT 1 FROM \(Self.keys) WHERE collection = \(target.name.literal) AND id = \(cell)))
                """
        }
        let values = table.sent.map { column in
            declaration.mappedTarget(of: column) == nil
                ? "quote(\(name).\(column.name.quotedName))" : typed(column.name, of: table, name)
        }.joined(separator: " || ',' || ")
        let insert = try StoreStatement(
            database,
            "INSERT OR REPLACE INTO \(Self.keys) (collection, id, uid) VALUES (?, ?, ?)"
        )
        var rows: [(Int, String)] = []
        let sql = "SELECT \(id), \(values.isEmpty ? "''" : values) FROM \(name) WHERE \(condition)"
        try database.forEachRow(sql) { row in
            guard case .integer(let id) = row.cell(0) else { return }
            rows.append((id, Self.key(id, table.name, row.string(1) ?? "")))
        }
        for (id, key) in rows {
            try insert.bind(1, text: table.name)
            try insert.bind(2, id)
            try insert.bind(3, text: key)
            try insert.run()
        }
        return rows.count
    }

    private static func key(_ id: Int, _ table: String, _ values: String) -> String {
        "\(id)-\(AppDeclaration.hash(Array("\(table)\n\(id)\n\(values)".utf8)).prefix(16))"
    }
}

extension AppDeclaration.Table {
    /// True if a row may have the integer of a deleted one, and be known by no other column.
    package var mayReuse: Bool { isMapped && naturalKey.isEmpty && !isAutoincrement && !title.isEmpty }

    /// Tells whether a row is another record than the one that had its integer before, where no trigger noted that.
    ///
    /// It is another one if it has another title, differs in two more columns at least, and has less than half in common.
    /// Columns that have their defaults in both count for nothing, nor do those that change by themselves, such as a time
    /// of the last edit.
    func isAnother(_ row: JSONObject, than record: JSONObject) -> Bool {
        guard title.contains(where: { row[$0] != record[$0] }) else { return false }
        var (same, different) = (0, 0)
        for column in sent where !title.contains(column.name) && !["max", "min", "counter"].contains(column.rule) {
            let initial = column.initialValue
            let (value, earlier) = (row[column.name] ?? initial, record[column.name] ?? initial)
            if value != earlier {
                let isTime = [value, earlier].contains { $0.string.flatMap { Timestamp($0) } != nil }
                different += isTime ? 0 : 1
            } else if value != initial, !value.isNull {
                same += 1
            }
        }
        return different > 1 && same < different
    }
}

extension AppDeclaration {
    /// True if rows of a table are told apart by other columns than their mapped key.
    package var hasNaturalKeys: Bool { tables.contains { $0.isMapped && !$0.naturalKey.isEmpty } }

    /// Returns the natural key of a record, as the store's triggers make it; nil for a value that has no exact text.
    package func naturalKey(of record: JSONObject, _ table: Table) -> String? {
        var parts: [String] = []
        for name in table.naturalKey {
            guard let column = table.column(name) else { return nil }
            let value = record[name] ?? column.initialValue
            if mappedTarget(of: column) != nil, let key = value.string {
                parts.append("key:" + Self.hexadecimal(Array(key.utf8)))
                continue
            }
            guard let cell = try? DeclaredValue.cell(value, column) else { return nil }
            switch cell {
            case .text(let text):
                let bytes = text.utf8.map { column.collation == "NOCASE" && (65...90).contains($0) ? $0 | 32 : $0 }
                parts.append("text:" + Self.hexadecimal(bytes))
            case .integer(let number): parts.append(DeclaredKeys.typed(number))
            case .blob(let bytes): parts.append("blob:" + Self.hexadecimal(bytes))
            case .null: parts.append("null:")
            case .real, .badText: return nil
            }
        }
        return parts.joined(separator: " ")
    }

    fileprivate static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true) }.joined()
    }
}
