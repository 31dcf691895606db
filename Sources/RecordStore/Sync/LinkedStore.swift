public import CivilTime
public import SQLiteDatabase
public import StrictJSON
internal import Synchronization

/// The upgrade that an older store needs before anything is written to it.
public struct StoreUpgrade: Sendable {
    /// The version that the store has.
    public let old: Int
    /// The version that it gets.
    public let new: Int
    private let upgrade: @Sendable (Timestamp) throws -> String?

    /// Makes an upgrade.
    ///
    /// - Parameter upgrade: Keeps a copy, upgrades the store, and returns the copy's path; nil where no upgrade is needed
    ///   any more. It takes the moment by which the copy is named.
    public init(from old: Int, to new: Int, _ upgrade: @escaping @Sendable (Timestamp) throws -> String?) {
        (self.old, self.new, self.upgrade) = (old, new, upgrade)
    }

    /// Upgrades the store, of which a copy is kept first.
    ///
    /// - Parameter moment: The moment by which the copy is named.
    /// - Returns: The path of the copy; nil where another program upgraded the store meanwhile.
    /// - Throws: ``StoreError`` where the copy or the store cannot be written; the store is as it was then.
    @discardableResult
    public func run(moment: Timestamp) throws -> String? { try upgrade(moment) }
}

/// The part of an app's store that differs from other apps' stores, for sync.
public protocol StoreAdapter: Sendable {
    /// The app.
    var app: AppID { get }
    /// The declaration of a declared app; nil for the others.
    var declaration: AppDeclaration? { get }
    /// The collections, in the order of the format; the record of the document's own members has the empty name.
    var collections: [String] { get }
    /// Small collections that sync compares as a whole: those with an order, with keys that depend on known records, and
    /// those that are one record.
    var wholeCollections: Set<String> { get }
    /// Collections that are one record, whose key is empty.
    var singleRecords: Set<String> { get }
    /// Collections whose key consists of several members, with their names in the key's order.
    var compositeKeys: [String: [String]] { get }
    /// The tables with their notes.
    var sources: [JournalSource] { get }
    /// True if only programs that keep a record's unknown members write the store: who takes one away removes it.
    var keepsUnknownMembers: Bool { get }

    /// Returns the key of the record of a row, by the primary key that another table noted; nil where the row is gone.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the row cannot be read.
    func key(ofRow id: String, in collection: String, _ database: Database) throws -> String?
    /// Returns the keys of the records that a text of the journal names.
    ///
    /// The set is empty for a row that is gone. It is nil for a text that names no record.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when a row cannot be read.
    func keys(ofJournal text: String, in collection: String, _ database: Database) throws -> Set<StoreRecordKey>?
    /// Returns dirty records that the journal does not note.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the database cannot be read.
    func furtherKeys(_ database: Database) throws -> [StoreRecordKey]
    /// Clears the records that ``furtherKeys(_:)`` returns.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the database cannot be written.
    func clear(_ database: Database) throws
    /// Returns the tables, and columns as `table.column`, that belong to no record.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the database cannot be read.
    func unknown(_ database: Database, path: String) throws -> [String]
    /// Returns why the app's programs could not read a record; nil where they can.
    func fault(of object: JSONObject, in collection: String) -> String?
    /// Opens an existing store and checks it.
    ///
    /// - Throws: `store.not-found`, `store.cannot-open`, `store.not-a-database`, `store.foreign`,
    ///   `store.newer-version`, or another ``StoreError`` of opening a file.
    func open(_ path: String) throws(StoreError) -> DatabaseQueue
    /// Makes an empty store.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the file cannot be written.
    func make(_ path: String) throws
    /// Returns the store's version, read in a transaction: another program may have changed the file since it was
    /// opened.
    ///
    /// - Throws: ``StoreError`` such as `store.foreign` or `store.newer-version`, when the file is no longer the app's
    ///   store.
    func version(of database: Database, path: String) throws -> Int
    /// Returns the upgrade that a store needs, to which a person agrees first; nil where it needs none.
    ///
    /// - Throws: As ``open(_:)``.
    func pendingUpgrade(of path: String) throws(StoreError) -> StoreUpgrade?
    /// Prepares the database for sync: makes what belongs to no version of the app's tables.
    ///
    /// - Throws: `store.older-version` for a store with a pending upgrade; another ``StoreError`` or SQLite's error, when
    ///   the database cannot be written.
    func prepare(_ database: Database, path: String) throws
    /// Gives rows that got the number of a deleted one, while no trigger noted that, keys of their own.
    ///
    /// - Parameter known: Returns the record that is known by a key; nil for none.
    /// - Throws: The error of `known`; SQLite's error, when the keys cannot be written.
    func separateReused(_ database: Database, _ known: (StoreRecordKey) throws -> JSONObject?) throws
    /// Makes a reader of the records.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the database cannot be read.
    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader
    /// Makes a writer of records.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the database cannot be prepared for writing.
    func writer(_ database: Database, path: String) throws -> any StoreWriter
}

