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
        var page = SchemaPage(program)
        return page.write(schema.root, name: name)
    }
}

/// Writes the page of a schema.
private struct SchemaPage {
    /// Something on the page that references can link to.
    private struct Spot {
        let label: String
        let anchor: String
        /// The index behind the schema that is described there.
        let end: Int
    }

    private let registry: SchemaRegistry
    private let references: SchemaReferences
    /// The number of the document.
    private let document: Int
    private let draft: JSONSchemaDraft
    private var text = ""
    /// Objects in other schemas that get a section of their own: what they are called, and their schema.
    private var sections: [(title: String, schema: JSONNode)] = []
    private var definitions: [(name: String, anchor: String, schema: JSONNode)] = []

    /// The schemas that references lead to and that are no definitions, in order.
    private var targets: [Int] = []
    /// By schema, where it is described: the definitions, and members with a target in them.
    private var spots: [Int: Spot] = [:]
    /// By target that has no place of its own, the anchor of what it is in.
    private var enclosing: [Int: String] = [:]
    private var anchors: Set<String> = []
    /// The members that have got their anchor.
    private var marked: Set<Int> = []

    private static let largestPage = 1 << 22
    private static let deepestPhrase = 4
    private static let mostValues = 20
    private static let mostBranches = 8
    private static let definitionKeywords = ["$defs", "definitions"]
    private static let referenceKeywords = ["$ref", "$dynamicRef", "$recursiveRef"]

    init(_ program: SchemaProgram) {
        registry = program.registry
        references = SchemaReferences(program.registry)
        document = program.rootDocument
        let root = SchemaRegistry.Place(document: document, index: 0)
        draft = registry.owner(root).map { program.registry.resources[$0].draft } ?? program.registry.defaultDraft
    }

    mutating func write(_ root: JSONNode, name: String) -> String {
        collect(root, anchor: "", name: "")
        var found: Set<Int> = []
        findTargets(root, &found)
        targets = found.sorted()
        compose(root, name: name)
        if !targets.isEmpty {
            // Now it is known what has a place on the page, also further below than the reference.
            findEnclosing()
            compose(root, name: name)
        }
        return text
    }

    private mutating func compose(_ root: JSONNode, name: String) {
        (sections, marked) = ([], [])
        text = "# \(plain(root["title"]?.string ?? name))\n\n"
        let address = root[draft.identifier]?.string.map { ", \(code($0))" } ?? ""
        text += "JSON Schema, draft \(draft.name)\(address).\n\n"
        writeSchema(root, title: "")
        writeSections(level: "##")
        if !definitions.isEmpty { text += "## Definitions\n\n" }
        for definition in definitions where text.utf8.count < Self.largestPage {
            text += "<a id=\"\(definition.anchor)\"></a>\n\n### \(plain(definition.name))\n\n"
            if let title = definition.schema["title"]?.string { text += "**\(plain(title))**\n\n" }
            writeSchema(definition.schema, title: definition.name)
            writeSections(level: "####")
        }
        if text.utf8.count >= Self.largestPage { text += "*The page ends here: the schema has more.*\n" }
        while text.hasSuffix("\n\n") { text.removeLast() }
    }

    private mutating func writeSections(level: String) {
        var next = 0
        while next < sections.count, text.utf8.count < Self.largestPage {
            let section = sections[next]
            next += 1
            let mark = mark(section.schema, section.title)
            text += (mark.isEmpty ? "" : mark + "\n\n") + "\(level) \(code(section.title))\n\n"
            writeSchema(section.schema, title: section.title)
        }
        sections = []
    }

    /// Writes what a schema says, and a table of the members that it names.
    private mutating func writeSchema(_ schema: JSONNode, title: String) {
        if let description = schema["description"]?.string { text += plain(description) + "\n\n" }
        text += "Value: \(phrase(schema, in: .heading)).\n\n"
        let notes = notes(schema)
        if !notes.isEmpty { text += notes + "\n\n" }
        writeMembers(schema, title: title)
        enqueueInner(schema, title)
    }

    // MARK: Members

