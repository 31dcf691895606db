public import StrictJSON

/// The schemas that references may lead to, by URI.
///
/// Nothing is ever fetched. The metaschemas of all drafts are always there. Each document brings the resources that it embeds by
/// their identifiers, each in the draft that its `$schema` names.
///
/// ```swift
/// var registry = SchemaRegistry()
/// try registry.add(JSONDocument(parsing: bytes), uri: "https://example.org/common.json")
/// let schema = try JSONSchema(document, registry: registry)
/// ```
public struct SchemaRegistry: Sendable {
    /// A schema resource: the root of a document, or a subschema with an identifier.
    struct Resource: Sendable {
        let uri: String
        let document: Int
        let root: Int
        let draft: JSONSchemaDraft
        /// The URI that `$schema` names, here or around; nil where nothing does.
        let dialect: String?
        var isBuiltIn = false
        var anchors: [String: Int] = [:]
        /// `$dynamicAnchor`s by name; a root with `$recursiveAnchor` has the empty name, which no anchor can have.
        var dynamicAnchors: [String: Int] = [:]
    }

    /// A place in a registered document.
    struct Place: Sendable, Hashable {
        let document: Int
        let index: Int
    }

    /// The draft of documents without `$schema`.
    public private(set) var defaultDraft = JSONSchemaDraft.draft2020

    /// Gives a schema that is not registered, when something first refers to its address; nil where it has none.
    ///
    /// It is asked once for each address. Without it only registered schemas are found. It may read files; the library fetches
    /// nothing by itself.
    public var load: (@Sendable (_ uri: String) throws(SchemaError) -> JSONDocument?)?
    private var asked: Set<String> = []

    private(set) var documents: [(document: JSONDocument, uri: String)] = []
    private(set) var resources: [Resource] = []
    private var byURI: [String: Int] = [:]
    /// URIs, and anchors behind `#`, that several schemas of older drafts claim: only a reference to one is a fault.
    private var ambiguous: Set<String> = []
    /// The resource that a schema belongs to.
    private var owners: [Place: Int] = [:]

    /// Makes a registry with the metaschemas only.
    ///
    /// - Parameter defaultDraft: The draft of documents without `$schema`.
    public init(defaultDraft: JSONSchemaDraft = .draft2020) {
        self = Self.metaschemas
        self.defaultDraft = defaultDraft
    }

    private init(empty: Void) {}

    private static let metaschemas: SchemaRegistry = {
        var registry = SchemaRegistry(empty: ())
        registry.addMetaschemas(of: .draft2020)
        return registry
    }()

    /// Adds the metaschemas of a draft; those of older drafts only where something refers to them, as most schemas need none.
    private mutating func addMetaschemas(of draft: JSONSchemaDraft) {
        for text in Metaschemas.texts(of: draft) {
            let first = resources.count
            // The texts are ours, and a test compiles each of them. Where somebody registered the published one, that stands.
            guard let document = try? JSONDocument(parsing: text), (try? add(document)) != nil else { continue }
            for number in first..<resources.count { resources[number].isBuiltIn = true }
        }
    }

    /// Registers a schema document and the resources in it.
    ///
    /// - Parameters:
    ///   - document: The schema.
    ///   - uri: Where it is found; its own identifier is resolved against this and counts as well.
    /// - Throws: `schema.duplicate-identifier` where another resource or anchor has the same identifier, and
    ///   `schema.keyword` for identifiers that are no strings.
    public mutating func add(_ document: JSONDocument, uri: String? = nil) throws(SchemaError) {
        _ = try insert(document, uri: uri)
    }

    /// Registers a document; gives the place of its root.
    mutating func insert(_ document: JSONDocument, uri: String?) throws(SchemaError) -> Place {
        let base = URIReference(uri ?? "json-schema:///schema.json").document
        let root = Place(document: documents.count, index: 0)
        let dialect = document.root["$schema"]?.string
        if let dialect, JSONSchemaDraft(dialect: dialect) == nil { try loadMissing(URIReference(dialect).document) }
        let draft = draft(of: dialect) ?? defaultDraft
        let identifier = draft.identifier(of: document.root).map { URIReference($0) }
        var own: String?
        if let identifier, !identifier.isFragmentOnly {
            own = identifier.resolved(against: URIReference(base)).document
        }
        if let known = known(document, as: own ?? base) {
            if uri != nil { byURI[URIReference.key(base)] = known }
            return Place(document: resources[known].document, index: 0)
        }
        documents.append((document, base))
        try checkIdentifiers(root, draft)
        let resource = resources.count
        resources.append(
            Resource(
                uri: own ?? base,
                document: root.document,
                root: 0,
                draft: draft,
                dialect: dialect.map { URIReference($0).document }
            )
        )
        if uri != nil, let own, base != own { try register(base, resource, root) }
        try register(own ?? base, resource, root)
        try scan(root, resource: resource, isRoot: true)
        return root
    }