extension StoreAdapter {
    /// None.
    public var declaration: AppDeclaration? { nil }
    /// None.
    public var compositeKeys: [String: [String]] { [:] }
    /// False: an app that does not know a member leaves it out.
    public var keepsUnknownMembers: Bool { false }
    /// Returns nil: no journal names rows.
    ///
    /// - Throws: Nothing.
    public func key(ofRow id: String, in collection: String, _ database: Database) throws -> String? { nil }
    /// Returns the record of that key; a composite key is the canonical array of its texts.
    ///
    /// - Throws: The error of ``StoreAdapter/key(ofRow:in:_:)``.
    public func keys(ofJournal text: String, in collection: String, _ database: Database) throws -> Set<
        StoreRecordKey
    >? {
        guard compositeKeys[collection] != nil else { return [StoreRecordKey(collection, text)] }
        if text.hasPrefix(JournalKey.row) {
            guard let id = JournalKey.texts(String(text.dropFirst(JournalKey.row.count)))?.first else { return nil }
            return try key(ofRow: id, in: collection, database).map { [StoreRecordKey(collection, $0)] } ?? []
        }
        return JournalKey.texts(text).map { [StoreRecordKey(collection, JournalKey.canonical($0))] }
    }
    /// Returns no keys.
    ///
    /// - Throws: Nothing.
    public func furtherKeys(_ database: Database) throws -> [StoreRecordKey] { [] }
    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public func clear(_ database: Database) throws {}
    /// Returns nil: a store has one version, or needs no consent.
    ///
    /// - Throws: Nothing.
    public func pendingUpgrade(of path: String) throws(StoreError) -> StoreUpgrade? { nil }
    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public func prepare(_ database: Database, path: String) throws {}
    /// Does nothing.
    ///
    /// - Throws: Nothing.
    public func separateReused(_ database: Database, _ known: (StoreRecordKey) throws -> JSONObject?) throws {}
    /// The document's own members.
    public var singleRecords: Set<String> { [""] }

    /// Returns whether the store has a place for a record; it has none for an unknown collection.
    func hasPlace(for key: StoreRecordKey) -> Bool {
        // The store keeps a declared app's newer tables beside its own.
        if declaration != nil { return !key.collection.isEmpty }
        return collections.contains(key.collection) && (key.key.isEmpty || !singleRecords.contains(key.collection))
    }

    /// Returns nothing: a store with a version rejects a newer one.
    ///
    /// - Throws: Nothing.
    public func unknown(_ database: Database, path: String) throws -> [String] { [] }
}

/// An order in which a store's records are read.
public enum RecordOrder: Sendable {
    /// The order that the collection shows; for one without an order, as the rows lie.
    case collection
    /// The order of the keys where an index gives that, else any: a replica has its records by key, so that comparing a
    /// large store takes a fraction of the time.
    case key
}

