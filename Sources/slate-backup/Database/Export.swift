internal import CivilTime
internal import ArchiveIO
internal import ArgumentParser
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

extension SlateBackup {
    struct Export: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Write all of the database to a backup.",
            discussion: """
                The backup is written to a new file, read back and checked, and takes its name in one step; until then an \
                older one stays as it is. In a folder it is named after its date, Slate-YYYYMMDD.json. A backup of the same \
                name is replaced, unless it has 20 rows more: then the new one is kept beside it, as Slate-YYYYMMDD-2.json. \
                Where one of that day, or the newest older one, holds far more, the command says so and ends with 3. A \
                file that is named ends in .json or .slatebackup, or is a backup already. An older version may not hold everything: what its readers will not see is \
                said, and the exit code is 3.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var format: FormatOption

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Write to this file, or into this folder; - is the standard output.",
                valueName: "file|folder"
            ),
            completion: .file()
        )
        var output = "."

        @Option(
            help: """
                Put the backup into an archive with a manifest; without it, an output that ends in .slatebackup is one of \
                the kind tar.zst.
                """
        )
        var archive: ArchivePacking?

        @Option(help: ArgumentHelp("Write this version, for older apps.", valueName: "version"))
        var schemaVersion = SlateFormat.currentVersion

        func run() throws {
            try format.reporting(on: try database.resolvedPath()) { try export() }
        }

        private func export() throws {
            try checkVersion()
            let target = try ExportTarget(output)
            let packing = archive ?? (target.isNamedArchive ? .tarZstd : nil)
            if case .standardOutput = target { try checkStandardOutput(packing) }
            try target.check(database: try database.resolvedPath(), packing)
            try target.requireReplacing(confirmation)
            let localClock = try zone.clock()
            let exporter = Exporter(
                database: try database.reading(),
                exportedAt: localClock.text(of: try clock.moment(in: localClock)),
                version: schemaVersion,
                packing: packing,
                name: target.name
            )
            let export = try exporter.run(in: target.folder)
            if case .standardOutput = target { return try copy(export) }
            let place = try target.place(for: export, kind: packing == nil ? .json : .archive)
            try export.file.commit(as: place.output)
            try report(export, place, packing)
        }

        private func checkVersion() throws(CommandFailure) {
            do throws(AppFormatError) {
                try SlateFormat.versions.chain().check(schemaVersion)
            } catch {
                throw CommandFailure(.usage, error.message)
            }
        }

        private func checkStandardOutput(_ packing: ArchivePacking?) throws(CommandFailure) {
            if format.format == .json {
                throw CommandFailure(.usage, "the report and the backup cannot both go to the standard output")
            }
            if packing != nil, StandardOutput.shared.isTerminal {
                throw CommandFailure(.usage, "an archive is not for a terminal: name a file with --output")
            }
        }

        /// Writes a complete export to the standard output.
        private func copy(_ export: CheckedExport) throws {
            try export.file.forEachPiece { try StandardOutput.shared.write(Array($0)) }
            try StandardOutput.shared.flush()
            if try reportFindings(export, nil) { throw ExitStatus.findings.exitCode }
        }

        private func report(_ export: CheckedExport, _ place: ExportTarget.Place, _ packing: ArchivePacking?) throws {
            let hasFindings = try reportFindings(export, place)
            let rows = Words.count(export.counts.total, "row")
            try format.print(
                TerminalText.safe("Exported \(rows) to \(place.output.path) (version \(export.version)).") + "\n",
                [
                    "file": .string(place.output.path),
                    "version": .number(JSONNumber(export.version)),
                    "archive": packing.map { .string($0.rawValue) } ?? .null,
                    "exportedAt": .string(export.exportedAt),
                    "rows": .number(JSONNumber(export.counts.total)),
                    "counts": export.counts.json,
                    "replaced": .bool(place.replaces),
                    "warnings": DiagnosticRenderer().json(findings(export, place)),
                ]
            )
            if hasFindings { throw ExitStatus.findings.exitCode }
        }

        private func reportFindings(_ export: CheckedExport, _ place: ExportTarget.Place?) throws -> Bool {
            let findings = findings(export, place)
            StandardError.write(DiagnosticRenderer().render(findings))
            return findings.contains { $0.severity != .note }
        }

        private func findings(_ export: CheckedExport, _ place: ExportTarget.Place?) -> [Diagnostic] {
            export.warnings
                + (place?.warnings ?? [])
                + export.losses.map { loss in
                    Diagnostic(
                        .warning,
                        code: "migration.loss",
                        message: loss.text,
                        file: place?.output.path,
                        pointer: loss.pointer
                    )
                }
        }
    }
}
