public import CivilTime
internal import FileSystem
internal import RecordStore
internal import SQLiteDatabase

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A copy of a database as it was before a change.
public struct SlateSafetyBackup: Sendable, Hashable {
    /// The changes before which a copy is made.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// An import.
        case beforeImport = "before-import"
        /// An undo.
        case beforeUndo = "before-undo"
        /// Bringing one record back.
        case beforeRestore = "before-restore"
        /// Planning unfinished tasks for today.
        case beforeRollover = "before-rollover"
        /// The upgrade of older tables, by sync.
        case beforeUpgrade = "before-upgrade"
    }

    /// The file.
    public let path: String
    /// Rises by one with each copy, whatever the clock says.
    public let number: Int
    /// The time at which it was made, to the second.
    public let moment: Timestamp
    /// The change before which it was made.
    public let reason: Reason
    /// The state of the copy.
    public let state: State

    /// The states of a copy.
    public enum State: String, Sendable, Hashable, CaseIterable {
        /// The change that it was made for has not been done yet, or was interrupted.
        case pending
        /// The change that it was made for was done.
        case done
        /// An undo went back to it.
        case used
    }

    /// True if an undo went back to it.
    public var isUsed: Bool { state == .used }

    /// Makes the copy of a file in the folder from its name; nil for any other file.
    ///
    /// A name is such as `000007-20260107T213000Z-before-import.db`, with the state before the extension unless it is
    /// done.
    fileprivate init?(_ name: String, in folder: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        let words = parts[0].split(separator: "-", maxSplits: 2)
        guard (2...3).contains(parts.count), parts.last == "db",
            let state = parts.count == 2 ? .done : State(rawValue: String(parts[1])), words.count == 3,
            let number = Int(words[0]), let reason = Reason(rawValue: String(words[2])),
            let moment = Self.moment(words[1])
        else { return nil }
        path = "\(folder)/\(name)"
        self.number = number
        self.moment = moment
        self.reason = reason
        self.state = state
    }

    /// Returns the moment that is written as `20260107T213000Z`, for names.
    private static func moment(_ text: Substring) -> Timestamp? {
        let digits = Array(text)
        guard digits.count == 16 else { return nil }
        let date = "\(String(digits[..<4]))-\(String(digits[4..<6]))-\(String(digits[6..<8]))"
        let time = "\(String(digits[9..<11])):\(String(digits[11..<13])):\(String(digits[13..<15]))"
        return Timestamp("\(date)\(digits[8])\(time)\(digits[15])")
    }

    /// Returns the file of the copy in another state.
    fileprivate func path(_ state: State) -> String {
        let end = self.state == .done ? ".db" : ".\(self.state.rawValue).db"
        return path.dropLast(end.count) + (state == .done ? ".db" : ".\(state.rawValue).db")
    }
}

/// Copies of the database before each change, and the way back.
///
/// A copy is the database itself, made through SQLite's backup interface: whatever is in it comes back, also what this
/// program does not know. Copies lie in the folder `NAME.safety` beside the database. The last ten from before a change
/// stay, and the last ten from before an undo; of each kind those that an undo used go first.
public enum SlateSafetyBackups {
    /// The number of copies of each kind that stay.
    public static let keptCopies = 10

    /// Returns the folder of the copies of a database; it lies beside the file itself, also where the path is that of a
    /// link.
    public static func folder(of path: String) -> String { StorePath.resolved(path) + ".safety" }

