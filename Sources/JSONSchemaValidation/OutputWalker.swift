internal import StrictJSON

/// Evaluates a schema keyword by keyword and notes what each says.
///
/// It goes over the schema's text, so that it meets annotations as well, and leaves to the evaluator what a keyword says about
/// a value alone.
struct OutputWalker: ~Copyable {
    private typealias Place = SchemaRegistry.Place

    private let program: SchemaProgram
    private let document: JSONDocument
    /// Resolves the references once more, as the program has only their targets.
    private var compiler: SchemaCompiler
    private let numbers: [Place: Int32]
    private var vocabularies: [Int: Vocabularies] = [:]
    private var absolutes: [Place: String] = [:]
    /// The resources that evaluation has passed through, outermost first.
    private var scope: [Int] = []
    private var depth = 0
    private let limit: Int
    private var remaining: Int
    /// The message of the first fault that leaves a schema without an answer, such as a match with too many steps.
    private var unanswered: String?
    /// Less than the evaluator allows: a level takes up to 16 KB of stack here.
    private static let maximumDepth = 256

    init(_ program: SchemaProgram, _ document: JSONDocument, limit: Int) {
        self.program = program
        self.document = document
        compiler = SchemaCompiler(registry: program.registry, assertsFormats: false)
        numbers = Dictionary(zip(program.places, Int32(0)...), uniquingKeysWith: { first, _ in first })
        self.limit = limit
        remaining = limit
    }

    /// A schema's unit, and what it has evaluated of the value.
    private struct Outcome {
        var unit: OutputUnit
        var evaluated = EvaluatedLocations()
    }

    /// The value and the path to it.
    private final class Subject {
        let node: JSONNode
        let path: String

        init(node: JSONNode, path: String) { (self.node, self.path) = (node, path) }

        func child(_ token: String, _ node: JSONNode) -> Subject {
            Subject(node: node, path: path + JSONPointer(tokens: [token]).description)
        }
    }

    /// The path to a schema or keyword: through references, and from the root of its resource.
    private final class EvaluationPath {
        let pointer: String
        let absolute: String

        init(pointer: String, absolute: String) { (self.pointer, self.absolute) = (pointer, absolute) }

        func appending(_ tokens: String...) -> EvaluationPath {
            let pointer = JSONPointer(tokens: tokens).description
            return EvaluationPath(pointer: self.pointer + pointer, absolute: absolute + OutputWalker.fragment(pointer))
        }
    }

    mutating func run(_ evaluator: inout Evaluator) throws(OutputError) -> OutputUnit {
        // The root's own place: a schema that is only a reference has the number of its target.
        let place = Place(document: program.rootDocument, index: 0)
        let path = EvaluationPath(pointer: "", absolute: absolute(place))
        let unit = try walk(place, Subject(node: document.root, path: ""), path, &evaluator).unit
        // A keyword such as "not" has turned a missing answer round.
        if unit.isValid, let unanswered { throw OutputError(description: unanswered) }
        return unit
    }

    /// Returns what faults say, and keeps that of the first that leaves a schema without an answer.
    private mutating func messages(_ faults: [RawFinding], _ path: String, _ text: FindingText) -> [String] {
        faults.map { fault in
            let message = text.message(fault)
            if unanswered == nil, fault.fault == .tooManySteps || fault.fault == .depth {
                unanswered = path.isEmpty ? message : "\(path): \(message)"
            }
            return message
        }
    }

    // MARK: Schemas

    private mutating func walk(
        _ place: Place,
        _ subject: Subject,
        _ path: EvaluationPath,
        isKeyword: Bool = false,
        _ evaluator: inout Evaluator
    ) throws(OutputError) -> Outcome {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else {
            throw OutputError(
                description: "the schemas are nested too deeply for this format; flag and the findings need less"
            )
        }
        let resource = compiler.registry.owner(place) ?? 0
        var path = path
        if compiler.registry.resources[resource].root == place.index {
            path = EvaluationPath(pointer: path.pointer, absolute: absolute(place))
        }
        var outcome = Outcome(unit: try unit(path, subject))
        outcome.unit.isKeyword = isKeyword
        let node = compiler.node(at: place)
        guard node.kind == .object else {
            if node.bool == false {
                outcome.unit.isValid = false
                outcome.unit.error = "found \(shown(subject.node)), expected nothing: the schema allows no value here"
            }
            return outcome
        }
        scope.append(resource)
        defer { scope.removeLast() }
        let schema = Schema(
            place: place,
            node: node,
            draft: compiler.draft(at: place),
            subject: subject,
            path: path,
            number: numbers[place] ?? -1,
            vocabularies: vocabularies(of: resource, place)
        )
        if schema.number >= 0 {
            let faults = evaluator.assertionFaults(schema.number, subject.node.index)
            if !faults.isEmpty {
                let messages = messages(faults, subject.path, evaluator.findingText)
                for (fault, message) in zip(faults, messages) {
                    schema.faults[fault.keyword, default: []].append(message)
                }
            }
        }
        try walkKeywords(schema, &outcome, &evaluator)
        return outcome
    }

