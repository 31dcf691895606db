internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The rows of a table of the database, in the order of their keys' bytes.
final class SlateTableRows: SlateStoredRows {
    private let table: SlateTable
    private let path: String
    private let reader: SlateRowReader
    /// Nil where the database is of a version without the table.
    private let statement: StoreStatement?
    @exclusivity(unchecked) private var lastKey: [UInt8] = []
    @exclusivity(unchecked) private(set) var key = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    /// - Parameter isSorted: Whether the rows lie in the order of their keys.
    init(
        _ table: SlateTable,
        of database: Database,
        version: Int,
        hasExtras: Bool,
        isSorted: Bool,
        path: String
    ) throws {
        self.table = table
        self.path = path
        reader = SlateRowReader(table, hasExtras: hasExtras, path: path)
        guard table.firstVersion <= version else {
            statement = nil
            return
        }
        let hasRowID = (try? database.makeStatement(sql: "SELECT _rowid_ FROM \(table.name)")) != nil
        let order: Order = !hasRowID ? .key : isSorted ? .row : .index
        statement = try StoreStatement(database, Self.sql(reader, version: version, order))
    }

    /// The sources of the order of the rows.
    private enum Order {
        /// The index gives the order and nothing else: of a damaged one SQLite would take the keys as they are there.
        case index
        /// The rows lie in order.
        case row
        /// The table is its own index.
        case key
    }

    private static func sql(_ reader: SlateRowReader, version: Int, _ order: Order) -> String {
        let name = reader.table.name
        let key = "\"\(reader.columns[0].text)\""
        let tables = order == .index ? "\(name) k CROSS JOIN \(name) t ON t._rowid_ = k._rowid_" : "\(name) t"
        let terms =
            switch order {
            case .index: "k.\(key) COLLATE BINARY"
            case .row: "t._rowid_"
            case .key: "t.\(key) COLLATE BINARY"
            }
        return "SELECT \(reader.names(version: version)) FROM \(tables)\(reader.join) ORDER BY \(terms)"
    }

    func next() throws -> Bool {
        guard let statement, try statement.step() else { return false }
        let key = try reader.key(statement)
        let isFirst = self.key.baseAddress == nil
        let isBehind = lastKey.withUnsafeBufferPointer { isFirst || $0.compare(key) < 0 }
        guard isBehind else {
            let message =
                "two rows of \(table.name) have the key \(quoted(String(decoding: key, as: UTF8.self))), or its index is "
                + "damaged; restore the database from a copy"
            throw StoreError(.corrupt, message, path: path)
        }
        lastKey.replaceSubrange(lastKey.indices, with: key)
        self.key = key
        return true
    }

    func write(to writer: inout JSONWriter) throws {
        if let statement { try reader.write(statement, key: key, to: &writer) }
    }

    /// Compares cell by cell, which takes half the time of comparing the texts.
    func holds(_ row: SlateCursor) throws -> Bool {
        guard let statement else { return false }
        let columns = reader.columns
        if reader.hasExtras, case .text = statement.value(columns.count) { return false }
        guard !row.hasUnknownMembers else { return false }
        return columns.indices.allSatisfy { index in
            switch (statement.value(index), row.cell(index)) {
            case (.text(let text), .text(let other)), (.text(let text), .json(let other)): text.compare(other) == 0
            case (.integer(let number), .flag(let flag)): number == (flag ? 1 : 0)
            case (.null, .null): columns[index].isNullable
            default: false
            }
        }
    }
}