    /// Writes the members that a schema names, those of its `allOf` included, then those of each form it may have.
    private mutating func writeMembers(_ schema: JSONNode, title: String, depth: Int = 0) {
        guard depth < Self.deepestPhrase else { return }
        let parts = parts(schema)
        writeTable(parts, title: title, isForm: depth > 0)
        for part in parts {
            for keyword in ["anyOf", "oneOf"] {
                let branches = part[keyword]?.elements.map(\.self) ?? []
                for (number, branch) in branches.enumerated() {
                    writeForm(branch, "Form \(number + 1) of \(branches.count)", title: title, depth: depth)
                }
            }
            for (keyword, word) in [("then", "Then"), ("else", "Else")] where part["if"] != nil {
                if let branch = part[keyword] { writeForm(branch, word, title: title, depth: depth) }
            }
            for keyword in ["dependentSchemas", "dependencies"] {
                for member in part[keyword]?.members.map(\.self) ?? [] {
                    writeForm(member.value, "With \(code(member.name))", title: title, depth: depth)
                }
            }
        }
    }

    private mutating func writeForm(_ branch: JSONNode, _ word: String, title: String, depth: Int) {
        guard namesMembers(branch), text.utf8.count < Self.largestPage else { return }
        let meaning = meaning(branch)
        text += "**\(word):** \(phrase(branch, in: .branch)).\(meaning.isEmpty ? "" : " " + meaning)\n\n"
        writeMembers(branch, title: title, depth: depth + 1)
    }

    private mutating func writeTable(_ parts: [JSONNode], title: String, isForm: Bool) {
        var required: [String] = []
        for part in parts { required += part["required"]?.elements.compactMap(\.string) ?? [] }
        let needed = Set(required.map { ScalarKey($0) })
        var named: Set<ScalarKey> = []
        var rows: [String] = []
        var size = 0
        func add(_ cells: String...) {
            rows.append("| " + cells.map(Self.cell).joined(separator: " | ") + " |")
            size += rows.last?.utf8.count ?? 0
        }
        for part in parts {
            for (keyword, isPattern) in [("properties", false), ("patternProperties", true)] {
                for member in part[keyword]?.members.map(\.self) ?? [] {
                    guard text.utf8.count + size < Self.largestPage else { break }
                    let isRequired = !isPattern && needed.contains(ScalarKey(member.name))
                    if !isPattern { named.insert(ScalarKey(member.name)) }
                    let path = title.isEmpty ? member.name : title + "." + member.name
                    let name = mark(member.value, path) + (isPattern ? "names matching " : "") + code(member.name)
                    add(name, phrase(member.value), isRequired ? "yes" : "", meaning(member.value))
                    enqueue(member.value, path)
                }
            }
        }
        let isElsewhere =
            isForm
            || parts.contains { part in
                (Self.referenceKeywords + ["anyOf", "oneOf", "patternProperties"]).contains { part[$0] != nil }
                    || part["allOf"]?.elements.contains { $0["$ref"] != nil } == true
            }
        for name in required where named.insert(ScalarKey(name)).inserted && text.utf8.count + size < Self.largestPage {
            let other = parts.first?["additionalProperties"].map { phrase($0) } ?? "any value"
            add(code(name), isElsewhere ? "not described here" : other, "yes", "")
        }
        guard !rows.isEmpty else { return }
        if let other = parts.first.flatMap({ $0["additionalProperties"] ?? $0["unevaluatedProperties"] }) {
            rows.append("| any other | \(other.bool == false ? "not allowed" : Self.cell(phrase(other))) | | |")
        }
        text += "| member | value | required | meaning |\n|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n\n"
    }

