internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import Slate

/// A backup as the pages list it.
struct ShelvedBackup {
    /// The states of a backup.
    enum State: Hashable {
        /// It was read back and is as it was then; the moment of that, RFC 3339.
        case verified(String)
        /// Nobody has checked it, as far as this device knows.
        case unchecked
        /// It was good, and cannot be used now.
        case lost(String)
    }

    let path: String
    /// The local day whose records it holds.
    let day: CivilDay
    let size: Int
    /// The number of its records; nil where nobody counted them.
    let records: Int?
    let state: State

    /// The name of the file.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// The backups of a database: those of its folder, and others that are noted.
struct BackupShelf {
    /// The database.
    let store: String
    /// The folder of the backups; nil where there is none.
    let folder: String?
    /// The backups, the newest first.
    let backups: [ShelvedBackup]
    let notes: StoreBackups
    let health: BackupHealth
    /// The copies that undo goes back to, the newest first.
    let copies: [SlateSafetyBackup]

    /// Looks at the notes and the folder.
    ///
    /// - Parameters:
    ///   - database: The database.
    ///   - folder: The folder of the backups; nil for that of the schedule, else the usual one.
    ///   - files: The only backups to list; none for those of the folder and the notes.
    ///   - now: The present moment.
    ///   - clock: The clock of local times.
    /// - Throws: 65 or 66 where the notes, the folder or one of the files cannot be read.
    init(
        of database: SlateDatabasePath,
        in folder: String?,
        files: [String] = [],
        now: Timestamp,
        clock: LocalClock
    ) throws {
        store = try database.resolvedPath()
        notes = try BackupNotes()?.backups(of: store) ?? StoreBackups()
        health = BackupHealth(notes, now: now, isThorough: false)
        copies = SlateSafetyBackups.copies(of: store)
        guard files.isEmpty else {
            self.folder = nil
            backups = try Self.shelved(files, notes, clock)
            return
        }
        var place = BackupPlace()
        place.to = folder
        let path = try place.folder(of: store)
        self.folder = FolderListing.isFolder(path) ? path : nil
        var backups: [ShelvedBackup] = []
        var noted: [String: BackupNote] = [:]
        for note in notes.backups { noted[note.file] = note }
        if let folder = self.folder {
            let listed = try BackupFolder(folder)
            for backup in listed.backups {
                let path = ResolvedPath(listed.path(of: backup.name)).text
                let note = noted.removeValue(forKey: path)
                backups.append(
                    ShelvedBackup(
                        path: path,
                        day: backup.name.day,
                        size: backup.size,
                        records: note?.records,
                        state: note.map(Self.state) ?? .unchecked
                    )
                )
            }
        }
        for note in notes.backups where noted[note.file] != nil {
            backups.append(
                ShelvedBackup(
                    path: note.file,
                    day: clock.day(of: note.moment),
                    size: note.size,
                    records: note.records,
                    state: Self.state(of: note)
                )
            )
        }
        // Backups of one day stay in the order of their names, the newest first.
        self.backups = backups.enumerated().sorted { ($1.element.day, $0.offset) < ($0.element.day, $1.offset) }
            .map(\.element)
    }

    /// Checks that files which a person named are there.
    ///
    /// - Throws: 66 for the first that is no file or cannot be looked at.
    static func check(_ files: [String]) throws(CommandFailure) { _ = try shelved(files, StoreBackups(), .utc) }

    /// Files that a person named, the newest first.
    private static func shelved(
        _ files: [String],
        _ notes: StoreBackups,
        _ clock: LocalClock
    ) throws(CommandFailure) -> [ShelvedBackup] {
        var backups: [ShelvedBackup] = []
        for file in files {
            let path = ResolvedPath(file).text
            let found: FileStatus?
            do throws(FileError) {
                found = try FileStatus(path)
            } catch {
                throw CommandFailure(error)
            }
            guard let status = found, status.kind == .file else {
                throw CommandFailure(.noInput, Messages.noBackupFile(file))
            }
            let note = notes.backups.first { $0.file == path }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            backups.append(
                ShelvedBackup(
                    path: path,
                    day: SlateFileName(name)?.day
                        ?? clock.day(of: Timestamp(seconds: status.modified / 1_000_000_000)),
                    size: status.size,
                    records: note?.records,
                    state: note.map(Self.state) ?? .unchecked
                )
            )
        }
        return backups.enumerated().sorted { ($1.element.day, $0.offset) < ($0.element.day, $1.offset) }.map(\.element)
    }

    private static func state(of note: BackupNote) -> ShelvedBackup.State {
        note.fault(isThorough: false).map { .lost($0) } ?? .verified(note.verifiedAt)
    }

    /// Returns the backup with a path; only files that are listed are opened for a page.
    ///
    /// - Throws: 66 where there is none.
    func backup(_ path: String?) throws(CommandFailure) -> ShelvedBackup {
        guard let path, let found = backups.first(where: { $0.path == path }) else {
            throw CommandFailure(.noInput, "\(path ?? "a file") is none of the backups of \(store)")
        }
        return found
    }

    /// Returns the copy with a path.
    ///
    /// - Throws: 66 where there is none.
    func copy(_ path: String) throws(CommandFailure) -> SlateSafetyBackup {
        guard let found = copies.first(where: { $0.path == path }) else {
            throw CommandFailure(.noInput, "there is no copy \(path) of \(store) any more")
        }
        return found
    }
}
