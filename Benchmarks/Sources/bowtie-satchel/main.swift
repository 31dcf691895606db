// Speaks Bowtie's protocol (IHOP, version 1) on the standard streams: a command a line in, an answer a line out.
// https://docs.bowtie.report/en/stable/implementers/

import JSONSchemaValidation
import StrictJSON

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The answers to one run of the harness.
struct Harness {
    private var draft = JSONSchemaDraft.draft2020

    /// Answers a command; nil where it ends the conversation.
    mutating func answer(_ line: String) -> JSONValue? {
        guard let command = try? JSONDocument(parsing: line).root else {
            return ["errored": true, "context": ["message": "found no JSON object in the line"]]
        }
        switch command["cmd"]?.string {
        case "start":
            guard command["version"]?.int == 1 else {
                return ["errored": true, "context": ["message": "only version 1 of the protocol is spoken"]]
            }
            return Self.introduction
        case "dialect":
            let found = JSONSchemaDraft.allCases.first { $0.names(command["dialect"]?.string ?? "") }
            if let found { draft = found }
            return ["ok": .bool(found != nil)]
        case "run": return run(command)
        case "stop": return nil
        default: return ["errored": true, "context": ["message": "found an unknown command"]]
        }
    }

    private static let introduction: JSONValue = [
        "version": 1,
        "implementation": [
            "language": "swift",
            "name": "satchel",
            "homepage": "https://github.com/satchel/satchel",
            "issues": "https://github.com/satchel/satchel/issues",
            "source": "https://github.com/satchel/satchel",
            "dialects": .array(
                JSONSchemaDraft.allCases.reversed().map { .string($0.metaschemaURI + ($0 < .draft2019 ? "#" : "")) }
            ),
        ],
    ]

    private func run(_ command: JSONNode) -> JSONValue {
        let sequence = command["seq"]?.value ?? .null
        guard let test = command["case"], let text = test["schema"]?.encoded(.compact) else {
            return ["errored": true, "seq": sequence, "context": ["message": "found no schema"]]
        }
        do {
            var registry = SchemaRegistry(defaultDraft: draft)
            for member in test["registry"]?.members.map(\.self) ?? [] {
                try registry.add(JSONDocument(parsing: member.value.encoded(.compact)), uri: member.name)
            }
            let schema = try JSONSchema(JSONDocument(parsing: text), registry: registry, assertFormats: false)
            let results = try (test["tests"]?.elements.map(\.self) ?? []).map { test -> JSONValue in
                guard let instance = test["instance"] else { return ["errored": true] }
                return ["valid": .bool(schema.isValid(try JSONDocument(parsing: instance.encoded(.compact))))]
            }
            return ["seq": sequence, "results": .array(results)]
        } catch {
            return ["errored": true, "seq": sequence, "context": ["message": .string("\(error)")]]
        }
    }
}

extension JSONSchemaDraft {
    /// Whether a URI is that of the draft's metaschema, with an empty fragment or without.
    fileprivate func names(_ uri: String) -> Bool { uri == metaschemaURI || uri == metaschemaURI + "#" }
}

var harness = Harness()
while let line = readLine(), let answer = harness.answer(line) {
    print(String(decoding: answer.encoded(.compact), as: UTF8.self))
    fflush(nil)
}