    private func meaning(_ schema: JSONNode) -> String {
        let description = [schema["description"] ?? schema["title"]].compactMap { $0?.string }.map(plain)
        return (description + [notes(schema)]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A schema and those of its `allOf` that are written there: together they say what members a value has.
    private func parts(_ schema: JSONNode, depth: Int = 0) -> [JSONNode] {
        guard schema.kind == .object, depth < Self.deepestPhrase, !standsAlone(schema) else { return [] }
        return [schema] + (schema["allOf"]?.elements.flatMap { parts($0, depth: depth + 1) } ?? [])
    }

    /// Tells whether a schema has members to list, itself or in a form that is written there.
    private func namesMembers(_ schema: JSONNode, depth: Int = 0) -> Bool {
        guard schema.kind == .object, depth < Self.deepestPhrase, !standsAlone(schema) else { return false }
        if schema["properties"]?.count ?? 0 > 0 { return true }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = schema[keyword]?.elements.map(\.self) ?? []
            if branches.contains(where: { namesMembers($0, depth: depth + 1) }) { return true }
        }
        let others = ["then", "else"].compactMap { schema["if"] == nil ? nil : schema[$0] }
        let dependent = ["dependentSchemas", "dependencies"].flatMap { schema[$0]?.members.map(\.value) ?? [] }
        return (others + dependent).contains { namesMembers($0, depth: depth + 1) }
    }

    /// Remembers a member's schema for a section of its own where it names members, else the objects in it.
    private mutating func enqueue(_ schema: JSONNode, _ title: String, depth: Int = 0) {
        guard depth < Self.deepestPhrase, sections.count < 10_000 else { return }
        if namesMembers(schema) {
            sections.append((title, schema))
        } else {
            enqueueInner(schema, title, depth: depth)
        }
    }

    /// Remembers the objects among the elements and further members of a value.
    private mutating func enqueueInner(_ schema: JSONNode, _ title: String, depth: Int = 0) {
        guard schema.kind == .object, depth < Self.deepestPhrase, !standsAlone(schema) else { return }
        for keyword in ["prefixItems", "items"] {
            for (number, item) in (schema[keyword]?.elements.map(\.self) ?? []).enumerated() {
                enqueue(item, title + "[\(number)]", depth: depth + 1)
            }
        }
        if let items = schema["items"] { enqueue(items, title + "[]", depth: depth + 1) }
        if let other = schema["additionalProperties"] {
            enqueue(other, title.isEmpty ? "*" : title + ".*", depth: depth + 1)
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for branch in schema[keyword]?.elements.map(\.self) ?? [] {
                enqueueInner(branch, title, depth: depth + 1)
            }
        }
    }

    // MARK: Phrases

    /// The use of a phrase, which tells whether the members are listed elsewhere.
    private enum PhraseUse {
        /// The table of the members follows.
        case heading
        /// Objects with members have a section.
        case member
        /// One of several schemas for a value, which its members tell from the others.
        case branch
    }

    /// Returns the values that a schema takes, in words.
    private func phrase(_ schema: JSONNode, in use: PhraseUse = .member, depth: Int = 0) -> String {
        guard depth < Self.deepestPhrase else { return "…" }
        if let bool = schema.bool { return bool ? "any value" : "nothing" }
        let draft = draft(of: schema)
        let links = Self.referenceKeywords.compactMap { draft.knows($0) ? schema[$0]?.string : nil }.map {
            link($0, from: schema)
        }
        if standsAlone(schema) { return links.joined() }
        if let value = schema["const"] { return "exactly \(shown(value))" }
        if let values = schema["enum"] {
            let listed = values.elements.prefix(Self.mostValues).map(shown).joined(separator: ", ")
            return "one of \(listed)"
                + (values.count > Self.mostValues ? " and \(values.count - Self.mostValues) more" : "")
        }
        var parts = links
        let type = types(schema)
        let names = use == .heading ? "" : memberNames(schema, in: use)
        if !type.isEmpty || !names.isEmpty {
            parts.append([type, names].filter { !$0.isEmpty }.joined(separator: " "))
        }
        parts += strings(schema) + numbers(schema) + arrays(schema, depth)
        parts += objects(schema, in: use, depth)
        for (keyword, word) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
            guard let branches = schema[keyword], branches.count > 0 else { continue }
            let shown = branches.elements.prefix(Self.mostBranches).map { phrase($0, in: .branch, depth: depth + 1) }
            let more = branches.count - shown.count
            parts.append(shown.joined(separator: word) + (more > 0 ? "\(word)\(more) more" : ""))
        }
        if let not = schema["not"] { parts.append("but not \(phrase(not, in: .branch, depth: depth + 1))") }
        if schema["if"] != nil { parts.append("under conditions") }
        if parts.isEmpty, schema["properties"] != nil { parts = ["object"] }
        return parts.isEmpty ? "any value" : parts.joined(separator: ", ")
    }

    /// The names of an object's members where no table has them.
    private func memberNames(_ schema: JSONNode, in use: PhraseUse) -> String {
        let required = schema["required"]?.elements.compactMap(\.string) ?? []
        let members = schema["properties"]
        guard use == .branch || members?.count ?? 0 == 0 && !namesMembers(schema) else { return "" }
        var values: [ScalarKey: JSONNode] = [:]
        for member in members?.members.map(\.self) ?? [] { values[ScalarKey(member.name)] = member.value }
        func list(_ names: [String]) -> String {
            let listed = names.prefix(Self.mostBranches).map { name in
                let constant = values[ScalarKey(name)]?["const"].map { " exactly \(shown($0))" }
                return code(name) + (constant ?? "")
            }
            return listed.joined(separator: ", ") + (names.count > listed.count ? ", …" : "")
        }
        let needed = Set(required.map { ScalarKey($0) })
        let optional = (members?.members.map(\.name) ?? []).filter { !needed.contains(ScalarKey($0)) }
        let lists = [list(required), optional.isEmpty ? "" : "optionally " + list(optional)].filter { !$0.isEmpty }
        return lists.isEmpty ? "" : "with " + lists.joined(separator: ", ")
    }

