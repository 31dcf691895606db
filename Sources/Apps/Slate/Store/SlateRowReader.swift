internal import RecordStore
internal import StrictJSON

/// Writes rows of a table of the database, from statements that select its columns and then the members of the side table.
final class SlateRowReader {
    let table: SlateTable
    let columns: [SlateColumn]
    let hasExtras: Bool
    private let path: String
    private let names: [String]
    /// Tells that no cell of the table holds JSON.
    private let isFlat: Bool
    private var fragments = JSONFragments()
    private var json: SlateJSONText

    init(_ table: SlateTable, hasExtras: Bool, path: String) {
        self.table = table
        self.path = path
        self.hasExtras = hasExtras
        columns = table.columns
        names = columns.map(\.text)
        isFlat = !columns.contains { $0.kind == .json }
        json = SlateJSONText(table)
    }

    /// Returns the columns that a statement selects, with the tables `t` and `e`.
    func names(version: Int) -> String {
        let names = columns.map { $0.firstVersion <= version ? "t.\"\($0.text)\"" : "NULL" }
        return (names + (hasExtras ? ["e.members"] : [])).joined(separator: ", ")
    }

    /// Adds the side table to the table `t`.
    var join: String {
        guard hasExtras else { return "" }
        let key = "t.\"\(columns[0].text)\""
        return " LEFT JOIN \(SlateSchema.extraTable) e ON e.table_name = '\(table.name)' AND e.row_key = \(key)"
    }

    /// Returns the primary key of the row that a statement stands on; good until the next step.
    func key(_ statement: StoreStatement) throws -> UnsafeBufferPointer<UInt8> {
        guard case .text(let key) = statement.value(0) else {
            throw fault(0, statement.value(0), key: UnsafeBufferPointer(start: nil, count: 0))
        }
        return key
    }

    /// Writes the row that a statement stands on.
    func write(
        _ statement: StoreStatement,
        key: UnsafeBufferPointer<UInt8>,
        to writer: inout JSONWriter
    ) throws {
        writer.beginObject()
        for index in columns.indices {
            let column = columns[index]
            writer.name(plain: column.name)
            switch (statement.value(index), column.kind) {
            case (.text(let text), .text) where text.isUTF8: writer.string(utf8: text)
            case (.integer(let number), .flag) where number == 0 || number == 1: writer.flag(number == 1, column.kind)
            case (.null, _) where column.isNullable: writer.null()
            case (.text(let text), .json) where text.isUTF8: json.write(text, to: &writer)
            case (let value, _): throw fault(index, value, key: key)
            }
        }
        if hasExtras {
            switch statement.value(columns.count) {
            case .null: break
            case .text(let members) where (try? fragments.read(members, depth: 2)) == .object:
                fragments.writeMembers(members, to: &writer)
            case let value: throw fault(columns.count, value, key: key)
            }
        }
        writer.endObject()
    }

    /// Returns the row that a statement stands on as an object, without writing its text first.
    ///
    /// It is nil where only the text tells: where a cell holds JSON or a value that its column cannot, and where the side
    /// table has members of the row.
    func flatObject(_ statement: StoreStatement) -> JSONObject? {
        guard isFlat else { return nil }
        if hasExtras, !statement.isNull(columns.count) { return nil }
        var object = JSONObject()
        object.reserveCapacity(columns.count)
        for index in columns.indices {
            let value: JSONValue
            switch (statement.value(index), columns[index].kind) {
            case (.text(let text), .text) where text.isUTF8: value = .string(String(decoding: text, as: UTF8.self))
            case (.integer(let number), .flag(let isNumber)) where number == 0 || number == 1:
                value = isNumber ? .number(number) : .bool(number == 1)
            case (.null, _) where columns[index].isNullable: value = .null
            default: return nil
            }
            object.append(unique: names[index], value)
        }
        return object
    }

    private func fault(
        _ index: Int,
        _ value: StoreStatement.Value,
        key: UnsafeBufferPointer<UInt8>
    ) -> StoreError {
        let name = columns.indices.contains(index) ? columns[index].text : "members of \(SlateSchema.extraTable)"
        let expected =
            switch columns.indices.contains(index) ? columns[index].kind : .json {
            case .text: "text"
            case .flag: "0 or 1"
            case .json: columns.indices.contains(index) ? "text" : "a JSON object"
            }
        let row = index == 0 ? "a row" : "the row \(quoted(String(decoding: key, as: UTF8.self)))"
        let message = "\(row) of \(table.name) has \(value.words) in the column \(name), expected \(expected)"
        return StoreError(.value, message, path: path)
    }
}
