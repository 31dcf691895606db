/// The metaschemas of the drafts: what the specifications publish, in the shortest text that says the same.
///
/// Titles are left out, for nothing reads them.
enum Metaschemas {
    /// Returns the texts of a draft: the dialect's own, then one for each vocabulary.
    static func texts(of draft: JSONSchemaDraft) -> [String] {
        switch draft {
        case .draft4: [draft4]
        case .draft6, .draft7: [draft6or7(draft)]
        case .draft2019, .draft2020: vocabularySchemas(draft)
        }
    }

    // MARK: Drafts of one text

    private static let simpleTypes = """
        "simpleTypes":{"enum":["array","boolean","integer","null","number","object","string"]}
        """

    private static func shared(_ array: String, size: String) -> String {
        """
        "$schema":{"type":"string"},"title":{"type":"string"},"description":{"type":"string"},
        "maximum":{"type":"number"},"minimum":{"type":"number"},
        "maxLength":{"$ref":"#/definitions/\(size)"},"minLength":{"$ref":"#/definitions/\(size)Default0"},
        "pattern":{"type":"string","format":"regex"},
        "items":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}],"default":{}},
        "maxItems":{"$ref":"#/definitions/\(size)"},"minItems":{"$ref":"#/definitions/\(size)Default0"},
        "uniqueItems":{"type":"boolean","default":false},
        "maxProperties":{"$ref":"#/definitions/\(size)"},"minProperties":{"$ref":"#/definitions/\(size)Default0"},
        "required":{"$ref":"#/definitions/stringArray"},
        "definitions":{"type":"object","additionalProperties":{"$ref":"#"},"default":{}},
        "properties":{"type":"object","additionalProperties":{"$ref":"#"},"default":{}},
        "patternProperties":{"type":"object","additionalProperties":{"$ref":"#"},"default":{}},
        "dependencies":{"type":"object","additionalProperties":{
        "anyOf":[{"$ref":"#"},{"$ref":"#/definitions/stringArray"}]}},
        "enum":\(array),
        "type":{"anyOf":[{"$ref":"#/definitions/simpleTypes"},
        {"type":"array","items":{"$ref":"#/definitions/simpleTypes"},"minItems":1,"uniqueItems":true}]},
        "format":{"type":"string"},
        "allOf":{"$ref":"#/definitions/schemaArray"},"anyOf":{"$ref":"#/definitions/schemaArray"},
        "oneOf":{"$ref":"#/definitions/schemaArray"},"not":{"$ref":"#"}
        """
    }

    private static func definitions(_ size: String, strings: String) -> String {
        """
        "definitions":{"schemaArray":{"type":"array","minItems":1,"items":{"$ref":"#"}},
        "\(size)":{"type":"integer","minimum":0},
        "\(size)Default0":{"allOf":[{"$ref":"#/definitions/\(size)"},{"default":0}]},
        \(simpleTypes),
        "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true,\(strings)}}
        """
    }

    private static let draft4 = """
        {"id":"http://json-schema.org/draft-04/schema#","$schema":"http://json-schema.org/draft-04/schema#",
        \(definitions("positiveInteger", strings: #""minItems":1"#)),
        "type":"object",
        "properties":{\(shared(#"{"type":"array","minItems":1,"uniqueItems":true}"#, size: "positiveInteger")),
        "id":{"type":"string"},"default":{},
        "multipleOf":{"type":"number","minimum":0,"exclusiveMinimum":true},
        "exclusiveMaximum":{"type":"boolean"},"exclusiveMinimum":{"type":"boolean"},
        "additionalItems":{"anyOf":[{"type":"boolean"},{"$ref":"#"}],"default":{}},
        "additionalProperties":{"anyOf":[{"type":"boolean"},{"$ref":"#"}],"default":{}}},
        "dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]},"default":{}}
        """