/// Reads the records of a store in one transaction.
public protocol StoreReader: AnyObject {
    /// Returns the record of a key; nil where there is none.
    ///
    /// - Throws: ``StoreError`` `store.record` or `slate.value` where the row holds a value that its column cannot;
    ///   SQLite's error.
    func record(_ key: StoreRecordKey) throws -> JSONObject?
    /// Returns the records of a few keys, each as ``record(_:)`` returns it or with the fault of its row.
    ///
    /// - Throws: SQLite's error.
    func records(_ keys: [StoreRecordKey]) throws -> [Result<JSONObject?, UnreadableRow>]
    /// Calls `body` with each record of a collection, in constant memory.
    ///
    /// - Parameters:
    ///   - order: The order of the records.
    ///   - unreadable: Takes each row with a value that its column cannot hold.
    /// - Throws: SQLite's error, when the table cannot be read; the errors of `body` and `unreadable`.
    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws
    /// Returns the number of records of a collection.
    ///
    /// - Throws: SQLite's error, when the table cannot be read.
    func count(_ collection: String) throws -> Int
    /// Tells whether the store's settings no longer keep an entry of a log.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the settings cannot be read.
    func isExpired(_ entry: JSONObject, in collection: String, now: Timestamp) throws -> Bool
}

extension StoreReader {
    /// Reads the records one by one.
    ///
    /// - Throws: SQLite's error.
    public func records(_ keys: [StoreRecordKey]) throws -> [Result<JSONObject?, UnreadableRow>] {
        try keys.map(readable)
    }

    /// Returns the record of a key, or the fault of its row.
    ///
    /// - Throws: SQLite's error.
    public func readable(_ key: StoreRecordKey) throws -> Result<JSONObject?, UnreadableRow> {
        do {
            return .success(try UnreadableRow.translating(key.collection, key.key) { try record(key) })
        } catch let row as UnreadableRow {
            return .failure(row)
        }
    }

    /// Returns false: the app keeps its log.
    ///
    /// - Throws: Nothing.
    public func isExpired(_ entry: JSONObject, in collection: String, now: Timestamp) throws -> Bool { false }
}

/// Writes records within one transaction.
public protocol StoreWriter {
    /// Writes edits, each within ``SyncEdit/naming(_:)``.
    ///
    /// - Parameter orders: For collections with an order, the final order of their records by the value of `id`.
    /// - Throws: The error of ``SyncEdit/naming(_:)`` for a record that the store rejects.
    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws
    /// Derives the values that follow from the written records.
    ///
    /// - Throws: ``StoreError`` or SQLite's error, when the derived values cannot be written.
    func finish() throws
}