    private func objects(_ schema: JSONNode, in use: PhraseUse, _ depth: Int) -> [String] {
        var parts: [String] = []
        let patterns = schema["patternProperties"]?.members.map(\.self) ?? []
        let hasTable = schema["properties"]?.count ?? 0 > 0 || use == .heading && !patterns.isEmpty
        if !hasTable {
            parts += patterns.prefix(Self.mostBranches).map {
                "members matching \(code($0.name)) each \(phrase($0.value, depth: depth + 1))"
            }
            if patterns.count > Self.mostBranches {
                parts.append("\(patterns.count - Self.mostBranches) patterns more")
            }
            if let other = schema["additionalProperties"] {
                if other.kind == .object {
                    let which = patterns.isEmpty ? "its members" : "all other members"
                    parts.append("\(which) each \(phrase(other, depth: depth + 1))")
                } else if other.bool == false, !patterns.isEmpty {
                    parts.append("no other members")
                }
            }
        }
        if let names = schema["propertyNames"] { parts.append("names each \(phrase(names, depth: depth + 1))") }
        parts += range(schema, "minProperties", "maxProperties", "member")
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let members = schema[keyword]?.members.map(\.self) ?? []
            parts += members.prefix(Self.mostBranches).map { member in
                let names = member.value.elements.compactMap(\.string).prefix(Self.mostBranches).map(code)
                let also =
                    member.value.kind == .array
                    ? names.joined(separator: ", ") : phrase(member.value, in: .branch, depth: depth + 1)
                return "where there is \(code(member.name)), also \(also)"
            }
            if members.count > Self.mostBranches {
                parts.append("\(members.count - Self.mostBranches) such rules more")
            }
        }
        return parts
    }

    private func types(_ schema: JSONNode) -> String {
        guard let type = schema["type"] else { return "" }
        return (type.string.map { [$0] } ?? type.elements.compactMap(\.string)).map(plain).joined(separator: " or ")
    }

    private func strings(_ schema: JSONNode) -> [String] {
        var parts = range(schema, "minLength", "maxLength", "character")
        if let pattern = schema["pattern"]?.string { parts.append("matching \(code(pattern))") }
        if let format = schema["format"]?.string { parts.append("format \(code(format))") }
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
        if let contained = schema["contains"] {
            let (least, most) = (schema["minContains"].map(token) ?? "1", schema["maxContains"].map(token))
            let count = most.map { $0 == least ? least : "\(least) to \($0)" } ?? "at least \(least)"
            let unit = most ?? least == "1" ? "element" : "elements"
            parts.append("\(count) \(unit) being \(phrase(contained, depth: depth + 1))")
        }
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

    // MARK: Links

    /// Returns a link to where the target of a reference is described; the reference itself where that is not on the page.
    private func link(_ reference: String, from schema: JSONNode) -> String {
        guard let target = references.target(of: reference, from: place(schema)), target.document == document else {
            return code(reference)
        }
        if target.index == 0 { return "the whole schema again" }
        if let spot = spots[target.index] { return "[\(spot.label)](#\(spot.anchor))" }
        return enclosing[target.index].map { "[\(code(reference))](#\($0))" } ?? code(reference)
    }

    private func place(_ schema: JSONNode) -> SchemaRegistry.Place {
        SchemaRegistry.Place(document: document, index: schema.index)
    }

    private func draft(of schema: JSONNode) -> JSONSchemaDraft {
        registry.owner(place(schema)).map { registry.resources[$0].draft } ?? draft
    }

    /// Tells whether a schema is a reference beside which its draft ignores all else.
    private func standsAlone(_ schema: JSONNode) -> Bool {
        schema["$ref"]?.string != nil && draft(of: schema).referenceStandsAlone
    }

    /// Finds the definitions, and those in schemas that are embedded as definitions.
    private mutating func collect(_ schema: JSONNode, anchor: String, name: String) {
        for keyword in Self.definitionKeywords {
            for member in schema[keyword]?.members.map(\.self) ?? [] {
                let anchor = anchor + Self.anchor(keyword, member.name)
                let name = name.isEmpty ? member.name : name + " " + member.name
                spots[member.value.index] = Spot(label: plain(name), anchor: anchor, end: member.value.end)
                definitions.append((name, anchor, member.value))
                guard anchor.utf8.count < 1_000, definitions.count < 100_000 else { continue }
                collect(member.value, anchor: anchor + "-", name: name)
            }
        }
    }

    /// Finds the schemas that references lead to and that are no definitions.
    private func findTargets(_ schema: JSONNode, _ found: inout Set<Int>) {
        for keyword in Self.referenceKeywords {
            guard let text = schema[keyword]?.string, let target = references.target(of: text, from: place(schema)),
                target.document == document, target.index != 0, spots[target.index] == nil
            else { continue }
            found.insert(target.index)
        }
        let draft = draft(of: schema)
        for member in schema.members {
            for child in Subschemas.children(of: member.name, member.value, draft) { findTargets(child, &found) }
        }
    }

    /// Finds what the targets without a place of their own are in.
    private mutating func findEnclosing() {
        let order = spots.sorted { $0.key < $1.key }
        var open: [Spot] = []
        var next = 0
        for target in targets {
            while next < order.count, order[next].key <= target {
                while let last = open.last, last.end <= order[next].key { open.removeLast() }
                open.append(order[next].value)
                next += 1
            }
            while let last = open.last, last.end <= target { open.removeLast() }
            enclosing[target] = open.last?.anchor
        }
    }

    /// Returns the anchor of a schema with a target in it, once; nothing for others.
    private mutating func mark(_ schema: JSONNode, _ title: String) -> String {
        var range = targets.startIndex..<targets.endIndex
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = targets[middle] < schema.index ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        guard range.lowerBound < targets.endIndex, targets[range.lowerBound] < schema.end,
            marked.insert(schema.index).inserted
        else { return "" }
        var anchor =
            spots[schema.index]?.anchor ?? "member-" + Self.anchor(String(title.prefix(200)), keeping: [0x2D, 0x5F])
        if spots[schema.index] == nil {
            if !anchors.insert(anchor).inserted { anchor += "-\(schema.index)" }
            spots[schema.index] = Spot(label: code(title), anchor: anchor, end: schema.end)
        }
        return "<a id=\"\(anchor)\"></a>"
    }

    // MARK: Text

    private static func anchor(_ keyword: String, _ name: String) -> String {
        (keyword == "$defs" ? "defs-" : "definitions-") + anchor(name, keeping: [0x2D, 0x5F])
    }

    private static func anchor(_ name: String, keeping kept: Set<UInt8>) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: text.unicodeScalars.append(Unicode.Scalar(byte))
            case _ where kept.contains(byte): text.unicodeScalars.append(Unicode.Scalar(byte))
            default: text += "." + String(byte, radix: 16)
            }
        }
        return text
    }

    private func token(_ node: JSONNode) -> String { String(decoding: node.encoded(.compact), as: UTF8.self) }

    private func shown(_ value: JSONNode) -> String { code(token(value)) }

    /// Returns text for a table, where a bar ends a cell even in code.
    private static func cell(_ text: String) -> String {
        text.split(separator: "|", omittingEmptySubsequences: false).joined(separator: "\\|")
    }

    /// Returns text as a code span in one line, not too long.
    private func code(_ text: String) -> String {
        let shown = Self.escaped(text, limit: 200, [:])
        guard !shown.isEmpty else { return "`\"\"`" }
        // The span ends at as many backticks as it begins with, and loses a space at each end.
        var longest = 0
        var run = 0
        for byte in shown.utf8 {
            run = byte == 0x60 ? run + 1 : 0
            longest = max(longest, run)
        }
        let fence = String(repeating: "`", count: longest + 1)
        let isOpen = shown.hasPrefix("`") || shown.hasSuffix("`") || shown.hasPrefix(" ") && shown.hasSuffix(" ")
        let room = isOpen ? " " : ""
        return fence + room + shown + room + fence
    }

    /// Returns text that is no code and no HTML, in one line.
    private func plain(_ text: String) -> String { Self.escaped(text, limit: 2_000, ["<": "&lt;"]) }

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
