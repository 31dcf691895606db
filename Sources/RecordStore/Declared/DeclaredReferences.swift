internal import SQLiteDatabase
package import StrictJSON
internal import Synchronization

/// The rows to which references of a declared app's records lead, by their titles.
///
/// It opens the store at the first use, and only reads. Where the store cannot be read, it knows no references.
package final class DeclaredReferences: Sendable {
    private let path: String
    private let state = Mutex(State())

    private struct State {
        var isOpened = false
        var store: Store?
        var titles: [StoreRecordKey: String] = [:]
    }

    private struct Store {
        let declaration: AppDeclaration
        let queue: DatabaseQueue
    }

    /// Makes the references of the store at a path.
    package init(_ path: String) { self.path = path }

    private var store: Store? {
        state.withLock { state in
            if !state.isOpened {
                state.isOpened = true
                state.store = try? Self.open(path)
            }
            return state.store
        }
    }

    private static func open(_ path: String) throws -> Store? {
        guard let declaration = try DeclaredStores.declaration(in: path) else { return nil }
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(2)
        return Store(declaration: declaration, queue: try DatabaseQueue(path: path, configuration: configuration))
    }

    /// Returns the table to which a member refers, if its rows have titles or keys that the app does not show.
    package func target(of member: String, in collection: String) -> String? {
        guard let declaration = store?.declaration, let column = declaration.table(collection)?.column(member),
            let target = column.reference.flatMap({ declaration.table($0.table) }), target.key.count == 1
        else { return nil }
        let hasTitle = target.title.contains { !target.key.contains($0) }
        return declaration.mappedTarget(of: column) != nil || hasTitle ? target.name : nil
    }

    /// Returns the key of the row to which a value refers; nil for a value that refers to none.
    package func key(of value: JSONValue, in table: String) -> String? {
        guard let declaration = store?.declaration, let target = declaration.table(table), !value.isNull else {
            return nil
        }
        return declaration.keyed(by: target) == nil ? target.recordKey([value]) : value.string
    }

    /// Returns the value by which a column refers to a row.
    package func value(ofKey key: String, in table: String) -> JSONValue {
        guard let declaration = store?.declaration, let target = declaration.table(table),
            declaration.keyed(by: target) == nil
        else { return .string(key) }
        return target.values(ofKey: key)?.first ?? .string(key)
    }

    /// Returns the kind of a member's values; nil for a member that is no column.
    package func kind(of member: String, in collection: String) -> AppDeclaration.Kind? {
        store?.declaration.table(collection)?.column(member)?.kind
    }

    /// Returns the value of a member that a record lacks; nil for a member that is no column.
    package func initialValue(of member: String, in collection: String) -> JSONValue? {
        store?.declaration.table(collection)?.column(member)?.initialValue
    }

    /// Returns the title of a row; nil for a row without one.
    package func title(_ key: String, of table: String) -> String? {
        let name = StoreRecordKey(table, key)
        if let known = state.withLock({ $0.titles[name] }) { return known }
        guard let store, let target = store.declaration.table(table) else { return nil }
        let found = try? store.queue.read { database in try Self.title(name, of: target, in: store, database) }
        guard let title = found ?? store.declaration.readable(table, key) else { return nil }
        state.withLock { $0.titles[name] = title }
        return title
    }

    private static func title(
        _ name: StoreRecordKey,
        of table: AppDeclaration.Table,
        in store: Store,
        _ database: Database
    ) throws -> String? {
        if let object = try DeclaredSource(store.declaration, database, path: store.queue.path).record(name) {
            return titleColumns(of: table).lazy.compactMap { object[$0]?.string }.first { !$0.isEmpty }
        }
        // The title of a deleted row is noted as a literal.
        var was: String?
        let sql = "SELECT was FROM \(DeclaredKeys.keys) WHERE collection = ? AND uid = ?"
        try database.forEachRow(sql, [Array(name.collection.utf8), Array(name.key.utf8)]) { was = $0.string(0) }
        guard let was, table.title.count == 1, was.utf8.count > 2, was.hasPrefix("'") else { return nil }
        return String(was.dropFirst().dropLast()).replacing("''", with: "'")
    }

    private static func titleColumns(of table: AppDeclaration.Table) -> [String] {
        table.title.isEmpty ? ["title", "name", "label"].filter { table.column($0) != nil } : table.title
    }

    /// Returns the keys of the rows that a person means: by the key, else by the title, else by the number.
    package func keys(_ text: String, of table: String) -> [String] {
        guard let store, let target = store.declaration.table(table) else { return [] }
        let found = try? store.queue.read { database -> [String] in
            let source = DeclaredSource(store.declaration, database, path: path)
            if try source.record(StoreRecordKey(table, text)) != nil { return [text] }
            var keys: [String] = []
            let titles = Self.titleColumns(of: target).map { "t.\($0.quotedName) = \(text.literal)" }
            if !titles.isEmpty {
                try source.forEachKey(of: target, where: titles.joined(separator: " OR ")) { keys.append($0.key) }
            }
            if keys.isEmpty, target.key.count == 1, let number = Int(text) {
                let condition = "t.\(target.key[0].quotedName) = \(number)"
                try source.forEachKey(of: target, where: condition) { keys.append($0.key) }
            }
            return keys
        }
        return found ?? []
    }
}
