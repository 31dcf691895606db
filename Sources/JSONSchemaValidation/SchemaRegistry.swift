public import StrictJSON

/// The schemas that references may lead to, by URI.
///
/// Nothing is ever fetched. The metaschemas of draft 2020-12 are always there. Each document brings the resources that it embeds by `$id`.
///
/// ```swift
/// var registry = SchemaRegistry()
/// try registry.add(JSONDocument(parsing: bytes), uri: "https://example.org/common.json")
/// let schema = try JSONSchema(document, registry: registry)
/// ```
public struct SchemaRegistry: Sendable {
    /// A schema resource: the root of a document, or a subschema with an `$id`.
    struct Resource: Sendable {
        let uri: String
        let document: Int
        let root: Int
        var anchors: [String: Int] = [:]
        var dynamicAnchors: [String: Int] = [:]
        /// The URI of the dialect; nil until it is known.
        var dialect: String?
    }

    /// A place in a registered document.
    struct Place: Sendable, Hashable {
        let document: Int
        let index: Int
    }

    private(set) var documents: [(document: JSONDocument, uri: String)] = []
    private(set) var resources: [Resource] = []
    private var byURI: [String: Int] = [:]
    /// How many of the resources are the metaschemas that are always there.
    private var builtInCount = 0
    /// The resource that a schema belongs to.
    private var owners: [Place: Int] = [:]

    /// A registry with the metaschemas only.
    public init() { self = Self.metaschemas }

    private init(empty: Void) {}

    private static let metaschemas: SchemaRegistry = {
        var registry = SchemaRegistry(empty: ())
        for text in Metaschemas.all {
            // The texts are ours, and a test compiles each of them.
            guard let document = try? JSONDocument(parsing: text) else { continue }
            try? registry.add(document)
        }
        registry.builtInCount = registry.resources.count
        return registry
    }()

    /// Registers a schema document and the resources in it.
    ///
    /// - Parameters:
    ///   - document: The schema.
    ///   - uri: Where it is found; its own `$id` is resolved against this and counts as well.
    /// - Throws: `schema.duplicate-identifier` where another resource or anchor has the same identifier, and
    ///   `schema.keyword` for identifiers that are no strings.
    public mutating func add(_ document: JSONDocument, uri: String? = nil) throws(SchemaError) {
        _ = try insert(document, uri: uri)
    }

    /// Registers a document; gives the place of its root.
    mutating func insert(_ document: JSONDocument, uri: String?) throws(SchemaError) -> Place {
        let base = URIReference(uri ?? "json-schema:///schema.json").document
        let own = document.root["$id"]?.string.map { URIReference($0).resolved(against: URIReference(base)).document }
        if let known = known(document, as: own ?? base) {
            if uri != nil { byURI[URIReference.key(base)] = known }
            return Place(document: resources[known].document, index: 0)
        }
        let root = Place(document: documents.count, index: 0)
        documents.append((document, base))
        try checkIdentifiers(root)
        let resource = resources.count
        resources.append(Resource(uri: own ?? base, document: root.document, root: 0))
        resources[resource].dialect = dialect(of: document.root)
        if uri != nil, let own, base != own { try register(base, resource, root) }
        try register(own ?? base, resource, root)
        try scan(root, resource: resource, isRoot: true)
        return root
    }

    /// The resource with that URI where it is the very same document: one file may be given twice.
    private func known(_ document: JSONDocument, as uri: String) -> Int? {
        guard let number = resource(uri: uri), resources[number].root == 0,
            documents[resources[number].document].document.bytes == document.bytes
        else { return nil }
        return number
    }

    private mutating func register(_ uri: String, _ resource: Int, _ place: Place) throws(SchemaError) {
        let key = URIReference.key(uri)
        // The published texts of the metaschemas may take the place of ours.
        if let other = byURI[key], other >= builtInCount {
            let first = documents[resources[other].document]
            let node = JSONNode(document: first.document, index: resources[other].root)
            let at = "\(first.uri)#\(node.pointer)"
            let message = "found a second schema with the URI \(uri), expected only that at \(at)"
            throw error(.duplicateIdentifier, place, message)
        }
        byURI[key] = resource
    }

    /// Refuses identifiers of a wrong kind.
    private func checkIdentifiers(_ place: Place) throws(SchemaError) {
        let node = JSONNode(document: documents[place.document].document, index: place.index)
        for keyword in ["$id", "$anchor", "$dynamicAnchor", "$schema"] {
            guard let value = node[keyword], value.string == nil else { continue }
            let at = Place(document: place.document, index: value.index)
            throw error(.keyword, at, "found \(value.kind), expected \"\(keyword)\" to be a string")
        }
        guard let value = node["$id"], let id = value.string, URIReference(id).fragment?.isEmpty == false
        else { return }
        let at = Place(document: place.document, index: value.index)
        let message = "found \"$id\": \(quoted(id)), expected no fragment; name this place with \"$anchor\""
        throw error(.keyword, at, message)
    }

    private func dialect(of schema: JSONNode) -> String? {
        schema["$schema"]?.string.map { URIReference($0).document }
    }

    /// Finds the resources and anchors in a schema and below it.
    mutating func scan(_ place: Place, resource outer: Int, isRoot: Bool = false) throws(SchemaError) {
        guard owners[place] == nil else { return }
        let node = JSONNode(document: documents[place.document].document, index: place.index)
        var resource = outer
        if !isRoot { try checkIdentifiers(place) }
        if !isRoot, let text = node["$id"]?.string {
            let uri = URIReference(text).resolved(against: URIReference(resources[outer].uri)).document
            resource = resources.count
            resources.append(Resource(uri: uri, document: place.document, root: place.index))
            resources[resource].dialect = dialect(of: node) ?? resources[outer].dialect
            try register(uri, resource, place)
        }
        owners[place] = resource
        guard node.kind == .object else { return }
        if let name = node["$anchor"]?.string {
            try setAnchor(name, at: place, in: \.anchors, of: resource)
        }
        if let name = node["$dynamicAnchor"]?.string {
            try setAnchor(name, at: place, in: \.dynamicAnchors, of: resource)
        }
        for member in node.members {
            for child in Subschemas.children(of: member.name, member.value) {
                try scan(Place(document: place.document, index: child.index), resource: resource)
            }
        }
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

    /// The resource with that URI.
    func resource(uri: String) -> Int? { byURI[URIReference.key(uri)] }

    /// The resource that a schema belongs to, where it is known to be a schema.
    func owner(_ place: Place) -> Int? { owners[place] }

    /// Whether all resources of a document are of draft 2020-12 itself.
    func isOfStandardDialect(_ document: Int) -> Bool {
        resources.allSatisfy { $0.document != document || $0.dialect ?? Metaschemas.dialect == Metaschemas.dialect }
    }

    /// An error at a place.
    func error(_ code: SchemaError.Code, _ place: Place, _ message: String) -> SchemaError {
        let (document, uri) = documents[place.document]
        let node = JSONNode(document: document, index: place.index)
        return SchemaError(code: code, message: message, schema: uri, pointer: node.pointer, position: node.position)
    }
}
