internal import CommandSupport
internal import StrictJSON

/// The backup that a command works on: the file that was named, or one of a folder.
struct BackupChoice {
    /// The file, as it was read.
    let read: (report: FileReport, input: SlateInput?)
    /// Newer backups of the folder that cannot be used.
    let warnings: [Diagnostic]

    /// - Throws: 64 where neither or both are given; 66 where the folder has no backup that can be used.
    init(file: String?, folder: String?, repair: Bool) throws(CommandFailure) {
        switch (file, folder) {
        case (let file?, nil):
            read = SlateInput.read(file, repair: repair)
            warnings = []
        case (nil, let folder?):
            let newest = try BackupFolder(folder).newestVerified(repair: repair)
            read = newest.read
            warnings = newest.unusable.map { path in
                let message = "does not verify, so an older backup was taken; see slate-backup verify"
                return Diagnostic(.warning, code: "slate.unusable-backup", message: message, file: path)
            }
        default:
            throw CommandFailure(.usage, "expected a file, or a folder with --from, and not both")
        }
    }
}
