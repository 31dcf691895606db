internal import SQLiteDatabase
internal import StrictJSON

/// The way in which SQLite changes values for a column of a type.
enum ColumnAffinity {
    case numeric, real, text, none

    /// Makes the affinity of a column's type.
    ///
    /// - Parameter isStrict: Whether the table is a `STRICT` one.
    init(_ type: String, isStrict: Bool = false) {
        let type = type.uppercased()
        func has(_ words: String...) -> Bool { words.contains { type.contains($0) } }
        if has("INT") {
            self = .numeric
        } else if has("CHAR", "CLOB", "TEXT") {
            self = .text
        } else if type.isEmpty || has("BLOB") || isStrict && type == "ANY" {
            self = .none
        } else {
            self = has("REAL", "FLOA", "DOUB") ? .real : .numeric
        }
    }

    /// Returns the types of a table's columns in a database, with their affinities.
    static func columns(
        of table: String,
        _ database: Database
    ) throws -> [String: (type: String, affinity: ColumnAffinity)] {
        let sql = "SELECT strict FROM pragma_table_list WHERE schema = 'main' AND name = \(table.literal)"
        let isStrict = try Int.fetchOne(database, sql: sql) == 1
        var found: [String: (type: String, affinity: ColumnAffinity)] = [:]
        try database.forEachRow("PRAGMA table_info(\(table.quotedName))") { row in
            guard let name = row.string(1), let type = row.string(2) else { return }
            found[name] = (type, ColumnAffinity(type, isStrict: isStrict))
        }
        return found
    }

    /// Returns whether a column may hold another value than it is given.
    func mayChange(_ cell: StoreStatement.Cell) -> Bool {
        switch (self, cell) {
        case (.numeric, .real(let number)): number == number.rounded()
        case (.real, .integer), (.text, .integer), (.text, .real): true
        case (.numeric, .text(let text)), (.real, .text(let text)):
            text.utf8.first { $0 != 32 && !(9...13).contains($0) }.map {
                (48...57).contains($0) || [43, 45, 46].contains($0)
            } ?? false
        default: false
        }
    }

    /// Returns whether a whole number is one of those that real numbers have all of.
    static func isExact(_ number: Int) -> Bool { (-(1 << 53)...1 << 53).contains(number) }

    /// Returns the real number that a text is the only notation of; nil for any other text.
    static func real(_ text: String) -> Double? {
        Double(text).flatMap { JSONNumber($0)?.token == text ? $0 : nil }
    }

    /// Returns the value of a column's kind that a column of this affinity holds as a cell; nil where the cell is the value.
    ///
    /// An update of the app, or an app that is older here, may give a column another type than the declaration names.
    func value(_ cell: StoreStatement.Cell, _ kind: AppDeclaration.Kind) -> StoreStatement.Cell? {
        switch (kind, self, cell) {
        case (.integer, .real, .real(let number)):
            Int(exactly: number).flatMap { Self.isExact($0) ? .integer($0) : nil }
        case (.real, .numeric, .integer(let number)): Self.isExact(number) ? .real(Double(number)) : nil
        case (.text, .numeric, .integer(let number)): .text(String(number))
        case (.integer, .text, .text(let text)):
            Int(text).flatMap { String($0) == text ? .integer($0) : nil }
        case (.text, .real, .real(let number)), (.text, .numeric, .real(let number)):
            JSONNumber(number).map { .text($0.token) }
        case (.real, .text, .text(let text)): Self.real(text).map { .real($0) }
        default: nil
        }
    }
}
