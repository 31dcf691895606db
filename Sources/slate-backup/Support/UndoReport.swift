internal import CivilTime
internal import BZTimer
internal import CommandSupport
internal import Slate
internal import StrictJSON

/// The result of an undo, done or planned, and the copies to go back to.
struct UndoReport {
    /// The database as the person named it.
    let database: String
    let printer: PlanPrinter

    /// Shows the plan.
    func show(_ plan: SlateSafetyBackups.UndoPlan) {
        let headings = ["NOW", "THEN", "COME BACK", "GO AWAY", "CHANGE", "NEWER NOW"]
        var table = TextTable([.left("TABLE")] + headings.map { .right($0) })
        for name in SlateTable.allCases {
            let changes = plan.changes?[name]
            let counts = [changes?.added, changes?.removed, changes?.changed, changes?.newer].map {
                $0.map(String.init) ?? "?"
            }
            table.add([name.name, "\(plan.now[name] ?? 0)", "\(plan.then[name] ?? 0)"] + counts)
        }
        let head = "\(database) becomes the copy of \(plan.copy.moment), made \(plan.copy.reason.words):"
        var lines = [head] + table.render(width: Terminal.columns).split(separator: "\n").map(String.init)
        for name in SlateTable.allCases { if let line = goingAway(plan.changes?[name], name) { lines.append(line) } }
        lines += (plan.members ?? []).map { DiffReport.text($0) }
        let newer = plan.changes?.values.reduce(0) { $0 + $1.newer } ?? 0
        if newer > 0 {
            lines.append(
                "\(Words.count(newer, "row")) that changed since then \(newer == 1 ? "goes" : "go") back to what was."
            )
        }
        printer.show(lines)
    }

    /// The rows of a table that go away, by their titles; nil where there is none with a title.
    private func goingAway(_ changes: SlateChanges?, _ table: SlateTable) -> String? {
        guard let changes, !changes.removedTitles.isEmpty else { return nil }
        let titles = changes.removedTitles.map { "\"\(TerminalText.cut($0, to: Words.nameColumns))\"" }
        return Messages.goAway(titles, of: changes.removed, table.name)
    }

    /// Warns where a change that was interrupted may be newer than the one that is undone.
    func warn(_ plan: SlateSafetyBackups.UndoPlan) {
        guard let copy = plan.interrupted else { return }
        StandardError.write(TerminalText.safe(Messages.interrupted(copy.path, copy.reason.words)) + "\n")
    }

    /// Says what was done, or would be.
    ///
    /// - Parameters:
    ///   - isDone: Whether it was done.
    ///   - safetyCopy: The copy of the state before; nil where there was no database.
    func finish(
        _ plan: SlateSafetyBackups.UndoPlan,
        isDone: Bool,
        safetyBackup: SlateSafetyBackup? = nil
    ) throws(CommandFailure) {
        let interrupted: JSONValue = plan.interrupted.map { json($0) } ?? .null
        try printer.finish(
            isDone
                ? Messages.undone(database, kept: safetyBackup?.path)
                : Messages.wouldGoBack(plan.copy.path),
            [
                "dryRun": .bool(!isDone),
                "database": .string(database),
                "copy": json(plan.copy),
                "rowsNow": rows(plan.now).json,
                "rowsThen": rows(plan.then).json,
                "changes": plan.changes.map { changes in .array(SlateTable.allCases.map { json(changes[$0], $0) }) }
                    ?? .null,
                "members": plan.members.map { .array($0.map(DiffReport.json)) } ?? .null,
                "interrupted": interrupted,
                "safetyCopy": safetyBackup.map { .string($0.path) } ?? .null,
            ]
        )
    }

    /// Lists copies.
    func list(_ copies: [SlateSafetyBackup]) throws(CommandFailure) {
        var table = TextTable([.fixed("MADE"), .left("REASON"), .left("STATE"), .fixed("FILE")])
        for copy in copies { table.add([copy.moment.description, copy.reason.words, copy.state.words, copy.path]) }
        let none = TerminalText.safe(Messages.noCopies(database)) + "\n"
        try printer.output.print(
            copies.isEmpty ? none : table.render(),
            ["database": .string(database), "copies": .array(copies.map(json))]
        )
    }

    private func rows(_ counts: [SlateTable: Int]) -> [(table: String, rows: Int)] {
        SlateTable.allCases.map { ($0.name, counts[$0] ?? 0) }
    }

    private func json(_ changes: SlateChanges?, _ table: SlateTable) -> JSONValue {
        let number = { (value: Int?) in JSONValue.number(value ?? 0) }
        return [
            "table": .string(table.name), "comeBack": number(changes?.added), "goAway": number(changes?.removed),
            "change": number(changes?.changed), "newerNow": number(changes?.newer),
            "titlesGone": .array((changes?.removedTitles ?? []).map { .string($0) }),
        ]
    }

    private func json(_ copy: SlateSafetyBackup) -> JSONValue {
        [
            "file": .string(copy.path),
            "made": .string(copy.moment.description),
            "reason": .string(copy.reason.rawValue),
            "used": .bool(copy.isUsed),
            "interrupted": .bool(copy.state == .pending),
        ]
    }
}

extension SlateSafetyBackup.State {
    /// The state in words; nothing for one that is as it should be.
    var words: String {
        switch self {
        case .pending: "interrupted"
        case .done: ""
        case .used: "used"
        }
    }
}

extension SlateSafetyBackup.Reason {
    /// The change before which the copy was made, in words.
    var words: String {
        switch self {
        case .beforeImport: "before an import"
        case .beforeUndo: "before an undo"
        case .beforeRestore: "before a restore"
        case .beforeRollover: "before a rollover"
        case .beforeUpgrade: "before an upgrade"
        }
    }
}
