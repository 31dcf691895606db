import JSONSchemaValidation
import StrictJSON
import Testing
import TestSupport

/// The standard output formats.
struct OutputTests {
    private func output(_ schema: String, _ instance: String, _ format: SchemaOutputFormat) throws -> String {
        let schema = try JSONSchema(JSONDocument(parsing: schema), uri: "https://example.org/s")
        return try schema.output(JSONDocument(parsing: instance), format: format).text(.compact)
    }

    /// The places of the units below the root, with what they say.
    private func units(_ schema: String, _ instance: String, _ format: SchemaOutputFormat) throws -> [String] {
        let output = try JSONDocument(parsing: try self.output(schema, instance, format))
        return lines(output.root)
    }

    private func lines(_ unit: JSONNode) -> [String] {
        let below = unit["errors"] ?? unit["annotations"]
        return (below?.elements.map(\.self) ?? []).flatMap { child -> [String] in
            let annotation =
                child["annotation"].map { " = " + String(decoding: $0.encoded(.compact), as: UTF8.self) } ?? ""
            let place = (child["keywordLocation"]?.string ?? "?") + " @" + (child["instanceLocation"]?.string ?? "?")
            return [(child["valid"]?.bool == true ? "" : "! ") + place + annotation] + lines(child).map { "  " + $0 }
        }
    }

