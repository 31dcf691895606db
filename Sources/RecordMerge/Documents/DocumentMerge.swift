public import StrictJSON

/// Merges two documents with a common base, as the engine merges two replicas.
///
/// ```swift
/// let merge = try DocumentMerge(base: base, ours: ours, theirs: theirs, schema)
/// file.write(merge.document.encoded(.indented))
/// for conflict in merge.conflicts { print(conflict.key.key, conflict.path) }
/// ```
public struct DocumentMerge: Sendable {
    /// The merged document: members in the order of the schema, records in the order of ours, and those of theirs alone
    /// behind their neighbours there.
    ///
    /// If theirs alone has another order of records than the base, it is the other way round.
    public private(set) var document: JSONValue
    /// The conflicts: our value is the resolved one, and theirs stands beside it.
    public private(set) var conflicts: [Conflict]

    /// The stamp of the values that are as in the base.
    package static let baseStamp = stamp("base", 1)

    /// Merges two documents.
    ///
    /// - Parameters:
    ///   - base: The document that both come from. Without it, each difference is a conflict, and what only one side
    ///     has stays and is reported as ``Conflict/Kind/oneSided``.
    ///   - ours: The document whose values win a conflict, and whose local and derived members stay.
    ///   - theirs: The other document.
    ///   - schema: The rules of their format.
    ///   - domain: The invariants to enforce in the merged document.
    /// - Throws: A ``MergeInputError`` where a document cannot be taken apart; all are valid by the schema.
    public init(
        base: JSONValue?,
        ours: JSONValue,
        theirs: JSONValue,
        _ schema: MergeSchema,
        _ domain: MergeDomain = .none
    ) throws {
        let left = try schema.records(of: ours)
        let right = try schema.records(of: theirs, known: left)
        var origin = RecordSet()
        var sides = TwoSides(schema)
        if let base {
            origin = try schema.records(of: base, known: left)
        } else {
            origin = sides.common(left, right)
        }
        var state = MergeState()
        try state.apply(try ChangeDetection(schema, Self.baseStamp).change(from: RecordSet(), to: origin, in: state))
        // The base may be empty. The changes of both sides still come after it.
        let start = state
        var agreed: AgreedPositions?
        for (writer, records) in [(Self.stamp("ours", 3), left), (Self.stamp("theirs", 2), right)] {
            var records = records
            domain.restoreReferences(from: origin, to: &records)
            let facts = domain.facts(from: origin, to: records)
            let change = try ChangeDetection(schema, writer)
                .change(from: origin, to: records, in: start, facts: facts, agreed: agreed)
            try state.apply(change)
            if agreed == nil { agreed = AgreedPositions(from: origin, left, right, in: state, schema) }
        }
        if let restored = domain.restored(in: state, from: start, origin, Self.stamp("restored", 4)) {
            try state.apply(restored)
        }
        let shown = ResolvedSet(state, schema, domain)
        var merged = shown.records
        Self.addUnsent(from: [left, right], to: &merged, schema)
        Self.arrange(&merged, base == nil ? nil : origin, left, right, schema)
        document = schema.document(of: merged)
        let found = shown.conflicts + sides.conflicts.filter { merged[$0.key] != nil }
        let reported = Set(found.map(\.key))
        conflicts =
            found + Self.facts(base == nil ? nil : origin, left, right, merged, schema)
            + Self.lost(origin, left, right, merged, in: domain.dependents).filter { !reported.contains($0.key) }
    }

    /// Keeps one document's values of members of a record that do not go together as they were merged, such as a start of one
    /// document behind the end of the other; each that differs is a conflict.
    ///
    /// - Parameters:
    ///   - members: The members that belong together.
    ///   - collection: The collection of the records, which have an `id`.
    ///   - sources: The documents whose values are kept, the preferred one first.
    ///   - isCrossed: Returns whether the values of a record do not go together.
    package mutating func keepTogether(
        _ members: [String],
        of collection: String,
        from sources: [JSONValue],
        where isCrossed: (JSONObject) -> Bool
    ) {
        guard var records = document[collection]?.array else { return }
        var known: [ScalarKey: JSONObject] = [:]
        for record in sources.reversed().flatMap({ $0[collection]?.array ?? [] }) {
            if let object = record.object, let id = object["id"]?.string { known[ScalarKey(id)] = object }
        }
        for index in records.indices {
            guard var record = records[index].object, isCrossed(record), let id = record["id"]?.string,
                let kept = known[ScalarKey(id)]
            else { continue }
            for name in members where record[name] != kept[name] {
                let other = Conflict.Alternative(value: record[name], stamp: Self.stamp("theirs", 2))
                let key = RecordKey(collection, id)
                conflicts.append(Conflict(key, .value, path: [name], shown: kept[name], others: [other]))
                record[name] = kept[name]
            }
            records[index] = .object(record)
        }
        document[collection] = .array(records)
    }

