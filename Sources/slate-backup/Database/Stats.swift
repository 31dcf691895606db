internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Stats: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "stats",
            abstract: "Show rows, tasks, streaks and perfect days.",
            discussion: """
                Days are local days that begin at day_start, by default 04:00. A streak counts back from today, and is 0 \
                until the habit is done today. Perfect days are those before today that are marked so, and today where all \
                active habits are done. --week, --month and --from add what was done in a period, and how that compares with \
                the same number of days before; the days of a habit begin with its creation and end with today. Ends with 3 \
                where day_start is no time of the day.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var period: PeriodOptions
        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Argument(help: "A backup to show instead of the database.", completion: .file())
        var file: String?

        func run() throws {
            let path = try file ?? database.resolvedPath()
            try output.reporting(on: path) { try show(path) }
        }

        private func show(_ path: String) throws {
            let localClock = try zone.clock()
            let now = try clock.moment(in: localClock)
            let (statistics, report) = try reading { records in
                let statistics = try Statistics(records, now: now, clock: localClock)
                let days = try period.days(today: statistics.today, echo: output.format)
                return (statistics, try days.map { try PeriodReport(records, $0, today: statistics.today, localClock) })
            }
            StandardError.write(DiagnosticRenderer().render(statistics.warnings(file: path)))
            var json = statistics.json
            json["period"] = report?.json ?? .null
            try output.print((report.map { $0.text + "\n" } ?? "") + statistics.text, .object(json))
            if statistics.invalidDayStart != nil { throw ExitStatus.findings.exitCode }
        }

        /// Reads the database, or a backup in a database of its own.
        private func reading<Result>(_ body: (SlateRecords) throws -> Result) throws -> Result {
            guard let file else { return try database.reading().read(body) }
            let excluded = Set(database.excluded)
            if RecordSource.isDatabase(file) {
                return try SlateDatabase(path: file, for: .reading, excluding: excluded).read(body)
            }
            let content = try SlateInput.require(file, output).content
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let purpose = SlateDatabase.Purpose.writing(mustExist: false, upgrading: false)
            let scratch = try SlateDatabase(path: folder.database("slate.db"), for: purpose)
            let day = CivilDay(number: 0)
            _ = try scratch.importing(content, SlateImportOptions(today: day, moment: Timestamp(seconds: 0)))
            return try scratch.read(body)
        }
    }
}
