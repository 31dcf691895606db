internal import Crypto
public import StrictJSON

/// The declaration of an app: the tables of its SQLite database that sync, and their rules.
///
/// It is data, never SQL: statements quote its names and write its values as literals.
public struct AppDeclaration: Sendable, Hashable {
    /// The kind of a column's values.
    package enum Kind: String, Sendable, Hashable {
        case integer, real, text, blob, any
    }

    /// The action for a row whose target was deleted.
    package enum OnDelete: String, Sendable, Hashable {
        /// The row is deleted too; it returns with its target.
        case cascade
        /// The reference becomes NULL.
        case setNull
        /// The deletion waits on devices that have such rows, and such rows wait on the others.
        case block
        /// The row stays, with a reference that leads nowhere.
        case keep
    }

    /// A reference of a column to the key of a table.
    package struct Reference: Sendable, Hashable {
        package var table: String
        package var onDelete: OnDelete

        /// Makes a reference.
        package init(table: String, onDelete: OnDelete) {
            self.table = table
            self.onDelete = onDelete
        }
    }

    /// The default value of a new row's column.
    package enum Default: Sendable, Hashable {
        case value(JSONValue)
        /// `timestamp`, `date` or `time`.
        case now(String)
    }

    /// A column.
    package struct Column: Sendable, Hashable {
        package var name: String
        package var kind: Kind
        package var type: String?
        package var isNotNull = false
        package var initial = Default.value(.null)
        package var collation: String?
        /// The rule's name, as `x-merge` has it.
        package var rule = "register"
        package var group: String?
        package var reference: Reference?

        /// True if the column never leaves the device.
        package var isLocal: Bool { rule == "local" }
    }

    /// A table whose rows are records.
    package struct Table: Sendable, Hashable {
        package var name: String
        /// The columns of the primary key.
        package var key: [String]
        /// True if the key is an integer that each device assigns by itself.
        package var isMapped = false
        package var isAutoincrement = false
        /// The columns that name a record for people; empty for none.
        package var naturalKey: [String] = []
        package var title: [String] = []
        package var columns: [Column]
        package var unique: [[String]] = []

        package func column(_ name: String) -> Column? { columns.first { $0.name == name } }
        /// The columns that sync sends, without a mapped key.
        var sent: [Column] { columns.filter { !$0.isLocal && !(isMapped && key == [$0.name]) } }
    }

    package var app: String
    /// The app's name in sync; the schema of declarations has the same rule.
    public var id: AppID { AppID(unchecked: app) }
    /// The app's name for people.
    public var title: String
    package var revision: Int
    package var applicationID = 0
    package var userVersion = 0
    package var enforcesForeignKeys = true
    package var tables: [Table]
    package var local: [String] = []
    package var notes: [String] = []

    package func table(_ name: String) -> Table? { tables.first { $0.name == name } }

    /// The notes without those that ask for tables to be moved to `local` which are there already.
    package var openNotes: [String] {
        notes.filter { note in
            !local.contains { note.hasPrefix("\($0) gets rows from ") || note.hasPrefix("\($0) loses rows by ") }
        }
    }

    /// Returns the columns that an earlier declaration did not send, of each table that it had.
    package func columns(newSince earlier: AppDeclaration) -> [String: Set<String>] {
        var found: [String: Set<String>] = [:]
        for table in tables {
            guard let known = earlier.table(table.name)?.sent else { continue }
            let names = Set(table.sent.map(\.name)).subtracting(known.map(\.name)).subtracting(table.key)
            if !names.isEmpty { found[table.name] = names }
        }
        return found
    }

    /// Returns the table whose mapped key keys a table's rows: itself, or the one that its key refers to.
    func keyed(by table: Table) -> Table? {
        var table = table
        for _ in tables {
            if table.isMapped { return table }
            guard table.key.count == 1, let reference = table.column(table.key[0])?.reference,
                let target = self.table(reference.table)
            else { return nil }
            table = target
        }
        return nil
    }

