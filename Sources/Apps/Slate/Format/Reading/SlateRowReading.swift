package import FormatKit
import JSONSchemaValidation
package import StrictJSON

extension SlateFormat {
    /// Reads a file of the current version row by row, each checked by the schema, in half of the memory of its text.
    ///
    /// The result has no document.
    ///
    /// - Parameters:
    ///   - source: The file; it is read again where there are warnings, to tell their lines.
    ///   - name: The file as the person named it, for the diagnostics.
    ///   - repair: Whether faults are repaired; each repair is a warning.
    /// - Returns: Nil for a file that cannot be used or is of another version: `read` tells what it is.
    package static func readRows(
        _ source: JSONByteSource,
        name: String? = nil,
        repair: Bool = false
    ) -> ParseResult<SlateContent>? {
        guard let schema = try? versions.schema(currentVersion),
            let (tables, members) = try? SlateRowReading.read(source, schema)
        else { return nil }
        // All but the rows is small, and is told and checked as a document without rows.
        var outline = members
        for table in tables.keys { outline[table.name] = [] }
        guard let document = try? JSONDocument(parsing: JSONValue.object(outline).encoded(.compact)),
            FormatIdentity.detect(document.root) == identity, schema.isValid(document),
            (try? version(of: document.root)) == currentVersion
        else { return nil }
        let checks = SlateChecks(tables, members, repair: repair)
        guard !checks.findings.hasErrors, let found = try? SlateRowReading.located(checks.findings.kept, in: source)
        else { return nil }
        var list = DiagnosticList(file: name)
        list.add(found, of: checks.findings.count, hasErrors: false)
        var result = ParseResult<SlateContent>(versions, name: name)
        result.identity = identity
        result.version = currentVersion
        result.content = checks.content
        result.diagnostics = list.sorted
        result.findingCount = list.count
        result.repairCount = checks.findings.repairCount
        return result
    }
}

/// Reads the rows of an export one after the other.
private enum SlateRowReading {
    /// Reads the rows, and the members of the top level that are no tables.
    ///
    /// - Throws: What the source and the reader throw; ``Refusal`` for what the schema refuses, or may refuse.
    static func read(
        _ source: JSONByteSource,
        _ schema: JSONSchema
    ) throws -> (tables: [SlateTable: SlateRows], members: JSONObject) {
        var tables: [SlateTable: SlateRows] = [:]
        var members = JSONObject()
        var wordCount = 0
        var reader = try JSONStreamReader(source)
        // A byte order mark, or white space, is left to the reading of the whole file.
        guard reader.offset == 0, try reader.peek() == UInt8(ascii: "{") else { throw Refusal() }
        try reader.open()
        while let (symbol, _) = try reader.next() {
            let name = reader.names.string(symbol)
            let isArray = try reader.peek() == UInt8(ascii: "[")
            guard let table = SlateTable(rawValue: name), isArray else {
                // An unknown array may be as large as a file, and a value takes ten times its text.
                guard !isArray else { throw Refusal() }
                try reader.readValue()
                guard reader.value.end(0) < mostWords else { throw Refusal() }
                let value = reader.value.value(0)
                guard name != "schema_version" || value.int == currentVersion else { throw Refusal() }
                members.append(unique: name, value)
                wordCount += reader.value.end(0) + 1
                continue
            }
            guard let part = PartValidation(schema, member: name, isElement: true) else { throw Refusal() }
            let rows = SlateRows(table)
            try reader.open()
            while try reader.next() != nil {
                try reader.readValue()
                guard part.isSurelyValid(reader) else { throw Refusal() }
                rows.append(reader.words, 0, text: reader.value.text, names: reader.names)
                // The limit is one of the whole text.
                wordCount += reader.value.end(0)
                guard wordCount < JSONParseOptions().maximumValueCount - 1000 else { throw Refusal() }
            }
            tables[table] = rows
        }
        try reader.finish()
        return (tables, members)
    }

    struct Refusal: Error {}

    /// The most words of a member of the top level that is no table.
    private static let mostWords = 100_000
    private static let currentVersion = SlateFormat.currentVersion

    /// Returns findings about rows with their places in the text, which is read twice more.
    static func located(_ findings: [Diagnostic], in source: JSONByteSource) throws -> [Diagnostic] {
        guard !findings.isEmpty else { return [] }
        var wanted: [String: [Int: [Int]]] = [:]
        for (index, finding) in findings.enumerated() {
            guard let tokens = finding.pointer?.tokens, tokens.count > 1, let row = Int(tokens[1]) else { continue }
            wanted[tokens[0], default: [:]][row, default: []].append(index)
        }
        var offsets = findings.map { _ in 0 }
        try source.rewind()
        var reader = try JSONStreamReader(source)
        try reader.open()
        while let (symbol, _) = try reader.next() {
            guard try reader.peek() == UInt8(ascii: "[") else {
                try reader.readValue()
                continue
            }
            let rows = wanted[reader.names.string(symbol)] ?? [:]
            var row = 0
            try reader.open()
            while let (_, offset) = try reader.next() {
                try reader.readValue()
                for index in rows[row] ?? [] {
                    offsets[index] = offset
                    let text = reader.value
                    guard let column = findings[index].pointer?.tokens.dropFirst(2).first,
                        TapeWord(bits: text.words[0]).tag == .object
                    else { continue }
                    var member = 2
                    while member < text.end(0), !text.name(member).elementsEqual(column.utf8) {
                        member = text.end(member + 1)
                    }
                    guard member < text.end(0) else { continue }
                    offsets[index] = reader.bufferOffset + TapeWord(bits: text.words[member + 1]).offset
                }
                row += 1
            }
        }
        let positions = try reader.positions(ofOffsets: offsets)
        return zip(findings, positions).map { finding, position in
            var finding = finding
            finding.position = position
            return finding
        }
    }
}
