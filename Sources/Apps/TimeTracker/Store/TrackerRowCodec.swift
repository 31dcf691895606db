internal import CivilTime
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Writes activities into the table, through SQLite's own functions and without a string being made.
final class TrackerInsertion {
    private let statement: StoreStatement
    /// True if the columns of ``StoreStatement/bindRest(_:_:)`` are bound as for a plain row: they stay so.
    private var isPlain = false

    init(_ database: Database, into table: String = "activity") throws {
        statement = try StoreStatement(
            database,
            "INSERT INTO \(table) (\(TrackerSchema.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        )
    }

    /// Adds an activity with a key that no row has.
    func insert(_ row: TrackerRow, key: Int) throws {
        try statement.bind(1, key)
        try statement.bindMain(2, row)
        let isPlain = row.isPlain
        if !isPlain || !self.isPlain { try statement.bindRest(8, row) }
        self.isPlain = isPlain
        try statement.run()
    }
}

/// The activities of an export, for a table that has none: SQLite gives them their keys.
final class TrackerFilling: RowSource {
    /// The columns, in the order of ``next(_:)``.
    static let columns = TrackerSchema.columns.split(separator: ", ").dropFirst().map(String.init)

    private let cursor: TrackerCursor
    private let visit: (TrackerRow) throws -> [UInt8]?

    /// - Parameter visit: Called with each row; returns the id of the store's button that stands for the row's, if any.
    init(_ cursor: TrackerCursor, visit: @escaping (TrackerRow) throws -> [UInt8]?) {
        self.cursor = cursor
        self.visit = visit
    }

    /// Goes through all activities without a table.
    func finish() throws { while let row = cursor.next() { _ = try visit(row) } }

    func next(_ values: UnsafeMutableBufferPointer<InsertedValue>) throws -> Bool {
        guard let row = cursor.next() else { return false }
        values[0] = .text(row.id)
        values[1] = .text(row.name)
        values[2] = try visit(row).map { .ownText($0) } ?? row.buttonID.map { .text($0) } ?? .null
        values[3] = .integer(row.start.moment.milliseconds)
        values[4] = row.end.map { .integer($0.moment.milliseconds) } ?? .null
        values[5] = row.color.map { .text($0) } ?? .null
        values[6] = .integer(row.start.moment.submilliseconds)
        values[7] = row.start.offsetMinutes.map { .integer($0) } ?? .null
        values[8] = .integer(row.end?.moment.submilliseconds ?? 0)
        values[9] = row.end?.offsetMinutes.map { .integer($0) } ?? .null
        let unknown = row.unknownMembers
        values[10] = unknown.isEmpty ? .null : .ownText(JSONValue.object(unknown).encoded(.compact))
        return true
    }
}

extension TrackerRow {
    /// True if the columns beyond the usual ones are empty, as in nearly all rows.
    @inline(__always)
    fileprivate var isPlain: Bool {
        unknownMembers.isEmpty && start.offsetMinutes == nil && start.moment.submilliseconds == 0
            && end?.offsetMinutes == nil && end?.moment.submilliseconds ?? 0 == 0
    }
}

/// Changes activities.
final class TrackerUpdate {
    private let statement: StoreStatement

    init(_ database: Database) throws {
        statement = try StoreStatement(
            database,
            """
            UPDATE activity SET id = ?, name = ?, button_id = ?, start_ms = ?, end_ms = ?, color = ?, start_ns = ?,
                start_offset = ?, end_ns = ?, end_offset = ?, extra = ? WHERE key = ?
            """
        )
    }

    func update(_ activity: TrackerActivity, key: Int) throws {
        try activity.withRow { row in
            try statement.bindMain(1, row)
            try statement.bindRest(7, row)
            try statement.bind(12, key)
            try statement.run()
        }
    }
}

extension StoreStatement {
    /// Binds the first columns of an activity behind its key; the texts stay where they are until the statement has run.
    @inline(__always)
    fileprivate func bindMain(_ first: Int32, _ row: TrackerRow) throws {
        try bind(first, row.id)
        try bind(first + 1, row.name)
        try bindOptional(first + 2, row.buttonID)
        try bind(first + 3, row.start.moment.milliseconds)
        try bindOptional(first + 4, row.end?.moment.milliseconds)
        try bindOptional(first + 5, row.color)
    }