    /// Returns the facts that the documents have differently and that are not what one of them changed.
    private static func facts(
        _ base: RecordSet?,
        _ left: RecordSet,
        _ right: RecordSet,
        _ merged: RecordSet,
        _ schema: MergeSchema
    ) -> [Conflict] {
        var found: [Conflict] = []
        for collection in schema.document.members.map(\.name) {
            let names = schema.record(in: collection).members.filter { $0.rule == .fact }.map(\.name)
            guard !names.isEmpty else { continue }
            for key in (left.order[collection] ?? []).map({ RecordKey(collection, $0) }) {
                guard let ours = left.objects[key], let theirs = right.objects[key], let kept = merged.objects[key]
                else { continue }
                for name in names where ours[name] != theirs[name] {
                    let (one, other) = (ours[name], theirs[name])
                    if let record = base?.objects[key] {
                        let isOneSided = one == record[name] || other == record[name]
                        if isOneSided, kept[name] == (one == record[name] ? other : one) { continue }
                    }
                    let what =
                        "the first file has \(text(one)) and the other \(text(other)); it follows from other records"
                    found.append(Conflict(key, .repaired, path: [name], shown: kept[name], explanation: what))
                }
            }
        }
        return found
    }

    private static func text(_ value: JSONValue?) -> String { value?.text(.compact) ?? "none" }

    /// Returns the new records of one document that make no sense without what the merged document lacks.
    private static func lost(
        _ base: RecordSet,
        _ left: RecordSet,
        _ right: RecordSet,
        _ merged: RecordSet,
        in collections: Set<String>
    ) -> [Conflict] {
        var found: Set<RecordKey> = []
        for side in [left, right] {
            for key in collections.flatMap({ name in (side.order[name] ?? []).map { RecordKey(name, $0) } })
            where merged.objects[key] == nil && base.objects[key] == nil {
                found.insert(key)
            }
        }
        return found.sorted().map { key in
            Conflict(key, .repaired, path: [], explanation: "what it belongs to is not there")
        }
    }

    private static func stamp(_ writer: String, _ clock: UInt64) -> Stamp {
        Stamp(Dot(WriterID(known: writer), 1), HybridClock(bits: clock))
    }

    /// Gives records their unsent members, from the first side that has the record.
    private static func addUnsent(from sides: [RecordSet], to merged: inout RecordSet, _ schema: MergeSchema) {
        let keys = Set(merged.objects.keys).union(sides[0][.document] == nil ? [] : [.document])
        for key in keys {
            let rules = schema.record(in: key.collection)
            guard let source = sides.lazy.compactMap({ $0.objects[key] }).first else { continue }
            for member in rules.members where member.isUnsent && merged.objects[key]?[member.name] == nil {
                guard let value = source[member.name] else { continue }
                merged.objects[key, default: [:]][member.name] = value
            }
            let order = rules.members.map(\.name) + source.names
            merged.objects[key]?.sort(first: order)
        }
    }

    /// Orders the records of collections without an order of their own as the documents have them.
    private static func arrange(
        _ merged: inout RecordSet,
        _ base: RecordSet?,
        _ left: RecordSet,
        _ right: RecordSet,
        _ schema: MergeSchema
    ) {
        for member in schema.document.members where member.isCollection && member.rule != .record {
            let name = member.name
            guard left.order[name] != nil || right.order[name] != nil else { continue }
            let shown = merged.order[name] ?? []
            guard member.rule != .list else {
                merged.order[name] = shown
                continue
            }
            var sides = [left.order[name] ?? [], right.order[name] ?? []]
            if let base = base?.order[name], isInOrder(sides[0], base), !isInOrder(sides[1], base) { sides.reverse() }
            var taken: Set<ScalarKey> = []
            var order: [String] = []
            for key in joined(sides[0], sides[1]) + shown
            where merged.objects[RecordKey(name, key)] != nil && taken.insert(ScalarKey(key)).inserted {
                order.append(key)
            }
            merged.order[name] = order
        }
    }
}

/// Returns keys in their order, and what another order has besides behind its neighbour there.
///
/// Keys that both orders put behind one neighbour stay together, those of the first order first.
private func joined(_ keys: [String], _ other: [String]) -> [String] {
    let added = ListOrder.additions(other, to: keys)
    let shared = Set(other.map(ScalarKey.init))
    var joined: [String] = []
    var waiting = added[nil] ?? []
    for key in keys {
        if shared.contains(ScalarKey(key)) {
            joined += waiting
            waiting = added[ScalarKey(key)] ?? []
        }
        joined.append(key)
    }
    return joined + waiting
}

