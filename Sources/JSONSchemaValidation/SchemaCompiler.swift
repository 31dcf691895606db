internal import StrictJSON

/// Turns schemas into a program: every subschema once, references resolved, keywords checked.
struct SchemaCompiler: ~Copyable {
    typealias Place = SchemaRegistry.Place

    var registry: SchemaRegistry
    let assertsFormats: Bool

    var schemas: [CompiledSchema] = []
    var strings: [StringRule] = []
    var numbers: [NumberRule] = []
    var arrays: [ArrayRule] = []
    var objects: [ObjectRule] = []
    var slots: [PropertySlot] = []
    var patternRules: [PatternRule] = []
    var dependents: [DependentRule] = []
    var inPlace: [InPlaceRule] = []
    var lists: [Int32] = []
    var patterns: [ECMARegex] = []
    var patternTexts: [String] = []
    var bounds: [ExactBounds] = []
    var constants: [ConstantBox] = []
    var names = NameTable()
    var dynamicAnchors: [[Int32]] = []
    var places: [Place] = []

    private var compiled: [Place: Int32] = [:]
    /// References that are being followed, against going round in circles.
    private var following: Set<Place> = []
    private var anchorNames: [String] = []
    private var patternNumbers: [ScalarKey: Int32] = [:]

    init(registry: SchemaRegistry, assertsFormats: Bool) {
        self.registry = registry
        self.assertsFormats = assertsFormats
    }

    /// Compiles a schema and all that it refers to.
    static func compile(
        _ document: JSONDocument,
        uri: String?,
        registry: SchemaRegistry,
        assertsFormats: Bool
    ) throws(SchemaError) -> SchemaProgram {
        var registry = registry
        let place = try registry.insert(document, uri: uri)
        var compiler = SchemaCompiler(registry: registry, assertsFormats: assertsFormats)
        let root = try compiler.compile(place)
        try compiler.compileDynamicAnchors()
        return SchemaProgram(compiler, root: root)
    }

    /// Compiles the schema at a place, once.
    mutating func compile(_ place: Place) throws(SchemaError) -> Int32 {
        if let number = compiled[place] { return number }
        let node = node(at: place)
        let resource = registry.owner(place) ?? 0
        if let target = try alias(node, place, resource) {
            compiled[place] = target
            return target
        }
        let number = Int32(schemas.count)
        compiled[place] = number
        schemas.append(CompiledSchema(acceptedTags: 0))
        places.append(place)
        var schema = CompiledSchema()
        schema.resource = Int32(resource)
        switch node.kind {
        case .boolean: schema.tags = node.bool == true ? .max : 0
        case .object: try compileKeywords(node, place, &schema)
        default: throw registry.error(.keyword, place, "found \(node.kind), expected a schema (an object or a Boolean)")
        }
        schema.setAcceptedTags()
        schemas[Int(number)] = schema
        return number
    }

    /// The schema at a place as a node.
    func node(at place: Place) -> JSONNode {
        JSONNode(document: registry.documents[place.document].document, index: place.index)
    }

    /// The target of a schema that is nothing but a reference, so that evaluation takes no detour.
    ///
    /// References between resources are left alone: which ones were passed through counts for `$dynamicRef`.
    private mutating func alias(_ node: JSONNode, _ place: Place, _ resource: Int) throws(SchemaError) -> Int32? {
        guard let reference = node["$ref"] else { return nil }
        let isPlain = node.members.allSatisfy { $0.name == "$ref" || Self.annotations.contains($0.name) }
        guard isPlain, following.insert(place).inserted else { return nil }
        defer { following.remove(place) }
        let target = try resolve(reference, from: place).place
        return registry.owner(target) == resource ? try compile(target) : nil
    }

    private static let annotations: Set<String> = [
        "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "$comment",
    ]

    // MARK: References

