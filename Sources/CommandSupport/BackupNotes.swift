internal import Crypto
internal import FileSystem
internal import RecordStore
package import StrictJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// A backup that was read back and found good.
package struct BackupNote: Sendable, Hashable {
    /// The whole path of the file.
    package var file: String
    /// The moment whose records it holds, RFC 3339.
    package var createdAt: String
    /// The time of the last check, RFC 3339.
    package var verifiedAt: String
    /// Its size in bytes.
    package var size: Int
    /// The number of its records.
    package var records: Int
    /// The SHA-256 of its bytes.
    package var digest: String

    /// Makes a note of a backup.
    package init(file: String, createdAt: String, verifiedAt: String, size: Int, records: Int, digest: String) {
        self.file = file
        self.createdAt = createdAt
        self.verifiedAt = verifiedAt
        self.size = size
        self.records = records
        self.digest = digest
    }
}

/// The schedule of automatic backups of a store.
package struct ScheduleNote: Sendable, Hashable {
    /// `daily` or `weekly`.
    package var every: String
    /// The folder that the backups go into.
    package var folder: String
    /// The number of backups to keep; nil for the default rules.
    package var keep: Int?
    /// The scheduler: `systemd`, `cron` or `launchd`.
    package var scheduler: String

    /// Makes a note of a schedule.
    package init(every: String, folder: String, keep: Int?, scheduler: String) {
        self.every = every
        self.folder = folder
        self.keep = keep
        self.scheduler = scheduler
    }
}

/// The notes on the backups of one store.
package struct StoreBackups: Sendable, Hashable {
    /// The backups that were good, the newest first.
    package var backups: [BackupNote] = []
    /// The schedule, where one was set up.
    package var schedule: ScheduleNote?

    /// The number of backups to remember.
    private static let most = 50

    /// Makes empty notes.
    package init() {}

    /// Notes a backup in place of an older one in the same file.
    package mutating func add(_ note: BackupNote) {
        let others = backups.filter { $0.file != note.file }.sorted { $0.moment > $1.moment }
        // Later ones may be of a clock that was wrong, and must not push out the true ones.
        let later = others.filter { $0.moment > note.moment }.prefix(Self.most)
        backups = Array(later) + [note] + others.filter { $0.moment <= note.moment }.prefix(Self.most - 1)
    }
}

/// The file that remembers good backups: `$XDG_STATE_HOME/satchel/backups.json`, or what `SATCHEL_BACKUPS` names.
///
/// It can be lost: `verify --store` notes a backup again.
package struct BackupNotes: Sendable {
    private static let format = "satchel-backups"

    package let path: String

    /// Makes the file of this user; nil where the environment does not tell its place.
    package init?() {
        let environment = ProcessInfo.processInfo.environment
        if let path = environment["SATCHEL_BACKUPS"], !path.isEmpty {
            self.path = ResolvedPath(path).text
        } else if let state = environment["XDG_STATE_HOME"], state.hasPrefix("/") {
            path = "\(state)/satchel/backups.json"
        } else if let home = environment["HOME"], !home.isEmpty {
            path = "\(home)/.local/state/satchel/backups.json"
        } else {
            return nil
        }
    }

    /// Returns the notes on a store's backups.
    ///
    /// - Throws: 65 where the file is damaged or of a newer version, 66 where it cannot be read.
    package func backups(of store: String) throws(CommandFailure) -> StoreBackups {
        try read()[ResolvedPath(store).text] ?? StoreBackups()
    }

    /// Returns another store whose backup a file was when it was noted; nil where none is known.
    ///
    /// - Throws: As ``backups(of:)``.
    package func store(ofBackup file: String, otherThan store: String) throws(CommandFailure) -> String? {
        let (file, store) = (ResolvedPath(file).text, ResolvedPath(store).text)
        return try read().filter { $0.key != store && $0.value.backups.contains { $0.file == file } }.keys.min()
    }

    /// Changes what is known of a store's backups; of two programs, the second sees what the first wrote.
    ///
    /// - Throws: As ``backups(of:)``, and 73 or 74 where the file cannot be written.
    package func update(_ store: String, _ change: (inout StoreBackups) -> Void) throws(CommandFailure) {
        let key = ResolvedPath(store).text
        try update { stores in change(&stores[key, default: StoreBackups()]) }
    }

    /// Returns the stores that have a schedule by a scheduler, by their whole paths.
    ///
    /// - Throws: As ``backups(of:)``.
    package func scheduledStores(by scheduler: String) throws(CommandFailure) -> [String] {
        try read().filter { $0.value.schedule?.scheduler == scheduler }.keys.sorted()
    }

    /// Notes the schedule of a store, nil where it ended.
    ///
    /// A scheduler has one of a user, so that those of other stores ended with it.
    ///
    /// - Throws: As ``update(_:_:)``.
    package func setSchedule(
        _ schedule: ScheduleNote?,
        of store: String,
        by scheduler: String
    ) throws(CommandFailure) {
        let key = ResolvedPath(store).text
        try update { stores in
            for other in stores.keys where stores[other]?.schedule?.scheduler == scheduler {
                stores[other]?.schedule = nil
            }
            stores[key, default: StoreBackups()].schedule = schedule
        }
    }

    /// Notes what a check of a file found; a file that is not noted stays unknown.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - note: The file as it was found; nil where it is not good any more.
    package func confirm(_ file: String, as note: BackupNote?) throws(CommandFailure) {
        let file = ResolvedPath(file).text
        guard try read().values.contains(where: { $0.backups.contains { $0.file == file } }) else { return }
        try update { stores in
            for key in stores.keys {
                guard let index = stores[key]?.backups.firstIndex(where: { $0.file == file }) else { continue }
                if let note {
                    stores[key]?.add(note)
                } else {
                    // No bytes have this digest, so status says that it was found damaged.
                    stores[key]?.backups[index].digest = ""
                }
            }
        }
    }

    private func update(_ change: (inout [String: StoreBackups]) -> Void) throws(CommandFailure) {
        do {
            try StoreLocation.createFolder(of: path)
            let lock = try FileLock(path + ".lock")
            defer { withExtendedLifetime(lock) {} }
            let before = try read()
            var stores = before
            change(&stores)
            guard stores != before else { return }
            PendingFile.removeLeftovers(in: Files.folder(of: path))
            try Files.write(Self.json(stores).encoded(.indented), to: path)
        } catch let error as CommandFailure {
            throw error
        } catch let error as FileError {
            throw CommandFailure(error)
        } catch {
            throw CommandFailure(library: error) ?? CommandFailure(.inputOutput, "cannot write \(path)")
        }
    }

    // MARK: The file

    private func read() throws(CommandFailure) -> [String: StoreBackups] {
        if (try? Files.exists(path)) == false { return [:] }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try Files.read(path, limit: 1 << 24)
        } catch {
            throw CommandFailure(error)
        }
        guard let root = try? JSONDocument(parsing: bytes).root.value, root["format"]?.string == Self.format else {
            let way = "remove it; slate-backup verify --store notes a backup again"
            throw CommandFailure(.badData, "\(path) does not hold the notes on backups that it should; \(way)")
        }
        guard root["version"]?.int == 1 else {
            throw CommandFailure(.badData, "\(path) is of a newer version of satchel")
        }
        var stores: [String: StoreBackups] = [:]
        for store in root["stores"]?.array ?? [] {
            guard let path = store["store"]?.string else { continue }
            var known = StoreBackups()
            known.backups = (store["backups"]?.array ?? []).compactMap { BackupNote($0) }
            known.schedule = store["schedule"].flatMap { ScheduleNote($0) }
            stores[path] = known
        }
        return stores
    }

    private static func json(_ stores: [String: StoreBackups]) -> JSONValue {
        let entries = stores.sorted { $0.key < $1.key }.map { path, store in
            var object: JSONObject = ["store": .string(path), "backups": .array(store.backups.map(\.json))]
            object["schedule"] = store.schedule?.json
            return JSONValue.object(object)
        }
        return ["format": .string(format), "version": 1, "stores": .array(entries)]
    }
}