/// Tells whether keys that are in an earlier order, too, are in that order.
private func isInOrder(_ keys: [String], _ earlier: [String]) -> Bool {
    let places = Dictionary(earlier.enumerated().map { (ScalarKey($1), $0) }, uniquingKeysWith: { first, _ in first })
    let found = keys.compactMap { places[ScalarKey($0)] }
    return zip(found, found.dropFirst()).allSatisfy { $0 < $1 }
}

/// Finds what two documents without a base share, and what only one of them has.
private struct TwoSides {
    let schema: MergeSchema
    private(set) var conflicts: [Conflict] = []

    init(_ schema: MergeSchema) { self.schema = schema }

    /// Returns the records and members that both have, in the order of the first.
    mutating func common(_ left: RecordSet, _ right: RecordSet) -> RecordSet {
        var common = RecordSet()
        for (collection, keys) in left.order {
            for key in keys.map({ RecordKey(collection, $0) }) {
                guard let ours = left.objects[key], let theirs = right.objects[key] else {
                    conflicts.append(Conflict(key, .oneSided, path: []))
                    continue
                }
                let rules = schema.record(in: collection)
                let both = self.common(key, ours, theirs, rules)
                if !isFactAlone(rules, ours, theirs) { common[key] = both }
            }
            guard schema.collection(collection)?.rule == .list else { continue }
            let both = common.order[collection] ?? []
            let theirs = (right.order[collection] ?? []).filter { common.objects[RecordKey(collection, $0)] != nil }
            if both != theirs { conflicts.append(Conflict(RecordKey(collection, both.first ?? ""), .moved, path: [])) }
        }
        for (collection, keys) in right.order {
            for key in keys.map({ RecordKey(collection, $0) }) where left.objects[key] == nil {
                conflicts.append(Conflict(key, .oneSided, path: []))
            }
        }
        conflicts.sort { $0.key == $1.key ? $0.path.count < $1.path.count : $0.key < $1.key }
        return common
    }

    /// Tells whether two records have facts beside their key, and different ones.
    ///
    /// Nobody knows whether those who wrote them had seen one earlier record.
    private func isFactAlone(_ rules: RecordRules, _ left: JSONObject, _ right: JSONObject) -> Bool {
        rules.members.count { $0.rule != .fact } == 1
            && rules.members.contains { $0.rule == .fact && left[$0.name] != right[$0.name] }
    }

    private mutating func common(
        _ key: RecordKey,
        _ left: JSONObject,
        _ right: JSONObject,
        _ rules: RecordRules
    ) -> JSONObject {
        var common = JSONObject()
        for member in left {
            guard let theirs = right[member.name] else { continue }
            let rule = rules[member.name]
            if member.value == theirs {
                common[member.name] = theirs
            } else if rule?.hasElements == true, let ours = member.value.array, let theirs = theirs.array {
                common[member.name] = .array(elements(key, member.name, ours, theirs, rule))
            }
        }
        return common
    }

    private mutating func elements(
        _ key: RecordKey,
        _ member: String,
        _ ours: [JSONValue],
        _ theirs: [JSONValue],
        _ rule: MemberRule?
    ) -> [JSONValue] {
        let elementKey = rule?.rule == .list ? rule?.elements?.key : nil
        var (mine, other) = (ElementNames(), ElementNames())
        let left = ours.map { (name: mine.name($0, elementKey), value: $0) }
        let right = theirs.map { (name: other.name($0, elementKey), value: $0) }
        for one in left where !right.contains(where: { isSame($0.name, one.name) }) {
            conflicts.append(Conflict(key, .oneSided, path: [member, one.name], shown: one.value))
        }
        for one in right where !left.contains(where: { isSame($0.name, one.name) }) {
            conflicts.append(Conflict(key, .oneSided, path: [member, one.name], shown: one.value))
        }
        let both = left.compactMap { one in
            right.first { isSame($0.name, one.name) }.map { (one, $0.value) }
        }
        let others = right.filter { one in left.contains { isSame($0.name, one.name) } }
        if rule?.rule == .list, !zip(both, others).allSatisfy({ isSame($0.0.name, $1.name) }) {
            conflicts.append(Conflict(key, .moved, path: [member]))
        }
        return both.map { one, other in
            guard let ours = one.value.object, let theirs = other.object else { return one.value }
            return .object(common(key, ours, theirs, rule?.elements?.record ?? RecordRules([])))
        }
    }
}
