internal import FormatKit
internal import StrictJSON

/// The exports of a declared app: one object with the app's name as its `format`, and an array of rows for each table.
///
/// Rows look like records: a mapped key, and a reference to one, is a text.
struct DeclaredInbox: InboxFormat {
    private static let envelope: Set<String> = ["format", "exportedAt"]

    let declaration: AppDeclaration
    var app: AppID { declaration.id }
    var identities: Set<FormatIdentity> { [.named(declaration.app)] }
    var filePrefix: String { declaration.app }

    /// Makes the format; nil for an app with a table that has the name of one of the document's own members.
    init?(_ declaration: AppDeclaration) {
        guard declaration.tables.allSatisfy({ !Self.envelope.contains($0.name) }) else { return nil }
        self.declaration = declaration
    }

    func read(_ bytes: [UInt8], _ identity: FormatIdentity, name: String) throws -> InboxReading {
        try read(bytes, name, checksValues: true)
    }

    /// - Parameter checksValues: Whether each value has to be of its column's kind, and each reference to lead somewhere.
    private func read(_ bytes: [UInt8], _ name: String, checksValues: Bool) throws -> InboxReading {
        let root = try JSONDocument(parsing: bytes).root
        var reader = DeclaredRows(declaration, name, checksValues: checksValues)
        var tables = JSONObject()
        for table in declaration.tables {
            guard let node = root[table.name] else { continue }
            tables[table.name] = .array(reader.rows(of: table, node))
        }
        reader.checkReferences()
        guard reader.findings.isEmpty else { return .refused(reader.findings) }
        // A missing table says nothing about its rows, so they do not count as deleted.
        let isWhole = tables.count == declaration.tables.count
        let exportedAt = root["exportedAt"]?.string
        return .document(
            InboxDocument(
                app,
                .object(tables),
                exportedAt: exportedAt,
                isWhole: isWhole,
                columns: reader.columns,
                reader.warnings
            )
        )
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        ["format": .string(declaration.app), "exportedAt": .string(exportedAt)]
    }

    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        let bytes = document.encoded(.indented)
        // Programs write what they like into a column. The device gets it as it is.
        if case .unusable(let findings) = try read(bytes, name, checksValues: false) {
            throw UnusableDocument(findings)
        }
        return bytes
    }
}

/// Reads rows as records, and finds their faults.
private struct DeclaredRows {
    let declaration: AppDeclaration
    let file: String
    let checksValues: Bool
    private(set) var findings: [Diagnostic] = []
    private(set) var warnings: [Diagnostic] = []
    /// The columns that rows name, by table.
    private(set) var columns: [String: Set<String>] = [:]
    /// The keys of the rows, by table.
    private var keys: [String: Set<ScalarKey>] = [:]
    /// The references that have to lead to one of them.
    private var references: [(key: String, table: String, node: JSONNode, place: JSONPointer)] = []
    /// The unknown members that were told, by table.
    private var unknown: [String: Set<String>] = [:]

    init(_ declaration: AppDeclaration, _ file: String, checksValues: Bool) {
        self.declaration = declaration
        self.file = file
        self.checksValues = checksValues
    }

    mutating func rows(of table: AppDeclaration.Table, _ node: JSONNode) -> [JSONValue] {
        let place = JSONPointer.root.appending(table.name)
        guard node.kind == .array else {
            report("found no array, expected the rows of \(quoted(table.name))", node, place)
            return []
        }
        var found: Set<ScalarKey> = []
        var rows: [JSONValue] = []
        for (index, element) in node.elements.enumerated() {
            let place = place.appending(index)
            guard let object = element.value.object else {
                report("found no object, expected a row", element, place)
                continue
            }
            columns[table.name, default: []].formUnion(object.map(\.name).filter { table.column($0) != nil })
            guard let (key, row) = row(of: table, object, element, place) else { continue }
            if found.insert(ScalarKey(key)).inserted {
                rows.append(.object(row))
            } else {
                report("found a second row with this key", element, place)
            }
        }
        keys[table.name] = found
        return rows
    }

    /// Finds references to rows that the export lacks; a table that it lacks says nothing.
    mutating func checkReferences() {
        guard checksValues, findings.isEmpty else { return }
        for (key, table, node, place) in references {
            guard let keys = keys[table], !keys.contains(ScalarKey(key)) else { continue }
            report("found \(quoted(key)), expected the key of a row of \(quoted(table))", node, place)
        }
    }

