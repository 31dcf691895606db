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
    var bounds: [ExactBounds] = []
    var constants: [ConstantBox] = []
    var names = NameTable()
    var dynamicAnchors: [[Int32]] = []
    var places: [Place] = []

    /// The numbers of the schemas met so far, those of which only a reference is left included.
    private var compiled: [Place: Int32] = [:]
    /// The schemas that are nothing but a reference, with the numbers of what they lead to.
    private(set) var loneReferences: [Place: Int32] = [:]
    /// The first schema that is still to be compiled.
    private var pending = 0
    private var anchorNames: [String] = []
    /// The targets of the references met so far, for many schemas refer to the same ones.
    var targets: [ReferenceKey: (place: Place, anchor: String?)] = [:]
    /// Addresses that references name and that are not what the schemas there call themselves, each with one such reference.
    var aliases: [String: SchemaAlias] = [:]
    /// The resources that references name by their URI.
    var namedResources: Set<Int> = []
    var memberTables: [Place: [ScalarKey: Int]] = [:]
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
        try compiler.compilePending()
        try compiler.compileDynamicAnchors()
        try compiler.refuseCircles()
        let uri = compiler.registry.owner(place).map { compiler.registry.resources[$0].uri } ?? ""
        return SchemaProgram(compiler, root: root, document: place.document, uri: uri)
    }

    /// Returns the number of the schema at a place.
    ///
    /// Its keywords are compiled later, so that a long chain of references takes no stack.
    mutating func compile(_ place: Place) throws(SchemaError) -> Int32 {
        var place = place
        var passed: Set<Place> = []
        var number = compiled[place]
        while number == nil, let target = try alias(place), passed.insert(place).inserted {
            place = target
            number = compiled[place]
        }
        let result = number ?? Int32(schemas.count)
        if number == nil {
            schemas.append(CompiledSchema(acceptedTags: 0))
            places.append(place)
        }
        compiled[place] = result
        for place in passed {
            compiled[place] = result
            loneReferences[place] = result
        }
        return result
    }

    /// Compiles the schemas that have a number and nothing more.
    private mutating func compilePending() throws(SchemaError) {
        while pending < schemas.count {
            let place = places[pending]
            let node = node(at: place)
            var schema = CompiledSchema()
            schema.resource = Int32(registry.owner(place) ?? 0)
            switch node.kind {
            // Draft 4 has Booleans as additional items and properties only; its metaschema says so.
            case .boolean: schema.tags = node.bool == true ? .max : 0
            case .object: try compileKeywords(node, place, &schema)
            default:
                throw registry.error(.keyword, place, "found \(node.kind), expected a schema (an object or a Boolean)")
            }
            schema.setAcceptedTags()
            schemas[pending] = schema
            pending += 1
        }
    }

    /// Returns the schema at a place as a node.
    func node(at place: Place) -> JSONNode {
        JSONNode(document: registry.documents[place.document].document, index: place.index)
    }

    /// Returns the target of a schema that is nothing but a reference, so that evaluation takes no detour.
    ///
    /// References between resources are left alone: which ones were passed through counts for `$dynamicRef`.
    private mutating func alias(_ place: Place) throws(SchemaError) -> Place? {
        let node = node(at: place)
        guard let reference = node["$ref"],
            standsAlone(reference, at: place)
                || node.members.allSatisfy({ $0.name == "$ref" || Self.annotations.contains($0.name) })
        else { return nil }
        let target = try resolve(reference, from: place).place
        return registry.owner(target) == registry.owner(place) ? target : nil
    }

    /// Tells whether a reference makes all members beside it count for nothing, as it does until draft 7.
    func standsAlone(_ reference: JSONNode?, at place: Place) -> Bool {
        reference?.string != nil && draft(at: place).referenceStandsAlone
    }

    /// Returns the draft of the schema at a place.
    func draft(at place: Place) -> JSONSchemaDraft {
        registry.owner(place).map { registry.resources[$0].draft } ?? registry.defaultDraft
    }

    private static let annotations: Set<String> = [
        "title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples", "$comment",
    ]

    // MARK: Dynamic anchors

    /// Returns the number of a dynamic anchor, or nil where the target is not one.
    mutating func dynamicAnchor(_ name: String?, at place: Place) -> Int32? {
        guard let name, let resource = registry.owner(place),
            registry.resources[resource].dynamicAnchors[name] == place.index
        else { return nil }
        if let number = anchorNames.firstIndex(of: name) { return Int32(number) }
        anchorNames.append(name)
        return Int32(anchorNames.count - 1)
    }

    /// Compiles what dynamic references may lead to, in every resource.
    private mutating func compileDynamicAnchors() throws(SchemaError) {
        // What is compiled on the way may bring further anchors, and further resources for all of them.
        var isDone = false
        while !isDone {
            isDone = true
            for (number, name) in anchorNames.enumerated() {
                if number == dynamicAnchors.count { dynamicAnchors.append([]) }
                while dynamicAnchors[number].count < registry.resources.count {
                    let resource = registry.resources[dynamicAnchors[number].count]
                    let index = resource.dynamicAnchors[name]
                    let target = try index.map { index throws(SchemaError) in
                        try compile(Place(document: resource.document, index: index))
                    }
                    dynamicAnchors[number].append(target ?? -1)
                    isDone = false
                }
            }
            try compilePending()
        }
    }

    // MARK: Tables

    /// Returns the number of a member name.
    mutating func name(_ name: String) -> Int32 {
        var name = name
        return Int32(name.withUTF8 { names.intern($0) })
    }

    /// Adds a run to the lists; gives where it starts.
    mutating func list(_ values: [Int32]) -> Int32 {
        lists += values
        return Int32(lists.count - values.count)
    }

    /// Returns the number of a regular expression.
    mutating func pattern(_ text: String, _ place: Place, _ keyword: String) throws(SchemaError) -> Int32 {
        if let number = patternNumbers[ScalarKey(text)] { return number }
        do {
            patterns.append(try ECMARegex(text, lenient: true))
        } catch {
            let message = "found the regular expression \(quoted(text)) in \"\(keyword)\": \(error)"
            throw registry.error(.pattern, place, message)
        }
        patternNumbers[ScalarKey(text)] = Int32(patterns.count - 1)
        return Int32(patterns.count - 1)
    }
}

/// A reference to a resource by another URI than its own.
struct SchemaAlias {
    let resource: Int
    let fragment: String
    let place: SchemaRegistry.Place
}

/// A reference as it stands in a resource.
struct ReferenceKey: Hashable {
    let resource: Int
    let text: ScalarKey
}
