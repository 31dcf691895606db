internal import FileSystem
internal import SQLiteDatabase

/// Opens the file of a replica's state: one SQLite database beside the store.
///
/// The file is locked while it is open, so that the second of two processes waits.
struct StateFile {
    let path: String

    /// Returns the path of the state of a store's replica.
    static func path(ofStore store: String) -> String { store + ".foldersync" }

    /// `SYNC` in ASCII.
    private static let applicationID = 0x5359_4E43
    /// The steps from an empty file on; a released step never changes.
    private static let steps = [tables, given, quarantined, unreadable, sums, gifts, blocks, restored, vectors]

    /// True if the file exists.
    var exists: Bool { (try? Files.exists(path)) == true }

    /// Opens the file, or makes it if the caller asks for it; only this user can read a new one, whatever the store's mode.
    ///
    /// - Throws: `sync.busy`, `sync.state`, `sync.newer-version`, `sync.not-joined`, `sync.io`.
    func open(making: Bool, lockTimeout: Double) throws -> DatabaseQueue {
        guard making || exists else {
            throw notJoined
        }
        let identity = try identity(making: making)
        var configuration = Configuration()
        configuration.busyMode = .timeout(lockTimeout)
        configuration.label = "foldersync"
        configuration.prepareDatabase { database in
            try RowSum.add(to: database)
            try database.execute(
                sql:
                    "PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA cache_size = -6144"
            )
        }
        return try translating {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.writeWithoutTransaction { database in
                // This takes the lock, which stays until the file is closed.
                try database.inTransaction(.exclusive) {
                    try takeSteps(database)
                    return .commit
                }
            }
            // Whoever had the lock may have removed the file, as leave does.
            guard try identity == FileStatus(path)?.identity else {
                try queue.close()
                throw notJoined
            }
            return queue
        }
    }

    /// Makes the file if the caller asks for it, and returns what tells it from another file at its path.
    private func identity(making: Bool) throws -> FileIdentity? {
        do {
            if making, try FileStatus(path) == nil { try Files.makeEmpty(path, mode: 0o600) }
            return try FileStatus(path)?.identity
        } catch {
            throw SyncError(.inputOutput, "the file cannot be made (\(error.reason))", path: path)
        }
    }

    private var notJoined: SyncError {
        SyncError(.notJoined, "the store is in no shared folder; use init or join", path: path)
    }

    private func takeSteps(_ database: Database) throws {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let isEmpty = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") == 0
        guard application == Self.applicationID || isEmpty && application == 0 else {
            throw SyncError(.state, "the file is a database of another program, expected one of foldersync", path: path)
        }
        guard version <= Self.steps.count else {
            let message =
                "the file has version \(version) and this program knows versions up to \(Self.steps.count); update the program"
            throw SyncError(.newerVersion, message, path: path)
        }
        guard version < Self.steps.count else { return }
        for step in Self.steps.dropFirst(version) { try database.execute(sql: step) }
        try database.execute(
            sql: "PRAGMA application_id = \(Self.applicationID); PRAGMA user_version = \(Self.steps.count)"
        )
    }

