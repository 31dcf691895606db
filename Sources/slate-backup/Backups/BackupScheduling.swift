internal import ArgumentParser
internal import CommandSupport
internal import FileSystem
internal import StrictJSON

extension SlateBackup {
    struct BackupScheduling: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "schedule",
            abstract: "Back up every day or every week by itself.",
            discussion: """
                Sets a timer of systemd up where your systemd runs, a line of cron elsewhere, and on macOS an agent of \
                launchd. It runs "backup run", which backs up, proves the backup and removes old ones. What will be written \
                is shown first. There is one schedule: that of another database ends where a new one is set up. Where the \
                machine has none of these, the command shows what to add where, and ends with 3.
                """
        )

        enum Interval: String, EnumerableFlag { case daily, weekly }

        @OptionGroup var database: DatabaseOption
        @OptionGroup var place: BackupPlace
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Every day (the default), or every week.")
        var interval: Interval = .daily

        @Flag(help: "Remove the schedule.")
        var off = false

        @Flag(help: "Show what would be written, and write nothing.")
        var dryRun = false

        func run() throws {
            let store = ResolvedPath(try database.resolvedPath()).text
            let scheduler = Scheduler.present
            if off { return try remove(store, scheduler) }
            let folder = try place.folder(of: store)
            let timing = BackupTiming(isWeekly: interval == .weekly, command: try command(store, folder))
            guard scheduler != .none else { return try explain(timing, folder) }
            let plan = try timing.plan(scheduler)
            if let file = plan.files.first(where: \.isForeign) {
                throw CommandFailure(.cannotCreate, Messages.foreignTimer(file.path))
            }
            let others = try Self.scheduled(by: scheduler, besides: store)
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            printer.show(others.map(Messages.endsSchedule) + plan.lines(isOff: false))
            if !dryRun {
                try printer.require(Messages.setUpQuestion)
                try BackupPlace.make(folder)
                try carryOut(plan)
                let note = ScheduleNote(
                    every: interval.rawValue,
                    folder: folder,
                    keep: place.keep,
                    scheduler: scheduler.rawValue
                )
                try BackupNotes()?.setSchedule(note, of: store, by: scheduler.rawValue)
            }
            let what = "\(interval.rawValue) into \(folder), by \(scheduler.rawValue)"
            let linger = scheduler == .systemd ? Messages.alsoLoggedOut : ""
            let line = Messages.scheduled(what, linger, isDryRun: dryRun)
            try printer.finish(line, json(scheduler, timing, folder, plan, others, isDone: !dryRun))
        }

        /// Returns the command that the schedule runs.
        ///
        /// - Throws: 64 for a name with a line end, as its rest would be a job of its own.
        private func command(_ store: String, _ folder: String) throws(CommandFailure) -> [String] {
            let program = OtherProgram.own
            let words = program.hasSuffix("/slate-backup") ? [program] : [program, "slate"]
            let keep = place.keep.map { ["--keep", "\($0)"] } ?? []
            let excluded = database.excluded.flatMap { ["--exclude", $0] }
            let command = words + ["backup", "run", "--store", store, "--to", folder] + keep + excluded
            for word in command where word.unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            {
                throw CommandFailure(.usage, Messages.controlCharacter(word))
            }
            return command
        }

        private func carryOut(_ plan: SchedulePlan) throws {
            for command in plan.commandsBefore { _ = OtherProgram.run(command) }
            for file in plan.files {
                try BackupPlace.make(String(OutputFile(file.path).folder.dropLast()))
                try OutputFile(file.path).write(Array(file.text.utf8))
            }
            if let table = plan.table { try CronTable.write(table) }
            try run(plan.commands)
        }

        private func run(_ commands: [[String]]) throws(CommandFailure) {
            for command in commands {
                let done = OtherProgram.run(command)
                guard done.status == 0 else {
                    let words = command.joined(separator: " ")
                    throw CommandFailure(.inputOutput, Messages.ended(words, done.status, done.errors.oneLine))
                }
            }
        }

        /// Returns the other databases that have a schedule by the scheduler, which takes one.
        private static func scheduled(
            by scheduler: Scheduler,
            besides store: String
        ) throws(CommandFailure) -> [String] {
            try BackupNotes()?.scheduledStores(by: scheduler.rawValue).filter { $0 != store } ?? []
        }

        /// - Throws: 64 where the schedule is that of another database.
        private func remove(_ store: String, _ scheduler: Scheduler) throws {
            let plan = try BackupTiming.removal(scheduler)
            let others = plan.isEmpty ? [] : try Self.scheduled(by: scheduler, besides: store)
            let own = try BackupNotes()?.backups(of: store).schedule
            if let other = others.first, own?.scheduler != scheduler.rawValue {
                throw CommandFailure(.usage, Messages.otherSchedule(other))
            }
            if let file = plan.files.first(where: \.isForeign) {
                throw CommandFailure(.usage, Messages.foreignFile(file.path))
            }
            let printer = PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun)
            printer.show(others.map(Messages.endsSchedule) + plan.lines(isOff: true))
            if !dryRun {
                if !plan.isEmpty { try printer.require(Messages.removeScheduleQuestion) }
                for command in plan.commandsBefore { _ = OtherProgram.run(command) }
                for file in plan.files {
                    try FolderListing(OutputFile(file.path).folder).remove([
                        String(file.path.dropFirst(OutputFile(file.path).folder.count))
                    ])
                }
                if let table = plan.table { try CronTable.write(table) }
                try run(plan.commands)
                if plan.isEmpty {
                    try BackupNotes()?.update(store) { $0.schedule = nil }
                } else {
                    try BackupNotes()?.setSchedule(nil, of: store, by: scheduler.rawValue)
                }
            }
            let line = Messages.unscheduled(isEmpty: plan.isEmpty, isDryRun: dryRun)
            try printer.finish(line, json(scheduler, nil, nil, plan, others, isDone: !dryRun && !plan.isEmpty))
        }

        /// Says what to add where, as this machine has nothing that the command could set up.
        private func explain(_ timing: BackupTiming, _ folder: String) throws {
            let text = """
                Neither systemd for users nor cron is there: systemctl --user does not answer, and there is no crontab.
                Let whatever starts programs here run this every \(interval == .daily ? "day" : "week"):
                  \(timing.command.map(ShellText.quoted).joined(separator: " "))
                With cron installed, this is the line for "crontab -e":
                  \(CronTable.line(timing))

                """
            try output.print(
                text.split(separator: "\n").map { TerminalText.safe(String($0)) + "\n" }.joined(),
                json(.none, timing, folder, SchedulePlan(), [], isDone: false)
            )
            throw ExitStatus.findings.exitCode
        }

        private func json(
            _ scheduler: Scheduler,
            _ timing: BackupTiming?,
            _ folder: String?,
            _ plan: SchedulePlan,
            _ others: [String],
            isDone: Bool
        ) -> JSONValue {
            [
                "dryRun": .bool(dryRun),
                "applied": .bool(isDone),
                "scheduler": .string(scheduler.rawValue),
                "every": timing == nil ? .null : .string(interval.rawValue),
                "folder": folder.map { .string($0) } ?? .null,
                "ends": .array(others.map { .string($0) }),
                "command": .array(timing?.command.map { .string($0) } ?? []),
                "files": .array(
                    plan.files.map { ["path": .string($0.path), "text": off ? .null : .string($0.text)] }
                ),
                "crontab": .array((plan.table ?? []).filter(CronTable.isOwn).map { .string($0) }),
                "commands": .array((plan.commandsBefore + plan.commands).map { .string($0.joined(separator: " ")) }),
            ]
        }
    }
}
