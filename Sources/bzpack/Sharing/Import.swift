internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import StrictJSON

extension Bzpack {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the sessions of .bztimer and .bzpack files to the store.",
            discussion: """
                Importing is free. All files are read and checked before anything is changed, and all changes are made at \
                once. On the Free plan custom categories become "Uncategorized", and a store takes up to 5 sessions and 20 \
                activities. Ends with 0, with 3 where a category was changed, something was refused or there are warnings, \
                with 65 or 66 where a file cannot be used and nothing was changed, with 77 where everything was refused. From \
                a phone's storage history comes along, and settings into a new store; what is damaged is left out and named.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption
        @OptionGroup var keys: DecryptionOptions

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @OptionGroup var duplicates: DuplicatesOption

        @Flag(
            help: """
                Replace the session of the same id or name, as of a corrected file; it keeps what the file does not \
                have, and what takes another value is named.
                """
        )
        var update = false

        @Option(
            help: ArgumentHelp(
                "Import what a phone's AsyncStorage holds: an Android database, or the folder of an iPhone.",
                valueName: "path"
            ),
            completion: .file()
        )
        var fromStorage: String?

        @Argument(
            help: "The files; - is the standard input.",
            completion: .file(extensions: ["bztimer", "bzpack", "json"])
        )
        var files: [String] = []

        func validate() throws {
            if update, duplicates.isAllowed || fromStorage != nil {
                throw ValidationError(Messages.updateExcludes)
            }
            guard files.isEmpty == (fromStorage == nil) else { return }
            throw ValidationError(Messages.inputExpected)
        }

        func run() throws {
            if let fromStorage {
                return try StorageImport(
                    path: fromStorage,
                    store: store,
                    output: output,
                    now: try clock.moment(),
                    isDryRun: dryRun,
                    allowsDuplicates: duplicates.isAllowed
                ).run()
            }
            try InputPaths.check(files)
            let (inputs, status) = try read()
            let (plans, lost, safety) = dryRun ? try plan(inputs) : try apply(inputs)
            StandardError.write(DiagnosticRenderer().render(lost))
            let added = duplicates.isAllowed
            let report = ImportReport(
                inputs: inputs,
                plans: plans,
                store: try store.resolvedPath(),
                isDryRun: dryRun,
                allowsDuplicates: added,
                safetyCopy: safety
            )
            try output.report(report.text, report.json, isDryRun: dryRun || report.refusal != nil)
            if let refusal = report.refusal { throw CommandFailure(.needsPro, refusal) }
            if report.hasFindings || status != .success { throw ExitStatus.findings.exitCode }
        }

        /// Reads all files and returns the most severe of their states; throws after the findings of all of them.
        private func read() throws(CommandFailure) -> (inputs: [ImportInput], status: ExitStatus) {
            var inputs: [ImportInput] = []
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            ProgressLine().forEach(files, "Reading", "files") { path in
                for (report, reading) in BztimerInput.find(path).files {
                    StandardError.write(report.text)
                    reports.append(report)
                    json.append(report.json(version: reading?.version))
                    if let reading, let file = reading.content {
                        inputs.append(ImportInput(reading: reading, file: file))
                    }
                }
            }
            guard reports.allSatisfy(\.isUsable) else {
                output.noteFailure(json)
                throw CommandFailure(reports.worst, Messages.nothingImported)
            }
            return (inputs, reports.worst)
        }

        /// The plans, the members at the files' top level that nothing of theirs takes into the store, and the file
        /// with what the store held before sessions were replaced.
        private typealias Planned = (plans: [ImportPlan], lost: [Diagnostic], safety: SafetyCopy?)

        private func plan(_ inputs: [ImportInput]) throws -> Planned {
            guard let store = try store.readingIfPresent() else {
                let empty = ImportState(settings: TimerSettings(), sessions: [], activities: [])
                return (plan(inputs, empty), [], nil)
            }
            return try store.read { try plan(inputs, $0) }
        }

        private func apply(_ inputs: [ImportInput]) throws -> Planned {
            let (path, now) = (try store.resolvedPath(), try clock.moment())
            let opened = try store.writing(mustExist: false)
            let (done, safety) = try Backups.changing(opened) { records, safety in
                let planned = try plan(inputs, records)
                if planned.plans.contains(where: { !$0.replacements.isEmpty }) {
                    safety = try Backups.writeSafetyCopy(records, of: opened, at: path, now: now)
                }
                for plan in planned.plans { try records.apply(plan) }
                return planned
            }
            return (done.plans, done.lost, safety)
        }

        private func plan(_ inputs: [ImportInput], _ records: BztimerRecords) throws -> Planned {
            let stored = try records.envelopedSessions()
            let state = ImportState(
                settings: try records.settings(),
                sessions: stored.map(\.record),
                activities: try records.activities(),
                taken: try records.takenIds()
            )
            let plans = plan(inputs, state)
            let lost = zip(inputs, plans).flatMap { $0.envelopeNotes($1, stored: stored.map(\.envelope)) }
            return (plans, lost, nil)
        }

        private func plan(_ inputs: [ImportInput], _ state: ImportState) -> [ImportPlan] {
            var state = state
            if !duplicates.isAllowed {
                for input in inputs { state.meet(input.file, unsaid: input.unsaid) }
            }
            return inputs.map { input in
                ImportPlan(
                    importing: input.file,
                    into: &state,
                    allowsDuplicates: duplicates.isAllowed,
                    updates: update,
                    derivesIds: true,
                    unsaid: input.unsaid,
                    origin: input.reading.origin,
                    newID: newIdentifier
                )
            }
        }
    }
}
