internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

/// The result of an import of presets, done or planned, for people and programs.
struct PresetImportReport {
    let readings: [ParseResult<PresetFile>]
    let plans: [ImportPlan]
    /// The path of the store.
    let store: String
    let isDryRun: Bool
    let allowsDuplicates: Bool
    /// The file with what the store held before presets were replaced; nil where none were.
    let safetyCopy: SafetyCopy?

    var text: String {
        var lines: [String] = []
        for (reading, plan) in zip(readings, plans) {
            lines.append("\(reading.name ?? "") (version \(reading.version ?? 0)):")
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
            "files": .array(zip(readings, plans).map { file($0, $1) }),
            "summary": [
                "presetsCreated": .number(count(.create)),
                "presetsUpdated": .number(count(.update)),
                "skipped": .number(count(.skip)),
                "repaired": .number(repairs),
            ],
            "safetyCopy": safetyCopy.map { .string($0.path) } ?? .null,
        ]
    }

    private var summary: String {
        let place = isDryRun || count(.create) + count(.update) == 0 ? "" : " into \(store)"
        var text = "\(isDryRun ? "Would import" : "Imported") \(Words.count(count(.create), "preset"))\(place)"
        if count(.update) > 0 {
            let updated = Words.count(count(.update), "preset")
            let alone = isDryRun ? "Would update \(updated)" : "Updated \(updated) in \(store)"
            text = count(.create) == 0 ? alone : "\(text); \(updated) updated"
        }
        if repairs > 0 { text += "; \(Words.count(repairs, "repair"))" }
        if count(.skip) > 0 {
            text +=
                "; \(count(.skip)) skipped, as the store has the same\(allowsDuplicates ? "" : " (--allow-duplicates adds them)")"
        }
        return text + "."
    }

    private var repairs: Int { readings.reduce(0) { $0 + $1.repairCount } }

    private func count(_ verb: ImportAction.Verb) -> Int { plans.reduce(0) { $0 + $1.count(verb) } }

    private func file(_ reading: ParseResult<PresetFile>, _ plan: ImportPlan) -> JSONValue {
        [
            "file": .string(reading.name ?? ""),
            "version": .number(reading.version ?? 0),
            "repairs": .number(reading.repairCount),
            "actions": .array(plan.actions.map { $0.json(isDryRun: isDryRun) }),
        ]
    }
}
