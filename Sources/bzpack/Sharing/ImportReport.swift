internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import StrictJSON

/// The result of an import, done or planned, for people and programs.
struct ImportReport {
    let inputs: [ImportInput]
    let plans: [ImportPlan]
    /// The path of the store.
    let store: String
    let isDryRun: Bool
    let allowsDuplicates: Bool
    /// The file with what the store held before sessions were replaced; nil where none were.
    let safetyCopy: SafetyCopy?

    /// True if the store differs from the files in more than identifiers.
    var hasFindings: Bool { count(.refuse) > 0 || count(.remap, .category) > 0 }

    /// The reason why nothing at all was imported, where the plan of the store is the reason.
    var refusal: String? {
        guard count(.refuse) > 0, count(.create, .session) == 0, count(.create, .activity) == 0, count(.update) == 0
        else { return nil }
        return plans.flatMap(\.actions).first { $0.verb == .refuse }?.reason
    }

    var text: String {
        var lines: [String] = []
        for (input, plan) in zip(inputs, plans) {
            lines.append("\(input.reading.name ?? "") (version \(input.reading.version ?? 0)):")
            lines += plan.actions.map { "  \($0)" }
            if plan.actions.isEmpty { lines.append("  nothing to import") }
        }
        lines.append(summary)
        if let safetyCopy { lines.append(safetyCopy.undo) }
        return lines.map { TerminalText.safe($0) + "\n" }.joined()
    }

    var json: JSONValue {
        [
            "dryRun": .bool(isDryRun),
            "files": .array(zip(inputs, plans).map { file($0, $1) }),
            "summary": [
                "sessionsCreated": .number(count(.create, .session)),
                "sessionsUpdated": .number(count(.update, .session)),
                "activitiesCreated": .number(count(.create, .activity)),
                "categoriesAdded": .number(count(.create, .category)),
                "remapped": .number(count(.remap)),
                "skipped": .number(count(.skip)),
                "refused": .number(count(.refuse)),
            ],
            "safetyCopy": safetyCopy.map { .string($0.path) } ?? .null,
        ]
    }

    private var summary: String {
        var parts = [Words.count(count(.create, .session), "session")]
        if count(.create, .activity) > 0 { parts.append(Words.count(count(.create, .activity), "activity")) }
        if count(.create, .category) > 0 { parts.append(Words.count(count(.create, .category), "custom category")) }
        let place = isDryRun || count(.create) + count(.update) == 0 ? "" : " into \(store)"
        var text = "\(isDryRun ? "Would import" : "Imported") \(parts.joined(separator: ", "))\(place)"
        if count(.update) > 0 {
            let updated = Words.count(count(.update, .session), "session")
            if count(.create) == 0 {
                text = "\(isDryRun ? "Would update" : "Updated") \(updated)\(isDryRun ? "" : " in \(store)")"
            } else {
                text += "; \(updated) updated"
            }
        }
        if count(.remap) > 0 { text += "; \(count(.remap)) remapped" }
        if count(.skip) > 0 {
            let hint = count(.skip, .session) > 0 && !allowsDuplicates ? " (--allow-duplicates adds sessions)" : ""
            text += "; \(count(.skip)) skipped, as the store has the same\(hint)"
        }
        if count(.refuse) > 0 { text += "; \(count(.refuse)) refused" }
        return text + "."
    }

    private func count(_ verb: ImportAction.Verb, _ subject: ImportAction.Subject? = nil) -> Int {
        plans.reduce(0) { $0 + $1.count(verb, subject) }
    }

    private func file(_ input: ImportInput, _ plan: ImportPlan) -> JSONValue {
        [
            "file": .string(input.reading.name ?? ""),
            "version": .number(input.reading.version ?? 0),
            "actions": .array(plan.actions.map { $0.json(isDryRun: isDryRun) }),
        ]
    }
}
