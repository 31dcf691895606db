internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import Slate
internal import StrictJSON

/// The backup that a command works on: the file that was named, or one of a folder.
struct BackupChoice {
    /// The file, as it was read.
    let read: (report: FileReport, input: SlateInput?)
    /// The warnings about newer backups of the folder, which cannot be used or are dated in the future.
    let warnings: [Diagnostic]

    /// - Throws: 64 where neither or both are given; 66 where the folder has no backup that can be used.
    init(file: String?, folder: String?, into database: DatabaseOption, until today: CivilDay, repair: Bool)
        throws(CommandFailure)
    {
        switch (file, folder) {
        case (let file?, nil):
            read = SlateInput.read(file, repair: repair)
            warnings = []
        case (nil, let folder?):
            // Where it cannot be read, the import says so.
            let identity = (try? database.readingIfPresent()?.read { try $0.identity() }) ?? SlateIdentity()
            (read, warnings) = try BackupFolder(folder).newestVerified(until: today, of: identity, repair: repair)
        default:
            throw CommandFailure(.usage, Messages.fileAndFolder)
        }
    }
}
