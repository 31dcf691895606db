internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes edits into a Slate database: only cells that change, so that what is not known stays as it is.
final class SlateSyncWriter: StoreWriter {
    /// Keys of `meta` that are this device's own: they are never sent, and stay as they are.
    private static let local: Set = [SlateMember.version, "last_open_date"]

    private let records: SlateRecords
    private let source: SlateRecordSource
    private let statements: SyncStatements
    /// True if the side table has any row; nil before it was asked.
    private var mayHaveExtras: Bool?
    private var insertions: [SlateTable: (adding: StoreStatement, ifAbsent: StoreStatement)] = [:]
    /// The table to which the last edit added a row: the next edit mostly does so too.
    private var lastAddedTo: SlateTable?
    /// False if a record of many was there already, or a foreign trigger may undo the transaction over one of the rows,
    /// which is then to be named.
    private lazy var mayAddTogether =
        (try? records.database.names(ofType: "trigger").allSatisfy(JournalTriggers.areOurs)) ?? false
    /// The number of records from which one statement for all is faster.
    private static let many = 50

    init(_ records: SlateRecords) {
        self.records = records
        source = SlateRecordSource(records)
        statements = SyncStatements(records.database)
    }

    /// Removes first: what takes the place of something has the same values in a column that no two rows share.
    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        for edit in edits where edit.object == nil { try edit.naming { try remove(edit.key) } }
        var rest = edits[...]
        while let first = rest.first {
            let together = rest.prefix { $0.key.collection.hasSameScalars(as: first.key.collection) }
            rest = rest[together.endIndex...]
            if try addTogether(together, to: SlateTable(rawValue: first.key.collection)) { continue }
            for edit in together {
                guard let object = edit.object else { continue }
                try edit.naming { try save(object, edit.key) }
            }
        }
    }

    func finish() throws {}

    /// Adds many records with one statement.
    ///
    /// - Returns: False where one of them is there already, or is more than a row; then the table is as before.
    private func addTogether(_ edits: ArraySlice<SyncEdit>, to table: SlateTable?) throws -> Bool {
        guard mayAddTogether, edits.count >= Self.many, let table, table.unique.isEmpty, try !hasExtras() else {
            return false
        }
        do {
            let names = table.columnNames.map(\.quotedName)
            let rows = SlateSyncRows(table, edits)
            try records.database.insert(rows, into: table.name, columns: names, verb: "INSERT OR ABORT")
            return true
        } catch is RejectedRecord {
            return false
        } catch let error as DatabaseError
            where error.resultCode == .SQLITE_CONSTRAINT && records.database.isInsideTransaction
        {
            mayAddTogether = false
            return false
        }
    }

    private func remove(_ key: StoreRecordKey) throws {
        guard let table = SlateTable(rawValue: key.collection) else {
            return key.collection == SlateMember.meta ? try saveMeta([:]) : try saveOwnMembers([:])
        }
        guard let texts = table.texts(ofKey: key.key), let id = try identifier(table, texts) else { return }
        try statements.run("DELETE FROM \(table.name) WHERE \(table.primaryKey) = ?", [id])
        try removeExtras(table.name, id)
    }

    private func save(_ object: JSONObject, _ key: StoreRecordKey) throws {
        guard let table = SlateTable(rawValue: key.collection) else {
            return key.collection == SlateMember.meta ? try saveMeta(object) : try saveOwnMembers(object)
        }
        guard let texts = table.texts(ofKey: key.key), let same = table.syncKey(of: object),
            same.hasSameScalars(as: key.key)
        else { throw RejectedRecord("its \(table.syncKey.joined(separator: " and ")) are not its key") }
        let row = SlateSyncRow(table, object)
        let members = row.unknownMembers
        if lastAddedTo == table, table.unique.isEmpty, try insert(row, members, ifAbsent: true) { return }
        lastAddedTo = nil
        if let stored = try source.row(table).object(texts) {
            try update(row, members, stored, texts)
        } else {
            _ = try insert(row, members)
            lastAddedTo = table
        }
    }

    // MARK: Rows

    /// Adds a row.
    ///
    /// - Parameter ifAbsent: Whether to leave the table as it is where SQLite does not take the row, mostly because it has
    ///   one of that key.
    /// - Returns: Whether it added the row.
    private func insert(_ row: SlateSyncRow, _ members: JSONObject, ifAbsent: Bool = false) throws -> Bool {
        var cells = try row.cells()
        if case .text(let id) = cells[0] { cells[0] = .text(try free(id, row.table)) }
        let insertion = try insertion(row.table)
        try run(ifAbsent ? insertion.ifAbsent : insertion.adding, cells)
        if ifAbsent, records.database.changesCount == 0 { return false }
        guard case .text(let id) = cells[0] else { return true }
        // The app may have removed a row of that key and left them.
        if try !members.isEmpty || hasExtras() { try saveExtras(members, row.table.name, id) }
        return true
    }

    private func insertion(_ table: SlateTable) throws -> (adding: StoreStatement, ifAbsent: StoreStatement) {
        if let known = insertions[table] { return known }
        let names = table.columnNames.map(\.quotedName).joined(separator: ", ")
        let places = table.columnNames.map { _ in "?" }.joined(separator: ", ")
        let rest = "INTO \(table.name) (\(names)) VALUES (\(places))"
        let made = (
            adding: try StoreStatement(records.database, "INSERT \(rest)"),
            ifAbsent: try StoreStatement(records.database, "INSERT OR IGNORE \(rest)")
        )
        insertions[table] = made
        return made
    }

    private func update(
        _ row: SlateSyncRow,
        _ members: JSONObject,
        _ stored: JSONObject,
        _ key: [String]
    ) throws {
        let table = row.table
        let before = try SlateSyncRow(table, stored).cells()
        guard case .text(let id) = before[0] else { return }
        var cells = try row.cells(keeping: before)
        if case .text(let new) = cells[0], try !free(new, table).hasSameScalars(as: new) { cells[0] = before[0] }
        let changed = cells.indices.filter { cells[$0] != before[$0] }
        if !changed.isEmpty {
            let terms = changed.map { "\(table.columnNames[$0].quotedName) = ?" }.joined(separator: ", ")
            let sql = "UPDATE \(table.name) SET \(terms) WHERE \(table.primaryKey) = ?"
            try run(statements.statement(sql), changed.map { cells[$0] } + [before[0]])
        }
        let kept = SlateSyncRow(table, stored).unknownMembers
        guard cells[0] != before[0] || kept != members, case .text(let new) = cells[0] else { return }
        try removeExtras(table.name, id)
        try saveExtras(members, table.name, new)
    }

    private func run(_ statement: StoreStatement, _ cells: [SlateSyncRow.Cell]) throws {
        for (index, cell) in cells.enumerated() {
            let index = Int32(truncatingIfNeeded: index + 1)
            switch cell {
            case .null: try statement.bindNull(index)
            case .text(let text): try statement.bind(index, text: text)
            case .flag(let flag): try statement.bind(index, flag)
            }
        }
        try statement.run()
    }

    /// Returns the primary key of the row with a key.
    private func identifier(_ table: SlateTable, _ key: [String]) throws -> String? {
        let condition = table.syncKey.map { "\"\($0)\" = ?" }.joined(separator: " AND ")
        return try statements.text("SELECT \(table.primaryKey) FROM \(table.name) WHERE \(condition)", key)
    }

    /// Returns a primary key that no row has, where nothing refers to it.
    private func free(_ id: String, _ table: SlateTable) throws -> String {
        guard !table.unique.isEmpty else { return id }
        return try statements.free(id, in: table.name, column: table.primaryKey)
    }

    /// Returns whether the side table has, or may have, any row.
    private func hasExtras() throws -> Bool {
        if let mayHaveExtras { return mayHaveExtras }
        let sql = "SELECT EXISTS(SELECT 1 FROM \(SlateSchema.extraTable))"
        let found = try records.extras.isThere && statements.integer(sql, []) != 0
        mayHaveExtras = found
        return found
    }

    private func saveExtras(_ members: JSONObject, _ table: String, _ id: String) throws {
        if !members.isEmpty { mayHaveExtras = true }
        try Array(id.utf8).withUnsafeBufferPointer { try records.extras.set(members, table: table, key: $0) }
    }

    private func removeExtras(_ table: String, _ id: String) throws {
        try Array(id.utf8).withUnsafeBufferPointer { try records.extras.remove(table, $0) }
    }

    // MARK: Members outside the tables

    private func saveMeta(_ object: JSONObject) throws {
        let stored = try records.meta
        for member in stored where !Self.local.contains(member.name) && object[member.name] == nil {
            try statements.run("DELETE FROM meta WHERE key = ?", [member.name])
            try removeExtras(SlateMember.meta, member.name)
        }
        for member in object where !Self.local.contains(member.name) && stored[member.name] != member.value {
            try statements.run("DELETE FROM meta WHERE key = ?", [member.name])
            if member.value.isNull || member.value.string != nil {
                try statements.run(
                    "INSERT INTO meta (key, value) VALUES (?, ?)",
                    [member.name, member.value.string]
                )
                try removeExtras(SlateMember.meta, member.name)
            } else {
                mayHaveExtras = true
                try records.extras.set(member.value, table: SlateMember.meta, key: member.name.utf8)
            }
        }
    }

    private func saveOwnMembers(_ object: JSONObject) throws {
        let known = Set(SlateMember.top(SlateFormat.currentVersion).map(ScalarKey.init))
        let members = JSONObject.members(of: object) { !known.contains(ScalarKey($0)) }
        guard try records.unknownMembers != members else { return }
        try saveExtras(members, "", "")
    }
}

