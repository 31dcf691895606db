internal import StrictJSON

/// Follows references between schemas that are registered.
///
/// It remembers where they lead, for many schemas refer to the same ones.
final class SchemaReferences {
    typealias Place = SchemaRegistry.Place

    private let registry: SchemaRegistry
    private var targets: [ReferenceKey: Place?] = [:]
    private var members: [Place: [ScalarKey: Int]] = [:]

    init(_ registry: SchemaRegistry) { self.registry = registry }

    /// Returns the place that a reference leads to; nil where it leads to no registered schema.
    ///
    /// - Parameters:
    ///   - reference: The text of the reference.
    ///   - place: The schema that has it.
    func target(of reference: String, from place: Place) -> Place? {
        guard let base = registry.owner(place) else { return nil }
        let key = ReferenceKey(resource: base, text: ScalarKey(reference))
        if let known = targets[key] { return known }
        let target = find(URIReference(reference), in: base)
        targets[key] = .some(target)
        return target
    }

    private func find(_ reference: URIReference, in base: Int) -> Place? {
        let uri = reference.resolved(against: URIReference(registry.resources[base].uri))
        guard let number = reference.isFragmentOnly ? base : registry.resource(uri: uri.document),
            let fragment = uri.decodedFragment
        else { return nil }
        let resource = registry.resources[number]
        if !fragment.isEmpty, !fragment.hasPrefix("/") {
            let index = resource.anchors[fragment] ?? resource.dynamicAnchors[fragment]
            return index.map { Place(document: resource.document, index: $0) }
        }
        guard let pointer = JSONPointer(fragment) else { return nil }
        return value(at: pointer, from: Place(document: resource.document, index: resource.root))
    }

    /// Returns the value at a pointer; objects with many members, such as `$defs`, are not searched each time.
    private func value(at pointer: JSONPointer, from root: Place) -> Place? {
        let document = registry.documents[root.document].document
        var place = root
        for token in pointer.tokens {
            let node = JSONNode(document: document, index: place.index)
            var next: Int?
            if node.kind == .object, node.count > 16 {
                let table =
                    members[place]
                    ?? Dictionary(node.members.map { (ScalarKey($0.name), $0.value.index) }, uniquingKeysWith: { $1 })
                members[place] = table
                next = table[ScalarKey(token)]
            } else {
                next = node[JSONPointer(tokens: [token])]?.index
            }
            guard let next else { return nil }
            place = Place(document: root.document, index: next)
        }
        return place
    }
}
