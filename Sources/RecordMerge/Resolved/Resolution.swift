package import StrictJSON

/// The resolved value of a field path, and the other values.
struct Resolution {
    /// The resolved value; nil where the member is missing.
    var value: JSONValue?
    /// The latest change that wrote the resolved value.
    var stamp: Stamp
    /// The other values, the latest first.
    var others: [Conflict.Alternative] = []

    /// Resolves values by the rule of their field path.
    ///
    /// - Parameter writes: At least one, ordered by stamp.
    init?(_ writes: [Write], _ rule: MemberRule?) {
        guard let latest = writes.last else { return nil }
        value = latest.value
        stamp = latest.stamp
        guard writes.count > 1 else { return }
        switch rule?.rule {
        case .max, .min:
            for write in writes.dropLast().reversed() where Self.isBetter(write.value, than: value, rule) {
                value = write.value
                stamp = write.stamp
            }
            // Words of one rank are equal: the others stand beside the resolved value.
            if rule?.order.isEmpty == false { addOthers(writes.filter { !Self.isBetter(value, than: $0.value, rule) }) }
        case .fact: break
        case .text:
            if let merged = TextMerge.merge(writes) { value = .string(merged) } else { addOthers(writes) }
        default: addOthers(writes)
        }
        guard rule?.isMoment == true, !others.isEmpty, let shown = value?.string.flatMap(Moment.init) else { return }
        others.removeAll { $0.value?.string.flatMap(Moment.init) == shown }
    }

    /// Resolves values of members that change together.
    ///
    /// Values that differ only in members with the rule `max` or `min` agree. The best of them is the resolved value,
    /// and they are no conflict.
    init?(_ writes: [Write], ofGroup members: [MemberRule]) {
        self.init(writes, nil)
        let ruled = members.filter { $0.rule == .max || $0.rule == .min }
        guard writes.count > 1, !ruled.isEmpty, let latest = value?.object else { return }
        func isAlike(_ value: JSONValue?) -> Bool {
            guard var object = value?.object else { return false }
            for member in ruled { object[member.name] = latest[member.name] }
            return object == latest
        }
        others.removeAll { isAlike($0.value) }
        var best = latest
        for member in ruled {
            for case .object(let object)? in writes.map(\.value) where isAlike(.object(object)) {
                guard let candidate = object[member.name], !candidate.isNull else { continue }
                let current = best[member.name]
                let isBetter = current?.isNull ?? true || Self.isBetter(candidate, than: current, member)
                if isBetter { best[member.name] = candidate }
            }
        }
        value = .object(best)
    }

    /// Notes each value except the resolved one, once.
    private mutating func addOthers(_ writes: [Write]) {
        var told: Set<JSONValue?> = [value]
        for write in writes.reversed() where told.insert(write.value).inserted {
            others.append(Conflict.Alternative(value: write.value, stamp: write.stamp))
        }
    }

    /// Returns whether a value wins by the rule `max` or `min`; any value wins over none.
    static func isBetter(_ candidate: JSONValue?, than value: JSONValue?, _ rule: MemberRule?) -> Bool {
        guard let candidate else { return false }
        guard let value else { return true }
        let order = ValueOrder.compare(candidate, value, rule?.order ?? [])
        return rule?.rule == .min ? order < 0 : order > 0
    }
}

extension MergeSchema {
    /// The collections whose records have a member with ranks.
    package var rankedCollections: Set<String> {
        Set(document.members.map(\.name).filter { record(in: $0).hasRanks })
    }
}

extension RecordRules {
    /// True if a member of the record has ranks, such as the status of a session: its values only go forward.
    package var hasRanks: Bool { members.contains { !$0.order.isEmpty } }

    /// Tells whether a record cannot become an earlier one, as the value of a member with ranks would go back.
    package func isAhead(_ record: JSONObject, of earlier: JSONObject) -> Bool {
        members.contains { !$0.order.isEmpty && Resolution.isBetter(record[$0.name], than: earlier[$0.name], $0) }
    }

    /// Tells whether a record differs from the given one only in values that the rules `max` and `min` put behind the
    /// given ones.
    ///
    /// A store may keep such a value, as where it has another row with the given identifier.
    package func prefers(_ given: JSONObject, to object: JSONObject) -> Bool {
        Set((given.names + object.names).map(ScalarKey.init)).allSatisfy { name in
            let (given, value) = (given[name.string], object[name.string])
            guard given != value else { return true }
            guard let given, let value, let rule = self[name.string], [.max, .min].contains(rule.rule) else {
                return false
            }
            return Resolution.isBetter(given, than: value, rule)
        }
    }
}

/// An order of all values, for the greatest and the smallest.
enum ValueOrder {
    /// Compares two values as -1, 0 or 1: by rank where there are ranks; numbers by size, moments by time, else texts
    /// by their bytes.
    static func compare(_ left: JSONValue, _ right: JSONValue, _ ranks: [[JSONValue]]) -> Int {
        if !ranks.isEmpty {
            let order = sign(rank(left, ranks), rank(right, ranks))
            if order != 0 { return order }
            // Values of one rank are equal: the later one stays.
            return 0
        }
        switch (left, right) {
        case (.number(let left), .number(let right)):
            if let left = DecimalNumber(token: left.token), let right = DecimalNumber(token: right.token), left != right
            {
                return left < right ? -1 : 1
            }
        case (.string(let left), .string(let right)):
            if let left = Moment(left), let right = Moment(right), left != right { return left < right ? -1 : 1 }
        default:
            let order = sign(kind(left), kind(right))
            if order != 0 { return order }
        }
        return StrictJSONOrder.compare(left, right)
    }

    private static func rank(_ value: JSONValue, _ ranks: [[JSONValue]]) -> Int {
        ranks.firstIndex { $0.contains(value) } ?? -1
    }

    private static func kind(_ value: JSONValue) -> Int {
        switch value {
        case .null: 0
        case .bool: 1
        case .number: 2
        case .string: 3
        case .array: 4
        case .object: 5
        }
    }

    private static func sign(_ left: Int, _ right: Int) -> Int { left < right ? -1 : left > right ? 1 : 0 }
}

/// The order of values by their canonical texts.
enum StrictJSONOrder {
    static func compare(_ left: JSONValue, _ right: JSONValue) -> Int {
        RecordMerge.compare(left.text(.canonical), right.text(.canonical))
    }
}
