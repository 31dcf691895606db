public import StrictJSON

extension JSONSchema {
    /// Describes a schema for people, as a page of Markdown: what each member is, which are required, and each definition.
    ///
    /// References within the schema become links; those to others are named. `bundle` brings the others in first.
    ///
    /// - Parameters:
    ///   - schema: The schema document.
    ///   - uri: Where it was found.
    ///   - registry: The schemas that references lead to; nothing is fetched.
    ///   - name: What the page calls a schema without a title.
    /// - Returns: The page, at most about 4 MB; it says where it leaves out the rest.
    /// - Throws: As `init`.
    public static func describe(
        _ schema: JSONDocument,
        uri: String? = nil,
        registry: SchemaRegistry = SchemaRegistry(),
        name: String
    ) throws(SchemaError) -> String {
        let program = try JSONSchema(schema, uri: uri, registry: registry).program
        let draft = program.registry.standardDraft(of: program.rootDocument) ?? registry.defaultDraft
        var page = SchemaPage(draft: draft)
        return page.write(schema.root, name: name)
    }
}

/// Writes the page of a schema.
private struct SchemaPage {
    private let draft: JSONSchemaDraft
    private var text = ""
    /// Objects in other schemas that get a section of their own: what they are called, and their schema.
    private var sections: [(title: String, schema: JSONNode)] = []

    /// The definitions, and by address where each is described.
    private var definitions: [(name: String, anchor: String, base: String, schema: JSONNode)] = []
    private var places: [String: Int] = [:]
    /// The address that the references in the schema being described start from.
    private var base = ""

    private static let largestPage = 1 << 22
    private static let deepestPhrase = 4
    private static let mostValues = 20
    private static let definitionKeywords = ["$defs", "definitions"]

    init(draft: JSONSchemaDraft) { self.draft = draft }

    mutating func write(_ root: JSONNode, name: String) -> String {
        text = "# \(plain(root["title"]?.string ?? name))\n\n"
        collect(root, base: address(of: root), pointer: "", anchor: "", name: "")
        base = address(of: root)
        let address = root[draft.identifier]?.string.map { ", `\(code($0))`" } ?? ""
        text += "JSON Schema, draft \(draft.name)\(address).\n\n"
        writeSchema(root, title: "")
        writeSections(level: "##")
        if !definitions.isEmpty { text += "## Definitions\n\n" }
        for definition in definitions where text.utf8.count < Self.largestPage {
            base = definition.base
            text += "<a id=\"\(definition.anchor)\"></a>\n\n### \(plain(definition.name))\n\n"
            if let title = definition.schema["title"]?.string { text += "**\(plain(title))**\n\n" }
            writeSchema(definition.schema, title: definition.name)
            writeSections(level: "####")
        }
        if text.utf8.count >= Self.largestPage { text += "*The page ends here: the schema has more.*\n" }
        while text.hasSuffix("\n\n") { text.removeLast() }
        return text
    }

    private mutating func writeSections(level: String) {
        var next = 0
        while next < sections.count, text.utf8.count < Self.largestPage {
            let section = sections[next]
            next += 1
            text += "\(level) `\(code(section.title))`\n\n"
            writeSchema(section.schema, title: section.title)
        }
        sections = []
    }

    /// Writes what a schema says, and a table of the members that it names.
    private mutating func writeSchema(_ schema: JSONNode, title: String) {
        if let description = schema["description"]?.string { text += plain(description) + "\n\n" }
        text += "Value: \(phrase(schema)).\n\n"
        let notes = notes(schema)
        if !notes.isEmpty { text += notes + "\n\n" }
        let required = Set((schema["required"]?.elements.compactMap(\.string) ?? []).map { ScalarKey($0) })
        var rows: [String] = []
        var size = 0
        for (keyword, isPattern) in [("properties", false), ("patternProperties", true)] {
            for member in schema[keyword]?.members.map(\.self) ?? [] {
                guard text.utf8.count + size < Self.largestPage else { break }
                let name = isPattern ? "names matching `\(code(member.name))`" : "`\(code(member.name))`"
                let isRequired = !isPattern && required.contains(ScalarKey(member.name))
                let description = [member.value["description"] ?? member.value["title"]].compactMap { $0?.string }.map(
                    plain
                )
                let words = (description + [self.notes(member.value)]).filter { !$0.isEmpty }.joined(separator: " ")
                rows.append("| \(name) | \(phrase(member.value)) | \(isRequired ? "yes" : "") | \(words) |")
                size += rows.last?.utf8.count ?? 0
                enqueue(member.value, title.isEmpty ? member.name : title + "." + member.name)
            }
        }
        if let other = schema["additionalProperties"] ?? schema["unevaluatedProperties"], !rows.isEmpty {
            rows.append("| any other | \(other.bool == false ? "not allowed" : phrase(other)) | | |")
        }
        guard !rows.isEmpty else { return }
        text += "| member | value | required | meaning |\n|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n\n"
    }

