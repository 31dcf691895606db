import JSONSchemaValidation
import StrictJSON
import Testing

/// What the drafts say differently.
struct DraftTests {
    private func schema(_ draft: JSONSchemaDraft, _ text: String) throws -> JSONSchema {
        try JSONSchema(JSONDocument(parsing: text), registry: SchemaRegistry(defaultDraft: draft))
    }

    private func isValid(_ draft: JSONSchemaDraft, _ text: String, _ value: String) throws -> Bool {
        try schema(draft, text).isValid(JSONDocument(parsing: value))
    }

    /// Each metaschema compiles, takes itself, and refuses keywords of a wrong kind.
    @Test(arguments: JSONSchemaDraft.allCases)
    func metaschemas(_ draft: JSONSchemaDraft) throws {
        let text = "{\"$ref\":\"\(draft.metaschemaURI)\"}"
        for value in [#"{}"#, #"{"type":"string","properties":{"a":{"minItems":1}}}"#] {
            #expect(try isValid(.draft2020, text, value))
        }
        for value in [#"{"type":"text"}"#, #"{"properties":{"a":{"minItems":-1}}}"#, #"{"allOf":[]}"#, #"1"#] {
            #expect(try !isValid(.draft2020, text, value), "\(value)")
        }
    }

    /// `$schema` is told with an empty fragment or without, by http or https.
    @Test(arguments: ["http://json-schema.org/draft-04/schema", "https://json-schema.org/draft-04/schema#"])
    func dialects(_ dialect: String) throws {
        let text = #"{"$schema":"\#(dialect)","minimum":3,"exclusiveMinimum":true}"#
        #expect(try !isValid(.draft2020, text, "3"))
        #expect(try isValid(.draft2020, text, "4"))
    }

    @Test func exclusiveFlagsOfDraft4AreToldWithTheBound() throws {
        let report = try schema(.draft4, #"{"maximum":3,"exclusiveMaximum":true}"#).validate(JSONDocument(parsing: "3"))
        #expect(report.findings.map(\.keyword) == ["exclusiveMaximum"])
        #expect(report.findings.map(\.expected) == ["less than 3"])
    }

    @Test func integersOfDraft4HaveNoFraction() throws {
        for (draft, isInteger) in [(JSONSchemaDraft.draft4, false), (.draft6, true)] {
            #expect(try isValid(draft, #"{"type":"integer"}"#, "1.0") == isInteger)
            #expect(try isValid(draft, #"{"type":"integer"}"#, "1e2") == isInteger)
            #expect(try isValid(draft, #"{"type":"integer"}"#, "12345678901234567890123"))
        }
    }

    /// Relative JSON Pointers move an index from the draft on that 2020-12 refers to.
    @Test func relativePointers() throws {
        let text = #"{"format":"relative-json-pointer"}"#
        for (draft, moves) in [(JSONSchemaDraft.draft7, false), (.draft2019, false), (.draft2020, true)] {
            #expect(try isValid(draft, text, #""1+1""#) == moves)
            #expect(try isValid(draft, text, #""1/a""#))
        }
    }

    @Test func additionalItemsAreNamed() throws {
        let schema = try schema(.draft7, #"{"items":[true],"additionalItems":false}"#)
        let report = try schema.validate(JSONDocument(parsing: "[1,2]"))
        #expect(report.findings.map(\.keyword) == ["additionalItems"])
    }

    /// Schemas of one draft lie in another's, each read by its own.
    @Test func draftsInEachOther() throws {
        let text = """
            {"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"$ref":"old.json"}],"$defs":{
            "old":{"$schema":"http://json-schema.org/draft-04/schema#","id":"old.json","minimum":3,"exclusiveMinimum":true,
            "items":{"$ref":"#/definitions/a"},"definitions":{"a":{"type":"integer"}}}}}
            """
        #expect(try isValid(.draft2020, text, "[4]"))
        #expect(try !isValid(.draft2020, text, "[3]"))
        #expect(try !isValid(.draft2020, text, "[[1.0]]"))
    }

    /// Generators wrote one identifier for many subschemas; that matters only where something refers to it.
    @Test func doubledIdentifiersOfOlderDrafts() throws {
        let parts =
            ##""properties":{"a":{"$id":"/x","type":"string"},"b":{"$id":"/x"},"c":{"$id":"#y"},"d":{"$id":"#y"}}"##
        #expect(try isValid(.draft7, "{\(parts)}", #"{"a":"","b":1}"#))
        for reference in ["/x", "#y"] {
            let error = #expect(throws: SchemaError.self) {
                try schema(.draft7, #"{\#(parts),"items":{"$ref":"\#(reference)"}}"#)
            }
            #expect(error?.code == .duplicateIdentifier)
        }
    }

    /// Anchors of a schema that is reached late are known to dynamic references that were compiled before.
    @Test func resourcesThatAreFoundLate() throws {
        let text = ##"""
            {"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"},"b":{"$ref":"#/x-hidden/part"}},
            "x-hidden":{"part":{"$id":"https://example.org/late","$dynamicAnchor":"n","type":"object",
            "properties":{"c":{"$dynamicRef":"#n"}}}}}
            """##
        #expect(try isValid(.draft2020, text, #"{"a":{"b":{"c":{}}},"b":{"c":{"a":{}}}}"#))
        #expect(try !isValid(.draft2020, text, #"{"b":{"c":{"b":1}}}"#))
    }

    @Test func names() {
        for draft in JSONSchemaDraft.allCases { #expect(JSONSchemaDraft(name: draft.name) == draft) }
        #expect(JSONSchemaDraft(name: "3") == nil)
    }
}
