internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Rollover: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rollover",
            abstract: "Plan the unfinished tasks of the last plan for today.",
            discussion: """
                Takes the open tasks of the last day that had a plan, as the app does when it is opened on a new day; none \
                that is planned or scheduled for a later day, or was taken out of today's plan. A database of version 1 \
                has no log that tells what was taken out: there it is planned again. Does nothing where the app was opened \
                today. The earlier plan stays. A copy of the database is kept, and slate-backup undo goes back to it.
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var confirmation: ConfirmationOption

        @Flag(help: "Say what would be planned, and do nothing.")
        var dryRun = false

        func run() throws { try options.run { try rollover() } }

        private func rollover() throws {
            let printer = PlanPrinter(output: options.output, confirmation: confirmation, isDryRun: dryRun)
            let localClock = try options.zone.clock()
            let now = try options.clock.moment(in: localClock)
            guard !dryRun else {
                let (today, tasks) = try options.reading { ($1, try $0.agenda(today: $1).leftOver) }
                show(tasks, printer)
                return try printer.finish(Self.line(tasks, today, isDone: false), json(tasks, today, nil))
            }
            let database = try options.database.writing(mustExist: true).database
            let done = try database.rollover(now: now, clock: localClock, newID: EditOptions.newID) { today, tasks in
                show(tasks, printer)
                if !tasks.isEmpty {
                    try printer.require(Messages.planQuestion(tasks.count, today.words))
                }
            }
            let copy = done.safetyBackup.map { Messages.keptCopy($0.path) }
            let line = Self.line(done.tasks, done.today, isDone: true) + (copy ?? "")
            try printer.finish(line, json(done.tasks, done.today, done.safetyBackup))
        }

        private func show(_ tasks: [SlateTask], _ printer: PlanPrinter) {
            printer.show(tasks.map { "  \(TerminalText.cut($0.title, to: Words.nameColumns))" })
        }

        private static func line(_ tasks: [SlateTask], _ today: CivilDay, isDone: Bool) -> String {
            guard !tasks.isEmpty else {
                return
                    "No unfinished tasks in the last plan before today, or the app was open since. Nothing was changed."
            }
            let what = "\(Words.count(tasks.count, "task")) for \(today.words)."
            return isDone ? "Planned \(what)" : "Would plan \(what) Nothing was changed."
        }

        private func json(_ tasks: [SlateTask], _ today: CivilDay, _ copy: SlateSafetyBackup?) -> JSONValue {
            [
                "dryRun": .bool(dryRun),
                "today": .string(today.description),
                "tasks": .array(tasks.map(\.json)),
                "safetyCopy": copy.map { .string($0.path) } ?? .null,
            ]
        }
    }
}
