internal import StrictJSON

/// The field paths of a record's members, kept between records, as most records of a collection have the same members.
///
/// For a new record it gives the field paths as one change wrote them. A ``CellEditor`` would give the same in many
/// times the time.
struct PlaceLayout {
    private let names: [String]
    private let steps: [Step]

    /// A field path, and the members that are its value.
    private struct Step {
        let path: CellPath
        var members: [Int]
        /// The rule by which a value of that kind is taken apart.
        let rule: MergeRule?
    }

    init(_ object: JSONObject, _ rules: RecordRules) {
        names = object.names
        var steps: [Step] = []
        for (index, name) in names.enumerated() {
            let rule = rules[name]
            if rule?.isUnsent == true { continue }
            let path = rule?.group.map { CellPath(.group, $0) } ?? CellPath(.member, name)
            if let step = steps.firstIndex(where: { $0.path == path }) {
                steps[step].members.append(index)
            } else {
                steps.append(Step(path: path, members: [index], rule: rule?.rule))
            }
        }
        self.steps = steps.sorted { $0.path < $1.path }
    }

    /// Returns whether an object has the same members in the same order.
    func fits(_ object: JSONObject) -> Bool {
        let members = object.members
        guard members.count == names.count else { return false }
        return names.indices.allSatisfy { isSame(names[$0], members[$0].name) }
    }

    /// Returns the field paths of an object that fits; nil where a member must be taken apart.
    func cells(of object: JSONObject, _ stamp: Stamp) -> [Cell]? {
        let members = object.members
        var cells: [Cell] = []
        cells.reserveCapacity(steps.count)
        for step in steps {
            let value: JSONValue
            if step.path.kind == .group {
                var group = JSONObject()
                for index in step.members { group.append(unique: members[index].name, members[index].value) }
                value = .object(group)
            } else {
                value = members[step.members[0]].value
                switch (step.rule, value) {
                case (.set, .array), (.log, .array), (.list, .array), (.counter, .number): return nil
                default: break
                }
            }
            cells.append(Cell(step.path, [Write(stamp, value)]))
        }
        return cells
    }
}
