internal import CivilTime
internal import CommandSupport
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// The result of an import, done or planned, for people and programs.
final class ImportReport {
    /// The number of actions of a kind that are listed unless more are asked for.
    private static let few = 5

    private let file: String
    let printer: PlanPrinter
    private let isDryRun: Bool
    private let isVerbose: Bool
    private var isShown = false

    init(file: String, printer: PlanPrinter, isDryRun: Bool, isVerbose: Bool) {
        self.file = file
        self.printer = printer
        self.isDryRun = isDryRun
        self.isVerbose = isVerbose
    }

    /// Shows the plan.
    func show(_ plan: TrackerImportPlan) {
        var lines = ["\(file):"]
        for subject in TrackerImportAction.Subject.allCases {
            for verb in TrackerImportAction.Verb.allCases where plan.count(verb, subject) > 0 {
                let kept = plan.actions.filter { $0.verb == verb && $0.subject == subject }
                let listed = kept.prefix(isVerbose ? .max : Self.few)
                lines += listed.map(Self.line)
                let rest = plan.count(verb, subject) - listed.count
                if rest > 0 { lines.append("  … and \(rest) more to \(verb.rawValue)") }
            }
        }
        lines += (plan.notes + plan.remarks).map { "  note: \($0)" }
        if lines.count == 1 { lines.append(Messages.nothingToImport) }
        printer.show(lines)
        // Name the refused entries with --quiet, too.
        if Printing.current.isQuiet, !isDryRun { StandardError.write(refusals(plan)) }
        isShown = true
    }

    private func refusals(_ plan: TrackerImportPlan) -> String {
        let refused = plan.actions.filter { $0.verb == .refuse }
        var lines = refused.prefix(100).map(Self.line)
        let total = TrackerImportAction.Subject.allCases.reduce(0) { $0 + plan.count(.refuse, $1) }
        if total > lines.count { lines.append("  … and \(total - lines.count) more to refuse") }
        return lines.map { TerminalText.safe("\(file):\($0.dropFirst())") + "\n" }.joined()
    }

    /// Says what was done, or would be.
    ///
    /// - Parameter store: The path of a store of one of the apps.
    func finish(
        _ result: TrackerImportResult,
        _ report: FileReport,
        store: (TimeLogStore.Kind) throws(CommandFailure) -> String
    ) throws(CommandFailure) {
        let plan = result.plan
        if !isShown { show(plan) }
        let isStudy = plan.count(.create, .session) + plan.count(.create, .event) > 0
        let summary = summary(plan, report, into: try store(isStudy ? .study : .tracker))
        try printer.finish(summary, json(result, report))
    }

    private static func line(_ action: TrackerImportAction) -> String {
        let start = action.start.map { " of \($0)" } ?? ""
        let place = action.place.description
        let at = place.isEmpty ? "" : " (at \(place))"
        let name = TerminalText.cut(action.name, to: 60)
        return "  \(action.verb.rawValue) \(action.subject.rawValue) \"\(name)\"\(start): \(action.reason)\(at)"
    }

    private func summary(_ plan: TrackerImportPlan, _ report: FileReport, into store: String) -> String {
        let subjects = TrackerImportAction.Subject.allCases
        let created = subjects.filter { plan.count(.create, $0) > 0 }.map {
            Words.count(plan.count(.create, $0), $0.rawValue)
        }
        let place = isDryRun ? "" : " into \(store)"
        let what = created.isEmpty ? "nothing new" : created.joined(separator: ", ") + place
        var text = "\(isDryRun ? "Would import" : "Imported") \(what)"
        func count(_ verb: TrackerImportAction.Verb) -> Int { subjects.reduce(0) { $0 + plan.count(verb, $1) } }
        let parts: [(TrackerImportAction.Verb, String)] = [
            (.update, "changed"), (.skip, "skipped, as the store has them"),
            (.conflict, "kept as the store has them (--update takes the file's)"), (.refuse, "refused"),
        ]
        text += parts.filter { count($0.0) > 0 }.map { "; \(count($0.0)) \($0.1)" }.joined()
        if report.leftOut.count > 0 { text += "; \(Words.count(report.leftOut.count, report.leftOut.noun)) left out" }
        return text + "."
    }

    private func json(_ result: TrackerImportResult, _ report: FileReport) -> JSONValue {
        let plan = result.plan
        return [
            "dryRun": .bool(isDryRun),
            "applied": .bool(result.isApplied),
            "file": .string(file),
            "findings": .number(report.total),
            "diagnostics": DiagnosticRenderer().json(report.diagnostics),
            "leftOut": .number(report.leftOut.count),
            "counts": .object(counts(plan)),
            "notes": .array((plan.notes + plan.remarks).map { .string($0) }),
            "actions": .array(plan.actions.map(Self.json)),
            "actionsNotListed": .number(plan.dropped),
        ]
    }

    /// Returns the number of each kind of action for each kind of record.
    private func counts(_ plan: TrackerImportPlan) -> JSONObject {
        var all = JSONObject()
        for subject in TrackerImportAction.Subject.allCases {
            var counts = JSONObject()
            for verb in TrackerImportAction.Verb.allCases {
                counts[verb.rawValue] = .number(plan.count(verb, subject))
            }
            all[subject.rawValue] = .object(counts)
        }
        return all
    }

    private static func json(_ action: TrackerImportAction) -> JSONValue {
        [
            "action": .string(action.verb.rawValue),
            "subject": .string(action.subject.rawValue),
            "name": .string(action.name),
            "id": action.id.map { .string($0) } ?? .null,
            "startTime": action.start.map { .string($0.description) } ?? .null,
            "reason": .string(action.reason),
            "place": .string(action.place.description),
        ]
    }
}
