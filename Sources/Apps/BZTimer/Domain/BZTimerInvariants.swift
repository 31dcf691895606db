internal import RecordMerge
internal import StrictJSON

/// BZ Timer: history loses the session that went.
struct BZTimerInvariants: MergeInvariants {
    let references = [Reference("history", "sessionId", to: "sessions", loss: .cleared)]

    func enforce(_ set: inout ResolvedSet) {
        for key in set.keys("history") {
            guard let session = set.records.objects[key]?["sessionId"]?.string,
                !set.exists(RecordKey("sessions", session))
            else { continue }
            set.records.objects[key]?["sessionId"] = .null
        }
    }

    /// Returns the links of a record: a history entry sees whether its session exists.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        switch key.collection {
        case "sessions": return RecordLinks(names: [RecordLinks.Name("sessions/\(key.key)")])
        case "history":
            let session = shown.object["sessionId"]?.string
            return RecordLinks(references: session.map { ["sessions/\($0)"] } ?? [])
        default: return RecordLinks()
        }
    }
}