    /// Runs a body, and throws SQLite's errors as ``SyncError``.
    func translating<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            let detail = error.message ?? "SQLite error \(error.resultCode.rawValue)"
            switch error.resultCode {
            case .SQLITE_BUSY, .SQLITE_LOCKED:
                throw SyncError(
                    .busy,
                    "another process works with this replica; try again when it has ended",
                    path: path
                )
            case .SQLITE_NOTADB, .SQLITE_CORRUPT:
                let message =
                    "the file is damaged (\(detail)); move it away and use join, which compares the store with the folder"
                throw SyncError(.state, message, path: path)
            default:
                // An earlier step of the same sync may have written the store.
                let message =
                    "reading or writing failed (\(detail)); what was done before stays, and the next sync goes on"
                throw SyncError(.inputOutput, message, path: path)
            }
        }
    }

    /// The tables of version 1.
    ///
    /// - `record.line`: the record as docs/sync.md has it; NULL where it is deleted and the store still has it.
    /// - `record.place`: 0 the store lacks the record; 1 it has what `line` resolves to; 2 it has `base`; 3 it had the
    ///   record and dropped it, as its app keeps a log only for a while; 4 the packed record is gone.
    /// - `touched`: the dirty records, for which the store may need a write; see the next step.
    /// - `offered`: the parts of its files that an exporting device has differently.
    /// - `link`: the names and references of a record, for the invariants.
    /// - `segment.state`: 0 waits, 1 is applied, 2 belongs to another app.
    private static let tables = """
        CREATE TABLE property (name TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE head (
            writer TEXT NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL,
            hash TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE record (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            line BLOB,
            place INTEGER NOT NULL DEFAULT 0,
            base TEXT,
            conflicts INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (collection, key)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX record_conflicts ON record (collection, key) WHERE conflicts > 0;
        CREATE TABLE touched (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            unseen INTEGER NOT NULL,
            PRIMARY KEY (collection, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE offered (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            object TEXT,
            PRIMARY KEY (collection, key)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE link (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            is_name INTEGER NOT NULL,
            target TEXT NOT NULL,
            seen TEXT NOT NULL,
            PRIMARY KEY (collection, key, is_name, target)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX link_target ON link (target, is_name);
        CREATE TABLE segment (
            writer TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            hash TEXT NOT NULL,
            previous TEXT,
            branch TEXT NOT NULL,
            state INTEGER NOT NULL,
            is_own INTEGER NOT NULL,
            is_published INTEGER NOT NULL,
            clock INTEGER NOT NULL,
            device TEXT NOT NULL,
            device_name TEXT NOT NULL,
            heads TEXT NOT NULL,
            minimum_reader INTEGER NOT NULL DEFAULT 1,
            size INTEGER NOT NULL,
            bytes BLOB,
            PRIMARY KEY (writer, sequence, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX segment_branch ON segment (branch, sequence);
        CREATE INDEX segment_waiting ON segment (clock) WHERE state = 0;
        CREATE INDEX segment_unpublished ON segment (sequence) WHERE is_published = 0;
        CREATE TABLE fork (
            writer TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            hash TEXT NOT NULL,
            branch TEXT NOT NULL,
            PRIMARY KEY (writer, sequence, hash)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE checkpoint (
            name TEXT NOT NULL PRIMARY KEY,
            is_own INTEGER NOT NULL,
            is_covered INTEGER NOT NULL,
            size INTEGER NOT NULL,
            clock INTEGER NOT NULL,
            heads TEXT
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE device (
            id TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            writer TEXT NOT NULL,
            clock INTEGER NOT NULL,
            heads TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 2 adds the state that the store has a record from, until the store gets the present one.
    ///
    /// - `touched.unseen`: 0 where all changes were made or seen in the store; 1 where others changed the record since
    ///   the store got it; 2 where that is unknown. For 1, `line` is the store's record, or NULL for none, at the time
    ///   when the state had seen `heads`.
    /// - `touched.reason`: why the store rejects the record; NULL where it was not tried yet.
    private static let given = """
        ALTER TABLE touched ADD COLUMN line BLOB;
        ALTER TABLE touched ADD COLUMN heads TEXT;
        ALTER TABLE touched ADD COLUMN reason TEXT;
        CREATE INDEX touched_reason ON touched (collection, key) WHERE reason IS NOT NULL;
        UPDATE touched SET unseen = 2 WHERE unseen = 1;
        """

    /// Version 3 adds what sync does not read or publish again until it changes.
    ///
    /// - `segment.is_checked`: whether it was read completely before it was kept.
    /// - `set_aside`: files of the folder that cannot be used. `stamp` is the file's fingerprint and the program, `time` when
    ///   it was read, in nanoseconds since 1970.
    /// - `too_large`: records of the store that cannot be published.
    private static let quarantined = """
        ALTER TABLE segment ADD COLUMN is_checked INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE set_aside (
            path TEXT NOT NULL PRIMARY KEY,
            stamp TEXT NOT NULL,
            time INTEGER NOT NULL,
            kind TEXT NOT NULL,
            message TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE too_large (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            reason TEXT NOT NULL,
            title TEXT,
            PRIMARY KEY (collection, key)
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 4 adds `too_large.is_unreadable`: whether the store's row is unreadable.
    private static let unreadable = "ALTER TABLE too_large ADD COLUMN is_unreadable INTEGER NOT NULL DEFAULT 0;"

    /// Version 5 adds `sum`, the ``RowSum`` of the other columns of a row, which is checked at each reading.
    private static let sums = """
        ALTER TABLE property ADD COLUMN sum INTEGER;
        ALTER TABLE head ADD COLUMN sum INTEGER;
        ALTER TABLE record ADD COLUMN sum INTEGER;
        ALTER TABLE link ADD COLUMN sum INTEGER;
        UPDATE property SET sum = row_sum(name, value);
        UPDATE head SET sum = row_sum(writer, sequence, hash);
        UPDATE record SET sum = row_sum(collection, key, line, place, base, conflicts);
        UPDATE link SET sum = row_sum(collection, key, is_name, target, seen);
        """

    /// Version 6 adds each file for an exporting device, until the device has imported it.
    ///
    /// - `gift.heads`: the changes in the file.
    /// - `offered`: a record in this file and the later ones, up to the next with a row for it; NULL where they lack
    ///   it. `line` is the state that it was resolved from. A record without a row is in the file as the device has it.
    private static let gifts = """
        DROP TABLE offered;
        CREATE TABLE gift (number INTEGER NOT NULL PRIMARY KEY, heads TEXT NOT NULL) STRICT;
        CREATE TABLE offered (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            number INTEGER NOT NULL,
            object TEXT,
            line BLOB,
            PRIMARY KEY (collection, key, number)
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 7 adds the blocks of ``PackedRecords``.
    ///
    /// - `record.is_packed`: 1 where a block has a record with this key, in whose place the row stands; 2 where that
    ///   block waits.
    /// - `block.is_waiting`: whether the store lacks its records.
    /// - `block.lines`: the lines of records, in order, compressed.
    /// - `block_link.target`: the hash of a text that a record of the block refers to, or that names it.
    /// - `block_name`: the beginnings of packed records' names that end with their keys.
    /// - `segment.heads`: from now on only while the segment waits or is not published.
    private static let blocks = """
        ALTER TABLE record ADD COLUMN is_packed INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX record_packed ON record (collection) WHERE is_packed;
        CREATE TABLE block (
            number INTEGER NOT NULL PRIMARY KEY,
            collection TEXT NOT NULL,
            first TEXT NOT NULL,
            last TEXT NOT NULL,
            count INTEGER NOT NULL,
            is_waiting INTEGER NOT NULL,
            sum INTEGER NOT NULL,
            lines BLOB NOT NULL
        ) STRICT;
        CREATE INDEX block_first ON block (collection, first, is_waiting, count);
        CREATE INDEX block_waiting ON block (number, count) WHERE is_waiting;
        CREATE TABLE block_link (
            target INTEGER NOT NULL,
            block INTEGER NOT NULL,
            PRIMARY KEY (target, block)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE block_name (
            prefix TEXT NOT NULL,
            collection TEXT NOT NULL,
            PRIMARY KEY (prefix, collection)
        ) STRICT, WITHOUT ROWID;
        UPDATE segment SET heads = '{}' WHERE is_published AND state <> 0;
        """

    /// Version 8 adds what restores the records that went with one that stays.
    ///
    /// - `touched.is_contested`: whether the record stayed, though somebody deleted it, since the store got it.
    /// - `touched.is_alone`: 1 where somebody deleted the record, and none of those that it makes no sense without; 2
    ///   where only a checkpoint tells that it is gone; else 0.
    /// - `restored`: the records that this device restored, with those that they make no sense without.
    private static let restored = """
        ALTER TABLE touched ADD COLUMN is_contested INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE touched ADD COLUMN is_alone INTEGER NOT NULL DEFAULT 0;
        CREATE TABLE restored (
            collection TEXT NOT NULL,
            key TEXT NOT NULL,
            owner_collection TEXT NOT NULL,
            owner TEXT NOT NULL,
            PRIMARY KEY (owner_collection, owner, collection, key)
        ) STRICT, WITHOUT ROWID;
        """

    /// Version 9 keeps the heads of dirty records once for all that have the same.
    ///
    /// - `touched.vector`: the number of what `touched.heads` held, which made each row take a page of its own.
    private static let vectors = """
        CREATE TABLE vector (number INTEGER NOT NULL PRIMARY KEY, heads TEXT NOT NULL UNIQUE) STRICT;
        INSERT INTO vector (heads) SELECT DISTINCT heads FROM touched WHERE heads IS NOT NULL;
        ALTER TABLE touched ADD COLUMN vector INTEGER;
        UPDATE touched SET vector = (SELECT number FROM vector v WHERE v.heads = touched.heads) WHERE heads IS NOT NULL;
        ALTER TABLE touched DROP COLUMN heads;
        """
}

extension StateFile {
    /// Removes the file, with SQLite's files beside it.
    ///
    /// It may be open: whoever waits for its lock then finds it gone.
    func remove() throws {
        for end in ["-journal", "-wal", "-shm"] { _ = try? Files.remove(path + end) }
        do throws(FileError) {
            try Files.remove(path)
        } catch {
            throw SyncError(.inputOutput, "the file cannot be removed (\(error.reason))", path: path)
        }
    }
}
