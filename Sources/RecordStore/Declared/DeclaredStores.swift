internal import SQLiteDatabase
package import StrictJSON

/// The databases of declared apps, each of which holds its declaration.
public enum DeclaredStores {
    /// Returns the adapter of a declared app's stores.
    public static func adapter(for declaration: AppDeclaration) -> any StoreAdapter {
        DeclaredStoreAdapter(declaration)
    }

    /// Returns the declaration as ``declaration(in:)`` does, but nil for a file that cannot be opened: the caller
    /// reports that.
    package static func declared(_ path: String) throws(StoreError) -> AppDeclaration? {
        do throws(StoreError) {
            return try declaration(in: path)
        } catch {
            guard error.code != .record else { throw error }
            return nil
        }
    }

    /// Returns the declaration in a database; nil where it has none.
    ///
    /// - Throws: `store.record` for an unreadable declaration, and the errors of opening a database.
    package static func declaration(in path: String) throws(StoreError) -> AppDeclaration? {
        guard try StorePath.size(of: path) ?? 0 > 0 else {
            throw StoreError(.notFound, "there is no store at this path", path: path)
        }
        return try StorePath.translating(path) {
            try plain(path).read { database in
                guard try database.names(ofType: "table").contains(DeclaredKeys.app) else { return nil }
                let sql = "SELECT declaration FROM \(DeclaredKeys.app)"
                guard let text = try String.fetchOne(database, sql: sql) else { return nil }
                do {
                    return try AppDeclaration(reading: Array(text.utf8), name: path)
                } catch {
                    let reason = (error as? DeclarationError)?.diagnostics.first?.message ?? "\(error)"
                    throw StoreError(.record, "the declaration in the database cannot be used: \(reason)", path: path)
                }
            }
        }
    }

    /// Writes a declaration into a database, in place of an earlier one.
    ///
    /// - Throws: `store.foreign` where the database lacks a table or column of it.
    public static func declare(_ declaration: AppDeclaration, _ path: String) throws(StoreError) {
        let kind = DeclaredStoreAdapter(declaration)
        try StorePath.translating(path) {
            try plain(path).write { database in
                _ = try kind.version(of: database, path: path)
                try kind.note(database)
            }
        }
    }

    /// Removes what ``declare(_:_:)`` made.
    package static func undeclare(_ path: String) throws(StoreError) {
        try StorePath.translating(path) {
            try plain(path).write { database in
                for name in DeclaredKeys.names.sorted() { try database.execute(sql: "DROP TABLE IF EXISTS \(name)") }
            }
        }
    }

    /// Checks that a database has what a declaration names.
    ///
    /// - Throws: `store.foreign` where it lacks a table or column.
    package static func check(_ declaration: AppDeclaration, _ path: String) throws(StoreError) {
        try StorePath.translating(path) {
            _ = try plain(path).read { try DeclaredStoreAdapter(declaration).version(of: $0, path: path) }
        }
    }

    /// Returns what a database lacks of a declaration; nil where it fits.
    package static func misfit(_ declaration: AppDeclaration, _ path: String) throws(StoreError) -> String? {
        try StorePath.translating(path) { try plain(path).read { try DeclaredStoreAdapter(declaration).misfit($0) } }
    }

    /// Returns what a database that seems to be the app's lacks of a declaration; nil for one that fits, or of another app.
    package static func shortcoming(_ declaration: AppDeclaration, _ path: String) throws(StoreError) -> String? {
        try StorePath.translating(path) {
            try plain(path).read { database in
                let kind = DeclaredStoreAdapter(declaration)
                return try kind.resembles(database) ? kind.misfit(database) : nil
            }
        }
    }

    /// A record of which the store kept parts that its earlier declaration did not know.
    package struct Extras {
        package let key: StoreRecordKey
        /// The parts that were kept.
        package let members: JSONObject
        /// The record as the present declaration has it; nil where the store has no row for it.
        package let object: JSONObject?
        /// The members of the record that the app wrote into columns of its own for these parts.
        package let written: Set<String>
    }

    /// Returns the records of which the store kept parts that its earlier declaration did not know, and clears those
    /// parts.
    package static func takeExtras(_ path: String) throws -> [Extras] {
        guard let declaration = try declaration(in: path) else { return [] }
        return try StorePath.rethrowing(path) {
            try plain(path).write { database in
                var keys: [StoreRecordKey] = []
                try database.forEachRow("SELECT collection, key FROM \(DeclaredKeys.extras)") { row in
                    guard let collection = row.string(0), let key = row.string(1) else { return }
                    if declaration.table(collection) != nil { keys.append(StoreRecordKey(collection, key)) }
                }
                let earlier = DeclaredSource(declaration, database, path: path)
                let kept = try keys.map { try earlier.extras($0) ?? JSONObject() }
                let statements = SyncStatements(database)
                for key in keys {
                    let sql = "DELETE FROM \(DeclaredKeys.extras) WHERE collection = ? AND key = ?"
                    try statements.run(sql, [key.collection, key.key])
                }
                let source = DeclaredSource(declaration, database, path: path)
                var filled: [String: Set<String>] = [:]
                return try zip(keys, kept).map { key, members in
                    let object = try source.record(key)
                    guard let table = declaration.table(key.collection) else {
                        return Extras(key: key, members: members, object: object, written: [])
                    }
                    let known = try filled[table.name] ?? Self.filledColumns(of: table, database)
                    filled[table.name] = known
                    // A row holds its other members as sync wrote them.
                    let written = (object ?? JSONObject()).map(\.name).filter { name in
                        members[name] != nil && members[name] != object?[name] && !table.key.contains(name)
                            && !known.contains(name)
                    }
                    return Extras(key: key, members: members, object: object, written: Set(written))
                }
            }
        }
    }

    /// Returns the columns that have one value in all rows: an update filled them, and nobody entered it.
    private static func filledColumns(of table: AppDeclaration.Table, _ database: Database) throws -> Set<String> {
        let names = table.columns.map(\.name)
        let terms = names.map { name in
            let column = name.quotedName
            return "count(*) > 2 AND count(\(column)) = count(*) AND min(\(column)) IS max(\(column))"
        }
        var filled: Set<String> = []
        try database.forEachRow("SELECT \(terms.joined(separator: ", ")) FROM \(table.name.quotedName)") { row in
            for (index, name) in names.enumerated() where row.cell(index) == .integer(1) { filled.insert(name) }
        }
        return filled
    }

    private static func plain(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
