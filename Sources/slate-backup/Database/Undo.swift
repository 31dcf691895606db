internal import ArgumentParser
internal import CommandSupport
internal import Slate

extension SlateBackup {
    struct Undo: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "undo",
            abstract: "Undo the last import, restore or rollover.",
            discussion: """
                Each of them keeps a copy of the database in the folder NAME.safety beside it; the last ten stay. Each undo \
                goes back one further. The state before each of the last ten undos is kept as well: --copy goes back to \
                any of them.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("Go back to this copy.", valueName: "file"), completion: .file())
        var copy: String?

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Flag(help: "List the copies, the newest first, and change nothing.")
        var list = false

        func run() throws {
            let path = try database.resolvedPath()
            try output.reporting(on: path) { try undo(path) }
        }

        private func undo(_ path: String) throws {
            let copies = SlateSafetyBackups.copies(of: path)
            let report = UndoReport(
                database: path,
                printer: PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            )
            if list { return try report.list(copies) }
            let chosen = try copy.map { try select($0, copies, of: path) }
            let now = try clock.moment()
            do {
                let result = try SlateSafetyBackups.undo(path, to: chosen, moment: now) { plan in
                    report.warn(plan)
                    report.show(plan)
                    if dryRun { throw Planned(plan: plan) }
                    try report.printer.require(Messages.goBackQuestion(plan.copy.path))
                }
                try report.finish(result.plan, isDone: true, safetyBackup: result.safetyBackup)
            } catch let planned as Planned {
                try report.finish(planned.plan, isDone: false)
            }
        }

        /// Ends a dry run once the plan is made.
        private struct Planned: Error {
            let plan: SlateSafetyBackups.UndoPlan
        }

        /// Returns the copy of that path or name.
        private func select(
            _ wanted: String,
            _ copies: [SlateSafetyBackup],
            of path: String
        ) throws(CommandFailure) -> SlateSafetyBackup {
            let name = wanted.split(separator: "/").last.map(String.init) ?? wanted
            guard let found = copies.first(where: { $0.path == wanted || $0.path.hasSuffix("/\(name)") }) else {
                throw CommandFailure(.noInput, Messages.noCopy("\(wanted)", path))
            }
            return found
        }
    }
}