    /// A schema while its keywords are evaluated.
    ///
    /// It is an object, as are the paths, so that the recursion takes little stack.
    private final class Schema {
        let place: Place
        let node: JSONNode
        let draft: JSONSchemaDraft
        let subject: Subject
        let path: EvaluationPath
        /// Its number in the program; -1 where it is only a reference.
        let number: Int32
        let vocabularies: Vocabularies
        /// The faults that the evaluator found, by keyword.
        var faults: [String: [String]] = [:]
        /// True if `if` is met; nil without an `if`.
        var condition: Bool?

        init(
            place: Place,
            node: JSONNode,
            draft: JSONSchemaDraft,
            subject: Subject,
            path: EvaluationPath,
            number: Int32,
            vocabularies: Vocabularies
        ) {
            (self.place, self.node, self.draft, self.subject, self.path) = (place, node, draft, subject, path)
            (self.number, self.vocabularies) = (number, vocabularies)
        }

        func child(_ node: JSONNode) -> Place { Place(document: place.document, index: node.index) }
    }

    private mutating func walkKeywords(
        _ schema: Schema,
        _ outcome: inout Outcome,
        _ evaluator: inout Evaluator
    ) throws(OutputError) {
        let (node, draft) = (schema.node, schema.draft)
        var members = node.members.map { (name: $0.name, value: $0.value) }
        if draft.referenceStandsAlone, let reference = node["$ref"], reference.string != nil {
            members = [("$ref", reference)]
        }
        // "then" and "else" want to know of "if", and the unevaluated keywords of all others.
        let last = ["then": 1, "else": 1, "unevaluatedProperties": 2, "unevaluatedItems": 2]
        let order = members.enumerated().sorted {
            (draft.knows($0.element.name) ? last[$0.element.name] ?? 0 : 0, $0.offset)
                < (draft.knows($1.element.name) ? last[$1.element.name] ?? 0 : 0, $1.offset)
        }
        for (_, member) in order {
            guard let keyword = try walk(member.name, member.value, schema, &outcome.evaluated, &evaluator) else {
                continue
            }
            if !keyword.isValid { outcome.unit.isValid = false }
            outcome.unit.children.append(keyword)
        }
    }

    // MARK: Keywords

    private static let silent: Set<String> = [
        "$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary", "$comment", "$defs",
        "definitions",
    ]
    private static let annotations: Set<String> = [
        "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", "format",
        "contentEncoding",
        "contentMediaType", "contentSchema",
    ]
    private static let assertions: Set<String> = [
        "type", "enum", "const", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum",
        "maxLength",
        "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required",
        "dependentRequired",
    ]

    /// Evaluates a keyword; nil where it says nothing about values.
    private mutating func walk(
        _ keyword: String,
        _ value: JSONNode,
        _ schema: Schema,
        _ evaluated: inout EvaluatedLocations,
        _ evaluator: inout Evaluator
    ) throws(OutputError) -> OutputUnit? {
        if keyword == "$defs" || Self.silent.contains(keyword) && schema.draft.knows(keyword) { return nil }
        let path = schema.path.appending(keyword)
        var unit = try unit(path, schema.subject)
        guard schema.draft.knows(keyword) else {
            unit.annotation = try annotation(value)
            return unit
        }
        if let faults = schema.faults[keyword] {
            unit.isValid = false
            unit.error = faults.joined(separator: "; ")
        }
        if Self.annotations.contains(keyword) {
            let isOfStrings = keyword.hasPrefix("content")
            if unit.isValid, !isOfStrings || schema.subject.node.kind == .string {
                unit.annotation = try annotation(value)
            }
            return unit
        }
        if Self.assertions.contains(keyword) { return schema.vocabularies.validation ? unit : nil }
        if keyword.hasSuffix("Ref") || keyword == "$ref" {
            guard let target = target(keyword, value, schema.place) else { return unit }
            let path = EvaluationPath(pointer: path.pointer, absolute: absolute(target))
            let below = try walk(target, schema.subject, path, isKeyword: true, &evaluator)
            if below.unit.isValid { evaluated.formUnion(below.evaluated) }
            return below.unit
        }
        let isUnevaluated = keyword.hasPrefix("unevaluated")
        guard isUnevaluated ? schema.vocabularies.unevaluated : schema.vocabularies.applicator else { return nil }
        switch keyword {
        // An array in "dependencies" is an assertion, whose faults are known by now.
        case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
            return try walkInPlaceApplicator(keyword, value, schema, unit, path, &evaluated, &evaluator)
        case _ where schema.subject.node.kind == .object:
            try walkMembers(keyword, value, schema, &unit, path, &evaluated, &evaluator)
        case _ where schema.subject.node.kind == .array:
            try walkElements(keyword, value, schema, &unit, path, &evaluated, &evaluator)
        default: break
        }
        return unit
    }

