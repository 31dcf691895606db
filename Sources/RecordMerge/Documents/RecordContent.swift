package import StrictJSON

/// A record taken apart into field paths.
struct RecordContent {
    /// The values by field path; for an element of a set its index in the array and its value.
    var cells: [CellPath: JSONValue] = [:]
    /// The names of each list's elements, in order.
    var lists: [ScalarKey: [String]] = [:]

    /// The value that stands for an array beside its elements, so that an empty array differs from none.
    static let arrayMark: JSONValue = .array([])

    /// Makes an empty content.
    init() {}

    /// Takes a record apart by its rules.
    ///
    /// - Parameter shape: The kinds of the members that the rules do not name.
    /// - Parameter isLeftOut: Returns whether a member is unchanged and can be left out.
    init(
        _ object: JSONObject,
        _ rules: RecordRules,
        _ shape: RecordShape,
        leavingOut isLeftOut: (JSONObject.Member) -> Bool = { _ in false }
    ) {
        var groups: [ScalarKey: JSONObject] = [:]
        for member in object {
            let rule = rules[member.name]
            if rule?.isUnsent == true || isLeftOut(member) { continue }
            if let group = rule?.group ?? shape.group(of: member.name) {
                groups[ScalarKey(group), default: [:]][member.name] = member.value
                continue
            }
            switch rule?.rule ?? shape.rule(of: member.name) {
            case .set, .log: addSet(member)
            case .list: addList(member, rule?.elements)
            case .counter where member.value.int != nil:
                // The comparison with the earlier value finds what each writer added.
                cells[CellPath(.contribution, member.name)] = member.value
            default: cells[CellPath(.member, member.name)] = member.value
            }
        }
        for (group, members) in groups { cells[CellPath(.group, group.string)] = .object(members) }
    }

    private mutating func addSet(_ member: JSONObject.Member) {
        guard let elements = member.value.array else {
            cells[CellPath(.member, member.name)] = member.value
            return
        }
        cells[CellPath(.member, member.name)] = Self.arrayMark
        var names = ElementNames()
        for (index, element) in elements.enumerated() {
            let name = names.name(element, nil)
            cells[CellPath(.setElement, member.name, name)] = [.number(index), element]
        }
    }

    private mutating func addList(_ member: JSONObject.Member, _ rules: ElementRules?) {
        guard let elements = member.value.array else {
            cells[CellPath(.member, member.name)] = member.value
            return
        }
        cells[CellPath(.member, member.name)] = Self.arrayMark
        var names = ElementNames()
        var list: [String] = []
        let key = rules?.key ?? KeyRule("id")
        for element in elements {
            let name = names.name(element, key)
            list.append(name)
            guard let object = element.object else {
                cells[CellPath(.item, member.name, name)] = element
                continue
            }
            var groups: [ScalarKey: JSONObject] = [:]
            for part in object {
                let rule = rules?.record[part.name]
                if rule?.isUnsent == true { continue }
                if let group = rule?.group {
                    groups[ScalarKey(group), default: [:]][part.name] = part.value
                } else {
                    cells[CellPath(.itemMember, member.name, name, part.name)] = part.value
                }
            }
            for (group, members) in groups {
                cells[CellPath(.itemGroup, member.name, name, group.string)] = .object(members)
            }
            if object.isEmpty { cells[CellPath(.item, member.name, name)] = .object([:]) }
        }
        lists[ScalarKey(member.name)] = list
    }
}

extension RecordRules {
    /// True if a member of the record is a list.
    package var hasLists: Bool { members.contains { $0.rule == .list } }

    /// Returns a record whose lists have the elements of another one's lists in their order there.
    ///
    /// All other elements keep their places.
    package func arranged(_ object: JSONObject, like other: JSONObject) -> JSONObject {
        var arranged = object
        for member in members where member.rule == .list {
            guard let elements = object[member.name]?.array, let others = other[member.name]?.array else { continue }
            let key = member.elements?.key ?? KeyRule("id")
            var (own, known) = (ElementNames(), ElementNames())
            let names = elements.map { own.name($0, key) }
            let order = ListOrder.arranged(names, like: others.map { known.name($0, key) })
            let named = Dictionary(zip(names.map(ScalarKey.init), elements)) { first, _ in first }
            arranged[member.name] = .array(order.compactMap { named[ScalarKey($0)] })
        }
        return arranged
    }
}

/// The kinds of the members that a device's rules do not name, as their field paths tell.
struct RecordShape {
    private var rules: [ScalarKey: MergeRule] = [:]
    private var groups: [ScalarKey: String] = [:]

    init(_ cells: [Cell]) {
        for cell in cells {
            let field = cell.path.field
            switch cell.path.kind {
            case .setElement: rules[ScalarKey(field)] = .set
            case .contribution: rules[ScalarKey(field)] = .counter
            case .position, .item, .itemMember, .itemGroup: rules[ScalarKey(field)] = .list
            case .group:
                for write in cell.writes {
                    for member in write.value?.object?.members ?? [] {
                        groups[ScalarKey(member.name)] = cell.path.field
                    }
                }
            case .member, .place: break
            }
        }
    }

    func rule(of member: String) -> MergeRule? { rules.isEmpty ? nil : rules[ScalarKey(member)] }

    func group(of member: String) -> String? { groups.isEmpty ? nil : groups[ScalarKey(member)] }
}
