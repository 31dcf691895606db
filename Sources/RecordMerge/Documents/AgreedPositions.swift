internal import StrictJSON

/// The positions that one document gave what another document has at the same place, or that others gave what a store
/// has that never got theirs.
///
/// The change of the other document, or of the store, takes them, so that the same insertion or move in both is one and
/// no conflict.
package struct AgreedPositions {
    /// The positions of records of ordered collections.
    private(set) var records: [RecordKey: ListPosition] = [:]
    /// The positions of elements of lists.
    private(set) var elements: [RecordKey: [ItemName: ListPosition]] = [:]

    /// Makes an empty set.
    init() {}

    /// Finds the positions of records and of the elements of their lists in a state.
    package init(of keys: some Sequence<RecordKey>, in storage: some RecordStorage, _ schema: MergeSchema) throws {
        for key in keys
        where schema.collection(key.collection)?.rule == .list || schema.record(in: key.collection).hasLists {
            for cell in try storage.record(key)?.survivors().cells ?? [] {
                if cell.path == .place { records[key] = Self.position(cell) }
                guard cell.path.kind == .position, let item = cell.path.item else { continue }
                elements[key, default: [:]][item] = Self.position(cell)
            }
        }
    }

    /// Finds the positions on which two documents agree.
    ///
    /// - Parameters:
    ///   - base: The records from which both come.
    ///   - left: The records of the document whose change the state has.
    ///   - right: The records of the other document.
    init(from base: RecordSet, _ left: RecordSet, _ right: RecordSet, in state: MergeState, _ schema: MergeSchema) {
        for member in schema.document.members where member.rule == .list && member.isCollection {
            let names = [base, left, right].map { $0.order[member.name] ?? [] }
            guard Self.areChanged(names[0], names[1], names[2]) else { continue }
            for name in Self.alike(names[1], names[2]) {
                let key = RecordKey(member.name, name)
                let cells = state.record(key)?.survivors().cells ?? []
                records[key] = cells.first { $0.path == .place }.flatMap(Self.position)
            }
        }
        var known: [String: (rules: RecordRules, lists: [MemberRule])] = [:]
        for (key, ours) in left.objects {
            let (rules, lists) = known[key.collection] ?? Self.lists(in: key.collection, schema)
            known[key.collection] = (rules, lists)
            guard !lists.isEmpty, let theirs = right.objects[key] else { continue }
            let old = base.objects[key]
            guard ours != old, theirs != old else { continue }
            for member in lists {
                let names = [old, ours, theirs].map { Self.names(member.name, $0, rules) }
                guard Self.areChanged(names[0], names[1], names[2]) else { continue }
                let agreed = Set(Self.alike(names[1], names[2]).map { ItemName(field: member.name, element: $0) })
                for cell in state.record(key)?.survivors().cells ?? [] where cell.path.kind == .position {
                    guard let item = cell.path.item, agreed.contains(item) else { continue }
                    elements[key, default: [:]][item] = Self.position(cell)
                }
            }
        }
    }

    /// Returns the rules of a collection's records, and those of their members that are lists.
    private static func lists(in collection: String, _ schema: MergeSchema) -> (RecordRules, [MemberRule]) {
        let rules = schema.record(in: collection)
        return (rules, rules.members.filter { $0.rule == .list })
    }

    private static func position(_ cell: Cell) -> ListPosition? {
        Resolution(cell.writes, nil)?.value?.string.flatMap(ListPosition.init)
    }

    private static func names(_ member: String, _ object: JSONObject?, _ rules: RecordRules) -> [String] {
        guard let value = object?[member] else { return [] }
        return RecordContent([member: value], rules, RecordShape([])).lists[ScalarKey(member)] ?? []
    }

    /// Tells whether both lists differ from the earlier one.
    private static func areChanged(_ base: [String], _ left: [String], _ right: [String]) -> Bool {
        !base.elementsEqual(left, by: isSame) && !base.elementsEqual(right, by: isSame)
    }

    /// Returns the names that have the same others before and behind them in both lists, of those that are in both.
    static func alike(_ left: [String], _ right: [String]) -> [String] {
        let known = Set(left.map(ScalarKey.init))
        let shared = right.filter { known.contains(ScalarKey($0)) }
        let places = Dictionary(shared.enumerated().map { (ScalarKey($1), $0) }) { first, _ in first }
        var found: [String] = []
        var index = 0
        var furthest = -1
        for name in left {
            guard let place = places[ScalarKey(name)] else { continue }
            if place == index, furthest == index - 1 { found.append(name) }
            furthest = max(furthest, place)
            index += 1
        }
        return found
    }
}
