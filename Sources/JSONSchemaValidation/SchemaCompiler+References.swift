internal import StrictJSON

extension SchemaCompiler {
    /// Returns the schema that a reference leads to, and the anchor that it names, if any.
    mutating func resolve(_ reference: JSONNode, from place: Place) throws(SchemaError) -> (
        place: Place, anchor: String?
    ) {
        let at = Place(document: place.document, index: reference.index)
        guard let text = reference.string else {
            throw registry.error(.keyword, at, "found \(reference.kind), expected a reference to be a string")
        }
        let key = ReferenceKey(resource: registry.owner(place) ?? 0, text: ScalarKey(text))
        if let target = targets[key] { return target }
        let target = try resolve(text, in: key.resource, at)
        targets[key] = target
        return target
    }

    private mutating func resolve(_ text: String, in base: Int, _ at: Place) throws(SchemaError) -> (
        place: Place, anchor: String?
    ) {
        let reference = URIReference(text)
        let uri = reference.resolved(against: URIReference(registry.resources[base].uri))
        let shown = "found the reference \(quoted(text)), expected "
        // A fragment alone leads to the resource around it, whoever else claims its URI.
        let isLocal = reference.isFragmentOnly
        guard let resource = isLocal ? base : try registry.resourceAddingMissing(uri: uri.document) else {
            var advice = "register the schema under that URI (nothing is fetched) or correct the reference"
            if let address = registry.document(withIgnoredIdentifier: uri.document) {
                advice =
                    "\(address) has it as its identifier, which its draft ignores beside \"$ref\": "
                    + "put that reference into \"allOf\""
            }
            throw registry.error(.reference, at, shown + "a registered schema with the URI \(uri.document); \(advice)")
        }
        if !reference.document.isEmpty { namedResources.insert(resource) }
        let found = registry.resources[resource]
        guard let fragment = uri.decodedFragment else {
            throw registry.error(.reference, at, shown + "each % in its fragment to be followed by two hex digits")
        }
        if !isLocal && registry.isAmbiguous(uri.document) || registry.isAmbiguous(found.uri, anchor: fragment) {
            throw registry.error(.duplicateIdentifier, at, shown + "one schema of that name, not several")
        }
        if !isLocal, URIReference.key(uri.document) != URIReference.key(found.uri),
            aliases[uri.document]?.fragment.isEmpty ?? true
        {
            aliases[uri.document] = SchemaAlias(resource: resource, fragment: fragment, place: at)
        }
        if !fragment.isEmpty, !fragment.hasPrefix("/") {
            guard let index = found.anchors[fragment] ?? found.dynamicAnchors[fragment] else {
                let names = found.anchors.keys.sorted() + found.dynamicAnchors.keys.sorted()
                let hint = meant(fragment, among: names) { "#" + $0 }
                throw registry.error(.reference, at, shown + "an anchor \(quoted(fragment)) in \(found.uri)\(hint)")
            }
            return (Place(document: found.document, index: index), fragment)
        }
        let root = node(at: Place(document: found.document, index: found.root))
        guard let pointer = JSONPointer(fragment) else {
            throw registry.error(.reference, at, shown + "each ~ in its JSON Pointer to be ~0 or ~1")
        }
        guard let target = value(at: pointer, from: Place(document: found.document, index: found.root)) else {
            let hint = hint(for: pointer, in: root)
            throw registry.error(.reference, at, shown + "a schema at \(quoted(fragment)) in \(found.uri)\(hint)")
        }
        let result = Place(document: found.document, index: target.index)
        if registry.owner(result) == nil {
            // Not where schemas usually stand, but somebody says that it is one.
            try registry.scan(result, resource: owner(along: pointer, from: root, in: found.document) ?? resource)
        }
        return (result, nil)
    }

