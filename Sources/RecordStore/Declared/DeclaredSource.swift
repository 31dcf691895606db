internal import FormatKit
internal import SQLiteDatabase
internal import StrictJSON

/// Reads the records of a declared app's store.
///
/// A record has its key and the members that differ from a new row's. The store keeps members of a newer declaration
/// beside the app's tables.
final class DeclaredSource: StoreReader {
    private let declaration: AppDeclaration
    private let database: Database
    private let path: String
    private var readers: [String: TableReader] = [:]
    private lazy var hasExtras = (try? Int.fetchOne(database, sql: "SELECT 1 FROM \(DeclaredKeys.extras)")) != nil

    /// False for records as the tables alone have them, where the declaration has columns for what is kept beside them.
    private let showsDeclaredExtras: Bool

    init(_ declaration: AppDeclaration, _ database: Database, path: String, showsDeclaredExtras: Bool = true) {
        self.declaration = declaration
        self.database = database
        self.path = path
        self.showsDeclaredExtras = showsDeclaredExtras
    }

    private func reader(_ table: AppDeclaration.Table) throws -> TableReader {
        if let reader = readers[table.name] { return reader }
        let reader = try TableReader(table, declaration, database)
        readers[table.name] = reader
        return reader
    }

    func record(_ key: StoreRecordKey) throws -> JSONObject? {
        guard let table = declaration.table(key.collection) else { return try extras(key) }
        let reader = try reader(table)
        guard let (condition, cells) = try reader.place(key.key, database) else { return nil }
        let statement = try StoreStatement(database, "\(reader.select) WHERE \(condition)", isCached: true)
        defer { statement.reset() }
        for (index, cell) in cells.enumerated() { try statement.bind(index + 1, cell: cell) }
        guard try statement.step() else { return nil }
        return try withExtras(reader.object(statement, path), key)
    }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        guard let table = declaration.table(collection) else { return }
        let reader = try reader(table)
        var keyless: String?
        try database.forEachRow(reader.select + (order == .key ? reader.order : "")) { row in
            var key: String?
            let found = try UnreadableRow.reading(collection, key, unreadable: unreadable) {
                key = try reader.key(row, path)
                guard let key else {
                    let words = try keyless ?? self.keyless(reader)
                    keyless = words
                    throw StoreError(.record, words, path: path)
                }
                let name = StoreRecordKey(collection, key)
                return (name, try withExtras(reader.object(row, path), name))
            }
            if let (name, object) = found { try body(name, object) }
        }
    }

    /// Returns which rows have no key: reports have one line for all of a table.
    private func keyless(_ reader: TableReader) throws -> String {
        var numbers: [Int] = []
        try database.forEachRow(reader.keyless) { row in
            if case .integer(let number) = row.cell(0) { numbers.append(number) }
        }
        let (table, most) = (quoted(reader.table.name), 5)
        guard numbers.count > 1 else {
            return "\(numbers.first.map { "the row with rowid \($0)" } ?? "a row") of \(table) has no key"
        }
        let named = numbers.prefix(most).map(String.init).joined(separator: ", ")
        let rest = numbers.count > most ? " and \(numbers.count - most) more" : ""
        return "\(numbers.count) rows of \(table) have no key: those with rowid \(named)\(rest)"
    }

    /// Calls `body` with the keys of the rows that meet a condition, in which `t` is the table.
    func forEachKey(of table: AppDeclaration.Table, where condition: String, _ body: (StoreRecordKey) -> Void) throws {
        let reader = try reader(table)
        try database.forEachRow("\(reader.select) WHERE \(condition)") { row in
            if let key = try reader.key(row, path) { body(StoreRecordKey(table.name, key)) }
        }
    }

    func count(_ collection: String) throws -> Int {
        guard declaration.table(collection) != nil else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(collection.quotedName)") ?? 0
    }

    /// Returns what the store keeps of a record beside the app's tables; nil for nothing.
    func extras(_ key: StoreRecordKey) throws -> JSONObject? {
        guard hasExtras else { return nil }
        var found: JSONObject?
        let sql = "SELECT members FROM \(DeclaredKeys.extras) WHERE collection = ? AND key = ?"
        try database.forEachRow(sql, [Array(key.collection.utf8), Array(key.key.utf8)]) { row in
            guard let text = row.string(0), let object = try? JSONDocument(parsing: text).root.value.object else {
                throw StoreError(.record, "the table \(DeclaredKeys.extras) holds no object", path: path)
            }
            found = object
        }
        return found
    }

    private func withExtras(_ object: JSONObject, _ key: StoreRecordKey) throws -> JSONObject {
        guard let extras = try extras(key) else { return object }
        var object = object
        let table = showsDeclaredExtras ? nil : declaration.table(key.collection)
        for member in extras where object[member.name] == nil && table?.column(member.name) == nil {
            object[member.name] = member.value
        }
        return object
    }
}

/// Reads the rows of a table as records.
final class TableReader {
    let table: AppDeclaration.Table
    /// The statement up to its condition.
    let select: String
    private let columns: [(column: AppDeclaration.Column, place: Int, target: Int?)]
    private let keyPlaces: [Int]
    /// The types of the columns in the database.
    let types: [String: (type: String, affinity: ColumnAffinity)]
    /// The tables with mapped keys to which columns refer.
    private var targets: [String: String] = [:]

