internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The records of a Slate database, as synchronisation reads them: the very objects that an export has.
final class SlateRecordSource: StoreReader {
    let records: SlateRecords
    private var rows: [SlateTable: SlateKeyedRows] = [:]
    private var ranges: [SlateTable: SlateKeyedRows] = [:]

    init(_ records: SlateRecords) { self.records = records }

    func record(_ key: StoreRecordKey) throws -> JSONObject? {
        if key.collection == SlateMember.meta { return try records.meta }
        guard let table = SlateTable(rawValue: key.collection) else { return try ownMembers }
        guard table.firstVersion <= records.version, let texts = table.texts(ofKey: key.key) else { return nil }
        return try row(table).object(texts)
    }

    /// Reads a range of rows, as the keys of one table are mostly neighbours.
    ///
    /// A row that does not come where its key is expected is looked for by its key.
    func records(_ keys: [StoreRecordKey]) throws -> [Result<JSONObject?, UnreadableRow>] {
        guard keys.count > 1, let first = keys.first, let last = keys.last,
            let table = SlateTable(rawValue: first.collection), table.unique.isEmpty,
            table.firstVersion <= records.version,
            keys.allSatisfy({ $0.collection.hasSameScalars(as: first.collection) })
        else { return try keys.map(readable) }
        let rows = try ranges[table] ?? SlateKeyedRows(table, records, .between)
        ranges[table] = rows
        try rows.look(from: first.key, to: last.key)
        defer { rows.reset() }
        var others = 0
        var hasRow = try rows.advance()
        return try keys.map { key in
            var order = hasRow ? rows.order(of: key.key) : 1
            while order < 0, others < keys.count {
                others += 1
                hasRow = try rows.advance()
                order = hasRow ? rows.order(of: key.key) : 1
            }
            guard order == 0 else { return try readable(key) }
            let found = Result { try UnreadableRow.translating(key.collection, key.key) { try rows.object() } }
            hasRow = try rows.advance()
            switch found {
            case .success(let object): return .success(object)
            case .failure(let row as UnreadableRow): return .failure(row)
            case .failure(let error): throw error
            }
        }
    }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        guard let table = SlateTable(rawValue: collection) else {
            let key = StoreRecordKey(collection, "")
            let object = try UnreadableRow.reading(collection, "", unreadable: unreadable) { try record(key) }
            if let object = object ?? nil { try body(key, object) }
            return
        }
        guard table.firstVersion <= records.version else { return }
        // As they lie, or each of them would be looked up by an index.
        let rows = try SlateKeyedRows(table, records, order == .key ? .byKey : .asTheyLie)
        while true {
            let row = try UnreadableRow.reading(collection, rows.key, unreadable: unreadable) { try rows.next() }
            guard let row else { continue }
            guard let object = row else { return }
            try body(StoreRecordKey(collection, table.syncKey(of: object) ?? ""), object)
        }
    }

    func count(_ collection: String) throws -> Int {
        if let table = SlateTable(rawValue: collection) { return try records.count(table) }
        return try record(StoreRecordKey(collection, "")) == nil ? 0 : 1
    }

    /// Members of the top level that the format does not know.
    private var ownMembers: JSONObject? {
        get throws {
            let members = try records.unknownMembers
            return members.isEmpty ? nil : members
        }
    }

    /// Returns the rows of a table by key.
    func row(_ table: SlateTable) throws -> SlateKeyedRows {
        if let row = rows[table] { return row }
        let row = try SlateKeyedRows(table, records, .ofKey)
        rows[table] = row
        return row
    }
}

/// The rows of a table: all of them, or looked for by the members that are their key.
struct SlateKeyedRows {
    /// The rows to read, and their order.
    enum Choice {
        case asTheyLie, byKey
        /// The row with the key that is bound.
        case ofKey
        /// The rows from one key to another by key; of a table whose key is one column.
        case between
    }

    private let table: SlateTable
    private let path: String
    private let stream: Stream
    private let texts: SlateRowTexts

    init(_ table: SlateTable, _ records: SlateRecords, _ choice: Choice) throws {
        self.table = table
        path = records.path
        stream = try Stream(table, records, choice)
        texts = SlateRowTexts(stream)
    }

    /// The key of the row that was gone to last; nil where a column of it holds no text.
    var key: String? { stream.syncKey }