    /// Returns the value at a pointer; objects with many members, such as `$defs`, are not searched each time.
    private mutating func value(at pointer: JSONPointer, from root: Place) -> JSONNode? {
        var place = root
        for token in pointer.tokens {
            let node = node(at: place)
            guard node.kind == .object, node.count > 16 else {
                guard let next = node[JSONPointer(tokens: [token])] else { return nil }
                place = Place(document: place.document, index: next.index)
                continue
            }
            if memberTables[place] == nil {
                let members = node.members.map { (ScalarKey($0.name), $0.value.index) }
                memberTables[place] = Dictionary(members, uniquingKeysWith: { $1 })
            }
            guard let next = memberTables[place]?[ScalarKey(token)] else { return nil }
            place = Place(document: place.document, index: next)
        }
        return node(at: place)
    }

    /// Returns the place of a keyword's value.
    func at(_ keyword: String, _ place: Place) -> Place {
        Place(document: place.document, index: node(at: place)[keyword]?.index ?? place.index)
    }

    private func hint(for pointer: JSONPointer, in root: JSONNode) -> String {
        var node = root
        var path = JSONPointer.root
        for token in pointer.tokens {
            guard let next = node[JSONPointer(tokens: [token])] else {
                return meant(token, among: node.members.map(\.name)) { "#" + path.appending($0).description }
            }
            node = next
            path = path.appending(token)
        }
        return ""
    }

    private func meant(_ name: String, among names: [String], _ show: (String) -> String) -> String {
        Suggestion.nearest(to: name, among: names).map { "; did you mean \(quoted(show($0)))?" } ?? ""
    }

    /// Returns the resource of the innermost schema on the way to a value.
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

    // MARK: Circles

    /// Refuses schemas that apply themselves to the very value that they are checking, which would never end.
    ///
    /// Dynamic references are left to the evaluator: where they lead is not known before.
    func refuseCircles() throws(SchemaError) {
        enum State { case new, open, done }
        var states = Array(repeating: State.new, count: schemas.count)
        for start in schemas.indices where states[start] == .new {
            var path = [(number: start, next: appliedInPlace(start))]
            states[start] = .open
            while let last = path.last {
                guard let number = last.next.last.map({ Int($0) }) else {
                    states[last.number] = .done
                    path.removeLast()
                    continue
                }
                path[path.count - 1].next.removeLast()
                if states[number] == .open { throw circle(path.map(\.number), to: number) }
                if states[number] == .new {
                    states[number] = .open
                    path.append((number, appliedInPlace(number)))
                }
            }
        }
    }

    /// Returns the schemas that a schema applies to the value that it is applied to.
    private func appliedInPlace(_ number: Int) -> [Int32] {
        let schema = schemas[number]
        var targets: [Int32] = []
        for rule in inPlace[Int(schema.inPlace)...].prefix(Int(schema.inPlaceCount)) {
            switch rule.keyword {
            case .reference, .not: targets.append(rule.a)
            case .conditional: targets += [rule.a, rule.b, rule.c].filter { $0 >= 0 }
            case .allOf, .anyOf, .oneOf: targets += lists[Int(rule.a)...].prefix(Int(rule.b))
            case .dynamicReference, .constant: break
            }
        }
        guard schema.object >= 0 else { return targets }
        let rule = objects[Int(schema.object)]
        let applied = dependents[Int(rule.dependents)...].prefix(Int(rule.dependentCount)).map(\.schema)
        return targets + applied.filter { $0 >= 0 }
    }

    private func circle(_ path: [Int], to first: Int) -> SchemaError {
        let numbers = path.drop { $0 != first } + [first]
        let steps = numbers.prefix(6).map { "#" + node(at: places[$0]).pointer.description }
        let message =
            "found a schema that refers back to itself for the same value (\(steps.joined(separator: " → "))"
            + (numbers.count > 6 ? " → …" : "")
            + "), expected a keyword such as \"properties\" or \"items\" on the way; checking would never end"
        return registry.error(.endless, places[first], message)
    }
}
