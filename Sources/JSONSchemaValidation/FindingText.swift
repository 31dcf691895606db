internal import StrictJSON

/// Puts faults into words, while the tape that they speak of is there.
struct FindingText {
    let program: SchemaProgram
    let words: UnsafeMutablePointer<UInt64>
    let text: UnsafePointer<UInt8>
    let names: NameView
    let nameNumbers: [Int32]

    /// Puts a fault into words.
    ///
    /// - Parameters:
    ///   - path: The reference tokens of the tape's first value.
    ///   - offset: The offset in the text that the tape's offsets count from.
    func finding(_ raw: RawFinding, path: [String] = [], offset: Int = 0) -> ValidationFinding {
        let (expected, hint) = expectation(raw)
        var severity = Diagnostic.Severity.error
        if case .unknownMember = raw.fault { severity = .warning }
        return ValidationFinding(
            severity: severity,
            keyword: keyword(raw),
            keywordLocation: program.location(of: raw.schema, keyword: place(raw)),
            pointer: JSONPointer(tokens: path + names.path(in: words, to: raw.index)),
            position: TextPosition(offset: offset + TapeWord(bits: words[raw.index]).offset, line: 1, column: 1),
            expected: expected,
            found: found(raw),
            hint: hint
        )
    }

    /// Returns the keyword that a finding's code names.
    private func keyword(_ raw: RawFinding) -> String {
        switch raw.fault {
        case .type where isFalse(raw): "false"
        case .depth: "depth"
        default: raw.keyword
        }
    }

    /// Returns the keyword that has the fault; empty where that is the schema as a whole.
    private func place(_ raw: RawFinding) -> String {
        switch raw.fault {
        case .unknownMember: ""
        case .type where isFalse(raw): ""
        case .depth:
            ["$ref", "$dynamicRef", "$recursiveRef"].first { program.value(of: $0, in: raw.schema) != nil } ?? ""
        default: raw.keyword
        }
    }

    /// Tells whether the fault is that of a schema `false`, which has no keywords.
    private func isFalse(_ raw: RawFinding) -> Bool {
        raw.keyword == "type" && program.value(of: "type", in: raw.schema) == nil
    }

    /// Returns the sentence that says what is wrong.
    func message(_ raw: RawFinding) -> String {
        let (expected, hint) = expectation(raw)
        return "found \(found(raw)), expected \(expected)" + (hint.map { "; \($0)" } ?? "")
    }

    private func found(_ raw: RawFinding) -> String {
        let value = description(raw.index)
        switch raw.fault {
        case .length(let length): return "\(value) of \(count(length, "character"))"
        case .contained(let found): return "\(value), \(found == 0 ? "none" : String(found)) of which \(matches(found))"
        case .missing(let name), .misspelt(let name), .missingDependent(let name, _):
            return "no member \(programName(name))"
        case .missingAny(let names): return "no member \(list(names.map { programName($0) }, "or"))"
        case .duplicate(let first): return "\(value), which is element \(first) as well"
        case .several(let branches): return "\(value), which matches \(list(branches.map { matchingName($0) }, "and"))"
        case .depth: return "\(value), to which \(Evaluator.maximumDepth) schemas apply inside each other"
        default: return value
        }
    }

    private func matches(_ found: Int) -> String { found == 1 ? "matches \"contains\"" : "match \"contains\"" }

    private func expectation(_ raw: RawFinding) -> (expected: String, hint: String?) {
        let (expected, hint) = ownExpectation(raw)
        let kinds = raw.otherBranches.isEmpty ? [] : unquotedKinds(raw.index)
        var types: [String] = []
        for branch in raw.otherBranches where !kinds.isEmpty {
            let own = program.value(of: "type", in: branch).map(self.types) ?? []
            types += own.filter { kinds.contains($0) && !types.contains($0) }
        }
        if types.isEmpty { return (expected, hint) }
        return (expected + " or " + list(types.map(article), "or"), hint ?? "write it without the quotes")
    }

