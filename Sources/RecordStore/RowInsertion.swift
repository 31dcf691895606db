internal import CSQLite
package import SQLiteDatabase

/// Rows on their way into a table, one after the other.
package protocol RowSource: AnyObject {
    /// Gives the values of the next row; returns false behind the last.
    ///
    /// - Parameter row: A value for each column, which still has that of the row before.
    func next(_ row: UnsafeMutableBufferPointer<InsertedValue>) throws -> Bool
}

/// A value of an inserted row.
package enum InsertedValue {
    case null
    case integer(Int)
    /// A text whose memory stays valid until the next row.
    case text(UnsafeBufferPointer<UInt8>)
    /// A text that goes with the value.
    case ownText([UInt8])

    @inline(__always)
    fileprivate func give(to context: OpaquePointer?) {
        switch self {
        case .null: break
        case .integer(let number): sqlite3_result_int64(context, Int64(number))
        case .text(let text): Self.give(text, nil, to: context)
        case .ownText(let text):
            text.withUnsafeBufferPointer { Self.give($0, StoreStatement.transient, to: context) }
        }
    }

    @inline(__always)
    private static func give(
        _ text: UnsafeBufferPointer<UInt8>,
        _ owner: sqlite3_destructor_type?,
        to context: OpaquePointer?
    ) {
        // Without an address SQLite would store NULL for an empty text.
        guard let start = text.baseAddress else { return sqlite3_result_text(context, "", 0, StoreStatement.transient) }
        let pointer = UnsafeRawPointer(start).assumingMemoryBound(to: CChar.self)
        sqlite3_result_text64(context, pointer, UInt64(text.count), owner, UInt8(SQLITE_UTF8))
    }
}

extension Database {
    /// Inserts rows into a table with one statement, which takes half the time of a statement for each row.
    ///
    /// The source must not use the connection. Where this throws, `INSERT OR ABORT` has left the table as it was; after
    /// another verb the transaction has to be given up.
    ///
    /// - Parameters:
    ///   - source: The rows.
    ///   - table: The name of the table, as SQL has it.
    ///   - columns: The names of the columns that the source has values for, as SQL has them.
    ///   - verb: The beginning of the statement.
    /// - Throws: What the source throws; `DatabaseError` where the table refuses a row.
    package func insert(
        _ source: any RowSource,
        into table: String,
        columns: [String],
        verb: String = "INSERT"
    ) throws {
        let feed = RowFeed(source, columns: columns.count)
        try withExtendedLifetime(feed) {
            try RowFeed.register(feed, sqliteConnection)
            defer { RowFeed.unregister(sqliteConnection) }
            do {
                let names = columns.joined(separator: ", ")
                try execute(sql: "\(verb) INTO \(table) (\(names)) SELECT * FROM temp.\(RowFeed.name)")
            } catch {
                throw feed.failure ?? error
            }
        }
    }
}

/// A table that SQLite reads and a source has the rows of: SQLite calls that a virtual table.
private final class RowFeed {
    /// The name of the table, which no file can have: it is looked for among temporary tables.
    static let name = "satchel_rows"

    private let source: any RowSource
    /// The values of the row that SQLite stands on.
    private let row: UnsafeMutableBufferPointer<InsertedValue>
    /// Tells that the source has no more rows.
    @exclusivity(unchecked) private var isAtEnd = false
    /// The error that the source has thrown.
    private(set) var failure: (any Error)?

    init(_ source: any RowSource, columns: Int) {
        self.source = source
        row = .allocate(capacity: columns)
        row.initialize(repeating: .null)
    }

    deinit {
        row.deinitialize()
        row.deallocate()
    }

    private var declaration: String {
        "CREATE TABLE x(\(row.indices.map { "c\($0)" }.joined(separator: ", ")))"
    }

    private func next() -> Int32 {
        do {
            isAtEnd = try !source.next(row)
            return SQLITE_OK
        } catch {
            failure = error
            return SQLITE_ERROR
        }
    }

