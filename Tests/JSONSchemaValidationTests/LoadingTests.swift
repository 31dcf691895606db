import JSONSchemaValidation
import StrictJSON
import Synchronization
import Testing

/// Schemas that are loaded when something refers to them.
struct LoadingTests {
    @Test func loadsWhatIsReferredToAndOnce() throws {
        let asked = Mutex<[String]>([])
        var registry = SchemaRegistry()
        registry.load = { uri throws(SchemaError) in
            asked.withLock { $0.append(uri) }
            let texts = [
                "https://example.org/a": #"{"items":{"$ref":"b"},"$schema":"https://example.org/meta"}"#,
                "https://example.org/b": #"{"type":"integer"}"#,
                "https://example.org/meta": #"{"$schema":"https://example.org/meta"}"#,
            ]
            return texts[uri].flatMap { try? JSONDocument(parsing: $0) }
        }
        let schema = try TestSchema(#"{"allOf":[{"$ref":"a"},{"$ref":"b#"},{"$ref":"a"}]}"#, registry: registry)
        #expect(try schema.isValid("1"))
        #expect(try !schema.isValid(#"["a"]"#))
        #expect(
            asked.withLock { $0.sorted() } == [
                "https://example.org/a", "https://example.org/b", "https://example.org/meta",
            ]
        )
        let error = #expect(throws: SchemaError.self) { try TestSchema(#"{"$ref":"c"}"#, registry: registry) }
        #expect(error?.code == .reference)
    }
}
