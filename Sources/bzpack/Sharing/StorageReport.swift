internal import BZTimer
internal import CommandSupport
internal import RecordStore
internal import StrictJSON

/// The result of an import from a phone's storage, done or planned, for people and programs.
struct StorageReport {
    let storage: AsyncStorage
    let reading: BztimerStorageReading
    let plan: StorageImportPlan
    /// The path of the store.
    let store: String
    let isDryRun: Bool
    let allowsDuplicates: Bool

    /// True if the store differs from the storage in more than identifiers.
    var hasFindings: Bool {
        plan.content.count(.refuse) > 0 || plan.content.count(.remap, .category) > 0 || plan.expiredHistory > 0
            || leavesSettings
    }

    /// The reason why nothing at all was imported, where the plan of the store is the reason.
    var refusal: String? {
        guard plan.content.count(.refuse) > 0, plan.content.sessions.isEmpty, plan.content.activities.isEmpty,
            plan.history.isEmpty, plan.settings == nil
        else { return nil }
        return plan.content.actions.first { $0.verb == .refuse }?.reason
    }

    /// True if the storage has settings that are not imported.
    private var leavesSettings: Bool { reading.settings != nil && plan.settings == nil }

    var text: String {
        var lines = plan.content.actions.map { "\($0)" }
        if plan.settings != nil { lines.append("create settings: the store has none of its own") }
        if leavesSettings { lines.append("skip settings: the store has its own") }
        if !plan.history.isEmpty { lines.append("create history: \(Words.count(plan.history.count, "entry"))") }
        if plan.skippedHistory > 0 {
            lines.append("skip history: \(Words.count(plan.skippedHistory, "entry")), as the store has the same")
        }
        if plan.expiredHistory > 0 {
            lines.append(
                "skip history: \(Words.count(plan.expiredHistory, "entry")) older than the history that is kept"
            )
        }
        if !plan.removedHistory.isEmpty {
            let count = Words.count(plan.removedHistory.count, "entry")
            lines.append("remove history: \(count) of the store, older than the history that is kept")
        }
        let body = lines.map { TerminalText.safe("  \($0)") + "\n" }.joined()
        return Self.keys(storage, reading) + body + TerminalText.safe(summary) + "\n"
    }

    /// Returns lines with the result of reading each key.
    static func keys(_ storage: AsyncStorage, _ reading: BztimerStorageReading) -> String {
        var lines = ["\(storage.path) (\(layout(storage.layout))):"]
        for part in reading.parts {
            var line = "  \(part.key.rawValue): \(part.state.rawValue)"
            if let name = part.name, name != part.key.rawValue { line += " as \(name)" }
            if part.state == .found {
                line +=
                    ", \(part.records) \(part.key == .settings ? "of \(part.records + part.leftOut) members" : "read")"
            }
            if part.leftOut > 0 { line += ", \(part.leftOut) left out" }
            lines.append(line)
        }
        lines.append("  other keys: \(storage.otherKeys)")
        return lines.map { TerminalText.safe($0) + "\n" }.joined()
    }

    var json: JSONValue {
        [
            "dryRun": .bool(isDryRun),
            "storage": [
                "path": .string(storage.path),
                "layout": .string(storage.layout.rawValue),
                "keys": .array(reading.parts.map(Self.json)),
                "otherKeys": .number(storage.otherKeys),
            ],
            "actions": .array(plan.content.actions.map { $0.json(isDryRun: isDryRun) }),
            "settings": reading.settings == nil ? .null : .string(plan.settings == nil ? "skip" : "create"),
            "history": [
                "created": .number(plan.history.count),
                "skipped": .number(plan.skippedHistory),
                "expired": .number(plan.expiredHistory),
                "removed": .number(plan.removedHistory.count),
            ],
        ]
    }

    private static func json(_ part: BztimerStorageReading.Part) -> JSONValue {
        [
            "key": .string(part.key.rawValue),
            "name": part.name.map { .string($0) } ?? .null,
            "state": .string(part.state.rawValue),
            "records": .number(part.records),
            "leftOut": .number(part.leftOut),
        ]
    }

    private static func layout(_ layout: AsyncStorage.Layout) -> String {
        switch layout {
        case .catalystLocalStorage, .storage: "Android, table \(layout.rawValue)"
        case .folder: "iOS"
        }
    }

    private var summary: String {
        let content = plan.content
        var parts = [Words.count(content.sessions.count, "session")]
        if !content.activities.isEmpty { parts.append(Words.count(content.activities.count, "activity")) }
        if !plan.history.isEmpty { parts.append(Words.count(plan.history.count, "history entry")) }
        if plan.settings != nil { parts.append("the settings") }
        let isNothing = content.sessions.isEmpty && parts.count == 1
        let place = isDryRun || isNothing ? "" : " into \(store)"
        var text = "\(isDryRun ? "Would import" : "Imported") \(parts.joined(separator: ", "))\(place)"
        if content.count(.remap) > 0 { text += "; \(content.count(.remap)) remapped" }
        if content.count(.skip) > 0 {
            let hint =
                content.count(.skip, .session) > 0 && !allowsDuplicates ? " (--allow-duplicates adds sessions)" : ""
            text += "; \(content.count(.skip)) skipped, as the store has the same\(hint)"
        }
        if content.count(.refuse) > 0 { text += "; \(content.count(.refuse)) refused" }
        return text + "."
    }
}
