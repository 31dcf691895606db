internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import StrictJSON

/// Asks a person about conflicts, one after the other.
final class ConflictAsker {
    private let clock: LocalClock
    /// Whether the person still wants to be asked.
    private(set) var isOpen = true

    init(clock: LocalClock) { self.clock = clock }

    /// Gives nil for a conflict that is left as it is.
    func ask(
        _ report: ConflictReport,
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
            if answer.isEmpty || answer == "l" { return nil }
            let taking = answer == "k" ? .shown : answer == "r" ? .removed : Taking(answer)
            if let value = taking?.decision(of: report.conflict, this: this) { return value }
            StandardError.write("There is no such choice.\n")
        }
    }

    static func question(_ conflict: RecordConflict) -> String {
        switch conflict.kind {
        case .value: "Take which: a number, a value as JSON, l to leave it, q to end?"
        case .deletedRecord, .removedElement: "k to keep it, r to remove it, l to leave it, q to end?"
        default: "k to keep what is shown, l to leave it, q to end?"
        }
    }
}
