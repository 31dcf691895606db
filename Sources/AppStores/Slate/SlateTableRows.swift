internal import AppFormats
internal import GRDB
internal import StrictJSON

/// The rows of a table of the database, in the order of their keys' bytes.
final class SlateTableRows: SlateRowStream {
    private let table: SlateTable
    private let path: String
    private let columns: [SlateColumn]
    /// Nil where the database is of a version without the table.
    private let statement: SlateStatement?
    private let hasExtras: Bool
    private var fragments = JSONFragments()
    private var json: SlateJSONText
    private(set) var key = UnsafeBufferPointer<UInt8>(start: nil, count: 0)

    init(_ table: SlateTable, of database: Database, version: Int, hasExtras: Bool, path: String) throws {
        self.table = table
        self.path = path
        self.hasExtras = hasExtras
        json = SlateJSONText(table)
        columns = table.columns
        guard table.firstVersion <= version else {
            statement = nil
            return
        }
        let key = "t.\"\(columns[0].text)\""
        var names = columns.map { $0.firstVersion <= version ? "t.\"\($0.text)\"" : "NULL" }
        var join = ""
        if hasExtras {
            names.append("e.members")
            join = " LEFT JOIN \(SlateSchema.extraTable) e ON e.table_name = '\(table.name)' AND e.row_key = \(key)"
        }
        statement = try SlateStatement(
            database,
            "SELECT \(names.joined(separator: ", ")) FROM \(table.name) t\(join) ORDER BY \(key) COLLATE BINARY"
        )
    }

    func next() throws -> Bool {
        guard let statement, try statement.step() else { return false }
        guard case .text(let key) = statement.value(0) else { throw fault(0, statement.value(0)) }
        self.key = key
        return true
    }

    func write(to writer: inout JSONWriter) throws {
        guard let statement else { return }
        writer.beginObject()
        for index in columns.indices {
            let column = columns[index]
            writer.name(plain: column.name)
            switch (statement.value(index), column.kind) {
            case (.text(let text), .text): writer.string(utf8: text)
            case (.integer(let number), .flag) where number == 0 || number == 1: writer.flag(number == 1, column.kind)
            case (.null, _) where column.isNullable: writer.null()
            case (.text(let text), .json): json.write(text, to: &writer)
            case (let value, _): throw fault(index, value)
            }
        }
        if hasExtras, case .text(let members) = statement.value(columns.count) {
            guard (try? fragments.read(members)) == .object else { throw fault(columns.count, .text(members)) }
            fragments.writeMembers(members, to: &writer)
        }
        writer.endObject()
    }

    private func fault(_ index: Int, _ value: SlateStatement.Value) -> StoreError {
        let name = columns.indices.contains(index) ? columns[index].text : "members"
        let found =
            switch value {
            case .null: "NULL"
            case .text(let text): "the text \(quoted(String(decoding: text.prefix(200), as: UTF8.self)))"
            case .integer(let number): "the number \(number)"
            case .other(let words): words
            }
        let expected =
            switch columns.indices.contains(index) ? columns[index].kind : .json {
            case .text: "text"
            case .flag: "0 or 1"
            case .json: "JSON"
            }
        let row = index == 0 ? "a row" : "the row \(quoted(String(decoding: key, as: UTF8.self)))"
        let message = "\(row) of \(table.name) has \(found) in the column \(name), expected \(expected)"
        return StoreError(.value, message, path: path)
    }
}