    /// The schema that a reference leads to, and the anchor that it names, if any.
    mutating func resolve(_ reference: JSONNode, from place: Place) throws(SchemaError) -> (
        place: Place, anchor: String?
    ) {
        guard let text = reference.string else {
            throw registry.error(.keyword, place, "found \(reference.kind), expected a reference to be a string")
        }
        let base = registry.resources[registry.owner(place) ?? 0].uri
        let uri = URIReference(text).resolved(against: URIReference(base))
        guard let resource = registry.resource(uri: uri.document) else {
            throw registry.error(
                .reference,
                place,
                "found the reference \(quoted(text)), expected a schema with the URI \(uri.document) to be registered"
            )
        }
        let found = registry.resources[resource]
        guard let fragment = uri.decodedFragment else {
            throw registry.error(.reference, place, "the fragment of the reference \(quoted(text)) is badly escaped")
        }
        if !fragment.isEmpty, !fragment.hasPrefix("/") {
            guard let index = found.anchors[fragment] ?? found.dynamicAnchors[fragment] else {
                throw registry.error(
                    .reference,
                    place,
                    "found the reference \(quoted(text)), expected an anchor \(quoted(fragment)) in \(found.uri)"
                )
            }
            return (Place(document: found.document, index: index), fragment)
        }
        let root = node(at: Place(document: found.document, index: found.root))
        guard let pointer = JSONPointer(fragment), let target = root[pointer] else {
            throw registry.error(
                .reference,
                place,
                "found the reference \(quoted(text)), expected a schema at \(fragment) in \(found.uri)"
            )
        }
        let result = Place(document: found.document, index: target.index)
        if registry.owner(result) == nil {
            // Not where schemas usually stand, but somebody says that it is one.
            try registry.scan(result, resource: owner(along: pointer, from: root, in: found.document) ?? resource)
        }
        return (result, nil)
    }

    /// The resource of the innermost schema on the way to a value.
    private func owner(along pointer: JSONPointer, from root: JSONNode, in document: Int) -> Int? {
        var node = root
        var owner: Int?
        for token in pointer.tokens {
            owner = registry.owner(Place(document: document, index: node.index)) ?? owner
            guard let next = node[JSONPointer(tokens: [token])] else { break }
            node = next
        }
        return owner
    }

    /// The number of a dynamic anchor, or nil where the target is not one.
    mutating func dynamicAnchor(_ name: String?, at place: Place) -> Int32? {
        guard let name, let resource = registry.owner(place),
            registry.resources[resource].dynamicAnchors[name] == place.index
        else { return nil }
        if let number = anchorNames.firstIndex(of: name) { return Int32(number) }
        anchorNames.append(name)
        return Int32(anchorNames.count - 1)
    }

    /// Compiles what dynamic references may lead to, in every resource.
    mutating func compileDynamicAnchors() throws(SchemaError) {
        var done = 0
        while done < anchorNames.count {
            let name = anchorNames[done]
            var targets: [Int32] = []
            for resource in registry.resources {
                guard let index = resource.dynamicAnchors[name] else {
                    targets.append(-1)
                    continue
                }
                targets.append(try compile(Place(document: resource.document, index: index)))
            }
            dynamicAnchors.append(targets)
            done += 1
        }
    }

    // MARK: Tables

    /// The number of a member name.
    mutating func name(_ name: String) -> Int32 {
        var name = name
        return Int32(name.withUTF8 { names.intern($0) })
    }

    /// Adds a run to the lists; gives where it starts.
    mutating func list(_ values: [Int32]) -> Int32 {
        lists += values
        return Int32(lists.count - values.count)
    }

    /// The number of a regular expression.
    mutating func pattern(_ text: String, _ place: Place, _ keyword: String) throws(SchemaError) -> Int32 {
        if let number = patternNumbers[ScalarKey(text)] { return number }
        do {
            patterns.append(try ECMARegex(text, lenient: true))
        } catch {
            let message = "found the regular expression \(quoted(text)) in \"\(keyword)\": \(error)"
            throw registry.error(.pattern, place, message)
        }
        patternTexts.append(text)
        patternNumbers[ScalarKey(text)] = Int32(patterns.count - 1)
        return Int32(patterns.count - 1)
    }
}
