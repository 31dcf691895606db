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
            if output.path.lowercased().hasSuffix(Encryption.ending), !isEncrypted {
                throw CommandFailure(.usage, "\(output.path) is named like an encrypted file: add --encrypt")
            }
            try Self.checkName(output, packing)
            path = output.path
        case .folder(let folder): path = folder
        }
        let (place, base) = (ResolvedPath(path), ResolvedPath(database))
        for suffix in ["", "-wal", "-shm", "-journal"] where place.isSame(as: ResolvedPath(base.text + suffix)) {
            let what = suffix.isEmpty ? "it is the database itself" : "it belongs to the database"
            throw CommandFailure(.usage, "cannot export to \(path): \(what); nothing was exported")
        }
        for owner in [database, base.text] where place.isWithin(ResolvedPath(SlateSafetyBackups.folder(of: owner))) {
            throw CommandFailure(
                .usage,
                "cannot export to \(path): \(SlateSafetyBackups.folder(of: database)) has the copies that undo goes back to; "
                    + "name another folder"
            )
        }
    }

    private static func checkName(_ output: OutputFile, _ packing: ArchivePacking?) throws(CommandFailure) {
        let (path, name) = (output.path, output.path.lowercased().trimmingEncryption)
        if let kind = ArchivePacking.allCases.first(where: { name.hasSuffix(".\($0.rawValue)") }) {
            guard packing != kind else { return }
            throw CommandFailure(.usage, "\(path) is named like an archive: add --archive \(kind.rawValue)")
        }
        if name.hasSuffix(".json") || name.hasSuffix(".slatebackup") || isBackup(output) { return }
        let fault = output.exists ? "no backup of Slate" : "no folder: make it"
        throw CommandFailure(.usage, "\(path) is \(fault), or name a file that ends in .json or .slatebackup")
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
                ? "which is encrypted with another key" : "which is no backup of Slate",
            unless: { Self.isBackup(output) }
        )
    }
}