    /// Evaluates a keyword whose schemas apply to the value itself.
    private mutating func walkInPlaceApplicator(
        _ keyword: String,
        _ value: JSONNode,
        _ schema: Schema,
        _ keywordUnit: OutputUnit,
        _ path: EvaluationPath,
        _ evaluated: inout EvaluatedLocations,
        _ evaluator: inout Evaluator
    ) throws(OutputError) -> OutputUnit? {
        var unit = keywordUnit
        var valid: [Outcome] = []
        func add(_ outcome: Outcome) {
            if outcome.unit.isValid { valid.append(outcome) }
            unit.children.append(outcome.unit)
        }
        switch keyword {
        case "allOf", "anyOf", "oneOf":
            for (number, branch) in value.elements.enumerated() {
                add(try walk(schema.child(branch), schema.subject, path.appending(String(number)), &evaluator))
            }
            let found = "found \(shown(schema.subject.node)), "
            if keyword == "allOf" {
                unit.isValid = valid.count == value.count
            } else if valid.isEmpty || keyword == "oneOf" && valid.count > 1 {
                unit.isValid = false
                unit.error =
                    valid.isEmpty
                    ? found + "which matches none of \(value.count) alternatives, expected one of them"
                    : found
                        + "which matches \(valid.count) of \(value.count) alternatives, expected exactly one to match"
            }
        case "dependentSchemas", "dependencies":
            guard schema.subject.node.kind == .object else { return unit }
            for member in value.members where member.value.kind != .array && schema.subject.node[member.name] != nil {
                add(try walk(schema.child(member.value), schema.subject, path.appending(member.name), &evaluator))
            }
            unit.isValid = unit.isValid && valid.count == unit.children.count
        default:
            // "then" and "else" count only beside "if" that says so.
            if keyword == "then" || keyword == "else" {
                guard schema.condition == (keyword == "then") else { return nil }
            }
            let outcome = try walk(schema.child(value), schema.subject, path, isKeyword: true, &evaluator)
            unit.children = outcome.unit.isValid || keyword != "if" ? [] : [outcome.unit]
            if keyword == "not" {
                unit.children = [outcome.unit]
                guard outcome.unit.isValid else { return unit }
                unit.isValid = false
                unit.error = "found \(shown(schema.subject.node)), expected nothing that matches \"not\""
                return unit
            }
            if keyword == "if" { schema.condition = outcome.unit.isValid }
            if outcome.unit.isValid { evaluated.formUnion(outcome.evaluated) }
            return keyword == "if" && !outcome.unit.isValid ? unit : outcome.unit
        }
        for outcome in valid where unit.isValid { evaluated.formUnion(outcome.evaluated) }
        return unit
    }

