package import SQLiteDatabase
package import StrictJSON

/// The columns in which a table stores the members of a JSON object.
///
/// A known member goes into its column, if the column holds its value exactly. All else goes into the column `extra` as
/// JSON: unknown members and values of an unexpected kind. Order and number tokens stay as written, so a reader gets
/// what was stored.
package struct RecordLayout: Sendable {
    /// The kind of a column's values.
    package enum Kind: Sendable {
        /// A string without U+0000, which SQLite's text cannot hold.
        case text
        /// An integer.
        case integer
        /// `true` as 1, `false` as 0.
        case boolean
        /// An array as JSON.
        case json
    }

    /// A member and its column.
    package struct Column: Sendable {
        package let member: String
        package let name: String
        package let kind: Kind
        /// True if NULL stands for the literal `null`; else it stands for an absent member.
        package var nullIsLiteral: Bool

        package init(member: String, name: String, kind: Kind, nullIsLiteral: Bool = false) {
            self.member = member
            self.name = name
            self.kind = kind
            self.nullIsLiteral = nullIsLiteral
        }
    }

    package let table: String
    package let columns: [Column]

    package init(table: String, columns: [Column]) {
        self.table = table
        self.columns = columns
    }

    /// The columns' names, `extra` last, as SQL lists them.
    package var names: String { (columns.map(\.name) + ["extra"]).joined(separator: ", ") }

    /// Returns a placeholder for each column, and as many more before them.
    package func places(before: Int = 0) -> String {
        Array(repeating: "?", count: before + columns.count + 1).joined(separator: ", ")
    }

    /// Returns the values of the columns, `extra` last.
    package func values(of object: JSONObject) -> [DatabaseValue] {
        var rest = object
        var values: [DatabaseValue] = []
        values.reserveCapacity(columns.count + 1)
        for column in columns {
            if let value = rest[column.member], let stored = Self.stored(value, in: column) {
                rest[column.member] = nil
                values.append(stored)
            } else {
                values.append(.null)
            }
        }
        values.append(rest.isEmpty ? .null : Self.text(of: .object(rest)).databaseValue)
        return values
    }

    /// Returns the object of a row's columns from an index on, with members in the columns' order.
    package func object(in row: Row, from index: Int = 0, path: String) throws -> JSONObject {
        var extra = try Self.object(row[index + columns.count], table: table, path: path)
        var object = JSONObject()
        for (offset, column) in columns.enumerated() {
            if let exact = extra.removeValue(forName: column.member) {
                object[column.member] = exact
            } else {
                let value: DatabaseValue = row[index + offset]
                object[column.member] = try self.value(of: value, column, path: path)
            }
        }
        for member in extra { object[member.name] = member.value }
        return object
    }

    /// Returns the object of a column that holds JSON; NULL stands for an object without members.
    package static func object(_ value: DatabaseValue, table: String, path: String) throws -> JSONObject {
        guard let text = String.fromDatabaseValue(value) else { return JSONObject() }
        guard let object = parse(text)?.object else {
            throw StoreError(.record, "a record of the table \(table) holds no JSON object where it should", path: path)
        }
        return object
    }

    /// Returns compact JSON.
    package static func text(of value: JSONValue) -> String { String(decoding: value.encoded(.compact), as: UTF8.self) }

    private static func stored(_ value: JSONValue, in column: Column) -> DatabaseValue? {
        switch (column.kind, value) {
        case (.text, .string(let string)): string.utf8.contains(0) ? nil : string.databaseValue
        case (.integer, .number(let number)): number.int.flatMap { String($0) == number.token ? $0.databaseValue : nil }
        case (.boolean, .bool(let bool)): bool.databaseValue
        case (.json, .array): text(of: value).databaseValue
        case (_, .null): column.nullIsLiteral ? .null : nil
        default: nil
        }
    }

    /// Returns the member's value in a column; nil for an absent member.
    package func value(of value: DatabaseValue, _ column: Column, path: String) throws -> JSONValue? {
        switch (column.kind, value.storage) {
        case (_, .null): return column.nullIsLiteral ? .null : nil
        case (.text, .string(let string)): return .string(string)
        case (.integer, .int64(let integer)): return .number(Int(integer))
        case (.boolean, .int64(let integer)): return .bool(integer != 0)
        case (.json, .string(let string)):
            if let array = Self.parse(string) { return array }
        default: break
        }
        throw StoreError(
            .record,
            "a record of the table \(table) holds what the column \(column.name) cannot",
            path: path
        )
    }

    private static func parse(_ text: String) -> JSONValue? {
        try? JSONDocument(parsing: Array(text.utf8)).root.value
    }
}
