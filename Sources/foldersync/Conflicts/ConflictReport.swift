internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import Crypto
internal import DirectorySync
internal import RecordMerge
internal import Slate
internal import StrictJSON

/// A conflict in words and for programs.
struct ConflictReport {
    let conflict: RecordConflict
    private let words: ValueWords

    /// - Parameter isWhole: Whether values are told whole, as a person needs them to choose.
    init(_ conflict: RecordConflict, _ words: ValueWords, isWhole: Bool = true) {
        (self.conflict, self.words) = (conflict, isWhole ? words.unlimited : words)
    }

    /// Returns a value at the place in conflict, in words.
    private func text(_ value: JSONValue?, from old: JSONValue? = nil) -> String {
        if let title = value.flatMap({ conflict.titles[$0] }) { return TerminalText.safe(title) }
        let path = conflict.members.isEmpty ? conflict.path : Array(conflict.path.dropLast())
        return words.text(value, conflict.name.collection, path, from: old)
    }

    /// Returns the value before the changes in conflict, in words.
    private func text(was value: JSONValue?) -> String {
        (value ?? words.initialValue(conflict.name.collection, conflict.path)).map { text($0) } ?? "(none)"
    }

    /// Returns the value that a decision leaves; nil where that is none.
    func value(_ decision: ConflictDecision.Value) -> JSONValue? {
        switch decision {
        case .choice(let index): conflict.choices.indices.contains(index) ? conflict.choices[index].value : nil
        case .value(let value): value
        case .shown: conflict.choices.first { $0.isShown }?.value
        case .removed: nil
        }
    }

    /// The value before the changes in conflict, where it is known and no list: ` (was "Buy paint")`.
    private var was: String {
        guard let old = conflict.old, old.value?.array == nil, old.value?.object == nil else { return "" }
        return " (was \(text(was: old.value)))"
    }

    /// The record and the place in it.
    private var subject: String {
        var names = conflict.path
        if let element = conflict.element { names[1] = "\"\(element)\"" }
        let place = names.map { TerminalText.cut($0, to: Words.nameColumns) }.joined(separator: " ")
        return RecordWords.name(conflict) + (place.isEmpty ? "" : ", \(place)")
    }

    /// The place in the record in words; empty for the whole record.
    var place: String {
        guard let first = conflict.path.first else { return "" }
        var names = [words.name(first, conflict.name.collection)] + conflict.path.dropFirst()
        if let element = conflict.element { names[1] = "\"\(element)\"" }
        return names.joined(separator: " ")
    }

    /// Returns a value at the place in conflict, in full.
    func whole(_ value: JSONValue?) -> String {
        if let title = value.flatMap({ conflict.titles[$0] }) { return title }
        let path = conflict.members.isEmpty ? conflict.path : Array(conflict.path.dropLast())
        return words.whole(value, conflict.name.collection, path, from: conflict.old?.value)
    }

    /// Returns the fingerprint of a conflict, which differs for the same conflict with other values.
    static func fingerprint(_ conflict: RecordConflict) -> String {
        let text = ConflictReport(conflict, ValueWords(schema: nil, .utc)).json.text(.compact)
        let bytes = SHA256.hash(data: Array(text.utf8)).prefix(16)
        return Hex.text(bytes)
    }

    /// Returns the decision in a line.
    func decided(_ value: ConflictDecision.Value) -> String {
        switch value {
        case .choice, .value: "\(subject): \(text(self.value(value), from: conflict.old?.value))\(was)"
        case .removed: "\(subject): removed"
        default: "\(subject): \(blocked ?? "as it is shown")"
        }
    }

    /// The subject of the conflict, in a line.
    var heading: String {
        switch conflict.kind {
        case .value: return "\(subject): \(conflict.choices.count) values"
        case .moved: return "\(subject): moved to different places"
        case .deletedRecord: return "\(subject): deleted on \(removers), changed on \(changers); \(state)"
        case .removedElement: return "\(subject): removed on \(removers), changed on \(changers); it is kept"
        case .oneSided: return "\(subject): only one side has it; it is kept"
        case .repaired: return "\(subject): \(conflict.explanation ?? "corrected")"
        }
    }

