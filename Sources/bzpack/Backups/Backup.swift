internal import ArgumentParser
internal import BZTimer
internal import CivilTime
internal import CommandSupport
internal import FileSystem
internal import RecordStore
internal import StrictJSON

extension Bzpack {
    struct Backup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "backup",
            abstract: "Write everything in the store to one file.",
            discussion: """
                Settings, library, sessions, presets and history, on every plan. "bzpack restore" brings them back. To share \
                sessions, use export.
                """
        )

        @OptionGroup var store: StoreOption
        @OptionGroup var clock: NowOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var encryption: EncryptionOptions

        @Argument(help: "The file to write; - is the standard output.", completion: .file())
        var file: String

        func validate() throws {
            // slate-backup has commands of these names.
            if ["status", "schedule"].contains(file) { throw ValidationError(Messages.noSuchBackupCommand(file)) }
        }

        func run() throws {
            let opened = try store.reading()
            let now = try clock.moment().description
            let backup = try opened.read { try TimerBackup($0, createdAt: now, generator: Backups.generator) }
            try Backups.checkComplete(opened)
            let output = OutputFile(file)
            let encryption = try encryption.encryption(for: output)
            try confirmation.requireReplacing(output)
            let bytes = try Backups.checked(backup, file: file)
            try output.write(encryption?.encrypt(bytes) ?? bytes)
            guard !output.isStandardOutput else { return }
            Backups.note(file, backup, at: now, of: try store.resolvedPath())
            let form = encryption == nil ? "" : ", encrypted"
            let line = "Wrote \(file)\(form): \(Backups.words(backup))."
            try StandardOutput.shared.report(TerminalText.safe(line) + "\n")
        }
    }
}

/// The parts that backup and restore share.
enum Backups {
    /// Reads a backup, or a copy of a store.
    ///
    /// - Throws: 65 or 66 where the file cannot be used.
    static func read(_ file: String, isForAll: Bool) throws -> TimerBackup {
        let head = file == "-" ? [] : try InputFile.head(of: file)
        guard !head.starts(with: "SQLite format 3".utf8) else {
            let opened = try BztimerStore(path: file, for: .reading)
            let backup = try opened.read { try TimerBackup($0, createdAt: nil, generator: generator) }
            try checkComplete(opened)
            return backup
        }
        let input = try InputFile(reading: file)
        do {
            return try TimerBackup(parsing: input.bytes, file: input.name, isForAll: isForAll)
        } catch let error as UnusableDocument {
            throw CommandFailure(.badData, "nothing was changed", diagnostics: error.findings)
        }
    }

    /// Returns the bytes of a backup, which were read back.
    ///
    /// - Throws: 65 where the store holds what no backup can, with its place.
    static func checked(_ backup: TimerBackup, file: String) throws -> [UInt8] {
        let bytes = backup.json.encoded(.indented)
        do {
            _ = try TimerBackup(parsing: bytes, file: file)
        } catch let error as UnusableDocument {
            throw CommandFailure(.badData, Messages.notInBackup, diagnostics: error.findings)
        }
        return bytes
    }

    /// Writes what a store holds to a file beside it, before a command replaces or removes some of it.
    ///
    /// It is a backup; where one would lack a record that cannot be read, a copy of the store as it is.
    ///
    /// - Parameter records: The records, within the transaction of the command, which has changed nothing yet.
    static func writeSafetyCopy(
        _ records: BztimerRecords,
        of store: BztimerStore,
        at path: String,
        now: Timestamp
    ) throws -> SafetyCopy {
        let backup = try TimerBackup(records, createdAt: now.description, generator: generator)
        if store.faults.isEmpty, let bytes = try? checked(backup, file: path) {
            return SafetyCopy(path: try SafetyFile.write(bytes, beside: path, at: now), isBackup: true)
        }
        let copy = SafetyFile.path(beside: path, at: now, extension: "db")
        try store.copy(to: copy)
        return SafetyCopy(path: copy, isBackup: false)
    }

    /// Changes a store; where that fails, the file that was written before goes too, as it undoes nothing.
    ///
    /// - Parameter change: Gets the records, and sets the file.
    /// - Returns: What the change returns, and the file.
    static func changing<Result>(
        _ store: BztimerStore,
        _ change: (BztimerRecords, inout SafetyCopy?) throws -> Result
    ) throws -> (Result, SafetyCopy?) {
        var safety: SafetyCopy?
        do {
            let result = try store.write { try change($0, &safety) }
            return (result, safety)
        } catch {
            if let safety { _ = try? Files.remove(safety.path) }
            throw error
        }
    }

    static var generator: String { "bzpack \(SatchelVersion.current)" }

    /// - Throws: 65 where a record cannot be read, as the backup would lack it.
    static func checkComplete(_ store: BztimerStore) throws(CommandFailure) {
        guard !store.faults.isEmpty else { return }
        let count = Words.count(store.faults.count, "record")
        throw CommandFailure(
            .badData,
            "\(count) of the store cannot be read and would be missing from the backup; nothing was written"
        )
    }

    /// Notes a backup that was just written, for `satchel` and `satchel doctor`; where that fails, the backup is good all
    /// the same.
    static func note(_ file: String, _ backup: TimerBackup, at now: String, of store: String) {
        let records = backup.counts.reduce(0) { $0 + $1.count }
        guard let note = BackupNote(checked: file, createdAt: now, verifiedAt: now, records: records) else { return }
        try? BackupNotes()?.update(store) { $0.add(note) }
    }

    /// Returns the noun for a record of a collection.
    static func noun(_ collection: String) -> String {
        ["sessions": "session", "activities": "activity", "presets": "preset", "history": "history entry"][collection]
            ?? "record"
    }

    static func words(_ backup: TimerBackup) -> String {
        let parts = backup.counts.filter { $0.count > 0 }.map { Words.count($0.count, noun($0.collection)) }
        return parts.isEmpty ? "settings" : parts.joined(separator: ", ") + " and settings"
    }
}

/// A file with what a store held before a command changed it.
struct SafetyCopy {
    let path: String
    /// False for a copy of the database.
    let isBackup: Bool

    /// The line that says how the change is undone.
    var undo: String { isBackup ? Messages.undo(path) : Messages.undoByCopy(path) }
}
