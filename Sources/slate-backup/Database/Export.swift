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
            commandName: "export",
            abstract: "Write all of the database to a backup.",
            discussion: """
                In a folder the backup is compressed and named after its date, Slate-YYYYMMDD.slatebackup. Plain JSON, \
                Slate-YYYYMMDD.json, is what --plain writes, an output that ends in .json, the standard output, and an \
                older version, which is for older apps. Warnings name what such a version does not show, and the exit code is 3.

                The backup is written to a new file, read back and checked, and takes its name in one step; until then an \
                older one stays as it is. A backup of the same name is replaced, unless it has 20 rows more: then the new \
                one is kept beside it, as Slate-YYYYMMDD-2.slatebackup. So it is beside a backup of another database, one \
                that shares hardly any task or habit; the command says so and ends with 3. Where one of that day, or the newest older one, \
                holds far more, the command says so and ends with 3. "backup status" counts what is written into the folder \
                of the backups; a file anywhere else is a copy for other purposes. \
                With --encrypt, --passphrase-file or --recipient the file is encrypted with age, and .age is added to the \
                names in a folder.
                """
        )

        @OptionGroup var database: DatabaseOption
        @OptionGroup var clock: NowOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var format: FormatOption
        @OptionGroup var encryption: EncryptionOptions

        @Option(
            name: .shortAndLong,
            help: ArgumentHelp(
                "Write to this file, or into this folder; - is the standard output.",
                valueName: "file|folder"
            ),
            completion: .file()
        )
        var output = "."

        @Flag(help: "Write plain JSON, not an archive.")
        var plain = false

        @Option(help: "Write an archive of this kind (default: tar.zst).")
        var archive: ArchivePacking?

        @Option(help: ArgumentHelp("Write this version, for older apps.", valueName: "version"))
        var schemaVersion = SlateFormat.currentVersion

        /// True if "backup" runs this command, whose file is the last good backup from then on.
        @Flag(name: .customLong("as-backup"), help: .hidden)
        var isBackup = false

        func run() throws {
            try format.reporting(on: try database.resolvedPath()) {
                if try export().hasFindings { throw ExitStatus.findings.exitCode }
            }
        }

        /// Writes the backup, and returns its path, nil for the standard output, and whether there are warnings.
        func export() throws -> (path: String?, hasFindings: Bool) {
            try checkVersion()
            let target = try ExportTarget(output)
            let packing = try packing(target)
            if case .standardOutput = target { try checkStandardOutput(packing) }
            try target.check(database: try database.resolvedPath(), packing, isEncrypted: encryption.isWanted)
            try target.requireReplacing(confirmation)
            let localClock = try zone.clock()
            let encryption = try encryption.encryption()
            let exporter = Exporter(
                database: try database.reading(),
                exportedAt: localClock.text(of: try clock.moment(in: localClock)),
                version: schemaVersion,
                packing: packing,
                encryption: encryption,
                name: target.name
            )
            let export = try exporter.run(in: target.folder)
            if case .standardOutput = target { return (nil, try copy(export)) }
            let kind = packing == nil ? SlateFileName.Kind.json : .archive
            let store = try database.resolvedPath()
            let place = try target.place(for: export, of: store, kind: encryption == nil ? kind : kind.encrypted)
            try export.file.commit(as: place.output)
            if isBackup || BackupMemory.isFolderOfBackups(target.folder, of: store) {
                BackupMemory.note(export, in: place.output, of: store)
            }
            return (place.output.path, try report(export, place, packing))
        }

        /// Returns the kind of archive; nil for plain JSON.
        private func packing(_ target: ExportTarget) throws(CommandFailure) -> ArchivePacking? {
            guard plain else {
                return archive ?? (target.isCompressed(version: schemaVersion) ? .tarZstd : nil)
            }
            guard archive == nil, !target.isNamedArchive else {
                let what = archive == nil ? Messages.namedArchive : "--archive"
                throw CommandFailure(.usage, Messages.exclude(what))
            }
            return nil
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
                throw CommandFailure(.usage, Messages.bothToOutput)
            }
            if packing != nil || encryption.isWanted, StandardOutput.shared.isTerminal {
                let what = packing == nil ? "an encrypted file" : "an archive"
                throw CommandFailure(.usage, Messages.notForTerminal(what))
            }
        }

        /// Writes a complete export to the standard output, and returns whether there are warnings.
        private func copy(_ export: CheckedExport) throws -> Bool {
            try export.file.forEachPiece { try StandardOutput.shared.write(Array($0)) }
            try StandardOutput.shared.flush()
            return try reportFindings(export, nil)
        }

        /// Tells what was written, and returns whether there are warnings.
        private func report(
            _ export: CheckedExport,
            _ place: ExportTarget.Place,
            _ packing: ArchivePacking?
        ) throws -> Bool {
            let hasFindings = try reportFindings(export, place)
            let rows = Words.count(export.counts.total, "row")
            let form = "version \(export.version)\(encryption.isWanted ? ", encrypted" : "")"
            try format.print(
                TerminalText.safe(Messages.exported(rows, place.output.path, form)) + "\n",
                [
                    "file": .string(place.output.path),
                    "version": .number(export.version),
                    "archive": packing.map { .string($0.rawValue) } ?? .null,
                    "encrypted": .bool(encryption.isWanted),
                    "exportedAt": .string(export.exportedAt),
                    "rows": .number(export.counts.total),
                    "counts": export.counts.json,
                    "replaced": .bool(place.replaces),
                    "warnings": DiagnosticRenderer().json(findings(export, place)),
                ]
            )
            return hasFindings
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
