public import StrictJSON

/// The name of an app in sync: 2 to 32 of `a-z`, `0-9` and `-`, beginning with a letter.
public struct AppID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Makes a name of a text; nil for an invalid one.
    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard let first = bytes.first, (97...122).contains(first), (2...32).contains(bytes.count),
            bytes.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else { return nil }
        self.rawValue = rawValue
    }

    /// Makes a name of a valid text; no device reads what an app of another name writes.
    public init(_ name: StaticString) { rawValue = name.description }

    init(unchecked name: String) { rawValue = name }

    /// The name.
    public var description: String { rawValue }
}

extension AppID {
    /// BZ Timer, with GymPulse's presets.
    package static let bztimer = AppID("bztimer")
    /// Slate.
    package static let slate = AppID("slate")
    /// Time Tracker.
    package static let tracker = AppID("tracker")
    /// Study Timer.
    package static let study = AppID("study")

    /// Names that no declaration can take, so that older shared folders keep their meaning.
    package static let reserved: [AppID] = [.bztimer, .slate, .tracker, .study]
}

/// The name of a record in a store: a collection of the app's format and a key in it.
///
/// The key is the text of the member that `x-key` names, or the canonical JSON array of several members' values. It is
/// empty for a collection that is one record. In a collection with an order it is the value of the member `id` in the
/// store. Keys compare by code points.
public struct StoreRecordKey: Sendable, Hashable, Comparable {
    /// The collection.
    public let collection: String
    /// The record's key in it.
    public let key: String

    /// Makes a key.
    public init(_ collection: String, _ key: String) {
        self.collection = collection
        self.key = key
    }

    /// Returns whether both name one record.
    public static func == (left: StoreRecordKey, right: StoreRecordKey) -> Bool {
        left.key.hasSameScalars(as: right.key) && left.collection.hasSameScalars(as: right.collection)
    }

    /// Hashes the names by their code points.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ScalarKey(collection))
        hasher.combine(ScalarKey(key))
    }

    /// Returns whether a key comes before another, by code points.
    public static func < (left: StoreRecordKey, right: StoreRecordKey) -> Bool {
        let (one, two) = (left.collection.utf8, right.collection.utf8)
        return one.elementsEqual(two)
            ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8) : one.lexicographicallyPrecedes(two)
    }
}

/// The replica that a store belongs to, noted in the store itself.
///
/// A store whose link differs from the replica's own state was copied or restored.
package struct SyncLink: Sendable, Hashable {
    /// The space, and the replica of it.
    package var space: String
    package var replica: String
    /// A number that grows with each sync that read a change from the store or wrote to it.
    package var generation: Int

    package init(space: String, replica: String, generation: Int) {
        self.space = space
        self.replica = replica
        self.generation = generation
    }
}

/// The notes of the store's triggers since sync last cleared the journal.
package struct SyncJournal: Sendable, Hashable {
    /// The dirty records, each once, in order; for ``SyncStore/wholeCollections`` the key is empty.
    package var keys: JournalKeys
    /// A number that changes with every added or repeated entry.
    package var revision: Int
    /// True if all triggers exist, so that they noted every change.
    package var isIntact: Bool

    package init(keys: JournalKeys, revision: Int, isIntact: Bool) {
        self.keys = keys
        self.revision = revision
        self.isIntact = isIntact
    }
}

/// Keys of records in order, in a third of an array's room: there may be millions.
package struct JournalKeys: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
    /// The collections, each with the number of keys up to its end.
    private var runs: [Run] = []
    /// The ends of the keys in ``bytes``.
    private var ends: [Int] = []
    private var bytes: [UInt8] = []

    private struct Run: Hashable {
        let collection: String
        var end: Int
    }

    package init(arrayLiteral keys: StoreRecordKey...) { self.init(keys) }

    package init(_ keys: some Sequence<StoreRecordKey> = []) { for key in keys { append(key) } }

    package var count: Int { ends.count }
    package var isEmpty: Bool { ends.isEmpty }
    /// The collections of the keys, in order.
    package var collections: [String] { runs.map(\.collection) }

    package mutating func append(_ key: StoreRecordKey) {
        bytes.append(contentsOf: key.key.utf8)
        ends.append(bytes.count)
        if runs.last?.collection.hasSameScalars(as: key.collection) != true {
            runs.append(Run(collection: key.collection, end: 0))
        }
        runs[runs.count - 1].end = ends.count
    }

    package func makeIterator() -> some IteratorProtocol<StoreRecordKey> {
        var (run, index, start) = (0, 0, 0)
        return AnyIterator {
            guard index < ends.count else { return nil }
            if index == runs[run].end { run += 1 }
            defer { (index, start) = (index + 1, ends[index]) }
            return StoreRecordKey(runs[run].collection, String(decoding: bytes[start..<ends[index]], as: UTF8.self))
        }
    }
}

