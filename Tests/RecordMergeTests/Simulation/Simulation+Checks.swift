import RecordMerge
import StrictJSON

extension Simulation {
    private func fail(_ message: String) -> Failure { Failure(description: message) }

    /// Whether a device shows what the oracle says.
    func check(_ index: Int) throws {
        let member = members[index]
        let state = member.device.state
        let keys = Set(oracle.operations.flatMap { member.known.contains($0.id) ? Array($0.touches.keys) : [] })
        let shown = ResolvedSet(state, schema)
        let conflicts = Dictionary(grouping: shown.conflicts, by: \.key)
        for key in keys {
            let isThere = !oracle.living(key, member.known).isEmpty
            guard let object = shown.records.objects[key] else {
                if isThere { throw fail("\(index) lacks \(key)") }
                continue
            }
            guard isThere else { throw fail("\(index) has \(key), which was deleted") }
            try check(object, key, conflicts[key] ?? [], member.known, index)
        }
        guard shown.records.objects.keys.allSatisfy(keys.contains) else {
            throw fail("\(index) has a record of nobody")
        }
    }

    private func check(
        _ object: JSONObject,
        _ key: RecordKey,
        _ conflicts: [Conflict],
        _ known: Set<Int>,
        _ index: Int
    ) throws {
        let rules = schema.record(in: key.collection)
        let (standing, revived) = oracle.standing(key, known)
        let atoms = Atoms(object, rules)
        let place = "\(index): \(key)"
        for (path, writes) in standing where !path.hasPrefix("c:") {
            try check(path, writes, atoms.values[path], conflicts, rules, standing, place)
        }
        for path in atoms.values.keys where !path.hasPrefix("c:") && standing[path] == nil {
            // An array is shown as long as it has elements, whoever said that it is there.
            if path.hasPrefix("m:"), rules[Atoms.member(path)]?.hasElementsOfItsOwn == true { continue }
            throw fail("\(place) \(path) is shown and stands nowhere")
        }
        try checkCounters(key, standing, atoms, place)
        for (list, elements) in atoms.lists where Set(elements).count != elements.count {
            throw fail("\(place) \(list) has an element twice: \(elements)")
        }
        let told = Set(conflicts.filter { $0.kind == .removedElement }.map { "i:\($0.path[0])|\($0.path[1])" })
        guard told == revived else { throw fail("\(place) revived \(told), expected \(revived)") }
        let isContested = conflicts.contains { $0.kind == .deletedRecord }
        guard isContested == oracle.isContested(key, known) else {
            throw fail("\(place) is contested: \(isContested), expected \(!isContested)")
        }
    }

    private func checkCounters(
        _ key: RecordKey,
        _ standing: [String: [Int: JSONValue?]],
        _ atoms: Atoms,
        _ place: String
    ) throws {
        var sums: [String: Int?] = [:]
        for (path, writes) in standing where path.hasPrefix("c:") {
            let sum = oracle.contribution(path, of: key, Set(writes.keys))
            let others = sums["c:" + Atoms.member(path), default: 0]
            sums["c:" + Atoms.member(path)] = .some(others.flatMap { others in sum.map { others + $0 } })
        }
        for case (let path, let sum?) in sums where atoms.values[path]?.int != sum {
            throw fail("\(place) \(path) is \(atoms.values[path]?.text(.compact) ?? "-"), expected \(sum)")
        }
    }