    init(_ table: AppDeclaration.Table, _ declaration: AppDeclaration, _ database: Database) throws {
        self.table = table
        types = try ColumnAffinity.columns(of: table.name, database)
        var terms: [String] = []
        func key(_ target: String, _ column: String) -> String {
            """
            (SELECT uid FROM \(DeclaredKeys.keys) WHERE collection = \(target.literal) AND id = t.\(column.quotedName))
            """
        }
        if table.isMapped { terms.append(key(table.name, table.key[0])) }
        var found: [(column: AppDeclaration.Column, place: Int, target: Int?)] = []
        for column in table.sent {
            terms.append("t.\(column.name.quotedName)")
            let place = terms.count - 1
            let target = declaration.mappedTarget(of: column)?.name
            if let target { terms.append(key(target, column.name)) }
            targets[column.name] = target
            found.append((column, place, target == nil ? nil : terms.count - 1))
        }
        columns = found
        keyPlaces = table.isMapped ? [] : table.key.compactMap { name in found.firstIndex { $0.column.name == name } }
        select = "SELECT \(terms.joined(separator: ", ")) FROM \(table.name.quotedName) AS t"
    }

    /// The end of a statement that gives the records by key.
    var order: String {
        // The first column is the name of a mapped key.
        " ORDER BY " + (table.isMapped ? "1" : table.key.map { "t.\($0.quotedName)" }.joined(separator: ", "))
    }

    /// The statement that finds the numbers of the rows without a key.
    ///
    /// A table without such numbers has no NULL in its key.
    var keyless: String {
        let condition =
            table.isMapped
            ? """
            NOT EXISTS (SELECT 1 FROM \(DeclaredKeys.keys) WHERE collection = \(table.name.literal)
                AND id = t.\(table.key[0].quotedName))
            """
            : table.key.map { "t.\($0.quotedName) IS NULL" }.joined(separator: " OR ")
        return "SELECT t._rowid_ FROM \(table.name.quotedName) AS t WHERE \(condition) ORDER BY 1"
    }

    /// Returns the key of a row's record; nil for a row without a key.
    func key(_ row: StoreStatement, _ path: String) throws -> String? {
        if table.isMapped {
            guard case .text(let key) = row.cell(0) else { return nil }
            return key
        }
        let values = try keyPlaces.map { try value(row, columns[$0], path) }
        return values.contains { $0.isNull } ? nil : table.recordKey(values)
    }

    /// Returns the record of a row.
    func object(_ row: StoreStatement, _ path: String) throws -> JSONObject {
        var object = JSONObject()
        if table.isMapped { object[table.key[0]] = try key(row, path).map { .string($0) } }
        for column in columns {
            let value = try value(row, column, path)
            let isKey = !table.isMapped && table.key.contains(column.column.name)
            if isKey || !column.column.isInitial(value) { object[column.column.name] = value }
        }
        return object
    }

    private func value(
        _ row: StoreStatement,
        _ column: (column: AppDeclaration.Column, place: Int, target: Int?),
        _ path: String
    ) throws -> JSONValue {
        if let target = column.target, case .text(let key) = row.cell(target) { return .string(key) }
        let cell = row.cell(column.place)
        // A key stays as it is: it names the record.
        let isPlain = column.column.reference == nil && !table.key.contains(column.column.name)
        let value = isPlain ? types[column.column.name]?.affinity.value(cell, column.column.kind) : nil
        return try DeclaredValue.json(value ?? cell, column.column, table.name, path: path)
    }

    /// Returns a condition that finds a record's row, and the values of its parameters; nil for a key without a row.
    func place(_ key: String, _ database: Database) throws -> (condition: String, cells: [StoreStatement.Cell])? {
        if table.isMapped {
            guard let id = try Self.id(of: key, in: table.name, database) else { return nil }
            return ("t.\(table.key[0].quotedName) = ?", [.integer(id)])
        }
        guard let values = table.values(ofKey: key) else { return nil }
        var cells: [StoreStatement.Cell] = []
        var terms: [String] = []
        for (name, value) in zip(table.key, values) {
            let place = "t.\(name.quotedName) IS ?"
            terms.append(place)
            guard let column = columns.first(where: { $0.column.name == name }) else { return nil }
            if column.target != nil, let text = value.string {
                guard let target = targets[name],
                    let id = try Self.id(of: text, in: target, database, isGoneToo: true)
                else { return nil }
                cells.append(.integer(id))
            } else {
                // The record of the row with this integer has another key, which names the row that it refers to.
                if let target = targets[name], let id = value.int, try Self.key(of: id, in: target, database) != nil {
                    return nil
                }
                guard let cell = try? DeclaredValue.cell(value, column.column) else { return nil }
                cells.append(cell)
                // The first finds it by the index, whose collation may take other texts for the same.
                if case .text = cell {
                    terms.append("\(place) COLLATE BINARY")
                    cells.append(cell)
                }
            }
        }
        return (terms.joined(separator: " AND "), cells)
    }

    /// Returns the key of the row with an integer, or of the deleted one that had it; nil where there was none.
    static func key(of id: Int, in collection: String, _ database: Database) throws -> String? {
        let sql = "SELECT uid FROM \(DeclaredKeys.keys) WHERE collection = ? AND id = ?"
        let statement = try StoreStatement(database, sql, isCached: true)
        defer { statement.reset() }
        try statement.bind(1, text: collection)
        try statement.bind(2, id)
        return try statement.step() ? statement.string(0) : nil
    }

    /// Returns the integer of a mapped record; nil where the store has none.
    static func id(
        of key: String,
        in collection: String,
        _ database: Database,
        isGoneToo: Bool = false
    ) throws -> Int? {
        let sql = "SELECT id, state FROM \(DeclaredKeys.keys) WHERE collection = ? AND uid = ?"
        let statement = try StoreStatement(database, sql, isCached: true)
        defer { statement.reset() }
        try statement.bind(1, text: collection)
        try statement.bind(2, text: key)
        guard try statement.step(), case .integer(let id) = statement.cell(0) else { return nil }
        return isGoneToo || statement.integer(1) != 1 ? id : nil
    }
}
