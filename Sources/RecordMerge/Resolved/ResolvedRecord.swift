public import StrictJSON

/// A resolved record: one value for each member, and its conflicts.
public struct ResolvedRecord: Sendable, Hashable {
    /// The members without derived and local ones: first those that the rules name, in their order, then others by
    /// name.
    public var object: JSONObject
    /// The conflicts in the record.
    public var conflicts: [Conflict]
    /// The record's position in its collection; nil where the collection has no order.
    public var place: String? { position?.text }
    let position: ListPosition?
    /// The latest change of each member.
    private let stamps: [MemberVersion]

    /// Returns the latest change of a member; nil for a member without a resolved value.
    package func stamp(_ member: String) -> Stamp? { stamps.first { isSame($0.name, member) }?.stamp }

    /// The other values of each member in conflict, by which other records may still refer to it.
    package var aliases: [ScalarKey: [JSONValue]] { authored.mapValues { $0.map(\.value) } }

    /// The values of each member that has several, with what their authors had seen.
    private let authored: [ScalarKey: [AuthoredValue]]
    /// The versions that were resolved; none where they are not known.
    private let versions: [RecordVersion]

    /// The changes that created the record, or kept it against a deletion; none where they are not known.
    package var origins: [Dot] {
        versions.count == 1 ? versions[0].origins.map(\.dot) : Set(versions.flatMap(\.origins).map(\.dot)).sorted()
    }

    /// Returns the values of a member that stand side by side; none where it has one value or none.
    package func authoredValues(_ member: String) -> [AuthoredValue] { authored[ScalarKey(member)] ?? [] }

    /// Resolves the versions of a record.
    public init(_ key: RecordKey, _ state: RecordState, _ rules: RecordRules) {
        versions = state.versions
        if state.versions.count == 1, let plain = PlainRecord(state.versions[0], rules) {
            (object, stamps) = (plain.object, plain.stamps)
            (conflicts, position, authored) = ([], nil, [:])
            return
        }
        let survivors = state.survivors()
        var builder = ResolvedRecordBuilder(key, rules)
        builder.versions = state.versions
        for cell in survivors.cells { builder.add(cell) }
        builder.finishLists(survivors.revived)
        if state.isContested {
            builder.conflicts.insert(Conflict(key, .deletedRecord, path: []), at: 0)
        }
        object = builder.object
        object.arrange(rules)
        conflicts = builder.conflicts
        position = builder.place
        stamps = builder.stamps
        authored = builder.values
    }

    /// Makes the resolved form of a plain record, by which its links are found.
    ///
    /// It does not know who wrote the members, nor who made the record.
    package init(plain object: JSONObject) {
        self.object = object
        (conflicts, position, stamps, authored, versions) = ([], nil, [], [:], [])
    }
}

/// A value that stands beside others, with what its author had seen of the record.
package struct AuthoredValue: Sendable, Hashable {
    /// The value.
    package let value: JSONValue
    /// The change that wrote it.
    package let dot: Dot
    /// The changes of the record that the author had seen, with the one that wrote the value.
    private let seen: VersionVector

    /// - Parameter versions: The versions of the record.
    init(_ value: JSONValue, by dot: Dot, in versions: [RecordVersion]) {
        self.value = value
        self.dot = dot
        // A later version that only kept the value tells nothing of what its author had seen.
        var seen = versions.first { $0.stamp.dot == dot }?.seen ?? VersionVector()
        seen.insert(dot)
        self.seen = seen
    }

    /// Returns whether the author had seen a change when he wrote the value, as far as the record tells.
    package func knows(_ change: Dot) -> Bool { seen.covers(change) }

    /// Returns whether both authors had seen one earlier version of the record.
    package func sharesPast(with other: AuthoredValue) -> Bool {
        seen.entries.contains { other.seen[$0.writer] > 0 }
    }
}

/// The latest change of a member.
struct MemberVersion: Hashable {
    let name: String
    var stamp: Stamp
}

/// Builds a record from its field paths.
struct ResolvedRecordBuilder {
    let key: RecordKey
    let rules: RecordRules
    var object = JSONObject()
    var conflicts: [Conflict] = []
    var place: ListPosition?
    var stamps: [MemberVersion] = []
    /// The versions to resolve.
    var versions: [RecordVersion] = []
    /// All values of members with more than one.
    var values: [ScalarKey: [AuthoredValue]] = [:]
    private var sets: [ScalarKey: [(stamp: Stamp, value: JSONValue)]] = [:]
    private var items: [ItemName: ResolvedItem] = [:]
    private var lists: Set<ScalarKey> = []

