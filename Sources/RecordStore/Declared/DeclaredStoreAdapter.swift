internal import FormatKit
internal import SQLiteDatabase
internal import StrictJSON

/// Adapts the store of a declared app to sync.
struct DeclaredStoreAdapter: StoreAdapter {
    let app: AppID
    let collections: [String]
    let wholeCollections: Set<String> = []
    let compositeKeys: [String: [String]]
    let sources: [JournalSource]
    let keys: DeclaredKeys
    var declaration: AppDeclaration? { keys.declaration }

    init(_ declaration: AppDeclaration) {
        app = declaration.id
        keys = DeclaredKeys(declaration: declaration)
        collections = declaration.ordered.map(\.name)
        compositeKeys = Dictionary(uniqueKeysWithValues: declaration.tables.map { ($0.name, $0.key) })
        sources = keys.sources
    }

    private var declared: AppDeclaration { keys.declaration }

    // Any program may have written the rows.
    func fault(of object: JSONObject, in collection: String) -> String? { nil }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        guard try StorePath.size(of: path) ?? 0 > 0 else {
            throw StoreError(.notFound, "there is no store at this path", path: path)
        }
        return try StorePath.translating(path) {
            var configuration = Configuration()
            configuration.busyMode = .timeout(10)
            configuration.label = declared.title
            configuration.foreignKeysEnabled = declared.enforcesForeignKeys
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON")
            }
            // Reading and writing records check that the database fits: a store that does not can still leave.
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }

    func make(_ path: String) throws {
        let queue = try DatabaseQueue(path: path)
        try queue.write { database in
            for table in declared.ordered { try database.execute(sql: table.makeStatement(in: declared)) }
            try database.execute(
                sql: "PRAGMA application_id = \(declared.applicationID); PRAGMA user_version = \(declared.userVersion)"
            )
            try note(database)
        }
    }

    /// Writes the declaration into the store.
    ///
    /// - Parameter replaces: Whether it takes the place of an earlier one.
    func note(_ database: Database, replaces: Bool = true) throws {
        try database.execute(sql: DeclaredKeys.make)
        try database.execute(
            sql: """
                INSERT OR \(replaces ? "REPLACE" : "IGNORE") INTO \(DeclaredKeys.app) (id, declaration) VALUES (1, ?)
                """,
            arguments: [declared.json.text(.compact)]
        )
    }

    func version(of database: Database, path: String) throws -> Int {
        if let misfit = try misfit(database) {
            let message =
                "\(misfit), which the declaration of \(quoted(declared.app)) names. Is the app older here, or the database "
                + "back from a backup? Then update the app, and open it once. Only where an update of the app took that away, "
                + "let foldersync declare write a new declaration, and give it to foldersync join FOLDER --app FILE"
            throw StoreError(.foreign, message, path: path)
        }
        return declared.revision
    }

    /// Returns the first part of the declaration that a database lacks; nil where it has all.
    func misfit(_ database: Database) throws -> String? {
        var tables: Set<String> = []
        let ordinary = "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        try database.forEachRow(ordinary) { row in
            if let name = row.string(0) { tables.insert(name) }
        }
        for table in declared.tables {
            // Neither a view nor a virtual table can have triggers; a name in other letters would not be found later on.
            guard tables.contains(table.name) else { return "the database has no table \(quoted(table.name))" }
            var columns: Set<String> = []
            var primary: [Int: String] = [:]
            try database.forEachRow("PRAGMA table_info(\(table.name.quotedName))") { row in
                guard let name = row.string(1) else { return }
                columns.insert(name)
                if case .integer(let place) = row.cell(5), place > 0 { primary[place] = name }
            }
            if let missing = table.columns.first(where: { !columns.contains($0.name) }) {
                return "the table \(quoted(table.name)) has no column \(quoted(missing.name))"
            }
            if table.isMapped, primary != [1: table.key[0]] {
                return "the table \(quoted(table.name)) has another primary key than \(quoted(table.key[0]))"
            }
            if !table.isMapped, try !isUnique(table, primary: Set(primary.values), database) {
                let key = table.key.map(quoted).joined(separator: ", ")
                return "the table \(quoted(table.name)) has no primary key and no unique index on \(key)"
            }
        }
        return nil
    }

    /// Tells whether a database seems to be the app's, in whatever version: it has half of the tables or more, with the
    /// columns of their keys.
    func resembles(_ database: Database) throws -> Bool {
        let known = try declared.tables.filter { table in
            var columns: Set<String> = []
            try database.forEachRow("PRAGMA table_info(\(table.name.quotedName))") { row in
                if let name = row.string(1) { columns.insert(name) }
            }
            return !columns.isEmpty && table.key.allSatisfy(columns.contains)
        }
        return !known.isEmpty && known.count * 2 >= declared.tables.count
    }

    /// Tells whether two rows of a table never have the same key: else one would take the other's place.
    private func isUnique(_ table: AppDeclaration.Table, primary: Set<String>, _ database: Database) throws -> Bool {
        let key = Set(table.key)
        // Rows of a table that only links others are the same where all values are.
        if key.count == table.columns.count, table.columns.allSatisfy({ $0.reference != nil }) { return true }
        if !primary.isEmpty, primary.isSubset(of: key) { return true }
        var indexes: [String] = []
        try database.forEachRow("PRAGMA index_list(\(table.name.quotedName))") { row in
            guard row.integer(2) == 1, row.integer(4) == 0, let name = row.string(1) else { return }
            indexes.append(name)
        }
        return try indexes.contains { index in
            var columns: Set<String> = []
            var isPlain = true
            try database.forEachRow("PRAGMA index_info(\(index.quotedName))") { row in
                if let name = row.string(2) { columns.insert(name) } else { isPlain = false }
            }
            return isPlain && columns.isSubset(of: key)
        }
    }

    /// Prepares the store before its triggers are made.
    func prepare(_ database: Database, path: String) throws {
        // An earlier declaration stays until the replica took what the store kept beside the tables.
        try note(database, replaces: false)
        try keys.fill(database)
    }

    func unknown(_ database: Database, path: String) throws -> [String] {
        let local = Set(declared.local)
        var found: [String] = []
        for name in try database.names(ofType: "table") where !name.hasPrefix("satchel_") && !local.contains(name) {
            guard let table = declared.table(name) else {
                found.append(name)
                continue
            }
            try database.forEachRow("PRAGMA table_info(\(name.quotedName))") { row in
                guard let column = row.string(1), table.column(column) == nil else { return }
                if !local.contains("\(name).\(column)") { found.append("\(name).\(column)") }
            }
        }
        return found
    }

    // MARK: The journal

    func keys(ofJournal text: String, in collection: String, _ database: Database) throws -> Set<StoreRecordKey>? {
        guard let table = declared.table(collection) else { return [] }
        if table.isMapped { return [StoreRecordKey(collection, text)] }
        var values: [JSONValue] = []
        for part in text.split(separator: " ") {
            guard let value = Self.value(part) else { return nil }
            values.append(value)
        }
        guard values.count == table.key.count else { return nil }
        var found: Set = [StoreRecordKey(collection, table.recordKey(values))]
        // A foreign key's action writes a row's new integer before the trigger of that row moves its key there.
        for (index, name) in table.key.enumerated() {
            guard let id = values[index].int, let target = table.column(name).flatMap(declared.mappedTarget) else {
                continue
            }
            if let key = try TableReader.key(of: id, in: target.name, database) { values[index] = .string(key) }
        }
        found.insert(StoreRecordKey(collection, table.recordKey(values)))
        return found
    }

    /// Reads a value of a key in the journal, `type:hexadecimal`.
    private static func value(_ part: Substring) -> JSONValue? {
        guard let colon = part.firstIndex(of: ":") else { return nil }
        let digits = part[part.index(after: colon)...].utf8
        var bytes: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init) else { return nil }
            if let first = high {
                bytes.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        guard high == nil else { return nil }
        let text = String(validating: bytes, as: UTF8.self)
        switch part[..<colon] {
        case "text", "key": return text.map { .string($0) }
        case "integer": return text.flatMap { Int($0) }.map { .number($0) }
        case "blob":
            return try? DeclaredValue.json(.blob(bytes), AppDeclaration.Column(name: "", kind: .blob), "", path: "")
        default: return nil
        }
    }

    /// Returns the values of a natural key, for people; nil for another key.
    static func readable(_ key: String) -> String? {
        let parts = key.split(separator: " ").map { part -> String? in
            guard let value = value(part.prefix { $0 != "#" }) else { return nil }
            guard let text = value.string else { return value.text(.compact) }
            return part.hasPrefix("key:") ? readable(text) ?? text : text
        }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil }) else { return nil }
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    /// Returns the records that refer to a row whose integer was assigned again: they refer to another record now.
    func furtherKeys(_ database: Database) throws -> [StoreRecordKey] {
        var reused: Set<String> = []
        try database.forEachRow("SELECT DISTINCT collection FROM \(DeclaredKeys.keys) WHERE state = 2") { row in
            if let name = row.string(0) { reused.insert(name) }
        }
        guard !reused.isEmpty else { return [] }
        var found: [StoreRecordKey] = []
        let source = DeclaredSource(declared, database, path: "")
        for table in declared.tables {
            for column in table.columns where !column.isLocal {
                guard let target = declared.mappedTarget(of: column)?.name, reused.contains(target) else { continue }
                let condition = """
                    t.\(column.name.quotedName) IN
                        (SELECT id FROM \(DeclaredKeys.keys) WHERE collection = \(target.literal) AND state = 2)
                    """
                try source.forEachKey(of: table, where: condition) { found.append($0) }
            }
        }
        return found
    }

    /// The most rows of a table that are taken for other records, where all of its rows look so: then the app rewrote them.
    private static let mostReused = 3

    func separateReused(_ database: Database, _ known: (StoreRecordKey) throws -> JSONObject?) throws {
        let source = DeclaredSource(declared, database, path: "")
        for table in declared.tables where table.mayReuse {
            let (name, id) = (table.name.quotedName, table.key[0].quotedName)
            let rows = try StoreStatement(
                database,
                """
                SELECT k.uid FROM \(DeclaredKeys.keys) AS k JOIN \(name) AS t ON t.\(id) = k.id
                WHERE k.collection = \(table.name.literal) AND k.state = 0 ORDER BY k.id DESC
                """
            )
            // SQLite gives out the highest integer and one more: above a row with a used one all rows are later ones.
            var found: [StoreRecordKey] = []
            var isAll = true
            while isAll, try rows.step() {
                let key = StoreRecordKey(table.name, rows.string(0) ?? "")
                guard let record = try known(key) else { continue }
                if let row = try? source.record(key), table.isAnother(row, than: record) {
                    found.append(key)
                } else {
                    isAll = false
                }
            }
            guard !isAll || found.count <= Self.mostReused else { continue }
            for key in found {
                let set = "UPDATE \(DeclaredKeys.keys) SET uid = \(DeclaredKeys.ownKey("id")), state = 2"
                let statement = try StoreStatement(database, "\(set) WHERE collection = ? AND uid = ?")
                try statement.bind(1, text: key.collection)
                try statement.bind(2, text: key.key)
                try statement.run()
            }
        }
    }

    func clear(_ database: Database) throws {
        guard try database.names(ofType: "table").contains(DeclaredKeys.keys) else { return }
        try database.execute(sql: "UPDATE \(DeclaredKeys.keys) SET state = 0 WHERE state = 2")
    }

    // MARK: Records

    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader {
        DeclaredSource(declared, database, path: path)
    }

    func writer(_ database: Database, path: String) throws -> any StoreWriter {
        try database.execute(sql: "PRAGMA defer_foreign_keys = ON")
        return try DeclaredWriter(declared, database, path: path)
    }
}