    /// Returns what the keyword expects, whatever other branches do.
    private func ownExpectation(_ raw: RawFinding) -> (expected: String, hint: String?) {
        let value = program.value(of: raw.keyword, in: raw.schema)
        let text = value.map(text) ?? ""
        switch raw.fault {
        case .type:
            guard let value else { return ("nothing: the schema allows no value here", nil) }
            let types = types(value)
            return (list(types.map(article), "or"), typeHint(raw, types))
        case .format: return (format(value?.string ?? ""), formatHint(raw.index, value?.string ?? ""))
        case .pattern: return ("a match of the regular expression \(text)", nil)
        case .tooManySteps: return ("an answer from the regular expression within its limit of steps", nil)
        case .bound:
            // Draft 4 has a flag there, beside the bound.
            let bound = value?.bool == nil ? nil : raw.keyword == "exclusiveMinimum" ? "minimum" : "maximum"
            let number = bound.flatMap { program.value(of: $0, in: raw.schema) }.map(self.text) ?? text
            return (self.bound(raw.keyword, number), nil)
        case .size, .length: return (size(raw.keyword, value?.int ?? 1), nil)
        case .contained: return (size(raw.keyword, value?.int ?? 1), nil)
        case .constant: return constants([raw])
        case .forbidden: return (value.flatMap(forbiddenMembers) ?? "nothing that matches \(text)", nil)
        case .depth: return ("fewer", "a reference may lead back to where it stands")
        case .unexpectedMember(let object): return unexpected(raw, of: object)
        case .unknownMember(let object, let schemas):
            return ("a member that the schema knows", memberHint(raw, of: object, in: schemas))
        case .unexpectedElement: return ("the array to end before this element", nil)
        case .missing(let name): return ("one: it is required", missingHint(raw, name))
        case .misspelt(let name): return ("one: it is required", misspeltHint(name, at: raw.index))
        case .missingDependent(_, let name): return ("one: it is required next to \(programName(name))", nil)
        case .missingAny: return ("one of them", nil)
        case .duplicate: return ("no two equal elements", nil)
        case .several: return ("exactly one to match", nil)
        case .noBranch(let nearest, let branches):
            return (alternatives(branches), nearest < 0 ? nil : "\(branchName(nearest)) comes nearest")
        case .branchTypes(let branches): return branchTypes(branches, raw)
        case .branchConstants(let schemas):
            return constants(
                schemas.map { schema in
                    let keyword = program.value(of: "const", in: schema) == nil ? "enum" : "const"
                    return RawFinding(schema: schema, keyword: keyword, index: raw.index, fault: .constant)
                }
            )
        }
    }

    private func types(_ value: JSONNode) -> [String] {
        value.kind == .array ? value.elements.compactMap(\.string) : [value.string ?? ""]
    }

    /// Returns the values that `const` or `enum` of some schemas allow, in words.
    private func constants(_ findings: [RawFinding]) -> (String, String?) {
        var values: [JSONNode] = []
        for finding in findings {
            guard let value = program.value(of: finding.keyword, in: finding.schema) else { continue }
            values += finding.keyword == "const" ? [value] : Array(value.elements)
        }
        var shown: [String] = []
        for text in values.lazy.prefix(200).map(text) where !shown.contains(text) { shown.append(text) }
        guard let raw = findings.first, let string = string(raw.index) else { return (list(shown, "or"), nil) }
        return (list(shown, "or"), nameHint(string, among: values.compactMap(\.string)))
    }

    // MARK: Branches

    private func alternatives(_ branches: [Int32]) -> String {
        let names = branches.compactMap(givenName)
        guard Set(names).count == branches.count else { return "one of \(branches.count) alternatives" }
        return "one of the alternatives \(list(names.map(quoted), "or"))"
    }

    /// Returns the name of a branch: its title, or the name of its definition.
    private func givenName(_ branch: Int32) -> String? {
        if let title = program.value(of: "title", in: branch)?.string { return title }
        let path = program.path(of: branch)
        return path.last.flatMap { Int($0) == nil ? $0 : nil }
    }

    private func branchName(_ branch: Int32) -> String {
        if let name = givenName(branch) { return quoted(name) }
        return "alternative \((program.path(of: branch).last.flatMap { Int($0) } ?? 0) + 1)"
    }

