public import StrictJSON

extension JSONSchema {
    /// Looks for what is allowed in a schema and probably not meant.
    ///
    /// - Parameters:
    ///   - schema: The schema document.
    ///   - uri: Where it was found.
    ///   - registry: The schemas that references lead to; nothing is fetched.
    ///   - file: The file's name, for the findings.
    /// - Returns: What `review` finds, and warnings: `schema.unused-definition`, `schema.no-effect`, `schema.never-valid`,
    ///   `schema.default`, `schema.pattern-differs`; in document order, at most 1,000.
    /// - Throws: As `init`.
    public static func lint(
        _ schema: JSONDocument,
        uri: String? = nil,
        registry: SchemaRegistry = SchemaRegistry(),
        file: String?
    ) throws(SchemaError) -> [Diagnostic] {
        let compiled = try JSONSchema(schema, uri: uri, registry: registry)
        var linter = SchemaLinter(compiled.program, schema, file: file)
        linter.run()
        let found = review(schema, file: file, draft: registry.defaultDraft) + linter.warnings
        let order = found.enumerated().sorted {
            ($0.element.position?.offset ?? 0, $0.offset) < ($1.element.position?.offset ?? 0, $1.offset)
        }
        return order.prefix(1_000).map(\.element)
    }
}

/// Goes over the subschemas of a document.
private struct SchemaLinter {
    /// The most warnings that are kept, in document order of the schemas that they are about.
    private static let most = 1_000

    private var found: [(code: String, message: String, node: JSONNode)] = []
    private let program: SchemaProgram
    private let schema: JSONDocument
    private let file: String?
    private let document: Int
    /// The places of the document that the program applies, or that other registered schemas refer to.
    private let applied: [Int]
    /// The number of each of them in the program; of one that is only a reference, that of what it leads to.
    private let numbers: [Int: Int32]
    /// True if a schema may look at what an `if` has evaluated.
    private let hasUnevaluated: Bool

    init(_ program: SchemaProgram, _ schema: JSONDocument, file: String?) {
        self.program = program
        self.schema = schema
        self.file = file
        let document = program.registry.documents.lastIndex { $0.document.bytes == schema.bytes } ?? 0
        self.document = document
        let all = program.places.enumerated().map { ($0.element, Int32($0.offset)) } + program.loneReferences.map { $0 }
        let here = all.filter { $0.0.document == document }.map { ($0.0.index, $0.1) }
        numbers = Dictionary(here) { first, _ in first }
        applied = Set(numbers.keys).union(Self.referredTo(in: document, program.registry)).sorted()
        hasUnevaluated = program.registry.customDocuments.contains { number in
            let document = program.registry.documents[number].document
            return ["unevaluatedProperties", "unevaluatedItems"].contains { document.hasName($0) }
        }
    }

    /// Returns the places of a document that other registered schemas refer to, and those that these refer to in turn.
    private static func referredTo(in document: Int, _ registry: SchemaRegistry) -> Set<Int> {
        let references = SchemaReferences(registry)
        var found: Set<Int> = []
        var open: [JSONNode] = []
        func look(at node: JSONNode, in number: Int) {
            let place = SchemaRegistry.Place(document: number, index: node.index)
            guard node.kind == .object, let owner = registry.owner(place) else { return }
            let draft = registry.resources[owner].draft
            for keyword in ["$ref", "$dynamicRef", "$recursiveRef"] where draft.knows(keyword) {
                guard let text = node[keyword]?.string, let target = references.target(of: text, from: place),
                    target.document == document, found.insert(target.index).inserted
                else { continue }
                open.append(JSONNode(document: registry.documents[document].document, index: target.index))
            }
            for member in node.members {
                for child in Subschemas.children(of: member.name, member.value, draft) { look(at: child, in: number) }
            }
        }
        for number in registry.customDocuments where number != document {
            look(at: registry.documents[number].document.root, in: number)
        }
        while let node = open.popLast() { look(at: node, in: document) }
        return found
    }

    /// The warnings, with their positions looked up in one pass over the text.
    var warnings: [Diagnostic] {
        let positions = schema.positions(ofOffsets: found.map(\.node.offset))
        return zip(found, positions).map { warning, position in
            Diagnostic(
                .warning,
                code: warning.code,
                message: warning.message,
                file: file,
                position: position,
                pointer: warning.node.pointer
            )
        }
    }

    mutating func run() {
        let draft = program.registry.standardDraft(of: document) ?? program.registry.defaultDraft
        visit(schema.root, draft)
    }

