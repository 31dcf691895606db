import RecordMerge
import StrictJSON

extension Oracle {
    /// What a person did to one record; nil for nothing.
    func touch(
        _ key: RecordKey,
        _ base: JSONObject?,
        _ ours: JSONObject,
        _ operation: Operation,
        _ known: RecordRules,
        _ full: RecordRules
    ) -> Touch? {
        let old = base.map { Atoms($0, full) } ?? Atoms()
        let new = Atoms(ours, full)
        let (standing, _) = standing(key, operation.past)
        var touch = Touch(cells: standing)
        var isTouched = base == nil
        for (path, value) in new.values {
            let before = old.values[path]
            if path.hasPrefix("s:") ? before != nil : before == value { continue }
            if path.hasPrefix("c:") {
                let contribution = "\(path)|\(operation.writer)"
                let number = (value.int ?? 0) - (before?.int ?? 0)
                touch.added[contribution] = (number, Set((standing[contribution] ?? [:]).keys))
                touch.cells?[contribution] = [operation.id: value]
            } else {
                let mayBeWorse = base != nil && isMadeAgain(key, path)
                if !mayBeWorse, isWorse(path, value, standing[path], full) { continue }
                touch.cells?[path] = [operation.id: value]
                touch.written[path] = .some(value)
            }
            isTouched = true
        }
        for path in old.values.keys where new.values[path] == nil {
            guard remove(path, known, new, &touch, operation.id) else { continue }
            isTouched = true
        }
        for (name, elements) in new.lists
        where old.lists[name] ?? [] != elements && Set(elements) == Set(old.lists[name] ?? []) {
            isTouched = true
        }
        guard isTouched else { return nil }
        (touch.seen, touch.lineage) = ancestry(key, operation)
        return touch
    }

    /// Takes out what a person removed; returns whether that was anything.
    private func remove(_ path: String, _ known: RecordRules, _ new: Atoms, _ touch: inout Touch, _ id: Int) -> Bool {
        let member = Atoms.member(path)
        let rule = known[member]
        switch path.prefix(2) {
        case "m:", "g:":
            let latest = touch.cells?[path]?.max { operations[$0.key].clock < operations[$1.key].clock }
            guard rule != nil, latest?.value != nil else { return false }
            touch.cells?[path] = [id: nil]
            touch.written[path] = .some(nil)
        case "s:":
            if rule?.rule == .log || rule == nil && new.values["m:\(member)"] == nil { return false }
            touch.cells?[path] = nil
            touch.removed.insert(path)
        case "i:":
            guard let item = Atoms.item(path) else { return false }
            if rule == nil, new.values["m:\(member)"] == nil { return false }
            let isThere = new.values.keys.contains { Atoms.item($0) == item }
            if isThere {
                guard rule?.elements?.record[Atoms.part(path)] != nil else { return false }
                touch.cells?[path] = [id: nil]
                touch.written[path] = .some(nil)
            } else {
                for cell in touch.cells?.keys.filter({ Atoms.item($0) == item }) ?? [] { touch.cells?[cell] = nil }
                touch.removed.insert(item)
            }
        default:
            guard rule != nil else { return false }
            for cell in touch.cells?.keys.filter({ $0.hasPrefix(path + "|") }) ?? [] { touch.cells?[cell] = nil }
        }
        return true
    }

    /// Whether a person who ticks anew what was ticked before gives it this value, be it better or not.
    private func isMadeAgain(_ key: RecordKey, _ path: String) -> Bool {
        key.collection == "ticks" && path == "m:at"
            || key.collection == "habit_completions" && path == "m:completed_at"
    }

    /// Whether a value is no better than what stands, by the rules `max` and `min`.
    private func isWorse(_ path: String, _ value: JSONValue, _ standing: [Int: JSONValue?]?, _ rules: RecordRules)
        -> Bool
    {
        guard path.hasPrefix("m:"), let rule = rules[Atoms.member(path)], rule.rule == .max || rule.rule == .min,
            let standing
        else { return false }
        let values = standing.values.compactMap { $0 }
        return values.contains { other in
            let order = Self.order(other, rule)
            let mine = Self.order(value, rule)
            return rule.rule == .max ? order > mine : order < mine
        }
    }

    /// A number for each value that the simulation uses with `max` and `min`.
    static func order(_ value: JSONValue, _ rule: MemberRule) -> Int {
        rule.order.isEmpty ? value.int ?? -1 : rule.order.firstIndex { $0.contains(value) } ?? -1
    }
}
