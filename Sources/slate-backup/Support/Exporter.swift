internal import ArchiveIO
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import JSONSchemaValidation
internal import Slate
internal import StrictJSON

/// A complete export that has been read back and checked, and waits for its name.
struct CheckedExport {
    let file: PendingFile
    let exportedAt: String
    let version: Int
    /// The rows of each table that the version has.
    let counts: [(table: String, rows: Int)]
    /// The rows of each table that an import brings back: those that an older version preserves as well.
    let held: [(table: String, rows: Int)]
    /// The tasks and habits by which other backups of the database are known.
    let identity: SlateIdentity
    /// The warnings that importing it will give.
    let warnings: [Diagnostic]
    /// The data that a reader of the version will not see.
    let losses: [MigrationLoss]
}

/// Makes exports: writes to a new file, reads it back, and only then lets it have a name.
struct Exporter {
    let database: SlateDatabase
    let exportedAt: String
    /// The version that is written.
    let version: Int
    /// The kind of archive, nil for JSON alone.
    let packing: ArchivePacking?
    /// The encryption of the file; nil for none.
    let encryption: Encryption?
    /// The name of the export in messages.
    let name: String
    let progress = ProgressLine()

    /// Makes an export in a folder.
    ///
    /// - Throws: 65 where the database holds what the format does not allow; 70 where what was read back is not what was
    ///   written; 73 and 74 where the file cannot be written. Nothing is left of it then.
    func run(in folder: String) throws -> CheckedExport {
        defer { progress.end() }
        PendingFile.removeLeftovers(in: folder)
        let current = try unencrypted(in: folder)
        let total = try database.read { records in
            try SlateTable.allCases.reduce(0) { $0 + (try records.count($1)) }
        }
        var size = 0
        let export = try database.export(
            exportedAt: exportedAt,
            progress: { progress.show("Exporting rows:", done: $0, of: total) },
            to: { piece in
                size += piece.count
                try current.write(piece)
            }
        )
        guard size <= InputFile.largest else {
            throw CommandFailure(.badData, Messages.tooLarge(size, InputFile.largest))
        }
        try check(current, version: SlateFormat.currentVersion, export.counts)
        var (file, losses) = (current, [MigrationLoss]())
        if version != SlateFormat.currentVersion {
            file = try unencrypted(in: folder)
            losses = try downgrade(current, to: file)
            try check(file, version: version, export.counts.filter { $0.key.firstVersion <= version })
        }
        let counts = SlateTable.allCases.filter { $0.firstVersion <= version }
            .map { (table: $0.name, rows: export.counts[$0] ?? 0) }
        if let packing { file = try pack(file, packing, counts, in: folder) }
        if let encryption { file = try encryption.encrypt(file, in: folder, for: name) }
        return CheckedExport(
            file: file,
            exportedAt: exportedAt,
            version: version,
            counts: counts,
            held: SlateTable.allCases.map { ($0.name, export.counts[$0] ?? 0) },
            identity: try database.read { try $0.identity() },
            warnings: export.warnings,
            losses: losses
        )
    }

    /// Makes a file for what is not encrypted yet: nobody finds that in the folder, nor anywhere once this ends.
    func unencrypted(in folder: String) throws(FileError) -> PendingFile {
        guard encryption != nil else { return try PendingFile(in: folder, for: name) }
        return try PendingFile(unnamedIn: TemporaryFolder.root, for: name)
    }

    /// Reads a file back: it must keep to the schema and have the rows that were written.
    private func check(_ file: PendingFile, version: Int, _ counts: [SlateTable: Int]) throws {
        let report = try SlateStream.validate(file.source(), version: version)
        guard report.isValid else {
            let findings = try database.read { records in
                try report.findings.map { try diagnostic($0, of: records) }
            }
            let count = Words.count(report.total, "value")
            let message = Messages.notAllowed("\(count)")
            throw CommandFailure(.badData, "\(message); \(wayOutOfBadValues)", diagnostics: findings)
        }
        let found = try SlateStream.outline(file.source())
        guard found.counts == counts, found.version == version, found.exportedAt == exportedAt else {
            throw CommandFailure(.internalError, Messages.exportDiffers)
        }
    }

    /// Returns a finding about the export as one about the database: the file is gone by the time that somebody looks.
    private func diagnostic(_ finding: ValidationFinding, of records: SlateRecords) throws -> Diagnostic {
        let tokens = finding.pointer.tokens
        var message = finding.message
        if finding.keyword == "pattern", let expected = SlateFormat.expectation(finding) {
            message = "found \(finding.found), expected \(expected)"
        }
        if tokens.count > 1, let table = SlateTable(rawValue: tokens[0]), let position = Int(tokens[1]),
            let key = try records.key(table, at: position)
        {
            message += " (in the row \"\(key)\" of \(table.name))"
        }
        return Diagnostic(
            finding.severity,
            code: finding.code,
            message: message,
            file: database.path,
            pointer: finding.pointer
        )
    }

    /// Writes the export in an older version, and proves that it comes back as it was.
    private func downgrade(_ current: PendingFile, to file: PendingFile) throws -> [MigrationLoss] {
        var bytes: [UInt8] = []
        try current.forEachPiece { bytes.append(contentsOf: $0) }
        let value = try JSONDocument(parsing: bytes).root.value
        let migrated = try SlateFormat.migrate(value, from: SlateFormat.currentVersion, to: version)
        let back = try SlateFormat.migrate(migrated.value, from: version, to: SlateFormat.currentVersion)
        guard back.value == value else {
            throw CommandFailure(.internalError, Messages.versionTooSmall(version))
        }
        try file.write(migrated.value.encoded(.indented))
        return migrated.losses
    }
}
