public import StrictJSON

extension JSONSchema {
    /// Brings a schema and all that it refers to into one document.
    ///
    /// Each document that is reached is embedded under `$defs` (`definitions` until draft 7) with its own identifier, so that
    /// no reference changes. Where an embedded document has none, it gets the URI under which it was registered, relative to the
    /// schema's where that is possible. The schema itself gets an identifier where something refers to it by name and it has
    /// none, and a `$schema` where it would else be read in another draft.
    ///
    /// - Parameters:
    ///   - schema: The schema document.
    ///   - uri: Where it was found.
    ///   - registry: The schemas that references lead to; nothing is fetched.
    /// - Returns: The schema with the others in it; the schema itself where it refers to no other.
    /// - Throws: As `init`; `schema.keyword` where a document cannot be embedded as its draft has no way to say its identifier.
    public static func bundle(
        _ schema: JSONDocument,
        uri: String? = nil,
        registry: SchemaRegistry = SchemaRegistry()
    ) throws(SchemaError) -> JSONValue {
        let program = try JSONSchema(schema, uri: uri, registry: registry).program
        let registry = program.registry
        let root = program.places[Int(program.root)].document
        // The root's own number: a schema that is only a reference starts in the document that this leads to.
        let start = registry.resource(uri: program.rootURI).map { registry.resources[$0].document } ?? root
        var documents = Set(program.places.map(\.document))
        documents.remove(start)
        guard case .object(var object) = schema.root.value,
            let number = registry.resources.firstIndex(where: { $0.document == start })
        else { return schema.root.value }
        let draft = registry.resources[number].draft
        let keyword = draft >= .draft2019 ? "$defs" : "definitions"
        if program.namedResources.contains(number), draft.identifier(of: schema.root)?.hasPrefix("#") ?? true {
            object = try registry.identified(object, of: number, from: program.rootURI).schema
            object.sort(first: ["$schema", draft.identifier])
        }
        var definitions = object[keyword]?.object ?? [:]
        for document in documents.sorted() where !registry.isBuiltIn(document) {
            let embedded = try registry.embeddable(document, from: program.rootURI)
            var name = embedded.name
            while definitions[name] != nil { name += "'" }
            definitions[name] = .object(embedded.schema)
        }
        for (address, alias) in program.aliases.sorted(by: { $0.key < $1.key }) {
            guard !registry.resources[alias.resource].isBuiltIn else { continue }
            let target = registry.resources[alias.resource].uri
            guard alias.fragment.isEmpty else {
                let message =
                    "found a reference into \(address), which calls itself \(target): refer to it by that, as no bundle can "
                    + "have a schema's parts under two addresses"
                throw registry.error(.reference, alias.place, message)
            }
            let draft = registry.resources[alias.resource].draft
            let reference: JSONValue = ["$ref": .string(target)]
            let name = URIReference(address).relative(to: URIReference(program.rootURI))
            var embedded: JSONObject = ["$schema": .string(draft.metaschemaURI), "allOf": [reference]]
            embedded[draft.identifier] = .string(name)
            definitions[name] = .object(embedded)
        }
        if !definitions.isEmpty { object[keyword] = .object(definitions) }
        if object["$schema"] == nil, !definitions.isEmpty || draft != .draft2020 {
            object["$schema"] = .string(draft.metaschemaURI)
            object.sort(first: ["$schema"])
        }
        return .object(object)
    }
}

extension SchemaRegistry {
    /// Tells whether a document is one of the metaschemas that are always there.
    fileprivate func isBuiltIn(_ document: Int) -> Bool {
        resources.first { $0.document == document }?.isBuiltIn ?? false
    }

    /// Returns a document as it is embedded in another: with its identifier and its draft.
    fileprivate func embeddable(
        _ document: Int,
        from root: String
    ) throws(SchemaError) -> (name: String, schema: JSONObject) {
        let node = documents[document].document.root
        guard let number = resources.firstIndex(where: { $0.document == document && $0.root == 0 }) else {
            return ("schema\(document)", [:])
        }
        let object: JSONObject
        switch node.value {
        case .object(let found): object = found
        // A Boolean cannot say its identifier; a schema that applies it can.
        case let other: object = ["allOf": .array([other])]
        }
        var embedded = try identified(object, of: number, from: root)
        if embedded.schema["$schema"] == nil {
            embedded.schema["$schema"] = .string(resources[number].draft.metaschemaURI)
        }
        return embedded
    }

    /// Returns a schema with its identifier, which its draft would ignore beside `$ref`.
    ///
    /// - Parameters:
    ///   - number: The number of its resource.
    ///   - root: The URI of the bundle's schema.
    fileprivate func identified(
        _ schema: JSONObject,
        of number: Int,
        from root: String
    ) throws(SchemaError) -> (name: String, schema: JSONObject) {
        let resource = resources[number]
        let draft = resource.draft
        var object = schema
        if draft.referenceStandsAlone, let reference = object["$ref"], reference.string != nil {
            let others = object.names.filter {
                !["$ref", "$schema", "$comment", "title", "description", "definitions"].contains($0)
            }
            guard others.isEmpty || others == [draft.identifier] else {
                let place = Place(document: resource.document, index: 0)
                let list = others.map(quoted).joined(separator: ", ")
                let message =
                    "found \(list) beside \"$ref\", which draft \(draft.name) ignores, expected only definitions: "
                    + "embedded, the schema needs an identifier there, so remove them or put the reference into \"allOf\""
                throw error(.keyword, place, message)
            }
            object["$ref"] = nil
            object["allOf"] = .array([.object(["$ref": reference])])
        }
        // An address of its own stays; one that comes from where the document lies is told from where the bundle lies.
        let own = draft.identifier(of: documents[resource.document].document.root)
        let isAbsolute = own.map { URIReference($0).scheme != nil } ?? false
        let identifier = isAbsolute ? resource.uri : URIReference(resource.uri).relative(to: URIReference(root))
        // Keep an anchor, which begins with #: references use it.
        let anchor = own.flatMap { $0.hasPrefix("#") ? $0 : nil } ?? ""
        object[draft.identifier] = .string(isAbsolute ? own ?? identifier : identifier + anchor)
        return (identifier, object)
    }
}