    /// Returns the draft of a dialect: one of the drafts, or that of a registered metaschema; nil where it is not
    /// known.
    private func draft(of dialect: String?) -> JSONSchemaDraft? {
        guard let dialect else { return nil }
        return JSONSchemaDraft(dialect: dialect)
            ?? resource(uri: URIReference(dialect).document).map { resources[$0].draft }
    }

    /// Returns the resource with that URI where it is the very same document: one file may be given twice.
    private func known(_ document: JSONDocument, as uri: String) -> Int? {
        guard let number = resource(uri: uri), resources[number].root == 0,
            documents[resources[number].document].document.bytes == document.bytes
        else { return nil }
        return number
    }

    private mutating func register(_ uri: String, _ resource: Int, _ place: Place) throws(SchemaError) {
        let key = URIReference.key(uri)
        // The published texts of the metaschemas may take the place of ours.
        if let other = byURI[key], !resources[other].isBuiltIn {
            // Generators of older drafts gave many subschemas one identifier, which nothing refers to.
            if place.index != 0, resources[resource].draft.identifierNamesAnchors {
                ambiguous.insert(key)
                return
            }
            let first = documents[resources[other].document]
            let node = JSONNode(document: first.document, index: resources[other].root)
            let at = "\(first.uri)#\(node.pointer)"
            let message = "found a second schema with the URI \(uri), expected only that at \(at)"
            throw error(.duplicateIdentifier, place, message)
        }
        byURI[key] = resource
    }

    /// Refuses identifiers of a wrong kind.
    private func checkIdentifiers(_ place: Place, _ draft: JSONSchemaDraft) throws(SchemaError) {
        let node = JSONNode(document: documents[place.document].document, index: place.index)
        if draft.referenceStandsAlone, node["$ref"]?.string != nil { return }
        for keyword in [draft.identifier, "$anchor", "$dynamicAnchor", "$schema"] where draft.knows(keyword) {
            guard let value = node[keyword], value.string == nil else { continue }
            let at = Place(document: place.document, index: value.index)
            throw error(.keyword, at, "found \(value.kind), expected \"\(keyword)\" to be a string")
        }
        guard !draft.identifierNamesAnchors, let value = node["$id"], let id = value.string,
            URIReference(id).fragment?.isEmpty == false
        else { return }
        let at = Place(document: place.document, index: value.index)
        let message = "found \"$id\": \(quoted(id)), expected no fragment; name this place with \"$anchor\""
        throw error(.keyword, at, message)
    }

    /// Finds the resources and anchors in a schema and below it.
    mutating func scan(_ place: Place, resource outer: Int, isRoot: Bool = false) throws(SchemaError) {
        guard owners[place] == nil else { return }
        let node = JSONNode(document: documents[place.document].document, index: place.index)
        var resource = outer
        if !isRoot, node.kind == .object { resource = try embedded(node, place, in: outer) }
        owners[place] = resource
        guard node.kind == .object else { return }
        let draft = resources[resource].draft
        if let identifier = draft.identifier(of: node), draft.identifierNamesAnchors,
            let name = URIReference(identifier).fragment, !name.isEmpty, !name.hasPrefix("/")
        {
            try setAnchor(name, at: place, in: \.anchors, of: resource)
        }
        if draft.knows("$anchor"), let name = node["$anchor"]?.string {
            try setAnchor(name, at: place, in: \.anchors, of: resource)
        }
        if draft.knows("$dynamicAnchor"), let name = node["$dynamicAnchor"]?.string {
            try setAnchor(name, at: place, in: \.dynamicAnchors, of: resource)
        }
        if draft.knows("$recursiveAnchor"), node["$recursiveAnchor"]?.bool == true,
            resources[resource].root == place.index
        {
            resources[resource].dynamicAnchors[""] = place.index
        }
        for member in node.members {
            for child in Subschemas.children(of: member.name, member.value, draft) {
                try scan(Place(document: place.document, index: child.index), resource: resource)
            }
        }
    }