    private func check(
        _ path: String,
        _ writes: [Int: JSONValue?],
        _ shown: JSONValue?,
        _ conflicts: [Conflict],
        _ rules: RecordRules,
        _ standing: [String: [Int: JSONValue?]],
        _ place: String
    ) throws {
        let member = rules[Atoms.member(path)]
        let rule = path.hasPrefix("i:") ? member?.elements?.record[Atoms.part(path)] : member
        let values = Set(writes.values)
        if path.hasPrefix("m:"), let kind = rule?.rule, [.set, .log, .list, .counter].contains(kind) { return }
        if path.hasPrefix("s:") {
            if shown == nil { throw fail("\(place) lacks the element \(path)") }
            return
        }
        if rule?.rule == .max || rule?.rule == .min, let rule {
            let ranks = values.compactMap { $0 }.map { Oracle.order($0, rule) }
            let best = rule.rule == .max ? ranks.max() : ranks.min()
            if shown.map({ Oracle.order($0, rule) }) != best { throw fail("\(place) \(path) is not \(rule.rule)") }
            return
        }
        let names = Self.names(path)
        let others = conflicts.first { $0.kind == .value && $0.path == names }?.others.map(\.value) ?? []
        let ruled = Self.ruled(path, rules)
        guard ruled.isEmpty else { return try checkGroup(writes, shown, others, ruled, "\(place) \(path)") }
        if rule?.rule == .text, others.isEmpty, values.count == 2 { return }
        guard rule?.rule == .fact || Set(others + [shown]) == values && others.count + 1 == values.count else {
            throw fail("\(place) \(path) shows \(shown?.text(.compact) ?? "-") beside \(others), expected \(values)")
        }
        let latest = writes.keys.map { oracle.operations[$0].clock }.max()
        let isLatest = writes.contains { oracle.operations[$0.key].clock == latest && $0.value == shown }
        guard isLatest else { throw fail("\(place) \(path) does not show the latest value") }
    }

    /// Checks members that change together, some of them with the rule `max` or `min`.
    ///
    /// Values that differ from the latest in nothing but those are no conflict: the best of each is shown.
    private func checkGroup(
        _ writes: [Int: JSONValue?],
        _ shown: JSONValue?,
        _ others: [JSONValue?],
        _ ruled: [MemberRule],
        _ place: String
    ) throws {
        let latest = writes.keys.map { oracle.operations[$0].clock }.max()
        let isExpected = writes.contains { id, value in
            guard oracle.operations[id].clock == latest else { return false }
            let alike = writes.values.filter { Self.without(ruled, $0) == Self.without(ruled, value) }
            let isBest = ruled.allSatisfy { member in
                let ranks = alike.compactMap { $0?[member.name] }.filter { !$0.isNull }.map { Oracle.order($0, member) }
                let best = member.rule == .max ? ranks.max() : ranks.min()
                let own = shown?[member.name].flatMap { $0.isNull ? nil : $0 }
                return own.map { Oracle.order($0, member) } == best
            }
            let different = Set(writes.values).filter { Self.without(ruled, $0) != Self.without(ruled, value) }
            return isBest && Self.without(ruled, shown) == Self.without(ruled, value) && Set(others) == different
                && others.count == different.count
        }
        guard isExpected else {
            throw fail("\(place) shows \(shown?.text(.compact) ?? "-") beside \(others), of \(Set(writes.values))")
        }
    }

    /// The members of a group that have the rule `max` or `min`.
    private static func ruled(_ path: String, _ rules: RecordRules) -> [MemberRule] {
        guard path.hasPrefix("g:") else { return [] }
        return rules.members.filter { $0.group == Atoms.member(path) && [.max, .min].contains($0.rule) }
    }

    private static func without(_ members: [MemberRule], _ value: JSONValue?) -> JSONObject? {
        var object = value?.object
        for member in members { object?[member.name] = nil }
        return object
    }

    /// The names of a place as conflicts have them.
    private static func names(_ path: String) -> [String] {
        var names = String(path.dropFirst(2)).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        if let last = names.last, last.hasPrefix("g:") { names[names.count - 1] = String(last.dropFirst(2)) }
        return names
    }

