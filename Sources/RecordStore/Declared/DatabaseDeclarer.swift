internal import CSQLite
internal import SQLiteDatabase
internal import StrictJSON

/// Reads an SQLite database and writes a first declaration of its app.
///
/// Tables and columns that cannot sync stay on the device; the declaration's notes give the reasons.
package struct DatabaseDeclarer {
    private let database: Database
    private let earlier: AppDeclaration?
    private var declaration: AppDeclaration
    private var tables: [Found] = []

    /// A table as SQLite describes it.
    private struct Found {
        var table: AppDeclaration.Table
        var columns: [FoundColumn]
        /// Columns of unique indexes, without expressions and conditions.
        var unique: [[String]]
        /// The parts of the table that `--create` does not make.
        var leftOut: [String] = []
    }

    private struct FoundColumn {
        let name: String
        let type: String
        let isNotNull: Bool
        let initial: String?
        /// The position in the primary key from 1; 0 outside the key.
        let place: Int
        let isGenerated: Bool
    }

    /// Declares a database; an existing declaration of the database is extended.
    ///
    /// - Parameters:
    ///   - app: The app's identifier; nil to take it from the file's name.
    /// - Throws: `store.not-found`, `store.not-a-database` and the other errors of opening a database.
    package static func declare(_ path: String, app: String? = nil, title: String? = nil) throws(StoreError)
        -> AppDeclaration
    {
        let earlier = try DeclaredStores.declaration(in: path)
        return try StorePath.translating(path) {
            var configuration = Configuration()
            configuration.readonly = true
            configuration.busyMode = .timeout(10)
            return try DatabaseQueue(path: path, configuration: configuration).read { database in
                let id = app ?? earlier?.app ?? identifier(path)
                var declarer = DatabaseDeclarer(database, earlier, id, title ?? earlier?.title ?? id)
                try declarer.run()
                return declarer.declaration
            }
        }
    }

    /// Returns an identifier made of a file's name.
    private static func identifier(_ path: String) -> String {
        let name = path.split(separator: "/").last?.split(separator: ".").first.map { $0.lowercased() } ?? ""
        let letters = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "-" })
        func trimmed(_ text: some StringProtocol) -> String {
            text.split(separator: "-").joined(separator: "-")
        }
        let id = trimmed(String(letters.drop { !$0.isLetter }).prefix(32))
        if AppID(rawValue: id) != nil, !AppID.reserved.contains(where: { $0.rawValue == id }) { return id }
        // A name of digits or a single letter, of signs alone, or one that an app of the toolkit has.
        let whole = trimmed(letters.prefix(20))
        return whole.isEmpty ? "app" : "app-\(whole)"
    }

    private init(_ database: Database, _ earlier: AppDeclaration?, _ app: String, _ title: String) {
        self.database = database
        self.earlier = earlier
        declaration = AppDeclaration(app: app, title: title, revision: earlier?.revision ?? 1, tables: [])
    }

    private mutating func run() throws {
        declaration.applicationID = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        declaration.userVersion = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        try readTables()
        for index in tables.indices { try describe(index) }
        tables.removeAll { $0.table.columns.isEmpty }
        try readForeignKeys()
        try guessReferences()
        for index in tables.indices where tables[index].table.key.isEmpty { findKey(index) }
        tables.removeAll { $0.table.key.isEmpty }
        try readTriggers()
        for index in tables.indices { choose(index) }
        try checkKinds()
        try measureBlobs()
        declaration.tables = tables.map(\.table)
        try checkForeignKeys()
        if let earlier { try goOn(from: earlier) }
    }

    private mutating func leaveOut(_ name: String, _ reason: String) {
        declaration.local.append(name)
        declaration.notes.append("\(name) stays on the device: \(reason)")
    }

    // MARK: Tables

    /// The tables in which programs keep facts about their database.
    private static let bookkeeping: Set<String> = [
        "alembic_version", "android_metadata", "db_version", "dbversion", "django_migrations", "grdb_migrations",
        "knex_migrations", "knex_migrations_lock", "migrations", "room_master_table", "schema_migrations",
        "schema_version",
        "schemaversion", "version", "_sqlx_migrations", "__diesel_schema_migrations", "peewee_migrations",
    ]

    private mutating func readTables() throws {
        var listed: [(name: String, type: String)] = []
        try database.forEachRow("SELECT name, type FROM pragma_table_list WHERE schema = 'main' ORDER BY name") { row in
            if let name = row.string(0), let type = row.string(1) { listed.append((name, type)) }
        }
        for (name, type) in listed where !name.hasPrefix("sqlite_") && !name.hasPrefix("satchel_") {
            switch type {
            case "table": break
            case "virtual":
                leaveOut(name, "it is a virtual table; SQLite builds it from others")
                continue
            case "shadow":
                leaveOut(name, "it belongs to a virtual table")
                continue
            default: continue
            }
            guard !name.contains("$"), !name.unicodeScalars.contains(where: { $0.value < 32 }) else {
                leaveOut(name, "its name has a character that triggers cannot name")
                continue
            }
            if Self.bookkeeping.contains(name.lowercased()) {
                leaveOut(name, "by its name it says of which version the database is")
                continue
            }
            let table = AppDeclaration.Table(name: name, key: [], columns: [])
            tables.append(Found(table: table, columns: [], unique: []))
        }
    }

    private mutating func describe(_ index: Int) throws {
        let name = tables[index].table.name
        var columns: [FoundColumn] = []
        try database.forEachRow("PRAGMA table_xinfo(\(name.quotedName))") { row in
            guard let column = row.string(1), case .integer(let place) = row.cell(5) else { return }
            columns.append(
                FoundColumn(
                    name: column,
                    type: row.string(2) ?? "",
                    isNotNull: row.cell(3) == .integer(1),
                    initial: row.string(4),
                    place: place,
                    isGenerated: row.cell(6) != .integer(0)
                )
            )
        }
        let key = columns.filter { $0.place > 0 }.sorted { $0.place < $1.place }
        if let reason = try refusal(name, key.first ?? columns.first) { return leaveOut(name, reason) }
        tables[index].columns = columns
        let hasKeyIndex = try readIndexes(index)
        var table = tables[index].table
        table.key = key.map(\.name)
        table.isMapped = key.count == 1 && key[0].type.uppercased() == "INTEGER" && !hasKeyIndex
        let sql = try String.fetchOne(database, sql: "SELECT sql FROM sqlite_master WHERE name = ?", arguments: [name])
        tables[index].leftOut += sql.map(Self.leftOut) ?? []
        table.isAutoincrement = table.isMapped && sql.map(SQLToken.isAutoincrement) ?? false
        let types = try ColumnAffinity.columns(of: name, database)
        for column in columns {
            if column.isGenerated {
                declaration.local.append("\(name).\(column.name)")
                declaration.notes.append("\(name).\(column.name) stays on the device: SQLite works it out")
            } else if column.name.contains("$") {
                declaration.local.append("\(name).\(column.name)")
                declaration.notes.append("\(name).\(column.name) stays on the device: triggers cannot name it")
            } else {
                var found = described(column, name)
                // ANY keeps each value in a STRICT table, and makes numbers of texts in any other.
                if found.type?.uppercased() == "ANY" {
                    found.type = types[column.name]?.affinity == ColumnAffinity.none ? nil : "NUMERIC"
                }
                table.columns.append(found)
            }
        }
        if key.contains(where: { Self.kind(of: $0.type) == .real }) {
            table.columns = []
            leaveOut(name, "its key is a real number, which has no exact text")
        }
        if !table.isMapped, table.key.count == 1, table.column(table.key[0])?.kind == .integer {
            declaration.notes.append(
                "\(name): rows that two devices make with the same number are taken for one, as \(table.key[0]) is no"
                    + " INTEGER PRIMARY KEY"
            )
        }
        tables[index].table = table
    }

    /// Returns the parts of the statement that makes a table for which a declaration has no words.
    private static func leftOut(_ sql: String) -> [String] {
        let tokens = SQLToken.tokens(of: sql)
        let options = tokens[(tokens.lastIndex(of: .sign(")")) ?? tokens.endIndex)...]
        return ["CHECK", "ON CONFLICT", "ON UPDATE", "DEFERRABLE"].filter(tokens.contains(words:))
            + ["STRICT", "WITHOUT ROWID"].filter(options.contains(words:))
    }

    /// Returns why the rows of a table cannot be written; nil where they can.
    private func refusal(_ name: String, _ first: FoundColumn?) throws -> String? {
        guard let first else { return "it has no columns" }
        let (table, column) = (name.quotedName, first.name.quotedName)
        let statements = [
            "INSERT INTO \(table) DEFAULT VALUES", "UPDATE \(table) SET \(column) = \(column)", "DELETE FROM \(table)",
        ]
        for sql in statements {
            do {
                _ = try database.makeStatement(sql: "EXPLAIN \(sql)")
            } catch let error as DatabaseError {
                return "only its program can write it (\(error.message ?? "SQLite refuses it"))"
            }
        }
        return nil
    }

    /// Reads unique indexes.
    ///
    /// - Returns: Whether the primary key has an index of its own, or the table is its own index.
    private mutating func readIndexes(_ index: Int) throws -> Bool {
        let name = tables[index].table.name
        var hasKeyIndex = false
        var (unique, keys): ([String], [String]) = ([], [])
        try database.forEachRow("PRAGMA index_list(\(name.quotedName))") { row in
            guard let name = row.string(1) else { return }
            if row.string(3) == "pk" {
                hasKeyIndex = true
                keys.append(name)
            } else if row.cell(2) == .integer(1) {
                if row.cell(4) == .integer(0) {
                    unique.append(name)
                } else {
                    tables[index].leftOut.append("the unique index \(name)")
                }
            }
        }
        for name in (keys + unique).sorted() {
            var columns: [String] = []
            var isPlain = true
            try database.forEachRow("PRAGMA index_xinfo(\(name.quotedName))") { row in
                guard row.cell(5) == .integer(1) else { return }
                if let column = row.string(2) { columns.append(column) } else { isPlain = false }
                // SQL has it in small letters as well.
                guard let collation = row.string(4)?.uppercased(), let column = row.string(2) else { return }
                let place = "\(tables[index].table.name).\(column)"
                if collation != "BINARY" || collations[place] == nil { collations[place] = collation }
            }
            if !isPlain {
                tables[index].leftOut.append("the unique index \(name)")
            } else if !keys.contains(name) {
                tables[index].unique.append(columns)
            }
        }
        return hasKeyIndex
    }

    /// The collations of columns in unique indexes, in capitals.
    private var collations: [String: String] = [:]

    /// Returns the collation of a column, in capitals.
    private func collation(of column: String, _ table: String) -> String? {
        if let collation = collations["\(table).\(column)"] { return collation }
        var name: UnsafePointer<CChar>?
        let connection = database.sqliteConnection
        let code = sqlite3_table_column_metadata(connection, "main", table, column, nil, &name, nil, nil, nil)
        return code == SQLITE_OK ? name.map { String(cString: $0).uppercased() } : nil
    }

    private mutating func described(_ column: FoundColumn, _ table: String) -> AppDeclaration.Column {
        var found = AppDeclaration.Column(name: column.name, kind: Self.kind(of: column.type))
        let words = column.type.split(separator: " ")
        let plain = /[A-Za-z][A-Za-z0-9_]*( [A-Za-z][A-Za-z0-9_]*){0,3}( ?\([0-9]{1,9}(, ?[0-9]{1,9})?\))?/
        let isPlain = column.type.wholeMatch(of: plain) != nil
        if isPlain, !words.isEmpty { found.type = column.type }
        found.isNotNull = column.isNotNull
        if let collation = collation(of: column.name, table), collation != "BINARY" {
            if ["NOCASE", "RTRIM"].contains(collation) {
                found.collation = collation
            } else {
                declaration.notes.append("\(table).\(column.name): --create leaves out its collation, \(collation)")
            }
        }
        if let text = column.initial {
            if let initial = Self.initial(text) {
                found.initial = initial
            } else {
                declaration.notes.append("\(table).\(column.name): --create leaves out its default, \(text)")
            }
        }
        return found
    }

    /// Returns the kind of values that SQLite gives a column of a type.
    private static func kind(of type: String) -> AppDeclaration.Kind {
        let type = type.uppercased()
        if type.contains("INT") { return .integer }
        if ["CHAR", "CLOB", "TEXT"].contains(where: { type.contains($0) }) { return .text }
        if type.contains("BLOB") { return .blob }
        if ["REAL", "FLOA", "DOUB"].contains(where: { type.contains($0) }) { return .real }
        return .any
    }

    /// Returns a literal default as SQL has it; nil for any other.
    private static func initial(_ text: String) -> AppDeclaration.Default? {
        let upper = text.uppercased()
        switch upper {
        case "NULL": return .value(.null)
        case "TRUE": return .value(1)
        case "FALSE": return .value(0)
        case "CURRENT_TIMESTAMP", "CURRENT_DATE", "CURRENT_TIME": return .now(String(upper.dropFirst(8)).lowercased())
        default: break
        }
        if let number = Int(text) { return .value(.number(number)) }
        if text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 || $0 == 45 }), let number = Double(text),
            let value = JSONNumber(number)
        {
            return .value(.number(value))
        }
        for quote in ["'", "\""] where text.utf8.count >= 2 && text.hasPrefix(quote) && text.hasSuffix(quote) {
            let inner = String(text.dropFirst().dropLast())
            let parts = inner.replacing(quote + quote, with: "\u{1}")
            guard !parts.contains(quote) else { return nil }
            return .value(.string(parts.replacing("\u{1}", with: quote)))
        }
        return nil
    }

    // MARK: References

    private mutating func readForeignKeys() throws {
        for index in tables.indices {
            let name = tables[index].table.name
            var keys: [(id: Int, table: String, from: String, to: String?, action: String)] = []
            try database.forEachRow("PRAGMA foreign_key_list(\(name.quotedName))") { row in
                guard case .integer(let id) = row.cell(0), let target = row.string(2), let from = row.string(3) else {
                    return
                }
                keys.append((id, target, from, row.string(4), row.string(6) ?? ""))
            }
            for key in keys {
                let columns = keys.filter { $0.id == key.id }.map(\.from)
                // A key of several columns has a row for each.
                guard columns.first == key.from else { continue }
                let target = tables.first { $0.table.name.lowercased() == key.table.lowercased() }
                guard columns.count == 1, let target, target.table.key.count == 1,
                    (key.to ?? target.table.key[0]).lowercased() == target.table.key[0].lowercased()
                else {
                    let reason =
                        target == nil
                        ? "which takes no part"
                        : columns.count > 1 ? "by several columns" : "by another column than its key"
                    let fields = columns.map { "\(name).\($0)" }.joined(separator: " and ")
                    let verb = columns.count > 1 ? "refer" : "refers"
                    let values = columns.count > 1 ? "their values are sent as they are" : "its value is sent as it is"
                    declaration.notes.append("\(fields) \(verb) to \(key.table), \(reason): \(values)")
                    tables[index].leftOut.append("the foreign key to \(key.table)")
                    continue
                }
                let isNullable = !isKeyOrNotNull(key.from, index)
                let action: AppDeclaration.OnDelete =
                    switch key.action.uppercased() {
                    case "CASCADE": .cascade
                    case "SET NULL" where isNullable: .setNull
                    default: .block
                    }
                refer(index, key.from, target.table.name, action)
            }
        }
    }

    private func isKeyOrNotNull(_ column: String, _ index: Int) -> Bool {
        let table = tables[index].table
        return table.key.contains(column) || table.column(column)?.isNotNull ?? true
    }

    @discardableResult
    private mutating func refer(
        _ index: Int,
        _ column: String,
        _ target: String,
        _ action: AppDeclaration.OnDelete
    ) -> Bool {
        let place = tables[index].table.columns.firstIndex { $0.name.lowercased() == column.lowercased() }
        guard let place, tables[index].table.columns[place].reference == nil else { return false }
        if tables[index].table.isMapped, tables[index].table.key == [tables[index].table.columns[place].name] {
            // A row that belongs to another by its number keeps that number as its key.
            tables[index].table.isMapped = false
            tables[index].table.isAutoincrement = false
        }
        tables[index].table.columns[place].reference = AppDeclaration.Reference(table: target, onDelete: action)
        return true
    }

    /// Guesses references: integers named after a table refer to its rows, if no foreign key says so.
    private mutating func guessReferences() throws {
        for index in tables.indices {
            let table = tables[index].table
            for column in table.columns where column.reference == nil && column.kind == .integer {
                let name = column.name.lowercased()
                guard name.count > 2, !(table.isMapped && table.key == [column.name]) else { continue }
                let target = tables.first { found in
                    let whole = found.table.name.lowercased()
                    let stems = [whole, Self.singular(whole)]
                    return found.table.isMapped
                        && stems.contains { ["\($0)_id", "\($0)id", "id_\($0)"].contains(name) }
                }
                guard let target else { continue }
                let (own, other) = (table.name.quotedName, target.table.name.quotedName)
                let strays = try Int.fetchOne(
                    database,
                    sql: """
                        SELECT count(*) FROM \(own) AS t WHERE \(column.name.quotedName) > 0 AND NOT EXISTS
                            (SELECT 1 FROM \(other) AS o WHERE o.\(target.table.key[0].quotedName) = t.\(column.name.quotedName))
                        """
                )
                let message =
                    "\(table.name).\(column.name) is taken for a reference to \(target.table.name) by its name"
                refer(index, column.name, target.table.name, .keep)
                declaration.notes.append(strays == 0 ? message : "\(message); \(strays ?? 0) rows refer to none")
            }
        }
    }

    private static func singular(_ name: String) -> String {
        if name.hasSuffix("ies") { return name.dropLast(3) + "y" }
        return name.hasSuffix("s") ? String(name.dropLast()) : name
    }

    // MARK: Keys, titles, triggers

    /// Finds the key of a table without a primary key: unique columns, or all columns of a table that only links
    /// others.
    private mutating func findKey(_ index: Int) {
        let table = tables[index].table
        let unique = tables[index].unique.filter { $0.allSatisfy { table.column($0)?.isNotNull ?? false } }
        if let unique = unique.first(where: { !hasPosition($0, table) }) ?? unique.first {
            tables[index].table.key = unique
        } else if table.columns.count > 1, table.columns.allSatisfy({ $0.reference != nil }) {
            tables[index].table.key = table.columns.map(\.name)
            declaration.notes.append("\(table.name) has no primary key: rows with the same values are one record")
        } else {
            leaveOut(table.name, "it has no primary key, so nothing says which row is which")
        }
    }

    /// Tells whether one of the unique columns is a position in a list: two devices put different rows there.
    private func hasPosition(_ unique: [String], _ table: AppDeclaration.Table) -> Bool {
        let positions: Set = [
            "pos", "position", "ord", "ordering", "ordinal", "sort", "sorting", "idx", "seq", "sequence",
        ]
        // Others may be what people know a row by, such as a purchase_order.
        let doubtful: Set = ["order", "index", "rank"]
        let lists: Set = ["sort", "display", "list", "item", "order", "view", "row"]
        return unique.contains { name in
            let column = table.column(name)
            guard column?.kind == .integer, column?.reference == nil else { return false }
            // The last word counts: sort_order, orderIndex.
            let words = name.replacing(/[A-Z][a-z]+/) { "_\($0.output)" }.lowercased().split(separator: "_")
            let parts = words.map(String.init)
            guard let last = parts.last else { return false }
            let isAlone = parts.count == 1 || parts.dropLast().last.map(lists.contains) == true
            return positions.contains(last) || doubtful.contains(last) && isAlone || parts == ["sort", "key"]
        }
    }

    private mutating func choose(_ index: Int) {
        var table = tables[index].table
        if !tables[index].leftOut.isEmpty {
            let parts = tables[index].leftOut.joined(separator: ", ")
            declaration.notes.append("\(table.name): --create leaves out \(parts)")
        }
        let usable = tables[index].unique.filter { columns in
            columns.allSatisfy { name in
                guard let column = table.column(name) else { return false }
                return column.isNotNull && column.kind != .real && !column.isLocal && !table.key.contains(name)
            }
        }
        table.unique = tables[index].unique.filter { columns in
            columns != table.key && columns.allSatisfy { table.column($0).map { !$0.isLocal } ?? false }
        }
        let names = usable.filter { !hasPosition($0, table) }
        if table.isMapped, let natural = names.min(by: { $0.count < $1.count }) { table.naturalKey = natural }
        if table.isMapped, table.naturalKey.isEmpty, let unique = usable.first ?? table.unique.first {
            let reason = usable.isEmpty ? "that may be NULL" : "a position is no name"
            declaration.notes.append(
                "\(table.name): rows that two devices make with the same \(unique.joined(separator: " and ")) are not"
                    + " taken for one, as \(reason); the later one is rejected"
            )
        }
        let secrets = ["pass", "secret", "token", "hash", "salt", "guid"]
        let texts = table.columns.filter { column in
            column.kind == .text && column.reference == nil && !column.isLocal
                && !secrets.contains { column.name.lowercased().contains($0) }
                && !(table.key.contains(column.name) && Self.isOpaque(column.name))
        }
        let known = ["title", "name", "label", "subject", "summary", "description", "url", "text"]
        let title =
            known.lazy.compactMap { word in texts.first { $0.name.lowercased() == word } }.first
            ?? texts.first { table.naturalKey.contains($0.name) }
            ?? texts.first { column in known.contains { column.name.lowercased().contains($0) } }
            ?? texts.first { table.key.contains($0.name) } ?? texts.first(where: \.isNotNull) ?? texts.first
        if let title { table.title = [title.name] }
        tables[index].table = table
    }

    /// Tells whether a key of that name is probably made by a program, so that it says nothing to people.
    private static func isOpaque(_ name: String) -> Bool {
        let name = name.lowercased()
        return ["id", "uid", "uuid", "rowid"].contains(name) || name.hasSuffix("_id") || name.hasSuffix("uuid")
    }

    /// Keeps columns that triggers set on the device, and notes what else triggers do when sync writes rows.
    private mutating func readTriggers() throws {
        var triggers: [(name: String, table: String, writes: TriggerWrites)] = []
        try database.forEachRow("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name") {
            row in
            guard let name = row.string(0), let table = row.string(1), let sql = row.string(2) else { return }
            if !JournalTriggers.areOurs(name) { triggers.append((name, table.lowercased(), TriggerWrites(sql))) }
        }
        // Sync runs the triggers of the tables that it writes, and those run others.
        var written = Set(tables.map { $0.table.name.lowercased() })
        var count = 0
        while count != written.count {
            count = written.count
            for trigger in triggers where written.contains(trigger.table) { written.formUnion(trigger.writes.tables) }
        }
        triggers.removeAll { !written.contains($0.table) }
        for index in tables.indices {
            let table = tables[index].table
            let small = table.name.lowercased()
            for (place, column) in table.columns.enumerated() where !table.key.contains(column.name) {
                let setting = triggers.filter { $0.writes.set[small]?.contains(column.name.lowercased()) ?? false }
                guard let first = setting.first else { continue }
                let names = setting.map(\.name).joined(separator: ", ")
                let reason = setting.count == 1 ? "the trigger \(first.name) sets it" : "the triggers \(names) set it"
                tables[index].table.columns[place].rule = "local"
                declaration.notes.append("\(table.name).\(column.name) stays on the device: \(reason)")
            }
            let remedy = "move \(table.name) from \"tables\" to \"local\""
            for trigger in triggers where trigger.writes.inserted.contains(small) {
                declaration.notes.append(
                    "\(table.name) gets rows from the trigger \(trigger.name) on every device, so that one change makes"
                        + " several: \(remedy)"
                )
            }
            for trigger in triggers where trigger.writes.deleted.contains(small) {
                declaration.notes.append(
                    "\(table.name) loses rows by the trigger \(trigger.name) on every device, also those that others added:"
                        + " where that is wrong, \(remedy)"
                )
            }
            for trigger in triggers where trigger.table == small {
                guard !trigger.writes.tables.contains(where: { name in isDeclared(name) }) else { continue }
                declaration.notes.append(
                    "\(table.name) has the trigger \(trigger.name), which runs when rows of other devices are written as well"
                )
            }
        }
    }

    private func isDeclared(_ name: String) -> Bool { tables.contains { $0.table.name.lowercased() == name } }

    /// Declares columns that hold values of another kind than their type's as `any`, so that an inbox takes such values.
    private mutating func checkKinds() throws {
        for index in tables.indices {
            let table = tables[index].table
            let places = table.columns.indices.filter { table.columns[$0].kind != .any }
            guard !places.isEmpty else { continue }
            let terms = places.map { place in
                let column = table.columns[place]
                return "max(typeof(\(column.name.quotedName)) NOT IN ('null', '\(column.kind.rawValue)'))"
            }
            var others: [Int] = []
            try database.forEachRow("SELECT \(terms.joined(separator: ", ")) FROM \(table.name.quotedName)") { row in
                others = places.indices.filter { row.cell($0) == .integer(1) }.map { places[$0] }
            }
            for place in others {
                tables[index].table.columns[place].kind = .any
                declaration.notes.append(
                    "\(table.name).\(table.columns[place].name) holds other values than its type says: its kind is \"any\""
                )
            }
        }
    }

    /// Notes values that are larger than a change allows: such records stay on the device.
    private mutating func measureBlobs() throws {
        for found in tables {
            for column in found.table.columns where column.kind == .blob || column.kind == .text || column.kind == .any
            {
                let sql = "SELECT max(length(\(column.name.quotedName))) FROM \(found.table.name.quotedName)"
                guard let size = try Int.fetchOne(database, sql: sql), size > 1_400_000 else { continue }
                declaration.notes.append(
                    "\(found.table.name).\(column.name) has values of \(size) bytes: records of more than 2 MiB are not sent"
                )
            }
        }
    }

    /// Turns foreign keys off for a database with rows that refer to nothing.
    private mutating func checkForeignKeys() throws {
        var lost: Set<String> = []
        try database.forEachRow("PRAGMA foreign_key_check") { row in
            if let table = row.string(0) { lost.insert(table) }
        }
        guard !lost.isEmpty else { return }
        declaration.enforcesForeignKeys = false
        for index in declaration.tables.indices {
            for place in declaration.tables[index].columns.indices
            where declaration.tables[index].columns[place].reference?.onDelete == .block {
                declaration.tables[index].columns[place].reference?.onDelete = .keep
            }
        }
        let names = lost.sorted().joined(separator: ", ")
        declaration.notes.append(
            "the app does not hold to its foreign keys, as rows of \(names) refer to none: references lead nowhere then"
        )
    }

    // MARK: A changed database

    /// Keeps an earlier declaration, without what the database has no more, and adds what it lacks.
    private mutating func goOn(from earlier: AppDeclaration) throws {
        var notes: [String] = []
        var result = try earlier.existing(in: database) { notes.append($0) }
        let gone = earlier.tables.filter { result.table($0.name) == nil }
        func keep(_ name: String, _ reason: String) {
            result.local.append(name)
            notes.append("\(name) stays on the device: \(reason)")
        }
        for table in declaration.tables {
            guard let place = result.tables.firstIndex(where: { $0.name == table.name }) else {
                if result.local.contains(table.name) { continue }
                // Its rows would be new records on each device, and the old ones would be deleted.
                if gone.contains(where: { $0.name == table.name }) {
                    keep(table.name, "it is another table than before, or has another key")
                } else if let old = gone.first(where: { Set($0.columns.map(\.name)) == Set(table.columns.map(\.name)) })
                {
                    keep(table.name, "it has the columns of \(old.name), which is gone, and its rows would be new ones")
                } else {
                    result.tables.append(table)
                    let hasRows = "SELECT EXISTS (SELECT 1 FROM \(table.name.quotedName))"
                    if table.isMapped, table.naturalKey.isEmpty, try Int.fetchOne(database, sql: hasRows) == 1 {
                        notes.append(
                            "\(table.name) is new and has rows: where an update of the app made them, each device makes its own, and"
                                + " everybody gets them several times; give it an x-key, or move it to \"local\""
                        )
                    }
                }
                continue
            }
            if table.isMapped, !table.isAutoincrement, result.tables[place].isAutoincrement {
                result.tables[place].isAutoincrement = false
                notes.append("\(table.name) is no AUTOINCREMENT table: its numbers may be given out again")
            }
            for column in table.columns {
                guard let index = result.tables[place].columns.firstIndex(where: { $0.name == column.name }),
                    column.holdsOtherwise(than: result.tables[place].columns[index])
                else { continue }
                let type = column.type ?? "without a type"
                let old = result.tables[place].columns[index].type ?? "without a type"
                guard !result.tables[place].key.contains(column.name) else {
                    notes.append(
                        "\(table.name).\(column.name) is part of the key, was \(old) and is \(type) now: its records would be others"
                            + " than those of the devices whose app is older; update the app everywhere, or move the table to \"local\""
                    )
                    continue
                }
                result.tables[place].columns[index].type = column.type
                result.tables[place].columns[index].kind = column.kind
                result.tables[place].columns[index].initial = column.initial
                if column.kind != .integer, result.tables[place].columns[index].rule == "counter" {
                    result.tables[place].columns[index].rule = column.rule
                }
                notes.append(
                    "\(table.name).\(column.name) was \(old) and is \(type) now: its kind is \"\(column.kind.rawValue)\". Devices whose"
                        + " app is older reject the values that their column cannot hold"
                )
            }
            let isAllKey = result.tables[place].key.count == result.tables[place].columns.count
            for column in table.columns where result.tables[place].column(column.name) == nil {
                let name = "\(table.name).\(column.name)"
                if result.local.contains(name) { continue }
                if isAllKey {
                    keep(name, "all columns of \(table.name) are its key")
                } else {
                    result.tables[place].columns.append(column)
                }
            }
        }
        if result.tables != earlier.tables {
            result.revision += 1
            result.userVersion = declaration.userVersion
            result.notes = declaration.notes + notes
            result.notes = result.openNotes
        }
        (result.app, result.title) = (declaration.app, declaration.title)
        declaration = result
    }
}