/// The numbers that a journal depends on: while they are the same, so is the journal.
package struct JournalMark: Sendable, Hashable {
    /// The same as ``SyncJournal/revision`` and ``SyncJournal/isIntact``.
    package let revision: Int
    package let isIntact: Bool
    /// Dirty records that the journal's table does not note.
    package let further: [StoreRecordKey]
}

/// A record to write, or to remove.
///
/// It lacks the members that are never sent: the store keeps or derives those.
public struct SyncEdit: Sendable {
    /// The record.
    public let key: StoreRecordKey
    /// The record's members; nil to remove it.
    public let object: JSONObject?

    /// Makes an edit.
    public init(_ key: StoreRecordKey, _ object: JSONObject?) {
        self.key = key
        self.object = object
    }
}

/// A store as sync uses it: records as objects of the app's format.
package protocol SyncStore: AnyObject, Sendable {
    var app: AppID { get }
    /// The declaration of a declared app; nil for the others.
    var declaration: AppDeclaration? { get }
    var path: String { get }
    /// The collections, in the order of the format; the record of the document's own members has the empty name.
    var collections: [String] { get }
    /// Small collections that sync compares as a whole: those with an order, with keys that depend on known records,
    /// and those that are one record.
    var wholeCollections: Set<String> { get }
    /// The same as ``StoreAdapter/keepsUnknownMembers``.
    var keepsUnknownMembers: Bool { get }

    /// Makes and clears the tables and triggers that note changes, and sets the link, in one transaction.
    ///
    /// The journal lacks earlier changes, so the caller reads all records afterwards.
    ///
    /// - Throws: `store.older-version` for a store with a pending upgrade, as ``AppStores/pendingUpgrade(of:)`` returns.
    func setLink(_ link: SyncLink) throws
    /// Removes the tables and triggers.
    func removeLink() throws
    /// Does the same as ``StoreAdapter/separateReused(_:_:)``.
    func separateReused(_ known: (StoreRecordKey) throws -> JSONObject?) throws
    /// Returns why the app's programs could not read a record; nil where they can.
    func fault(of object: JSONObject, in collection: String) -> String?
    /// Reads everything from one state of the store.
    ///
    /// - Throws: The error of `body`; ``StoreError`` for an ``UnreadableRow``.
    func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result
    /// Reads like ``read(_:)``, but delays writers only for one record at a time, or for a few.
    ///
    /// So the records may be of several states of the store.
    func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result
    /// Changes the store in one transaction, which clears the journal, sets the link and keeps other writers out.
    ///
    /// - Parameters:
    ///   - revision: The revision that the journal must have for the write to happen; nil for any.
    ///   - body: Writes, in any number of calls; nothing is written if it throws.
    /// - Returns: Whether the write happened; false if the app wrote since the journal was read, a trigger is missing,
    ///   or the link names another replica.
    /// - Throws: `store.rejected` for a record that the store rejects; nothing was written then.
    func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) throws -> Bool
}

extension SyncStore {
    package var declaration: AppDeclaration? { nil }
    package var keepsUnknownMembers: Bool { false }
    package func separateReused(_ known: (StoreRecordKey) throws -> JSONObject?) throws {}
    package func fault(of object: JSONObject, in collection: String) -> String? { nil }
}

/// Writes records within one transaction of a store.
package protocol SyncWriter {
    /// The same as ``SyncRecords/schema``.
    var schema: Int { get throws }
    /// The records, within the transaction.
    var records: any SyncRecords { get }
    /// Writes edits; the values that follow from them, such as perfect days, are correct at the end of the transaction.
    ///
    /// - Parameter orders: For collections with an order, the final order of their records by the value of `id`.
    /// - Throws: `store.rejected` where the store rejects one of them.
    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws
    /// Writes the edits that the store accepts.
    ///
    /// - Returns: The reasons why it rejects the others.
    func applyFitting(_ edits: [SyncEdit], orders: [String: [String]]) throws -> [StoreRecordKey: String]
    /// Keeps the journal's present notes, and names their records as left out: the end of the transaction clears neither.
    func keepJournal() throws
}

