internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// Asks a person about conflicts, one after the other.
final class ConflictAsker {
    private let clock: LocalClock
    /// True if the person still wants to be asked.
    private(set) var isOpen = true

    init(clock: LocalClock) { self.clock = clock }

    /// Gives nil for a conflict that is left as it is.
    func ask(
        _ report: ConflictReport,
        _ typed: TypedValue,
        number: Int,
        of count: Int,
        this: String
    ) throws -> ConflictDecision.Value? {
        let lines = report.lines(clock).map { TerminalText.safe($0) + "\n" }.joined()
        StandardError.write("\n\(number) of \(count)  \(lines)")
        while true {
            StandardError.write("\(Self.question(report.conflict)) ")
            guard let answer = readLine()?.trimmed, answer != "q" else {
                isOpen = false
                return nil
            }
            if ["", "s", "l"].contains(answer) { return nil }
            if let value = decision(answer, report.conflict, typed, this: this) { return value }
        }
    }

    /// Returns the decision of an answer; nil, after a message, if it decides nothing.
    private func decision(
        _ answer: String,
        _ conflict: RecordConflict,
        _ typed: TypedValue,
        this: String
    ) -> ConflictDecision.Value? {
        do throws(TypedValue.Fault) {
            if conflict.kind == .value, ["o", "other"].contains(answer) { return try other(conflict, typed) }
            let taking = answer == "k" ? .shown : answer == "r" ? .removed : Taking(answer)
            if let value = taking?.decision(of: conflict, this: this) {
                if case .value(let value) = value { try typed.check(value, for: conflict) }
                return value
            }
            StandardError.write(Messages.noSuchChoice)
        } catch {
            StandardError.write(TerminalText.safe(error.message) + "\n")
        }
        return nil
    }

    /// Asks for a value; nil where none is typed.
    private func other(
        _ conflict: RecordConflict,
        _ typed: TypedValue
    ) throws(TypedValue.Fault) -> ConflictDecision.Value? {
        let name = conflict.path.last ?? "value"
        StandardError.write(TerminalText.safe("\(name), \(typed.expectation(conflict)): "))
        guard let text = readLine()?.trimmed, !text.isEmpty else { return nil }
        return .value(try typed.read(text, for: conflict))
    }

    static func question(_ conflict: RecordConflict) -> String {
        let count = conflict.choices.count
        switch conflict.kind {
        case .value:
            return Messages.valueQuestion(count)
        case .deletedRecord, .removedElement: return Messages.removalQuestion
        default: return Messages.keepQuestion
        }
    }
}
