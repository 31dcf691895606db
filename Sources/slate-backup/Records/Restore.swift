internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate

extension SlateBackup {
    struct Restore: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "restore",
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
            let restoration = try RecordRestoration(
                from: file,
                into: options.database,
                now: now,
                clock: localClock,
                output: options.output
            ) { try choice(from: $0, $1) }
            let printer = PlanPrinter(output: options.output, confirmation: confirmation, isDryRun: dryRun)
            let (record, asOf) = (restoration.record, restoration.asOf)
            let report = RestoreReport(record: record, file: file, asOf: asOf, database: path, printer: printer)
            let result = try dryRun ? restoration.dryRun() : apply(restoration, report)
            let upgrades = restoration.isIntoOlder && result.isChange
            if dryRun { report.show(result.plan, upgrades: upgrades) }
            try report.finish(result, upgrades: upgrades, isDone: !dryRun)
        }

        private func choice(from records: [FoundRecord], _ stored: [FoundRecord]) throws -> FoundRecord {
            do {
                return try named(in: records)
            } catch let error as CommandFailure where error.status == .noInput {
                guard let known = try? named(in: stored) else {
                    throw CommandFailure(.noInput, "\(file): \(error.message ?? "")")
                }
                // It may have been renamed since.
                let then = records.first { $0.table == known.table && $0.id == known.id }
                throw CommandFailure(.noInput, Messages.notInBackup(file, name, known.title, then: then))
            }
        }

        private func named(in records: [FoundRecord]) throws -> FoundRecord {
            try NameChoice("task or habit", plural: "tasks or habits", records, id: \.id, name: \.title)(name)
        }

        private func apply(_ restoration: RecordRestoration, _ report: RestoreReport) throws -> SlateImportResult {
            let progress = ProgressLine()
            progress.show("Restoring")
            defer { progress.end() }
            return try restoration.apply { plan in
                progress.end()
                report.show(plan, upgrades: restoration.isIntoOlder && !plan.isEmpty)
                try report.ask(plan, upgrades: restoration.isIntoOlder)
            }
        }
    }
}