    private static let schema = ##"""
        {"$schema":"https://json-schema.org/draft/2020-12/schema","title":"A point","type":"object",
        "properties":{"x":{"$ref":"#/$defs/n"},"name":{"type":"string","description":"shown"}},"required":["x"],
        "$defs":{"n":{"type":"number","minimum":0}}}
        """##

    @Test func flag() throws {
        #expect(try output(Self.schema, #"{"x":1}"#, .flag) == #"{"valid":true}"#)
        #expect(try output(Self.schema, #"{"x":-1}"#, .flag) == #"{"valid":false}"#)
    }

    @Test func basicErrors() throws {
        #expect(
            try output(Self.schema, #"{"x":-1,"name":"a"}"#, .basic)
                == ##"{"valid":false,"keywordLocation":"","absoluteKeywordLocation":"https://example.org/s#","##
                + ##""instanceLocation":"","errors":[{"valid":false,"keywordLocation":"/properties/x/$ref/minimum","##
                + ##""absoluteKeywordLocation":"https://example.org/s#/$defs/n/minimum","instanceLocation":"/x","##
                + ##""error":"found -1, expected at least 0"}]}"##
        )
    }

    @Test func basicAnnotations() throws {
        #expect(
            try units(Self.schema, #"{"x":1,"name":"a"}"#, .basic) == [
                #"/title @ = "A point""#, "/type @", #"/properties @ = ["x","name"]"#, "/properties/x/$ref @/x",
                "/properties/x/$ref/type @/x", "/properties/x/$ref/minimum @/x", "/properties/name/type @/name",
                #"/properties/name/description @/name = "shown""#, "/required @",
            ]
        )
    }

    @Test func detailed() throws {
        #expect(
            try units(Self.schema, #"{"x":"1","name":2}"#, .detailed) == [
                "! /properties @", "  ! /properties/x/$ref/type @/x", "  ! /properties/name/type @/name",
            ]
        )
        #expect(
            try units(Self.schema, #"{"x":1,"name":""}"#, .detailed) == [
                #"/title @ = "A point""#, #"/properties @ = ["x","name"]"#,
                #"  /properties/name/description @/name = "shown""#,
            ]
        )
    }

    @Test func verbose() throws {
        #expect(
            try units(#"{"anyOf":[{"title":"t","type":"string"},{"readOnly":true}]}"#, "1", .verbose) == [
                "/anyOf @", "  ! /anyOf/0 @", "    /anyOf/0/title @", "    ! /anyOf/0/type @", "  /anyOf/1 @",
                "    /anyOf/1/readOnly @ = true",
            ]
        )
    }

    /// Annotations of a schema that is not met are dropped, however deep it is.
    @Test(arguments: SchemaOutputFormat.allCases)
    func failuresHaveNoAnnotations(_ format: SchemaOutputFormat) throws {
        let schema = #"{"type":"string","readOnly":true,"allOf":[{"title":"t"}]}"#
        #expect(try !output(schema, "1", format).contains("\"annotation\""))
    }

    /// What each keyword notes.
    @Test(arguments: [
        (#"{"prefixItems":[true]}"#, "[1,2]", "/prefixItems @ = 0"),
        (#"{"prefixItems":[true]}"#, "[1]", "/prefixItems @ = true"),
        (#"{"items":true}"#, "[1]", "/items @ = true"), (#"{"items":true}"#, "[]", "/items @"),
        (#"{"contains":{"type":"string"}}"#, #"[1,"a"]"#, "/contains @ = [1]"),
        (#"{"contains":{"type":"string"}}"#, #"["a"]"#, "/contains @ = true"),
        (#"{"patternProperties":{"^a":true}}"#, #"{"ab":1,"b":1}"#, #"/patternProperties @ = ["ab"]"#),
        (#"{"unevaluatedProperties":true}"#, #"{"b":1}"#, #"/unevaluatedProperties @ = ["b"]"#),
        (#"{"unevaluatedItems":true}"#, "[1]", "/unevaluatedItems @ = true"),
        (#"{"x-unit":"kg"}"#, "1", #"/x-unit @ = "kg""#), (#"{"format":"date"}"#, "1", #"/format @ = "date""#),
        (#"{"contentEncoding":"base64"}"#, "1", "/contentEncoding @"), (#"{"minLength":2}"#, "1", "/minLength @"),
    ])
    func annotations(_ schema: String, _ instance: String, _ line: String) throws {
        #expect(try units(schema, instance, .basic).first == line)
    }

    @Test func annotationsInSwift() throws {
        let schema = try JSONSchema(JSONDocument(parsing: Self.schema), uri: "https://example.org/s")
        let evaluation = try schema.evaluation(JSONDocument(parsing: #"{"x":1,"name":"a"}"#))
        let shown = evaluation.annotations.first { $0.keywordLocation.hasSuffix("/description") }
        #expect(shown?.instanceLocation == "/name")
        #expect(shown?.annotation == "shown")
        #expect(try schema.evaluation(JSONDocument(parsing: "1")).annotations.isEmpty)
    }

    @Test func names() throws {
        let lines = try units(#"{"properties":{"~a/b %":{"type":"null"}}}"#, #"{"~a/b %":1}"#, .basic)
        #expect(lines == ["! /properties/~0a~1b %/type @/~0a~1b %"])
        let text = try output(#"{"properties":{"~a/b %":{"type":"null"}}}"#, #"{"~a/b %":1}"#, .basic)
        #expect(text.contains("https://example.org/s#/properties/~0a~1b%20%25/type"))
    }

    /// A schema may ask for 2^60 units, or go on without end; neither is tried.
    @Test func hostile() throws {
        let levels = (0..<60).map { level in
            ##""d\##(level)":{"allOf":[{"$ref":"#/$defs/d\##(level + 1)"},{"$ref":"#/$defs/d\##(level + 1)"}]}"##
        }
        let wide = ##"{"$ref":"#/$defs/d0","$defs":{"## + levels.joined(separator: ",") + #","d60":{}}}"#
        #expect(throws: OutputError.self) { try output(wide, "1", .verbose) }
        #expect(try output(wide, "1", .flag) == #"{"valid":true}"#)
        let endless = ##"{"$dynamicAnchor":"a","not":{"$dynamicRef":"#a"}}"##
        #expect(throws: OutputError.self) { try output(endless, "1", .basic) }
        #expect(try output(endless, "1", .flag) == #"{"valid":false}"#)
        let unanswered = #"{"not":{"pattern":"^(a+)+\\1$"}}"#
        let long = "\"" + String(repeating: "a", count: 100) + "c\""
        #expect(throws: OutputError.self) { try output(unanswered, long, .basic) }
        #expect(try output(unanswered, long, .flag) == #"{"valid":false}"#)
    }
}

private let outputSuite = "json-schema-test-suite/output-tests"

/// The output tests of the official suite.
struct OutputSuiteTests {
    @Test(
        .enabled(if: SharedFolder.has(outputSuite), "the suite's output-tests in ../shared are missing"),
        arguments: ["2019-09", "2020-12"]
    )
    func suite(_ draft: String) throws {
        let folder = "\(outputSuite)/draft\(draft)/"
        var registry = SchemaRegistry()
        try registry.add(JSONDocument(parsing: SharedFolder.bytes(folder + "output-schema.json")))
        var count = 0
        for file in try SharedFolder.jsonFiles(below: String(folder.dropLast()))
        where !file.hasSuffix("output-schema.json") {
            for group in try JSONDocument(parsing: SharedFolder.bytes(file)).root.elements {
                let schema = try JSONSchema(JSONDocument(parsing: group["schema"]?.encoded(.compact) ?? []))
                for test in group["tests"]?.elements.map(\.self) ?? [] {
                    let data = try JSONDocument(parsing: test["data"]?.encoded(.compact) ?? [])
                    for expected in test["output"]?.members.map(\.self) ?? [] {
                        guard let format = SchemaOutputFormat(rawValue: expected.name) else { continue }
                        let output = try schema.output(data, format: format).encoded(.compact)
                        let check = try JSONSchema(
                            JSONDocument(parsing: expected.value.encoded(.compact)),
                            uri: "https://json-schema.org/draft/\(draft)/output/test",
                            registry: registry
                        )
                        let report = check.validate(try JSONDocument(parsing: output))
                        #expect(
                            report.isValid,
                            "\(file): \(test["description"]?.string ?? ""), \(expected.name): \(report.findings.map(\.message))"
                        )
                        count += 1
                    }
                }
            }
        }
        #expect(count > 0)
    }
}