/// A row with a value that its column cannot hold, such as 7 in a column for 0 and 1.
public struct UnreadableRow: Error {
    /// The collection of the record.
    public let collection: String
    /// The record's key; nil where the row has none.
    public let key: String?
    /// The fault in words.
    public var reason: String { error.message }
    /// The error for a caller that cannot go on without the row.
    public let error: StoreError

    /// Makes an error of a row and its fault.
    public init(_ collection: String, _ key: String?, _ error: StoreError) {
        self.collection = collection
        self.key = key
        self.error = error
    }

    /// Runs a function that reads a row.
    ///
    /// - Throws: An ``UnreadableRow`` for a value that its column cannot hold; else the error of `read`.
    public static func translating<Value>(
        _ collection: String,
        _ key: @autoclosure () -> String?,
        _ read: () throws -> Value
    ) throws -> Value {
        do {
            return try read()
        } catch let error as StoreError where error.code == .value || error.code == .record {
            throw UnreadableRow(collection, key(), error)
        }
    }

    /// Runs a function that reads a row, and hands over a row with a value that its column cannot hold.
    ///
    /// - Returns: Nil for such a row.
    /// - Throws: The other errors of `read`, and the error of `unreadable`.
    public static func reading<Value>(
        _ collection: String,
        _ key: @autoclosure () -> String?,
        unreadable: (UnreadableRow) throws -> Void,
        _ read: () throws -> Value
    ) throws -> Value? {
        do {
            return try translating(collection, key(), read)
        } catch let row as UnreadableRow {
            try unreadable(row)
            return nil
        }
    }
}

extension SyncRecords {
    /// None: every write is whole.
    package var leftOut: Set<StoreRecordKey> { get throws { [] } }

    /// The journal's own numbers: it has no table.
    package var mark: JournalMark {
        get throws {
            let journal = try journal
            return JournalMark(revision: journal.revision, isIntact: journal.isIntact, further: Array(journal.keys))
        }
    }

    /// Calls `body` with each record of a collection, in the collection's order.
    package func forEachRecord(
        in collection: String,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void = { throw $0 }
    ) throws {
        try forEachRecord(in: collection, by: .collection, body, unreadable: unreadable)
    }
}

/// The reason why an entry of a log is gone from a store.
package enum LogRemoval: String, Sendable, Hashable {
    /// A retention rule removed it: it is gone from this store only.
    case evicted
    /// A person deleted it, by a command that asked for that.
    case deleted
}

/// The records of a store within one reading.
package protocol SyncRecords {
    /// The link; nil for a store that was never linked.
    var link: SyncLink? { get throws }
    var journal: SyncJournal { get throws }
    /// The numbers that the journal depends on; reading them takes a fraction of the time.
    var mark: JournalMark { get throws }
    /// The records that the last write left out, as ``SyncWriter/keepJournal()`` says.
    var leftOut: Set<StoreRecordKey> { get throws }
    /// A number that changes with the store's tables, indexes and triggers.
    var schema: Int { get throws }
    /// Returns the record of a key; nil where there is none.
    ///
    /// - Throws: ``UnreadableRow`` where the row holds a value that its column cannot.
    func record(_ key: StoreRecordKey) throws -> JSONObject?
    /// Returns the records of a few keys, which keeps writers waiting meanwhile: so the file is locked once for all.
    func records(_ keys: [StoreRecordKey]) throws -> [Result<JSONObject?, UnreadableRow>]
    /// Calls `body` with each record of a collection as ``StoreReader/forEachRecord(in:by:_:unreadable:)`` does.
    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws
    /// The tables, and columns as `table.column`, that a newer app made and this program does not know.
    ///
    /// They stay in this store alone.
    var unsynced: [String] { get throws }
    /// Returns the number of records of a collection.
    func count(_ collection: String) throws -> Int
    /// Tells why an entry of a log is gone.
    ///
    /// Our own programs note the reason. Where another program removed an entry, the entry counts as evicted if it is
    /// older than the store's settings keep. Else the reason is unknown, and it counts as deleted by a person.
    ///
    /// - Parameters:
    ///   - entry: The entry as the store had it.
    ///   - now: Milliseconds since 1970.
    func removal(of key: StoreRecordKey, _ entry: JSONObject, now: Int) throws -> LogRemoval?
}