extension BackupNote {
    /// Notes a file that was just checked; nil where it cannot be read.
    package init?(checked file: String, createdAt: String, verifiedAt: String, records: Int) {
        guard let digest = BackupFileDigest(of: file) else { return nil }
        self.init(
            file: ResolvedPath(file).text,
            createdAt: createdAt,
            verifiedAt: verifiedAt,
            size: digest.size,
            records: records,
            digest: digest.text
        )
    }

    fileprivate init?(_ json: JSONValue) {
        guard let file = json["file"]?.string, let createdAt = json["createdAt"]?.string,
            let verifiedAt = json["verifiedAt"]?.string, let size = json["size"]?.int,
            let records = json["records"]?.int, let digest = json["sha256"]?.string
        else { return nil }
        self.init(
            file: file,
            createdAt: createdAt,
            verifiedAt: verifiedAt,
            size: size,
            records: records,
            digest: digest
        )
    }

    /// The note for programs.
    package var json: JSONValue {
        [
            "file": .string(file), "createdAt": .string(createdAt), "verifiedAt": .string(verifiedAt),
            "size": .number(size), "records": .number(records), "sha256": .string(digest),
        ]
    }
}

extension ScheduleNote {
    fileprivate init?(_ json: JSONValue) {
        guard let every = json["every"]?.string, let folder = json["folder"]?.string,
            let scheduler = json["scheduler"]?.string
        else { return nil }
        self.init(every: every, folder: folder, keep: json["keep"]?.int, scheduler: scheduler)
    }

    /// The note for programs.
    package var json: JSONValue {
        [
            "every": .string(every), "folder": .string(folder),
            "keep": keep.map { .number($0) } ?? .null, "scheduler": .string(scheduler),
        ]
    }
}

/// The size of a file and the SHA-256 of its bytes.
struct BackupFileDigest {
    private(set) var size = 0
    /// The digest as 64 hexadecimal digits.
    let text: String

    /// Reads a file; nil where it cannot be read.
    init?(of path: String) {
        guard let file = try? OpenFile(reading: path), (try? file.status())?.kind == .file else { return nil }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { buffer.deallocate() }
        var hash = SHA256()
        while true {
            guard let count = try? file.read(at: size, into: buffer) else { return nil }
            guard count > 0 else { break }
            hash.update(bufferPointer: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            size += count
        }
        text = Hex.text(hash.finalize())
    }
}