/// New records on their way into a table, each of which is a row and nothing else.
private final class SlateSyncRows: RowSource {
    private let table: SlateTable
    private let names: [String]
    private var edits: ArraySlice<SyncEdit>

    init(_ table: SlateTable, _ edits: ArraySlice<SyncEdit>) {
        (self.table, self.edits) = (table, edits)
        names = table.columnNames
    }

    func next(_ row: UnsafeMutableBufferPointer<InsertedValue>) throws -> Bool {
        guard let edit = edits.popFirst() else { return false }
        guard let object = edit.object else { throw RejectedRecord("it is deleted") }
        let record = SlateSyncRow(table, object, names)
        guard record.unknownMembers.isEmpty, let key = table.syncKey(of: object),
            key.hasSameScalars(as: edit.key.key)
        else { throw RejectedRecord("it is more than a row") }
        for index in names.indices {
            row[index] =
                switch try record.cell(index) {
                case .null: .null
                case .text(let text): .ownText(Array(text.utf8))
                case .flag(let flag): .integer(flag ? 1 : 0)
                }
        }
        return true
    }
}

/// A record as the cells of its row.
struct SlateSyncRow {
    enum Cell: Hashable {
        case null
        case text(String)
        case flag(Bool)

        static func == (left: Cell, right: Cell) -> Bool {
            switch (left, right) {
            case (.null, .null): true
            case (.text(let left), .text(let right)): left.hasSameScalars(as: right)
            case (.flag(let left), .flag(let right)): left == right
            default: false
            }
        }
    }