    /// Returns the table with a mapped key that a column refers to; nil for a column whose value is the key itself.
    package func mappedTarget(of column: Column) -> Table? {
        column.reference.flatMap { table($0.table) }.flatMap(keyed)
    }

    /// The tables, each after those that it refers to, as far as possible.
    package var ordered: [Table] {
        var found: [Table] = []
        var seen: Set<String> = []
        func visit(_ table: Table) {
            guard seen.insert(table.name).inserted else { return }
            for column in table.columns {
                if let target = column.reference.flatMap({ self.table($0.table) }) { visit(target) }
            }
            found.append(table)
        }
        tables.forEach(visit)
        return found
    }

    /// The merge rules, as a JSON Schema with the keywords of docs/sync.md.
    public var mergeSchema: JSONValue {
        var properties = JSONObject()
        for table in tables {
            var members = JSONObject()
            for column in table.columns {
                var member: JSONObject = ["x-merge": .string(column.rule)]
                member["x-group"] = column.group.map { .string($0) }
                members[column.name] = .object(member)
            }
            properties[table.name] = [
                "type": "array", "x-merge": "records",
                "x-key": table.key.count == 1 ? .string(table.key[0]) : .array(table.key.map { .string($0) }),
                "items": ["type": "object", "properties": .object(members)],
            ]
        }
        return ["type": "object", "properties": .object(properties)]
    }
}

// MARK: As JSON

extension AppDeclaration {
    package static let format = "satchel-declaration"

    /// The declaration as a document.
    package var json: JSONValue {
        var object: JSONObject = [
            "format": .string(Self.format), "version": 1, "app": .string(app), "title": .string(title),
            "revision": .number(revision),
        ]
        if applicationID != 0 { object["applicationID"] = .number(applicationID) }
        if userVersion != 0 { object["userVersion"] = .number(userVersion) }
        if !enforcesForeignKeys { object["enforcesForeignKeys"] = false }
        var members = JSONObject()
        for table in tables { members[table.name] = table.json }
        object["tables"] = .object(members)
        if !local.isEmpty { object["local"] = Self.names(local) }
        if !notes.isEmpty { object["notes"] = Self.names(notes) }
        return .object(object)
    }

    /// The file that carries the declaration in a shared folder: its name and its bytes.
    package var file: (name: String, bytes: [UInt8]) {
        let bytes = json.encoded(.indented)
        return ("\(app).\(revision)-\(Self.hash(bytes)).app", bytes)
    }

    /// Returns the hash for a file's name: the first 32 hexadecimal digits of the SHA-256 of its bytes.
    package static func hash(_ bytes: [UInt8]) -> String {
        SHA256.hash(data: bytes).prefix(16).map { byte in
            let digits = String(byte, radix: 16)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }

    fileprivate static func names(_ names: [String]) -> JSONValue { .array(names.map { .string($0) }) }
}

extension AppDeclaration.Table {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["key": AppDeclaration.names(key)]
        if isMapped { object["mapped"] = true }
        if isAutoincrement { object["autoincrement"] = true }
        if !naturalKey.isEmpty { object["x-key"] = AppDeclaration.names(naturalKey) }
        if !title.isEmpty { object["title"] = AppDeclaration.names(title) }
        var members = JSONObject()
        for column in columns { members[column.name] = column.json }
        object["columns"] = .object(members)
        if !unique.isEmpty { object["unique"] = .array(unique.map(AppDeclaration.names)) }
        return .object(object)
    }
}

extension AppDeclaration.Column {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["kind": .string(kind.rawValue)]
        object["type"] = type.map { .string($0) }
        if isNotNull { object["notNull"] = true }
        switch initial {
        case .value(.null): break
        case .value(let value): object["default"] = value
        case .now(let what): object["default"] = ["now": .string(what)]
        }
        object["collation"] = collation.map { .string($0) }
        if rule != "register" { object["x-merge"] = .string(rule) }
        object["x-group"] = group.map { .string($0) }
        if let reference {
            object["references"] = [
                "table": .string(reference.table), "onDelete": .string(reference.onDelete.rawValue),
            ]
        }
        return .object(object)
    }
}
