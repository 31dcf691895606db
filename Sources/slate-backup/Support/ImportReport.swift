internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

/// The result of an import, done or planned, for people and programs.
struct ImportReport {
    let found: SlateInput.Required
    /// The database as the person named it.
    let database: String
    let printer: PlanPrinter
    /// True if all rows of the plan are listed, those without a title as well.
    let isVerbose: Bool

    /// Shows the plan.
    func show(_ plan: SlateImportPlan, upgrades: Bool) {
        printer.show(lines(plan, upgrades: upgrades))
    }

    /// Asks for consent where something would be changed.
    func ask(_ plan: SlateImportPlan, upgrades: Bool, recomputes: Bool) throws(CommandFailure) {
        guard !plan.isEmpty || upgrades || recomputes else { return }
        var question = "Import \(found.file) into \(database) (\(plan.mode.rawValue): \(changes(plan)))"
        if upgrades { question += ", upgrade the database to version \(SlateFormat.currentVersion) of Slate's tables" }
        if recomputes { question += ", compute perfect days anew" }
        try printer.require(question + "?")
    }

    /// Says what was done, or would be.
    func finish(_ result: SlateImportResult, upgrades: Bool, isDone: Bool) throws(CommandFailure) {
        try printer.finish(last(result, isDone), json(result, upgrades, isDone))
    }

    /// Returns a warning about each dependency that the import ended, or would.
    func warnings(_ result: SlateImportResult, isDone: Bool) -> [Diagnostic] {
        result.endedDependencies.map { ended in
            let message =
                "tasks would depend on each other in a circle: \(ended.circle); \"\(ended.title)\" "
                + (isDone ? "depends on none now" : "would depend on none")
            return Diagnostic(.warning, code: "slate.dependency-cycle", message: message, file: database)
        }
    }

    // MARK: Text

    /// The number of rows of each verb and table that are listed for people; JSON has more.
    private var shownActions: Int { isVerbose ? SlateImportPlan.actionLimit : 5 }

    private func lines(_ plan: SlateImportPlan, upgrades: Bool) -> [String] {
        var lines = ["\(found.title), \(plan.mode.rawValue) into \(database):"]
        var table = TextTable(
            [.left("TABLE")] + SlateImportPlan.Verb.allCases.map { .right($0.rawValue.uppercased()) } + [.right("SAME")]
        )
        for part in plan.parts {
            let counts = SlateImportPlan.Verb.allCases.map { "\(part.count($0))" }
            table.add([part.part.name] + counts + ["\(part.unchanged)"])
        }
        lines += table.render(width: Terminal.columns).split(separator: "\n").map(String.init)
        for part in plan.parts { lines += actions(of: part) }
        if upgrades {
            lines.append(Messages.upgraded(SlateFormat.currentVersion))
        }
        let removed = plan.count(.remove)
        if removed > 0 || plan.newer > 0 {
            lines.append(
                "Replacing removes \(Words.count(removed, "row")) that the file does not have, and overwrites "
                    + "\(plan.newer) that \(plan.newer == 1 ? "is" : "are") newer in the database."
            )
        }
        return lines
    }

    private func actions(of part: SlateImportPlan.Part) -> [String] {
        SlateImportPlan.Verb.allCases.flatMap { verb -> [String] in
            let actions = part.actions(verb, all: isVerbose).prefix(shownActions)
            guard !actions.isEmpty else { return [] }
            let lines = actions.map { action in
                let title = action.title.map { " \"\(TerminalText.cut($0, to: Words.nameColumns))\"" } ?? ""
                return "  \(verb.rawValue) \(part.part.name) \(action.key)\(title): \(action.reason)"
            }
            let rest = part.count(verb) - actions.count
            let hint = isVerbose ? "" : " (--verbose lists up to \(SlateImportPlan.actionLimit))"
            return rest > 0 ? lines + ["  \(verb.rawValue) \(part.part.name): … and \(rest) more\(hint)"] : lines
        }
    }

