internal import StrictJSON

/// The field paths of a record's members, kept between records, as most records of a collection have the same members.
///
/// For a new record it gives the field paths as one change wrote them. A ``CellEditor`` would give the same in many
/// times the time.
struct PlaceLayout {
    private let names: [String]
    private let steps: [Step]
    /// True if all members are sent.
    private let isWhole: Bool
    /// Tells layouts apart where several are in use.
    let number: Int

    /// A field path, and the members that are its value.
    private struct Step {
        let path: CellPath
        var members: [Int]
        /// The rule by which a value of that kind is taken apart.
        let rule: MergeRule?
        /// The beginning of the cell in a line: the path, and the number of the version's own stamp.
        let text: [UInt8]

        /// Returns whether the value is taken apart into several field paths.
        func takesApart(_ value: JSONValue) -> Bool {
            switch (rule, value) {
            case (.set, .array), (.log, .array), (.list, .array), (.counter, .number): path.kind == .member
            default: false
            }
        }
    }

    init(_ object: JSONObject, _ rules: RecordRules, number: Int = 0) {
        self.number = number
        names = object.names
        var steps: [Step] = []
        isWhole = !names.contains { rules[$0]?.isUnsent == true }
        for (index, name) in names.enumerated() {
            let rule = rules[name]
            if rule?.isUnsent == true { continue }
            let path = rule?.group.map { CellPath(.group, $0) } ?? CellPath(.member, name)
            if let step = steps.firstIndex(where: { $0.path == path }) {
                steps[step].members.append(index)
            } else {
                let text = LineWriter.line { $0.beginCell(path, 0) }
                steps.append(Step(path: path, members: [index], rule: rule?.rule, text: text))
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
                if step.takesApart(value) { return nil }
            }
            cells.append(Cell(step.path, [Write(stamp, value)]))
        }
        return cells
    }

    /// Returns whether the field paths of an object that fits say all of it, and none of its members is taken apart.
    func isPlain(_ object: JSONObject) -> Bool {
        guard isWhole else { return false }
        let members = object.members
        return steps.allSatisfy { !$0.takesApart(members[$0.members[0]].value) }
    }

    /// Returns whether all values are texts, literals and short numbers.
    static func isFlat(_ object: JSONObject) -> Bool {
        object.members.allSatisfy { member in
            switch member.value {
            case .null, .bool, .string: true
            case .number(let number): number.isShort
            case .array, .object: false
            }
        }
    }

    /// Writes the field paths of a plain object as the cells of a line.
    func write(_ object: JSONObject, to json: inout JSONWriter) {
        // Copying each step would count references to its path and its rule.
        object.members.withUnsafeBufferPointer { members in
            steps.withUnsafeBufferPointer { steps in
                for index in steps.indices {
                    json.beginArray()
                    json.fragment(steps[index].text)
                    if steps[index].path.kind == .group {
                        json.beginObject()
                        for member in steps[index].members {
                            json.name(members[member].name)
                            json.value(members[member].value)
                        }
                        json.endObject()
                    } else {
                        json.value(members[steps[index].members[0]].value)
                    }
                    json.endArray()
                }
            }
        }
    }
}
