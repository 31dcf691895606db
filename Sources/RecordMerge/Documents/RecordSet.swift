public import StrictJSON

/// The records of a document or of a store, by key.
public struct RecordSet: Sendable, Hashable {
    /// The records as objects.
    public var objects: [RecordKey: JSONObject] = [:]
    /// The keys of each collection's records, in order.
    public var order: [String: [String]] = [:]

    /// Makes an empty set.
    public init() {}

    /// The record of that key; setting a new one puts it at the end of its collection, setting nil removes it.
    public subscript(key: RecordKey) -> JSONObject? {
        get { objects[key] }
        set {
            if objects[key] == nil, newValue != nil {
                order[key.collection, default: []].append(key.key)
            } else if objects[key] != nil, newValue == nil {
                order[key.collection]?.removeAll { isSame($0, key.key) }
            }
            objects[key] = newValue
        }
    }

    /// Moves a record to a place among the others of its collection.
    public mutating func move(_ key: RecordKey, to index: Int) {
        guard objects[key] != nil else { return }
        order[key.collection]?.removeAll { isSame($0, key.key) }
        let count = order[key.collection]?.count ?? 0
        order[key.collection]?.insert(key.key, at: min(max(index, 0), count))
    }
}

extension MergeSchema {
    /// Takes a document apart into records.
    ///
    /// - Parameters:
    ///   - document: A document that is valid.
    ///   - known: The earlier records. A record whose identifier is known keeps its key.
    /// - Throws: ``MergeInputError`` where a collection is not an array of objects.
    public func records(of document: JSONValue, known: RecordSet = RecordSet()) throws(MergeInputError) -> RecordSet {
        guard let members = document.object else {
            throw MergeInputError(pointer: .root, message: "found no object, expected a document")
        }
        var set = RecordSet()
        var own = JSONObject()
        for member in members {
            guard let rule = collection(member.name) else {
                own[member.name] = member.value
                continue
            }
            let pointer = JSONPointer.root.appending(member.name)
            if rule.rule == .record {
                guard let object = member.value.object else {
                    throw MergeInputError(pointer: pointer, message: "found no object, expected one")
                }
                set[RecordKey(member.name, "")] = object
            } else {
                try read(member.value, rule, pointer, known, into: &set)
            }
        }
        if !own.isEmpty { set[.document] = own }
        return set
    }

    private func read(
        _ value: JSONValue,
        _ rule: MemberRule,
        _ pointer: JSONPointer,
        _ known: RecordSet,
        into set: inout RecordSet
    ) throws(MergeInputError) {
        guard let elements = value.array, let key = rule.elements?.key else {
            throw MergeInputError(pointer: pointer, message: "found no array, expected one")
        }
        let keys = key.isConditional ? known.identifiers(in: rule.name, key) : [:]
        let given = elements.map { KeyRule.name($0[key.identifier]).flatMap { keys[ScalarKey($0)] } }
        var names = ElementNames(known: given.compactMap(\.self))
        set.order[rule.name] = []
        for (index, element) in elements.enumerated() {
            guard let object = element.object else {
                throw MergeInputError(pointer: pointer.appending(index), message: "found no object, expected one")
            }
            let name = given[index] ?? names.name(element, key)
            set[RecordKey(rule.name, name)] = object
        }
    }

    /// Returns the records as a document: members and collections in the order of the schema, then others by name.
    public func document(of set: RecordSet) -> JSONValue {
        var object = set[.document] ?? [:]
        for member in document.members where member.isCollection {
            guard let keys = set.order[member.name] else { continue }
            if member.rule == .record {
                object[member.name] = set[RecordKey(member.name, "")].map { .object($0) }
            } else {
                object[member.name] = .array(
                    keys.compactMap { set[RecordKey(member.name, $0)] }.map { .object($0) }
                )
            }
        }
        object.sort(first: document.members.map(\.name))
        return .object(object)
    }
}

extension RecordSet {
    /// Returns the keys of a collection's records by their identifiers.
    fileprivate func identifiers(in collection: String, _ key: KeyRule) -> [ScalarKey: String] {
        var keys: [ScalarKey: String] = [:]
        for name in order[collection] ?? [] {
            if let identifier = KeyRule.name(objects[RecordKey(collection, name)]?[key.identifier]) {
                keys[ScalarKey(identifier)] = name
            }
        }
        return keys
    }
}

/// A document that cannot be taken apart.
public struct MergeInputError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The place in the document.
    public let pointer: JSONPointer
    /// The fault: what was found and what was expected.
    public let message: String

    /// The error as one line.
    public var description: String { "\(message) (at \(pointer))" }
}