    /// Returns the row with a key.
    func object(_ key: [String]) throws -> JSONObject? {
        for (index, text) in key.enumerated() {
            try stream.statement.bind(Int32(truncatingIfNeeded: index + 1), text: text)
        }
        defer { stream.statement.reset() }
        return try next()
    }

    /// Begins with the first row of a range.
    func look(from first: String, to last: String) throws {
        try stream.statement.bind(1, text: first)
        try stream.statement.bind(2, text: last)
    }

    /// Ends before the last row.
    func reset() { stream.statement.reset() }

    /// Returns the next row.
    func next() throws -> JSONObject? { try advance() ? object() : nil }

    /// Goes to the next row; returns false where there is none.
    func advance() throws -> Bool { try texts.next() }

    /// Returns whether the row's key comes before a key, is it, or comes after it: below 0, 0 or above 0.
    func order(of key: String) -> Int {
        var key = key
        return key.withUTF8 { stream.key.compare($0) }
    }

    /// Returns the row.
    func object() throws -> JSONObject {
        if let object = stream.flatObject { return object }
        let text = try texts.text
        do {
            return try stream.object(text)
        } catch {
            // The side table may have been written by others.
            let row = "the row \(quoted(String(decoding: texts.key, as: UTF8.self))) of \(table.name)"
            throw StoreError(.value, "\(row) has members that make no object: \(error)", path: path)
        }
    }

    private final class Stream: SlateRowStream {
        let statement: StoreStatement
        private let reader: SlateRowReader
        /// One parser reads all rows.
        private var fragments = JSONFragments()
        private(set) var key = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

        init(_ table: SlateTable, _ records: SlateRecords, _ choice: Choice) throws {
            reader = SlateRowReader(table, hasExtras: records.extras.isThere, path: records.path)
            let names = reader.names(version: records.version)
            let key = table.syncKey.map { "t.\($0.quotedName)" }
            let (how, end) =
                switch choice {
                case .asTheyLie: (" NOT INDEXED", "")
                case .byKey: ("", " ORDER BY \(key.joined(separator: ", "))")
                case .ofKey: ("", " WHERE \(key.map { "\($0) = ?" }.joined(separator: " AND "))")
                case .between: ("", " WHERE \(key[0]) BETWEEN ? AND ? ORDER BY \(key[0])")
                }
            statement = try StoreStatement(
                records.database,
                "SELECT \(names) FROM \(table.name) t\(how)\(reader.join)\(end)"
            )
        }

        deinit { statement.reset() }

        var syncKey: String? {
            let table = reader.table
            let texts = table.syncKey.compactMap { name in
                table.columnNames.firstIndex(of: name).flatMap { statement.string($0) }
            }
            guard texts.count == table.syncKey.count else { return nil }
            return texts.count == 1 ? texts[0] : JournalKey.canonical(texts)
        }

        func next() throws -> Bool {
            guard try statement.step() else { return false }
            key = try reader.key(statement)
            return true
        }

        var flatObject: JSONObject? { reader.flatObject(statement) }

        func object(_ text: [UInt8]) throws(JSONError) -> JSONObject {
            try text.withUnsafeBufferPointer { text throws(JSONError) in
                _ = try fragments.read(text)
                return fragments.words(text).value(0).object ?? JSONObject()
            }
        }

        func write(to writer: inout JSONWriter) throws { try reader.write(statement, key: key, to: &writer) }
    }
}

extension SlateTable {
    private static let allNames = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.columns.map(\.text)) })

    /// The columns' names.
    var columnNames: [String] { Self.allNames[self] ?? [] }
    /// The primary key, as SQL has it.
    var primaryKey: String { columnNames.first?.quotedName ?? "" }

    /// The columns that are a record's key when devices synchronise.
    var syncKey: [String] { unique.isEmpty ? Array(columnNames.prefix(1)) : unique }

    /// Returns the key of a row; nil where a member of it is no text.
    func syncKey(of object: JSONObject) -> String? {
        if unique.isEmpty { return columnNames.first.flatMap { object[$0]?.string } }
        let texts = unique.compactMap { object[$0]?.string }
        return texts.count == unique.count ? JournalKey.canonical(texts) : nil
    }

    /// Returns the members of a key; nil where it is none of the table's.
    func texts(ofKey key: String) -> [String]? {
        if unique.isEmpty { return [key] }
        let texts = (try? JSONDocument(parsing: key).root.value.array)?.compactMap(\.string)
        return texts?.count == unique.count ? texts : nil
    }
}
