internal import AppFormats
internal import AppStores
internal import CommandSupport
internal import StrictJSON

/// What an undo does, or did, and what there is to go back to.
struct UndoReport {
    /// The database as the person named it.
    let database: String
    let printer: PlanPrinter

    /// Shows the plan.
    func show(_ plan: SlateSafety.UndoPlan) {
        var table = TextTable([.left("TABLE"), .right("NOW"), .right("THEN")])
        for (now, then) in zip(rows(plan.now), rows(plan.then)) {
            table.add([now.table, "\(now.rows)", "\(then.rows)"])
        }
        let head = "\(database) becomes the copy of \(plan.copy.moment), made \(words(plan.copy.reason)):"
        printer.show([head] + table.render().split(separator: "\n").map(String.init))
    }

    /// Says what was done, or would be.
    ///
    /// - Parameters:
    ///   - isDone: Whether it was done.
    ///   - safetyCopy: The copy of the state before; nil where there was no database.
    func finish(
        _ plan: SlateSafety.UndoPlan,
        isDone: Bool,
        safetyCopy: SlateSafetyCopy? = nil
    ) throws(CommandFailure) {
        let before = safetyCopy.map { " Until now it was what is kept in \($0.path)." } ?? ""
        try printer.finish(
            isDone
                ? "\(database) is what it was.\(before)"
                : "Would go back to \(plan.copy.path). Nothing was changed.",
            [
                "dryRun": .bool(!isDone),
                "database": .string(database),
                "copy": json(plan.copy),
                "rowsNow": rows(plan.now).json,
                "rowsThen": rows(plan.then).json,
                "safetyCopy": safetyCopy.map { .string($0.path) } ?? .null,
            ]
        )
    }

    /// Lists copies.
    func list(_ copies: [SlateSafetyCopy]) throws(CommandFailure) {
        var table = TextTable([.left("MADE"), .left("REASON"), .left("USED"), .left("FILE")])
        for copy in copies { table.add([copy.moment, words(copy.reason), copy.isUsed ? "yes" : "", copy.path]) }
        let none = TerminalText.safe("There are no copies of \(database).") + "\n"
        try printer.output.print(
            copies.isEmpty ? none : table.render(),
            ["database": .string(database), "copies": .array(copies.map(json))]
        )
    }

    private func rows(_ counts: [SlateTable: Int]) -> [(table: String, rows: Int)] {
        SlateTable.allCases.map { ($0.name, counts[$0] ?? 0) }
    }

    private func json(_ copy: SlateSafetyCopy) -> JSONValue {
        [
            "file": .string(copy.path),
            "made": .string(copy.moment),
            "reason": .string(copy.reason.rawValue),
            "used": .bool(copy.isUsed),
        ]
    }

    private func words(_ reason: SlateSafetyCopy.Reason) -> String {
        switch reason {
        case .beforeImport: "before an import"
        case .beforeUndo: "before an undo"
        }
    }
}
