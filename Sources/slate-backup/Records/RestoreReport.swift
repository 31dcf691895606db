internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

/// The result of restoring one record, done or planned.
struct RestoreReport {
    let record: FoundRecord
    let file: String
    let asOf: String?
    let database: String
    let printer: PlanPrinter

    private var title: String { "\(record.kind) \"\(record.title)\"" }

    func show(_ plan: SlateImportPlan, upgrades: Bool) {
        let heading = "\(title), as it was in \(file)\(asOf.map { " (\($0))" } ?? ""):"
        let upgrade = upgrades ? [Messages.upgraded(SlateFormat.currentVersion)] : []
        printer.show([heading] + plan.parts.flatMap(lines) + upgrade)
    }

    private func lines(_ part: SlateImportPlan.Part) -> [String] {
        guard case .table(let table) = part.part else { return [] }
        return SlateImportPlan.Verb.allCases.compactMap { verb in
            // The result names days by what becomes of their flag; that a day's row stays says nothing of it.
            guard part.count(verb) > 0, table != .dayPlan || verb != .keep else { return nil }
            let titles = part.actions.filter { $0.verb == verb }.compactMap(\.title)
            let names = titles.map { " \"\(TerminalText.cut($0, to: Words.nameColumns))\"" }.joined(separator: ",")
            return "  \(verb.rawValue) \(Words.count(part.count(verb), table.noun))\(names)"
        }
    }

    func ask(_ plan: SlateImportPlan, upgrades: Bool) throws(CommandFailure) {
        guard !plan.isEmpty else { return }
        let upgrade = upgrades ? ", and upgrade the database to version \(SlateFormat.currentVersion)" : ""
        try printer.require(Messages.restoreQuestion(title, database, upgrade))
    }

    func finish(_ result: SlateImportResult, upgrades: Bool, isDone: Bool) throws(CommandFailure) {
        var line = Messages.same(title, database)
        if !result.plan.isEmpty {
            line = Messages.restored(title, isDone: isDone) + result.perfectDayWords(isDone: isDone, most: 5)
            if !isDone { line += Messages.nothingChanged }
        }
        if let copy = result.safetyBackup {
            line += Messages.keptCopy(copy.path)
        }
        try printer.finish(
            line,
            [
                "dryRun": .bool(!isDone),
                "file": .string(file),
                "asOf": asOf.map { .string($0) } ?? .null,
                "database": .string(database),
                "kind": .string(record.kind),
                "id": .string(record.id),
                "title": .string(record.title),
                "changed": .bool(!result.plan.isEmpty),
                "upgrades": .bool(upgrades),
                "tables": .array(result.plan.parts.map(json)),
                "perfectDays": result.perfectDayList,
                "safetyCopy": result.safetyBackup.map { .string($0.path) } ?? .null,
            ]
        )
    }

    private func json(_ part: SlateImportPlan.Part) -> JSONValue {
        var object: JSONObject = ["table": .string(part.part.name)]
        for verb in SlateImportPlan.Verb.allCases { object[verb.rawValue] = .number(part.count(verb)) }
        object["same"] = .number(part.unchanged)
        return .object(object)
    }
}
