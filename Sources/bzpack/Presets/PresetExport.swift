internal import ArgumentParser
internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import StrictJSON

extension Bzpack.PresetGroup {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write presets of the store to a file.",
            discussion: """
                Where version 1 cannot hold everything, warnings name what its readers will not see, and the exit code is 3. \
                Warnings also name what a strict reader refuses of repaired presets. A file that holds a preset which the \
                new one does not hold is replaced only with consent.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var confirmation: ConfirmationOption

        @Option(
            name: .customLong("preset"),
            parsing: .singleValue,
            help: ArgumentHelp("Export this preset; may be repeated. By default all.", valueName: "name|id")
        )
        var presets: [String] = []

        @Option(help: ArgumentHelp("Write this version, for older programs.", valueName: "version"))
        var toVersion = PresetFormat.currentVersion

        @Flag(help: "Write canonical JSON: RFC 8785, but integers keep their digits.")
        var canonical = false

        @Argument(help: "The file to write; - is the standard output.", completion: .file(extensions: ["json"]))
        var file: String

        func run() throws {
            try VersionArgument.check(toVersion, PresetFormat.versions.chain)
            let store = try store.reading()
            let chosen = try store.read { try select($0.envelopedPresets(), store.faults) }
            var merge = EnvelopeMerge(file: file)
            for preset in chosen { merge.add(preset.envelope, of: "preset \"\(preset.record.name)\"") }
            let content = PresetFile(presets: chosen.map(\.record), extra: merge.envelope)
            let written = try content.encoded(version: toVersion, style: canonical ? .canonical : .indented)
            let output = OutputFile(file)
            try TimerRecords(content).requireReplacing(output, confirmation)
            try output.write(written.bytes)
            let name = output.isStandardOutput ? nil : file
            let refused = refusals(written.bytes, name)
            StandardError.write(DiagnosticRenderer().render(merge.conflicts + refused))
            Losses.report(written.losses, notes: [], file: name)
            if !output.isStandardOutput {
                let text = "Exported \(Words.count(chosen.count, "preset")) to \(file) (version \(toVersion))."
                try StandardOutput.shared.report(TerminalText.safe(text) + "\n")
            }
            if !written.losses.isEmpty || !refused.isEmpty { throw ExitStatus.findings.exitCode }
        }

        private typealias Stored = BztimerRecords.Enveloped<Preset>

        private func select(_ stored: [Stored], _ faults: [StoreFault]) throws(CommandFailure) -> [Stored] {
            if presets.isEmpty {
                // An export of all presets is taken for a copy of the store, so it does not leave one out.
                if let fault = faults.first(where: { $0.kind == .preset }) {
                    throw CommandFailure(
                        .badData,
                        "\(fault); nothing was written; name the presets to export with --preset"
                    )
                }
                guard !stored.isEmpty else { throw CommandFailure(.noInput, Messages.noPresets) }
                return stored
            }
            let find = Selection(kind: "preset", records: stored, id: \.record.id, name: \.record.name)
            var chosen: [Stored] = []
            for name in presets {
                let found = try find(name)
                if !chosen.contains(where: { $0.record.id == found.record.id }) { chosen.append(found) }
            }
            return chosen
        }

        /// Returns the errors of a strict reader as warnings: a phase of 0 s, which the app skips, has no place in the
        /// format.
        private func refusals(_ bytes: [UInt8], _ name: String?) -> [Diagnostic] {
            PresetFormat.read(bytes, name: name).diagnostics.filter { $0.severity == .error }.map { fault in
                var warning = fault
                warning.severity = .warning
                warning.message += "; it was written as it is, and is read with --repair"
                return warning
            }
        }
    }
}
