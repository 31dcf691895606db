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
        let number = documents.count
        documents.append((document, base))
        let own = document.root["$id"]?.string.map { URIReference($0).resolved(against: URIReference(base)).document }
        let resource = resources.count
        resources.append(Resource(uri: own ?? base, document: number, root: 0))
        resources[resource].dialect = dialect(of: document.root)
        if uri != nil { byURI[base] = resource }
        byURI[own ?? base] = resource
        try scan(Place(document: number, index: 0), resource: resource, isRoot: true)
        return Place(document: number, index: 0)
    }

    private func dialect(of schema: JSONNode) -> String? {
        schema["$schema"]?.string.map { URIReference($0).document }
    }

    /// Finds the resources and anchors in a schema and below it.
    mutating func scan(_ place: Place, resource outer: Int, isRoot: Bool = false) throws(SchemaError) {
        guard owners[place] == nil else { return }
        let node = JSONNode(document: documents[place.document].document, index: place.index)
        var resource = outer
        if !isRoot, node.kind == .object, let id = node["$id"] {
            guard let text = id.string else {
                throw error(.keyword, place, "found \(id.kind), expected \"$id\" to be a string")
            }
            let uri = URIReference(text).resolved(against: URIReference(resources[outer].uri)).document
            if byURI[uri] != nil, byURI[uri] != outer || uri != resources[outer].uri {
                throw error(.duplicateIdentifier, place, "a second schema with the $id \(uri)")
            }
            resource = resources.count
            resources.append(Resource(uri: uri, document: place.document, root: place.index))
            resources[resource].dialect = dialect(of: node) ?? resources[outer].dialect
            byURI[uri] = resource
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
            throw error(.duplicateIdentifier, place, "a second anchor \(quoted(name)) in \(resources[resource].uri)")
        }
        resources[resource][keyPath: anchors][name] = place.index
    }

    /// The resource with that URI.
    func resource(uri: String) -> Int? { byURI[uri] }

    /// The resource that a schema belongs to, where it is known to be a schema.
    func owner(_ place: Place) -> Int? { owners[place] }

    /// An error at a place.
    func error(_ code: SchemaError.Code, _ place: Place, _ message: String) -> SchemaError {
        let (document, uri) = documents[place.document]
        let node = JSONNode(document: document, index: place.index)
        return SchemaError(code: code, message: message, schema: uri, pointer: node.pointer, position: node.position)
    }
}

/// Which keywords hold subschemas.
enum Subschemas {
    private static let single: Set<String> = [
        "additionalProperties", "propertyNames", "items", "contains", "unevaluatedItems", "unevaluatedProperties",
        "not",
        "if", "then", "else", "contentSchema",
    ]
    private static let lists: Set<String> = ["allOf", "anyOf", "oneOf", "prefixItems"]
    private static let maps: Set<String> = [
        "properties", "patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies",
    ]

    /// The subschemas in a keyword's value.
    static func children(of keyword: String, _ value: JSONNode) -> [JSONNode] {
        if single.contains(keyword) { return [value] }
        if lists.contains(keyword) { return Array(value.elements) }
        if maps.contains(keyword) { return value.members.map(\.value) }
        return []
    }
}
