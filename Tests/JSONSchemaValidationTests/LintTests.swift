import JSONSchemaValidation
import StrictJSON
import Testing

/// What is allowed in a schema and probably not meant.
struct LintTests {
    private func lint(_ text: String) throws -> [String] {
        try JSONSchema.lint(JSONDocument(parsing: text), file: "s.json").map { "\($0.code) \($0.pointer ?? .root)" }
    }

    @Test(arguments: [
        (##"{"$defs":{"a":{},"b":{"c":{}}},"$ref":"#/$defs/b/c"}"##, ["schema.unused-definition /$defs/a"]),
        (#"{"then":{}}"#, ["schema.no-effect /then"]),
        (#"{"if":{}}"#, ["schema.no-effect /if"]),
        (#"{"minContains":2}"#, ["schema.no-effect /minContains"]),
        (
            #"{"type":"string","minimum":2,"required":["a"]}"#,
            ["schema.no-effect /minimum", "schema.no-effect /required"]
        ),
        (#"{"type":["integer","null"],"minimum":2}"#, []),
        (
            ##"{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"a":{}},"items":{"$ref":"#/definitions/a","minItems":1}}"##,
            ["schema.no-effect /items/minItems"]
        ),
        (
            #"{"$schema":"http://json-schema.org/draft-07/schema#","items":{},"additionalItems":false}"#,
            ["schema.no-effect /additionalItems"]
        ),
        (#"{"minLength":3,"maxLength":2}"#, ["schema.never-valid /maxLength"]),
        (#"{"minimum":3,"maximum":2.5}"#, ["schema.never-valid /maximum"]),
        (#"{"minimum":5,"exclusiveMaximum":5}"#, ["schema.never-valid /exclusiveMaximum"]),
        (#"{"exclusiveMinimum":5,"maximum":5.0}"#, ["schema.never-valid /maximum"]),
        (#"{"exclusiveMinimum":5,"exclusiveMaximum":5}"#, ["schema.never-valid /exclusiveMaximum"]),
        (
            #"{"$schema":"http://json-schema.org/draft-04/schema#","minimum":5,"maximum":5,"exclusiveMaximum":true}"#,
            ["schema.never-valid /maximum"]
        ),
        (#"{"type":"integer","exclusiveMinimum":1,"exclusiveMaximum":2}"#, ["schema.never-valid /exclusiveMaximum"]),
        (#"{"type":"integer","minimum":-1.8,"maximum":-1.2}"#, ["schema.never-valid /maximum"]),
        (#"{"type":"integer","minimum":-1.8,"exclusiveMaximum":-0.2}"#, []),
        (#"{"type":["integer","number"],"exclusiveMinimum":1,"exclusiveMaximum":2}"#, []),
        (#"{"minimum":5,"maximum":5}"#, []),
        (#"{"contains":{},"minContains":3,"maxItems":2}"#, ["schema.never-valid /maxItems"]),
        (#"{"contains":{},"maxItems":0}"#, ["schema.never-valid /maxItems"]),
        (#"{"contains":{},"minContains":0,"maxItems":0}"#, []),
        (#"{"required":["a","b"],"maxProperties":1}"#, ["schema.never-valid /maxProperties"]),
        (#"{"type":"string","const":5}"#, ["schema.never-valid /const"]),
        (#"{"minimum":6,"const":5}"#, ["schema.never-valid /const"]),
        (
            #"{"type":"null","$defs":{"a":{"type":"string","const":5}}}"#,
            ["schema.unused-definition /$defs/a", "schema.never-valid /$defs/a/const"]
        ),
        // Definitions alone are there for others.
        (#"{"$id":"https://x.test/d","$defs":{"a":{"type":"string"}}}"#, []),
        // What an "if" evaluates counts for keywords that look at the rest.
        (#"{"if":{"properties":{"a":{}}},"unevaluatedProperties":false}"#, []),
        (
            ##"{"allOf":[{"$ref":"#/$defs/i"}],"unevaluatedItems":false,"$defs":{"i":{"if":{"prefixItems":[{}]}}}}"##,
            []
        ),
        (
            #"{"$schema":"http://json-schema.org/draft-07/schema#","if":{},"unevaluatedProperties":false}"#,
            ["schema.no-effect /if", "schema.unknown-keyword /unevaluatedProperties"]
        ),
        (#"{"type":"integer","const":5.0}"#, []),
        (#"{"enum":[1,2],"minimum":3}"#, ["schema.never-valid /enum"]),
        (#"{"enum":[1,2],"minimum":2}"#, []),
        (
            ##"{"properties":{"a":{"$ref":"#/$defs/s","default":5},"b":{"$ref":"#/$defs/t","default":"s"}},"##
                + ##""$defs":{"s":{"type":"string"},"t":{"$ref":"#/$defs/s"}}}"##,
            ["schema.default /properties/a/default"]
        ),
        (#"{"type":"string","enum":["a",1]}"#, ["schema.never-valid /enum/1"]),
        (#"{"required":["a"],"additionalProperties":false}"#, ["schema.never-valid /required/0"]),
        (#"{"properties":{"a":{"type":"integer","default":"1"}}}"#, ["schema.default /properties/a/default"]),
        (#"{"pattern":"^\\d+$"}"#, ["schema.pattern-differs /pattern"]),
        (#"{"pattern":"^(?!a)b"}"#, ["schema.pattern-differs /pattern"]),
        (#"{"pattern":"^[(?=]+\\\\d$"}"#, []),
        (#"{"patternProperties":{"(a)\\1":{}}}"#, ["schema.pattern-differs /patternProperties/(a)\\1"]),
        (#"{"requried":[]}"#, ["schema.unknown-keyword /requried"]),
    ])
    func findings(_ schema: String, _ expected: [String]) throws {
        #expect(try lint(schema) == expected)
    }

    /// A warning names the value and the rule that it breaks.
    @Test(arguments: [
        (
            #"{"type":"integer","minimum":1,"default":0}"#,
            "found the default 0, which its schema does not allow: expected at least 1"
        ),
        (
            #"{"properties":{"a":{"type":"string"}},"default":{"a":1}}"#,
            #"found the default {"a":1}, which its schema does not allow: at /a expected a string"#
        ),
        (#"{"type":"string","enum":["a",5]}"#, #"found 5 in "enum", which "type" does not allow"#),
        (
            #"{"const":"a","maxLength":0}"#,
            #"found "a" in "const", which its schema does not allow: expected at most 0 characters; no value is valid"#
        ),
    ])
    func messages(_ schema: String, _ message: String) throws {
        let found = try JSONSchema.lint(JSONDocument(parsing: schema), file: nil)
        #expect(found.map(\.message) == [message])
    }

    /// A definition is used where another registered schema refers to it, or to one that refers to it.
    @Test func usedByOthers() throws {
        let text = ##"{"items":{"$ref":"#/$defs/d"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{},"c":{},"d":{}}}"##
        let document = try JSONDocument(parsing: text)
        var registry = SchemaRegistry()
        try registry.add(JSONDocument(parsing: ##"{"items":{"$ref":"defs.json#/$defs/a"}}"##), uri: "file:///main.json")
        let found = try JSONSchema.lint(document, uri: "file:///defs.json", registry: registry, file: nil)
        #expect(found.map { $0.pointer?.description } == ["/$defs/c"])
    }
}
