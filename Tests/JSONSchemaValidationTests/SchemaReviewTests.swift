import JSONSchemaValidation
import StrictJSON
import Testing

/// What a look at a schema finds before it is compiled.
struct SchemaReviewTests {
    private func review(_ text: String) throws -> [String] {
        JSONSchema.review(try JSONDocument(parsing: text), file: "s.json").map {
            "\($0.severity) \($0.code) \($0.pointer ?? .root)"
        }
    }

    @Test func listsEveryKeywordOfAWrongKind() throws {
        let found = try review(#"{"properties":[],"minimum":"3","required":"a","items":{"maxItems":-1}}"#)
        let places = ["/properties", "/minimum", "/required", "/items/maxItems"]
        #expect(Set(found) == Set(places.map { "error schema.keyword \($0)" }))
    }

    @Test(arguments: [
        (#"{"requried":["a"]}"#, "warning schema.unknown-keyword /requried"),
        (#"{"items":{"proprties":{}}}"#, "warning schema.unknown-keyword /items/proprties"),
        (#"{"$defs":{"a":{"format":"emial"}}}"#, "warning schema.unknown-format /$defs/a/format"),
        (
            #"{"$schema":"http://json-schema.org/draft-07/schema#","requried":[]}"#,
            "warning schema.unknown-keyword /requried"
        ),
        (
            #"{"$schema":"http://json-schema.org/draft-04/schema#","items":{"const":1}}"#,
            "warning schema.unknown-keyword /items/const"
        ),
    ])
    func warnsOfWhatIsProbablyMisspelt(schema: String, finding: String) throws {
        #expect(try review(schema) == [finding])
    }

    @Test(arguments: [("$refs", "$ref"), ("tpye", "type"), ("types", "type"), ("itmes", "items"), ("typ", "type")])
    func suggestsTheNearest(name: String, keyword: String) throws {
        let found = JSONSchema.review(try JSONDocument(parsing: "{\"\(name)\":1}"), file: nil)
        #expect(found.count == 1 && found[0].message.hasSuffix("did you mean \"\(keyword)\"?"), "\(found)")
    }

    @Test(arguments: [
        #"{"x-merge":"set","purpose":"free","format":"colour-name","properties":{"requried":{}},"const":{"requried":1}}"#,
        #"{"$schema":"http://json-schema.org/draft-07/schema#","$defs":{}}"#, #"{"note":"x","tsType":"Date"}"#,
        #"{"$schema":"http://json-schema.org/draft-03/schema#","requried":[]}"#, "true",
    ])
    func leavesAnnotationsAndDataAlone(schema: String) throws {
        #expect(try review(schema) == [])
    }
}