    /// Returns a heading and the choices, numbered as `resolve --choose` has them.
    func lines(_ clock: LocalClock) -> [String] {
        func who(_ device: SyncDevice?, _ milliseconds: Int) -> String {
            "\(RecordWords.device(device)), \(RecordWords.moment(milliseconds, clock))"
        }
        guard conflict.kind == .value else {
            return [heading]
                + conflict.sides.map { side in
                    "  \(side.isRemoval ? "deleted" : "changed")  (\(who(side.device, side.milliseconds)))"
                }
                + conflict.values.map { "    \(TerminalText.safe(words.change($0, conflict.name.collection)))" }
        }
        // Where it is not known, or there were several values before, nothing is said of it.
        let before = conflict.old.map { old in
            "  was  \(text(was: old.value))  (\(who(old.device, old.milliseconds)))"
        }
        return [heading] + [before].compactMap(\.self)
            + conflict.choices.enumerated().map { index, choice in
                let value = text(choice.value, from: conflict.old?.value)
                let shown = choice.isShown ? ", shown" : ""
                return "  \(index + 1)  \(value)  (\(who(choice.device, choice.milliseconds))\(shown))"
            }
    }

    /// The fate of a record that one device deleted and another changed.
    private var state: String { blocked ?? "it is kept" }

    /// The parent that a record waits for, so that no device shows it; nil for one that is shown.
    private var blocked: String? {
        guard !conflict.waitsFor.isEmpty else { return nil }
        let names = conflict.waitsFor.map(RecordWords.name).joined(separator: " and ")
        return "blocked until \(names) \(conflict.waitsFor.count == 1 ? "returns" : "return")"
    }

    private var removers: String { devices { $0.isRemoval } ?? "one device" }
    private var changers: String { devices { !$0.isRemoval } ?? "another" }

    private func devices(_ isMeant: (RecordConflict.Side) -> Bool) -> String? {
        var names: [String] = []
        for side in conflict.sides where isMeant(side) {
            let name = RecordWords.device(side.device)
            if !names.contains(name) { names.append(name) }
        }
        return names.isEmpty ? nil : names.joined(separator: " and ")
    }

    /// The ways to decide it, in words.
    var way: String {
        switch conflict.kind {
        case .value: Messages.choices(conflict.choices.count)
        case .deletedRecord, .removedElement: Messages.removalChoices
        default: Messages.onlyChoice
        }
    }

    /// Returns the conflict as it was decided, for programs.
    func json(decided value: ConflictDecision.Value) -> JSONValue {
        var object = json
        // A member that is not there says that the value was removed.
        object["new"] = self.value(value)
        return object
    }

    var json: JSONValue {
        var object = RecordWords.json(conflict.name)
        object["kind"] = .string(conflict.kind.rawValue)
        object["path"] = .array(conflict.path.map { .string($0) })
        object["old"] = conflict.old.map { .object(Self.members($0)) } ?? .null
        object["choices"] = .array(conflict.choices.enumerated().map { Self.json($0.offset + 1, $0.element) })
        object["sides"] = .array(conflict.sides.map(Self.json))
        object["values"] = RecordWords.json(conflict.values)
        object["waitsFor"] = .array(conflict.waitsFor.map { .object(RecordWords.json($0)) })
        object["explanation"] = conflict.explanation.map { .string($0) } ?? .null
        return .object(object)
    }

    private static func json(_ side: RecordConflict.Side) -> JSONValue {
        [
            "device": side.device.map { .object($0.json) } ?? .null,
            "time": RecordWords.json(moment: side.milliseconds),
            "did": .string(side.isRemoval ? "remove" : "change"),
        ]
    }

    private static func json(_ number: Int, _ choice: RecordConflict.Choice) -> JSONValue {
        var object: JSONObject = ["number": .number(number)]
        for member in members(choice) { object[member.name] = member.value }
        object["shown"] = .bool(choice.isShown)
        return .object(object)
    }

    private static func members(_ choice: RecordConflict.Choice) -> JSONObject {
        var object = JSONObject()
        // A member that is not there says that the value was removed; null is a value.
        object["value"] = choice.value
        object["device"] = choice.device.map { .object($0.json) } ?? .null
        object["time"] = RecordWords.json(moment: choice.milliseconds)
        return object
    }
}