    private mutating func visit(_ node: JSONNode, _ outer: JSONSchemaDraft) {
        guard node.kind == .object, found.count < Self.most else { return }
        let owner = program.registry.owner(SchemaRegistry.Place(document: document, index: node.index))
        let draft = owner.map { program.registry.resources[$0].draft } ?? outer
        lookForEffects(node, draft)
        lookForContradictions(node, draft)
        lookAtDefault(node)
        lookAtPatterns(node)
        for keyword in ["$defs", "definitions"] where !isLibrary(node, draft) {
            for member in node[keyword]?.members.map(\.self) ?? [] where !isApplied(member.value) {
                let message = "found the definition \(quoted(member.name)), which nothing refers to"
                warn("schema.unused-definition", message, member.value)
            }
        }
        for member in node.members {
            for child in Subschemas.children(of: member.name, member.value, draft) { visit(child, draft) }
        }
    }

    /// Tells whether the program applies a schema or one in it.
    private func isApplied(_ node: JSONNode) -> Bool {
        var range = applied.startIndex..<applied.endIndex
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = applied[middle] < node.index ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound < applied.endIndex && applied[range.lowerBound] < node.end
    }

    /// Tells whether a schema only holds definitions, which are there for others.
    private func isLibrary(_ node: JSONNode, _ draft: JSONSchemaDraft) -> Bool {
        guard node.index == 0 || draft.identifier(of: node) != nil else { return false }
        let silent: Set<String> = [
            "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment", "$defs",
            "definitions", "title", "description", "examples", "deprecated",
        ]
        return node.members.allSatisfy { silent.contains($0.name) || !draft.knows($0.name) }
    }

    // MARK: What has no effect

    private mutating func lookForEffects(_ node: JSONNode, _ draft: JSONSchemaDraft) {
        let needs: [(String, String)] = [
            ("then", "if"), ("else", "if"), ("minContains", "contains"), ("maxContains", "contains"),
        ]
        for (keyword, other) in needs where draft.knows(keyword) && node[other] == nil {
            if let value = node[keyword] { ineffective(keyword, "without \"\(other)\"", value) }
        }
        let isSeen = hasUnevaluated && draft.knows("unevaluatedProperties")
        if draft.knows("if"), !isSeen, let value = node["if"], node["then"] == nil, node["else"] == nil {
            ineffective("if", "without \"then\" and \"else\"", value)
        }
        if draft.knows("additionalItems"), let value = node["additionalItems"], node["items"]?.kind != .array {
            ineffective("additionalItems", "unless \"items\" is an array", value)
        }
        if draft.referenceStandsAlone, node["$ref"]?.string != nil {
            let kept: Set<String> = ["$ref", "$schema", "$comment", "title", "description", "default", "examples"]
            for member in node.members
            where draft.knows(member.name) && !kept.contains(member.name) && member.name != "definitions" {
                ineffective(member.name, "beside \"$ref\", which stands alone in draft \(draft.name)", member.value)
            }
            return
        }
        guard let types = types(node) else { return }
        for (keyword, type) in Self.typed where draft.knows(keyword) && !types.contains(type) {
            guard let value = node[keyword], type != "number" || !types.contains("integer") else { continue }
            ineffective(keyword, "on values that are not of the type \"\(type)\"", value)
        }
    }

    private static let typed: [(String, String)] =
        ["maxLength", "minLength", "pattern"].map { ($0, "string") }
        + ["multipleOf", "maximum", "minimum", "exclusiveMaximum", "exclusiveMinimum"].map { ($0, "number") }
        + ["items", "prefixItems", "contains", "maxItems", "minItems", "uniqueItems"].map { ($0, "array") }
        + [
            "properties", "patternProperties", "additionalProperties", "propertyNames", "required", "maxProperties",
            "minProperties", "dependentRequired", "dependentSchemas",
        ].map { ($0, "object") }

    private func types(_ node: JSONNode) -> [String]? {
        guard let type = node["type"] else { return nil }
        return type.kind == .array ? type.elements.compactMap(\.string) : type.string.map { [$0] }
    }

    private mutating func ineffective(_ keyword: String, _ why: String, _ value: JSONNode) {
        warn("schema.no-effect", "found \(quoted(keyword)), which has no effect \(why)", value)
    }

    // MARK: What nothing can meet

    private mutating func lookForContradictions(_ node: JSONNode, _ draft: JSONSchemaDraft) {
        if draft.referenceStandsAlone, node["$ref"]?.string != nil { return }
        lookAtBounds(node, draft)
        lookAtSizes(node, draft)
        lookAtConstants(node, draft)
        guard node["additionalProperties"]?.bool == false, node["patternProperties"] == nil,
            let required = node["required"]
        else { return }
        for name in required.elements {
            guard let text = name.string, node["properties"]?[text] == nil else { continue }
            let message = "found the required member \(quoted(text)), which \"additionalProperties\" forbids"
            warn("schema.never-valid", message, name)
        }
    }

