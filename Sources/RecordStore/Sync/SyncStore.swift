public import StrictJSON

/// The name of an app in synchronisation: 2 to 32 of `a-z`, `0-9` and `-`, a letter first.
public struct AppID: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let rawValue: String

    /// Names an app; nil for a text that no app can have as its name.
    public init?(rawValue: String) {
        let bytes = rawValue.utf8
        guard let first = bytes.first, (97...122).contains(first), (2...32).contains(bytes.count),
            bytes.allSatisfy({ (97...122).contains($0) || (48...57).contains($0) || $0 == 45 })
        else { return nil }
        self.rawValue = rawValue
    }

    /// Names an app by a text that follows the rule: no device reads what an app of another name writes.
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

/// A record of a store: a collection of the app's format, and the record's key in it.
///
/// The key is the value of the member that `x-key` names, where that is a text; where it names several, the canonical JSON
/// array of their values; empty for a collection that is one record. In a collection with an order it is the value of the
/// member `id` in the store. Keys are compared by code points.
public struct StoreRecordKey: Sendable, Hashable, Comparable {
    /// The collection.
    public let collection: String
    /// The record's key in it.
    public let key: String

    /// A key.
    public init(_ collection: String, _ key: String) {
        self.collection = collection
        self.key = key
    }

    /// Whether both name one record.
    public static func == (left: StoreRecordKey, right: StoreRecordKey) -> Bool {
        left.key.hasSameScalars(as: right.key) && left.collection.hasSameScalars(as: right.collection)
    }

    /// Hashes the names by their code points.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ScalarKey(collection))
        hasher.combine(ScalarKey(key))
    }

    /// Whether a key comes before another, by code points.
    public static func < (left: StoreRecordKey, right: StoreRecordKey) -> Bool {
        let (one, two) = (left.collection.utf8, right.collection.utf8)
        return one.elementsEqual(two)
            ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8) : one.lexicographicallyPrecedes(two)
    }
}

/// Whose replica a store is, kept in the store itself: what is not as the replica's own state has it was copied or set back.
package struct SyncLink: Sendable, Hashable {
    /// The space, and the replica of it.
    package var space: String
    package var replica: String
    /// Grows with each synchronisation that took a change from the store or wrote to it.
    package var generation: Int

    package init(space: String, replica: String, generation: Int) {
        self.space = space
        self.replica = replica
        self.generation = generation
    }
}

/// What the store's triggers noted since the journal was cleared.
package struct SyncJournal: Sendable, Hashable {
    /// The records that were touched, each once, ordered; of ``SyncStore/wholeCollections`` the key is empty.
    package var keys: [StoreRecordKey]
    /// Changes with every entry that is added or repeated.
    package var revision: Int
    /// Whether all triggers are there, so that nothing can have gone unnoticed.
    package var isIntact: Bool

    package init(keys: [StoreRecordKey], revision: Int, isIntact: Bool) {
        self.keys = keys
        self.revision = revision
        self.isIntact = isIntact
    }
}

/// A record to write, or to remove where it is nil: without members that are never sent, which stay as the store has them
/// or are worked out by it.
public struct SyncEdit: Sendable {
    /// The record.
    public let key: StoreRecordKey
    /// Its members; nil for one to remove.
    public let object: JSONObject?

    /// An edit.
    public init(_ key: StoreRecordKey, _ object: JSONObject?) {
        self.key = key
        self.object = object
    }
}

/// A store as synchronisation sees it: records as objects of the app's format.
package protocol SyncStore: AnyObject, Sendable {
    var app: AppID { get }
    /// What describes the store of a declared app; nil for the others.
    var declaration: AppDeclaration? { get }
    var path: String { get }
    /// The collections, in the order of the format; the record of the document's own members has the empty name.
    var collections: [String] { get }
    /// Collections that are small and are compared as a whole: those with an order, with keys that depend on what is
    /// known, and those that are one record.
    var wholeCollections: Set<String> { get }

    /// Makes the tables and triggers that note changes, clears them, and sets the link; all in one transaction.
    ///
    /// What was changed before is not noted: all records have to be read afterwards. A store of an older version is
    /// upgraded.
    func setLink(_ link: SyncLink) throws
    /// Removes them.
    func removeLink() throws
    /// Why the app's programs could not read a record; nil where they can.
    func fault(of object: JSONObject, in collection: String) -> String?
    /// Reads, all from the same state of the store.
    ///
    /// - Throws: What the body throws; ``StoreError`` for an ``UnreadableRow``.
    func read<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result
    /// Reads as ``read(_:)`` does, but nobody waits to write for longer than one record is read: what is read may be of
    /// several states of the store.
    func readUnlocked<Result>(_ body: (any SyncRecords) throws -> Result) throws -> Result
    /// Changes the store in one transaction, which clears the journal and sets the link; nobody else writes meanwhile.
    ///
    /// - Parameters:
    ///   - revision: The revision that the journal must have, else nothing is done; nil where it may have any.
    ///   - body: Writes, in as many calls as it likes; nothing is written where it throws.
    /// - Returns: Whether it was done; false where the app wrote since the journal was read, a trigger is missing, or the
    ///   store's link is that of another replica.
    /// - Throws: `store.rejected` for a record that the store cannot hold; nothing was written then.
    func write(expecting revision: Int?, link: SyncLink, _ body: (any SyncWriter) throws -> Void) throws -> Bool
}

