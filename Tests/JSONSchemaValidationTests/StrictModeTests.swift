import JSONSchemaValidation
import StrictJSON
import Testing

/// Which members count as known in strict mode, and what is said of the others.
struct StrictModeTests {
    private func unknown(_ schema: String, _ instance: String) throws -> [String] {
        let schema = try TestSchema(schema).schema
        let report = schema.validate(try JSONDocument(parsing: instance), strict: true)
        #expect(report.isValid)
        #expect(report.findings.allSatisfy { $0.severity == .warning && $0.code == "schema.unknown-member" })
        return report.findings.map(\.pointer.description)
    }

    @Test(arguments: [
        (#"{"properties":{"a":true}}"#, #"{"a":1,"b":1}"#, ["/b"]),
        (#"{"properties":{"a":{"items":{"properties":{"b":true}}}}}"#, #"{"a":[{"b":1},{"c":1}]}"#, ["/a/1/c"]),
        // Known through other keywords and other schemas.
        (
            ##"{"allOf":[{"properties":{"a":true}},{"$ref":"#/$defs/x"}],"$defs":{"x":{"properties":{"b":true}}}}"##,
            #"{"a":1,"b":1,"c":1}"#, ["/c"]
        ),
        (#"{"properties":{"a":true},"patternProperties":{"^x-":true}}"#, #"{"a":1,"x-b":1,"c":1}"#, ["/c"]),
        (#"{"properties":{"a":true},"additionalProperties":{"type":"integer"}}"#, #"{"b":1}"#, []),
        (#"{"properties":{"a":true},"unevaluatedProperties":{"type":"integer"}}"#, #"{"b":1}"#, []),
        (#"{"properties":{"a":true},"required":["b"]}"#, #"{"b":1}"#, []),
        (
            #"{"if":{"required":["t"]},"then":{"properties":{"b":true}},"properties":{"t":true}}"#,
            #"{"t":1,"b":1,"c":2}"#, ["/c"]
        ),
        (
            #"{"properties":{"t":true},"dependentSchemas":{"t":{"properties":{"b":true}}}}"#, #"{"t":1,"b":1,"c":2}"#,
            ["/c"]
        ),
        // Below branches, too, and whichever branch knows it.
        (
            #"{"oneOf":[{"properties":{"a":{"properties":{"x":true}}},"required":["a"]},{"required":["b"]}]}"#,
            #"{"a":{"x":1,"y":1}}"#, ["/a/y"]
        ),
        (
            #"{"anyOf":[{"properties":{"a":true}},{"properties":{"b":true}},{"properties":{"c":true},"required":["d"]}]}"#,
            #"{"a":1,"b":1,"c":1}"#, ["/c"]
        ),
        (
            #"{"allOf":[{"properties":{"a":{"properties":{"x":true}}}},{"properties":{"a":{"properties":{"y":true}}}}]}"#,
            #"{"a":{"x":1,"y":1,"z":1}}"#, ["/a/z"]
        ),
        // What fails, or must not match, knows nothing.
        (
            #"{"properties":{"a":true},"not":{"properties":{"b":{"type":"string"}},"required":["b"]}}"#, #"{"b":1}"#,
            ["/b"]
        ),
        // Free-form members, and schemas that name none.
        (#"{"properties":{"a":true}}"#, #"{"a":{"b":{"c":1}}}"#, []),
        (#"{"type":"object","minProperties":1}"#, #"{"a":1}"#, []),
        (#"{"properties":{"a":{"type":"object"}}}"#, #"{"a":{"b":1}}"#, []),
        (#"{"contains":{"properties":{"a":true}}}"#, #"[{"a":1},{"b":1}]"#, ["/1/b"]),
    ])
    func members(_ schema: String, _ instance: String, _ expected: [String]) throws {
        #expect(try unknown(schema, instance) == expected)
    }

    @Test(arguments: [
        (
            #"{"properties":{"name":true}}"#, #"{"nmae":1}"#,
            #"f.json:1:2: warning[schema.unknown-member]: found the member "nmae", expected a member that the schema knows; did you mean "name"? (at /nmae)"#
        ),
        (
            #"{"items":{"allOf":[{"properties":{"name":true}}]}}"#, #"[{"Name":1}]"#,
            #"f.json:1:3: warning[schema.unknown-member]: found the member "Name", expected a member that the schema knows; did you mean "name"? (at /0/Name)"#
        ),
        (
            #"{"if":true,"then":{"properties":{"name":true}}}"#, #"{"naem":1}"#,
            #"f.json:1:2: warning[schema.unknown-member]: found the member "naem", expected a member that the schema knows; did you mean "name"? (at /naem)"#
        ),
        (
            #"{"properties":{"name":true}}"#, #"{"other":1}"#,
            #"f.json:1:2: warning[schema.unknown-member]: found the member "other", expected a member that the schema knows (at /other)"#
        ),
    ])
    func suggestions(_ schema: String, _ instance: String, _ line: String) throws {
        #expect(try TestSchema(schema).lines(instance, strict: true) == [line])
    }

    /// A misspelt member is one fault, not a missing and an unknown one.
    @Test func oneCauseOneFinding() throws {
        for rest in ["", #","additionalProperties":false"#] {
            let schema = try TestSchema(#"{"properties":{"duration":true},"required":["duration"]"# + rest + "}")
            let line =
                #"f.json:1:2: error[schema.required]: found no member "duration", expected one: it is required; "#
                + #"is "durtion" meant? (at /durtion)"#
            #expect(try schema.lines(#"{"durtion":1}"#, strict: true) == [line])
        }
    }
}