extension AppDeclaration.Table {
    /// Returns the key of a record, as merging makes it from the values of its key members.
    func recordKey(_ values: [JSONValue]) -> String {
        guard values.count == 1, let value = values.first else { return JSONValue.array(values).text(.canonical) }
        if let text = value.string, text.utf8.first != 10 { return text }
        return "\n" + value.text(.canonical)
    }

    /// Returns the values of a record's key; nil for a text that is not a key of the table.
    func values(ofKey key: String) -> [JSONValue]? {
        if self.key.count == 1 {
            guard key.utf8.first == 10 else { return [.string(key)] }
            return (try? JSONDocument(parsing: String(key.dropFirst()))).map { [$0.root.value] }
        }
        guard let values = (try? JSONDocument(parsing: key))?.root.value.array, values.count == self.key.count else {
            return nil
        }
        return values
    }

    /// Returns the statement that makes the table, with quoted names and literals.
    func makeStatement(in declaration: AppDeclaration) -> String {
        var parts = columns.map { column -> String in
            var part = column.name.quotedName
            let kind = column.kind == .any ? "" : column.kind.rawValue.uppercased()
            // Older declarations name the ANY of a STRICT table. In the table made here it would make numbers of texts.
            let known = column.type?.uppercased() == "ANY" ? nil : column.type
            let type = isMapped && key == [column.name] ? "INTEGER" : known ?? kind
            if !type.isEmpty { part += " \(type)" }
            if isMapped, key == [column.name] { part += " PRIMARY KEY\(isAutoincrement ? " AUTOINCREMENT" : "")" }
            if column.isNotNull { part += " NOT NULL" }
            switch column.initial {
            case .value(.null): break
            case .value(.string(let text)): part += " DEFAULT \(text.literal)"
            case .value(let value): part += " DEFAULT \(value.text(.compact))"
            case .now(let what): part += " DEFAULT CURRENT_\(what.uppercased())"
            }
            if let collation = column.collation { part += " COLLATE \(collation)" }
            return part
        }
        if !isMapped { parts.append("PRIMARY KEY (\(Self.list(key)))") }
        parts += unique.map { "UNIQUE (\(Self.list($0)))" }
        for column in columns {
            guard let reference = column.reference, reference.onDelete != .keep,
                let target = declaration.table(reference.table)
            else { continue }
            let action =
                switch reference.onDelete {
                case .cascade: " ON DELETE CASCADE"
                case .setNull: " ON DELETE SET NULL"
                default: ""
                }
            let place = "\(target.name.quotedName) (\(Self.list(target.key)))"
            parts.append("FOREIGN KEY (\(column.name.quotedName)) REFERENCES \(place)\(action)")
        }
        return "CREATE TABLE \(name.quotedName) (\(parts.joined(separator: ", ")))"
    }

    private static func list(_ names: [String]) -> String { names.map(\.quotedName).joined(separator: ", ") }
}

extension AppDeclaration {
    /// Returns a record's key as people read it; nil for a key that means nothing to them.
    package func readable(_ collection: String, _ key: String) -> String? {
        guard let table = table(collection) else { return nil }
        if table.isMapped { return DeclaredStoreAdapter.readable(key) }
        let values = table.values(ofKey: key) ?? []
        let parts = zip(table.key, values).map { name, value -> String? in
            guard let text = value.string else { return value.text(.compact) }
            // A mapped key of another row's says nothing by itself.
            let isMapped = table.column(name).flatMap(mappedTarget) != nil
            return DeclaredStoreAdapter.readable(text) ?? (isMapped ? nil : text)
        }
        guard !parts.isEmpty, parts.allSatisfy({ $0 != nil }) else { return nil }
        return parts.compactMap(\.self).joined(separator: ", ")
    }
}
