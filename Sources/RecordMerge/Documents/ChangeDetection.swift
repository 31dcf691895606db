public import StrictJSON

/// The values that a person chose in a record, by field path; they are written as given.
public struct PlaceChoices: Sendable, Hashable {
    /// The chosen values; an inner nil stands for no value.
    private(set) var values: [CellPath: JSONValue?] = [:]
    /// The elements of lists to remove.
    private(set) var removed: Set<ItemName> = []

    /// Makes an empty set of choices.
    public init() {}

    var isEmpty: Bool { values.isEmpty && removed.isEmpty }

    /// Chooses a value for a field path.
    public mutating func choose(_ value: JSONValue?, at path: CellPath) { values[path] = .some(value) }

    /// Removes an element of a list.
    public mutating func remove(_ field: String, element: String) {
        removed.insert(ItemName(field: field, element: element))
    }
}

/// Finds what the app changed: the difference between the records that sync applied and those in the store.
public struct ChangeDetection: Sendable {
    let schema: MergeSchema
    let stamp: Stamp
    /// True if a store keeps members that the rules do not name: one that it was given and lacks was removed.
    let keepsUnknown: Bool

    /// Makes a change detection for one change.
    ///
    /// - Parameters:
    ///   - schema: The rules of the format as this device knows it.
    ///   - stamp: The name and clock of the change.
    ///   - keepsUnknown: True if the store keeps members that the rules do not name. Without one that was applied, it
    ///     removed that member; another store left it out, and the member stays.
    public init(_ schema: MergeSchema, _ stamp: Stamp, keepsUnknown: Bool = false) {
        self.schema = schema
        self.stamp = stamp
        self.keepsUnknown = keepsUnknown
    }

    /// Returns the change that leads from the applied records to the present ones.
    ///
    /// - Parameters:
    ///   - base: The records as sync applied them, with invariants enforced.
    ///   - ours: The records as they are now.
    ///   - storage: The state of which `base` is the resolved form.
    ///   - decided: Field paths that count as written though their value is unchanged: a person decided a conflict.
    ///   - choices: Values that a person chose where several stand, nil for none, and elements to remove.
    ///   - facts: Records of `ours` whose facts count as written though unchanged, because what they follow from
    ///     changed.
    /// - Returns: The change, which is empty where nothing changed.
    /// - Throws: What the storage throws.
    public func change(
        from base: RecordSet,
        to ours: RecordSet,
        in storage: some RecordStorage,
        decided: [RecordKey: Set<[String]>] = [:],
        choices: [RecordKey: PlaceChoices] = [:],
        facts: Set<RecordKey> = []
    ) throws -> Change {
        try change(from: base, to: ours, in: storage, decided: decided, choices: choices, facts: facts, agreed: nil)
    }

    /// Returns the change that leads from the applied records to the present ones, where another change may have moved
    /// the same.
    ///
    /// - Parameter agreed: The positions that the other change gave what both have at the same place.
    package func change(
        from base: RecordSet,
        to ours: RecordSet,
        in storage: some RecordStorage,
        decided: [RecordKey: Set<[String]>] = [:],
        choices: [RecordKey: PlaceChoices] = [:],
        facts: Set<RecordKey> = [],
        agreed: AgreedPositions?
    ) throws -> Change {
        var records: [ChangedRecord] = []
        let places = try places(base, ours, storage, agreed)
        var layouts: [ScalarKey: PlaceLayout] = [:]
        for (key, object) in ours.objects {
            let decision = decided[key] ?? []
            let choice = choices[key] ?? PlaceChoices()
            let place = places[key]
            let hasFacts = facts.contains(key)
            if place == nil, decision.isEmpty, choice.isEmpty, !hasFacts, let old = base.objects[key], old == object {
                continue
            }
            let state = try storage.record(key)
            if state == nil, place == nil, decision.isEmpty, let new = newVersion(key, object, &layouts) {
                records.append(ChangedRecord(key, new))
                continue
            }
            let version = version(
                key,
                base.objects[key],
                object,
                state,
                place: place,
                decision,
                choice,
                writingFacts: hasFacts,
                agreed: agreed?.elements[key] ?? [:]
            )
            if let version { records.append(ChangedRecord(key, version)) }
        }
        for key in base.objects.keys where ours.objects[key] == nil {
            if key == .document { continue }
            if try storage.record(key) != nil { records.append(ChangedRecord(key, nil)) }
        }
        return Change(stamp, base: storage.seen, records: records)
    }

