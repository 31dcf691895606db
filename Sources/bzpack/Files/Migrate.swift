internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import StrictJSON

extension Bzpack {
    struct Migrate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "migrate",
            abstract: "Convert a .bztimer file, or a file of presets, to another version.",
            discussion: """
                What an older version cannot hold is kept under "x-preserved", and a newer one gets it back. Ends with 3 where \
                there are warnings, or something that a reader of the older version will not see. A file that holds what \
                the new one does not hold is replaced only with consent.
                """
        )

        @Option(
            help: ArgumentHelp(
                "The version to write: \(BztimerFormat.versions.list); of presets \(PresetFormat.versions.list).",
                valueName: "version"
            )
        )
        var to: Int

        @Option(name: .shortAndLong, help: "The file to write; - is the standard output.", completion: .file())
        var output = "-"

        @Flag(help: "Write canonical JSON: RFC 8785, but integers keep their digits.")
        var canonical = false

        @OptionGroup var confirmation: ConfirmationOption

        @Argument(help: "The file; - is the standard input.", completion: .file(extensions: ["bztimer", "json"]))
        var file: String

        func run() throws {
            let input = try TimerInput.require(file)
            try VersionArgument.check(to, input.chain)
            let migrated = try migrate(input)
            let target = OutputFile(output)
            if let records = input.records { try records.requireReplacing(target, confirmation) }
            try target.write(migrated.value.encoded(canonical ? .canonical : .indented))
            try target.reportWritten()
            Losses.report(migrated.losses, notes: migrated.notes, file: input.name, position: input.position)
            if !migrated.losses.isEmpty || input.status != .success { throw ExitStatus.findings.exitCode }
        }

        private func migrate(_ input: TimerInput.Required) throws(CommandFailure) -> Migrated {
            do throws(AppFormatError) {
                return switch input.content {
                case .presets(let reading, _): try reading.migrated(to: to)
                case .sessions(let reading, _): try reading.migrated(to: to)
                case .workout: throw TimerInput.Required.unversioned
                }
            } catch {
                let position = error.pointer.flatMap(input.position)
                throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: input.name, position: position)])
            }
        }
    }
}

extension TimerInput.Required {
    /// The error for a workout, which is not migrated.
    fileprivate static let unversioned = AppFormatError(
        .otherFormat,
        "this is a Zwift workout, which has no versions; use bzpack convert"
    )

    /// Returns the versions of the file's format.
    fileprivate func chain() throws(AppFormatError) -> MigrationChain {
        switch content {
        case .presets: try PresetFormat.versions.chain()
        case .sessions: try BztimerFormat.versions.chain()
        case .workout: throw Self.unversioned
        }
    }

    /// The records of the file; nil of a workout, which has no versions.
    fileprivate var records: TimerRecords? {
        switch content {
        case .presets(_, let file): TimerRecords(file)
        case .sessions(_, let file): TimerRecords(file)
        case .workout: nil
        }
    }
}
