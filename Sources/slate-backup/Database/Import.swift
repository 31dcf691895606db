internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Bring a backup into the database.",
            discussion: """
                Reads .json, .slatebackup, and JSON inside any zip, tar or compressed file. The file is checked whole \
                before anything is changed; a copy of the database is kept, and slate-backup undo goes back to it. All \
                changes are made at once, read again and compared. Without a file, the newest backup of the folder --from \
                that verifies and is not dated in the future is taken. Where the folder has backups of other databases, which \
                share hardly any task or habit, one that shares those of this database is taken; with none, it stops. --verbose lists 20 rows of each kind of change in each table, \
                not five of those with a title. Ends with 0, with 3 where there are warnings or repairs, with 65 or 66 where the \
                file cannot be used and nothing was changed.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var extent: ImportExtent
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Flag(
            help: """
                Correct what the checks find in the file beyond the schema: duplicates, references that lead nowhere, \
                circles; end circles that a merge would make.
                """
        )
        var repair = false

        @Option(
            help: ArgumentHelp("Take the newest backup of this folder that verifies.", valueName: "folder"),
            completion: .directory
        )
        var from: String?

        @Argument(
            help: "The file; - is the standard input.",
            completion: .file(extensions: ["json", "slatebackup", "zip"])
        )
        var file: String?

        func run() throws {
            try extent.check()
            let reading = ProgressLine()
            reading.show("Reading the backup")
            let today = try extent.today()
            let chosen = try BackupChoice(file: file, folder: from, into: database, until: today, repair: repair)
            reading.end()
            StandardError.write(DiagnosticRenderer().render(chosen.warnings))
            let found = try SlateInput.require(chosen.read, output, otherwise: refusal(chosen.read))
            var options = try extent.options(for: found.content, into: database)
            options.endsCircles = repair
            let report = ImportReport(
                found: found,
                database: try database.resolvedPath(),
                printer: PlanPrinter(output: output, confirmation: confirmation, isDryRun: dryRun),
                isVerbose: Printing.current.isVerbose
            )
            let result = try dryRun ? plan(found, options, report) : apply(found, options, report)
            let warnings = report.warnings(result, isDone: !dryRun)
            StandardError.write(DiagnosticRenderer().render(warnings))
            let hasFindings = found.report.status != .success || !(chosen.warnings + warnings).isEmpty
            if hasFindings { throw ExitStatus.findings.exitCode }
        }

        /// Returns the message of a refused import, with the way out if there is one.
        private func refusal(_ read: (report: FileReport, input: SlateInput?)) -> String {
            let isMendable = read.report.status == .badData && !repair && file != nil && read.input?.isMendable == true
            return isMendable ? Messages.repairImports : Messages.nothingImported
        }

        private func plan(
            _ found: SlateInput.Required,
            _ options: SlateImportOptions,
            _ report: ImportReport
        ) throws -> SlateImportResult {
            // The import itself, in a copy: what it would refuse is refused here as well.
            let isOlder = try database.readingIfPresent().map { $0.version < SlateFormat.currentVersion } ?? false
            let result = try found.content.dryRun(into: database, options)
            let upgrades = isOlder && result.isChange
            report.show(result.plan, upgrades: upgrades)
            try report.finish(result, upgrades: upgrades, isDone: false)
            return result
        }

        private func apply(
            _ found: SlateInput.Required,
            _ options: SlateImportOptions,
            _ report: ImportReport
        ) throws -> SlateImportResult {
            let (database, upgrades) = try database.writing(mustExist: false)
            let progress = ProgressLine()
            let result = try database.importing(
                found.content,
                options,
                confirm: { plan in
                    progress.end()
                    report.show(plan, upgrades: upgrades && !plan.isEmpty)
                    let recomputes = (options.perfectDays ?? .asProvided) != .asProvided
                    try report.ask(plan, upgrades: upgrades, recomputes: recomputes)
                },
                progress: { progress.show("\($0.step.words), rows:", done: $0.rows, of: found.content.count) }
            )
            progress.end()
            try report.finish(result, upgrades: upgrades && result.isChange, isDone: true)
            return result
        }
    }
}

extension SlateProgress.Step {
    /// The step in words.
    fileprivate var words: String {
        switch self {
        case .compare: "Comparing"
        case .copy: "Keeping a copy"
        case .write: "Writing"
        case .verify: "Reading again"
        }
    }
}
