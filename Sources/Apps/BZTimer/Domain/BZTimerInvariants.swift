internal import FormatKit
internal import RecordMerge
internal import StrictJSON

/// BZ Timer: history loses the session that went, and a category has one spelling in the settings.
struct BZTimerInvariants: MergeInvariants {
    let references = [Reference("history", "sessionId", to: "sessions", loss: .cleared)]
    let thinned: Set<String> = [settings]

    private static let settings = "settings"
    private static let categories = "customCategories"

    func enforce(_ set: inout ResolvedSet) {
        for key in set.keys("history") {
            guard let session = set.records.objects[key]?["sessionId"]?.string,
                !set.exists(RecordKey("sessions", session))
            else { continue }
            set.records.objects[key]?["sessionId"] = .null
        }
        for key in set.keys(Self.settings) {
            guard let object = set.records.objects[key] else { continue }
            for (member, elements) in leftOut(of: key, object) {
                let kept = object[member]?.array?.filter { !elements.contains($0) }
                set.records.objects[key]?[member] = kept.map { .array($0) }
            }
        }
    }

    /// Returns the further spellings of custom categories: of each the one counts that is the first by its bytes.
    ///
    /// No device leaves out the first spelling that it knows. So a category stays where devices know different spellings.
    func leftOut(of key: RecordKey, _ object: JSONObject) -> [(member: String, elements: [JSONValue])] {
        guard key.collection == Self.settings else { return [] }
        let names = (object[Self.categories]?.array ?? []).compactMap(\.string)
        let spellings = Dictionary(grouping: names, by: CategoryKey.init).values.filter { $0.count > 1 }
        let others = spellings.flatMap { names in
            names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }.dropFirst().map(JSONValue.string)
        }
        return others.isEmpty ? [] : [(Self.categories, others)]
    }

    /// Returns the links of a record: a history entry sees whether its session exists.
    func links(_ key: RecordKey, _ shown: ResolvedRecord) -> RecordLinks {
        switch key.collection {
        case "sessions": return RecordLinks(names: [RecordLinks.Name("sessions/\(key.key)")])
        case "history":
            let session = shown.object["sessionId"]?.string
            return RecordLinks(references: session.map { ["sessions/\($0)"] } ?? [])
        // No record has that name. With a reference, the record is not shown as it stands alone.
        case Self.settings where !leftOut(of: key, shown.object).isEmpty: return RecordLinks(references: ["categories"])
        default: return RecordLinks()
        }
    }
}