/// The store of any app, as sync uses it.
package final class LinkedStore: SyncStore {
    package let path: String
    private let adapter: any StoreAdapter
    private let openLate: @Sendable () throws(StoreError) -> LinkedStore
    private let opened: Mutex<DatabaseQueue?>
    private let triggers = KnownTriggers()

    /// Opens a store.
    package convenience init(_ adapter: any StoreAdapter, path: String) throws(StoreError) {
        let queue = try adapter.open(path)
        self.init(adapter, path: path, queue) { () throws(StoreError) in try LinkedStore(adapter, path: path) }
    }

    /// Makes a store that opens at its first use.
    package convenience init(
        late adapter: any StoreAdapter,
        path: String,
        open: @escaping @Sendable () throws(StoreError) -> LinkedStore
    ) {
        self.init(adapter, path: path, nil, open)
    }

    private init(
        _ adapter: any StoreAdapter,
        path: String,
        _ queue: DatabaseQueue?,
        _ open: @escaping @Sendable () throws(StoreError) -> LinkedStore
    ) {
        self.adapter = adapter
        self.path = path
        opened = Mutex(queue)
        openLate = open
    }

    private var queue: DatabaseQueue {
        get throws {
            try opened.withLock { queue in
                if let queue { return queue }
                let found = try openLate().queue
                queue = found
                return found
            }
        }
    }

    /// True if the database holds the declaration of an app.
    var isDeclared: Bool {
        get throws { try queue.read { try $0.names(ofType: "table").contains(DeclaredKeys.app) } }
    }

    /// The upgrade that the store needs before sync writes to it; nil where it needs none.
    var pendingUpgrade: StoreUpgrade? {
        get throws(StoreError) { try adapter.pendingUpgrade(of: path) }
    }

    package var app: AppID { adapter.app }
    package var declaration: AppDeclaration? { adapter.declaration }
    package var collections: [String] { adapter.collections }
    package var wholeCollections: Set<String> { adapter.wholeCollections }
    package var keepsUnknownMembers: Bool { adapter.keepsUnknownMembers }

    package func fault(of object: JSONObject, in collection: String) -> String? {
        adapter.declaration != nil || collections.contains(collection)
            ? adapter.fault(of: object, in: collection) : RejectedRecord.noPlace
    }

    package func setLink(_ link: SyncLink) throws {
        _ = try change { database in
            _ = try adapter.version(of: database, path: path)
            try adapter.prepare(database, path: path)
            try state(database).setLink(link)
            return true
        }
    }

    package func removeLink() throws {
        _ = try change { database in
            try state(database).remove()
            return true
        }
    }

    package func separateReused(_ known: (StoreRecordKey) throws -> JSONObject?) throws {
        _ = try change { database in
            try adapter.separateReused(database, known)
            return true
        }
    }

    package func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.read { try body(StoreRecords(state($0))) }
        }
    }

    package func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.unsafeRead { try body(StoreRecords(state($0))) }
        }
    }

    package func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) throws -> Bool
    {
        try change { database in
            let state = state(database)
            guard let found = try state.link(), revision ?? found.revision == found.revision,
                found.link.space == link.space,
                found.link.replica == link.replica, found.link.generation <= link.generation, try state.isIntact()
            else { return false }
            _ = try adapter.version(of: database, path: path)
            let writer = try LinkedWriter(state)
            do {
                try body(writer)
                try writer.finish(link)
            } catch {
                try writer.end()
                throw error
            }
            try writer.end()
            return true
        }
    }

    private func state(_ database: Database) -> SyncState {
        SyncState(database: database, adapter: adapter, path: path, triggers: triggers)
    }

    /// Changes the store in one transaction, which rolls back if `body` throws or returns false.
    private func change(_ body: (Database) throws -> Bool) throws -> Bool {
        try StorePath.rethrowing(path) {
            try queue.writeWithoutTransaction { database in
                var isKept = false
                try database.inTransaction(.immediate) {
                    isKept = try body(database)
                    return isKept ? .commit : .rollback
                }
                return isKept
            }
        }
    }
}

/// The link, the journal and the records of a store in one transaction.
package final class StoreRecords: SyncRecords {
    private let state: SyncState
    private var opened: (any StoreReader)?

    package init(_ state: SyncState) { self.state = state }

    /// The reader, made for the first record; most uses need only link and journal.
    private var source: any StoreReader {
        get throws {
            if let opened { return opened }
            let version = try state.adapter.version(of: state.database, path: state.path)
            let source = try state.adapter.source(state.database, version: version, path: state.path)
            opened = source
            return source
        }
    }

    package var link: SyncLink? { get throws { try state.link()?.link } }
    package var journal: SyncJournal { get throws { try state.journal() } }
    package var mark: JournalMark { get throws { try state.mark() } }
    package var leftOut: Set<StoreRecordKey> { get throws { try state.leftOut() } }
    package var schema: Int { get throws { try state.schema() } }

    package func record(_ key: StoreRecordKey) throws -> JSONObject? {
        try UnreadableRow.translating(key.collection, key.key) { try source.record(key) }
    }

    package func records(_ keys: [StoreRecordKey]) throws -> [Result<JSONObject?, UnreadableRow>] {
        if state.database.isInsideTransaction { return try source.records(keys) }
        try state.database.beginTransaction(.deferred)
        defer { if state.database.isInsideTransaction { try? state.database.rollback() } }
        return try source.records(keys)
    }

    package func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        try source.forEachRecord(in: collection, by: order, body, unreadable: unreadable)
    }

    package var unsynced: [String] { get throws { try state.adapter.unknown(state.database, path: state.path) } }

    package func count(_ collection: String) throws -> Int { try source.count(collection) }

    package func removal(of key: StoreRecordKey, _ entry: JSONObject, now: Int) throws -> LogRemoval? {
        if let removal = try state.removal(of: key) { return removal }
        let now = Timestamp(seconds: now / 1_000)
        return try source.isExpired(entry, in: key.collection, now: now) ? .evicted : nil
    }
}
