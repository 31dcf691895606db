import JSONSchemaValidation
import StrictJSON
import Testing

/// What each keyword says, word for word, and where.
struct MessageTests {
    /// A schema, an instance, what is said of it after `f.json:`, and the keyword's place.
    struct Case: Sendable {
        let schema: String
        let instance: String
        let line: String
        let location: String
    }

    static let cases: [Case] = [
        Case(
            schema: #"{"properties":{"a":{"type":"integer"}}}"#,
            instance: #"{"a":"x"}"#,
            line: #"1:6: error[schema.type]: found the string "x", expected an integer (at /a)"#,
            location: "#/properties/a/type"
        ),
        Case(
            schema: #"{"type":["string","null"]}"#,
            instance: "[]",
            line: "1:1: error[schema.type]: found an empty array, expected a string or null (at the top level)",
            location: "#/type"
        ),
        Case(
            schema: #"{"type":"integer"}"#,
            instance: #""12""#,
            line: #"1:1: error[schema.type]: found the string "12", expected an integer; write it without the quotes"#
                + " (at the top level)",
            location: "#/type"
        ),
        Case(
            schema: #"{"type":"string"}"#,
            instance: "12",
            line: "1:1: error[schema.type]: found 12, expected a string; write it in quotes (at the top level)",
            location: "#/type"
        ),
        Case(
            schema: #"{"properties":{"a":false}}"#,
            instance: #"{"a":1}"#,
            line: "1:6: error[schema.false]: found 1, expected nothing: the schema allows no value here (at /a)",
            location: "#/properties/a"
        ),
        Case(
            schema: #"{"enum":["minutes","seconds"]}"#,
            instance: #""secnods""#,
            line: #"1:1: error[schema.enum]: found the string "secnods", expected "minutes" or "seconds"; "#
                + #"did you mean "seconds"? (at the top level)"#,
            location: "#/enum"
        ),
        Case(
            schema: #"{"const":3}"#,
            instance: "[1,2]",
            line: "1:1: error[schema.const]: found an array of 2 elements, expected 3 (at the top level)",
            location: "#/const"
        ),
        Case(
            schema: #"{"minLength":2}"#,
            instance: #""é""#,
            line: #"1:1: error[schema.minLength]: found the string "é" of 1 character, expected at least 2 characters"#
                + " (at the top level)",
            location: "#/minLength"
        ),
        Case(
            schema: #"{"maxLength":1}"#,
            instance: #""ab""#,
            line: #"1:1: error[schema.maxLength]: found the string "ab" of 2 characters, expected at most 1 character"#
                + " (at the top level)",
            location: "#/maxLength"
        ),
        Case(
            schema: #"{"pattern":"^#[0-9a-f]{6}$"}"#,
            instance: #""red""#,
            line: #"1:1: error[schema.pattern]: found the string "red", expected a match of the regular expression "#
                + #""^#[0-9a-f]{6}$" (at the top level)"#,
            location: "#/pattern"
        ),
        Case(
            schema: #"{"format":"date-time"}"#,
            instance: #""yesterday""#,
            line: #"1:1: error[schema.format]: found the string "yesterday", expected the format "date-time" such as "#
                + #""2026-03-01T17:30:00Z" (at the top level)"#,
            location: "#/format"
        ),
        Case(
            schema: #"{"minimum":1}"#,
            instance: "0.5",
            line: "1:1: error[schema.minimum]: found 0.5, expected at least 1 (at the top level)",
            location: "#/minimum"
        ),
        Case(
            schema: #"{"maximum":1}"#,
            instance: "2",
            line: "1:1: error[schema.maximum]: found 2, expected at most 1 (at the top level)",
            location: "#/maximum"
        ),
        Case(
            schema: #"{"exclusiveMinimum":1}"#,
            instance: "1",
            line: "1:1: error[schema.exclusiveMinimum]: found 1, expected more than 1 (at the top level)",
            location: "#/exclusiveMinimum"
        ),
        Case(
            schema: #"{"exclusiveMaximum":1}"#,
            instance: "1.0",
            line: "1:1: error[schema.exclusiveMaximum]: found 1.0, expected less than 1 (at the top level)",
            location: "#/exclusiveMaximum"
        ),
        Case(
            schema: #"{"multipleOf":0.1}"#,
            instance: "0.25",
            line: "1:1: error[schema.multipleOf]: found 0.25, expected a multiple of 0.1 (at the top level)",
            location: "#/multipleOf"
        ),
        Case(
            schema: #"{"minItems":1}"#,
            instance: "[]",
            line: "1:1: error[schema.minItems]: found an empty array, expected at least 1 element (at the top level)",
            location: "#/minItems"
        ),
        Case(
            schema: #"{"maxItems":1}"#,
            instance: "[1,2]",
            line: "1:1: error[schema.maxItems]: found an array of 2 elements, expected at most 1 element"
                + " (at the top level)",
            location: "#/maxItems"
        ),
        Case(
            schema: #"{"uniqueItems":true}"#,
            instance: "[1,2,1.0]",
            line: "1:6: error[schema.uniqueItems]: found 1.0, which is element 0 as well, expected no two equal "
                + "elements (at /2)",
            location: "#/uniqueItems"
        ),
        Case(
            schema: #"{"contains":{"type":"string"}}"#,
            instance: "[1]",
            line: #"1:1: error[schema.contains]: found an array of 1 element, none of which match "contains", "#
                + "expected at least 1 (at the top level)",
            location: "#/contains"
        ),
        Case(
            schema: #"{"contains":true,"maxContains":1}"#,
            instance: "[1,2]",
            line: #"1:1: error[schema.maxContains]: found an array of 2 elements, 2 of which match "contains", "#
                + "expected at most 1 (at the top level)",
            location: "#/maxContains"
        ),
        Case(
            schema: #"{"prefixItems":[true],"items":false}"#,
            instance: "[1,2]",
            line: "1:4: error[schema.items]: found 2, expected the array to end before this element (at /1)",
            location: "#/items"
        ),
        Case(
            schema: #"{"prefixItems":[true],"unevaluatedItems":false}"#,
            instance: "[1,2]",
            line: "1:4: error[schema.unevaluatedItems]: found 2, expected the array to end before this element (at /1)",
            location: "#/unevaluatedItems"
        ),
        Case(
            schema: #"{"minProperties":1}"#,
            instance: "{}",
            line: "1:1: error[schema.minProperties]: found an empty object, expected at least 1 member"
                + " (at the top level)",
            location: "#/minProperties"
        ),
        Case(
            schema: #"{"maxProperties":0}"#,
            instance: #"{"a":1}"#,
            line: "1:1: error[schema.maxProperties]: found an object of 1 member, expected at most 0 members"
                + " (at the top level)",
            location: "#/maxProperties"
        ),
        Case(
            schema: #"{"required":["name"]}"#,
            instance: "{}",
            line: #"1:1: error[schema.required]: found no member "name", expected one: it is required"#
                + " (at the top level)",
            location: "#/required"
        ),
        Case(
            schema: #"{"required":["duration"]}"#,
            instance: #"{"durtion":1}"#,
            line: #"1:2: error[schema.required]: found no member "duration", expected one: it is required; "#
                + #"is "durtion" meant? (at /durtion)"#,
            location: "#/required"
        ),
        Case(
            schema: #"{"dependentRequired":{"a":["b"]}}"#,
            instance: #"{"a":1}"#,
            line:
                #"1:1: error[schema.dependentRequired]: found no member "b", expected one: it is required next to "a""#
                + " (at the top level)",
            location: "#/dependentRequired"
        ),
        Case(
            schema: #"{"properties":{"name":true,"unit":true},"additionalProperties":false}"#,
            instance: #"{"nam":1}"#,
            line: #"1:2: error[schema.additionalProperties]: found the member "nam", expected no other members than "#
                + #""name" and "unit"; did you mean "name"? (at /nam)"#,
            location: "#/additionalProperties"
        ),
        Case(
            schema: #"{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":false}"#,
            instance: #"{"b":1}"#,
            line: #"1:2: error[schema.unevaluatedProperties]: found the member "b", expected no other members than "a""#
                + " (at /b)",
            location: "#/unevaluatedProperties"
        ),
        Case(
            schema: ##"{"$ref":"#/$defs/base","properties":{"deploy":true},"unevaluatedProperties":false,"##
                + ##""$defs":{"base":{"properties":{"volumes":true},"patternProperties":{"^x-":true}}}}"##,
            instance: #"{"volume":1}"#,
            line: #"1:2: error[schema.unevaluatedProperties]: found the member "volume", expected no other members "#
                + #"than "deploy", "volumes" and those that match "^x-"; did you mean "volumes"? (at /volume)"#,
            location: "#/unevaluatedProperties"
        ),
        Case(
            schema: #"{"oneOf":[{"required":["a"],"properties":{"b":true}},{"properties":{"c":true}}],"#
                + #""unevaluatedProperties":false}"#,
            instance: #"{"b":1}"#,
            line: #"1:2: error[schema.unevaluatedProperties]: found the member "b", expected no such member here: no "#
                + "schema that allows it is met (at /b)",
            location: "#/unevaluatedProperties"
        ),
        Case(
            schema: #"{"enum":["caf\u00e9"]}"#,
            instance: #""cafe\u0301""#,
            line: "1:1: error[schema.enum]: found the string \"cafe\u{301}\", expected \"caf\u{E9}\"; "
                + "they only look the same: U+0065 U+0301 stands where U+00E9 is expected (at the top level)",
            location: "#/enum"
        ),
        // Joiners stay where they join, and what cannot be seen is escaped as JSON has it.
        Case(
            schema: "{\"enum\":[\"\u{1F469}\u{200D}\u{1F393} Study\",\"\u{645}\u{6CC}\u{200C}\u{62E}\"]}",
            instance: "\"\u{1F469}\u{200D}\u{1F393} Studi\"",
            line: "1:1: error[schema.enum]: found the string \"\u{1F469}\u{200D}\u{1F393} Studi\", expected "
                + "\"\u{1F469}\u{200D}\u{1F393} Study\" or \"\u{645}\u{6CC}\u{200C}\u{62E}\"; "
                + "did you mean \"\u{1F469}\u{200D}\u{1F393} Study\"? (at the top level)",
            location: "#/enum"
        ),
        // Other letters do not join: with the joiner shown, the two would look the same.
        Case(
            schema: #"{"enum":["Ключи"]}"#,
            instance: #""Ключ\u200dи""#,
            line: #"1:1: error[schema.enum]: found the string "Ключ\u200dи", expected "Ключи"; "#
                + #"did you mean "Ключи"? (at the top level)"#,
            location: "#/enum"
        ),
        Case(
            schema: #"{"const":"a\u0000\u200db"}"#,
            instance: #""a\tb\u0085\udb40\udc67""#,
            line: #"1:1: error[schema.const]: found the string "a\tb\u0085\udb40\udc67", expected "a\u0000\u200db""#
                + " (at the top level)",
            location: "#/const"
        ),
        Case(
            schema: #"{"required":["\u00e9"]}"#,
            instance: #"{"e\u0301":1}"#,
            line: "1:2: error[schema.required]: found no member \"\u{E9}\", expected one: it is required; "
                + "they only look the same: U+0065 U+0301 stands where U+00E9 is expected (at /e\u{301})",
            location: "#/required"
        ),
        Case(
            schema: #"{"anyOf":[{"type":"number"},{"type":"string","pattern":"^[$\r\n]"}]}"#,
            instance: #""10""#,
            line: #"1:1: error[schema.pattern]: found the string "10", expected a match of the regular expression "#
                + #""^[$\r\n]" or a number; write it without the quotes (at the top level)"#,
            location: "#/anyOf/1/pattern"
        ),
        Case(
            schema: #"{"format":"regex"}"#,
            instance: #""a(""#,
            line: #"1:1: error[schema.format]: found the string "a(", expected the format "regex"; the group is never "#
                + "closed; expected ')' (at offset 1) (at the top level)",
            location: "#/format"
        ),
        Case(
            schema: #"{"propertyNames":{"pattern":"^[a-z]+$"}}"#,
            instance: #"{"A":1}"#,
            line: #"1:2: error[schema.pattern]: found the member "A", expected a match of the regular expression "#
                + #""^[a-z]+$" (at /A)"#,
            location: "#/propertyNames/pattern"
        ),
        Case(
            schema: #"{"not":{"required":["a"]}}"#,
            instance: #"{"a":1}"#,
            line: #"1:1: error[schema.not]: found an object of 1 member, expected no member "a" (at the top level)"#,
            location: "#/not"
        ),
        Case(
            schema: #"{"not":{"required":["a","b"]}}"#,
            instance: #"{"a":1,"b":2}"#,
            line: "1:1: error[schema.not]: found an object of 2 members, expected not both \"a\" and \"b\""
                + " (at the top level)",
            location: "#/not"
        ),
        Case(
            schema: #"{"not":{"required":["a"],"maxProperties":1}}"#,
            instance: #"{"a":1}"#,
            line: "1:1: error[schema.not]: found an object of 1 member, expected nothing that matches "
                + #"{"required":["a"],"maxProperties":1} (at the top level)"#,
            location: "#/not"
        ),
        Case(
            schema: #"{"format":"date"}"#,
            instance: #""2021-02-29""#,
            line: #"1:1: error[schema.format]: found the string "2021-02-29", expected the format "date" such as "#
                + #""2026-03-01"; there is no such day (at the top level)"#,
            location: "#/format"
        ),
        Case(
            schema: #"{"if":{"required":["a"]},"then":{"required":["b"]}}"#,
            instance: #"{"a":1}"#,
            line: #"1:1: error[schema.required]: found no member "b", expected one: it is required (at the top level)"#,
            location: "#/then/required"
        ),
    ]

