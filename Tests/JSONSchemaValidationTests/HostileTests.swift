import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing

/// Schemas and documents made to take too long or too much.
struct HostileTests {
    /// Sixty levels of two branches each, which taken one by one would be 2^60.
    @Test(arguments: ["allOf", "anyOf", "oneOf"], ["integer", "string"])
    func sharedBranches(_ keyword: String, _ type: String) throws {
        let levels = (0..<60).map {
            ##""d\##($0)":{"\##(keyword)":[{"$ref":"#/$defs/d\##($0 + 1)"},"## + ##"{"$ref":"#/$defs/d\##($0 + 1)"}]}"##
        }
        let schema = try TestSchema(
            ##"{"$ref":"#/$defs/d0","propertyNames":{"$ref":"#/$defs/d0"},"$defs":{"##
                + (levels + [#""d60":{"type":"\#(type)"}"#]).joined(separator: ",") + "}}"
        )
        let isValid = keyword != "oneOf" && type == "integer"
        #expect(try schema.isValid("1") == isValid)
        let report = schema.schema.validate(try JSONDocument(parsing: "1"), strict: true)
        #expect(report.isValid == isValid)
        #expect(report.findings.count < 20)
        #expect(try !schema.isValid(#"{"a":1}"#))
    }

    /// A document of 120 levels with a choice of two at each, wrong at the bottom.
    @Test(arguments: ["anyOf", "oneOf"], ["", #","unevaluatedProperties":false"#])
    func deepChoices(_ keyword: String, _ rest: String) throws {
        let schema = try TestSchema(
            ##"{"\##(keyword)":[{"properties":{"c":{"$ref":"#"}},"required":["c"]},"##
                + ##"{"properties":{"c":{"$ref":"#"},"k":true},"required":["c"]}]\##(rest)}"##
        )
        let text = String(repeating: #"{"c":"#, count: 120) + "{}" + String(repeating: "}", count: 120)
        let report = schema.schema.validate(try JSONDocument(parsing: text), strict: true)
        #expect(!report.isValid)
        #expect((1...20).contains(report.total))
    }

    /// A regular expression without an answer makes the value an error, whatever stands around it.
    @Test(arguments: [
        #"{"items":P}"#, #"{"items":{"not":P}}"#, #"{"items":{"if":P,"then":false}}"#, #"{"not":{"items":P}}"#,
        #"{"items":{"oneOf":[P,{"const":1},{}]}}"#, #"{"contains":P,"minContains":0,"maxContains":0}"#,
        #"{"items":{"not":{"not":{"not":P}}},"unevaluatedItems":false}"#,
    ])
    func unansweredPatterns(_ text: String) throws {
        let pattern = #"{"pattern":"^(a+)+\\1$"}"#
        let schema = try TestSchema(text.replacingOccurrences(of: "P", with: pattern))
        let value = #"[""# + String(repeating: "a", count: 100) + #"c"]"#
        #expect(try !schema.isValid(value))
        let lines = try schema.lines(value, strict: true)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("f.json:1:2: error[schema.pattern]: found the string \"aaa") == true)
        let expected = "expected an answer from the regular expression within its limit of steps"
        #expect(lines.first?.contains(expected) == true)
    }

    /// Where another branch or element decides, its answer is not needed, in whichever order they stand.
    @Test(arguments: [
        #"{"items":{"anyOf":[{"type":"string"},P]}}"#, #"{"items":{"anyOf":[P,{"type":"string"}]}}"#,
        #"{"contains":{"anyOf":[P,{"const":1}]}}"#, #"{"items":{"anyOf":[{"type":"string"},{"not":P}]}}"#,
        #"{"items":{"anyOf":[{"not":P},{"type":"string"}]}}"#,
        #"{"items":{"anyOf":[{"if":P,"then":false},{"type":"string"}]}}"#,
        #"{"items":{"anyOf":[{"type":"string"},{"oneOf":[{},P]}]}}"#,
    ])
    func unneededAnswers(_ text: String) throws {
        let pattern = #"{"pattern":"^(a+)+\\1$"}"#
        let schema = try TestSchema(text.replacingOccurrences(of: "P", with: pattern))
        let long = #"""# + String(repeating: "a", count: 100) + #"c""#
        for value in text.contains("const") ? ["[\(long),1]", "[1,\(long)]"] : ["[\(long)]"] {
            #expect(try schema.isValid(value))
            #expect(try schema.lines(value).isEmpty)
            #expect(try schema.lines(value, strict: true).isEmpty)
        }
    }

    /// Where a branch or element without an answer may have evaluated a member, `not` turns no guess into an acceptance.
    @Test(arguments: [
        (#"{"not":{"anyOf":[true,{"properties":{"a":%}}],"unevaluatedProperties":false}}"#, #"{"a":L}"#, 6),
        (#"{"anyOf":[true,{"properties":{"a":%}}],"unevaluatedProperties":false}"#, #"{"a":L}"#, 6),
        (#"{"not":{"allOf":[{"anyOf":[true,{"properties":{"a":%}}]}],"unevaluatedProperties":false}}"#, #"{"a":L}"#, 6),
        (#"{"not":{"contains":%,"unevaluatedItems":false}}"#, #"["aa",L]"#, 7),
    ])
    func uncertainlyEvaluated(_ text: String, _ value: String, _ column: Int) throws {
        let schema = try TestSchema(text.replacingOccurrences(of: "%", with: #"{"pattern":"^(a+)+\\1$"}"#))
        let long = #"""# + String(repeating: "a", count: 100) + #"c""#
        let value = value.replacingOccurrences(of: "L", with: long)
        #expect(try !schema.isValid(value))
        for isStrict in [false, true] {
            let lines = try schema.lines(value, strict: isStrict)
            #expect(lines.count == 1)
            #expect(lines.first?.hasPrefix("f.json:1:\(column): error[schema.pattern]") == true, "\(lines)")
            #expect(lines.first?.contains("expected an answer from the regular expression") == true)
        }
    }

    /// The missing answer is named at the value that it was looked for at, not at one that another keyword has settled.
    @Test func placeOfMissingAnswer() throws {
        let branch = #""anyOf":[true,{"properties":{"x":{"pattern":"^(a+)+\\1$"}}}]"#
        let nested = #"{"properties":{"n":{\#(branch),"unevaluatedProperties":{"type":"string"}}}}"#
        let schema = try TestSchema(#"{"allOf":[{\#(branch)},\#(nested)],"unevaluatedProperties":false}"#)
        let long = String(repeating: "a", count: 100) + "c"
        let lines = try schema.lines(#"{"x":"\#(long)","n":{"x":"\#(long)"}}"#)
        #expect(lines.first?.hasPrefix("f.json:1:6: error[schema.pattern]") == true, "\(lines)")
    }

    /// What the branch may have evaluated is of no matter where another keyword settles the member.
    @Test(arguments: [
        #"{"anyOf":[true,{"properties":{"a":%}}],"unevaluatedProperties":{"type":"string"}}"#,
        #"{"anyOf":[true,{"properties":{"a":%}}],"properties":{"a":true},"unevaluatedProperties":false}"#,
        #"{"not":{"anyOf":[true,{"properties":{"a":%}}],"unevaluatedProperties":false,"required":["b"]}}"#,
    ])
    func evaluatedAnyway(_ text: String) throws {
        let schema = try TestSchema(text.replacingOccurrences(of: "%", with: #"{"pattern":"^(a+)+\\1$"}"#))
        #expect(try schema.isValid(#"{"a":""# + String(repeating: "a", count: 100) + #"c"}"#))
    }

    /// An expression without an answer costs its steps once, and not for each element.
    @Test(.timeLimit(.minutes(3)), arguments: [#"{"contains":P}"#, #"{"items":P}"#, #"{"items":{"not":P}}"#])
    func unansweredElements(_ text: String) throws {
        let schema = try TestSchema(text.replacingOccurrences(of: "P", with: #"{"pattern":"^(a+)+\\1$"}"#))
        let elements = (0..<2_000).map { #"""# + String(repeating: "a", count: 40 + $0 % 60) + "c\($0)\"" }
        let value = "[" + elements.joined(separator: ",") + "]"
        #expect(try !schema.isValid(value))
        #expect(try !schema.lines(value).isEmpty)
        // An element with an answer settles it as before.
        if text.contains("contains") { #expect(try schema.isValid(String(value.dropLast()) + #","aa"]"#)) }
    }

    /// Branches that share a schema without an answer do not look for it once more at each level.
    @Test(.timeLimit(.minutes(3)))
    func sharedUnanswered() throws {
        let levels = (0..<60).map {
            ##""d\##($0)":{"anyOf":[{"$ref":"#/$defs/d\##($0 + 1)"},"## + ##"{"$ref":"#/$defs/d\##($0 + 1)"}]}"##
        }
        let schema = try TestSchema(
            ##"{"$ref":"#/$defs/d0","$defs":{"## + levels.joined(separator: ",")
                + #","d60":{"pattern":"^(a+)+\\1$"}}}"#
        )
        let lines = try schema.lines(#"""# + String(repeating: "a", count: 100) + #"c""#)
        #expect(lines.count == 1)
        #expect(lines.first?.contains("expected an answer from the regular expression") == true)
    }

    /// What was found before a keyword such as `not` had no answer is still told.
    @Test(arguments: [#"{"not":P}"#, #"{"if":P,"then":false}"#, #"{"oneOf":[P,{}]}"#])
    func findingsBesideUnanswered(_ text: String) throws {
        let pattern = #"{"pattern":"^(a+)+\\1$"}"#
        let schema = try TestSchema(
            #"{"items":{"type":"string","allOf":["# + text.replacingOccurrences(of: "P", with: pattern) + "]}}"
        )
        let long = #"""# + String(repeating: "a", count: 100) + #"c""#
        let lines = try schema.lines("[1,2,3,\(long)]", strict: true)
        #expect(lines.count == 4)
        #expect(lines.prefix(3).allSatisfy { $0.contains("error[schema.type]") })
        #expect(lines.last?.hasPrefix("f.json:1:8: error[schema.pattern]") == true, "\(lines)")
    }

    /// The same for names, which the finding names.
    @Test(arguments: [
        #"{"propertyNames":{"not":{"pattern":%}}}"#, #"{"not":{"patternProperties":{%:true}}}"#,
        #"{"additionalProperties":{},"if":{"patternProperties":{%:true}},"then":false}"#,
    ])
    func unansweredNames(_ text: String) throws {
        let schema = try TestSchema(text.replacingOccurrences(of: "%", with: #""^(a+)+\\1$""#))
        let value = #"{"b":1,""# + String(repeating: "a", count: 100) + #"c":1}"#
        #expect(try !schema.isValid(value))
        let lines = try schema.lines(value)
        #expect(lines.count == 1)
        #expect(lines.first?.hasPrefix("f.json:1:8: error[schema.pattern") == true, "\(lines)")
        #expect(lines.first?.contains("found the member \"aaa") == true)
    }

    @Test func longChains() throws {
        for link in [##"{"$ref":"#/$defs/d%"}"##, ##"{"properties":{"a":{"$ref":"#/$defs/d%"}}}"##] {
            let links = (0..<5_000).map { #""d\#($0)":"# + link.replacingOccurrences(of: "%", with: "\($0 + 1)") }
            let text =
                ##"{"$ref":"#/$defs/d0","$defs":{"## + links.joined(separator: ",") + #","d5000":{"type":"null"}}}"#
            #expect(try TestSchema(text).isValid("null"))
        }
    }

    /// Wide objects with all that looks names up.
    @Test func width() throws {
        let names = (0..<5_000).map { "\"p\($0)\"" }
        let schema = try TestSchema(
            #"{"required":["# + names.joined(separator: ",") + #"],"dependentRequired":{"#
                + names.map { #"\#($0):["p0"]"# }.joined(separator: ",") + "}}"
        )
        let members = names.reversed().map { $0 + ":1" }
        #expect(try schema.isValid("{" + members.joined(separator: ",") + "}"))
        #expect(try schema.lines("{" + members.dropLast().joined(separator: ",") + "}").count == 100)
    }

    @Test func largeSets() throws {
        let numbers = (0..<20_000).map(String.init).joined(separator: ",")
        #expect(try TestSchema(#"{"items":{"enum":[\#(numbers)]},"uniqueItems":true}"#).isValid("[\(numbers)]"))
        let objects = (0..<5_000).map { #"{"a":\#($0),"b":[]}"# }.joined(separator: ",")
        #expect(try TestSchema(#"{"items":{"enum":[\#(objects)]},"uniqueItems":true}"#).isValid("[\(objects)]"))
    }

    /// Equality is that of JSON Schema, whatever the way in which it is found.
    @Test(arguments: [
        ("1", "1.0", true), ("0", "-0", true), ("1e2", "100", true),
        ("12345678901234567890", "1234567890123456789e1", true),
        ("12345678901234567890", "12345678901234567891", false), ("1", "true", false), ("0", "false", false),
        (#""a""#, #""\u0061""#, true), (#""é""#, #""e\u0301""#, false),
        (#"{"a":1,"b":[2]}"#, #"{"b":[2.0],"a":1e0}"#, true),
        (#"{"a":1}"#, #"{"a":1,"b":1}"#, false), ("[1,2]", "[2,1]", false), ("[]", "{}", false),
        ("null", #""null""#, false),
    ])
    func equality(_ left: String, _ right: String, _ isEqual: Bool) throws {
        #expect(try TestSchema(#"{"uniqueItems":true}"#).isValid("[\(left),\(right)]") == !isEqual)
        #expect(try TestSchema(#"{"const":\#(left)}"#).isValid(right) == isEqual)
        #expect(try TestSchema(#"{"enum":[[\#(right)],"x"]}"#).isValid("[\(left)]") == isEqual)
    }

    /// A document as deep as may be, five schemas a level, on a thread with 8 MB of stack.
    @Test func depth() throws {
        let schema = try TestSchema(
            ##"{"$ref":"#/$defs/n","$defs":{"n":{"allOf":[{"$ref":"#/$defs/m"}]},"m":{"allOf":[{"type":"object","##
                + ##""properties":{"c":{"$ref":"#/$defs/n"}}}],"anyOf":[{"required":["c"]},{"maxProperties":0}]}}}"##
        )
        let text = String(repeating: #"{"c":"#, count: 127) + "{}" + String(repeating: "}", count: 127)
        #expect(try schema.isValid(text))
        #expect(try schema.lines(text, strict: true).isEmpty)
    }

    /// One schema for many threads at once.
    @Test func threads() async throws {
        let schema = try TestSchema(BranchTests.intervals).schema
        let documents = try [
            #"{"type":"rest","seconds":1}"#, #"{"type":"rest","seconds":"x"}"#, #"{"type":"work","name":"\u0061"}"#,
        ].map { try JSONDocument(parsing: $0) }
        let expected = documents.map { schema.validate($0, strict: true).findings }
        let results = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask {
                    (0..<200).allSatisfy { _ in documents.map { schema.validate($0, strict: true).findings } == expected
                    }
                }
            }
            return await group.reduce(into: [Bool]()) { $0.append($1) }
        }
        #expect(results == Array(repeating: true, count: 16))
    }
}