extension SyncStore {
    package var declaration: AppDeclaration? { nil }
    package func fault(of object: JSONObject, in collection: String) -> String? { nil }
}

/// Writes records within one transaction of a store.
package protocol SyncWriter {
    /// As ``SyncRecords/schema``.
    var schema: Int { get throws }
    /// The records, within the transaction.
    var records: any SyncRecords { get }
    /// Writes edits; what is worked out from them (such as perfect days) is by the end of the transaction.
    ///
    /// - Parameter orders: For collections with an order the records as they are to lie, by the value of `id`.
    /// - Throws: `store.rejected` where the store cannot hold one of them.
    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws
    /// Writes those edits that the store can hold.
    ///
    /// - Returns: Why it cannot hold the others.
    func applyFitting(_ edits: [SyncEdit], orders: [String: [String]]) throws -> [StoreRecordKey: String]
    /// Keeps what the journal notes now: the end of the transaction clears it no more.
    func keepJournal() throws
}

/// A row of a store that holds what it cannot, such as 7 in a column for 0 and 1.
public struct UnreadableRow: Error {
    /// The collection of the record.
    public let collection: String
    /// The record's key; nil where the row has none.
    public let key: String?
    /// What is wrong, in words.
    public var reason: String { error.message }
    /// Ends a reading whose body cannot go on without the row.
    public let error: StoreError

    /// A row and what is wrong with it.
    public init(_ collection: String, _ key: String?, _ error: StoreError) {
        self.collection = collection
        self.key = key
        self.error = error
    }

    /// Runs what reads a row.
    ///
    /// - Throws: An ``UnreadableRow`` for a value that its column cannot hold, else what `read` throws.
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
}

extension SyncRecords {
    /// All records of a collection; a row that holds what it cannot is an error.
    package func forEachRecord(
        in collection: String,
        _ body: (StoreRecordKey, JSONObject) throws -> Void
    ) throws {
        try forEachRecord(in: collection, body) { throw $0 }
    }
}

/// Why an entry of a log is gone from a store.
package enum LogRemoval: String, Sendable, Hashable {
    /// A retention rule removed it: it is gone from this store only.
    case evicted
    /// A person deleted it, by a command that asked for that.
    case deleted
}

/// The records of a store within one reading.
package protocol SyncRecords {
    /// Nil where the store was never linked.
    var link: SyncLink? { get throws }
    var journal: SyncJournal { get throws }
    /// Changes whenever the store's tables, indexes or triggers do.
    var schema: Int { get throws }
    /// The record of that key.
    ///
    /// - Throws: ``UnreadableRow`` where its row holds what it cannot.
    func record(_ key: StoreRecordKey) throws -> JSONObject?
    /// All records of a collection, in their order where it has one; in memory that does not grow with them.
    ///
    /// - Parameter unreadable: Is called for each row that holds what it cannot.
    func forEachRecord(
        in collection: String,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws
    /// Tables, and columns as `table.column`, that this program does not know, so that they stay in this store alone: a
    /// newer app made them.
    var unsynced: [String] { get throws }
    /// The number of records of a collection.
    func count(_ collection: String) throws -> Int
    /// Tells why an entry of a log is gone.
    ///
    /// Programs of ours say so. Of what another program removed, entries older than the store's settings keep count as
    /// evicted; for all else the reason is not known, and it counts as deleted by a person.
    ///
    /// - Parameters:
    ///   - entry: The entry as the store had it.
    ///   - now: Milliseconds since 1970.
    func removal(of key: StoreRecordKey, _ entry: JSONObject, now: Int) throws -> LogRemoval?
}
