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

    /// Returns whether a database holds exactly a declaration.
    ///
    /// - Throws: The errors of opening a database.
    package static func holds(_ declaration: AppDeclaration, _ path: String) throws(StoreError) -> Bool {
        try StorePath.translating(path) {
            try plain(path).read { database in
                guard try database.names(ofType: "table").contains(DeclaredKeys.app) else { return false }
                let text = try String.fetchOne(database, sql: "SELECT declaration FROM \(DeclaredKeys.app)")
                return text == declaration.json.text(.compact)
            }
        }
    }

    /// Writes a declaration into a database, in place of an earlier one.
    ///
    /// Parts that the database kept beside the tables are removed where the declaration has a column for them;
    /// ``extras(for:_:)`` returns them before.
    ///
    /// - Throws: `store.foreign` where the database lacks a table or column of it.
    public static func declare(_ declaration: AppDeclaration, _ path: String) throws(StoreError) {
        let kind = DeclaredStoreAdapter(declaration)
        try StorePath.translating(path) {
            try plain(path).write { database in
                _ = try kind.version(of: database, path: path)
                try kind.note(database)
                try removeExtras(of: declaration, database)
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
        /// The kept parts that the present declaration knows.
        package let members: JSONObject
        /// The record as the present declaration has it; nil where the store has no row for it, or an unreadable one.
        package let object: JSONObject?
        /// True if the store has a row that cannot be read.
        package let isUnreadable: Bool
        /// The members of the record that the app wrote into columns of its own for these parts.
        package fileprivate(set) var written: Set<String>
        /// The counters among these parts that an update filled: only what the row has more was counted since.
        package fileprivate(set) var counted: Set<String> = []

        /// Takes the counters that an update filled in all rows.
        fileprivate mutating func takeFilled(_ counters: Set<String>) {
            let filled = written.intersection(counters)
            written.subtract(filled)
            counted = filled.filter { name in
                guard let here = object?[name]?.int, let there = members[name]?.int else { return false }
                return here > there
            }
        }
    }

    /// Returns the records of which a database keeps parts beside its tables, where a declaration has columns for them.
    ///
    /// - Parameter known: Parts that the devices have, beside those that the database keeps.
    /// - Throws: `store.record` for parts that are no object, and the errors of opening a database.
    package static func extras(
        for declaration: AppDeclaration,
        _ path: String,
        known: [StoreRecordKey: JSONObject] = [:]
    ) throws -> [Extras] {
        try StorePath.rethrowing(path) {
            try plain(path).read { database in
                let source = DeclaredSource(declaration, database, path: path, showsDeclaredExtras: false)
                var filled: [String: (same: Set<String>, counters: Set<String>)] = [:]
                var parts: [StoreRecordKey: JSONObject] = [:]
                for part in try declaredExtras(of: declaration, database, source) { parts[part.key] = part.known }
                for (key, members) in known {
                    // The devices may have changed since what the database keeps.
                    for member in members { parts[key, default: JSONObject()][member.name] = member.value }
                    if members.isEmpty { parts[key] = parts[key] ?? members }
                }
                var found: [Extras] = []
                // The counters of tables that have a value as the devices have it: each device's update wrote the same.
                var agreed: [String: Set<String>] = [:]
                for (key, members) in parts.sorted(by: { $0.key < $1.key }) {
                    guard let table = declaration.table(key.collection) else { continue }
                    var object: JSONObject?
                    var isUnreadable = false
                    do {
                        object = try source.record(key)
                    } catch let error as StoreError where error.code == .value || error.code == .record {
                        isUnreadable = true
                    }
                    let known = try filled[table.name] ?? Self.filledColumns(of: table, database)
                    filled[table.name] = known
                    for member in members where object?[member.name] == member.value {
                        agreed[table.name, default: []].insert(member.name)
                    }
                    // A row holds its other members as sync wrote them.
                    let written = (object ?? JSONObject()).map(\.name).filter { name in
                        members[name] != nil && members[name] != object?[name] && !table.key.contains(name)
                            && !known.same.contains(name)
                    }
                    found.append(
                        Extras(
                            key: key,
                            members: members,
                            object: object,
                            isUnreadable: isUnreadable,
                            written: Set(written)
                        )
                    )
                }
                for index in found.indices {
                    let table = found[index].key.collection
                    found[index].takeFilled(filled[table]?.counters.intersection(agreed[table] ?? []) ?? [])
                }
                return found
            }
        }
    }

    /// Removes what a database keeps beside its tables where a declaration has columns for it.
    private static func removeExtras(of declaration: AppDeclaration, _ database: Database) throws {
        let statements = SyncStatements(database)
        let source = DeclaredSource(declaration, database, path: "")
        for (_, key, all, known) in try declaredExtras(of: declaration, database, source) {
            var rest = all
            for member in known { rest.removeValue(forName: member.name) }
            if rest.isEmpty {
                let sql = "DELETE FROM \(DeclaredKeys.extras) WHERE collection = ? AND key = ?"
                try statements.run(sql, [key.collection, key.key])
            } else {
                let sql = "UPDATE \(DeclaredKeys.extras) SET members = ? WHERE collection = ? AND key = ?"
                try statements.run(sql, [JSONValue.object(rest).text(.compact), key.collection, key.key])
            }
        }
    }

    /// Returns what a database keeps of records beside its tables, where a declaration has columns for some of it.
    private static func declaredExtras(
        of declaration: AppDeclaration,
        _ database: Database,
        _ source: DeclaredSource
    ) throws -> [(table: AppDeclaration.Table, key: StoreRecordKey, all: JSONObject, known: JSONObject)] {
        guard try database.names(ofType: "table").contains(DeclaredKeys.extras) else { return [] }
        var found: [(table: AppDeclaration.Table, key: StoreRecordKey)] = []
        try database.forEachRow("SELECT collection, key FROM \(DeclaredKeys.extras)") { row in
            guard let key = row.string(1), let table = row.string(0).flatMap(declaration.table) else { return }
            found.append((table, StoreRecordKey(table.name, key)))
        }
        return try found.compactMap { table, key in
            let all = try source.extras(key) ?? JSONObject()
            var known = JSONObject()
            for member in all where table.column(member.name) != nil { known[member.name] = member.value }
            return known.isEmpty ? nil : (table, key, all, known)
        }
    }

    /// The least rows of a table in which a value of each row counts as that of an update.
    private static let leastFilled = 3

    /// Returns the columns that have one value in all rows, and the counters that have any but 0 in all rows: an update
    /// filled them, and nobody entered it.
    private static func filledColumns(
        of table: AppDeclaration.Table,
        _ database: Database
    ) throws -> (same: Set<String>, counters: Set<String>) {
        let names = table.columns.map(\.name)
        let terms = names.flatMap { name in
            let column = name.quotedName
            let isFull = "count(*) >= \(leastFilled) AND count(\(column)) = count(*)"
            return ["\(isFull) AND min(\(column)) IS max(\(column))", "\(isFull) AND min(\(column) <> 0)"]
        }
        var (same, counters): (Set<String>, Set<String>) = ([], [])
        try database.forEachRow("SELECT \(terms.joined(separator: ", ")) FROM \(table.name.quotedName)") { row in
            for (index, column) in table.columns.enumerated() {
                if row.cell(2 * index) == .integer(1) { same.insert(column.name) }
                if column.rule == "counter", row.cell(2 * index + 1) == .integer(1) { counters.insert(column.name) }
            }
        }
        return (same, counters)
    }

    private static func plain(_ path: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(10)
        configuration.foreignKeysEnabled = false
        return try DatabaseQueue(path: path, configuration: configuration)
    }
}
