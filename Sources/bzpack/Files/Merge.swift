internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import RecordMerge
internal import StrictJSON

extension Bzpack {
    struct Merge: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "merge",
            abstract: "Merge two .bztimer files, or two files of presets, that come from one.",
            discussion: """
                Changes of different members come together, blocks and tags one by one. Where both files changed the same, \
                the first one's is kept, the conflict is reported, and the exit code is 3. The result is in the \
                current version. What the version of a file cannot hold counts as unchanged.

                As a merge driver of git: git config merge.bzpack.driver 'bzpack merge %O %A %B -o %A', and in .gitattributes \
                *.bztimer merge=bzpack
                """
        )

        @OptionGroup var format: FormatOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var files: MergeFiles

        func run() throws {
            let parts = try files.parts(limit: BztimerInput.largest)
            try files.check(format)
            let ours = try Timers(TimerInput.require(parts.ours))
            let theirs = try Timers(TimerInput.require(parts.theirs))
            let base = try parts.base.map { try Timers(TimerInput.require($0)) }
            for other in [theirs, base].compactMap(\.self) where other.isPresets != ours.isPresets {
                throw CommandFailure(
                    .badData,
                    "one of the files holds sessions, another presets: they cannot be merged"
                )
            }
            let schema = try MergeSchema(reading: try ours.schema())
            let merge = try DocumentMerge(
                base: base?.input.value,
                ours: ours.input.completed(by: (base ?? theirs).input, schema),
                theirs: theirs.input.completed(by: (base ?? ours).input, schema),
                schema
            )
            let bytes = merge.document.encoded(.indented)
            try ours.check(bytes)
            let target = OutputFile(files.output)
            try confirmation.requireReplacing(
                target,
                unless: { Losses.isBztimer(target) || PresetInput.isPresets(target) }
            )
            try target.write(bytes)
            try MergeReport(merge, output: files.output).finish(format)
        }
    }

    /// A file of timers in the current version of its format.
    private struct Timers {
        let input: MergeInput
        let isPresets: Bool

        init(_ input: TimerInput.Required) throws {
            switch input.content {
            case .sessions(let reading, _):
                let value = try reading.migrated(to: BztimerFormat.currentVersion).value
                self.input = MergeInput(value, version: reading.documentVersion)
                isPresets = false
            case .presets(let reading, _):
                let value = try reading.migrated(to: PresetFormat.currentVersion).value
                self.input = MergeInput(value, version: reading.documentVersion)
                isPresets = true
            case .workout:
                throw CommandFailure(
                    .badData,
                    "\(input.name) is a workout of Zwift: convert it first, with bzpack convert"
                )
            }
        }

        /// Returns the schema of the current version.
        func schema() throws -> JSONValue {
            let versions = isPresets ? PresetFormat.versions : BztimerFormat.versions
            return try JSONDocument(parsing: versions.currentSchema).root.value
        }

        /// Checks that what was merged is a valid file.
        func check(_ bytes: [UInt8]) throws(CommandFailure) {
            let findings =
                isPresets
                ? PresetFormat.read(bytes, name: "the merged file").diagnostics
                : BztimerFormat.read(bytes, name: "the merged file").diagnostics
            let errors = findings.filter { $0.severity == .error }
            if !errors.isEmpty { throw CommandFailure(.badData, Messages.notMergeable, diagnostics: errors) }
        }
    }
}
