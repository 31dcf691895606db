internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Bring one task or habit back from a backup.",
            discussion: """
                Brings back what belongs to it as well: its plans and log, a habit's completions, the tasks that it waits \
                for. Everything else stays. All is done at once; a copy of the database is kept, and slate-backup undo goes \
                back to it. Any part of the title that fits one record will do: \
                slate-backup restore Slate-20260105.json passport
                """
        )

        @OptionGroup var options: EditOptions
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Argument(help: "The backup, or a copy of the database.", completion: .file())
        var file: String

        @Argument(help: ArgumentHelp("The task or habit.", valueName: "name|id"))
        var name: String

        func run() throws { try options.run { try restore() } }

        private func restore() throws {
            let localClock = try options.zone.clock()
            let now = try options.clock.moment(in: localClock)
            let path = try options.database.resolvedPath()
            let excluded = options.database.excluded
            _ = try options.database.reading()
            let stored = try RecordSource.open(path, excluding: excluded, options.output) { try $0.found() }
            let (record, asOf, json) = try RecordSource.open(file, excluding: excluded, options.output) { source in
                let record = try NameChoice("task or habit", try source.found(), id: \.id, name: \.title)(name)
                let extract = RecordExtract(record, of: source, into: stored)
                return (record, source.asOf, try extract.document(now: localClock.text(of: now)))
            }
            let reading = SlateFormat.read(json.encoded(.compact), name: file)
            guard let content = reading.content else {
                throw CommandFailure(.badData, Messages.unusableRecord, diagnostics: reading.diagnostics)
            }
            var importing = SlateImportOptions(
                mode: .merge,
                parts: RecordExtract.parts,
                today: localClock.day(of: now),
                moment: now
            )
            importing.reason = .beforeRestore
            let printer = PlanPrinter(output: options.output, confirmation: confirmation, isDryRun: dryRun)
            let report = RestoreReport(record: record, file: file, asOf: asOf, database: path, printer: printer)
            let result = dryRun ? try rehearse(content, importing, path) : try apply(content, importing, report)
            if dryRun { report.show(result.plan) }
            try report.finish(result, isDone: !dryRun)
        }

        private func rehearse(
            _ content: SlateContent,
            _ options: SlateImportOptions,
            _ path: String
        ) throws -> SlateImportResult {
            let folder = try TemporaryFolder()
            defer { withExtendedLifetime(folder) {} }
            let scratch = "\(folder.path)/slate.db"
            let excluded = Set(self.options.database.excluded)
            return try SlateDatabase.rehearsing(path, at: scratch, content, options, excluding: excluded)
        }

        private func apply(
            _ content: SlateContent,
            _ options: SlateImportOptions,
            _ report: RestoreReport
        ) throws -> SlateImportResult {
            let (database, upgrades) = try self.options.database.writing(mustExist: true)
            let progress = ProgressLine()
            progress.show("Restoring")
            defer { progress.end() }
            return try database.importing(content, options) { plan in
                progress.end()
                report.show(plan)
                try report.ask(plan, upgrades: upgrades)
            }
        }
    }
}