    /// Evaluates a keyword whose schemas apply to an object's members.
    private mutating func walkMembers(
        _ keyword: String,
        _ value: JSONNode,
        _ schema: Schema,
        _ unit: inout OutputUnit,
        _ path: EvaluationPath,
        _ evaluated: inout EvaluatedLocations,
        _ evaluator: inout Evaluator
    ) throws(OutputError) {
        guard
            ["properties", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames"]
                .contains(keyword)
        else { return }
        if keyword == "propertyNames" { return walkNames(value, schema, &unit, &evaluator) }
        var names: [JSONValue] = []
        let earlier = evaluated
        for (position, member) in schema.subject.node.members.enumerated() {
            let subject = schema.subject.child(member.name, member.value)
            var applied: [(JSONNode, EvaluationPath)] = []
            switch keyword {
            case "properties":
                if let property = value[member.name] { applied = [(property, path.appending(member.name))] }
            case "patternProperties":
                let matching = matchingPatterns(schema, member.value, &evaluator, &unit)
                applied = matching.map { ($0.value, path.appending($0.name)) }
            case "additionalProperties":
                guard schema.node["properties"]?[member.name] == nil,
                    schema.node["patternProperties"] == nil
                        || matchingPatterns(schema, member.value, &evaluator, &unit).isEmpty
                else { continue }
                applied = [(value, path)]
            default: if !earlier.contains(position) { applied = [(value, path)] }
            }
            for (child, path) in applied {
                let below = try walk(schema.child(child), subject, path, &evaluator).unit
                if !below.isValid { unit.isValid = false }
                unit.children.append(below)
                evaluated.insert(position)
            }
            if !applied.isEmpty { names.append(.string(member.name)) }
        }
        if unit.isValid { unit.annotation = .array(names) }
    }

    private mutating func matchingPatterns(
        _ schema: Schema,
        _ member: JSONNode,
        _ evaluator: inout Evaluator,
        _ unit: inout OutputUnit
    ) -> [(name: String, value: JSONNode)] {
        guard schema.number >= 0 else { return [] }
        let object = (program.schemas.base + Int(schema.number)).pointee.object
        guard object >= 0, let patterns = schema.node["patternProperties"] else { return [] }
        let rule = (program.objects.base + Int(object)).pointee
        var matching: [(name: String, value: JSONNode)] = []
        let symbol = TapeWord(bits: document.tape.words[member.index - 1]).payload
        for (offset, pattern) in patterns.members.enumerated() where offset < Int(rule.patternCount) {
            let number = (program.patternRules.base + Int(rule.patterns) + offset).pointee.pattern
            guard let isMatch = evaluator.matches(number, evaluator.names.bytes(symbol)) else {
                let error =
                    "found a name for which the regular expression \(quoted(pattern.name)) takes too many steps, "
                    + "expected an answer within its limit"
                unit.isValid = false
                unit.error = error
                if unanswered == nil { unanswered = error }
                continue
            }
            if isMatch { matching.append(pattern) }
        }
        return matching
    }

    /// Evaluates `propertyNames`: its errors are told as those of the object, for a name has no place of its own.
    private mutating func walkNames(
        _ value: JSONNode,
        _ schema: Schema,
        _ unit: inout OutputUnit,
        _ evaluator: inout Evaluator
    ) {
        evaluator.scope = uniqueScope
        defer { evaluator.scope = [] }
        let faults = evaluator.nameFaults(schema.number, schema.subject.node.index)
        guard !faults.isEmpty else { return }
        unit.isValid = false
        unit.error = messages(faults, schema.subject.path, evaluator.findingText).joined(separator: "; ")
    }

    /// Evaluates a keyword whose schemas apply to an array's elements.
    private mutating func walkElements(
        _ keyword: String,
        _ value: JSONNode,
        _ schema: Schema,
        _ unit: inout OutputUnit,
        _ path: EvaluationPath,
        _ evaluated: inout EvaluatedLocations,
        _ evaluator: inout Evaluator
    ) throws(OutputError) {
        let (node, draft) = (schema.node, schema.draft)
        let isPrefix = keyword == "prefixItems" || keyword == "items" && draft.itemsMayBeArray && value.kind == .array
        let prefix =
            draft.itemsMayBeArray ? node["items"].flatMap { $0.kind == .array ? $0 : nil } : node["prefixItems"]
        let earlier = evaluated
        let schemas = isPrefix ? Array(value.elements) : []
        var indices: [Int] = []
        switch keyword {
        case "contains", "unevaluatedItems", "items", "prefixItems": break
        case "additionalItems" where prefix != nil: break
        case "minContains", "maxContains": return
        default: return
        }
        for (position, element) in schema.subject.node.elements.enumerated() {
            let child: JSONNode
            var childPath = path
            switch keyword {
            case _ where isPrefix:
                guard position < schemas.count else { continue }
                child = schemas[position]
                childPath = path.appending(String(position))
            case "items", "additionalItems":
                guard position >= (prefix?.count ?? 0) else { continue }
                child = value
            case "unevaluatedItems":
                guard !earlier.contains(position) else { continue }
                child = value
            default: child = value
            }
            let subject = schema.subject.child(String(position), element)
            let below = try walk(schema.child(child), subject, childPath, &evaluator).unit
            unit.children.append(below)
            if keyword == "contains" {
                if below.isValid, draft.containsEvaluates { evaluated.insert(position) }
                if below.isValid { indices.append(position) }
                continue
            }
            if !below.isValid { unit.isValid = false }
            evaluated.insert(position)
            indices.append(position)
        }
        let count = schema.subject.node.count
        if keyword == "contains" { return finishContains(schema, indices, count, &unit) }
        guard unit.isValid, let last = indices.last else { return }
        unit.annotation = isPrefix && last + 1 < count ? .number(last) : true
    }

    private func finishContains(_ schema: Schema, _ indices: [Int], _ count: Int, _ unit: inout OutputUnit) {
        let least = schema.draft.knows("minContains") ? schema.node["minContains"]?.number.flatMap(Self.int) ?? 1 : 1
        let most =
            schema.draft.knows("maxContains") ? schema.node["maxContains"]?.number.flatMap(Self.int) ?? .max : .max
        if indices.count < least || indices.count > most {
            unit.isValid = false
            let bounds = most == .max ? "at least \(least)" : "\(least) to \(most)"
            unit.error = "found \(indices.count) elements that match \"contains\", expected \(bounds)"
        } else if schema.draft.containsEvaluates {
            unit.annotation =
                indices.count == count ? true : .array(indices.map { JSONValue.number($0) })
        }
    }

    private static func int(_ number: JSONNumber) -> Int? { DecimalNumber(token: number.token)?.int }

    // MARK: References and places

    private mutating func target(_ keyword: String, _ reference: JSONNode, _ place: Place) -> Place? {
        guard let found = try? compiler.resolve(reference, from: place) else { return nil }
        let name: String? =
            switch keyword {
            case "$dynamicRef": found.anchor
            case "$recursiveRef": ""
            default: nil
            }
        guard let name, let resource = compiler.registry.owner(found.place),
            compiler.registry.resources[resource].dynamicAnchors[name] == found.place.index
        else { return found.place }
        for resource in scope {
            let found = compiler.registry.resources[resource]
            if let index = found.dynamicAnchors[name] { return Place(document: found.document, index: index) }
        }
        return found.place
    }

    private var uniqueScope: [Int32] {
        var seen: Set<Int> = []
        return scope.filter { seen.insert($0).inserted }.map { Int32($0) }
    }

    private mutating func vocabularies(of resource: Int, _ place: Place) -> Vocabularies {
        if let known = vocabularies[resource] { return known }
        let found = (try? compiler.vocabularies(for: resource, place)) ?? Vocabularies()
        vocabularies[resource] = found
        return found
    }

    /// Returns the URI of the schema at a place.
    private mutating func absolute(_ place: Place) -> String {
        if let known = absolutes[place] { return known }
        let registry = program.registry
        let resource = registry.resources[registry.owner(place) ?? 0]
        let document = registry.documents[place.document].document
        let path = document.path(to: place.index).dropFirst(document.path(to: resource.root).count)
        let found = resource.uri + "#" + Self.fragment(JSONPointer(tokens: Array(path)).description)
        absolutes[place] = found
        return found
    }

    /// Writes a pointer as the fragment of a URI.
    private static func fragment(_ pointer: String) -> String {
        guard !pointer.utf8.allSatisfy(isPlain) else { return pointer }
        let digits = Array("0123456789ABCDEF")
        var text = ""
        for byte in pointer.utf8 {
            if isPlain(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
            }
        }
        return text
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "-._~!$&'()*+,;=:@/?".utf8.contains(byte)
        }
    }

