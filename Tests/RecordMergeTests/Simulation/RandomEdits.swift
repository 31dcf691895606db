import RecordMerge
import StrictJSON
import TestSupport

/// Random edits of a store, by the rules of its format.
struct RandomEdits {
    let schema: MergeSchema
    /// Whether all edits go to few records and to members that are more than one value, where most can go wrong.
    var isFocused = false
    /// Whether devices again and again delete what others edit.
    var isContended = false
    private static let words = ["a", "b", "c", "one two", "two one", "x y z"]

    /// Changes something; returns it in words.
    func edit(_ store: inout RecordSet, _ dice: inout SeededGenerator) -> String {
        let members = schema.document.members.filter { $0.rule != .local }
        let focus = isFocused ? members.filter { $0.name == "things" || $0.name == "sessions" } : []
        guard let member = dice.pickAny(focus.isEmpty ? members : focus) else { return "nothing" }
        if member.rule == .record {
            return change(RecordKey(member.name, ""), &store, &dice)
        }
        guard member.elements != nil else { return change(.document, &store, &dice) }
        let keys = (store.order[member.name] ?? []).map { RecordKey(member.name, $0) }
        if isContended, let key = dice.pickAny(keys), dice.chance(35) {
            store[key] = nil
            return "delete \(key.collection)/\(key.key)"
        }
        switch dice.below(10) {
        case 0...2: return create(member, &store, &dice)
        case 3 where member.rule == .list:
            guard let key = dice.pickAny(keys) else { return "nothing" }
            let place = dice.below(keys.count)
            store.move(key, to: place)
            return "move \(key.collection)/\(key.key) to \(place)"
        case 4:
            guard let key = dice.pickAny(keys) else { return "nothing" }
            store[key] = nil
            return "delete \(key.collection)/\(key.key)"
        default:
            guard let key = dice.pickAny(keys) else { return create(member, &store, &dice) }
            return change(key, &store, &dice)
        }
    }

    private func create(_ member: MemberRule, _ store: inout RecordSet, _ dice: inout SeededGenerator) -> String {
        guard let elements = member.elements else { return "nothing" }
        var object = JSONObject()
        for name in elements.key.members { object[name] = .string("\(name.prefix(1))\(dice.below(isFocused ? 2 : 4))") }
        let key: RecordKey
        if elements.key.members.count > 1 {
            object["id"] = .number(dice.below(1000))
            let values = elements.key.members.compactMap { object[$0] }
            key = RecordKey(member.name, JSONValue.array(values).text(.canonical))
        } else {
            key = RecordKey(member.name, object[elements.key.members[0]]?.string ?? "")
        }
        guard store[key] == nil else { return change(key, &store, &dice) }
        let fixed = Set(object.names)
        store[key] = object
        var told = "create \(key.collection)/\(key.key)"
        for _ in 0..<dice.below(4) { told += "; " + change(key, &store, &dice, except: fixed) }
        return told
    }

    private func change(
        _ key: RecordKey,
        _ store: inout RecordSet,
        _ dice: inout SeededGenerator,
        except fixed: Set<String> = []
    ) -> String {
        let rules = schema.record(in: key.collection)
        let keyed = Set(schema.document[key.collection]?.elements?.key.members ?? [])
        let names = rules.members.filter { !keyed.contains($0.name) && !fixed.contains($0.name) }
        // Lists have the most to go wrong.
        let several: Set<MergeRule> = isFocused ? [.list, .set, .log, .counter] : [.list]
        let lists = names.filter { several.contains($0.rule) }
        guard
            let rule = dice.chance(isFocused ? 80 : 35)
                ? dice.pickAny(lists) ?? dice.pickAny(names) : dice.pickAny(names)
        else {
            return "nothing"
        }
        var object = store[key] ?? [:]
        let isRemoved = dice.chance(10)
        object[rule.name] = isRemoved ? JSONValue?.none : value(object[rule.name], rule, &dice)
        if object.isEmpty { return "nothing" }
        store[key] = object
        return "set \(key.collection)/\(key.key) \(rule.name) = \(object[rule.name]?.text(.compact) ?? "(absent)")"
    }

    private func value(_ old: JSONValue?, _ rule: MemberRule, _ dice: inout SeededGenerator) -> JSONValue {
        switch rule.rule {
        case .max, .min:
            if rule.order.isEmpty { return .number(dice.below(50)) }
            return dice.pickAny(rule.order.flatMap(\.self)) ?? .null
        case .counter: return .number((old?.int ?? 0) + dice.below(9) - 3)
        case .text: return .string(text(old?.string ?? "", &dice))
        case .set: return set(old?.array ?? [], grows: dice.chance(65), &dice)
        case .log: return set(old?.array ?? [], grows: dice.chance(85), &dice)
        case .list: return list(old?.array ?? [], rule, &dice)
        default:
            return dice.chance(20) ? .number(dice.below(3)) : .string(dice.pickAny(Self.words) ?? "")
        }
    }

    private func text(_ old: String, _ dice: inout SeededGenerator) -> String {
        var words = old.split(separator: " ").map(String.init)
        let place = dice.below(words.count + 1)
        if dice.chance(30), place < words.count {
            words.remove(at: place)
        } else {
            words.insert("w\(dice.below(100))", at: place)
        }
        return words.joined(separator: " ")
    }

    private func set(_ old: [JSONValue], grows: Bool, _ dice: inout SeededGenerator) -> JSONValue {
        var elements = old
        if grows {
            let new: JSONValue = .number(dice.below(12))
            if !elements.contains(new) { elements.insert(new, at: dice.below(elements.count + 1)) }
        } else if !elements.isEmpty {
            elements.remove(at: dice.below(elements.count))
        }
        return .array(elements)
    }

    private func list(_ old: [JSONValue], _ rule: MemberRule, _ dice: inout SeededGenerator) -> JSONValue {
        var elements = old
        switch dice.below(6) {
        case 0...1:
            let place = dice.below(elements.count + 1)
            for offset in 0...dice.below(3) {
                let id: JSONValue = .string("b\(dice.below(14))")
                if elements.contains(where: { $0["id"] == id }) { continue }
                elements.insert(["id": id, "label": "new"], at: min(place + offset, elements.count))
            }
        case 2 where !elements.isEmpty: elements.remove(at: 0)
        case 3 where !elements.isEmpty:
            let element = elements.remove(at: dice.below(elements.count))
            elements.insert(element, at: dice.below(elements.count + 1))
        default:
            guard !elements.isEmpty,
                let part = dice.pickAny(rule.elements?.record.members.filter { $0.name != "id" } ?? [])
            else { break }
            let place = dice.chance(50) ? 0 : dice.below(elements.count)
            elements[place][part.name] =
                dice.chance(15) ? JSONValue?.none : value(elements[place][part.name], part, &dice)
        }
        return .array(elements)
    }
}
