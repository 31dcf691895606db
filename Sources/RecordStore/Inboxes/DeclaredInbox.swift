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
        let root = try JSONDocument(parsing: bytes).root
        var reader = DeclaredRows(declaration, name)
        var tables = JSONObject()
        for table in declaration.tables {
            guard let node = root[table.name] else { continue }
            tables[table.name] = .array(reader.rows(of: table, node))
        }
        guard reader.findings.isEmpty else { return .refused(reader.findings) }
        // A missing table says nothing about its rows, so they do not count as deleted.
        let isWhole = tables.count == declaration.tables.count
        let exportedAt = root["exportedAt"]?.string
        return .document(InboxDocument(app, .object(tables), exportedAt: exportedAt, isWhole: isWhole, []))
    }

    func envelope(exportedAt: String, generator: String) -> JSONObject {
        ["format": .string(declaration.app), "exportedAt": .string(exportedAt)]
    }

    func encode(_ document: JSONValue, name: String) throws -> [UInt8] {
        let bytes = document.encoded(.indented)
        if case .unusable(let findings) = try read(bytes, .named(declaration.app), name: name) {
            throw UnusableDocument(findings)
        }
        return bytes
    }
}

/// Reads rows as records, and finds their faults.
private struct DeclaredRows {
    let declaration: AppDeclaration
    let file: String
    private(set) var findings: [Diagnostic] = []

    init(_ declaration: AppDeclaration, _ file: String) {
        self.declaration = declaration
        self.file = file
    }

    mutating func rows(of table: AppDeclaration.Table, _ node: JSONNode) -> [JSONValue] {
        let place = JSONPointer.root.appending(table.name)
        guard node.kind == .array else {
            report("found no array, expected the rows of \(quoted(table.name))", node, place)
            return []
        }
        var keys: Set<ScalarKey> = []
        var rows: [JSONValue] = []
        for (index, element) in node.elements.enumerated() {
            let place = place.appending(index)
            guard let object = element.value.object else {
                report("found no object, expected a row", element, place)
                continue
            }
            guard let (key, row) = row(of: table, object, element, place) else { continue }
            if keys.insert(ScalarKey(key)).inserted {
                rows.append(.object(row))
            } else {
                report("found a second row with this key", element, place)
            }
        }
        return rows
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
            guard let column = table.column(member.name), !(isKey && table.isMapped) else {
                row[member.name] = member.value
                continue
            }
            guard !column.isLocal else { continue }
            do {
                let cell = try DeclaredValue.cell(member.value, column)
                let value = try DeclaredValue.json(cell, column, table.name, path: file)
                if isKey || !column.isInitial(value) { row[member.name] = value }
            } catch {
                let reason = (error as? RejectedRecord)?.reason ?? "\(error)"
                report(reason, node[member.name] ?? node, place.appending(member.name))
            }
        }
        for column in table.sent where column.isNotNull && column.initial == .value(.null) && row[column.name] == nil {
            report("found no \(quoted(column.name)), expected a value", node, place)
        }
        guard findings.count == before else { return nil }
        return (table.recordKey(table.key.map { row[$0] ?? .null }), row)
    }

    private mutating func report(_ message: String, _ node: JSONNode, _ place: JSONPointer) {
        guard findings.count < 100 else { return }
        findings.append(
            Diagnostic(code: "declared.row", message: message, file: file, position: node.position, pointer: place)
        )
    }
}