    private static func draft6or7(_ draft: JSONSchemaDraft) -> String {
        let array =
            draft == .draft6 ? #"{"type":"array"}"# : #"{"type":"array","items":true}"#
        let added = """
            ,"$comment":{"type":"string"},"if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"},
            "readOnly":{"type":"boolean","default":false},"writeOnly":{"type":"boolean","default":false},
            "contentMediaType":{"type":"string"},"contentEncoding":{"type":"string"}
            """
        return """
            {"$schema":"\(draft.metaschemaURI)#","$id":"\(draft.metaschemaURI)#",
            \(definitions("nonNegativeInteger", strings: #""default":[]"#)),
            "type":["object","boolean"],
            "properties":{\(shared(array, size: "nonNegativeInteger")),
            "$id":{"type":"string","format":"uri-reference"},"$ref":{"type":"string","format":"uri-reference"},
            "default":{},"examples":{"type":"array","items":{}},"const":{},
            "multipleOf":{"type":"number","exclusiveMinimum":0},
            "exclusiveMaximum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
            "additionalItems":{"$ref":"#"},"contains":{"$ref":"#"},"additionalProperties":{"$ref":"#"},
            "propertyNames":{"$ref":"#"}\(draft == .draft7 ? added : "")},"default":{}}
            """
    }

    // MARK: Drafts of several vocabularies