extension AppDeclaration {
    /// Returns the declaration without the tables and columns that a database has no more.
    ///
    /// A reference to a table that is gone holds numbers of this device alone: such a column stays on it.
    ///
    /// - Parameter report: Gets a sentence for each.
    fileprivate func existing(in database: Database, _ report: (String) -> Void) throws -> AppDeclaration {
        var result = self
        result.tables = try tables.compactMap { table in
            var names: Set<String> = []
            try database.forEachRow("PRAGMA table_info(\(table.name.quotedName))") { row in
                if let name = row.string(1) { names.insert(name) }
            }
            let gone = table.columns.map(\.name).filter { !names.contains($0) }
            if !names.isEmpty, !table.key.contains(where: gone.contains) {
                let kept = table.without(gone)
                var alone = self
                alone.tables = [kept]
                if try DeclaredStoreAdapter(alone).misfit(database) == nil {
                    for name in gone { report("\(table.name).\(name) is gone from the database") }
                    return kept
                }
            }
            report("\(table.name) is gone from the database")
            return nil
        }
        var count: Int
        repeat {
            count = result.tables.count
            let left = Set(result.tables.map(\.name))
            result.tables = result.tables.compactMap { table in
                let lost = table.columns.filter { column in column.reference.map { !left.contains($0.table) } ?? false }
                let numbers = lost.filter { mappedTarget(of: $0) != nil }.map(\.name)
                for name in numbers where !table.key.contains(name) {
                    result.local.append("\(table.name).\(name)")
                    report("\(table.name).\(name) stays on the device: it refers to a table that is gone")
                }
                guard !table.key.contains(where: numbers.contains) else {
                    result.local.append(table.name)
                    report("\(table.name) stays on the device: its key refers to a table that is gone")
                    return nil
                }
                var kept = table.without(numbers)
                for index in kept.columns.indices where lost.contains(where: { $0.name == kept.columns[index].name }) {
                    kept.columns[index].reference = nil
                }
                return kept
            }
        } while result.tables.count < count
        return result
    }
}

extension AppDeclaration.Table {
    /// Returns the table without some columns, and without the rules that name them.
    fileprivate func without(_ gone: [String]) -> AppDeclaration.Table {
        guard !gone.isEmpty else { return self }
        var table = self
        table.columns.removeAll { gone.contains($0.name) }
        table.title.removeAll(where: gone.contains)
        table.unique.removeAll { $0.contains(where: gone.contains) }
        if table.naturalKey.contains(where: gone.contains) { table.naturalKey = [] }
        return table
    }
}

extension AppDeclaration.Column {
    /// Returns whether a database's column holds values otherwise than an earlier declaration of it says.
    ///
    /// `ANY` of an earlier one says nothing: it keeps each value in a STRICT table, and makes numbers of texts in another.
    fileprivate func holdsOtherwise(than earlier: Self) -> Bool {
        // A declaration by hand may leave the type to the kind.
        guard type != nil || kind == .any, earlier.type != nil || earlier.kind == .any else { return false }
        if earlier.type?.uppercased() == "ANY" { return type?.uppercased() != "ANY" }
        return ColumnAffinity(type ?? "") != ColumnAffinity(earlier.type ?? "")
    }
}
