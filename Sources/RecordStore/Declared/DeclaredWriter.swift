internal import CSQLite
internal import FormatKit
internal import SQLiteDatabase
internal import StrictJSON

/// Writes records into the store of a declared app.
///
/// It checks foreign keys at the end of each call, so the rows may come in any order.
final class DeclaredWriter: StoreWriter {
    private let declaration: AppDeclaration
    private let database: Database
    private let path: String
    private let statements: SyncStatements
    private let tables: [AppDeclaration.Table]
    private let readers: [String: TableReader]
    /// References to rows that may still arrive.
    private var open: [OpenReference] = []
    private lazy var hasExtras = (try? Int.fetchOne(database, sql: "SELECT 1 FROM \(DeclaredKeys.extras)")) != nil

    private struct OpenReference {
        let edit: SyncEdit
        let table: AppDeclaration.Table
        let column: AppDeclaration.Column
        let target: AppDeclaration.Table
        let key: String
    }

    init(_ declaration: AppDeclaration, _ database: Database, path: String) throws {
        self.declaration = declaration
        self.database = database
        self.path = path
        statements = SyncStatements(database)
        tables = declaration.ordered
        var readers: [String: TableReader] = [:]
        for table in tables { readers[table.name] = try TableReader(table, declaration, database) }
        self.readers = readers
    }

    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        open = []
        let groups = Dictionary(grouping: edits, by: \.key.collection)
        // Remove referring rows first, and write them last.
        var removed: [(edit: SyncEdit, table: AppDeclaration.Table)] = []
        for table in tables.reversed() {
            for edit in groups[table.name] ?? [] where edit.object == nil { removed.append((edit, table)) }
        }
        // The database would delete the rows that still refer to one of these. They may refer to another row first.
        removed = try removed.filter { one in try one.edit.naming { try !remove(one.edit.key, one.table) } }
        var pending: [PendingRow] = []
        for table in tables {
            for edit in groups[table.name] ?? [] {
                guard let object = edit.object else { continue }
                let row = PendingRow(edit: edit, object: object, table: table)
                if try !saveUnlessTaken(row) { pending.append(row) }
            }
        }
        try saveTaken(pending, removing: &removed)
        // Tables of a newer declaration.
        for edit in edits where declaration.table(edit.key.collection) == nil {
            try setExtras(edit.key, edit.object ?? JSONObject())
        }
        for reference in open { try reference.edit.naming { try close(reference) } }
        open = []
        var isParted = false
        while let (edit, _) = removed.first {
            let count = removed.count
            removed = try removed.filter { one in try one.edit.naming { try !remove(one.edit.key, one.table) } }
            guard removed.count == count else { continue }
            guard !isParted else { throw SyncRefusal(key: edit.key, reason: Self.stillReferred) }
            for (edit, table) in removed { try edit.naming { try part(edit.key, table) } }
            isParted = true
        }
        try checkForeignKeys(edits)
    }

    func finish() throws {}

    private static let stillReferred = "it was deleted elsewhere, and rows of this store still refer to it"

    /// Checks that every foreign key of the database holds.
    private func checkForeignKeys(_ edits: [SyncEdit]) throws {
        guard declaration.enforcesForeignKeys, let edit = edits.first else { return }
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(database.sqliteConnection, SQLITE_DBSTATUS_DEFERRED_FKS, &current, &highest, 0)
        guard current != 0 else { return }
        let reason =
            edit.object == nil
            ? Self.stillReferred
            : "it refers to a row that is not there, and the database asks for it"
        throw SyncRefusal(key: edit.key, reason: reason)
    }

    // MARK: Removing

    /// Removes a row; returns false if the database would delete others with it that refer to it.
    private func remove(_ key: StoreRecordKey, _ table: AppDeclaration.Table) throws -> Bool {
        let place = try readers[table.name]?.place(key.key, database)
        if let (_, cells) = place, try isReferredTo(table, cells) { return false }
        if hasExtras { try setExtras(key, JSONObject()) }
        guard let (condition, cells) = place else { return true }
        let statement = try statements.statement("DELETE FROM \(table.name.quotedName) AS t WHERE \(condition)")
        for (index, cell) in cells.enumerated() { try statement.bind(index + 1, cell: cell) }
        try statement.run()
        // The triggers do the same, if they exist.
        guard table.isMapped, case .integer(let id)? = cells.first else { return true }
        let gone = try statements.statement(
            "UPDATE \(DeclaredKeys.keys) SET state = 1 WHERE collection = ? AND id = ?"
        )
        try gone.bind(1, text: table.name)
        try gone.bind(2, id)
        try gone.run()
        return true
    }

    /// Lets a row that goes refer to itself: rows that go may refer to each other in a circle.
    private func part(_ key: StoreRecordKey, _ table: AppDeclaration.Table) throws {
        guard table.key.count == 1, let (condition, cells) = try readers[table.name]?.place(key.key, database) else {
            return
        }
        let columns = table.columns.filter { $0.reference?.table == table.name }
        guard !columns.isEmpty else { return }
        let values = columns.map { "\($0.name.quotedName) = \(table.key[0].quotedName)" }.joined(separator: ", ")
        let statement = try statements.statement(
            "UPDATE \(table.name.quotedName) AS t SET \(values) WHERE \(condition)"
        )
        for (index, cell) in cells.enumerated() { try statement.bind(index + 1, cell: cell) }
        do {
            try statement.run()
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            // A CHECK of the database: the row stays, which is said.
        }
    }

    /// Returns whether other rows go with a row, or keep it from going.
    private func isReferredTo(_ target: AppDeclaration.Table, _ key: [StoreStatement.Cell]) throws -> Bool {
        guard declaration.enforcesForeignKeys, target.key.count == 1 else { return false }
        for table in tables {
            for column in table.columns {
                guard let reference = column.reference, reference.table == target.name,
                    reference.onDelete == .cascade || reference.onDelete == .block
                else { continue }
                // SQLite compares them as the column that is referred to does.
                let collation = target.column(target.key[0])?.collation.map { " COLLATE \($0)" } ?? ""
                let isOther = table.name == target.name ? " AND \(target.key[0].quotedName) IS NOT ?1" : ""
                let statement = try statements.statement(
                    """
                    SELECT 1 FROM \(table.name.quotedName)
                        WHERE \(column.name.quotedName) = ?1\(collation)\(isOther) LIMIT 1
                    """
                )
                defer { statement.reset() }
                try statement.bind(1, cell: key[0])
                if try statement.step() { return true }
            }
        }
        return false
    }

    // MARK: Saving

    private struct PendingRow {
        let edit: SyncEdit
        let object: JSONObject
        let table: AppDeclaration.Table
    }

    /// Saves a row; returns false if a row of the store has one of its unique values.
    private func saveUnlessTaken(_ row: PendingRow) throws -> Bool {
        let count = open.count
        var isSaved = false
        try row.edit.naming {
            do {
                try save(row.object, row.edit, row.table)
                isSaved = true
            } catch let error as DatabaseError where Self.isTaken(error) && database.isInsideTransaction {}
        }
        if !isSaved { open.removeSubrange(count...) }
        return isSaved
    }

    private static func isTaken(_ error: DatabaseError) -> Bool {
        [.SQLITE_CONSTRAINT_UNIQUE, .SQLITE_CONSTRAINT_PRIMARYKEY].contains(error.extendedResultCode)
    }

    /// Saves rows whose unique values other rows had: those may be written or removed by now, or swap values with them.
    private func saveTaken(
        _ rows: [PendingRow],
        removing removed: inout [(edit: SyncEdit, table: AppDeclaration.Table)]
    ) throws {
        var pending = rows
        func saveAll() throws {
            var count = 0
            while !pending.isEmpty, pending.count != count {
                count = pending.count
                removed = try removed.filter { one in try one.edit.naming { try !remove(one.edit.key, one.table) } }
                pending = try pending.filter { try !saveUnlessTaken($0) }
            }
        }
        try saveAll()
        guard !pending.isEmpty else { return }
        // Rows that swap values: each gets values for the meantime that no row has.
        for row in pending { try row.edit.naming { try giveWay(row) } }
        try saveAll()
        for row in pending { try row.edit.naming { try save(row.object, row.edit, row.table) } }
    }

    /// Gives an existing row values in its unique columns that no row has.
    private func giveWay(_ row: PendingRow) throws {
        guard let (condition, place) = try readers[row.table.name]?.place(row.edit.key.key, database) else { return }
        let unique = try uniqueColumns(of: row.table)
        let columns = row.table.sent.filter { unique.contains($0.name) && !row.table.key.contains($0.name) }
        // One that does not refer is enough, and no foreign key is in its way.
        let plain = columns.filter { $0.reference == nil }
        for column in plain.isEmpty ? columns : plain {
            let cell: StoreStatement.Cell =
                switch column.kind {
                case _ where !column.isNotNull: .null
                case .integer, .any: .integer(Int.random(in: 1 << 40..<1 << 52))
                case .real: .real(Double(Int.random(in: 1 << 40..<1 << 52)))
                case .text: .text("satchel \(UInt64.random(in: 0...UInt64.max))")
                case .blob: .blob(Array("satchel \(UInt64.random(in: 0...UInt64.max))".utf8))
                }
            do {
                try update(row.table, [column], [cell], condition, place)
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                // A CHECK of the database; another column may do.
            }
        }
    }

    private var unique: [String: Set<String>] = [:]

    /// Returns the columns of a table's unique indexes.
    private func uniqueColumns(of table: AppDeclaration.Table) throws -> Set<String> {
        if let known = unique[table.name] { return known }
        var names: Set<String> = []
        let sql = """
            SELECT i.name FROM pragma_index_list(\(table.name.literal)) AS l, pragma_index_info(l.name) AS i
                WHERE l."unique" = 1 AND i.name IS NOT NULL
            """
        try database.forEachRow(sql) { row in
            if let name = row.string(0) { names.insert(name) }
        }
        unique[table.name] = names
        return names
    }

    private func save(_ object: JSONObject, _ edit: SyncEdit, _ table: AppDeclaration.Table) throws {
        var extras = JSONObject()
        for member in object where table.column(member.name) == nil { extras[member.name] = member.value }
        if !extras.isEmpty || hasExtras { try setExtras(edit.key, extras) }
        if table.isMapped {
            try saveMapped(object, edit, table)
        } else {
            try saveKeyed(object, edit, table)
        }
    }

    /// Checks that the row holds the values that the types of its columns may have changed: else its next reader would take
    /// the changed ones for somebody's edit.
    private func checkTypes(
        _ columns: [AppDeclaration.Column],
        _ cells: [StoreStatement.Cell],
        _ edit: SyncEdit,
        _ table: AppDeclaration.Table
    ) throws {
        guard let reader = readers[table.name], let object = edit.object else { return }
        let doubtful = zip(columns, cells).compactMap { column, cell -> AppDeclaration.Column? in
            guard let affinity = reader.types[column.name]?.affinity, affinity.mayChange(cell) else { return nil }
            // Such a column changes the value on each device alike. ANY changes none in a STRICT table.
            if column.kind == .any, let type = column.type, type.uppercased() != "ANY" {
                if ColumnAffinity(type) == affinity { return nil }
            }
            return declaration.mappedTarget(of: column) == nil ? column : nil
        }
        guard !doubtful.isEmpty else { return }
        let stored = try stored(edit.key.key, reader)
        for column in doubtful {
            let given = object[column.name] ?? column.initialValue
            // A key names the record in one form.
            let value = table.key.contains(column.name) ? given : column.canonical(given)
            let found = stored[column.name] ?? column.initialValue
            guard found != value, !(column.isInitial(value) && column.isInitial(found)) else { continue }
            let type = reader.types[column.name]?.type ?? ""
            let held = found.text(.compact).prefix(100)
            throw RejectedRecord(
                "the column \(quoted(column.name)) has the type \(type) in this database and would hold \(held) instead of"
                    + " \(value.text(.compact).prefix(100)); update the app here, or let foldersync declare take the type of the newer database"
            )
        }
    }

    /// Returns what a row holds now; no members for a row that is not found by its key.
    private func stored(_ key: String, _ reader: TableReader) throws -> JSONObject {
        guard let (condition, cells) = try reader.place(key, database) else { return JSONObject() }
        let statement = try statements.statement("\(reader.select) WHERE \(condition)")
        defer { statement.reset() }
        for (index, cell) in cells.enumerated() { try statement.bind(index + 1, cell: cell) }
        return try statement.step() ? reader.object(statement, path) : JSONObject()
    }

    /// Returns the columns to write for a record.
    ///
    /// A device with an older app sends no value for a new column. The database knows its default where the declaration
    /// does not, such as the present time.
    private func columns(of table: AppDeclaration.Table, in object: JSONObject) -> [AppDeclaration.Column] {
        table.sent.filter { !$0.isNotNull || !$0.initialValue.isNull || object[$0.name] != nil }
    }

    private func saveMapped(_ object: JSONObject, _ edit: SyncEdit, _ table: AppDeclaration.Table) throws {
        let columns = columns(of: table, in: object)
        let cells = try columns.map { try cell(object, $0, table, edit) }
        let (name, key) = (table.name, edit.key.key)
        let known = try TableReader.id(of: key, in: name, database, isGoneToo: true)
        if let known, try exists(known, table) {
            try update(table, columns, cells, "\(table.key[0].quotedName) = ?", [.integer(known)])
            return try checkTypes(columns, cells, edit, table)
        }
        // Its key is noted first, so that triggers find it. A number below zero is only reserved.
        let reserved = known.flatMap { DeclaredKeys.reserved.contains($0) ? $0 : nil }
        let id = try (reserved == nil ? known : nil) ?? free(key, table) ?? next(table)
        let others = try statements.statement(
            "DELETE FROM \(DeclaredKeys.keys) WHERE collection = ? AND uid = ? AND id <> ?"
        )
        try others.bind(1, text: name)
        try others.bind(2, text: key)
        try others.bind(3, id)
        try others.run()
        let note = try statements.statement(
            """
            INSERT INTO \(DeclaredKeys.keys) (collection, id, uid) VALUES (?, ?, ?)
            ON CONFLICT (collection, id) DO UPDATE SET uid = excluded.uid, state = 0, was = NULL
            """
        )
        try note.bind(1, text: name)
        try note.bind(2, id)
        try note.bind(3, text: key)
        try note.run()
        // The row may have to wait for its unique values, and the reserved number is forgotten by then.
        if let reserved { try refer(to: id, insteadOf: reserved, in: table) }
        try insert(table, columns, cells, id)
        try checkTypes(columns, cells, edit, table)
    }

    private func saveKeyed(_ object: JSONObject, _ edit: SyncEdit, _ table: AppDeclaration.Table) throws {
        let columns = columns(of: table, in: object)
        guard let values = table.values(ofKey: edit.key.key), values.count == table.key.count,
            zip(table.key, values).allSatisfy({ object[$0] == $1 })
        else { throw RejectedRecord("its key is not that of its members") }
        let cells = try columns.map { try cell(object, $0, table, edit) }
        if let (condition, place) = try readers[table.name]?.place(edit.key.key, database) {
            let statement = try statements.statement("SELECT 1 FROM \(table.name.quotedName) AS t WHERE \(condition)")
            defer { statement.reset() }
            for (index, cell) in place.enumerated() { try statement.bind(index + 1, cell: cell) }
            if try statement.step() {
                statement.reset()
                let others = zip(columns, cells).filter { !table.key.contains($0.0.name) }
                try update(table, others.map(\.0), others.map(\.1), condition, place)
                return try checkTypes(others.map(\.0), others.map(\.1), edit, table)
            }
        }
        try insert(table, columns, cells, nil)
        try checkTypes(columns, cells, edit, table)
    }

    private func update(
        _ table: AppDeclaration.Table,
        _ columns: [AppDeclaration.Column],
        _ cells: [StoreStatement.Cell],
        _ condition: String,
        _ place: [StoreStatement.Cell]
    ) throws {
        guard !columns.isEmpty else { return }
        let sets = columns.map { "\($0.name.quotedName) = ?" }.joined(separator: ", ")
        let statement = try statements.statement(
            "UPDATE \(table.name.quotedName) AS t SET \(sets) WHERE \(condition)"
        )
        for (index, cell) in (cells + place).enumerated() { try statement.bind(index + 1, cell: cell) }
        try statement.run()
    }

    private func insert(
        _ table: AppDeclaration.Table,
        _ columns: [AppDeclaration.Column],
        _ cells: [StoreStatement.Cell],
        _ id: Int?
    ) throws {
        // Local columns need a value where they may not be NULL.
        let local = table.columns.filter { $0.isLocal && $0.isNotNull && $0.initial == .value(.null) }
        var names = columns.map(\.name) + local.map(\.name)
        var values =
            cells
            + local.map { column -> StoreStatement.Cell in
                switch column.kind {
                case .integer, .any: .integer(0)
                case .real: .real(0)
                case .text: .text("")
                case .blob: .blob([])
                }
            }
        if let id {
            names.append(table.key[0])
            values.append(.integer(id))
        }
        let list = names.map(\.quotedName).joined(separator: ", ")
        let places = Array(repeating: "?", count: names.count).joined(separator: ", ")
        let name = table.name.quotedName
        let statement = try statements.statement(
            names.isEmpty ? "INSERT INTO \(name) DEFAULT VALUES" : "INSERT INTO \(name) (\(list)) VALUES (\(places))"
        )
        for (index, cell) in values.enumerated() { try statement.bind(index + 1, cell: cell) }
        try statement.run()
    }

    private func exists(_ id: Int, _ table: AppDeclaration.Table) throws -> Bool {
        let sql = "SELECT 1 FROM \(table.name.quotedName) WHERE \(table.key[0].quotedName) = ?"
        let statement = try statements.statement(sql)
        defer { statement.reset() }
        try statement.bind(1, id)
        return try statement.step()
    }

    /// Returns the integer that a record has on the device that made it, if it is free here.
    ///
    /// It skips integers far above the store's own: the app would continue after them.
    private func free(_ key: String, _ table: AppDeclaration.Table) throws -> Int? {
        guard let id = key.split(separator: "-").first.flatMap({ Int($0) }), id > 0 else { return nil }
        let last = try statements.integer("SELECT max(\(table.key[0].quotedName)) FROM \(table.name.quotedName)", [])
        guard id <= max(last ?? 0, 1_000_000) + 10_000, try !exists(id, table) else { return nil }
        return try isNoted(id, table) ? nil : id
    }

    private var autoincrement: [String: Bool] = [:]

    /// Tells whether SQLite counts the integers that it gave out: a declaration may say so of any table.
    private func isAutoincrement(_ table: AppDeclaration.Table) throws -> Bool {
        guard table.isAutoincrement else { return false }
        if let known = autoincrement[table.name] { return known }
        let sql = try statements.text("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = ?", [table.name])
        let found = sql.map(SQLToken.isAutoincrement) ?? false
        autoincrement[table.name] = found
        return found
    }

    /// Returns the next integer of a table that no row has or had.
    private func next(_ table: AppDeclaration.Table) throws -> Int {
        let last = try statements.integer("SELECT max(\(table.key[0].quotedName)) FROM \(table.name.quotedName)", [])
        let given =
            try isAutoincrement(table)
            ? statements.integer("SELECT seq FROM sqlite_sequence WHERE name = ?", [table.name]) : nil
        // SQLite as well goes on with random ones after the greatest.
        func following(_ id: Int) -> Int { id == .max ? Int.random(in: 1 << 40..<Int.max) : id + 1 }
        var id = following(max(last ?? 0, given ?? 0, 0))
        while try exists(id, table) || isNoted(id, table) { id = following(id) }
        return id
    }

    private func isNoted(_ id: Int, _ table: AppDeclaration.Table) throws -> Bool {
        let known = try statements.statement("SELECT 1 FROM \(DeclaredKeys.keys) WHERE collection = ? AND id = ?")
        defer { known.reset() }
        try known.bind(1, text: table.name)
        try known.bind(2, id)
        return try known.step()
    }

    // MARK: References

    private func cell(
        _ object: JSONObject,
        _ column: AppDeclaration.Column,
        _ table: AppDeclaration.Table,
        _ edit: SyncEdit
    ) throws -> StoreStatement.Cell {
        let value = object[column.name] ?? column.initialValue
        guard let reference = column.reference, let target = declaration.mappedTarget(of: column),
            let key = value.string
        else { return try DeclaredValue.cell(value, column) }
        if let id = try TableReader.id(of: key, in: target.name, database, isGoneToo: reference.onDelete == .keep) {
            return .integer(id)
        }
        // A key must be known at once; other columns may wait for their row.
        let isKey = table.key.contains(column.name)
        guard reference.onDelete != .keep || !isKey && !column.isNotNull else {
            return .integer(try reserve(key, target))
        }
        guard !isKey else { throw missing(key, target) }
        open.append(OpenReference(edit: edit, table: table, column: column, target: target, key: key))
        return column.isNotNull ? .integer(0) : .null
    }

    private func close(_ reference: OpenReference) throws {
        let (key, target) = (reference.key, reference.target)
        let isKept = reference.column.reference?.onDelete == .keep
        let found = try TableReader.id(of: key, in: target.name, database, isGoneToo: isKept)
        guard let id = try found ?? (isKept ? reserve(key, target) : nil) else { throw missing(key, target) }
        guard let (condition, place) = try readers[reference.table.name]?.place(reference.edit.key.key, database)
        else { return }
        try update(reference.table, [reference.column], [.integer(id)], condition, place)
    }

    private func missing(_ key: String, _ target: AppDeclaration.Table) -> RejectedRecord {
        let name = DeclaredStoreAdapter.readable(key) ?? key
        return RejectedRecord("it refers to \(quoted(name)) of \(target.name), which this store does not have")
    }

    /// Reserves an integer for a row that this store lacks and a kept reference leads to.
    ///
    /// The app must never give it to a new row. It is below zero, or counts as given out in an `AUTOINCREMENT` table.
    private func reserve(_ key: String, _ target: AppDeclaration.Table) throws -> Int {
        var id = 0
        if try isAutoincrement(target) {
            id = try free(key, target) ?? next(target)
            try countAsGiven(id, target)
        } else {
            id = DeclaredKeys.reservedNumber(key)
            while try exists(id, target) || isNoted(id, target) { id -= 1 }
        }
        let note = try statements.statement(
            "INSERT INTO \(DeclaredKeys.keys) (collection, id, uid, state) VALUES (?, ?, ?, 1)"
        )
        try note.bind(1, text: target.name)
        try note.bind(2, id)
        try note.bind(3, text: key)
        try note.run()
        return id
    }

    /// Lets SQLite give out only integers above one.
    private func countAsGiven(_ id: Int, _ table: AppDeclaration.Table) throws {
        for sql in DeclaredKeys.countAsGiven {
            let statement = try statements.statement(sql)
            try statement.bind(1, text: table.name)
            try statement.bind(2, id)
            try statement.run()
        }
    }

    /// Lets references lead to a row that arrived after its reserved integer was written.
    private func refer(to id: Int, insteadOf reserved: Int, in target: AppDeclaration.Table) throws {
        for table in tables {
            for column in table.sent where declaration.mappedTarget(of: column)?.name == target.name {
                let place = "t.\(column.name.quotedName) = ?"
                try update(table, [column], [.integer(id)], place, [.integer(reserved)])
                guard !table.isMapped, table.key.contains(column.name) else { continue }
                // The triggers know no key of the reserved integer any more. The record's own key stays the same.
                try statements.run(
                    "DELETE FROM \(SyncTables.journal) WHERE collection = ? AND instr(key, ?) > 0",
                    [table.name, DeclaredKeys.typed(reserved)]
                )
            }
        }
    }

    // MARK: What a newer declaration has

    private func setExtras(_ key: StoreRecordKey, _ members: JSONObject) throws {
        guard !members.isEmpty else {
            return try statements.run(
                "DELETE FROM \(DeclaredKeys.extras) WHERE collection = ? AND key = ?",
                [key.collection, key.key]
            )
        }
        hasExtras = true
        try statements.run(
            "INSERT OR REPLACE INTO \(DeclaredKeys.extras) (collection, key, members) VALUES (?, ?, ?)",
            [key.collection, key.key, JSONValue.object(members).text(.compact)]
        )
    }
}