    /// Returns the first version of a new record; nil where a member of it must be taken apart.
    private func newVersion(
        _ key: RecordKey,
        _ ours: JSONObject,
        _ layouts: inout [ScalarKey: PlaceLayout]
    ) -> RecordVersion? {
        let collection = ScalarKey(key.collection)
        if layouts[collection]?.fits(ours) != true {
            layouts[collection] = PlaceLayout(ours, schema.record(in: key.collection))
        }
        guard let cells = layouts[collection]?.cells(of: ours, stamp) else { return nil }
        return RecordVersion(stamp, seen: VersionVector(), origins: [Origin(stamp.dot)], cells: cells)
    }

    /// Returns new positions for records of ordered collections.
    private func places(
        _ base: RecordSet,
        _ ours: RecordSet,
        _ storage: some RecordStorage,
        _ agreed: AgreedPositions?
    ) throws -> [RecordKey: ListPosition] {
        var places: [RecordKey: ListPosition] = [:]
        for member in schema.document.members where member.rule == .list && member.isCollection {
            let names = ours.order[member.name] ?? []
            if let old = base.order[member.name], old.elementsEqual(names, by: { isSame($0, $1) }) {
                continue
            }
            var known: [ScalarKey: ListPosition] = [:]
            for name in names {
                let cells = try storage.record(RecordKey(member.name, name))?.survivors().cells ?? []
                guard let cell = cells.first(where: { $0.path == .place }) else { continue }
                known[ScalarKey(name)] = Resolution(cell.writes, nil)?.value?.string.flatMap(ListPosition.init)
            }
            var others: [ScalarKey: ListPosition] = [:]
            for (key, position) in agreed?.records ?? [:] where isSame(key.collection, member.name) {
                others[ScalarKey(key.key)] = position
            }
            for change in ListOrder.changes(names, known, agreed: others, stamp) {
                places[RecordKey(member.name, change.name)] = change.position
            }
        }
        return places
    }

    /// Returns the new version of a record; nil where nothing changed.
    func version(
        _ key: RecordKey,
        _ base: JSONObject?,
        _ ours: JSONObject,
        _ state: RecordState?,
        place: ListPosition? = nil,
        _ decision: Set<[String]> = [],
        _ choices: PlaceChoices = PlaceChoices(),
        writingFacts: Bool = false,
        agreed: [ItemName: ListPosition] = [:]
    ) -> RecordVersion? {
        let rules = schema.record(in: key.collection)
        let cells = state?.survivors().cells ?? []
        let shape = RecordShape(cells)
        // A blocked record was not applied. What it says decides what changed.
        let shown = state.flatMap { base ?? ResolvedRecord(key, $0, rules).object }
        let writesWorse = base != nil && schema.collection(key.collection)?.elements?.namesFacts == true
        var editor = CellEditor(
            cells,
            rules,
            stamp,
            agreed: agreed,
            writesWorse: writesWorse,
            removesUnknown: keepsUnknown && base != nil
        )
        if let shown {
            let unchanged = unchangedMembers(shown, ours, rules, shape)
            editor.change(
                from: RecordContent(shown, rules, shape) { unchanged.contains(ScalarKey($0.name)) },
                to: RecordContent(ours, rules, shape) { unchanged.contains(ScalarKey($0.name)) }
            )
        } else {
            editor.change(from: RecordContent(), to: RecordContent(ours, rules, shape))
        }
        if let place { editor.write(.place, .string(place.text)) }
        for path in decision { editor.decide(path) }
        for (path, value) in choices.values { editor.write(path, value) }
        for element in choices.removed { editor.removeElement(element.field, element.element) }
        if writingFacts {
            for member in rules.members where member.rule == .fact {
                if let value = ours[member.name] { editor.write(CellPath(.member, member.name), value) }
            }
        }
        if let state, editor.isChanged, cells.contains(where: { $0.path.kind == .position && $0.writes.count > 1 }) {
            editor.settlePositions(besides: ResolvedRecord(key, state, rules).conflicts)
        }
        guard editor.isChanged || state == nil else { return nil }
        return RecordVersion(
            stamp,
            seen: state?.seen ?? VersionVector(),
            origins: state?.inheritedOrigins ?? [Origin(stamp.dot)],
            cells: editor.result
        )
    }

    /// Returns the members that stand alone and are unchanged, so that nobody takes them apart.
    private func unchangedMembers(
        _ base: JSONObject,
        _ ours: JSONObject,
        _ rules: RecordRules,
        _ shape: RecordShape
    ) -> Set<ScalarKey> {
        var unchanged: Set<ScalarKey> = []
        for member in base where ours[member.name] == member.value {
            let rule = rules[member.name]
            let isAlone = rule?.group == nil && shape.group(of: member.name) == nil
            // The order of a list is compared with its positions.
            let isList = (rule?.rule ?? shape.rule(of: member.name)) == .list
            if isAlone, !isList { unchanged.insert(ScalarKey(member.name)) }
        }
        return unchanged
    }
}