    /// Remembers the objects in a member's schema, for a section of their own.
    private mutating func enqueue(_ schema: JSONNode, _ title: String, depth: Int = 0) {
        guard depth < Self.deepestPhrase, schema["$ref"] == nil, sections.count < 10_000 else { return }
        if schema["properties"]?.count ?? 0 > 0 { sections.append((title, schema)) }
        if let items = schema["items"], items.kind == .object { enqueue(items, title + "[]", depth: depth + 1) }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for branch in schema[keyword]?.elements.map(\.self) ?? [] { enqueue(branch, title, depth: depth + 1) }
        }
    }

    // MARK: Phrases

    /// Returns the values that a schema takes, in words.
    private func phrase(_ schema: JSONNode, depth: Int = 0) -> String {
        guard depth < Self.deepestPhrase else { return "…" }
        if let bool = schema.bool { return bool ? "any value" : "nothing" }
        if let reference = schema["$ref"]?.string { return link(reference) }
        if let value = schema["const"] { return "exactly \(shown(value))" }
        if let values = schema["enum"] {
            let listed = values.elements.prefix(Self.mostValues).map(shown).joined(separator: ", ")
            return "one of \(listed)"
                + (values.count > Self.mostValues ? " and \(values.count - Self.mostValues) more" : "")
        }
        var parts: [String] = []
        let type = types(schema)
        if !type.isEmpty { parts.append(type) }
        parts += strings(schema) + numbers(schema) + arrays(schema, depth)
        if let other = schema["additionalProperties"], other.kind == .object, schema["properties"] == nil {
            parts.append("its members each \(phrase(other, depth: depth + 1))")
        }
        parts += range(schema, "minProperties", "maxProperties", "member")
        for (keyword, word) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
            guard let branches = schema[keyword], branches.count > 0 else { continue }
            let shown = branches.elements.prefix(8).map { phrase($0, depth: depth + 1) }
            parts.append(
                shown.joined(separator: word) + (branches.count > 8 ? "\(word)\(branches.count - 8) more" : "")
            )
        }
        if let not = schema["not"] { parts.append("but not \(phrase(not, depth: depth + 1))") }
        if schema["if"] != nil { parts.append("under conditions") }
        if parts.isEmpty, schema["properties"] != nil { parts = ["object"] }
        return parts.isEmpty ? "any value" : parts.joined(separator: ", ")
    }

    private func types(_ schema: JSONNode) -> String {
        guard let type = schema["type"] else { return "" }
        return (type.string.map { [$0] } ?? type.elements.compactMap(\.string)).map(plain).joined(separator: " or ")
    }

    private func strings(_ schema: JSONNode) -> [String] {
        var parts = range(schema, "minLength", "maxLength", "character")
        if let pattern = schema["pattern"]?.string { parts.append("matching `\(code(pattern))`") }
        if let format = schema["format"]?.string { parts.append("format `\(code(format))`") }
        return parts
    }

    private func numbers(_ schema: JSONNode) -> [String] {
        var parts: [String] = []
        for (keyword, word, flag) in [("minimum", "at least", "above"), ("maximum", "at most", "below")] {
            let exclusive = "exclusive" + keyword.prefix(1).uppercased() + keyword.dropFirst()
            if let bound = schema[keyword] {
                parts.append("\(schema[exclusive]?.bool == true ? flag : word) \(plain(token(bound)))")
            }
            if let bound = schema[exclusive], bound.kind == .number { parts.append("\(flag) \(plain(token(bound)))") }
        }
        if let divisor = schema["multipleOf"] { parts.append("a multiple of \(plain(token(divisor)))") }
        return parts
    }

    private func arrays(_ schema: JSONNode, _ depth: Int) -> [String] {
        var parts: [String] = []
        let prefix = schema["prefixItems"] ?? schema["items"].flatMap { $0.kind == .array ? $0 : nil }
        if let prefix, prefix.kind == .array {
            let first = prefix.elements.prefix(8).map { phrase($0, depth: depth + 1) }.joined(separator: "; ")
            parts.append("first \(first)" + (prefix.count > 8 ? "; …" : ""))
        }
        if let items = schema["items"], items.kind != .array {
            parts.append("\(prefix == nil ? "elements" : "then") \(phrase(items, depth: depth + 1))")
        }
        parts += range(schema, "minItems", "maxItems", "element")
        if schema["uniqueItems"]?.bool == true { parts.append("without duplicates") }
        return parts
    }

    private func range(_ schema: JSONNode, _ least: String, _ most: String, _ unit: String) -> [String] {
        let (low, high) = (schema[least].map(token), schema[most].map(token))
        switch (low, high) {
        case (nil, nil): return []
        case (let low?, nil): return ["at least \(low) \(unit)\(low == "1" ? "" : "s")"]
        case (nil, let high?): return ["at most \(high) \(unit)\(high == "1" ? "" : "s")"]
        case (let low?, let high?):
            return ["\(low == high ? low : "\(low) to \(high)") \(unit)\(high == "1" ? "" : "s")"]
        }
    }

    /// Returns the schema's further notes on a value: its default, an example, who may write it.
    private func notes(_ schema: JSONNode) -> String {
        var notes: [String] = []
        if schema["deprecated"]?.bool == true { notes.append("**Deprecated.**") }
        if schema["readOnly"]?.bool == true { notes.append("Read only.") }
        if schema["writeOnly"]?.bool == true { notes.append("Write only.") }
        if let value = schema["default"] { notes.append("Default: \(shown(value)).") }
        if let value = schema["examples"]?.elements.first(where: { _ in true }) {
            notes.append("Example: \(shown(value)).")
        }
        return notes.joined(separator: " ")
    }

    private func link(_ reference: String) -> String {
        if reference == "#" { return "the whole schema again" }
        let target = URIReference(reference).resolved(against: URIReference(base))
        if let place = places[target.document + "#" + (target.decodedFragment ?? "")] {
            return "[\(plain(definitions[place].name))](#\(definitions[place].anchor))"
        }
        return "`\(code(reference))`"
    }

    private func address(of schema: JSONNode, in base: String = "json-schema:///") -> String {
        guard let identifier = schema[draft.identifier]?.string else { return base }
        return URIReference(identifier).resolved(against: URIReference(base)).document
    }

    /// Finds the definitions, and those in schemas that are embedded as definitions.
    private mutating func collect(_ schema: JSONNode, base: String, pointer: String, anchor: String, name: String) {
        for keyword in Self.definitionKeywords {
            for member in schema[keyword]?.members.map(\.self) ?? [] {
                let anchor = anchor + self.anchor(keyword, member.name)
                let own = address(of: member.value, in: base)
                let place = pointer + JSONPointer(tokens: [keyword, member.name]).description
                let name = name.isEmpty ? member.name : name + " " + member.name
                places[base + "#" + place] = definitions.count
                if own != base { places[own + "#"] = definitions.count }
                definitions.append((name, anchor, own, member.value))
                guard anchor.utf8.count < 1_000, definitions.count < 100_000 else { continue }
                collect(member.value, base: own, pointer: own == base ? place : "", anchor: anchor + "-", name: name)
            }
        }
    }

    // MARK: Text

    private func anchor(_ keyword: String, _ name: String) -> String {
        var text = keyword == "$defs" ? "defs-" : "definitions-"
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "." + String(byte, radix: 16)
            }
        }
        return text
    }

    private func token(_ node: JSONNode) -> String { String(decoding: node.encoded(.compact), as: UTF8.self) }

    private func shown(_ value: JSONNode) -> String { "`\(code(token(value)))`" }

    /// Returns text for a code span in a table: no backtick, bar or line end, and not too long.
    private func code(_ text: String) -> String { Self.escaped(text, limit: 200, ["`": "'", "|": "\\|"]) }

    /// Returns text that is no code and no HTML, in one line.
    private func plain(_ text: String) -> String { Self.escaped(text, limit: 2_000, ["<": "&lt;", "|": "\\|"]) }

    /// Replaces characters that Markdown would read, and control characters by spaces.
    private static func escaped(_ text: String, limit: Int, _ replacements: [Unicode.Scalar: String]) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(limit) {
            if let replacement = replacements[scalar] {
                shown += replacement
            } else if scalar.value < 32 {
                shown += " "
            } else {
                shown.unicodeScalars.append(scalar)
            }
        }
        return shown + (text.unicodeScalars.count > limit ? "…" : "")
    }
}