    private func changes(_ plan: SlateImportPlan) -> String {
        let verbs: [(SlateImportPlan.Verb, String)] = [
            (.create, "created"), (.update, "updated"), (.remove, "removed"), (.keep, "kept"), (.skip, "skipped"),
        ]
        let parts = verbs.compactMap { verb, word in plan.count(verb) > 0 ? "\(plan.count(verb)) \(word)" : nil }
        return parts.isEmpty ? "nothing to change" : parts.joined(separator: ", ")
    }

    private func last(_ result: SlateImportResult, _ isDone: Bool) -> String {
        var text = "\(isDone ? "Imported" : "Would import"): \(changes(result.plan))."
        text += result.perfectDayWords(isDone: isDone, most: isVerbose ? .max : 5)
        if !isDone { text += Messages.nothingChanged }
        guard let copy = result.safetyBackup else { return text }
        return text + Messages.keptCopy(copy.path)
    }

    // MARK: JSON

    private func json(_ result: SlateImportResult, _ upgrades: Bool, _ isDone: Bool) -> JSONValue {
        let plan = result.plan
        return [
            "dryRun": .bool(!isDone),
            "file": .string(found.file),
            "version": .number(found.input.reading.version ?? 0),
            "exportedAt": .string(found.content.exportedAt),
            "database": .string(database),
            "mode": .string(plan.mode.rawValue),
            "upgrades": .bool(upgrades),
            "repairs": .number(found.input.reading.repairCount + result.endedDependencies.count),
            "tables": .array(plan.parts.map(part)),
            "newerOverwritten": .number(plan.newer),
            "changedPerfectDays": .number(result.changedPerfectDays.count),
            "perfectDays": result.perfectDayList,
            "safetyCopy": result.safetyBackup.map { .string($0.path) } ?? .null,
        ]
    }

    private func part(_ part: SlateImportPlan.Part) -> JSONValue {
        var object: JSONObject = ["table": .string(part.part.name)]
        for verb in SlateImportPlan.Verb.allCases { object[verb.rawValue] = .number(part.count(verb)) }
        object["same"] = .number(part.unchanged)
        object["newerOverwritten"] = .number(part.newer)
        object["actions"] = .array(
            part.actions.map { action in
                [
                    "action": .string(action.verb.rawValue),
                    "key": .string(action.key),
                    "title": action.title.map { .string($0) } ?? .null,
                    "reason": .string(action.reason),
                ]
            }
        )
        return .object(object)
    }
}

extension SlateImportResult {
    /// Returns sentences about the days whose flags were changed, or would be; an empty text where there are none.
    ///
    /// - Parameter most: The most days that are named of each kind.
    func perfectDayWords(isDone: Bool, most: Int) -> String {
        guard !changedPerfectDays.isEmpty else { return "" }
        func list(_ label: String, _ days: [SlateDays.PlannedDay]) -> String {
            guard !days.isEmpty else { return "" }
            let more = days.count > most ? " and \(days.count - most) more" : ""
            return " \(label): \(days.prefix(most).map { "\($0.day)" }.joined(separator: ", "))\(more)."
        }
        return " \(Words.count(changedPerfectDays.count, "perfect day")) \(isDone ? "changed" : "would change")."
            + list(isDone ? "Perfect no more" : "No longer perfect then", changedPerfectDays.filter { !$0.isPerfect })
            + list(isDone ? "Perfect now" : "Perfect then", changedPerfectDays.filter(\.isPerfect))
    }

    /// The days whose flags were changed, or would be, as JSON.
    var perfectDayList: JSONValue {
        .array(
            changedPerfectDays.map { ["day": .string($0.day.description), "perfect": .bool($0.isPerfect)] }
        )
    }
}

extension SlateImportPlan.Part {
    /// Returns the first rows of a verb.
    ///
    /// - Parameter all: Whether those are among them that tell a person no more than their number does: new and removed
    ///   rows without a title.
    func actions(_ verb: SlateImportPlan.Verb, all: Bool) -> [SlateImportPlan.Action] {
        let isTelling = all || part == .meta || (verb != .create && verb != .remove)
        return actions.filter { $0.verb == verb && (isTelling || $0.title != nil) }
    }
}
