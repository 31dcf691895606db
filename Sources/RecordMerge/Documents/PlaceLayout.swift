internal import StrictJSON

/// Which members of a record lie at which places, kept from record to record, as most of a collection have the same members.
///
/// For records that are new it gives the places as one change wrote them: what a ``CellEditor`` makes of a record that was
/// not there, in a fraction of the time.
struct PlaceLayout {
    private let names: [String]
    private let steps: [Step]

    /// A place, and the members that are its value.
    private struct Step {
        let path: CellPath
        var members: [Int]
        /// How it is taken apart where its value is of that kind.
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

    /// Whether an object has the same members in the same order.
    func fits(_ object: JSONObject) -> Bool {
        let members = object.members
        guard members.count == names.count else { return false }
        return names.indices.allSatisfy { isSame(names[$0], members[$0].name) }
    }

    /// The places of an object that fits, in order; nil where a member of it has to be taken apart.
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