    /// Returns the name of a branch that matches, with the members that it asks for where it has no name of its own.
    private func matchingName(_ branch: Int32) -> String {
        let required = program.value(of: "required", in: branch)?.elements.compactMap(\.string) ?? []
        if required.isEmpty || givenName(branch) != nil { return branchName(branch) }
        return "\(branchName(branch)) (with \(list(required.map(quoted), "and")))"
    }

    /// Returns the members that a `not` forbids, or forbids together, in words; nil where it says more than that.
    private func forbiddenMembers(_ schema: JSONNode) -> String? {
        guard schema.count == 1, let required = schema["required"] else { return nil }
        let names = required.elements.compactMap(\.string).map(quoted)
        switch names.count {
        case 0: return nil
        case 1: return "no member \(names[0])"
        case 2: return "not both \(names[0]) and \(names[1])"
        default: return "not all of \(list(names, "and"))"
        }
    }

    private func branchTypes(_ branches: [Int32], _ raw: RawFinding) -> (String, String?) {
        var types: [String] = []
        var others: [String] = []
        for branch in branches {
            if let value = program.value(of: "type", in: branch) {
                types += self.types(value).filter { !types.contains($0) }
            } else if let value = program.value(of: "const", in: branch) {
                others.append(text(value))
            } else if let value = program.value(of: "enum", in: branch) {
                others += value.elements.lazy.prefix(10).map(text)
            } else if program.schemas.base[Int(branch)].tags != 0 {
                others.append(branchName(branch))
            }
        }
        return (list(types.map(article) + others, "or"), typeHint(raw, types))
    }

    // MARK: Hints

    /// Returns a hint for numbers in quotes, and the other way round.
    private func typeHint(_ raw: RawFinding, _ types: [String]) -> String? {
        switch TapeWord(bits: words[raw.index]).tag {
        case .string:
            return types.contains(where: unquotedKinds(raw.index).contains) ? "write it without the quotes" : nil
        case .integer, .decimal, .true, .false: return types == ["string"] ? "write it in quotes" : nil
        default: return nil
        }
    }

    /// Returns the types that a string's content would have without the quotes.
    private func unquotedKinds(_ index: Int) -> [String] {
        guard let text = string(index), text.utf8.count <= 40, let node = try? JSONDocument(parsing: text).root else {
            return []
        }
        return node.number?.int != nil ? ["integer", "number"] : [node.kind.rawValue]
    }

    /// Returns why a text does not have a format that it seems to have.
    private func formatHint(_ index: Int, _ format: String) -> String? {
        let word = TapeWord(bits: words[index])
        guard let text = word.tag == .name ? names.string(word.payload) : string(index) else { return nil }
        switch format {
        case "regex": return regexHint(text)
        case "date", "date-time":
            var day = String(text.prefix(10))
            let digits = day.utf8.map { (0x30...0x39).contains($0) ? 0x30 : $0 }
            guard digits.elementsEqual("0000-00-00".utf8), !day.withUTF8({ StringFormat.date.isValid($0) }) else {
                return nil
            }
            return "there is no such day"
        default: return nil
        }
    }

    /// Returns why a text is no regular expression.
    private func regexHint(_ text: String) -> String? {
        do throws(ECMARegexError) {
            try ECMARegex.validate(text, lenient: true)
            return nil
        } catch {
            return error.description
        }
    }

    private func unexpected(_ raw: RawFinding, of object: Int) -> (String, String?) {
        let name = names.string(TapeWord(bits: words[raw.index]).payload)
        let allowed = allowedMembers(raw)
        if allowed.names.contains(where: { $0.hasSameScalars(as: name) }) {
            return ("no such member here: no schema that allows it is met", nil)
        }
        let items = allowed.names.map(quoted) + allowed.patterns.map { "those that match \(quoted($0))" }
        if items.isEmpty { return ("no such member", nil) }
        let known = list(Array(items.prefix(21)), "and")
        let expected = allowed.isComplete ? "no other members than" : "a member that the schema allows, such as"
        return ("\(expected) \(known)", nameHint(name, among: absent(allowed.names, in: object)))
    }

    /// The members that a schema may allow, whichever of its branches are met.
    private struct AllowedMembers {
        var names: [String] = []
        var patterns: [String] = []
        /// False if there may be more.
        var isComplete = true
    }

