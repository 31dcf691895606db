internal import JSONSchemaValidation
public import StrictJSON

/// The error for an invalid declaration, with the place of each fault.
public struct DeclarationError: Error, Sendable {
    /// The faults, each with its place.
    public let diagnostics: [Diagnostic]
}

extension AppDeclaration {
    /// The most bytes of a declaration.
    package static let mostBytes = 4 << 20

    /// The schema of declarations, as a text.
    package static var schemaText: [UInt8] { PackageResources.declaration_1_schema_json }

    private static let schema = Result { try JSONSchema(own: JSONDocument(parsing: schemaText)) }

    /// Reads a declaration: syntax, schema, and rules beyond the schema, such as that each key is a column.
    ///
    /// - Parameter name: The file as the person named it, for the diagnostics.
    /// - Throws: ``DeclarationError`` with all faults; each diagnostic has its place.
    public init(reading bytes: [UInt8], name: String?) throws {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw DeclarationError(diagnostics: [error.diagnostic(file: name)])
        }
        let report = try Self.schema.get().validate(document)
        guard report.isValid else {
            throw DeclarationError(diagnostics: report.findings.map { $0.diagnostic(file: name) })
        }
        self.init(document.root)
        var checks = DeclarationChecks(self, document, name)
        checks.run()
        guard checks.found.isEmpty else { throw DeclarationError(diagnostics: checks.found) }
    }

    /// Makes a declaration of a document that is valid by the schema.
    private init(_ root: JSONNode) {
        app = root["app"]?.string ?? ""
        title = root["title"]?.string ?? app
        revision = root["revision"]?.int ?? 1
        applicationID = root["applicationID"]?.int ?? 0
        userVersion = root["userVersion"]?.int ?? 0
        enforcesForeignKeys = root["enforcesForeignKeys"]?.bool ?? true
        tables = root["tables"]?.members.map { Table($0.name, $0.value) } ?? []
        local = Self.names(root["local"])
        notes = Self.names(root["notes"])
    }

    fileprivate static func names(_ node: JSONNode?) -> [String] { node?.elements.compactMap(\.string) ?? [] }
}

extension AppDeclaration.Table {
    fileprivate init(_ name: String, _ node: JSONNode) {
        self.init(
            name: name,
            key: AppDeclaration.names(node["key"]),
            isMapped: node["mapped"]?.bool ?? false,
            isAutoincrement: node["autoincrement"]?.bool ?? false,
            naturalKey: AppDeclaration.names(node["x-key"]),
            title: AppDeclaration.names(node["title"]),
            columns: node["columns"]?.members.map { AppDeclaration.Column($0.name, $0.value) } ?? [],
            unique: node["unique"]?.elements.map(AppDeclaration.names) ?? []
        )
    }
}

extension AppDeclaration.Column {
    fileprivate init(_ name: String, _ node: JSONNode) {
        self.init(name: name, kind: node["kind"]?.string.flatMap(AppDeclaration.Kind.init) ?? .any)
        type = node["type"]?.string
        isNotNull = node["notNull"]?.bool ?? false
        if let now = node["default"]?["now"]?.string {
            initial = .now(now)
        } else if let value = node["default"]?.value {
            initial = .value(value)
        }
        collation = node["collation"]?.string
        rule = node["x-merge"]?.string ?? "register"
        group = node["x-group"]?.string
        if let target = node["references"] {
            let onDelete = target["onDelete"]?.string.flatMap(AppDeclaration.OnDelete.init) ?? .block
            reference = AppDeclaration.Reference(table: target["table"]?.string ?? "", onDelete: onDelete)
        }
    }
}

/// The rules of a declaration beyond its schema.
private struct DeclarationChecks {
    let declaration: AppDeclaration
    let document: JSONDocument
    let name: String?
    var found: [Diagnostic] = []

    init(_ declaration: AppDeclaration, _ document: JSONDocument, _ name: String?) {
        self.declaration = declaration
        self.document = document
        self.name = name
    }

    mutating func run() {
        if AppID.reserved.contains(declaration.id) {
            report("found \"\(declaration.app)\", expected another identifier: this one is a known app's", ["app"])
        }
        checkNames(declaration.tables.map(\.name), ["tables"])
        for table in declaration.tables { check(table) }
    }