    /// Binds the other columns: parts of a millisecond, offsets, unknown members.
    fileprivate func bindRest(_ first: Int32, _ row: TrackerRow) throws {
        try bind(first, row.start.moment.submilliseconds)
        try bindOptional(first + 1, row.start.offsetMinutes)
        try bind(first + 2, row.end?.moment.submilliseconds ?? 0)
        try bindOptional(first + 3, row.end?.offsetMinutes)
        if row.unknownMembers.isEmpty {
            try bindNull(first + 4)
        } else {
            try bind(first + 4, copying: JSONValue.object(row.unknownMembers).encoded(.compact))
        }
    }

    @inline(__always)
    private func bindOptional(_ index: Int32, _ text: UnsafeBufferPointer<UInt8>?) throws {
        if let text { try bind(index, text) } else { try bindNull(index) }
    }

    @inline(__always)
    private func bindOptional(_ index: Int32, _ number: Int?) throws {
        if let number { try bind(index, number) } else { try bindNull(index) }
    }
}

/// Reads activities from a statement that selects ``TrackerSchema/columns``.
struct TrackerRowReader {
    let path: String

    /// Returns the activity that a statement stands on; its texts are good until the next step.
    @inline(__always)
    func row(_ statement: StoreStatement) throws -> TrackerRow {
        guard let start = Timestamp(milliseconds: try integer(statement, 4), nanoseconds: try integer(statement, 7))
        else {
            throw faultOfMoment(statement, 4, 7)
        }
        var end: ZonedTimestamp?
        if let milliseconds = try optional(statement, 5) {
            guard let moment = Timestamp(milliseconds: milliseconds, nanoseconds: try integer(statement, 9)) else {
                throw faultOfMoment(statement, 5, 9)
            }
            end = ZonedTimestamp(moment, offsetMinutes: try optional(statement, 10))
        }
        var unknown = JSONObject()
        if let extra = try text(statement, 11) {
            guard let object = try? JSONDocument(parsing: Array(extra)).root.value.object else {
                throw fault(statement, 11)
            }
            unknown = object
        }
        return TrackerRow(
            id: try text(statement, 1) ?? UnsafeBufferPointer(start: nil, count: 0),
            name: try text(statement, 2) ?? UnsafeBufferPointer(start: nil, count: 0),
            buttonID: try text(statement, 3),
            start: ZonedTimestamp(start, offsetMinutes: try optional(statement, 8)),
            end: end,
            color: try text(statement, 6),
            unknownMembers: unknown
        )
    }

    /// Returns the integer in a column, which must have one.
    @inline(__always)
    func integer(_ statement: StoreStatement, _ column: Int) throws -> Int {
        guard let number = try optional(statement, column) else { throw fault(statement, column) }
        return number
    }

    @inline(__always)
    private func optional(_ statement: StoreStatement, _ column: Int) throws -> Int? {
        switch statement.value(column) {
        case .integer(let number): return number
        case .null: return nil
        default: throw fault(statement, column)
        }
    }

    @inline(__always)
    private func text(_ statement: StoreStatement, _ column: Int) throws -> UnsafeBufferPointer<UInt8>? {
        switch statement.value(column) {
        case .text(let text) where text.isUTF8: return text
        case .null: return nil
        default: throw fault(statement, column)
        }
    }

    /// The values that each column holds, in the order of ``TrackerSchema/columns``.
    private static let expected = [
        "a whole number", "text", "text", "text or NULL", "the milliseconds of a moment in the years 0 to 9999",
        "NULL or the milliseconds of a moment in the years 0 to 9999", "text or NULL", "0 to 999999",
        "a whole number or NULL", "0 to 999999", "a whole number or NULL", "a JSON object or NULL",
    ]

    /// Returns the fault of a moment: of its part of a millisecond, where that is none, or of its milliseconds.
    private func faultOfMoment(_ statement: StoreStatement, _ milliseconds: Int, _ part: Int) -> StoreError {
        if case .integer(0..<1_000_000) = statement.value(part) { return fault(statement, milliseconds) }
        return fault(statement, part)
    }

    private func fault(_ statement: StoreStatement, _ column: Int) -> StoreError {
        let names = TrackerSchema.columns.split(separator: ", ")
        var key = 0
        if case .integer(let number) = statement.value(0) { key = number }
        return StoreError(
            .record,
            "the activity with the key \(key) has \(statement.value(column).words) in the column \(names[column]), "
                + "expected \(Self.expected[column]); correct it with sqlite3",
            path: path
        )
    }
}
