internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import StrictJSON

extension SlateBackup {
    struct BackupStatus: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show the last good backup: where it lies, its age and size.",
            discussion: """
                Counts what "backup" wrote, by hand or by its schedule, what "export" wrote into the folder of these backups, \
                and what verify --store was given. A backup is good where it was checked, when it was written or by verify, \
                and its bytes are still the same. \
                Ends with 3 where there is none, where it is older than a week, or where a newer one is gone or has changed.
                """
        )

        @OptionGroup var database: LocationOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let store = try database.resolvedPath()
            let backups = try BackupNotes()?.backups(of: store) ?? StoreBackups()
            let health = BackupHealth(backups, now: try clock.moment(), isThorough: true)
            let advice = Self.advice(health)
            var json = health.json.object ?? JSONObject()
            json["store"] = .string(store)
            json["schedule"] = backups.schedule?.json ?? .null
            json["advice"] = advice.map { .string($0) } ?? .null
            json.sort(first: ["store", "good", "isOld", "lost", "schedule", "advice"])
            try output.print(Self.text(health, backups.schedule, advice), .object(json))
            try (health.isFine ? ExitStatus.success : .findings).finish()
        }

        private static func text(_ health: BackupHealth, _ schedule: ScheduleNote?, _ advice: String?) -> String {
            var lines: [String] = []
            if let good = health.good {
                lines = [
                    "Last good backup: \(good.file)",
                    "Made:     \(good.createdAt) (\(health.ageWords))",
                    "Checked:  \(good.verifiedAt)",
                    "Holds:    \(Words.count(good.records, "row")), \(Words.count(good.size, "byte"))",
                ]
            } else {
                lines.append(Messages.noneGood)
            }
            let every = schedule.map { "\($0.every) into \($0.folder), by \($0.scheduler)" }
            lines.append(
                "Schedule: \(every ?? ProgramNames.asCalled(Messages.noSchedule))"
            )
            lines += health.lost.map { "\($0.note.file) \($0.reason)." }
            if health.isOld { lines.append(Messages.olderThanAWeek) }
            if let advice { lines.append(Messages.makeNew(advice)) }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        /// Returns the command that helps; nil where nothing is wrong.
        private static func advice(_ health: BackupHealth) -> String? {
            health.isFine ? nil : ProgramNames.asCalled("slate-backup backup\(StoreArgument.repeated)")
        }
    }
}