    /// Returns the copies of a database, the newest first.
    public static func copies(of path: String) -> [SlateSafetyBackup] {
        let folder = folder(of: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.compactMap { SlateSafetyBackup($0, in: folder) }.sorted { $0.number > $1.number }
    }

    // MARK: Making copies

    /// Copies a database into its folder; the copy is complete and on the disk when it has its name, and pending.
    static func copy(
        _ path: String,
        reason: SlateSafetyBackup.Reason,
        moment: Timestamp
    ) throws -> SlateSafetyBackup {
        let folder = folder(of: path)
        let time = moment.description.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
        let number = String((copies(of: path).first?.number ?? 0) + 1)
        let padding = String(repeating: "0", count: max(0, 6 - number.count))
        let name = "\(padding)\(number)-\(time)-\(reason.rawValue).pending.db"
        try StoreLocation.createFolder(of: folder + "/copy")
        if reason == .beforeUndo { removeLeftovers(of: path, reason) }
        let temporary = "\(folder)/.\(name).tmp"
        do {
            if let settings = try SlateStorage.file(beside: path) {
                try duplicate(settings, asIs: true, to: temporary)
                try DurableFile.rename(temporary, to: "\(folder)/\(padding)\(number).storage")
            }
            try duplicate(path, asIs: reason == .beforeUndo, to: temporary)
            try DurableFile.rename(temporary, to: "\(folder)/\(name)")
        } catch {
            removeTemporary(temporary)
            StorePath.remove("\(folder)/\(padding)\(number).storage")
            throw failure(error, "the safety backup \(folder)/\(name) cannot be made", path)
        }
        guard let copy = SlateSafetyBackup(name, in: folder) else {
            throw StoreError(.inputOutput, "the safety backup has an invalid name", path: path)
        }
        return copy
    }

    /// Gives a copy the name of what has become of it.
    static func mark(_ copy: SlateSafetyBackup, _ state: SlateSafetyBackup.State) throws -> SlateSafetyBackup {
        let path = copy.path(state)
        try DurableFile.rename(copy.path, to: path)
        guard let marked = SlateSafetyBackup(Files.name(of: path), in: Files.folder(of: path)) else {
            throw StoreError(.inputOutput, "the safety backup has an invalid name", path: path)
        }
        return marked
    }

    /// Removes the copy of a change that failed.
    ///
    /// - Parameter unlessChanged: Whether the commit itself failed: then what was written may be there all the same, and
    ///   the copy stays.
    static func drop(_ copy: SlateSafetyBackup, of path: String, unlessChanged: Bool) {
        if !unlessChanged || (try? SlateRecords.areSame(copy.path, path)) == true {
            remove(copy)
        } else {
            _ = try? mark(copy, .done)
        }
    }

    /// - Parameter asIs: Whether a file that SQLite cannot read is copied as it is.
    static func duplicate(_ path: String, asIs: Bool, to target: String) throws {
        do {
            try backUp(
                try DatabaseQueue(path: path, configuration: SlateFile.configuration(readOnly: true)),
                toFile: target
            )
        } catch let error as DatabaseError where asIs && error.isDamage {
            removeTemporary(target)
            try DurableFile.copy(path, to: target)
        }
    }

    /// Makes a file with all of a database, which needs no other files to be read.
    static func backUp(_ source: DatabaseQueue, toFile target: String) throws {
        let copy = try DatabaseQueue(path: target)
        // The file is forced to the disk once it is complete; until then nobody would miss it.
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF") }
        try source.backup(to: copy)
        try copy.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
        try copy.close()
    }

    /// Returns the error with a message that says what failed.
    private static func failure(_ error: any Error, _ what: String, _ path: String) -> StoreError {
        let cause = (error as? DatabaseError).map { StoreError($0, path: path) } ?? error as? StoreError
        return StoreError(cause?.code ?? .inputOutput, "\(what): \(cause?.message ?? "\(error)")", path: path)
    }

    /// Removes all but the newest copies; what cannot be removed stays.
    static func removeOldCopies(of path: String) {
        let copies = copies(of: path)
        let newest = copies.first { $0.state == .done }?.number ?? 0
        // Those that an undo used go first: else undoing one import after the other would remove what is still to be undone.
        // One that is pending and newer than all that is done may be that of an import which is under way.
        // Those from before an undo count by themselves: undoing imports again and again removes no import's copy. There are
        // as many as there can be undos in a row, so that the state before the first of them stays.
        for isBeforeUndo in [false, true] {
            let kind = copies.filter { ($0.reason == .beforeUndo) == isBeforeUndo }
            let sorted = [SlateSafetyBackup.State.done, .pending, .used].flatMap { state in
                kind.filter { $0.state == state && !(state == .pending && $0.number > newest) }
            }
            for copy in sorted.dropFirst(keptCopies) { remove(copy) }
        }
    }

    /// Removes a copy, with that of the app's settings.
    private static func remove(_ copy: SlateSafetyBackup) {
        if let settings = try? SlateStorage.file(beside: copy.path) { StorePath.remove(settings) }
        StorePath.remove(copy.path)
    }

    /// Removes what is left of copies that were interrupted, made for the same reason.
    ///
    /// An import does so with the right to write to the database in its hand, so that no other import makes a copy then.
    static func removeLeftovers(of path: String, _ reason: SlateSafetyBackup.Reason) {
        let folder = folder(of: path)
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] where name.hasPrefix(".") {
            guard let end = name.ranges(of: ".tmp").last,
                SlateSafetyBackup(String(name[..<end.lowerBound].dropFirst()), in: folder)?.reason == reason,
                besides.contains(String(name[end.upperBound...]))
            else { continue }
            StorePath.remove("\(folder)/\(name)")
        }
    }

    /// The endings of the files beside a database, as SQLite adds them to its name.
    private static let besides = ["", "-journal", "-wal", "-shm"]

    private static func removeTemporary(_ path: String) {
        for suffix in besides { StorePath.remove(path + suffix) }
    }
}

extension DatabaseError {
    /// True if the file is no database, or a damaged one.
    var isDamage: Bool { resultCode == .SQLITE_NOTADB || resultCode == .SQLITE_CORRUPT }
}
