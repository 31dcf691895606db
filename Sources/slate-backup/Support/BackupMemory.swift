internal import CommandSupport
internal import Slate
internal import StrictJSON

/// Notes which backups are good, for `backup status`.
///
/// A note that cannot be written is worth a line, and no reason to call the backup bad.
enum BackupMemory {
    /// Notes a backup that was just written, read back and checked.
    static func note(_ export: CheckedExport, in output: OutputFile, of database: String) {
        let note = BackupNote(
            checked: output.path,
            createdAt: export.exportedAt,
            verifiedAt: export.exportedAt,
            records: export.counts.total
        )
        guard let note else { return }
        trying { notes throws(CommandFailure) in try notes.update(database) { $0.add(note) } }
    }

    /// Tells whether the backups of a database lie in a folder: that of the schedule, the usual one, or that of an earlier
    /// backup.
    static func isFolderOfBackups(_ folder: String, of database: String) -> Bool {
        let place = ResolvedPath(folder.isEmpty ? "." : folder)
        let known = (try? BackupNotes()?.backups(of: database)) ?? StoreBackups()
        var folders = known.backups.map { Self.folder(of: $0.file) }
        if let scheduled = known.schedule?.folder { folders.append(scheduled) }
        if let home = OtherProgram.home { folders.append("\(home)/Backups/Slate") }
        return folders.contains { ResolvedPath($0).isSame(as: place) }
    }

    private static func folder(of file: String) -> String { OutputFile(file).folder }

    /// Notes what a check of a file found.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - content: What it holds; nil where it cannot be used.
    ///   - moment: The present moment.
    ///   - database: The database that it is a backup of; nil where only a file that is noted already counts.
    static func verified(_ file: String, _ content: SlateContent?, at moment: String, of database: String?) {
        guard file != "-" else { return }
        let note = content.flatMap { content in
            BackupNote(checked: file, createdAt: content.exportedAt, verifiedAt: moment, records: content.count)
        }
        trying { notes throws(CommandFailure) in
            if let note, let database {
                try notes.update(database) { $0.add(note) }
            } else {
                try notes.confirm(file, as: note)
            }
        }
    }

    private static func trying(_ body: (BackupNotes) throws(CommandFailure) -> Void) {
        guard let notes = BackupNotes() else { return }
        do throws(CommandFailure) {
            try body(notes)
        } catch {
            let reason = error.message ?? error.diagnostics.first?.message ?? Messages.notWritable
            let text = Messages.notNoted(reason)
            StandardError.write(TerminalText.safe(text) + "\n")
        }
    }
}
