import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing

/// The page of Markdown that describes a schema.
struct SchemaPageTests {
    private func page(_ text: String) throws -> String {
        try JSONSchema.describe(JSONDocument(parsing: text), name: "schema.json")
    }

    @Test func wholePage() throws {
        let text = ##"""
            {"$schema":"http://json-schema.org/draft-07/schema#","$id":"https://example.org/plan","title":"A plan",
            "description":"What is trained.","type":"object","required":["name"],"additionalProperties":false,
            "properties":{"name":{"type":"string","minLength":1,"maxLength":80,"description":"Shown <b>in</b> lists."},
            "kind":{"enum":["a","b|c"],"default":"a"},"steps":{"type":"array","minItems":1,"items":{"$ref":"#/definitions/step"}},
            "rest":{"type":"object","properties":{"seconds":{"type":"integer","minimum":0}}}},
            "definitions":{"step":{"type":["string","null"],"pattern":"^a`b$"}}}
            """##
        #expect(
            try page(text) == """
                # A plan

                JSON Schema, draft 7, `https://example.org/plan`.

                What is trained.

                Value: object.

                | member | value | required | meaning |
                |---|---|---|---|
                | `name` | string, 1 to 80 characters | yes | Shown &lt;b>in&lt;/b> lists. |
                | `kind` | one of `"a"`, `"b\\|c"` |  | Default: `"a"`. |
                | `steps` | array, elements [step](#definitions-step), at least 1 element |  |  |
                | `rest` | object |  |  |
                | any other | not allowed | | |

                ## `rest`

                Value: object.

                | member | value | required | meaning |
                |---|---|---|---|
                | `seconds` | integer, at least 0 |  |  |

                ## Definitions

                <a id="definitions-step"></a>

                ### step

                Value: string or null, matching ``^a`b$``.

                """
        )
    }

    /// What is embedded with an address is linked by it, with its own definitions.
    @Test func embedded() throws {
        let page = try page(
            ##"""
            {"$id":"https://example.org/a","items":{"$ref":"b#/$defs/n"},"$defs":{"b":{"$id":"b","items":{"$ref":"#/$defs/n"},
            "$defs":{"n":{"type":"null"}}},"c":{"$ref":"b"}}}
            """##
        )
        #expect(page.components(separatedBy: "elements [b n](#defs-b-defs-n)").count == 3)
        #expect(page.contains("### c\n\nValue: [b](#defs-b)."))
        #expect(page.contains("<a id=\"defs-b-defs-n\"></a>\n\n### b n\n\nValue: null."))
    }

    /// What `allOf` says of members is in the table, and a schema that is one of several has a table of its own.
    @Test func membersInBranches() throws {
        let head = "| member | value | required | meaning |\n|---|---|---|---|\n"
        let all = try page(
            ##"""
            {"$defs":{"person":{"type":"object","properties":{"name":{"type":"string"}}},"boss":{"allOf":[{"$ref":"#/$defs/person"},
            {"type":"object","properties":{"team":{"type":"array"}},"required":["team","name"]}]}}}
            """##
        )
        #expect(
            all.contains(
                "### boss\n\nValue: [person](#defs-person) and (object with `team`, `name`).\n\n" + head
                    + "| `team` | array | yes |  |\n| `name` | not described here | yes |  |\n"
            )
        )
        let one = try page(
            #"""
            {"oneOf":[{"type":"object","properties":{"k":{"const":"a"}},"required":["k"]},
            {"type":"object","title":"Two","properties":{"k":{"const":"b"},"v":{"type":"integer"}},"required":["k"]}]}
            """#
        )
        let (first, second) = (#"object with `k` exactly `"a"`"#, #"object with `k` exactly `"b"`, optionally `v`"#)
        #expect(one.contains("\nValue: either \(first) or (\(second)).\n\n**Form 1 of 2:** \(first)."))
        #expect(one.contains("**Form 1 of 2:** \(first).\n\n\(head)| `k` |"))
        #expect(
            one.contains(
                "**Form 2 of 2:** \(second). Two\n\n\(head)| `k` | exactly `\"b\"` | yes |  |\n| `v` | integer |  |  |"
            )
        )
    }

    private static let draft7 = #""$schema":"http://json-schema.org/draft-07/schema#""#

    /// A condition is named, with every member that it requires or forbids.
    @Test func conditions() throws {
        let payment = try page(
            #"""
            {\#(Self.draft7),"type":"object","properties":{"type":{"enum":["card","iban"]},"iban":{"type":"string"}},
            "required":["type"],"allOf":[{"if":{"properties":{"type":{"const":"card"}}},"then":{"required":["number"],
            "properties":{"iban":false}}},{"description":"As of 2026.","if":{"properties":{"type":{"const":"iban"}}},
            "then":{"required":["iban"],"properties":{"iban":{"minLength":15}}},"else":{"required":["place"]}}]}
            """#
        )
        #expect(payment.contains("\nValue: object, under the conditions below.\n"))
        #expect(
            payment.hasSuffix(
                #"""
                | `iban` | string |  |  |

                **If `type` is exactly `"card"`:** with `number`, without `iban`.

                As of 2026.

                **If `type` is exactly `"iban"`:** with `iban`.

                | member | value | required | meaning |
                |---|---|---|---|
                | `iban` | at least 15 characters | yes |  |

                **Unless `type` is exactly `"iban"`:** with `place`.

                """#
            )
        )
        let nested = try page(
            #"""
            {"required":["k"],"if":{"properties":{"k":{"const":1}}},"then":{"if":{"properties":{"m":{"type":"string"}}},
            "then":{"required":["n"]}},"else":false}
            """#
        )
        #expect(nested.contains("**If `k` is exactly `1`, if `m` is absent or string:** with `n`.\n"))
        #expect(nested.contains("**Unless `k` is exactly `1`:** no value is allowed.\n"))
    }

    @Test(arguments: [
        (#"{"required":["a","b"]}"#, "`a` is present and `b` is present"),
        (#"{"properties":{"k":{"enum":[1,2]}}}"#, "`k` is absent or one of `1`, `2`"),
        (#"{"properties":{"k":{"not":{"const":1}}},"required":["k"]}"#, "`k` is not exactly `1` and `k` is present"),
        (#"{"not":{"required":["a"]}}"#, "`a` is absent"),
        (#"{"not":{"properties":{"k":{"const":1}}}}"#, "`k` is present and `k` is not exactly `1`"),
        (#"{"not":{"required":["a","b"]}}"#, "not (`a` is present and `b` is present)"),
        (
            #"{"anyOf":[{"required":["a"]},{"properties":{"k":{"const":1}},"required":["k"]}]}"#,
            "(`a` is present or `k` is exactly `1`)"
        ),
        (
            #"{"properties":{"o":{"properties":{"k":{"const":1}},"required":["k"]}},"required":["o"]}"#,
            "`o.k` is exactly `1` and `o` is present"
        ),
        (#"{"type":"string","minLength":2}"#, "the value is string, at least 2 characters"),
        (#"{"contains":{"const":1}}"#, "the value has at least 1 element being exactly `1`"),
        (##"{"$ref":"#/$defs/d"}"##, "the value is [d](#defs-d)"),
    ])
    func conditionWords(_ condition: String, _ words: String) throws {
        let page = try page(#"{"if":\#(condition),"then":{"required":["z"]},"$defs":{"d":{}}}"#)
        #expect(page.contains("\n**If \(words):** with `z`.\n"))
    }

    /// The page names what a schema forbids, and nothing that its draft does not have.
    @Test(arguments: [
        (##"{"allOf":[{"$ref":"#/$defs/b"}],"additionalProperties":false}"##, "[b](#defs-b), no members"),
        (##"{"$ref":"#/$defs/b","unevaluatedProperties":false}"##, "[b](#defs-b), no other members"),
        (#"{"unevaluatedProperties":false}"#, "no members"),
        (#"{"prefixItems":[{"type":"string"}],"unevaluatedItems":false}"#, "first string, no other elements"),
        (#"{\#(draft7),"items":[{"type":"string"}],"additionalItems":false}"#, "first string, then nothing"),
        (#"{\#(draft7),"dependentRequired":{"a":["b"]},"unevaluatedProperties":false}"#, "any value"),
        (#"{"$schema":"http://json-schema.org/draft-04/schema#","const":1}"#, "any value"),
    ])
    func closed(_ schema: String, _ phrase: String) throws {
        let text = String(schema.dropLast()) + #","$defs":{"b":{"properties":{"k":{"type":"integer"}}}}}"#
        #expect(try page(text).contains("\nValue: \(phrase).\n"))
    }

    @Test func closedTables() throws {
        let row = "| `a` | any value |  |  |\n"
        let base = ##""$defs":{"b":{"properties":{"k":{"type":"integer"}}}}"##
        let a = #""properties":{"a":{}}"#
        let referring = try page(##"{"$ref":"#/$defs/b",\##(a),"unevaluatedProperties":false,\##(base)}"##)
        #expect(referring.contains(row + "| any that is not named here or in [b](#defs-b) | not allowed |"))
        let closed = try page(#"{"allOf":[{"properties":{"k":{}}}],\#(a),"additionalProperties":false}"#)
        #expect(closed.contains(row + "| `k` | not allowed |  |  |\n| any other | not allowed |"))
    }

    /// References to anchors and members are links, also to a member further below and to what has no place of its own.
    @Test func links() throws {
        let page = try page(
            ##"""
            {"properties":{"a":{"$ref":"#foo"},"b":{"$ref":"#/properties/dep"},"c":{"$ref":"#/properties/list/items"},
            "dep":{"type":"integer"},"list":{"items":{"type":"null"}}},"$defs":{"f":{"$anchor":"foo","type":"string"}}}
            """##
        )
        for row in [
            "| `a` | [f](#defs-f) |  |  |", "| `b` | [`dep`](#member-dep) |  |  |",
            "| `c` | [`#/properties/list/items`](#member-list) |  |  |",
            "| <a id=\"member-dep\"></a>`dep` | integer |  |  |",
            "| <a id=\"member-list\"></a>`list` | elements null |  |  |",
        ] {
            #expect(page.contains("\n\(row)\n"), "\(row)")
        }
    }

    @Test func linksAcrossDrafts() throws {
        let page = try page(
            ##"""
            {"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"https://x.test/c"}},"definitions":{
            "c":{"$schema":"http://json-schema.org/draft-04/schema#","id":"https://x.test/c","type":"string"}}}
            """##
        )
        #expect(page.contains("JSON Schema, draft 7."))
        #expect(page.contains("| `a` | [c](#definitions-c) |"))
    }

    @Test func backticks() throws {
        let page = try page(#"{"properties":{"``":{"pattern":"a`b|c"},"d":{"enum":["`"]}}}"#)
        #expect(page.contains(#"| ``` `` ``` | matching ``a`b\|c`` |  |  |"#))
        #expect(page.contains(#"| `d` | one of ``"`"`` |  |  |"#))
    }

    /// What is said of members without a table.
    @Test(arguments: [
        (
            #"{"type":"object","patternProperties":{"^x-":{"type":"integer"}},"additionalProperties":{"type":"string"}}"#,
            "object, members matching `^x-` each integer, all other members each string"
        ),
        (
            #"{"patternProperties":{"^x-":true},"additionalProperties":false}"#,
            "members matching `^x-` each any value, no other members"
        ),
        (#"{"required":["a"]}"#, "with `a`"),
        (#"{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]}"#, "object, with `a` or with `b`"),
        (#"{"propertyNames":{"maxLength":3}}"#, "names each at most 3 characters"),
        (#"{"if":{"required":["a"]},"then":{"required":["b"]}}"#, "where `a` is present, also with `b`"),
    ])
    func membersInPhrases(_ schema: String, _ phrase: String) throws {
        #expect(try page(#"{"properties":{"m":\#(schema)}}"#).contains("| `m` | \(phrase) |  |  |"))
    }

    @Test(arguments: [
        ("true", "any value"), ("false", "nothing"), (#"{"const":[1]}"#, "exactly `[1]`"),
        (#"{"anyOf":[{"type":"null"},{"type":"number","exclusiveMinimum":2}]}"#, "null or (number, above 2)"),
        (#"{"not":{"const":1}}"#, "but not exactly `1`"), (#"{"minItems":2,"maxItems":2}"#, "2 elements"),
        (#"{"additionalProperties":{"type":"integer"}}"#, "its members each integer"),
        (#"{"prefixItems":[{"const":1}],"items":false}"#, "first exactly `1`, then nothing"),
        (#"{"dependentRequired":{"x":["y","z"]}}"#, "where there is `x`, also `y`, `z`"),
        (#"{"contains":{"const":1},"maxContains":2}"#, "1 to 2 elements being exactly `1`"),
        (#"{"contains":{"const":1}}"#, "at least 1 element being exactly `1`"),
        (##"{"items":{"$ref":"#"}}"##, "elements the whole schema again"),
    ])
    func phrases(_ schema: String, _ phrase: String) throws {
        #expect(try page(schema).contains("\nValue: \(phrase).\n"))
    }

    /// Schemas that mean different things are described differently.
    @Test(arguments: [
        (#"{"type":"array","items":{"type":["string","number"]}}"#, "array, elements (string or number)"),
        (
            #"{"anyOf":[{"type":"array","items":{"type":"string"}},{"type":"number"}]}"#,
            "(array, elements string) or number"
        ),
        (
            #"{"type":"array","items":{"type":"array","items":{"type":"number"},"minItems":4}}"#,
            "array, elements (array, elements number, at least 4 elements)"
        ),
        (
            #"{"type":"array","items":{"type":"array","items":{"type":"number"}},"minItems":4}"#,
            "array, elements (array, elements number), at least 4 elements"
        ),
        (
            #"{"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]}"#,
            "object, either with `a` or with `b`"
        ),
        (#"{"not":{"type":["string","number"]}}"#, "but not (string or number)"),
        (#"{"anyOf":[{"not":{"type":"string"}},{"type":"number"}]}"#, "(but not string) or number"),
        (
            #"{"anyOf":[{"type":"object","not":{"required":["a","b"]}},{"type":"null"}]}"#,
            "(object, but not with `a` and `b` together) or null"
        ),
        (#"{"dependentRequired":{"a":[]}}"#, "any value"),
        (#"{"items":{"const":"a, ``b"}}"#, "elements exactly ```\"a, ``b\"```"),
        (#"{"items":{"enum":[1,2]},"uniqueItems":true}"#, "elements (one of `1`, `2`), without duplicates"),
    ])
    func unambiguous(_ schema: String, _ phrase: String) throws {
        let page = try page(#"{"properties":{"m":\#(schema)}}"#)
        #expect(page.contains("| `m` | \(phrase) |  |  |"), "\(page)")
    }

    /// Schemas made to be large or deep give a page of bounded size.
    @Test func hostile() throws {
        let long = String(repeating: "x", count: 5_000)
        let definitions = (0..<10_000).map {
            #""d\#($0)":{"description":"\#(long)","properties":{"a":{"properties":{"b":{}}}}}"#
        }
        let wide = try page(#"{"$defs":{"# + definitions.joined(separator: ",") + "}}")
        #expect(wide.utf8.count < 5 << 20)
        #expect(wide.hasSuffix("*The page ends here: the schema has more.*\n"))
        let keyword = #"{"anyOf":["#
        let deep = String(repeating: keyword, count: 40) + "{}" + String(repeating: "]}", count: 40)
        #expect(try page(deep).utf8.count < 2_000)
        let branches = Array(repeating: #"{"oneOf":[{"oneOf":[{},{},{},{}]},{},{},{}]}"#, count: 5_000).joined(
            separator: ","
        )
        #expect(try page(#"{"oneOf":[\#(branches)]}"#).utf8.count < 10_000)
    }
}
