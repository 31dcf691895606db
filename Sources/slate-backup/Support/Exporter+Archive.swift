internal import ArchiveIO
internal import CommandSupport
internal import FileSystem
internal import Slate

extension Exporter {
    /// Puts a complete export into an archive, which is opened again and held against its manifest.
    func pack(
        _ file: PendingFile,
        _ packing: ArchivePacking,
        _ counts: [(table: String, rows: Int)],
        in folder: String
    ) throws -> PendingFile {
        guard let entry = SlateFileName(exportedAt: exportedAt, kind: .json) else {
            throw CommandFailure(.internalError, Messages.noMoment(exportedAt))
        }
        let archive = try unencrypted(in: folder)
        let content = BackupFile(
            entry.description,
            content: .descriptor(file.descriptor, name: name),
            counts: counts.map { BackupManifest.Count(table: $0.table, records: $0.rows) }
        )
        let manifest: BackupManifest
        do {
            manifest = try BackupArchive.write(
                [content],
                manifest: BackupManifest(
                    format: .slatebackup,
                    createdAt: exportedAt,
                    generator: "slate-backup \(SatchelVersion.current)"
                ),
                packing: packing,
                limits: .json,
                to: { try archive.write($0) }
            )
        } catch let error as ArchiveError where [.ratio, .entrySize, .totalSize].contains(error.code) {
            // No reader would open it.
            throw CommandFailure(
                .badData,
                Messages.noArchive(name),
                diagnostics: [error.diagnostic(file: name)]
            )
        }
        // Opening reads all of it and holds it against the manifest.
        let found = try BackupArchive(
            .descriptor(archive.descriptor, name: name),
            as: [.slatebackup],
            limits: .json
        )
        guard found.manifest == manifest else {
            throw CommandFailure(.internalError, Messages.archiveDiffers)
        }
        return archive
    }
}