    /// Returns a row as its record: without default values and local columns.
    private mutating func row(
        of table: AppDeclaration.Table,
        _ object: JSONObject,
        _ node: JSONNode,
        _ place: JSONPointer
    ) -> (key: String, row: JSONObject)? {
        let before = findings.count
        var row = JSONObject()
        for name in table.key {
            let value = object[name] ?? .null
            if value.isNull {
                report("found no \(quoted(name)), expected it, as it is the key", node, place)
            } else if table.isMapped, value.string == nil {
                report("found a key that is no text; numbers are each device's own", node[name] ?? node, place)
            }
        }
        for member in object {
            let isKey = table.key.contains(member.name)
            if declaration.local.contains("\(table.name).\(member.name)") { continue }
            let (node, place) = (node[member.name] ?? node, place.appending(member.name))
            guard let column = table.column(member.name), !(isKey && table.isMapped) else {
                row[member.name] = member.value
                if !isKey { warn(member.name, of: table, node, place) }
                continue
            }
            guard !column.isLocal else { continue }
            do {
                let cell = try DeclaredValue.cell(member.value, column)
                // That a key is null is reported already.
                if let expected = expected(instead: cell, column), !(isKey && member.value.isNull) {
                    throw RejectedRecord(member.name, member.value, expected: expected)
                }
                if let reference = column.reference, reference.onDelete != .keep,
                    let key = key(of: member.value, column, reference)
                {
                    references.append((key, reference.table, node, place))
                }
                let value = try DeclaredValue.json(cell, column, table.name, path: file)
                if isKey || !column.isInitial(value) { row[member.name] = value }
            } catch {
                let reason = (error as? RejectedRecord)?.reason ?? "\(error)"
                report(reason, node, place)
            }
        }
        for column in table.sent
        where column.isNotNull && column.initial == .value(.null) && object[column.name] == nil {
            report("found no \(quoted(column.name)), expected a value", node, place)
        }
        guard findings.count == before else { return nil }
        return (table.recordKey(table.key.map { row[$0] ?? .null }), row)
    }

    /// Returns the key of the record that a value refers to; nil where that cannot be told, as for a number.
    private func key(
        of value: JSONValue,
        _ column: AppDeclaration.Column,
        _ reference: AppDeclaration.Reference
    ) -> String? {
        guard value.string != nil, declaration.mappedTarget(of: column) == nil else { return value.string }
        guard let table = declaration.table(reference.table), table.key.count == 1,
            table.column(table.key[0])?.collation ?? "BINARY" == "BINARY"
        else { return nil }
        return table.recordKey([value])
    }

    /// Returns what a column holds instead of a value; nil for a value that it holds.
    private func expected(instead cell: StoreStatement.Cell, _ column: AppDeclaration.Column) -> String? {
        if case .null = cell { return column.isNotNull ? "a value" : nil }
        guard checksValues else { return nil }
        if let target = declaration.mappedTarget(of: column), column.kind == .integer {
            if case .text = cell { return nil }
            if case .integer = cell { return nil }
            return "the key of a row of \(quoted(column.reference?.table ?? target.name))"
        }
        switch (column.kind, cell) {
        case (.any, _), (.integer, .integer), (.real, .real), (.real, .integer), (.text, .text), (.blob, .blob):
            return nil
        case (.integer, _): return "an integer"
        case (.real, _): return "a number"
        case (.text, _): return "a text"
        case (.blob, _): return #"bytes, such as {"blob": "AAEC"}"#
        }
    }

    /// Warns of a member without a column, once for each table.
    private mutating func warn(_ name: String, of table: AppDeclaration.Table, _ node: JSONNode, _ place: JSONPointer) {
        guard warnings.count < 100, unknown[table.name, default: []].insert(name).inserted else { return }
        let message =
            "found a member that is no column of \(quoted(table.name)); it is kept, and the app does not see it"
        warnings.append(
            Diagnostic(
                .warning,
                code: "declared.unknown-member",
                message: message,
                file: file,
                position: node.position,
                pointer: place
            )
        )
    }

    private mutating func report(_ message: String, _ node: JSONNode, _ place: JSONPointer) {
        guard findings.count < 100 else { return }
        findings.append(
            Diagnostic(code: "declared.row", message: message, file: file, position: node.position, pointer: place)
        )
    }
}
