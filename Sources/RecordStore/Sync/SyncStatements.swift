package import SQLiteDatabase

/// The statements of one transaction, each prepared once.
package final class SyncStatements {
    private let database: Database
    private var statements: [String: StoreStatement] = [:]

    package init(_ database: Database) { self.database = database }

    package func statement(_ sql: String) throws -> StoreStatement {
        if let statement = statements[sql] { return statement }
        let statement = try StoreStatement(database, sql)
        statements[sql] = statement
        return statement
    }

    /// Runs a statement with texts; nil binds NULL.
    package func run(_ sql: String, _ texts: [String?]) throws {
        let statement = try statement(sql)
        for (index, text) in texts.enumerated() { try statement.bind(index + 1, optional: text) }
        try statement.run()
    }

    /// Returns the text in the first column of the first row.
    package func text(_ sql: String, _ texts: [String]) throws -> String? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(texts.map { Array($0.utf8) })
        return try statement.step() ? statement.string(0) : nil
    }

    /// Returns the integer in the first column of the first row.
    package func integer(_ sql: String, _ texts: [String]) throws -> Int? {
        let statement = try statement(sql)
        defer { statement.reset() }
        try statement.bind(texts.map { Array($0.utf8) })
        guard try statement.step(), case .integer(let number) = statement.value(0) else { return nil }
        return number
    }

    /// Returns an identifier that no row has, as rows with other distinguishing members may share one.
    package func free(_ id: String, in table: String, column: String) throws -> String {
        var (free, number) = (id, 1)
        while try integer("SELECT 1 FROM \(table) WHERE \(column) = ?", [free]) != nil {
            number += 1
            free = "\(id)-\(number)"
        }
        return free
    }
}

extension StoreStatement {
    /// Binds a text, or NULL.
    package func bind(_ index: Int, optional text: String?) throws {
        let index = Int32(truncatingIfNeeded: index)
        if let text { try bind(index, text: text) } else { try bindNull(index) }
    }
}