    @Test(arguments: cases)
    func keyword(_ test: Case) throws {
        let schema = try TestSchema(test.schema)
        #expect(try schema.lines(test.instance) == ["f.json:" + test.line])
        #expect(try schema.locations(test.instance) == ["https://example.org/s" + test.location])
    }

    /// A name that is there already is not suggested: its second member could not be read.
    @Test(arguments: [(#""additionalProperties":false"#, false), (#""title":"open""#, true)])
    func membersThatAreThere(_ rest: String, _ strict: Bool) throws {
        let schema = try TestSchema(#"{"properties":{"start":{},"stark":{},"end":{}},\#(rest)}"#)
        let one = try schema.lines(#"{"start":1,"Start":[2]}"#, strict: strict)
        #expect(one.count == 1 && one[0].contains("; did you mean \"stark\"?"), "\(one)")
        let both = try schema.lines(#"{"stark":{"start":0},"start":1,"Start":2}"#, strict: strict)
        #expect(both.count == 1 && !both[0].contains("did you mean"), "\(both)")
    }

    /// A message does not grow with the data, nor with the schema.
    @Test(arguments: [
        (#"{"type":"null"}"#, "\"" + String(repeating: "x", count: 100_000) + "\""),
        (#"{"type":"null"}"#, String(repeating: "1", count: 100_000)),
        (#"{"const":""# + String(repeating: "x", count: 100_000) + "\"}", "1"),
        (#"{"enum":["# + (0..<10_000).map { "\"v\($0)\"" }.joined(separator: ",") + "]}", "1"),
        (#"{"required":[""# + String(repeating: "x", count: 100_000) + "\"]}", "{}"),
        (#"{"not":{"enum":["# + (0..<10_000).map(String.init).joined(separator: ",") + "]}}", "1"),
    ])
    func length(_ schema: String, _ instance: String) throws {
        var options = JSONParseOptions()
        options.allowsNumbersBeyondDouble = true
        let document = try JSONDocument(parsing: instance, options: options)
        let findings = try TestSchema(schema).schema.validate(document).findings
        #expect(findings.count == 1)
        #expect(findings.allSatisfy { $0.message.count < 500 })
    }

    /// Findings come in document order; the limit keeps the first ones, errors before warnings, and all are counted.
    @Test func orderAndLimit() throws {
        let schema = try TestSchema(
            #"{"type":"array","items":{"required":["a"],"properties":{"a":{"type":"string"},"z":{"type":"null"}}}}"#
        )
        let text = #"[{"z":1,"a":1},{"b":1},{"a":2}]"#
        let document = try JSONDocument(parsing: text)
        #expect(schema.schema.validate(document).findings.map(\.pointer.description) == ["/0/z", "/0/a", "/1", "/2/a"])
        let report = schema.schema.validate(document, strict: true, limit: 2)
        #expect(report.total == 5)
        #expect(report.findings.map(\.pointer.description) == ["/0/z", "/0/a"])
        #expect(schema.schema.validate(document, limit: 0).findings.isEmpty)
        #expect(schema.schema.validate(document, limit: -1).total == 4)
        #expect(schema.schema.validate(document, limit: .max).findings.count == 4)
    }
}