    // MARK: Units

    private mutating func unit(_ path: EvaluationPath, _ subject: Subject) throws(OutputError) -> OutputUnit {
        try spend(160 + path.pointer.utf8.count + path.absolute.utf8.count + subject.path.utf8.count)
        return OutputUnit(
            isValid: true,
            keywordLocation: path.pointer,
            absoluteKeywordLocation: path.absolute,
            instanceLocation: subject.path
        )
    }

    private mutating func annotation(_ node: JSONNode) throws(OutputError) -> JSONValue {
        try spend(16 * (node.end - node.index))
        return node.value
    }

    /// Takes bytes from what the output may take.
    private mutating func spend(_ bytes: Int) throws(OutputError) {
        remaining -= bytes
        guard remaining < 0 else { return }
        throw OutputError(
            description: "the output would take more than \(limit) bytes; flag and the findings say it shorter"
        )
    }

    /// Returns a value as it is shown in an error.
    private func shown(_ node: JSONNode) -> String {
        switch node.kind {
        case .object: return "an object"
        case .array: return "an array"
        case .null: return "null"
        default:
            let text = String(decoding: node.encoded(.compact), as: UTF8.self)
            return "the \(node.kind) " + (text.count > 60 ? text.prefix(60) + "…" : text)
        }
    }
}
