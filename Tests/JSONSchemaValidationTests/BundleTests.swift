import JSONSchemaValidation
import StrictJSON
import Testing
import TestSupport

/// One document of a schema and all that it refers to.
struct BundleTests {
    private func registry(_ schemas: (String, String)...) throws -> SchemaRegistry {
        var registry = SchemaRegistry()
        for (uri, text) in schemas { try registry.add(JSONDocument(parsing: text), uri: uri) }
        return registry
    }

    /// What was registered beside the schema is embedded under a relative address, so that the bundle can lie anywhere.
    @Test func neighbours() throws {
        let registry = try registry(
            ("file:///a/common/names.json", #"{"$defs":{"name":{"type":"string","$ref":"more.json"}}}"#),
            ("file:///a/common/more.json", #"{"minLength":2}"#),
            ("file:///a/unused.json", #"{}"#)
        )
        let schema = try JSONDocument(parsing: ##"{"properties":{"a":{"$ref":"common/names.json#/$defs/name"}}}"##)
        let bundle = try JSONSchema.bundle(schema, uri: "file:///a/schema.json", registry: registry)
        #expect(bundle["$defs"]?.object?.names == ["common/names.json", "common/more.json"])
        let moved = try JSONSchema(JSONDocument(parsing: bundle.encoded(.compact)), uri: "https://example.org/x/y.json")
        #expect(try moved.isValid(JSONDocument(parsing: #"{"a":"ab"}"#)))
        #expect(try !moved.isValid(JSONDocument(parsing: #"{"a":"a"}"#)))
        #expect(try !moved.isValid(JSONDocument(parsing: #"{"a":12}"#)))
    }

    /// A schema that its neighbours refer to by name gets an identifier, so that the bundle holds all that it needs.
    @Test(arguments: [
        #""properties":{"c":{"$ref":"all.json"}},"required":["n"]"#, #""$ref":"all.json#/definitions/n""#,
    ])
    func referringBack(_ keywords: String) throws {
        let head = #"{"$schema":"http://json-schema.org/draft-07/schema#","#
        let items = #""items":{"$ref":"node.json"}"#
        let definitions = #""definitions":{"n":{"required":["n"],"properties":{"c":{\#(items)}}}}"#
        let registry = try registry(("file:///s/all.json", "\(head)\(items),\(definitions)}"))
        let schema = try JSONDocument(parsing: head + keywords + "}")
        let bundle = try JSONSchema.bundle(schema, uri: "file:///s/node.json", registry: registry)
        #expect(bundle["$id"] == "node.json")
        let moved = try JSONSchema(JSONDocument(parsing: bundle.encoded(.compact)), uri: "file:///x/bundle.json")
        #expect(try moved.isValid(JSONDocument(parsing: #"{"n":1,"c":[{"n":2}]}"#)))
        #expect(try !moved.isValid(JSONDocument(parsing: #"{"n":1,"c":[{}]}"#)))
    }

    /// A bundle names the draft that it was read in.
    @Test func drafts() throws {
        var registry = SchemaRegistry(defaultDraft: .draft7)
        try registry.add(JSONDocument(parsing: #"{"type":"array"}"#), uri: "file:///a/o.json")
        let schema = try JSONDocument(parsing: #"{"items":{"$ref":"o.json","maxItems":1}}"#)
        let bundle = try JSONSchema.bundle(schema, uri: "file:///a/r.json", registry: registry)
        #expect(bundle["$schema"] == "http://json-schema.org/draft-07/schema")
        let moved = try JSONSchema(JSONDocument(parsing: bundle.encoded(.compact)))
        #expect(try moved.isValid(JSONDocument(parsing: "[[1,2]]")))
    }

    /// Only references by name need an identifier.
    @Test func ownReferences() throws {
        let registry = try registry(("file:///a/o.json", ##"{"items":{"$ref":"#"}}"##))
        let text = ##"{"prefixItems":[{"$ref":"#"},{"$ref":"#/$defs/d"},{"$ref":"o.json"}],"$defs":{"d":{}}}"##
        let bundle = try JSONSchema.bundle(JSONDocument(parsing: text), uri: "file:///a/r.json", registry: registry)
        #expect(bundle["$id"] == nil)
        #expect(bundle["$defs"]?.object?.names == ["d", "o.json"])
    }

    /// What says its own address keeps it, and its dialect as it wrote it.
    @Test func ownAddresses() throws {
        let text =
            ##"{"$schema":"http://json-schema.org/draft-07/schema#","$id":"http://x.test/sub/other.json","type":"integer"}"##
        let registry = try registry(("file:///a/other.json", text))
        let schema = try JSONDocument(parsing: #"{"$id":"http://x.test/main.json","$ref":"sub/other.json"}"#)
        let bundle = try JSONSchema.bundle(schema, uri: "file:///a/main.json", registry: registry)
        let embedded = bundle["$defs"]?.object?.members.map(\.value) ?? []
        #expect(embedded.map { $0["$id"] } == ["http://x.test/sub/other.json"])
        #expect(embedded.map { $0["$schema"] } == ["http://json-schema.org/draft-07/schema#"])
        #expect(
            try !JSONSchema(JSONDocument(parsing: bundle.encoded(.compact))).isValid(JSONDocument(parsing: "\"a\""))
        )
    }

    /// What is embedded keeps its own draft: its metaschema checks it, and its keywords mean what they mean there.
    @Test(arguments: [
        ("2020-12", "7", ##""definitions":{"x":{"$id":"#at","items":[{"type":"string"}]}}"##, "#at", #"["s"]"#, "[1]"),
        ("2020-12", "4", #""minimum":1,"exclusiveMinimum":true"#, "", "2", "1"),
        ("7", "4", #""minimum":1,"exclusiveMinimum":true"#, "", "2", "1"),
        ("4", "2020-12", #""prefixItems":[{"type":"string"}],"items":false"#, "", #"["s"]"#, #"["s",1]"#),
        (
            "2020-12", "2019-09",
            ##""$recursiveAnchor":true,"properties":{"k":{"$recursiveRef":"#"}},"unevaluatedProperties":false"##, "",
            #"{"k":{}}"#, #"{"k":{"z":1}}"#
        ),
    ])
    func acrossDrafts(
        _ outer: String,
        _ inner: String,
        _ keywords: String,
        _ fragment: String,
        _ valid: String,
        _ invalid: String
    ) throws {
        func head(_ name: String, _ id: String) throws -> String {
            let draft = try #require(JSONSchemaDraft(name: name))
            let keyword = draft == .draft4 ? "id" : "$id"
            return #"{"$schema":"\#(draft.metaschemaURI)","\#(keyword)":"https://x.test/\#(id)","#
        }
        let registry = try registry(("file:///inner.json", head(inner, "inner") + keywords + "}"))
        let text = try head(outer, "outer") + #""properties":{"a":{"$ref":"inner\#(fragment)"}}}"#
        let bundle = try JSONDocument(
            parsing: JSONSchema.bundle(JSONDocument(parsing: text), registry: registry).encoded(.compact)
        )
        #expect(JSONSchema.review(bundle, file: nil) == [])
        #expect(try JSONSchema.lint(bundle, file: nil) == [])
        let schema = try JSONSchema(bundle)
        #expect(try schema.isValid(JSONDocument(parsing: #"{"a":\#(valid)}"#)))
        #expect(try !schema.isValid(JSONDocument(parsing: #"{"a":\#(invalid)}"#)))
    }

    /// A keyword of a wrong kind in what is embedded is found by the metaschema of its own draft, at its place.
    @Test func faultsAcrossDrafts() throws {
        let text = #"""
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": {
              "é": {"$schema": "http://json-schema.org/draft-04/schema#", "id": "https://x.test/old", "definitions": {
                "good": {"minimum": 1, "exclusiveMinimum": true},
                "bad": {"minimum": 1, "exclusiveMinimum": 1}}},
              "part": {"$schema": "http://json-schema.org/draft-04/schema#", "exclusiveMinimum": true}}}
            """#
        let document = try JSONDocument(parsing: text)
        let lines = JSONSchema.review(document, file: "s.json").map(\.description)
        #expect(lines.count == 2, "\(lines)")
        #expect(lines.first?.hasPrefix("s.json:4:47: error[schema.keyword]: found 1, expected true or false") == true)
        #expect(lines.first?.hasSuffix("(at /$defs/é/definitions/bad/exclusiveMinimum)") == true)
        #expect(lines.last?.hasSuffix("(at /$defs/part/exclusiveMinimum)") == true)
        let error = #expect(throws: SchemaError.self) { try JSONSchema(document) }
        #expect(error?.pointer.description == "/$defs/é/definitions/bad/exclusiveMinimum")
        #expect(error?.position?.line == 4)
    }

    @Test func aloneItStaysAsItIs() throws {
        let text = #"{"$ref":"https://json-schema.org/draft/2020-12/schema"}"#
        #expect(try JSONSchema.bundle(JSONDocument(parsing: text)).text(.compact) == text)
    }

    @Test func whatCannotSayItsIdentifier() throws {
        let old =
            ##"{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","properties":{},"definitions":{"a":{}}}"##
        let registry = try registry(("https://example.org/old.json", old))
        let error = #expect(throws: SchemaError.self) {
            try JSONSchema.bundle(
                JSONDocument(parsing: #"{"$ref":"https://example.org/old.json#/properties"}"#),
                registry: registry
            )
        }
        #expect(error?.message.contains(#"found "properties" beside "$ref""#) == true)
    }

    /// Every schema of the official suite says the same when it is bundled and its neighbours are gone.
    @Test(
        .enabled(if: SharedFolder.exists, "the test suite in ../shared is missing"),
        arguments: JSONSchemaDraft.allCases
    )
    func suite(_ draft: JSONSchemaDraft) throws {
        let root = "json-schema-test-suite/"
        var registry = SchemaRegistry(defaultDraft: draft)
        for file in try SharedFolder.jsonFiles(below: root + "remotes") {
            let path = file.dropFirst(root.count + "remotes/".count)
            if path.hasPrefix("v1/") || path.hasPrefix("draft") && !path.hasPrefix("draft\(draft.name)/") { continue }
            try registry.add(JSONDocument(parsing: SharedFolder.bytes(file)), uri: "http://localhost:1234/\(path)")
        }
        var count = 0
        for file in try SharedFolder.jsonFiles(below: "\(root)tests/draft\(draft.name)")
        where file.hasSuffix("ef.json") || file.hasSuffix("refRemote.json") || file.hasSuffix("anchor.json") {
            for group in try JSONDocument(parsing: SharedFolder.bytes(file)).root.elements {
                guard let text = group["schema"]?.encoded(.compact) else { continue }
                let bundle = try JSONSchema.bundle(JSONDocument(parsing: text), registry: registry)
                let alone = try JSONSchema(
                    JSONDocument(parsing: bundle.encoded(.compact)),
                    registry: SchemaRegistry(defaultDraft: draft),
                    assertFormats: false
                )
                for test in group["tests"]?.elements.map(\.self) ?? [] {
                    let isValid = try alone.isValid(JSONDocument(parsing: test["data"]?.encoded(.compact) ?? []))
                    #expect(isValid == test["valid"]?.bool, "\(file): \(group["description"]?.string ?? "")")
                    count += 1
                }
            }
        }
        #expect(count > 50)
    }
}