    private mutating func check(_ table: AppDeclaration.Table) {
        let place = ["tables", table.name]
        checkNames(table.columns.map(\.name), place + ["columns"])
        let lists = [("key", table.key), ("x-key", table.naturalKey), ("title", table.title)]
        for (member, names) in lists { checkColumns(names, of: table, place + [member]) }
        for (index, names) in table.unique.enumerated() {
            checkColumns(names, of: table, place + ["unique", String(index)])
        }
        if table.isMapped, table.key.count != 1 || table.column(table.key[0])?.kind != .integer {
            report("found a mapped key of other columns, expected one integer column", place + ["key"])
        }
        if !table.naturalKey.isEmpty, !table.isMapped {
            report("found \"x-key\" without \"mapped\", expected it beside a mapped key", place + ["x-key"])
        }
        if table.isAutoincrement, !table.isMapped {
            report("found it without \"mapped\", expected it beside a mapped key", place + ["autoincrement"])
        }
        for name in table.key + table.naturalKey where table.column(name)?.isLocal ?? false {
            report("found the rule \"local\" on a column of a key, expected another", place + ["columns", name])
        }
        for column in table.columns { check(column, of: table, place + ["columns", column.name]) }
    }

    private mutating func check(_ column: AppDeclaration.Column, of table: AppDeclaration.Table, _ place: [String]) {
        let isKey = table.key.contains(column.name)
        if isKey, !["register", "local"].contains(column.rule) {
            report("found \"\(column.rule)\" on a column of the key, expected no rule", place + ["x-merge"])
        }
        if column.rule == "counter", column.kind != .integer {
            report("found a counter that is no integer, expected the kind \"integer\"", place + ["x-merge"])
        }
        if column.rule == "counter", column.initial != .value(.null), column.initial != .value(0) {
            report(
                "found a counter whose rows do not begin with 0, expected the default 0 or none",
                place + ["default"]
            )
        }
        if column.rule == "text", column.kind != .text {
            report("found the rule \"text\" on another kind, expected the kind \"text\"", place + ["x-merge"])
        }
        if column.group != nil, !["register", "max", "min"].contains(column.rule) {
            report("found a group on \"\(column.rule)\", expected it on register, max or min", place + ["x-group"])
        }
        if isKey, column.kind == .real {
            report("found a key of real numbers, expected another kind", place + ["kind"])
        }
        if let type = column.type, Self.isConstraint(type) {
            report("found \"\(type)\", expected the name of a type and no constraint", place + ["type"])
        }
        guard let reference = column.reference else { return }
        guard let target = declaration.table(reference.table) else {
            return report(
                "found \"\(reference.table)\", expected a table of this declaration",
                place + ["references", "table"]
            )
        }
        if target.key.count != 1 {
            report("found a table whose key has several columns, expected one", place + ["references", "table"])
        }
        if table.isMapped, isKey {
            report("found a reference of a mapped key, expected an own column for it", place + ["references"])
        }
        if reference.onDelete == .setNull, column.isNotNull || isKey {
            report("found \"setNull\" on a column that is never NULL", place + ["references", "onDelete"])
        }
    }

    /// Checks for names that SQLite cannot tell apart, and for reserved ones.
    private mutating func checkNames(_ names: [String], _ place: [String]) {
        var seen: Set<String> = []
        for name in names {
            let small = name.lowercased()
            if !seen.insert(small).inserted {
                report("found a name a second time, expected names that differ in more than case", place + [name])
            }
            if small.hasPrefix("sqlite_") || small.hasPrefix("satchel_") {
                report("found a name of SQLite's or of Satchel's own, expected an app's", place + [name])
            }
        }
    }

    private mutating func checkColumns(_ names: [String], of table: AppDeclaration.Table, _ place: [String]) {
        for (index, name) in names.enumerated() where table.column(name) == nil {
            report("found \"\(name)\", expected a column of the table", place + [String(index)])
        }
    }

    private static func isConstraint(_ type: String) -> Bool {
        let words: Set = [
            "constraint", "primary", "key", "not", "null", "unique", "check", "default", "collate", "references",
            "generated", "always", "as", "on", "autoincrement",
        ]
        return type.lowercased().split { !$0.isLetter }.contains { words.contains(String($0)) }
    }

    private mutating func report(_ message: String, _ place: [String]) {
        let pointer = JSONPointer(tokens: place)
        found.append(
            Diagnostic(
                .error,
                code: "declaration.invalid",
                message: message,
                file: name,
                position: document.root[pointer]?.position,
                pointer: pointer
            )
        )
    }
}
