internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// The choice of a person in a conflict, as the command line has it.
enum Taking: Equatable {
    /// The value that is shown.
    case shown
    /// The only choice that is not shown.
    case other
    /// Nothing: a record or an element that was deleted here and changed there goes.
    case removed
    /// A choice by its number, from 1 on.
    case number(Int)
    /// Another value.
    case value(JSONValue)
    /// Another value as a person typed it, which is read by what the member holds.
    case typed(String)
    /// The value that this device wrote.
    case mine
    /// The value that another device wrote; of several the latest.
    case theirs
    /// The value that a device wrote, by the device's name or identifier.
    case device(String)

    /// Makes the choice of the argument of `--choose`; nil where it is none.
    init?(_ text: String) {
        switch text {
        case "shown": self = .shown
        case "other": self = .other
        case "removed": self = .removed
        default:
            if !text.isEmpty, text.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) {
                guard let number = Int(text), number > 0 else { return nil }
                self = .number(number)
                return
            }
            guard let value = try? JSONDocument(parsing: text).root.value else { return nil }
            self = .value(value)
        }
    }

    /// Makes the choice of the argument of `--all`.
    init(all text: String) {
        switch text {
        case "mine": self = .mine
        case "theirs": self = .theirs
        case "shown": self = .shown
        default: self = .device(text)
        }
    }

    /// Returns the decision that the choice means for a conflict.
    ///
    /// - Parameter this: The identifier of this device.
    /// - Returns: Nil where the conflict has no such choice, and for a typed value, which ``TypedValue`` reads.
    func decision(of conflict: RecordConflict, this: String) -> ConflictDecision.Value? {
        let choices = conflict.choices
        guard conflict.kind == .value else {
            // Of a deletion that met a change, of a move, and of what was mended, there are no values to choose from.
            let isDeletion = conflict.kind == .deletedRecord || conflict.kind == .removedElement
            switch self {
            case .shown: return .shown
            case .removed: return isDeletion ? .removed : nil
            default: return side(of: conflict, this)
            }
        }
        func choice(_ indices: [Int]) -> ConflictDecision.Value? { indices.first.map { .choice($0) } }
        func indices(_ isWanted: (RecordConflict.Choice) -> Bool) -> [Int] {
            choices.indices.filter { isWanted(choices[$0]) }
        }
        switch self {
        case .shown: return .shown
        case .removed: return nil
        case .other:
            let others = indices { !$0.isShown }
            return others.count == 1 ? choice(others) : nil
        case .number(let number): return choices.indices.contains(number - 1) ? choice([number - 1]) : nil
        case .value(let value): return .value(value)
        case .typed: return nil
        case .mine: return choice(latest(indices { $0.device?.id == this }, choices))
        case .theirs: return choice(latest(indices { $0.device.map { $0.id != this } ?? false }, choices))
        case .device(let name):
            return choice(latest(indices { $0.device.map { $0.id == name || $0.name == name } ?? false }, choices))
        }
    }

    /// Returns the decision for the side that the choice means: who removed, or who changed.
    private func side(of conflict: RecordConflict, _ this: String) -> ConflictDecision.Value? {
        let sides = conflict.sides.filter { side in
            guard let device = side.device else { return false }
            switch self {
            case .mine: return device.id == this
            case .theirs: return device.id != this
            case .device(let name): return device.id == name || device.name == name
            default: return false
            }
        }
        return sides.max { $0.milliseconds < $1.milliseconds }.map { $0.isRemoval ? .removed : .shown }
    }

    private func latest(_ indices: [Int], _ choices: [RecordConflict.Choice]) -> [Int] {
        indices.sorted { (choices[$0].milliseconds, $1) > (choices[$1].milliseconds, $0) }
    }
}

/// The conflicts that a person means.
struct ConflictFilter {
    /// The record; nil for any.
    var record: RecordName?
    /// The beginning of the place, names joined by `/`.
    var member: String?
    /// The record and no other, as a page names it.
    var key: RecordKey?
    /// The conflict as a person saw it: its ``ConflictReport/fingerprint``.
    var fingerprint: String?
    /// Some conflicts as a person saw them: their ``ConflictReport/fingerprint``s; nil for any.
    var fingerprints: Set<String>?

    /// Tells whether a conflict is meant.
    func includes(_ conflict: RecordConflict) -> Bool {
        if let key, RecordKey(conflict.name.collection, conflict.name.key) != key { return false }
        if let fingerprint, ConflictReport.fingerprint(conflict) != fingerprint { return false }
        if let fingerprints, !fingerprints.contains(ConflictReport.fingerprint(conflict)) { return false }
        if let record, record.collection != conflict.name.collection || record.key != conflict.name.key { return false }
        guard let member else { return true }
        // What changes together may be called by any of its members.
        var paths = [conflict.path] + conflict.members.map { conflict.path.dropLast() + [$0] }
        // So may an element of a list by what it is known by.
        if let element = conflict.element { paths += paths.map { [$0[0], element] + $0.dropFirst(2) } }
        return paths.contains { names in
            let path = names.joined(separator: "/")
            return path == member || path.hasPrefix(member + "/")
        }
    }
}
