public import StrictJSON

extension MergeSchema {
    /// Completes a document with the parts of a fuller one that it cannot contain.
    ///
    /// An older version lacks members and collections of later versions, and a document may leave out an optional
    /// collection. Nobody deleted those parts.
    ///
    /// - Parameters:
    ///   - document: A document in the current version of its format.
    ///   - full: The document that may contain more.
    ///   - unsaid: The collections that the document cannot contain.
    ///   - reduce: Migrates a document to the version that the document had, and back; nil where that is the current
    ///     one.
    /// - Throws: A ``MergeInputError`` where a document cannot be taken apart; what `reduce` throws.
    public func completed(
        _ document: JSONValue,
        by full: JSONValue,
        unsaid: Set<String> = [],
        reduce: ((JSONValue) throws -> JSONValue)?
    ) throws -> JSONValue {
        var document = document
        for name in self.document.members.filter(\.isCollection).map(\.name)
        where document[name] == nil || unsaid.contains(name) {
            if let part = full[name] { document[name] = part }
        }
        guard let reduce else { return document }
        let known = try records(of: full)
        var completed = try records(of: document, known: known)
        let said = try said(known, completed, reduce)
        for (collection, keys) in known.order {
            let rules = record(in: collection)
            let present = completed.order[collection] ?? []
            for key in keys.map({ RecordKey(collection, $0) }) {
                guard let whole = known[key] else { continue }
                if let object = completed[key] {
                    completed[key] = object.completed(with: whole, where: said[key] ?? whole, rules)
                } else if said[key] == nil {
                    completed[key] = whole
                }
            }
            let isLonger = completed.order[collection]?.count ?? 0 > present.count
            if isLonger { completed.arrange(collection, as: keys) }
        }
        return self.document(of: completed)
    }

    /// Returns the known records as they are after migration to the version of a document and back.
    private func said(
        _ known: RecordSet,
        _ records: RecordSet,
        _ reduce: (JSONValue) throws -> JSONValue
    ) throws -> RecordSet {
        var (all, some) = (known, RecordSet())
        for (collection, keys) in records.order {
            some.order[collection] = []
            for key in keys.map({ RecordKey(collection, $0) }) {
                all[key] = all[key] ?? records[key]
                some[key] = all[key]
            }
        }
        if let said = try? reduce(document(of: all)) { return try self.records(of: said, known: known) }
        // The version has no room for all, such as for two sessions: it says nothing of a record that is not there.
        return try self.records(of: reduce(document(of: some)), known: known)
    }
}

extension RecordSet {
    /// Puts the records of a collection into the order of their keys in another document, further ones behind them.
    fileprivate mutating func arrange(_ collection: String, as keys: [String]) {
        let present = order[collection] ?? []
        let known = Set(keys.map(ScalarKey.init))
        let found = Set(present.map(ScalarKey.init))
        let arranged = keys.filter { found.contains(ScalarKey($0)) }
        order[collection] = arranged + present.filter { !known.contains(ScalarKey($0)) }
    }
}

extension JSONObject {
    /// Returns the object with the fuller one's values, where an older version could not contain them.
    ///
    /// - Parameters:
    ///   - full: The object with all members.
    ///   - said: The same after migration to the older version and back.
    ///   - rules: The rules of its members.
    package func completed(with full: JSONObject, where said: JSONObject, _ rules: RecordRules) -> JSONObject {
        var object = self
        for name in full.names + said.names.filter({ full[$0] == nil }) where full[name] != said[name] {
            object[name] = object[name].completed(with: full[name], where: said[name], rules[name])
        }
        return object
    }
}

extension JSONValue? {
    fileprivate func completed(with full: JSONValue?, where said: JSONValue?, _ rule: MemberRule?) -> JSONValue? {
        if self == said { return full }
        if let part = self?.object, let whole = full?.object, let known = said?.object {
            return .object(part.completed(with: whole, where: known, RecordRules([])))
        }
        guard let part = self?.array, let whole = full?.array, let known = said?.array else { return self }
        switch rule?.rule {
        case .set, .log:
            return .array(part + whole.filter { !known.contains($0) && !part.contains($0) })
        case .list:
            guard let elements = rule?.elements else { return self }
            let (whole, known) = (elements.byName(whole), elements.byName(known))
            return .array(
                part.map { element in
                    guard let name = elements.key.name(of: element).map(ScalarKey.init), let object = element.object,
                        let full = whole[name], let said = known[name]
                    else { return element }
                    return .object(object.completed(with: full, where: said, elements.record))
                }
            )
        default: return self
        }
    }
}

extension ElementRules {
    /// Returns the elements of a list by their keys.
    fileprivate func byName(_ elements: [JSONValue]) -> [ScalarKey: JSONObject] {
        var objects: [ScalarKey: JSONObject] = [:]
        for element in elements {
            guard let name = key.name(of: element).map(ScalarKey.init), objects[name] == nil else { continue }
            objects[name] = element.object
        }
        return objects
    }
}
