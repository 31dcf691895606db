internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

extension Bzpack.PresetGroup {
    struct Import: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "import",
            abstract: "Add the presets of files to the store.",
            discussion: """
                A file is JSON, or the property list in which iOS and macOS keep the settings of GymPulse, told by its content. \
                All files are read and checked before anything is changed, and all changes are made at once. Ends with 0, \
                with 3 where there are warnings or repairs, with 65 or 66 where a file cannot be used and nothing was changed.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be done, and do nothing.")
        var dryRun = false

        @OptionGroup var duplicates: DuplicatesOption

        @Flag(help: "Replace the preset of the same id or name, as of a changed file; it keeps unknown members.")
        var update = false

        @Flag(help: "Correct corrupt data as the app does, and list each repair.")
        var repair = false

        @Argument(help: "The files; - is the standard input.", completion: .file(extensions: ["json", "plist"]))
        var files: [String]

        func validate() throws {
            if update, duplicates.isAllowed { throw ValidationError(Messages.updateExcludesDuplicates) }
        }

        func run() throws {
            try InputPaths.check(files)
            let (readings, status) = try read()
            let (plans, safety) = dryRun ? (try plan(readings), nil) : try apply(readings)
            let report = PresetImportReport(
                readings: readings,
                plans: plans,
                store: try store.resolvedPath(),
                isDryRun: dryRun,
                allowsDuplicates: duplicates.isAllowed,
                safetyCopy: safety
            )
            try output.report(report.text, report.json, isDryRun: dryRun)
            if status != .success { throw ExitStatus.findings.exitCode }
        }

        /// Reads all files and returns the most severe of their states; throws after the findings of all of them.
        private func read() throws(CommandFailure) -> (readings: [ParseResult<PresetFile>], status: ExitStatus) {
            var readings: [ParseResult<PresetFile>] = []
            var reports: [FileReport] = []
            var json: [JSONValue] = []
            for path in files {
                let (report, reading) = PresetInput.read(path, repair: repair)
                StandardError.write(report.text)
                reports.append(report)
                json.append(report.json(version: reading?.version))
                if let reading, reading.isValid { readings.append(reading) }
            }
            guard readings.count == files.count else {
                output.noteFailure(json)
                throw CommandFailure(reports.worst, Messages.nothingImported)
            }
            return (readings, reports.worst)
        }

        private func plan(_ readings: [ParseResult<PresetFile>]) throws -> [ImportPlan] {
            guard let store = try store.readingIfPresent() else {
                return plan(readings, PresetImportState(presets: []))
            }
            return try store.read { plan(readings, try state($0)) }
        }

        /// Returns the plans, and the file with what the store held before presets were replaced.
        private func apply(_ readings: [ParseResult<PresetFile>]) throws -> (plans: [ImportPlan], safety: SafetyCopy?) {
            let (path, now) = (try store.resolvedPath(), try clock.moment())
            let opened = try store.writing(mustExist: false)
            let (plans, safety) = try Backups.changing(opened) { records, safety in
                let plans = plan(readings, try state(records))
                if plans.contains(where: { !$0.presetReplacements.isEmpty }) {
                    safety = try Backups.writeSafetyCopy(records, of: opened, at: path, now: now)
                }
                for plan in plans { try records.apply(plan) }
                return plans
            }
            return (plans, safety)
        }

        private func state(_ records: BztimerRecords) throws -> PresetImportState {
            PresetImportState(presets: try records.presets(), taken: try records.takenIds())
        }

        /// Returns the members that the file's writer did not know: the switches of sound and voice in a bare list.
        private func unsaid(_ reading: ParseResult<PresetFile>) -> Set<String> {
            reading.documentVersion?.unknownToWriter ?? []
        }

        private func plan(_ readings: [ParseResult<PresetFile>], _ state: PresetImportState) -> [ImportPlan] {
            var state = state
            if !duplicates.isAllowed {
                for reading in readings {
                    if let file = reading.content { state.meet(file, unsaid: unsaid(reading)) }
                }
            }
            return readings.compactMap { reading in
                reading.content.map { file in
                    ImportPlan(
                        importing: file,
                        into: &state,
                        allowsDuplicates: duplicates.isAllowed,
                        updates: update,
                        unsaid: unsaid(reading),
                        origin: reading.origin,
                        newID: newIdentifier
                    )
                }
            }
        }
    }
}
