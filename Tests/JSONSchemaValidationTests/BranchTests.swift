import JSONSchemaValidation
import StrictJSON
import Testing

/// `anyOf` and `oneOf` tell what is wrong with the branch that was meant.
struct BranchTests {
    static let intervals = ##"""
        {"oneOf":[{"$ref":"#/$defs/work"},{"$ref":"#/$defs/rest"}],"$defs":{
        "work":{"properties":{"type":{"const":"work"},"name":{"type":"string"},"unit":{"enum":["s","min"]}},
        "required":["type","name"]},
        "rest":{"properties":{"type":{"const":"rest"},"seconds":{"type":"integer"},
        "next":{"oneOf":[{"$ref":"#/$defs/work"},{"$ref":"#/$defs/rest"}]}},"required":["type","seconds"]}}}
        """##

    @Test(arguments: [
        // Another member's constant tells the branch, even where its other members are all wrong.
        (
            #"{"type":"rest","seconds":"x"}"#,
            [#"1:26: error[schema.type]: found the string "x", expected an integer (at /seconds)"#]
        ),
        (
            #"{"unit":"h","type":"work","name":1}"#,
            [
                #"1:9: error[schema.enum]: found the string "h", expected "s" or "min" (at /unit)"#,
                "1:34: error[schema.type]: found 1, expected a string; write it in quotes (at /name)",
            ]
        ),
        // A constant of no branch is the one fault.
        (
            #"{"type":"rst","seconds":1}"#,
            [
                #"1:9: error[schema.oneOf]: found the string "rst", expected "work" or "rest"; did you mean "rest"? (at /type)"#
            ]
        ),
        // Branches in branches.
        (
            #"{"type":"rest","seconds":1,"next":{"type":"rest","seconds":1.5}}"#,
            ["1:60: error[schema.type]: found 1.5, expected an integer (at /next/seconds)"]
        ),
        // Nothing tells the branch: the one with the fewest faults.
        (
            #"{"seconds":1}"#,
            [
                #"1:1: error[schema.oneOf]: found an object of 1 member, expected one of the alternatives "work" or "rest"; "rest" comes nearest (at the top level)"#,
                #"1:1: error[schema.required]: found no member "type", expected one: it is required (at the top level)"#,
            ]
        ),
    ])
    func discriminated(_ instance: String, _ lines: [String]) throws {
        #expect(try TestSchema(Self.intervals).lines(instance) == lines.map { "f.json:" + $0 })
    }

    @Test(arguments: [
        (
            #"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "true",
            "error[schema.anyOf]: found true, expected a string or an integer"
        ),
        (
            #"{"anyOf":[{"type":"null"},{"type":"string","minLength":2}]}"#, #""a""#,
            #"error[schema.minLength]: found the string "a" of 1 character, expected at least 2 characters"#
        ),
        (
            #"{"oneOf":[{"const":1},{"const":2},{"enum":[3,4]}]}"#, "5",
            "error[schema.oneOf]: found 5, expected 1, 2, 3 or 4"
        ),
        (
            #"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#, "{}",
            #"error[schema.anyOf]: found no member "a" or "b", expected one of them"#
        ),
        (
            #"{"anyOf":[{"type":"object"},{"const":"none"}]}"#, "1",
            #"error[schema.anyOf]: found 1, expected an object or "none""#
        ),
        (
            #"{"oneOf":[{"title":"A","minimum":1},{"minimum":2}]}"#, "3",
            #"error[schema.oneOf]: found 3, which matches "A" and alternative 2, expected exactly one to match"#
        ),
        (
            #"{"oneOf":[{"required":["uses"]},{"required":["run"]}]}"#, #"{"uses":1,"run":2}"#,
            #"error[schema.oneOf]: found an object of 2 members, which matches alternative 1 (with "uses") and "#
                + #"alternative 2 (with "run"), expected exactly one to match"#
        ),
        // Both branches say the same.
        (
            #"{"anyOf":[{"required":["a"]},{"required":["a"],"minProperties":0}]}"#, "{}",
            #"error[schema.required]: found no member "a", expected one: it is required"#
        ),
    ])
    func merged(_ schema: String, _ instance: String, _ line: String) throws {
        #expect(try TestSchema(schema).lines(instance) == ["f.json:1:1: \(line) (at the top level)"])
    }

    /// The findings of a branch count and are limited like all others.
    @Test func limited() throws {
        let schema = try TestSchema(#"{"anyOf":[{"items":{"type":"string"},"type":"array"},{"type":"null"}]}"#).schema
        let document = try JSONDocument(parsing: "[" + Array(repeating: "1", count: 500).joined(separator: ",") + "]")
        let report = schema.validate(document, limit: 10)
        #expect(report.findings.count == 10)
        #expect(report.total == 500)
    }
}
