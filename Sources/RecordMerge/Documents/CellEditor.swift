internal import StrictJSON

/// Makes a new version of a record from its field paths and from what the app changed.
struct CellEditor {
    private var cells: CellTable
    private let rules: RecordRules
    private let stamp: Stamp
    /// The positions that another change gave the same elements.
    private let agreed: [ItemName: ListPosition]
    /// True if a worse value of a `max` or `min` is written as well, except of the identifier.
    private let writesWorse: Bool
    /// True if a missing member that the rules do not name was removed, and not left out.
    private let removesUnknown: Bool
    /// True if a field path differs from before.
    private(set) var isChanged = false
    /// The members that lost elements.
    private var emptied: Set<ScalarKey> = []

    /// The limits of the earlier texts that a text keeps: their number and their total size.
    private static let mostEarlier = 4
    private static let mostEarlierBytes = 16_384

    init(
        _ cells: [Cell],
        _ rules: RecordRules,
        _ stamp: Stamp,
        agreed: [ItemName: ListPosition] = [:],
        writesWorse: Bool = false,
        removesUnknown: Bool = false
    ) {
        self.agreed = agreed
        self.cells = CellTable(cells)
        self.rules = rules
        self.stamp = stamp
        self.writesWorse = writesWorse
        self.removesUnknown = removesUnknown
    }

    /// The field paths, in order.
    var result: [Cell] { cells.cells }

    /// Writes what differs between two contents.
    mutating func change(from base: RecordContent, to ours: RecordContent) {
        for (path, value) in ours.cells {
            let old = base.cells[path]
            if path.kind == .contribution {
                addToCounter(path.field, value.int ?? 0, old?.int)
            } else if path.kind == .setElement ? old == nil : old != value {
                set(path, value, old)
            }
        }
        for (path, old) in base.cells where ours.cells[path] == nil { remove(path, old, ours) }
        for (field, names) in ours.lists { order(field.string, names) }
        for field in emptied {
            // An array that another device removed stays visible while it has elements. Now it stays without them.
            let path = CellPath(.member, field.string)
            let isThere = cells[path].flatMap { Resolution($0, nil) }?.value != nil
            if !isThere, ours.cells[path] == RecordContent.arrayMark { write(path, RecordContent.arrayMark) }
        }
    }

    /// Writes a value.
    mutating func write(_ path: CellPath, _ value: JSONValue?) {
        let history = rule(of: path)?.rule == .text && value?.string != nil ? history(cells[path] ?? []) : []
        cells[path] = [Write(stamp, value, history: history)]
        isChanged = true
    }

    /// Writes the resolved value of a field path again, because a person decided on it.
    ///
    /// - Parameter names: The names from the record to the field path; none for the whole record.
    mutating func decide(_ names: [String]) {
        if names.isEmpty { isChanged = true }
        for cell in cells.cells where cell.path.kind != .contribution {
            guard cell.path.names.filter({ !$0.isEmpty }) == names,
                let resolution = Resolution(cell.writes, rule(of: cell.path))
            else { continue }
            write(cell.path, resolution.value)
        }
    }

    /// Writes the resolved value of a field path again.
    mutating func decide(_ cell: Cell) {
        let members = rules.members.filter { $0.group.map { isSame($0, cell.path.field) } ?? false }
        let resolution =
            cell.path.kind == .group
            ? Resolution(cell.writes, ofGroup: members) : Resolution(cell.writes, rule(of: cell.path))
        if let resolution { write(cell.path, resolution.value) }
    }

    /// Removes an element of a list or a set, because a person decided so.
    mutating func removeElement(_ field: String, _ element: String) {
        for cell in cells.cells where isSame(cell.path.field, field) && isSame(cell.path.element, element) {
            if cell.path.isOfItem || cell.path.kind == .setElement { drop(cell.path) }
        }
    }

    private func rule(of path: CellPath) -> MemberRule? {
        switch path.kind {
        case .member, .setElement, .contribution: rules[path.field]
        case .itemMember: rules[path.field]?.elements?.record[path.member]
        case .group, .position, .item, .itemGroup, .place: nil
        }
    }

    private mutating func set(_ path: CellPath, _ value: JSONValue, _ old: JSONValue?) {
        let rule = rule(of: path)
        if rule?.rule == .max || rule?.rule == .min, let shown = cells[path].flatMap({ Resolution($0, rule) }) {
            if shown.value == value { return }
            let isKept = !writesWorse || path.field == KeyRule.rowIdentifier
            if isKept, Resolution.isBetter(shown.value, than: value, rule) { return }
        }
        var value = value
        if path.kind == .group || path.kind == .itemGroup { value = keepingUnknown(path, value, old) }
        if value == old { return }
        write(path, value)
    }