    /// Returns the resource that a subschema belongs to: its own where it has an identifier, which may be of another
    /// draft.
    private mutating func embedded(_ node: JSONNode, _ place: Place, in outer: Int) throws(SchemaError) -> Int {
        let dialect = node["$schema"]?.string
        var draft = resources[outer].draft
        if let own = self.draft(of: dialect), own.identifier(of: node) != nil { draft = own }
        try checkIdentifiers(place, draft)
        guard let text = draft.identifier(of: node) else { return outer }
        let identifier = URIReference(text)
        if draft.identifierNamesAnchors, identifier.isFragmentOnly { return outer }
        let uri = identifier.resolved(against: URIReference(resources[outer].uri)).document
        resources.append(
            Resource(
                uri: uri,
                document: place.document,
                root: place.index,
                draft: draft,
                dialect: dialect.map { URIReference($0).document } ?? resources[outer].dialect
            )
        )
        try register(uri, resources.count - 1, place)
        return resources.count - 1
    }

    private mutating func setAnchor(
        _ name: String,
        at place: Place,
        in anchors: WritableKeyPath<Resource, [String: Int]>,
        of resource: Int
    ) throws(SchemaError) {
        if let other = resources[resource].anchors[name] ?? resources[resource].dynamicAnchors[name],
            other != place.index
        {
            if resources[resource].draft.identifierNamesAnchors {
                ambiguous.insert(URIReference.key(resources[resource].uri) + "#" + name)
                return
            }
            let document = documents[place.document].document
            let first = JSONNode(document: document, index: other).pointer
            throw error(
                .duplicateIdentifier,
                place,
                "found a second anchor \(quoted(name)) in \(resources[resource].uri), expected only that at \(first)"
            )
        }
        resources[resource][keyPath: anchors][name] = place.index
    }

    /// Returns the resource with that URI.
    func resource(uri: String) -> Int? { byURI[URIReference.key(uri)] }

    /// Loads the schema with that URI, unless it is there or was asked for.
    private mutating func loadMissing(_ uri: String) throws(SchemaError) {
        guard let load, resource(uri: uri) == nil, asked.insert(uri).inserted, let document = try load(uri) else {
            return
        }
        try add(document, uri: uri)
    }

    /// Returns the resource with that URI, which may be a metaschema, or one to be loaded, that nothing has referred to
    /// before.
    mutating func resourceAddingMissing(uri: String) throws(SchemaError) -> Int? {
        if let known = resource(uri: uri) { return known }
        for draft in JSONSchemaDraft.allCases where draft != .draft2020 {
            // The metaschemas of the vocabularies are below the folder of the dialect's own.
            let folder = draft.metaschemaURI.dropLast("schema".count)
            if uri == draft.metaschemaURI || draft == .draft2019 && uri.hasPrefix(folder) { addMetaschemas(of: draft) }
        }
        try loadMissing(uri)
        return resource(uri: uri)
    }

    /// Tells whether several schemas claim a URI, or an anchor of it.
    func isAmbiguous(_ uri: String, anchor: String? = nil) -> Bool {
        ambiguous.contains(URIReference.key(uri) + (anchor.map { "#" + $0 } ?? ""))
    }

    /// The numbers of the documents that are none of the metaschemas that are always there.
    var customDocuments: [Int] {
        let builtIn = Set(resources.lazy.filter(\.isBuiltIn).map(\.document))
        return documents.indices.filter { !builtIn.contains($0) }
    }

    /// Returns the address of a document that gives itself a URI which its draft ignores beside `$ref`.
    func document(withIgnoredIdentifier uri: String) -> String? {
        for number in customDocuments {
            let (document, address) = documents[number]
            guard let owner = owners[Place(document: number, index: 0)] else { continue }
            let draft = resources[owner].draft
            guard draft.referenceStandsAlone, document.root["$ref"]?.string != nil,
                let identifier = document.root[draft.identifier]?.string
            else { continue }
            let own = URIReference(identifier).resolved(against: URIReference(address)).document
            if URIReference.key(own) == URIReference.key(uri) { return address }
        }
        return nil
    }

    /// Returns the resource that a schema belongs to, where it is known to be a schema.
    func owner(_ place: Place) -> Int? { owners[place] }

    /// Returns the draft that all resources of a document are of; nil where they are of several, or of a dialect of
    /// their own.
    func standardDraft(of document: Int) -> JSONSchemaDraft? {
        let found = resources.filter { $0.document == document }
        guard let draft = found.first?.draft,
            found.allSatisfy({ $0.draft == draft && $0.dialect.map { JSONSchemaDraft(dialect: $0) == draft } ?? true })
        else { return nil }
        return draft
    }

    /// Returns the error at a place.
    func error(_ code: SchemaError.Code, _ place: Place, _ message: String) -> SchemaError {
        let (document, uri) = documents[place.document]
        let node = JSONNode(document: document, index: place.index)
        return SchemaError(code: code, message: message, schema: uri, pointer: node.pointer, position: node.position)
    }
}