    init(_ key: RecordKey, _ rules: RecordRules) {
        self.key = key
        self.rules = rules
    }

    /// Adds a field path; they come in order.
    mutating func add(_ cell: Cell) {
        let path = cell.path
        switch path.kind {
        case .place: addPlace(cell)
        case .member: addMember(cell)
        case .group:
            let members = rules.members.filter { $0.group.map { isSame($0, path.field) } ?? false }
            guard let resolution = Resolution(cell.writes, ofGroup: members) else { return }
            note(resolution, cell)
            for member in resolution.value?.object?.members ?? [] { set(member.name, member.value, resolution.stamp) }
        case .setElement:
            guard let write = cell.writes.first, let value = write.value else { return }
            sets[ScalarKey(path.field), default: []].append((write.stamp, value))
        case .contribution:
            let sum = (object[path.field]?.int ?? 0).addingClamped(Contribution(cell.writes).sum)
            set(path.field, .number(sum), cell.writes.last?.stamp)
        case .position, .item, .itemMember, .itemGroup:
            guard let name = path.item else { return }
            lists.insert(ScalarKey(path.field))
            let conflict = items[name, default: ResolvedItem()].add(cell, elementRules(path.field))
            if let conflict { note(conflict, cell) }
        }
    }

    private func elementRules(_ field: String) -> RecordRules? { rules[field]?.elements?.record }

    private mutating func addPlace(_ cell: Cell) {
        guard var resolution = Resolution(cell.writes, nil) else { return }
        // Two devices created the record; nobody moved it.
        if !resolution.others.isEmpty {
            let origins = Set(versions.flatMap(\.origins).map(\.dot))
            resolution.others.removeAll { origins.contains($0.stamp.dot) }
        }
        place = resolution.value?.string.flatMap(ListPosition.init)
        note(resolution, cell)
    }

    private mutating func addMember(_ cell: Cell) {
        let field = cell.path.field
        if cell.writes.count == 1 {
            // One value needs no choice, whatever the rule.
            if let value = cell.writes[0].value { set(field, value, cell.writes[0].stamp) }
            return
        }
        guard let resolution = Resolution(cell.writes, rules[field]) else { return }
        // The existence of an array is no conflict where its elements merge one by one.
        let isMark = cell.writes.allSatisfy { $0.value == nil || $0.value == RecordContent.arrayMark }
        if !isMark || rules[field]?.hasElements == false { note(resolution, cell) }
        let all = cell.writes.compactMap { write in
            write.value.map { AuthoredValue($0, by: write.stamp.dot, in: versions) }
        }
        if all.count > 1 { values[ScalarKey(field)] = all }
        if let value = resolution.value { set(field, value, resolution.stamp) }
    }

    private mutating func set(_ name: String, _ value: JSONValue, _ stamp: Stamp?) {
        let isNew = object.set(name, value)
        guard let stamp else { return }
        guard !isNew, let index = stamps.firstIndex(where: { isSame($0.name, name) }) else {
            stamps.append(MemberVersion(name: name, stamp: stamp))
            return
        }
        stamps[index].stamp = max(stamps[index].stamp, stamp)
    }

    private mutating func note(_ resolution: Resolution, _ cell: Cell) {
        guard !resolution.others.isEmpty else { return }
        let moved = cell.path.kind == .position || cell.path.kind == .place
        let conflict = Conflict(
            key,
            moved ? .moved : .value,
            path: cell.path.names,
            cell: cell.path,
            shown: moved ? nil : resolution.value,
            others: moved
                ? resolution.others.map { Conflict.Alternative(value: JSONValue?.none, stamp: $0.stamp) }
                : resolution.others
        )
        conflicts.append(conflict)
    }

