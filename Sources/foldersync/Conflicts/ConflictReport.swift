internal import AppFormats
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// A conflict in words and for programs.
struct ConflictReport {
    let conflict: RecordConflict

    init(_ conflict: RecordConflict) { self.conflict = conflict }

    /// The record and the place in it.
    private var subject: String {
        let place = conflict.path.map { TerminalText.cut($0, to: Words.nameColumns) }.joined(separator: " ")
        return RecordWords.name(conflict.name) + (place.isEmpty ? "" : ", \(place)")
    }

    /// What was decided, in a line.
    func decided(_ value: ConflictDecision.Value) -> String {
        switch value {
        case .choice(let index) where conflict.choices.indices.contains(index):
            "\(subject): \(RecordWords.value(conflict.choices[index].value))"
        case .value(let value): "\(subject): \(RecordWords.value(value))"
        case .removed: "\(subject): removed"
        default: "\(subject): as it is shown"
        }
    }

    /// What it is about, in a line.
    var heading: String {
        switch conflict.kind {
        case .value: return "\(subject): \(conflict.choices.count) values"
        case .moved: return "\(subject): moved to different places"
        case .deletedRecord: return "\(subject): deleted on one device and changed on another; it is kept"
        case .removedElement: return "\(subject): removed on one device and changed on another; it is kept"
        case .oneSided: return "\(subject): only one side has it; it is kept"
        case .repaired: return "\(subject): \(conflict.explanation ?? "mended")"
        }
    }

    /// A heading and the choices, numbered as `resolve --take` has them.
    func lines(_ clock: LocalClock) -> [String] {
        guard conflict.kind == .value else { return [heading] }
        return [heading]
            + conflict.choices.enumerated().map { index, choice in
                let shown = choice.isShown ? ", shown" : ""
                let device = RecordWords.device(choice.device)
                let moment = RecordWords.moment(choice.milliseconds, clock)
                return "  \(index + 1)  \(RecordWords.value(choice.value))  (\(device), \(moment)\(shown))"
            }
    }

    /// Whether somebody can decide it; what was mended ends with what does not go together.
    var canBeDecided: Bool { conflict.kind != .repaired }

    var json: JSONValue {
        var object = RecordWords.json(conflict.name)
        object["kind"] = .string(conflict.kind.rawValue)
        object["path"] = .array(conflict.path.map { .string($0) })
        object["choices"] = .array(conflict.choices.enumerated().map { Self.json($0.offset + 1, $0.element) })
        object["explanation"] = conflict.explanation.map { .string($0) } ?? .null
        return .object(object)
    }

    private static func json(_ number: Int, _ choice: RecordConflict.Choice) -> JSONValue {
        var object: JSONObject = ["number": .number(JSONNumber(number))]
        // A member that is not there says that the value was removed; null is a value.
        object["value"] = choice.value
        object["device"] = choice.device.map { .object($0.json) } ?? .null
        object["time"] = RecordWords.json(moment: choice.milliseconds)
        object["shown"] = .bool(choice.isShown)
        return .object(object)
    }
}
