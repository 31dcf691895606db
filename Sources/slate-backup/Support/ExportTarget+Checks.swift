internal import ArchiveIO
internal import CommandSupport
internal import Slate

extension ExportTarget {
    /// Checks that the name is one for a backup, and that nothing of the database's own would be replaced.
    ///
    /// - Throws: 64 where that is not so.
    func check(database: String, _ packing: ArchivePacking?, isEncrypted: Bool) throws(CommandFailure) {
        let path: String
        switch self {
        case .standardOutput: return
        case .file(let output):
            if output.isNamedEncrypted, !isEncrypted {
                throw CommandFailure(.usage, Messages.addEncrypt(output.path))
            }
            try Self.checkName(output, packing, isEncrypted)
            path = output.path
        case .folder(let folder): path = folder
        }
        let (place, base) = (ResolvedPath(path), ResolvedPath(database))
        for suffix in ["", "-wal", "-shm", "-journal"] where place.isSame(as: ResolvedPath(base.text + suffix)) {
            throw CommandFailure(.usage, Messages.exportOntoDatabase(path, isDatabase: suffix.isEmpty))
        }
        if case .file(let output) = self { try output.check(isEncrypted: isEncrypted) }
        for owner in [database, base.text] where place.isWithin(ResolvedPath(SlateSafetyBackups.folder(of: owner))) {
            throw CommandFailure(
                .usage,
                Messages.exportIntoCopies(path, SlateSafetyBackups.folder(of: database))
            )
        }
    }

    private static func checkName(
        _ output: OutputFile,
        _ packing: ArchivePacking?,
        _ isEncrypted: Bool
    ) throws(CommandFailure) {
        let (path, name) = (output.path, output.path.lowercased().trimmingEncryption)
        if isEncrypted, !output.isNamedEncrypted { throw CommandFailure(.usage, Messages.nameEncrypted(path)) }
        if packing != nil, name.hasSuffix(".json") { throw CommandFailure(.usage, Messages.namedJSON(path)) }
        if let kind = ArchivePacking.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) {
            guard packing != kind else { return }
            throw CommandFailure(.usage, Messages.addArchive(path, kind.rawValue))
        }
        if name.hasSuffix(".json") || name.hasSuffix(".slatebackup") || isBackup(output) { return }
        let message = Messages.badExportName(path, exists: output.exists, isEncrypted: isEncrypted)
        throw CommandFailure(.usage, message)
    }

    private static func isBackup(_ output: OutputFile) -> Bool {
        output.exists && BackupOutline.counts(of: output.path) != nil
    }

    /// Asks before a file that is no backup is replaced.
    func requireReplacing(_ confirmation: ConfirmationOption) throws(CommandFailure) {
        guard case .file(let output) = self else { return }
        try confirmation.requireReplacing(
            output,
            being: InputFile.isEncrypted((try? InputFile.head(of: output.path)) ?? [])
                ? Messages.otherKey : Messages.notABackup,
            unless: { Self.isBackup(output) }
        )
    }
}