    /// Builds sets and lists once all field paths are there.
    mutating func finishLists(_ revived: Set<ItemName>) {
        for (field, elements) in sets {
            let sorted = elements.sorted { left, right in
                if left.stamp != right.stamp { return left.stamp < right.stamp }
                let numbers = (left.value.array?.first?.int ?? 0, right.value.array?.first?.int ?? 0)
                if numbers.0 != numbers.1 { return numbers.0 < numbers.1 }
                return StrictJSONOrder.compare(left.value, right.value) < 0
            }
            object[field.string] = .array(sorted.compactMap { $0.value.array?.last })
        }
        for field in lists {
            let rules = elementRules(field.string)
            let elements = order(of: field.string).compactMap { items[ItemName(field: field.string, element: $0)] }
            object[field.string] = .array(elements.map { $0.value(rules) })
        }
        for item in revived.sorted() {
            conflicts.append(Conflict(key, .removedElement, path: [item.field, item.element]))
        }
    }

    /// Returns the names of a list's elements in order; moves that lead to this order are no conflict.
    ///
    /// Devices that made the record without knowing of each other gave all elements positions of their own, which say
    /// nothing of where an element of one is among those of the other. So their orders are merged by the elements.
    private mutating func order(of field: String) -> [String] {
        let own = items.filter { isSame($0.key.field, field) }.map { ($0.key.element, $0.value.place) }
        var names = Self.sorted(own)
        func isMove(_ conflict: Conflict) -> Bool {
            conflict.kind == .moved && conflict.path.first.map { isSame($0, field) } ?? false
        }
        guard conflicts.contains(where: isMove) else { return names }
        let orders = versions.sorted { $0.stamp > $1.stamp }.compactMap { order(of: field, in: $0) }
        // A version that kept several positions does not tell which of them belong together.
        guard orders.count == versions.count else { return names }
        if Set(versions.flatMap(\.origins).map(\.dot)).count > 1, let merged = ListOrder.merged(orders),
            merged.count == names.count
        {
            names = merged
        }
        if orders.allSatisfy({ ListOrder.isOrder(names, keeping: $0) }) { conflicts.removeAll(where: isMove) }
        return names
    }

    /// Returns the elements of a list that a version has, of those that stand, in its order; nil where it has several
    /// positions of one.
    private func order(of field: String, in version: RecordVersion) -> [String]? {
        var elements: [(String, ListPosition?)] = []
        for cell in version.cells where cell.path.kind == .position && isSame(cell.path.field, field) {
            guard let position = Resolution(cell.writes, nil), position.others.isEmpty else { return nil }
            guard items[ItemName(field: field, element: cell.path.element)] != nil else { continue }
            elements.append((cell.path.element, position.value?.string.flatMap(ListPosition.init)))
        }
        return Self.sorted(elements)
    }

    private static func sorted(_ elements: [(name: String, place: ListPosition?)]) -> [String] {
        elements.sorted { left, right in
            left.place == right.place
                ? precedes(left.name, right.name) : ListPosition.precedes(left.place, right.place)
        }.map(\.name)
    }
}

/// An element of a list under construction.
private struct ResolvedItem {
    var place: ListPosition?
    private var object = JSONObject()
    private var whole: JSONValue?

    init() {}

    /// Adds a field path of the element; returns its resolution, where it has more than one value.
    mutating func add(_ cell: Cell, _ rules: RecordRules?) -> Resolution? {
        let name = cell.path.member
        let resolution = Resolution(cell.writes, cell.path.kind == .itemMember ? rules?[name] : nil)
        switch cell.path.kind {
        case .position: place = resolution?.value?.string.flatMap(ListPosition.init)
        case .itemMember: object[name] = resolution?.value
        case .itemGroup:
            for member in resolution?.value?.object?.members ?? [] { object[member.name] = member.value }
        default: whole = resolution?.value
        }
        return resolution?.others.isEmpty == false ? resolution : nil
    }

    func value(_ rules: RecordRules?) -> JSONValue {
        if object.isEmpty { return whole ?? .object([:]) }
        var sorted = object
        sorted.arrange(rules ?? RecordRules([]))
        return .object(sorted)
    }
}

extension JSONObject {
    /// Orders the members: first those that rules name, in their order, then others by name.
    fileprivate mutating func arrange(_ rules: RecordRules) {
        arrange { rules.place(of: $0) ?? .max }
    }
}

extension ListPosition {
    /// Returns whether an element comes before another; one without a position comes first.
    static func precedes(_ left: ListPosition?, _ right: ListPosition?) -> Bool {
        guard let right else { return false }
        guard let left else { return true }
        return left < right
    }
}

extension MemberRule {
    /// True if its elements have field paths of their own.
    var hasElements: Bool { rule == .set || rule == .list || rule == .log || rule == .counter }
}