    /// A bound of numbers, and the keyword that has it.
    private struct Bound {
        let keyword: String
        let node: JSONNode
        let value: DecimalNumber
        var isExclusive = false

        /// The first integer within the bound, counted upwards or downwards; nil where it is beyond 18 digits.
        func integer(isLower: Bool) -> Int? {
            let wholeDigits = value.digits.count + value.exponent
            guard wholeDigits <= 18 else { return nil }
            let digits = (0..<max(0, wholeDigits)).map { $0 < value.digits.count ? Int(value.digits[$0]) : 0 }
            let size = digits.reduce(0) { $0 * 10 + $1 }
            let whole = value.isNegative ? -size : size
            if value.isInteger { return isExclusive ? whole + (isLower ? 1 : -1) : whole }
            // Without its fraction a number is nearer to zero.
            return isLower == value.isNegative ? whole : whole + (isLower ? 1 : -1)
        }
    }

    private mutating func lookAtBounds(_ node: JSONNode, _ draft: JSONSchemaDraft) {
        let types = types(node) ?? ["number"]
        let isInteger = types.contains("integer") && !types.contains("number")
        for low in bounds(node, "minimum", "exclusiveMinimum", draft) {
            for high in bounds(node, "maximum", "exclusiveMaximum", draft) {
                let (less, more) = (quoted(low.keyword), quoted(high.keyword))
                let what: String
                if high.value < low.value {
                    what = "\(more) below \(less)"
                } else if high.value == low.value, low.isExclusive || high.isExclusive {
                    what = "\(more) at the value of \(less), one of which excludes it"
                } else if isInteger, let least = low.integer(isLower: true), let most = high.integer(isLower: false),
                    most < least
                {
                    what = "\(more) and \(less) without an integer between them"
                } else {
                    continue
                }
                warn("schema.never-valid", "found \(what), so that no value of that type is valid", high.node)
                return
            }
        }
    }

    private func bounds(_ node: JSONNode, _ plain: String, _ exclusive: String, _ draft: JSONSchemaDraft) -> [Bound] {
        var bounds: [Bound] = []
        if let value = node[plain], let number = Self.decimal(value) {
            let isExclusive = draft.exclusiveBoundsAreFlags && node[exclusive]?.bool == true
            bounds.append(Bound(keyword: plain, node: value, value: number, isExclusive: isExclusive))
        }
        if !draft.exclusiveBoundsAreFlags, let value = node[exclusive], let number = Self.decimal(value) {
            bounds.append(Bound(keyword: exclusive, node: value, value: number, isExclusive: true))
        }
        return bounds
    }

    private mutating func lookAtSizes(_ node: JSONNode, _ draft: JSONSchemaDraft) {
        let nothing = "so that no value of that type is valid"
        for size in ["Length", "Items", "Properties", "Contains"] {
            guard let low = node["min" + size].flatMap(Self.decimal), let high = node["max" + size],
                let most = Self.decimal(high), most < low
            else { continue }
            warn("schema.never-valid", "found \"max\(size)\" below \"min\(size)\", \(nothing)", high)
        }
        if draft.knows("contains"), node["contains"] != nil, let high = node["maxItems"], let most = high.int {
            let least = draft.knows("minContains") ? node["minContains"] : nil
            if most < least?.int ?? (least == nil ? 1 : 0) {
                let asked = least == nil ? "1, which \"contains\" asks for" : "\"minContains\""
                warn("schema.never-valid", "found \"maxItems\" below \(asked), \(nothing)", high)
            }
        }
        if let high = node["maxProperties"], let most = high.int, let required = node["required"],
            Set(required.elements.compactMap(\.string).map { ScalarKey($0) }).count > most
        {
            let message = "found \"maxProperties\" below the number of members that \"required\" names, \(nothing)"
            warn("schema.never-valid", message, high)
        }
    }

    private mutating func lookAtConstants(_ node: JSONNode, _ draft: JSONSchemaDraft) {
        let types = types(node)
        func fits(_ value: JSONNode) -> Bool { types?.contains { Self.isOf($0, value) } ?? true }
        if draft.knows("const"), let value = node["const"] {
            let refusal = refusal(of: value, node)
            if !fits(value) || refusal != nil {
                let reason = refusal.map { ": \($0)" } ?? ""
                let message = "found \(shown(value)) in \"const\", which its schema does not allow\(reason)"
                warn("schema.never-valid", message + "; no value is valid", value)
            }
        }
        guard let values = node["enum"], values.kind == .array else { return }
        for value in values.elements where !fits(value) {
            warn("schema.never-valid", "found \(shown(value)) in \"enum\", which \"type\" does not allow", value)
        }
        if values.elements.contains(where: fits), values.elements.allSatisfy({ refusal(of: $0, node) != nil }) {
            let message = "found no value in \"enum\" that its schema allows, so that no value is valid"
            warn("schema.never-valid", message, values)
        }
    }