    private static func vocabularySchemas(_ draft: JSONSchemaDraft) -> [String] {
        let is2020 = draft == .draft2020
        let base = "https://json-schema.org/draft/\(draft.name)/"
        // How a metaschema names whatever extends it.
        let anchor = is2020 ? #""$dynamicAnchor":"meta""# : #""$recursiveAnchor":true"#
        let schema = is2020 ? ##"{"$dynamicRef":"#meta"}"## : ##"{"$recursiveRef":"#"}"##
        let schemaMap = #"{"type":"object","additionalProperties":\#(schema),"default":{}}"#
        let names =
            is2020
            ? ["core", "applicator", "unevaluated", "validation", "meta-data", "format-annotation", "content"]
            : ["core", "applicator", "validation", "meta-data", "format", "content"]

        func text(_ name: String, vocabularies: [String], _ rest: String) -> String {
            // In 2019-09 formats are notes unless a dialect says otherwise.
            let list = vocabularies.map { "\"\(draft.vocabularyBase)\($0)\":\($0 != "format")" }.joined(separator: ",")
            return """
                {"$schema":"\(base)schema","$id":"\(base)\(name)","$vocabulary":{\(list)},\(anchor),\
                "type":["object","boolean"],\(rest)}
                """
        }

        let unevaluated = #""unevaluatedItems":\#(schema),"unevaluatedProperties":\#(schema)"#
        let identifiers =
            is2020
            ? """
            "$anchor":{"$ref":"#/$defs/anchorString"},"$dynamicRef":{"$ref":"#/$defs/uriReferenceString"},
            "$dynamicAnchor":{"$ref":"#/$defs/anchorString"}
            """
            : """
            "$anchor":{"type":"string","pattern":"^[A-Za-z][-A-Za-z0-9.:_]*$"},
            "$recursiveRef":{"$ref":"#/$defs/uriReferenceString"},"$recursiveAnchor":{"type":"boolean","default":false}
            """
        let older = """
            "$recursiveAnchor":{"$ref":"meta/core#/$defs/anchorString","deprecated":true},
            "$recursiveRef":{"$ref":"meta/core#/$defs/uriReferenceString","deprecated":true}
            """
        let items =
            is2020
            ? ##""prefixItems":{"$ref":"#/$defs/schemaArray"},"items":\##(schema)"##
            : """
            "items":{"anyOf":[\(schema),{"$ref":"#/$defs/schemaArray"}]},"additionalItems":\(schema),\(unevaluated)
            """
        var texts = [
            text(
                "schema",
                vocabularies: names,
                """
                "allOf":[\(names.map { "{\"$ref\":\"meta/\($0)\"}" }.joined(separator: ","))],
                "properties":{"definitions":\(schemaMap),
                "dependencies":{"type":"object","additionalProperties":{
                "anyOf":[\(schema),{"$ref":"meta/validation#/$defs/stringArray"}]},"default":{}}\(is2020 ? "," + older : "")}
                """
            ),
            text(
                "meta/core",
                vocabularies: ["core"],
                """
                "properties":{
                "$id":{"$ref":"#/$defs/uriReferenceString","pattern":"^[^#]*#?$"},
                "$schema":{"$ref":"#/$defs/uriString"},
                "$ref":{"$ref":"#/$defs/uriReferenceString"},
                \(identifiers),
                "$vocabulary":{"type":"object","propertyNames":{"$ref":"#/$defs/uriString"},
                "additionalProperties":{"type":"boolean"}},
                "$comment":{"type":"string"},
                "$defs":\(schemaMap)},
                "$defs":{
                "anchorString":{"type":"string","pattern":"^[A-Za-z_][-A-Za-z0-9._]*$"},
                "uriString":{"type":"string","format":"uri"},
                "uriReferenceString":{"type":"string","format":"uri-reference"}}
                """
            ),
            text(
                "meta/applicator",
                vocabularies: ["applicator"],
                """
                "properties":{
                \(items),
                "contains":\(schema),
                "additionalProperties":\(schema),
                "properties":\(schemaMap),
                "patternProperties":{"type":"object","additionalProperties":\(schema),
                "propertyNames":{"format":"regex"},"default":{}},
                "dependentSchemas":\(schemaMap),
                "propertyNames":\(schema),
                "if":\(schema),"then":\(schema),"else":\(schema),
                "allOf":{"$ref":"#/$defs/schemaArray"},
                "anyOf":{"$ref":"#/$defs/schemaArray"},
                "oneOf":{"$ref":"#/$defs/schemaArray"},
                "not":\(schema)},
                "$defs":{"schemaArray":{"type":"array","minItems":1,"items":\(schema)}}
                """
            ),
            text(
                "meta/validation",
                vocabularies: ["validation"],
                """
                "properties":{
                "type":{"anyOf":[{"$ref":"#/$defs/simpleTypes"},
                {"type":"array","items":{"$ref":"#/$defs/simpleTypes"},"minItems":1,"uniqueItems":true}]},
                "const":true,
                "enum":{"type":"array","items":true},
                "multipleOf":{"type":"number","exclusiveMinimum":0},
                "maximum":{"type":"number"},"exclusiveMaximum":{"type":"number"},
                "minimum":{"type":"number"},"exclusiveMinimum":{"type":"number"},
                "maxLength":{"$ref":"#/$defs/nonNegativeInteger"},
                "minLength":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
                "pattern":{"type":"string","format":"regex"},
                "maxItems":{"$ref":"#/$defs/nonNegativeInteger"},
                "minItems":{"$ref":"#/$defs/nonNegativeIntegerDefault0"},
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
                \(simpleTypes),
                "stringArray":{"type":"array","items":{"type":"string"},"uniqueItems":true,"default":[]}}
                """
            ),
            text(
                "meta/meta-data",
                vocabularies: ["meta-data"],
                """
                "properties":{"title":{"type":"string"},"description":{"type":"string"},"default":true,
                "deprecated":{"type":"boolean","default":false},"readOnly":{"type":"boolean","default":false},
                "writeOnly":{"type":"boolean","default":false},"examples":{"type":"array","items":true}}
                """
            ),
            text(
                "meta/content",
                vocabularies: ["content"],
                """
                "properties":{"contentEncoding":{"type":"string"},"contentMediaType":{"type":"string"},
                "contentSchema":\(schema)}
                """
            ),
        ]
        if is2020 {
            texts.append(text("meta/unevaluated", vocabularies: ["unevaluated"], "\"properties\":{\(unevaluated)}"))
        }
        for name in is2020 ? ["format-annotation", "format-assertion"] : ["format"] {
            texts.append(text("meta/\(name)", vocabularies: [name], #""properties":{"format":{"type":"string"}}"#))
        }
        return texts
    }
}
