internal import AppFormats
internal import AppStores
internal import ArgumentParser
internal import CommandSupport
internal import StrictJSON

extension Bzpack {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add the sessions of .bztimer files to the store.",
            discussion: """
                Importing is free. All files are read and checked before anything is changed, and all changes are made at \
                once. On the Free plan custom categories become "Uncategorized", and a store takes up to 5 sessions and 20 \
                activities. Ends with 0, with 3 where a category was changed or something was refused, with 65 or 66 where \
                a file cannot be used and nothing was changed, with 77 where everything was refused.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @Flag(help: "Add sessions even where the store has the same already.")
        var again = false

        @Argument(help: "The files; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var files: [String]

        func run() throws {
            let inputs = try read()
            let plans = dryRun ? try plan(inputs) : try apply(inputs)
            let report = ImportReport(inputs: inputs, plans: plans, isDryRun: dryRun)
            try output.print(report.text, report.json)
            if let refusal = report.refusal { throw CommandFailure(.needsPro, refusal) }
            if report.hasFindings { throw ExitStatus.findings.exitCode }
        }

        /// All files, or an error after the findings of all of them.
        private func read() throws(CommandFailure) -> [ImportInput] {
            var inputs: [ImportInput] = []
            var reports: [FileReport] = []
            for path in files {
                let (report, reading) = BztimerInput.read(path)
                StandardError.write(report.text)
                reports.append(report)
                if let reading, let file = reading.file { inputs.append(ImportInput(reading: reading, file: file)) }
            }
            guard inputs.count == files.count else {
                throw CommandFailure(reports.worst, "nothing was imported")
            }
            return inputs
        }

        private func plan(_ inputs: [ImportInput]) throws -> [ImportPlan] {
            guard let store = try store.readingIfPresent() else {
                return plan(inputs, ImportState(settings: TimerSettings(), sessions: [], activities: []))
            }
            return plan(inputs, try store.read { try state($0) })
        }

        private func apply(_ inputs: [ImportInput]) throws -> [ImportPlan] {
            try store.writing(mustExist: false).write { records in
                let plans = plan(inputs, try state(records))
                for plan in plans { try records.apply(plan) }
                return plans
            }
        }

        private func state(_ records: BztimerRecords) throws -> ImportState {
            ImportState(
                settings: try records.settings(),
                sessions: try records.sessions(),
                activities: try records.activities()
            )
        }

        private func plan(_ inputs: [ImportInput], _ state: ImportState) -> [ImportPlan] {
            var state = state
            return inputs.map { input in
                ImportPlan(
                    importing: input.file,
                    into: &state,
                    again: again,
                    origin: input.reading.origin,
                    newID: newIdentifier
                )
            }
        }
    }
}

/// A file that is imported.
struct ImportInput {
    let reading: BztimerReading
    let file: BztimerFile
}
