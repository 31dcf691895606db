internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import StrictJSON
internal import TimeTracker

extension TrackerTool {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Bring a time log into the store.",
            discussion: """
                Reads what tracker-export writes (JSON of both versions, CSV, XML, iCalendar), detailed reports of Toggl, \
                Clockify, Kimai and Harvest, any other calendar, and the export of Apple Health, as XML or in its archive. Of Study Timer: its \
                logs, and the tables sessions and session_history of Supabase as JSON or CSV, both of which are given \
                together. The format is detected automatically. What the store has already is skipped: importing a file twice adds nothing, and an export \
                that overlaps adds what is new. The plan is shown first, and all of it is done at once or nothing. A row of \
                another program that cannot be used is named and left out. --verbose lists up to 1000 actions, not just the first few of each kind. Ends with 0, with 3 where there are warnings or \
                something was left out, with 65 or 66 where the file cannot be used and nothing was changed.
                """
        )

        @OptionGroup var store: AnyStoreOption
        @OptionGroup var entries: EntryOptions
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Flag(help: "Let the file's activities and buttons take the place of those with the same id that differ.")
        var update = false

        @Flag(help: "Correct duplicates, swapped times and several running activities.")
        var repair = false

        @Option(
            help: ArgumentHelp("Read a phone's AsyncStorage, or its database of Study Timer.", valueName: "path"),
            completion: .file()
        )
        var fromStorage: String?

        @Argument(
            help: "The file, or both tables of Study Timer; - is the standard input.",
            completion: .file(extensions: ["json", "csv", "xml", "ics", "zip"])
        )
        var files: [String] = []

        func validate() throws {
            guard files.isEmpty != (fromStorage == nil) else {
                throw ValidationError(Messages.inputExpected)
            }
        }

        func run() throws {
            let files = fromStorage.map { [$0] } ?? self.files
            try InputPaths.check(files)
            let name = files.map { $0 == "-" ? "<stdin>" : $0 }.joined(separator: ", ")
            let result: TrackerImportResult
            let report: FileReport
            do {
                (result, report) = try run(files)
            } catch let stop as Refused {
                StandardError.write(stop.report.text)
                output.noteFailure([stop.report.json(version: stop.version)])
                throw CommandFailure(stop.report.status, Messages.nothingImported)
            } catch let error where !(error is ExitCode) {
                guard let report = FileReport(error, in: name) else { throw error }
                output.noteFailure([report.json(version: nil)])
                StandardError.write(report.text)
                throw CommandFailure(report.status, Messages.nothingImported)
            }
            // From here on the import is done, also where its report cannot be written.
            try self.report(name).finish(result, report, store: store.path)
            if report.status != .success || result.plan.hasFindings { throw ExitStatus.findings.exitCode }
        }
    }
}

extension TrackerImportPlan {
    /// True if something of the file was left out or kept otherwise than the file has it.
    fileprivate var hasFindings: Bool {
        !notes.isEmpty
            || TrackerImportAction.Subject.allCases.contains { count(.refuse, $0) > 0 || count(.conflict, $0) > 0 }
    }
}