    /// Returns the members that are not those that `additionalProperties` or `unevaluatedProperties` refuses.
    private func allowedMembers(_ raw: RawFinding) -> AllowedMembers {
        var allowed = AllowedMembers()
        var names: Set<ScalarKey> = []
        var schemas = [raw.schema]
        var next = 0
        while next < schemas.count, names.count < 2_000, next < 1_000 {
            let schema = schemas[next]
            next += 1
            for member in program.value(of: "properties", in: schema)?.members.map(\.name) ?? []
            where names.insert(ScalarKey(member)).inserted {
                allowed.names.append(member)
            }
            for pattern in program.value(of: "patternProperties", in: schema)?.members.map(\.name) ?? []
            where !allowed.patterns.contains(where: { $0.hasSameScalars(as: pattern) }) {
                allowed.patterns.append(pattern)
            }
            // This keyword looks only at those that stand beside it.
            if raw.keyword == "additionalProperties" { return allowed }
            let (applied, isComplete) = program.appliedInPlace(by: schema)
            schemas += applied.filter { !schemas.contains($0) }
            if !isComplete { allowed.isComplete = false }
        }
        if next < schemas.count { allowed.isComplete = false }
        return allowed
    }

    private func memberHint(_ raw: RawFinding, of object: Int, in schemas: [Int32]) -> String? {
        let candidates = schemas.flatMap { program.value(of: "properties", in: $0)?.members.map(\.name) ?? [] }
        return nameHint(names.string(TapeWord(bits: words[raw.index]).payload), among: absent(candidates, in: object))
    }

    /// Returns the names of the schema that an object lacks: a second member of that name could not be read.
    private func absent(_ known: [String], in object: Int) -> [String] {
        var present: Set<Int32> = []
        var index = object + 2
        while index < Int(words[object + 1]) {
            present.insert(nameNumbers[TapeWord(bits: words[index]).payload])
            index = TapeWord(bits: words[index + 1]).isContainer ? Int(words[index + 2]) : index + 2
        }
        return known.filter { name in
            var name = name
            return !present.contains(Int32(name.withUTF8 { program.names.find($0) } ?? -1))
        }
    }

    /// Returns the known text that is probably meant by another, or how that differs where it looks the same.
    private func nameHint(_ text: String, among known: [String]) -> String? {
        if let twin = known.first(where: { $0 == text && !$0.hasSameScalars(as: text) }) {
            return difference(of: text, from: twin)
        }
        return Suggestion.nearest(to: text, among: known).map { "did you mean \(quoted($0))?" }
    }

    private func missingHint(_ raw: RawFinding, _ name: Int32) -> String? {
        misspelling(of: name, among: unmentionedMembers(of: raw.index)).map { misspeltHint(name, at: $0) }
    }

    private func misspeltHint(_ name: Int32, at member: Int) -> String {
        let found = names.string(TapeWord(bits: words[member]).payload)
        let known = program.names.string(Int(name))
        return found == known ? difference(of: found, from: known) : "is \(quoted(found)) meant?"
    }

    /// A member of an object: its name, and the index of that on the tape.
    struct Member {
        let name: String
        let index: Int
    }

    /// Returns the members of an object that no keyword mentions, at most a thousand.
    func unmentionedMembers(of object: Int) -> [Member] {
        var members: [Member] = []
        var index = object + 2
        while index < Int(words[object + 1]), members.count < 1000 {
            let symbol = TapeWord(bits: words[index]).payload
            if nameNumbers[symbol] < 0 { members.append(Member(name: names.string(symbol), index: index)) }
            index = TapeWord(bits: words[index + 1]).isContainer ? Int(words[index + 2]) : index + 2
        }
        return members
    }

    /// Returns the member among some that seems to be a misspelling of a missing one.
    func misspelling(of name: Int32, among members: [Member]) -> Int? {
        if members.isEmpty { return nil }
        let name = program.names.string(Int(name))
        let twin = members.first { $0.name == name }
        if let twin { return twin.index }
        let nearest = Suggestion.nearest(to: name, among: members.map(\.name))
        return nearest.flatMap { nearest in members.first { $0.name.hasSameScalars(as: nearest) }?.index }
    }
}