    /// Returns a group's value with the members that this device's rules do not name and its store left out.
    private func keepingUnknown(_ path: CellPath, _ value: JSONValue, _ old: JSONValue?) -> JSONValue {
        guard !removesUnknown, var object = value.object, let earlier = old?.object else { return value }
        let known = path.kind == .group ? rules : rules[path.field]?.elements?.record
        for member in earlier where object[member.name] == nil && known?[member.name] == nil {
            object[member.name] = member.value
        }
        return .object(object)
    }

    /// Adds a difference to this writer's contribution to a counter.
    private mutating func addToCounter(_ field: String, _ value: Int, _ old: Int?) {
        if value == old { return }
        let path = CellPath(.contribution, field, stamp.dot.writer.description)
        let mine = Contribution(cells[path] ?? [])
        let sum = mine.sum.addingClamped(value.subtractingClamped(old ?? 0))
        cells[path] = [Write(stamp, .number(sum), history: mine.history)]
        isChanged = true
    }

    private mutating func remove(_ path: CellPath, _ old: JSONValue, _ ours: RecordContent) {
        let rule = rules[path.field]
        let isKnown = rule != nil || removesUnknown
        switch path.kind {
        case .member, .group:
            guard isKnown, ours.cells[CellPath(.contribution, path.field)] == nil, let writes = cells[path],
                Resolution(writes, rule)?.value != nil
            else { return }
            write(path, nil)
        case .setElement:
            let isLeftOut = !isKnown && ours.cells[CellPath(.member, path.field)] == nil
            if !isLeftOut, rule?.rule != .log { drop(path) }
        case .contribution:
            guard isKnown else { return }
            for cell in cells.cells where cell.path.kind == .contribution && isSame(cell.path.field, path.field) {
                drop(cell.path)
            }
        case .item, .itemMember, .itemGroup:
            removeFromItem(path, rule, ours)
        case .position, .place: break
        }
    }

    private mutating func removeFromItem(_ path: CellPath, _ rule: MemberRule?, _ ours: RecordContent) {
        guard let names = ours.lists[ScalarKey(path.field)] else {
            let isKnown = rule != nil || removesUnknown
            if isKnown || ours.cells[CellPath(.member, path.field)] != nil { dropItem(path) }
            return
        }
        guard names.contains(where: { isSame($0, path.element) }) else { return dropItem(path) }
        let isKnown = removesUnknown || rule?.elements?.record[path.member] != nil
        if ours.cells[CellPath(.item, path.field, path.element)] != nil { return drop(path) }
        switch path.kind {
        case .itemMember where isKnown, .itemGroup where isKnown:
            if cells[path] != nil { write(path, nil) }
        case .item: drop(path)
        default: break
        }
    }

    private mutating func dropItem(_ path: CellPath) {
        guard let item = path.item else { return }
        for part in cells.places(of: item) { drop(part) }
    }

    private mutating func drop(_ path: CellPath) {
        guard cells[path] != nil else { return }
        cells[path] = nil
        isChanged = true
        emptied.insert(ScalarKey(path.field))
    }

    /// Gives new positions to the elements of a list that changed their order.
    private mutating func order(_ field: String, _ names: [String]) {
        var positions: [ScalarKey: ListPosition] = [:]
        for cell in cells.cells where cell.path.kind == .position && isSame(cell.path.field, field) {
            let text = Resolution(cell.writes, nil)?.value?.string
            positions[ScalarKey(cell.path.element)] = text.flatMap(ListPosition.init)
        }
        var others: [ScalarKey: ListPosition] = [:]
        for (item, position) in agreed where isSame(item.field, field) { others[ScalarKey(item.element)] = position }
        for change in ListOrder.changes(names, positions, agreed: others, stamp) {
            write(CellPath(.position, field, change.name), .string(change.position.text))
        }
    }

    /// Writes the resolved positions of elements that have several, of lists in which nobody moved anything.
    ///
    /// Only versions that are still there tell that the positions of each lead to one order.
    mutating func settlePositions(besides conflicts: [Conflict]) {
        let moved = Set(conflicts.filter { $0.kind == .moved }.compactMap { $0.path.first.map(ScalarKey.init) })
        for cell in cells.cells where cell.path.kind == .position && !moved.contains(ScalarKey(cell.path.field)) {
            guard let resolution = Resolution(cell.writes, nil), !resolution.others.isEmpty else { continue }
            write(cell.path, resolution.value)
        }
    }

    /// Returns the texts that a new text replaces, the latest first.
    private func history(_ writes: [Write]) -> [Write.Earlier] {
        var earlier: [(stamp: Stamp?, text: Write.Earlier)] = []
        for write in writes.reversed() {
            if let text = write.value?.string { earlier.append((write.stamp, Write.Earlier(write.stamp.dot, text))) }
        }
        for write in writes.reversed() {
            for old in write.history where !earlier.contains(where: { $0.text == old }) { earlier.append((nil, old)) }
        }
        var size = 0
        return earlier.prefix(Self.mostEarlier).map(\.text).filter { text in
            size += text.text.utf8.count
            return size <= Self.mostEarlierBytes
        }
    }
}