    /// Delivers everything to everybody, and compares.
    mutating func finish() throws {
        for index in members.indices { try synchronise(index) }
        for index in forks.indices where forks[index].isOpen { forks[index].isClosed = true }
        let last = checkpoints.last
        for index in members.indices {
            if let last { try readAll(last.bytes, last.known, last.clock, index) }
            for checkpoint in checkpoints.dropLast() where !checkpoint.known.isSubset(of: members[index].known) {
                try readAll(checkpoint.bytes, checkpoint.known, checkpoint.clock, index)
            }
            var shuffled = messages
            shuffled.shuffle(using: &dice)
            try deliver(shuffled, index)
        }
        // All are equal below, so that one stands for all.
        try check(0)
        let first = members[0].device.state
        for (index, member) in members.enumerated() {
            guard member.known.count == oracle.operations.count else {
                throw fail("\(index) does not know \(Set(oracle.operations.map(\.id)).subtracting(member.known))")
            }
            guard member.device.state.encoded() == first.encoded() else {
                throw fail("0 and \(index) differ:\n\(text(first))\n\(text(member.device.state))")
            }
            guard MergeState(joining: first, member.device.state) == first else {
                throw fail("a join is not idempotent")
            }
            let document = schema.document(of: ResolvedSet(member.device.state, schema).records)
            let expected = schema.document(of: ResolvedSet(first, schema).records)
            guard document.text(.compact) == expected.text(.compact) else {
                throw fail("0 and \(index) show other things")
            }
        }
        try checkNothingLost()
        try checkLaws()
    }

    private mutating func readAll(_ bytes: [UInt8], _ known: Set<Int>, _ clock: HybridClock, _ index: Int) throws {
        try members[index].device.receive(try MergeState(decoding: bytes), clock)
        members[index].known.formUnion(known)
    }

    private func text(_ state: MergeState) -> String { String(decoding: state.encoded(), as: UTF8.self) }

    /// Each value that somebody entered is shown, stands in a conflict, or was replaced by somebody who had seen it.
    private func checkNothingLost() throws {
        let shown = ResolvedSet(members[0].device.state, schema)
        let conflicts = Dictionary(grouping: shown.conflicts, by: \.key)
        for operation in oracle.operations {
            for (key, touch) in operation.touches {
                let later = oracle.operations.filter { $0.past.contains(operation.id) && $0.touches[key] != nil }
                if later.contains(where: { $0.touches[key]?.cells == nil }) { continue }
                let rules = schema.record(in: key.collection)
                let atoms = shown.records.objects[key].map { Atoms($0, rules) } ?? Atoms()
                for (path, value) in touch.written {
                    let isReplaced = later.contains { other in
                        let touch = other.touches[key]
                        return touch?.written[path] != nil || touch?.removed.contains(path) == true
                            || Atoms.item(path).map { touch?.removed.contains($0) == true } == true
                    }
                    if isReplaced || atoms.values[path] == value { continue }
                    let rule = Self.rule(path, rules)
                    if [.max, .min, .text, .set, .list, .log, .counter, .fact].contains(rule?.rule) { continue }
                    let names = Self.names(path)
                    let others = (conflicts[key] ?? []).filter { $0.path == names }.flatMap(\.others).map(\.value)
                    if others.contains(value) { continue }
                    let ruled = Self.ruled(path, rules)
                    let isAlike = Self.without(ruled, atoms.values[path]) == Self.without(ruled, value)
                    if !ruled.isEmpty, isAlike { continue }
                    throw fail("\(key) \(path) = \(value?.text(.compact) ?? "-") of operation \(operation.id) is lost")
                }
            }
        }
    }

    private static func rule(_ path: String, _ rules: RecordRules) -> MemberRule? {
        let member = rules[Atoms.member(path)]
        return path.hasPrefix("i:") ? member?.elements?.record[Atoms.part(path)] : member
    }

    /// States that devices had on the way join to the same, in whatever order.
    private mutating func checkLaws() throws {
        guard forks.isEmpty else { return }
        let states = history.shuffled(using: &dice).prefix(3)
        guard states.count == 3 else { return }
        let (a, b, c) = (states[0], states[1], states[2])
        let one = MergeState(joining: MergeState(joining: a, b), c)
        let two = MergeState(joining: a, MergeState(joining: c, b))
        guard one == two else { throw fail("joins depend on their order:\n\(text(a))\n\(text(b))\n\(text(c))") }
        guard MergeState(joining: one, a) == one else { throw fail("a join is not idempotent") }
    }
}

extension MergeState {
    init(joining left: MergeState, _ right: MergeState) {
        self = left
        join(right)
    }
}

extension MemberRule {
    /// Whether its elements stand by themselves.
    fileprivate var hasElementsOfItsOwn: Bool { [.set, .log, .list].contains(rule) }
}
