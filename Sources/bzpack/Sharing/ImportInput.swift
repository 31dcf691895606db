internal import BZTimer
internal import FormatKit
internal import Slate
internal import StrictJSON

/// A file that is imported.
struct ImportInput {
    let reading: ParseResult<BztimerFile>
    let file: BztimerFile

    /// The members that the file's writer did not know.
    var unsaid: Set<String> { reading.documentVersion?.unknownToWriter ?? [] }

    /// Returns notes on unknown members of the top level that the store does not keep, as nothing of the file is added.
    ///
    /// - Parameters:
    ///   - plan: The plan of the file.
    ///   - stored: What the store keeps with its sessions.
    func envelopeNotes(_ plan: ImportPlan, stored: [JSONObject]) -> [Diagnostic] {
        guard plan.sessions.isEmpty, plan.activities.isEmpty else { return [] }
        guard plan.count(.skip) + plan.count(.update) > 0 else { return [] }
        return plan.envelope.members.filter { member in
            !stored.contains { $0[member.name] == member.value }
        }.map { member in
            let pointer = JSONPointer(tokens: [member.name])
            return Diagnostic(
                .note,
                code: "envelope.skipped",
                message: "\"\(member.name)\" is not stored, as what the store has already does not take it",
                file: reading.name,
                position: reading.position(of: reading.origin(pointer)),
                pointer: reading.origin(pointer)
            )
        }
    }
}
