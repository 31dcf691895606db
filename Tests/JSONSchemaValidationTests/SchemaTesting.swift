import JSONSchemaValidation
import StrictJSON

/// A schema and what to ask of it, for tests.
struct TestSchema {
    let schema: JSONSchema

    init(_ text: String, registry: SchemaRegistry = SchemaRegistry()) throws {
        schema = try JSONSchema(JSONDocument(parsing: text), uri: "https://example.org/s", registry: registry)
    }

    /// The findings for a text as programs print them.
    func lines(_ text: String, strict: Bool = false, limit: Int = 100) throws -> [String] {
        try schema.validate(JSONDocument(parsing: text), strict: strict, limit: limit).findings
            .map { $0.diagnostic(file: "f.json").description }
    }

    /// The places of the keywords that the findings are about.
    func locations(_ text: String, strict: Bool = false) throws -> [String] {
        try schema.validate(JSONDocument(parsing: text), strict: strict).findings.map(\.keywordLocation)
    }

    func isValid(_ text: String) throws -> Bool { try schema.isValid(JSONDocument(parsing: text)) }
}

/// The line for a schema that does not compile, or nil where it does.
func schemaError(_ text: String, uri: String? = "https://example.org/s", registry: SchemaRegistry = SchemaRegistry())
    throws -> String?
{
    do {
        _ = try JSONSchema(JSONDocument(parsing: text), uri: uri, registry: registry)
        return nil
    } catch let error as SchemaError {
        return error.diagnostic(file: "s.json").description
    }
}