    private static func decimal(_ node: JSONNode) -> DecimalNumber? {
        node.number.flatMap { DecimalNumber(token: $0.token) }
    }

    private static func isOf(_ type: String, _ value: JSONNode) -> Bool {
        switch (type, value.kind) {
        case ("integer", .number), ("number", .number): true
        default: type == value.kind.rawValue
        }
    }

    /// Warns of a default that the schema itself refuses.
    private mutating func lookAtDefault(_ node: JSONNode) {
        guard let value = node["default"], let reason = refusal(of: value, node) else { return }
        warn("schema.default", "found the default \(shown(value)), which its schema does not allow: \(reason)", value)
    }

    /// Returns why a schema that the program applies, itself or by a reference to it, does not allow a value.
    private func refusal(of value: JSONNode, _ node: JSONNode) -> String? {
        guard let number = numbers[node.index], let instance = try? JSONDocument(parsing: value.encoded(.compact))
        else {
            return nil
        }
        let schema = JSONSchema(program: program)
        if schema.isValid(instance, of: number) { return nil }
        return schema.withEvaluator(instance, isStrict: false, limit: 1) { evaluator in
            _ = evaluator.run(number, reporting: true)
            let text = evaluator.findingText
            guard let finding = evaluator.findings.finish().first.map({ text.finding($0) }) else { return "" }
            let place = finding.pointer.tokens.isEmpty ? "" : "at \(finding.pointer) "
            return "\(place)expected \(finding.expected)"
        }
    }

    /// Returns a value of the schema as JSON, cut where it is long.
    private func shown(_ value: JSONNode) -> String {
        if let text = value.string { return quoted(text) }
        let text = String(decoding: value.encoded(.compact), as: UTF8.self)
        return text.count > 60 ? text.prefix(60) + "…" : text
    }

    // MARK: Patterns

    private mutating func lookAtPatterns(_ node: JSONNode) {
        if let value = node["pattern"], let text = value.string { lookAt(text, value) }
        for member in node["patternProperties"]?.members.map(\.self) ?? [] { lookAt(member.name, member.value) }
    }

    private mutating func lookAt(_ pattern: String, _ value: JSONNode) {
        guard let reason = PatternPortability.difference(in: pattern) else { return }
        warn("schema.pattern-differs", "found the regular expression \(quoted(pattern)): \(reason)", value)
    }

    private mutating func warn(_ code: String, _ message: String, _ node: JSONNode) {
        if found.count < Self.most { found.append((code, message, node)) }
    }
}

extension JSONDocument {
    /// Tells whether any object has a member of that name.
    fileprivate func hasName(_ name: String) -> Bool {
        var name = name
        return name.withUTF8 { names.find($0) } != nil
    }
}

/// The differences between engines in the meaning of a regular expression.
enum PatternPortability {
    /// Returns the first part of a pattern that engines of other languages take otherwise or refuse; nil where there is
    /// none.
    static func difference(in pattern: String) -> String? {
        let scalars = Array(pattern.unicodeScalars)
        var index = 0
        var isInClass = false
        while index < scalars.count {
            let next = index + 1 < scalars.count ? scalars[index + 1] : nil
            switch scalars[index] {
            case "\\":
                if let next, let reason = escapes[next] { return "\\\(next) \(reason)" }
                if let next, ("1"..."9").contains(next), !isInClass {
                    return "engines without backtracking refuse backreferences"
                }
                index += 1
            case "[": isInClass = true
            case "]": isInClass = false
            case "(" where !isInClass && next == "?":
                let rest = String(String.UnicodeScalarView(scalars[min(index + 2, scalars.count)...].prefix(2)))
                if rest.hasPrefix("=") || rest.hasPrefix("!") {
                    return "engines without backtracking refuse lookahead"
                }
                if rest == "<=" || rest == "<!" { return "some engines refuse lookbehind" }
            default: break
            }
            index += 1
        }
        return nil
    }

    private static let escapes: [Unicode.Scalar: String] = [
        "d": "takes digits of all scripts in some engines; write [0-9]",
        "D": "takes digits of all scripts in some engines; write [^0-9]",
        "w": "takes letters of all scripts in some engines; write [0-9A-Za-z_]",
        "W": "takes letters of all scripts in some engines; write [^0-9A-Za-z_]",
        "b": "is the edge of other words where letters of all scripts count",
        "B": "is the edge of other words where letters of all scripts count",
        "s": "takes different white space in different engines",
        "S": "takes different white space in different engines",
        "p": "has different names of properties in different engines",
        "P": "has different names of properties in different engines",
        "k": "is a named backreference, which engines without backtracking refuse",
    ]
}
