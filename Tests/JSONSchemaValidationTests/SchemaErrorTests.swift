import JSONSchemaValidation
import StrictJSON
import Testing

/// What is said of schemas that are none, and where.
struct SchemaErrorTests {
    /// Every keyword refuses a value of a wrong kind, at that value, wherever it stands.
    @Test(arguments: [
        "$id", "$schema", "$ref", "$dynamicRef", "$anchor", "$dynamicAnchor", "$comment", "$defs", "$vocabulary",
        "type", "enum", "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength",
        "minLength", "pattern", "maxItems", "minItems", "uniqueItems", "maxContains", "minContains", "maxProperties",
        "minProperties", "required", "dependentRequired", "prefixItems", "items", "contains", "additionalProperties",
        "properties", "patternProperties", "dependentSchemas", "propertyNames", "if", "then", "else", "allOf", "anyOf",
        "oneOf", "not", "unevaluatedItems", "unevaluatedProperties", "title", "description", "deprecated", "readOnly",
        "writeOnly", "examples", "format", "contentEncoding", "contentMediaType", "contentSchema",
    ])
    func wrongKinds(_ keyword: String) throws {
        let isNumber = ["m", "exclusiveM"].contains { keyword.hasPrefix($0) }
        let wrong = isNumber ? #""x""# : "3"
        for (schema, place) in [
            (#"{"\#(keyword)":\#(wrong)}"#, "/\(keyword)"),
            (#"{"$defs":{"a":{"\#(keyword)":\#(wrong)}}}"#, "/$defs/a/\(keyword)"),
        ] {
            let line = try #require(try schemaError(schema), "\(keyword) is accepted")
            #expect(line.contains("error[schema.keyword]: found "), "\(line)")
            #expect(line.contains("(at \(place))"), "\(line)")
        }
    }

    @Test(arguments: [
        (
            "[]",
            "1:1: error[schema.keyword]: found array, expected a schema (an object or a Boolean) (at the top level)"
        ),
        (
            #"{"$ref":"other.json"}"#,
            #"1:9: error[schema.unresolved-reference]: found the reference "other.json", expected a registered schema "#
                + "with the URI https://example.org/other.json; register the schema under that URI (nothing is fetched) "
                + "or correct the reference (at /$ref)"
        ),
        (
            ##"{"$ref":"#/$defs/adress","$defs":{"address":true}}"##,
            ##"1:9: error[schema.unresolved-reference]: found the reference "#/$defs/adress", expected a schema at "##
                + ##""/$defs/adress" in https://example.org/s; did you mean "#/$defs/address"? (at /$ref)"##
        ),
        (
            ##"{"$ref":"#nam","$defs":{"a":{"$anchor":"name"}}}"##,
            ##"1:9: error[schema.unresolved-reference]: found the reference "#nam", expected an anchor "nam" in "##
                + ##"https://example.org/s; did you mean "#name"? (at /$ref)"##
        ),
        (
            ##"{"$ref":"#/a~2"}"##,
            ##"1:9: error[schema.unresolved-reference]: found the reference "#/a~2", expected each ~ in its JSON Pointer "##
                + "to be ~0 or ~1 (at /$ref)"
        ),
        (
            ##"{"$ref":"#/%+1"}"##,
            ##"1:9: error[schema.unresolved-reference]: found the reference "#/%+1", expected each % in its fragment to "##
                + "be followed by two hex digits (at /$ref)"
        ),
        (
            #"{"properties":{"a":{"pattern":"a("}}}"#,
            #"1:31: error[schema.invalid-pattern]: found the regular expression "a(" in "pattern": "#
        ),
        (
            "{\"patternProperties\":{\n\"^a\":true,\n\"^(b\":true}}",
            #"3:1: error[schema.invalid-pattern]: found the regular expression "^(b" in "patternProperties": "#
        ),
        (
            #"{"$schema":"http://json-schema.org/draft-03/schema#"}"#,
            #"1:12: error[schema.unknown-dialect]: found "$schema" "http://json-schema.org/draft-03/schema", expected "#
                + "the metaschema of draft 4, 6, 7, 2019-09, 2020-12 or one that is registered"
        ),
        (
            ##"{"$id":"http://a.test/#x"}"##,
            ##"1:8: error[schema.keyword]: found "$id": "http://a.test/#x", expected no fragment; "##
        ),
        (
            #"{"$defs":{"a":{"$anchor":"x"},"b":{"$anchor":"x"}}}"#,
            #"1:35: error[schema.duplicate-identifier]: found a second anchor "x" in https://example.org/s, expected "#
                + "only that at /$defs/a (at /$defs/b)"
        ),
        (
            #"{"$defs":{"a":{"$id":"x"},"b":{"$id":"x"}}}"#,
            "1:31: error[schema.duplicate-identifier]: found a second schema with the URI https://example.org/x, "
                + "expected only that at https://example.org/s#/$defs/a (at /$defs/b)"
        ),
    ])
    func messages(_ schema: String, _ line: String) throws {
        let error = try #require(try schemaError(schema))
        #expect(error.hasPrefix("s.json:" + line), "\(error)")
    }

    /// A regular expression that is a member's name is pointed to.
    @Test func patternThatIsAName() throws {
        let error = try #require(try schemaError(#"{"patternProperties":{"^a":true,"^(b":true}}"#))
        #expect(error.hasSuffix("(at /patternProperties/^(b)"), "\(error)")
    }

    /// A schema that checks one value against itself is refused, with the way round.
    @Test(arguments: [
        ##"{"$ref":"#"}"##, ##"{"allOf":[{"$ref":"#"}]}"##, ##"{"anyOf":[{"type":"null"},{"$ref":"#"}]}"##,
        ##"{"oneOf":[{"$ref":"#"}]}"##, ##"{"not":{"$ref":"#"}}"##, ##"{"if":{"$ref":"#"},"then":false}"##,
        ##"{"if":true,"else":{"$ref":"#"}}"##, ##"{"dependentSchemas":{"a":{"$ref":"#"}}}"##,
        ##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}"##,
    ])
    func circles(_ schema: String) throws {
        let error = try #require(try schemaError(schema))
        #expect(
            error.contains("error[schema.endless-reference]: found a schema that refers back to itself"),
            "\(error)"
        )
        #expect(error.contains(" → "))
    }

    /// Circles through members and elements end with the document.
    @Test(arguments: [
        ##"{"properties":{"a":{"$ref":"#"}}}"##, ##"{"items":{"$ref":"#"}}"##, ##"{"propertyNames":{"$ref":"#"}}"##,
        ##"{"contains":{"$ref":"#"},"minContains":0}"##, ##"{"unevaluatedProperties":{"$ref":"#"}}"##,
    ])
    func circlesThatEnd(_ schema: String) throws {
        #expect(try TestSchema(schema).isValid(#"{"a":{"a":[]}}"#))
    }

    /// A dynamic reference may lead in a circle that only evaluation finds: one finding, and never valid.
    @Test(arguments: [
        ##"{"$dynamicAnchor":"x","not":{"$dynamicRef":"#x"}}"##,
        ##"{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"},{"$dynamicRef":"#x"}]}"##,
        ##"{"$dynamicAnchor":"x","anyOf":[{"$dynamicRef":"#x"},{"type":"integer"}],"unevaluatedItems":false}"##,
    ])
    func dynamicCircles(_ schema: String) throws {
        let schema = try TestSchema(schema)
        let lines = try schema.lines("1", strict: true)
        #expect(lines.count == 1)
        #expect(lines.allSatisfy { $0.contains("error[schema.depth]: found 1, to which 640 schemas apply inside") })
        #expect(try !schema.isValid("1"))
        // No such schema has a "$ref".
        #expect(try schema.locations("1").allSatisfy { !$0.hasSuffix("/$ref") })
    }

    // MARK: Identifiers

    @Test func files() throws {
        var registry = SchemaRegistry()
        try registry.add(JSONDocument(parsing: #"{"type":"string"}"#), uri: "file:///schemas/my%20names.json")
        for reference in ["my names.json", "my%20names.json", "../schemas/my%20n%61mes.json#"] {
            let text = #"{"properties":{"a":{"$ref":"\#(reference)"}}}"#
            let document = try JSONDocument(parsing: text)
            let schema = try JSONSchema(document, uri: "file:///schemas/main.json", registry: registry)
            #expect(try !schema.isValid(JSONDocument(parsing: #"{"a":1}"#)))
            #expect(try schema.isValid(JSONDocument(parsing: #"{"a":"x"}"#)))
        }
    }

    /// The same file may be registered twice, another under its URI may not.
    @Test func duplicates() throws {
        var registry = SchemaRegistry()
        let document = try JSONDocument(parsing: #"{"$id":"https://a.test/x","$defs":{"y":{"$id":"y"}}}"#)
        try registry.add(document, uri: "file:///x.json")
        try registry.add(document)
        _ = try JSONSchema(document, uri: "file:///x.json", registry: registry)
        #expect(throws: SchemaError.self) {
            try registry.add(JSONDocument(parsing: #"{"$id":"https://a.test/x"}"#))
        }
        // The published metaschema may be given.
        try registry.add(JSONDocument(parsing: #"{"$id":"https://json-schema.org/draft/2020-12/schema"}"#))
    }

    @Test func pointersAndBases() throws {
        let schema = try TestSchema(
            ##"{"$defs":{"a b/c~d":{"type":"null"},"e":{"$id":"https://b.test/","$defs":{"f":{"type":"array"}},"##
                + ##""properties":{"y":{"$ref":"#/$defs/f"}}}},"x-own":{"deep":[{"type":"string"}]},"##
                + ##""properties":{"a":{"$ref":"#/$defs/a%20b~1c~0d"},"b":{"$ref":"#/x-own/deep/0"},"##
                + ##""c":{"$ref":"https://b.test/"}}}"##
        )
        #expect(try schema.isValid(#"{"a":null,"b":"s","c":{"y":[]}}"#))
        for wrong in [#"{"a":1}"#, #"{"b":1}"#, #"{"c":{"y":1}}"#] { #expect(try !schema.isValid(wrong)) }
    }

    /// A vocabulary that must be understood and is not.
    @Test func vocabulary() throws {
        var registry = SchemaRegistry()
        let metaschema = #"{"$id":"https://m.test/","$vocabulary":{"https://m.test/vocab":true}}"#
        try registry.add(JSONDocument(parsing: metaschema))
        let line = try schemaError(#"{"$schema":"https://m.test/"}"#, registry: registry)
        #expect(line?.contains("error[schema.unknown-vocabulary]: found the dialect") == true)
    }

    /// A schema that calls itself as asked for, in vain, is named with what to do.
    @Test func ignoredIdentifier() throws {
        var registry = SchemaRegistry(defaultDraft: .draft7)
        let types = ##"{"$id":"https://e.test/types","$ref":"#/definitions/t","definitions":{"t":{}}}"##
        try registry.add(JSONDocument(parsing: types), uri: "file:///types.json")
        let line = try schemaError(#"{"$ref":"https://e.test/types"}"#, registry: registry)
        #expect(line?.contains("the URI https://e.test/types; file:///types.json has it as its identifier") == true)
        #expect(line?.contains(#"ignores beside "$ref": put that reference into "allOf""#) == true)
    }
}
