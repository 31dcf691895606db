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
}