    let table: SlateTable
    private let object: JSONObject
    private let names: [String]
    /// True if the members are the columns, in their order.
    private let isInOrder: Bool

    init(_ table: SlateTable, _ object: JSONObject, _ names: [String]? = nil) {
        self.table = table
        self.object = object
        let names = names ?? table.columnNames
        self.names = names
        let members = object.members
        isInOrder =
            members.count == names.count
            && names.indices.allSatisfy { members[$0].name.hasSameScalars(as: names[$0]) }
    }

    /// Returns the cells, in the order of the columns.
    ///
    /// - Parameter stored: Those of the row that is there: they stand for a time that is missing.
    func cells(keeping stored: [Cell]? = nil) throws(RejectedRecord) -> [Cell] {
        var cells: [Cell] = []
        cells.reserveCapacity(names.count)
        for index in names.indices {
            if let stored, table.columns[index].whenAbsent == .exportedAt, member(index) == nil {
                cells.append(stored[index])
            } else {
                cells.append(try cell(index))
            }
        }
        return cells
    }

    /// Returns the cell of a column.
    func cell(_ index: Int) throws(RejectedRecord) -> Cell { try cell(table.columns[index], member(index)) }

    /// Returns the value of a column's member.
    private func member(_ index: Int) -> JSONValue? {
        isInOrder ? object.members[index].value : object[names[index]]
    }

    /// The members that are no columns.
    var unknownMembers: JSONObject {
        var unknown = JSONObject()
        if isInOrder { return unknown }
        for member in object where !SlateLayout.isKnown(member.name, in: table) {
            unknown.append(unique: member.name, member.value)
        }
        return unknown
    }

    private func cell(_ column: SlateColumn, _ value: JSONValue?) throws(RejectedRecord) -> Cell {
        switch (column.kind, value) {
        case (.text, .string(let text)?): return .text(text)
        case (.flag, .bool(let flag)?): return .flag(flag)
        case (.flag, .number(let number)?) where number.int == 0 || number.int == 1: return .flag(number.int == 1)
        case (.json, .string(let text)?): return .text(text)
        case (.json, .object?) where table == .activityLog: return .text(value?.text(.compact) ?? "")
        case (.json, .array?) where table != .activityLog: return .text(value?.text(.compact) ?? "")
        case (_, .null?) where column.isNullable: return .null
        case (_, nil): if let cell = substitute(column) { return cell }
        default: break
        }
        let expected =
            switch column.kind {
            case .text: column.isNullable ? "text or null" : "text"
            case .flag: "true or false"
            case .json: table == .activityLog ? "an object, text or null" : "an array, text or null"
            }
        throw RejectedRecord(column.text, value, expected: expected)
    }

    /// Returns the value for a missing member: the same on all devices, so that they come to no different values.
    private func substitute(_ column: SlateColumn) -> Cell? {
        switch column.whenAbsent {
        case .none: nil
        case .null: .null
        case .flag(let flag): .flag(flag)
        case .exportedAt:
            .text(object["created_at"]?.string ?? object["updated_at"]?.string ?? "1970-01-01T00:00:00Z")
        }
    }
}
