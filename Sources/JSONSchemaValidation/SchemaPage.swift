public import StrictJSON

extension JSONSchema {
    /// Describes a schema for people, as a page of Markdown: what each member is, which are required, also under
    /// conditions, and each definition.
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
        text += "Value: \(phrase(schema, in: .heading) + conditions(schema)).\n\n"
        let notes = notes(schema)
        if !notes.isEmpty { text += notes + "\n\n" }
        writeMembers(schema, title: title)
        enqueueInner(schema, title)
    }

    // MARK: Members

    /// Writes the members that a schema names, those of its `allOf` included, then those of each form it may have, and
    /// what it asks for under conditions.
    private mutating func writeMembers(_ schema: JSONNode, title: String, _ context: MemberContext = MemberContext()) {
        let parts = parts(schema)
        if context.isTableNeeded { writeTable(parts, title: title, context) }
        var inner = context
        inner.isTableNeeded = true
        for part in parts {
            inner.named.formUnion(self[part, "properties"]?.members.map { ScalarKey($0.name) } ?? [])
            inner.required.formUnion(required(part).map { ScalarKey($0) })
            if let names = closedNames(part) { inner.closed.append(names) }
        }
        for (number, part) in parts.enumerated() {
            for keyword in ["anyOf", "oneOf"] {
                let branches = self[part, keyword]?.elements.map(\.self) ?? []
                for (position, branch) in branches.enumerated() {
                    writeForm(branch, "Form \(position + 1) of \(branches.count)", title: title, inner)
                }
            }
            // The text above has the meaning of the first part.
            let note = number > 0 && hasRules(part) ? meaning(part) : ""
            if !note.isEmpty { text += note + "\n\n" }
            writeRules(part, title: title, inner)
            for keyword in ["dependentSchemas", "dependencies"] {
                for member in self[part, keyword]?.members.map(\.self) ?? [] {
                    writeForm(member.value, "With \(code(member.name))", title: title, inner)
                }
            }
        }
    }

    /// The text above about the value whose members are described.
    private struct MemberContext {
        /// The members that tables above have.
        var named: Set<ScalarKey> = []
        /// The members that the value has in any case.
        var required: Set<ScalarKey> = []
        /// For each schema that allows no other members, those that it allows.
        var closed: [Set<ScalarKey>] = []
        /// The conditions under which the schema applies, each with "if" or "unless" before it.
        var conditions: [String] = []
        /// The number of forms in forms.
        var depth = 0
        var isTableNeeded = true
    }

    private mutating func writeForm(_ branch: JSONNode, _ word: String, title: String, _ context: MemberContext) {
        guard namesMembers(branch), text.utf8.count < Self.largestPage else { return }
        let meaning = meaning(branch)
        var inner = context
        inner.depth += 1
        let isLast = inner.depth == Self.deepestPhrase
        let words = isLast ? phrase(branch, in: .branch) : phrase(branch, in: .form) + conditions(branch)
        text += "**\(word):** \(words).\(meaning.isEmpty ? "" : " " + meaning)\n\n"
        if !isLast { writeMembers(branch, title: title, inner) }
    }

    /// Writes what `then` and `else` ask for, each under its condition.
    private mutating func writeRules(_ part: JSONNode, title: String, _ context: MemberContext) {
        guard let condition = condition(part, context.required) else { return }
        for (keyword, word) in [("then", "if"), ("else", "unless")] {
            guard let branch = self[part, keyword], text.utf8.count < Self.largestPage else { continue }
            let parts = parts(branch)
            var inner = context
            inner.conditions.append("\(word) \(condition)")
            inner.isTableNeeded = parts.contains { needsTable($0) }
            var phrases = branch.bool == nil ? phrases(branch, in: .rule) : []
            if branch.bool == false { phrases = ["no value is allowed"] }
            let meaning = meaning(branch)
            if !phrases.isEmpty || !meaning.isEmpty || inner.isTableNeeded {
                let head = inner.conditions.joined(separator: ", ")
                let words = phrases.joined(separator: ", ") + (phrases.isEmpty ? "" : conditions(branch))
                let rule = words.isEmpty ? "" : " " + words + "."
                text += "**\(head.prefix(1).uppercased() + head.dropFirst()):**\(rule)"
                text += (meaning.isEmpty ? "" : " " + meaning) + "\n\n"
            }
            writeMembers(branch, title: title, inner)
        }
    }

    /// Tells whether a schema says more of members than which there must and must not be.
    private func needsTable(_ schema: JSONNode) -> Bool {
        guard let members = self[schema, "properties"], members.count > 0 else {
            return self[schema, "patternProperties"]?.count ?? 0 > 0
        }
        let others = ["patternProperties", "additionalProperties", "unevaluatedProperties"]
        return others.contains { self[schema, $0] != nil } || members.members.contains { $0.value.bool == nil }
    }

    private func required(_ schema: JSONNode) -> [String] {
        self[schema, "required"]?.elements.compactMap(\.string) ?? []
    }

    private mutating func writeTable(_ parts: [JSONNode], title: String, _ context: MemberContext) {
        let required = parts.flatMap { self.required($0) }
        let needed = Set(required.map { ScalarKey($0) })
        let closed = context.closed + parts.compactMap { closedNames($0) }
        var named: Set<ScalarKey> = []
        var rows: [String] = []
        var size = 0
        func add(_ cells: String...) {
            rows.append("| " + cells.map(Self.cell).joined(separator: " | ") + " |")
            size += rows.last?.utf8.count ?? 0
        }
        for part in parts {
            for (keyword, isPattern) in [("properties", false), ("patternProperties", true)] {
                for member in self[part, keyword]?.members.map(\.self) ?? [] {
                    guard text.utf8.count + size < Self.largestPage else { break }
                    let key = ScalarKey(member.name)
                    let isRequired = !isPattern && needed.contains(key)
                    if !isPattern { named.insert(key) }
                    let path = title.isEmpty ? member.name : title + "." + member.name
                    let name = mark(member.value, path) + (isPattern ? "names matching " : "") + code(member.name)
                    let isAllowed = isPattern || member.value.bool != false && closed.allSatisfy { $0.contains(key) }
                    let value = isAllowed ? phrase(member.value) : "not allowed"
                    add(name, value, isRequired ? "yes" : "", meaning(member.value))
                    enqueue(member.value, path)
                }
            }
        }
        let isElsewhere =
            context.depth > 0 || !context.conditions.isEmpty
            || parts.contains { part in
                (Self.referenceKeywords + ["anyOf", "oneOf", "patternProperties"]).contains { self[part, $0] != nil }
                    || self[part, "allOf"]?.elements.contains { $0["$ref"] != nil } == true
            }
        for name in required where named.insert(ScalarKey(name)).inserted && text.utf8.count + size < Self.largestPage {
            let other = parts.first.flatMap { self[$0, "additionalProperties"] }.map { phrase($0) } ?? "any value"
            let isAbove = context.named.contains(ScalarKey(name))
            add(code(name), isAbove ? "as above" : isElsewhere ? "not described here" : other, "yes", "")
        }
        guard !rows.isEmpty else { return }
        if let (which, value) = others(parts) { rows.append("| \(Self.cell(which)) | \(Self.cell(value)) | | |") }
        text += "| member | value | required | meaning |\n|---|---|---|---|\n" + rows.joined(separator: "\n") + "\n\n"
    }

    /// Returns the names that a schema allows where it allows no others; nil where it does, or where patterns decide.
    private func closedNames(_ schema: JSONNode) -> Set<ScalarKey>? {
        guard self[schema, "additionalProperties"]?.bool == false,
            self[schema, "patternProperties"]?.count ?? 0 == 0
        else { return nil }
        return Set(self[schema, "properties"]?.members.map { ScalarKey($0.name) } ?? [])
    }

    /// Returns which further members the parts of a schema speak of, and what they take.
    private func others(_ parts: [JSONNode]) -> (which: String, value: String)? {
        let additional = parts.compactMap { self[$0, "additionalProperties"] }
        if additional.contains(where: { $0.bool == false }) { return ("any other", "not allowed") }
        if let first = additional.first(where: { $0.bool == nil }) ?? additional.first {
            return ("any other", phrase(first))
        }
        guard let other = parts.first.flatMap({ self[$0, "unevaluatedProperties"] }) else { return nil }
        var places = parts.flatMap { links($0) }.map { "in \($0)" }
        let forms = ["anyOf", "oneOf", "if", "dependentSchemas", "dependencies"]
        if parts.contains(where: { part in forms.contains { self[part, $0] != nil } }) {
            places.append("in a form or under a condition that applies")
        }
        let value = other.bool == false ? "not allowed" : phrase(other)
        guard let last = places.popLast() else { return ("any other", value) }
        return ("any that is not named " + (["here"] + places).joined(separator: ", ") + " or \(last)", value)
    }

    private func meaning(_ schema: JSONNode) -> String {
        let description = [schema["description"] ?? schema["title"]].compactMap { $0?.string }.map(plain)
        return (description + [notes(schema)]).filter { !$0.isEmpty }.joined(separator: " ")
    }

    /// A schema and those of its `allOf` that are written there: together they say what members a value has.
    private func parts(_ schema: JSONNode, depth: Int = 0) -> [JSONNode] {
        guard schema.kind == .object, depth < Self.deepestPhrase, !standsAlone(schema) else { return [] }
        return [schema] + (self[schema, "allOf"]?.elements.flatMap { parts($0, depth: depth + 1) } ?? [])
    }

    /// Tells whether a schema has members to list, itself or in a form that is written there.
    private func namesMembers(_ schema: JSONNode, depth: Int = 0) -> Bool {
        guard schema.kind == .object, depth < Self.deepestPhrase, !standsAlone(schema) else { return false }
        if self[schema, "properties"]?.count ?? 0 > 0 { return true }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let branches = self[schema, keyword]?.elements.map(\.self) ?? []
            if branches.contains(where: { namesMembers($0, depth: depth + 1) }) { return true }
        }
        let others = ["then", "else"].compactMap { self[schema, "if"] == nil ? nil : self[schema, $0] }
        let dependent = ["dependentSchemas", "dependencies"].flatMap { self[schema, $0]?.members.map(\.value) ?? [] }
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
            for (number, item) in (self[schema, keyword]?.elements.map(\.self) ?? []).enumerated() {
                enqueue(item, title + "[\(number)]", depth: depth + 1)
            }
        }
        for keyword in ["items", "additionalItems", "unevaluatedItems"] {
            if let items = self[schema, keyword] { enqueue(items, title + "[]", depth: depth + 1) }
        }
        for keyword in ["additionalProperties", "unevaluatedProperties"] {
            if let other = self[schema, keyword] {
                enqueue(other, title.isEmpty ? "*" : title + ".*", depth: depth + 1)
            }
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            for branch in self[schema, keyword]?.elements.map(\.self) ?? [] {
                enqueueInner(branch, title, depth: depth + 1)
            }
        }
        for keyword in ["then", "else"] where self[schema, "if"] != nil {
            if let branch = self[schema, keyword] { enqueueInner(branch, title, depth: depth + 1) }
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
        /// A branch whose members and conditions follow.
        case form
        /// The members that a condition requires and forbids.
        case rule

        /// A condition, which says itself what the members have to be.
        case condition

        /// True if the conditions in the schema follow.
        var isHead: Bool { self == .heading || self == .form || self == .rule }
    }

    /// Returns the values that a schema takes, in words.
    private func phrase(_ schema: JSONNode, in use: PhraseUse = .member, depth: Int = 0) -> String {
        guard depth < Self.deepestPhrase else { return "…" }
        if let bool = schema.bool { return bool ? "any value" : "nothing" }
        let phrases = phrases(schema, in: use, depth: depth)
        return phrases.isEmpty ? "any value" : phrases.joined(separator: ", ")
    }

    /// Returns what a schema asks for, in words; nothing where it asks for nothing.
    private func phrases(_ schema: JSONNode, in use: PhraseUse, depth: Int = 0) -> [String] {
        if standsAlone(schema) { return [links(schema).joined()] }
        if let constants = constants(schema) { return [constants] }
        var phrases = links(schema)
        let type = types(schema)
        let names = use == .heading ? "" : memberNames(schema, in: use)
        if !type.isEmpty || !names.isEmpty {
            phrases.append([type, names].filter { !$0.isEmpty }.joined(separator: " "))
        }
        phrases += strings(schema) + numbers(schema) + arrays(schema, depth)
        phrases += objects(schema, in: use, depth)
        for (keyword, word) in [("anyOf", " or "), ("oneOf", " or "), ("allOf", " and ")] {
            var branches = self[schema, keyword]?.elements.map(\.self) ?? []
            let inner: PhraseUse = keyword == "allOf" && use.isHead ? (use == .heading ? .form : use) : .branch
            if inner != .branch { branches.removeAll { isCondition($0) } }
            guard !branches.isEmpty else { continue }
            let shown = branches.prefix(Self.mostBranches).map { branch in
                let words = phrase(branch, in: inner, depth: depth + 1)
                return branches.count > 1 ? Self.grouped(words) : words
            }
            let more = branches.count - shown.count
            let either = keyword == "oneOf" && branches.count > 1 ? "either " : ""
            phrases.append(either + shown.joined(separator: word) + (more > 0 ? "\(word)\(more) more" : ""))
        }
        phrases += others(schema, in: use, depth)
        if let not = self[schema, "not"] { phrases.append("but not \(forbidden(not, depth + 1))") }
        let rules = rules(schema, in: use, depth)
        if phrases.isEmpty, rules.isEmpty, self[schema, "properties"] != nil { phrases = ["object"] }
        return phrases + rules
    }

    /// Returns the values that a `not` refuses, in words.
    private func forbidden(_ schema: JSONNode, _ depth: Int) -> String {
        let names = required(schema)
        // Each of the names alone is allowed.
        if schema.count == 1, names.count > 1, names.count <= Self.mostBranches {
            return "with " + names.map(code).joined(separator: " and ") + " together"
        }
        return Self.grouped(phrase(schema, in: .branch, depth: depth))
    }

    /// Returns words that stand among others: in brackets where it would be unclear how far they go.
    private static func grouped(_ words: String) -> String {
        let outside = withoutCode(words)
        let isCompound = [", ", " or ", " and ", "; "].contains { outside.contains($0) }
        return isCompound || words.hasPrefix("but not ") ? "(\(words))" : words
    }

    /// Returns text without its code spans, each of which ends with as many backticks as it begins with.
    private static func withoutCode(_ text: String) -> String {
        var outside: [UInt8] = []
        var (open, run) = (0, 0)
        for byte in text.utf8 {
            if byte == 0x60 {
                run += 1
                continue
            }
            if run > 0 { open = open == 0 ? run : open == run ? 0 : open }
            run = 0
            if open == 0 { outside.append(byte) }
        }
        return String(decoding: outside, as: UTF8.self)
    }

    /// Returns a constant or list of constants, in words; nil where a schema has none.
    private func constants(_ schema: JSONNode) -> String? {
        if let value = self[schema, "const"] { return "exactly \(shown(value))" }
        guard let values = self[schema, "enum"] else { return nil }
        let listed = values.elements.prefix(Self.mostValues).map(shown).joined(separator: ", ")
        let more = values.count - Self.mostValues
        return "one of \(listed)" + (more > 0 ? " and \(more) more" : "")
    }

    /// The names of an object's members where no table has them.
    private func memberNames(_ schema: JSONNode, in use: PhraseUse) -> String {
        let required = required(schema)
        let members = self[schema, "properties"]?.members.map(\.self) ?? []
        guard use != .member || members.isEmpty && !namesMembers(schema) else { return "" }
        var values: [ScalarKey: JSONNode] = [:]
        for member in members { values[ScalarKey(member.name)] = member.value }
        func list(_ names: [String]) -> String {
            let listed = names.prefix(use == .rule ? .max : Self.mostBranches).map { name in
                let constant = values[ScalarKey(name)].flatMap { self[$0, "const"] }.map { " exactly \(shown($0))" }
                return code(name) + (constant ?? "")
            }
            return listed.joined(separator: ", ") + (names.count > listed.count ? ", …" : "")
        }
        let needed = Set(required.map { ScalarKey($0) })
        let optional = members.filter { $0.value.bool != false && !needed.contains(ScalarKey($0.name)) }.map(\.name)
        let forbidden = members.filter { $0.value.bool == false }.map(\.name)
        var lists = required.isEmpty ? [] : ["with " + list(required)]
        if !optional.isEmpty { lists.append((lists.isEmpty ? "optionally with " : "optionally ") + list(optional)) }
        if !forbidden.isEmpty { lists.append("without " + list(forbidden)) }
        return lists.joined(separator: ", ")
    }

    private func objects(_ schema: JSONNode, in use: PhraseUse, _ depth: Int) -> [String] {
        var parts: [String] = []
        let patterns = self[schema, "patternProperties"]?.members.map(\.self) ?? []
        if !hasTable(schema, in: use) {
            parts += patterns.prefix(Self.mostBranches).map {
                "members matching \(code($0.name)) each \(Self.grouped(phrase($0.value, depth: depth + 1)))"
            }
            if patterns.count > Self.mostBranches {
                parts.append("\(patterns.count - Self.mostBranches) patterns more")
            }
        }
        if let names = self[schema, "propertyNames"] {
            parts.append("names each \(Self.grouped(phrase(names, depth: depth + 1)))")
        }
        parts += range(schema, "minProperties", "maxProperties", "member")
        for keyword in ["dependentRequired", "dependentSchemas", "dependencies"] {
            let members = (self[schema, keyword]?.members.map(\.self) ?? []).filter {
                $0.value.kind != .array || $0.value.count > 0
            }
            parts += members.prefix(Self.mostBranches).map { member in
                let names = member.value.elements.compactMap(\.string).prefix(Self.mostBranches).map(code)
                let also =
                    member.value.kind == .array
                    ? names.joined(separator: ", ")
                    : Self.grouped(phrase(member.value, in: .branch, depth: depth + 1))
                return "where there is \(code(member.name)), also \(also)"
            }
            if members.count > Self.mostBranches {
                parts.append("\(members.count - Self.mostBranches) such rules more")
            }
        }
        return parts
    }

    /// Tells whether a table, here or in a section, says what members there are.
    private func hasTable(_ schema: JSONNode, in use: PhraseUse) -> Bool {
        if use == .condition { return false }
        return self[schema, "properties"]?.count ?? 0 > 0
            || use == .heading && self[schema, "patternProperties"]?.count ?? 0 > 0
    }

    /// Returns what a schema says of members and elements that it does not name.
    private func others(_ schema: JSONNode, in use: PhraseUse, _ depth: Int) -> [String] {
        var parts: [String] = []
        let namesMembers = ["properties", "patternProperties"].contains { self[schema, $0]?.count ?? 0 > 0 }
        if let other = self[schema, "additionalProperties"] {
            if !hasTable(schema, in: use) {
                if other.kind == .object {
                    let which = namesMembers ? "all other members" : "its members"
                    parts.append("\(which) each \(Self.grouped(phrase(other, depth: depth + 1)))")
                } else if other.bool == false {
                    parts.append(namesMembers ? "no other members" : "no members")
                }
            }
        } else if let other = self[schema, "unevaluatedProperties"], other.bool != true {
            let isOnly = !appliesOthers(schema)
            if !isOnly || !hasTable(schema, in: use) {
                let which = isOnly && !namesMembers ? "members" : "other members"
                let value = Self.grouped(phrase(other, depth: depth + 1))
                parts.append(other.bool == false ? "no \(which)" : "all \(which) each \(value)")
            }
        }
        let items = self[schema, "items"]
        if let other = self[schema, "unevaluatedItems"], other.bool != true,
            items == nil || items?.kind == .array && self[schema, "additionalItems"] == nil
        {
            let rest = "all other elements \(Self.grouped(phrase(other, depth: depth + 1)))"
            parts.append(other.bool == false ? "no other elements" : rest)
        }
        return parts
    }

    /// Tells whether a schema applies others to the same value, which may name members.
    private func appliesOthers(_ schema: JSONNode) -> Bool {
        let keywords = ["allOf", "anyOf", "oneOf", "if", "dependentSchemas", "dependencies"]
        return (Self.referenceKeywords + keywords).contains { self[schema, $0] != nil }
    }

    private func types(_ schema: JSONNode) -> String {
        guard let type = self[schema, "type"] else { return "" }
        return (type.string.map { [$0] } ?? type.elements.compactMap(\.string)).map(plain).joined(separator: " or ")
    }

    private func strings(_ schema: JSONNode) -> [String] {
        var parts = range(schema, "minLength", "maxLength", "character")
        if let pattern = self[schema, "pattern"]?.string { parts.append("matching \(code(pattern))") }
        if let format = self[schema, "format"]?.string { parts.append("format \(code(format))") }
        return parts
    }

    private func numbers(_ schema: JSONNode) -> [String] {
        var parts: [String] = []
        for (keyword, word, flag) in [("minimum", "at least", "above"), ("maximum", "at most", "below")] {
            let exclusive = "exclusive" + keyword.prefix(1).uppercased() + keyword.dropFirst()
            if let bound = self[schema, keyword] {
                parts.append("\(self[schema, exclusive]?.bool == true ? flag : word) \(plain(token(bound)))")
            }
            if let bound = self[schema, exclusive], bound.kind == .number {
                parts.append("\(flag) \(plain(token(bound)))")
            }
        }
        if let divisor = self[schema, "multipleOf"] { parts.append("a multiple of \(plain(token(divisor)))") }
        return parts
    }

    private func arrays(_ schema: JSONNode, _ depth: Int) -> [String] {
        var parts: [String] = []
        let prefix = self[schema, "prefixItems"] ?? self[schema, "items"].flatMap { $0.kind == .array ? $0 : nil }
        if let prefix, prefix.kind == .array {
            let first = prefix.elements.prefix(8).map { Self.grouped(phrase($0, depth: depth + 1)) }
                .joined(separator: "; ")
            parts.append("first \(first)" + (prefix.count > 8 ? "; …" : ""))
        }
        if let items = self[schema, "items"], items.kind != .array {
            let words = Self.grouped(phrase(items, depth: depth + 1))
            parts.append("\(prefix == nil ? "elements" : "then") \(words)")
        } else if self[schema, "items"] != nil, let items = self[schema, "additionalItems"] {
            parts.append("then \(Self.grouped(phrase(items, depth: depth + 1)))")
        }
        parts += range(schema, "minItems", "maxItems", "element")
        if let contained = self[schema, "contains"] {
            let (least, most) = (self[schema, "minContains"].map(token) ?? "1", self[schema, "maxContains"].map(token))
            let count = most.map { $0 == least ? least : "\(least) to \($0)" } ?? "at least \(least)"
            let unit = most ?? least == "1" ? "element" : "elements"
            parts.append("\(count) \(unit) being \(Self.grouped(phrase(contained, depth: depth + 1)))")
        }
        if self[schema, "uniqueItems"]?.bool == true { parts.append("without duplicates") }
        return parts
    }

    private func range(_ schema: JSONNode, _ least: String, _ most: String, _ unit: String) -> [String] {
        let (low, high) = (self[schema, least].map(token), self[schema, most].map(token))
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

    // MARK: Conditions

    /// Tells whether a schema does nothing but ask for something under a condition.
    private func isCondition(_ schema: JSONNode) -> Bool {
        guard hasRules(schema) else { return false }
        let draft = draft(of: schema)
        let silent: Set<String> = ["if", "then", "else", "title", "description", "$comment"]
        return schema.members.allSatisfy { silent.contains($0.name) || !draft.knows($0.name) }
    }

    /// Tells whether a schema asks for something under a condition.
    private func hasRules(_ schema: JSONNode) -> Bool {
        self[schema, "if"] != nil && (self[schema, "then"] != nil || self[schema, "else"] != nil)
    }

    /// Returns the end of a phrase that says whether the conditions of a schema follow.
    private func conditions(_ schema: JSONNode) -> String {
        parts(schema).contains { hasRules($0) } ? ", under the conditions below" : ""
    }

    /// Returns what a schema asks for under conditions, in words, where they do not follow.
    private func rules(_ schema: JSONNode, in use: PhraseUse, _ depth: Int) -> [String] {
        guard !use.isHead, hasRules(schema) else { return [] }
        // Such a member has a section.
        if use == .member, namesMembers(schema) { return ["under conditions"] }
        let needed = Set(required(schema).map { ScalarKey($0) })
        guard let condition = condition(schema, needed, depth + 1) else { return [] }
        let met = self[schema, "then"].map { Self.grouped(phrase($0, in: .branch, depth: depth + 1)) }
        let unmet = self[schema, "else"].map { Self.grouped(phrase($0, in: .branch, depth: depth + 1)) }
        guard let met else { return unmet.map { ["unless \(condition), also \($0)"] } ?? [] }
        return ["where \(condition), also \(met)" + (unmet.map { ", otherwise \($0)" } ?? "")]
    }

    /// A part of a condition: what a value, or a member of it, has to be.
    private struct Clause {
        let subject: String
        /// The requirement behind "is"; the whole sentence where there is no subject.
        let words: String
        /// True if a member may be absent as well.
        var isOptional = false

        var text: String {
            subject.isEmpty ? words : "\(subject) is \(isOptional ? "absent or " : "")\(words)"
        }

        /// The clauses that are met together where this one is not.
        var negated: [Clause] {
            if subject.isEmpty {
                // Alternatives are in brackets already.
                return [Clause(subject: "", words: "not " + (words.hasPrefix("(") ? words : "(\(words))"))]
            }
            switch words {
            case "present": return [Clause(subject: subject, words: "absent")]
            case "absent": return [Clause(subject: subject, words: "present")]
            default:
                let isOne = words.hasPrefix("one of ") || !words.contains(",")
                let not = Clause(subject: subject, words: isOne ? "not \(words)" : "not (\(words))")
                return isOptional ? [Clause(subject: subject, words: "present"), not] : [not]
            }
        }
    }

    /// Returns when the `if` of a schema is met, in words; nil where the schema has none.
    ///
    /// - Parameter required: The members that are there in any case.
    private func condition(_ schema: JSONNode, _ required: Set<ScalarKey>, _ depth: Int = 0) -> String? {
        self[schema, "if"].map { Self.joined(clauses($0, of: "", required, depth), " and ") }
    }

    /// Returns what a value has to be to meet a schema.
    ///
    /// - Parameters:
    ///   - path: The names that lead to the value, with points between them; empty for the value itself.
    ///   - required: The members that are there in any case.
    private func clauses(_ schema: JSONNode, of path: String, _ required: Set<ScalarKey>, _ depth: Int) -> [Clause] {
        let subject = path.isEmpty ? "the value" : code(path)
        guard depth < Self.deepestPhrase else { return [Clause(subject: subject, words: "…")] }
        if let bool = schema.bool { return [Clause(subject: subject, words: bool ? "any value" : "nothing")] }
        if standsAlone(schema) { return links(schema).map { Clause(subject: subject, words: $0) } }
        if let constants = constants(schema) { return [Clause(subject: subject, words: constants)] }
        var clauses = memberClauses(schema, of: path, required, depth)
        let type = types(schema)
        // Only objects have members.
        var words = links(schema) + (type.isEmpty || type == "object" && !clauses.isEmpty ? [] : [type])
        words += strings(schema) + numbers(schema)
        if !words.isEmpty { clauses.insert(Clause(subject: subject, words: words.joined(separator: ", ")), at: 0) }
        let parts = arrays(schema, depth) + objects(schema, in: .condition, depth)
        let content = (parts + others(schema, in: .condition, depth)).joined(separator: ", ")
        if !content.isEmpty { clauses.append(Clause(subject: "", words: "\(subject) has \(content)")) }
        for branch in self[schema, "allOf"]?.elements.map(\.self) ?? [] {
            clauses += self.clauses(branch, of: path, required, depth + 1)
        }
        for keyword in ["anyOf", "oneOf"] {
            let branches = self[schema, keyword]?.elements.map(\.self) ?? []
            guard !branches.isEmpty else { continue }
            let texts = branches.prefix(Self.mostBranches).map { branch in
                let inner = self.clauses(branch, of: path, required, depth + 1)
                return inner.count > 1 ? "(\(Self.joined(inner, " and ")))" : Self.joined(inner, " and ")
            }
            let more = branches.count > texts.count ? " or …" : ""
            let either = keyword == "oneOf" && branches.count > 1 ? "either " : ""
            clauses.append(Clause(subject: "", words: "(\(either)\(texts.joined(separator: " or "))\(more))"))
        }
        if let not = self[schema, "not"] {
            let inner = self.clauses(not, of: path, required, depth + 1)
            let all = Clause(subject: "", words: "not (\(Self.joined(inner, " and ")))")
            clauses += inner.count == 1 ? inner[0].negated : [all]
        }
        if hasRules(schema) { clauses.append(Clause(subject: "", words: "its own conditions are met")) }
        return clauses.isEmpty ? [Clause(subject: subject, words: "any value")] : clauses
    }

    /// Returns what the members of a value have to be to meet a schema.
    private func memberClauses(
        _ schema: JSONNode,
        of path: String,
        _ required: Set<ScalarKey>,
        _ depth: Int
    ) -> [Clause] {
        var clauses: [Clause] = []
        let names = self.required(schema)
        let needed = required.union(names.map { ScalarKey($0) })
        var described: Set<ScalarKey> = []
        for member in self[schema, "properties"]?.members.map(\.self) ?? [] where member.value.bool != true {
            let inner = path.isEmpty ? member.name : path + "." + member.name
            let isNeeded = needed.contains(ScalarKey(member.name))
            if member.value.bool == false {
                clauses.append(Clause(subject: code(inner), words: "absent"))
                continue
            }
            let own = self.clauses(member.value, of: inner, [], depth + 1)
            if isNeeded {
                clauses += own
                // A member with a "not" rule alone may be absent.
                let isSaid = own.contains { $0.subject == code(inner) && !$0.isOptional && !$0.words.hasPrefix("not ") }
                if isSaid { described.insert(ScalarKey(member.name)) }
            } else if own.count == 1, own[0].subject == code(inner) {
                clauses.append(Clause(subject: own[0].subject, words: own[0].words, isOptional: true))
            } else {
                let words = "(\(code(inner)) is absent or \(Self.joined(own, " and ")))"
                clauses.append(Clause(subject: "", words: words))
            }
        }
        for name in names where described.insert(ScalarKey(name)).inserted {
            clauses.append(Clause(subject: code(path.isEmpty ? name : path + "." + name), words: "present"))
        }
        return clauses
    }

    private static func joined(_ clauses: [Clause], _ word: String) -> String {
        clauses.map(\.text).joined(separator: word)
    }

    // MARK: Links

    /// Returns what the references of a schema lead to, as links.
    private func links(_ schema: JSONNode) -> [String] {
        Self.referenceKeywords.compactMap { self[schema, $0]?.string }.map { link($0, from: schema) }
    }

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

    /// A keyword's value; nil where the schema's draft has no such keyword, for then the member is a note.
    private subscript(schema: JSONNode, keyword: String) -> JSONNode? {
        guard let value = schema[keyword], draft(of: schema).knows(keyword) else { return nil }
        return value
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
