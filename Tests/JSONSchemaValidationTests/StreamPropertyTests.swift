import JSONSchemaValidation
import StrictJSON
import TestSupport
import Testing

/// Random schemas and documents: checking, reporting and streaming say the same.
struct StreamPropertyTests {
    @Test(arguments: [1, 2, 3, 4])
    func agreement(_ seed: UInt64) throws {
        print("StreamPropertyTests: seed \(seed)")
        var random = RandomSchema(generator: SeededGenerator(seed: seed))
        for _ in 0..<150 {
            let text = random.schema(depth: 3)
            let schema = try TestSchema(text).schema
            for _ in 0..<6 { try compare(schema, random.document(), piece: random.pick([1, 2, 3, 5, 16, 1000]), text) }
        }
    }

    /// A value that begins where the bytes at hand end, which no rule of the schema asks to look at.
    @Test func valuesAtTheEndOfTheBuffer() throws {
        let schema = try TestSchema(#"{"properties":{"a":{"type":"integer"}}}"#).schema
        for piece in 1...24 { try compare(schema, #"{"b":"unknown","c":{"d":1},"a":1}"#, piece: piece, "") }
    }

    private func compare(_ schema: JSONSchema, _ text: String, piece: Int, _ source: String) throws {
        for (strict, limit) in [(false, 100), (true, 100), (true, 2)] {
            let bytes = Array(text.utf8)
            let memory = Result { try JSONDocument(parsing: bytes) }
                .map { schema.validate($0, strict: strict, limit: limit) }
            let stream = Result {
                try schema.validate(JSONByteSource(bytes, piece: piece), strict: strict, limit: limit)
            }
            switch (memory, stream) {
            case (.success(let memory), .success(let stream)):
                #expect(memory.findings == stream.findings, "\(source) \(text)")
                #expect(memory.total == stream.total && memory.isValid == stream.isValid, "\(source) \(text)")
                try check(memory, JSONDocument(parsing: text), schema, limit, strict)
            case (.failure(let memory as JSONError), .failure(let stream as JSONError)):
                #expect(memory.description == stream.description, "\(text)")
            default: Issue.record("\(memory) but \(stream): \(source) \(text)")
            }
        }
    }

    private func check(
        _ report: ValidationReport,
        _ document: JSONDocument,
        _ schema: JSONSchema,
        _ limit: Int,
        _ strict: Bool
    ) {
        #expect(report.isValid == schema.isValid(document))
        #expect(report.findings.count == min(report.total, limit))
        #expect(report.findings.contains { $0.severity == .error } == !report.isValid)
        #expect(strict || report.isValid == (report.total == 0))
        for finding in report.findings {
            #expect(document.root[finding.pointer] != nil)
            #expect(finding.position.offset < document.bytes.count)
        }
        let offsets = report.findings.map(\.position.offset)
        #expect(offsets == offsets.sorted())
    }
}

/// Makes schemas and documents that nearly fit each other.
struct RandomSchema {
    var generator: SeededGenerator
    private let names = ["a", "b", "type", "x/y", "é"]

    init(generator: SeededGenerator) { self.generator = generator }

    mutating func pick<T>(_ choices: [T]) -> T { choices[Int.random(in: 0..<choices.count, using: &generator)] }

    private mutating func several(_ range: ClosedRange<Int>, _ make: (inout RandomSchema) -> String) -> [String] {
        (0..<Int.random(in: range, using: &generator)).map { _ in make(&self) }
    }

    private mutating func members(_ range: ClosedRange<Int>, _ make: (inout RandomSchema) -> String) -> String {
        var chosen = names
        chosen.shuffle(using: &generator)
        let count = Int.random(in: range, using: &generator)
        return "{" + chosen.prefix(count).map { "\"\($0)\":\(make(&self))" }.joined(separator: ",") + "}"
    }

    mutating func schema(depth: Int) -> String {
        guard depth > 0 else { return pick(["true", "false", "{}", #"{"type":"integer"}"#, #"{"type":"object"}"#]) }
        let below = { (random: inout RandomSchema) in random.schema(depth: depth - 1) }
        var keywords: [String: String] = [:]
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            switch Int.random(in: 0..<18, using: &generator) {
            case 0: keywords["type"] = pick([#""object""#, #""array""#, #"["object","array"]"#, #""string""#])
            case 1...4: keywords["properties"] = members(1...3, below)
            case 5: keywords["additionalProperties"] = below(&self)
            case 6: keywords["required"] = pick([#"["a"]"#, #"["a","b"]"#, #"["type"]"#])
            case 7: keywords["minProperties"] = pick(["1", "2"])
            case 8, 9: keywords["items"] = below(&self)
            case 10: keywords["prefixItems"] = "[" + several(1...2, below).joined(separator: ",") + "]"
            case 11: keywords["maxItems"] = pick(["1", "2"])
            case 12: keywords["uniqueItems"] = "true"
            case 13:
                keywords[pick(["allOf", "anyOf", "oneOf"])] = "[" + several(1...3, below).joined(separator: ",") + "]"
            case 14: keywords["enum"] = "[" + several(1...3) { $0.value(depth: 1) }.joined(separator: ",") + "]"
            case 15: keywords["propertyNames"] = pick([#"{"maxLength":1}"#, #"{"enum":["a","b"]}"#])
            case 16: keywords[pick(["unevaluatedProperties", "unevaluatedItems"])] = below(&self)
            default: keywords["patternProperties"] = #"{"^[ab]":\#(below(&self))}"#
            }
        }
        return "{" + keywords.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",")
            + "}"
    }

    mutating func value(depth: Int) -> String {
        let below = { (random: inout RandomSchema) in random.value(depth: depth - 1) }
        switch Int.random(in: 0..<(depth > 0 ? 12 : 6), using: &generator) {
        case 0: return pick(["null", "true"])
        case 1, 2: return pick(["1", "1.0", "-2", "12345678901234567890", "0.5e1"])
        case 3...5: return pick([#""""#, #""a""#, #""\u0062""#, #""work""#, "\"é\""])
        case 6...9: return members(0...4, below)
        default: return "[ " + several(0...4, below).joined(separator: " ,\n") + "]"
        }
    }

    /// A document, now and then a broken one.
    mutating func document() -> String {
        let text = pick(["", " ", "\n\t"]) + value(depth: 4) + pick(["", "\n"])
        guard Int.random(in: 0..<8, using: &generator) == 0 else { return text }
        var scalars = Array(text.unicodeScalars)
        let place = Int.random(in: 0..<scalars.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: scalars.removeLast(scalars.count - place)
        case 1: scalars.remove(at: place)
        default: scalars.insert(pick(["{", "]", ",", "\"", "7"]), at: place)
        }
        var broken = ""
        broken.unicodeScalars.append(contentsOf: scalars)
        return broken
    }
}
