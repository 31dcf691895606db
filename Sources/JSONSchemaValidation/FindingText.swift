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
            keyword: raw.keyword,
            keywordLocation: program.location(of: raw.schema, keyword: severity == .warning ? "" : raw.keyword),
            pointer: JSONPointer(tokens: path + names.path(in: words, to: raw.index)),
            position: TextPosition(offset: offset + TapeWord(bits: words[raw.index]).offset, line: 1, column: 1),
            expected: expected,
            found: found(raw),
            hint: hint
        )
    }

    private func found(_ raw: RawFinding) -> String {
        let word = TapeWord(bits: words[raw.index])
        switch raw.fault {
        case .length(let length): return "\(description(raw.index)) of \(count(length, "character"))"
        case .contained(let found): return "\(count(found, "such element"))"
        case .missing(let name), .missingDependent(let name, _):
            return "no member \(quoted(program.names.string(Int(name))))"
        case .duplicate(let first, let second): return "\(description(raw.index)) at \(first) and again at \(second)"
        case .several(let branches): return "\(description(raw.index)), which matches the branches \(list(branches))"
        default:
            return word.tag == .name ? "the member \(quoted(names.string(word.payload)))" : description(raw.index)
        }
    }

    private func expectation(_ raw: RawFinding) -> (expected: String, hint: String?) {
        let value = program.value(of: raw.keyword, in: raw.schema)
        let text = value.map { cut(String(decoding: $0.encoded(.compact), as: UTF8.self)) } ?? ""
        switch raw.fault {
        case .type:
            if value == nil { return ("no value here", nil) }
            let types = value?.kind == .array ? value?.elements.compactMap(\.string) ?? [] : [value?.string ?? ""]
            return (types.map { article($0) }.joined(separator: " or "), nil)
        case .format: return ("the format \(text)", nil)
        case .pattern: return ("a match of the regular expression \(text)", nil)
        case .tooManySteps: return ("an answer from the regular expression within its limit of steps", nil)
        case .bound: return (bound(raw.keyword, text), nil)
        case .size, .length, .contained: return (size(raw.keyword, value?.int ?? 1), nil)
        case .constant: return (raw.keyword == "const" ? text : "one of \(text)", constantHint(raw, value))
        case .forbidden: return ("anything that \"not\" does not match", nil)
        case .name: return ("a name that \"propertyNames\" allows", nil)
        case .endless: return ("a schema that comes to an end; this one refers to itself", nil)
        case .unexpectedMember: return ("no such member", memberHint(raw, in: [raw.schema]))
        case .unknownMember(let schemas): return ("a member that the schema knows", memberHint(raw, in: schemas))
        case .unexpectedElement: return ("no element here", nil)
        case .missing(let name): return ("it to be there", missingHint(raw, name))
        case .missingDependent(_, let name):
            return ("it to be there because \(quoted(program.names.string(Int(name)))) is", nil)
        case .duplicate: return ("no two equal elements", nil)
        case .several: return ("exactly one", nil)
        case .noBranch(let meant, let count):
            return ("one of the \(count) branches; branch \(meant) comes nearest", nil)
        }
    }

    // MARK: Hints

    private func memberHint(_ raw: RawFinding, in schemas: [Int32]) -> String? {
        let candidates = schemas.flatMap { program.value(of: "properties", in: $0)?.members.map(\.name) ?? [] }
        let name = names.string(TapeWord(bits: words[raw.index]).payload)
        return Suggestion.nearest(to: name, among: candidates).map { "did you mean \(quoted($0))?" }
    }

    private func missingHint(_ raw: RawFinding, _ name: Int32) -> String? {
        var present: [String] = []
        var index = raw.index + 2
        while index < Int(words[raw.index + 1]) {
            let symbol = TapeWord(bits: words[index]).payload
            if nameNumbers[symbol] < 0 { present.append(names.string(symbol)) }
            index = TapeWord(bits: words[index + 1]).isContainer ? Int(words[index + 2]) : index + 2
        }
        return Suggestion.nearest(to: program.names.string(Int(name)), among: present).map { "is \(quoted($0)) meant?" }
    }

    private func constantHint(_ raw: RawFinding, _ value: JSONNode?) -> String? {
        let word = TapeWord(bits: words[raw.index])
        guard word.tag == .string, raw.keyword == "enum" else { return nil }
        let text = String(
            decoding: UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload),
            as: UTF8.self
        )
        let candidates = value?.elements.compactMap(\.string) ?? []
        return Suggestion.nearest(to: text, among: candidates).map { "did you mean \(quoted($0))?" }
    }

    // MARK: Words

    private func description(_ index: Int) -> String {
        let word = TapeWord(bits: words[index])
        switch word.tag {
        case .null, .name, .elsewhere: return "null"
        case .true: return "true"
        case .false: return "false"
        case .integer, .decimal:
            return cut(
                String(decoding: UnsafeBufferPointer(start: text + word.offset, count: word.payload), as: UTF8.self)
            )
        case .string, .escapedString:
            let raw = UnsafeBufferPointer(start: text + word.offset + 1, count: word.payload)
            let content = [UInt8](unsafeUninitializedCapacity: raw.count) { $1 = unescape(raw, into: $0) }
            return "the string \(quoted(String(decoding: content, as: UTF8.self)))"
        case .array: return "an array of \(count(word.payload, "element"))"
        case .object: return "an object of \(count(word.payload, "member"))"
        }
    }

    private func count(_ count: Int, _ thing: String) -> String { "\(count) \(thing)\(count == 1 ? "" : "s")" }

    private func cut(_ text: String) -> String { text.count > 100 ? text.prefix(100) + "…" : text }

    private func list(_ numbers: [Int]) -> String { numbers.map(String.init).joined(separator: ", ") }

    private func article(_ type: String) -> String {
        switch type {
        case "null": "null"
        case "array", "integer", "object": "an \(type)"
        default: "a \(type)"
        }
    }

    private func bound(_ keyword: String, _ text: String) -> String {
        switch keyword {
        case "minimum": "at least \(text)"
        case "exclusiveMinimum": "more than \(text)"
        case "maximum": "at most \(text)"
        case "exclusiveMaximum": "less than \(text)"
        default: "a multiple of \(text)"
        }
    }

    private func size(_ keyword: String, _ limit: Int) -> String {
        let bound = keyword.hasPrefix("max") ? "at most" : "at least"
        let thing =
            if keyword.hasSuffix("Length") { "character" } else if keyword.hasSuffix("Properties") { "member" } else {
                keyword.hasSuffix("Items") ? "element" : "such element"
            }
        return "\(bound) \(count(limit, thing))"
    }
}
