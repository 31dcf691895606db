/// The metaschemas of draft 2020-12: what the specification publishes, in the shortest text that says the same.
///
/// Titles are left out, for nothing reads them.
enum Metaschemas {
    /// The URI of the dialect's metaschema.
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The URI that a vocabulary's name ends.
    static let vocabularyBase = "https://json-schema.org/draft/2020-12/vocab/"

    /// The texts: the dialect, then a metaschema for each vocabulary.
    static let all = [
        schema, core, applicator, unevaluated, validation, metadata, formatAnnotation, formatAssertion, content,
    ]

    private static func head(_ name: String, vocabularies: [String]) -> String {
        let list = vocabularies.map { "\"\(vocabularyBase)\($0)\":true" }.joined(separator: ",")
        return """
            "$schema":"\(dialect)","$id":"https://json-schema.org/draft/2020-12/\(name)",\
            "$vocabulary":{\(list)},"$dynamicAnchor":"meta","type":["object","boolean"]
            """
    }

    private static let names = [
        "core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content",
    ]

    static let schema = """
        {\(head("schema", vocabularies: names)),
        "allOf":[\(names.map { "{\"$ref\":\"meta/\($0)\"}" }.joined(separator: ","))],
        "properties":{
        "definitions":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},"deprecated":true,"default":{}},
        "dependencies":{"type":"object","additionalProperties":{
        "anyOf":[{"$dynamicRef":"#meta"},{"$ref":"meta/validation#/$defs/stringArray"}]},"deprecated":true,"default":{}},
        "$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString","deprecated":true},
        "$recursiveRef":{"$ref":"meta/core#/$defs/uriReferenceString","deprecated":true}}}
        """

    private static let core = """
        {\(head("meta/core", vocabularies: ["core"])),
        "properties":{
        "$id":{"$ref":"#/$defs/uriReferenceString","pattern":"^[^#]*#?$"},
        "$schema":{"$ref":"#/$defs/uriString"},
        "$ref":{"$ref":"#/$defs/uriReferenceString"},
        "$anchor":{"$ref":"#/$defs/anchorString"},
        "$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},
        "$dynamicAnchor":{"$ref":"#/$defs/anchorString"},
        "$vocabulary":{"type":"object","propertyNames":{"$ref":"#/$defs/uriString"},
        "additionalProperties":{"type":"boolean"}},
        "$comment":{"type":"string"},
        "$defs":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"}}},
        "$defs":{
        "anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},
        "uriString":{"type":"string","format":"uri"},
        "uriReferenceString":{"type":"string","format":"uri-reference"}}}
        """

    private static let applicator = """
        {\(head("meta/applicator", vocabularies: ["applicator"])),
        "properties":{
        "prefixItems":{"$ref":"#/$defs/schemaArray"},
        "items":{"$dynamicRef":"#meta"},
        "contains":{"$dynamicRef":"#meta"},
        "additionalProperties":{"$dynamicRef":"#meta"},
        "properties":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},"default":{}},
        "patternProperties":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},
        "propertyNames":{"format":"regex"},"default":{}},
        "dependentSchemas":{"type":"object","additionalProperties":{"$dynamicRef":"#meta"},"default":{}},
        "propertyNames":{"$dynamicRef":"#meta"},
        "if":{"$dynamicRef":"#meta"},"then":{"$dynamicRef":"#meta"},"else":{"$dynamicRef":"#meta"},
        "allOf":{"$ref":"#/$defs/schemaArray"},
        "anyOf":{"$ref":"#/$defs/schemaArray"},
        "oneOf":{"$ref":"#/$defs/schemaArray"},
        "not":{"$dynamicRef":"#meta"}},
        "$defs":{"schemaArray":{"type":"array","minItems":1,"items":{"$dynamicRef":"#meta"}}}}
        """

    private static let unevaluated = """
        {\(head("meta/unevaluated", vocabularies: ["unevaluated"])),
        "properties":{"unevaluatedItems":{"$dynamicRef":"#meta"},"unevaluatedProperties":{"$dynamicRef":"#meta"}}}
        """

    private static let validation = """
        {\(head("meta/validation", vocabularies: ["validation"])),
        "properties":{
        "type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
        {"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},
        "const":true,
        "enum":{"type":"array","items":true},
        "multipleOf":{"type":"number","exclusiveMinimum":0},
        "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},
        "minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
        "maxLength":{"$ref":"#/$defs/nonNegativeInteger"},"minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
        "pattern":{"type":"string","format":"regex"},
        "maxItems":{"$ref":"#/$defs/nonNegativeInteger"},"minItems":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
        "uniqueItems":{"type":"boolean","default":false},
        "maxContains":{"$ref":"#/$defs/nonNegativeInteger"},
        "minContains":{"$ref":"#/$defs/nonNegativeInteger","default":1},
        "maxProperties":{"$ref":"#/$defs/nonNegativeInteger"},
        "minProperties":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
        "required":{"$ref":"#/$defs/stringArray"},
        "dependentRequired":{"type":"object","additionalProperties":{"$ref":"#/$defs/stringArray"}}},
        "$defs":{
        "nonNegativeInteger":{"type":"integer","minimum":0},
        "nonNegativeIntegerDefault0":{"$ref":"#/$defs/nonNegativeInteger","default":0},
        "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]},
        "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true,"default":[]}}}
        """

    private static let metadata = """
        {\(head("meta/meta-data", vocabularies: ["meta-data"])),
        "properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
        "deprecated":{"type":"boolean","default":false},"readOnly":{"type":"boolean","default":false},
        "writeOnly":{"type":"boolean","default":false},"examples":{"type":"array","items":true}}}
        """

    private static let formatAnnotation = """
        {\(head("meta/format-annotation", vocabularies: ["format-annotation"])),
        "properties":{"format":{"type":"string"}}}
        """

    private static let formatAssertion = """
        {\(head("meta/format-assertion", vocabularies: ["format-assertion"])),
        "properties":{"format":{"type":"string"}}}
        """

    private static let content = """
        {\(head("meta/content", vocabularies: ["content"])),
        "properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
        "contentSchema":{"$dynamicRef":"#meta"}}}
        """
}