    // MARK: What SQLite calls

    static func register(_ feed: RowFeed, _ connection: OpaquePointer?) throws(DatabaseError) {
        let code = sqlite3_create_module_v2(connection, name, module, Unmanaged.passUnretained(feed).toOpaque(), nil)
        guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
    }

    static func unregister(_ connection: OpaquePointer?) {
        sqlite3_create_module_v2(connection, name, nil, nil, nil)
    }

    /// SQLite's structures begin with its own members; behind them is the feed.
    private struct Table {
        var base = sqlite3_vtab()
        let feed: UnsafeMutableRawPointer
    }

    private struct Cursor {
        var base = sqlite3_vtab_cursor()
        let feed: Unmanaged<RowFeed>
        let row: UnsafeMutableBufferPointer<InsertedValue>
    }

    @inline(__always)
    private static func cursor(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>) -> UnsafePointer<Cursor> {
        UnsafeRawPointer(cursor).assumingMemoryBound(to: Cursor.self)
    }

    private static func feed(_ cursor: UnsafeMutablePointer<sqlite3_vtab_cursor>?) -> RowFeed? {
        cursor.map { self.cursor($0).pointee.feed.takeUnretainedValue() }
    }

    /// The functions; they stay where they are, as SQLite keeps their address.
    nonisolated(unsafe) private static let module: UnsafeMutablePointer<sqlite3_module> = {
        var functions = sqlite3_module()
        functions.xConnect = { connection, feed, _, _, result, _ in
            guard let feed, let result else { return SQLITE_MISUSE }
            let declaration = Unmanaged<RowFeed>.fromOpaque(feed).takeUnretainedValue().declaration
            let code = sqlite3_declare_vtab(connection, declaration)
            guard code == SQLITE_OK else { return code }
            let table = UnsafeMutablePointer<Table>.allocate(capacity: 1)
            table.initialize(to: Table(feed: feed))
            result.pointee = UnsafeMutableRawPointer(table).assumingMemoryBound(to: sqlite3_vtab.self)
            return SQLITE_OK
        }
        functions.xDisconnect = { table in
            UnsafeMutableRawPointer(table)?.assumingMemoryBound(to: Table.self).deallocate()
            return SQLITE_OK
        }
        functions.xBestIndex = { _, _ in SQLITE_OK }
        functions.xOpen = { table, result in
            guard let table, let result else { return SQLITE_MISUSE }
            let feed = Unmanaged<RowFeed>.fromOpaque(
                UnsafeRawPointer(table).assumingMemoryBound(to: Table.self).pointee.feed
            )
            let cursor = UnsafeMutablePointer<Cursor>.allocate(capacity: 1)
            cursor.initialize(to: Cursor(feed: feed, row: feed.takeUnretainedValue().row))
            result.pointee = UnsafeMutableRawPointer(cursor).assumingMemoryBound(to: sqlite3_vtab_cursor.self)
            return SQLITE_OK
        }
        functions.xClose = { cursor in
            UnsafeMutableRawPointer(cursor)?.assumingMemoryBound(to: Cursor.self).deallocate()
            return SQLITE_OK
        }
        functions.xFilter = { cursor, _, _, _, _ in feed(cursor)?.next() ?? SQLITE_MISUSE }
        functions.xNext = { cursor in feed(cursor)?.next() ?? SQLITE_MISUSE }
        functions.xEof = { cursor in feed(cursor)?.isAtEnd ?? true ? 1 : 0 }
        functions.xColumn = { cursor, context, column in
            guard let cursor else { return SQLITE_MISUSE }
            RowFeed.cursor(cursor).pointee.row[Int(column)].give(to: context)
            return SQLITE_OK
        }
        functions.xRowid = { _, _ in SQLITE_OK }
        let module = UnsafeMutablePointer<sqlite3_module>.allocate(capacity: 1)
        module.initialize(to: functions)
        return module
    }()
}
