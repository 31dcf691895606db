public import RecordMerge
public import StrictJSON

/// A person's decision on a mass change, or on an older store.
public enum SyncDecision: Sendable, Hashable {
    /// No decision: sync stops and asks.
    case none
    /// All devices get the store's state, though it changes or deletes this many records.
    case accept(Int)
    /// The store's state is discarded: it gets the records of the other devices.
    case discard
}

/// The name of a record in messages.
public struct RecordName: Sendable, Hashable, Comparable {
    /// The collection, such as `tasks`.
    public let collection: String
    /// The key in it.
    public let key: String
    /// The record's title for people, such as a task's; nil where it has none.
    public let title: String?

    /// Returns whether a name comes before another.
    public static func < (left: RecordName, right: RecordName) -> Bool {
        RecordKey(left.collection, left.key) < RecordKey(right.collection, right.key)
    }
}

extension RecordName {
    init(_ key: RecordKey, title: String?) { self.init(collection: key.collection, key: key.key, title: title) }
}

/// A change that a device published or received.
public struct SyncedChange: Sendable, Hashable {
    /// The device.
    public let device: SyncDevice
    /// The writer's name, and the change's number.
    public let dot: Dot
    /// The time by the device's clock, in milliseconds since 1970.
    public let milliseconds: Int
    /// The records with their actions; of very many only the first.
    public internal(set) var records: [RecordChange]
    /// The numbers of records by collection and action, ordered.
    public let counts: [Count]
    /// The number of records.
    public var recordCount: Int { counts.reduce(0) { $0 + $1.count } }

    /// Returns the change without the records of an action.
    public func without(_ action: Action) -> SyncedChange {
        SyncedChange(
            device: device,
            dot: dot,
            milliseconds: milliseconds,
            records: records.filter { $0.action != action },
            counts: counts.filter { $0.action != action }
        )
    }

    /// The number of records of one collection with one action.
    public struct Count: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// The action.
        public let action: Action
        /// The number of records.
        public let count: Int
    }

    /// A changed record.
    public struct RecordChange: Sendable, Hashable {
        /// The record.
        public let name: RecordName
        /// The action.
        public let action: Action
        /// The written members; none for a removed record.
        public internal(set) var members: [String]
        /// The values of those members, and of all members of a record that comes back or goes away; empty if the caller
        /// did not ask for them.
        public var values: [MemberChange] = []
        /// The title of what a record without one belongs to, such as the habit of a completion; nil where that is unknown.
        public var owner: String?
        /// The record's latest edit since a moment; nil if the caller did not ask for it, or where it is unknown.
        public var edit: Edit?
        /// True if another device deleted the record that the store keeps.
        public var isDeletedElsewhere = false
    }

    /// The author and the time of an edit.
    public struct Edit: Sendable, Hashable {
        /// The device.
        public let device: SyncDevice
        /// The time by the device's clock, in milliseconds since 1970.
        public let milliseconds: Int
        /// True if that is more than a day after the present: the device's clock was ahead when the edit was made.
        public var isDatedAhead = false
    }

    /// The old and the new value of a member.
    public struct MemberChange: Sendable, Hashable {
        /// The member.
        public let name: String
        /// The old value; nil where there was none, or it is unknown.
        public var old: JSONValue?
        /// The new value; nil for a removed member.
        public let new: JSONValue?
        /// True if the old value is known.
        public var isOldKnown: Bool
        /// The other values of a conflict that the change decided, besides the old value; null for a removed member.
        public var losing: [JSONValue] = []
        /// The titles of the records to which values refer; values without one stand for themselves.
        public var titles: [JSONValue: String] = [:]
        /// True if the member only goes along with others of its group, as the time of being done does.
        public let isDetail: Bool

        /// Makes a change of a member.
        public init(name: String, old: JSONValue?, new: JSONValue?, isOldKnown: Bool, isDetail: Bool = false) {
            (self.name, self.old, self.new) = (name, old, new)
            (self.isOldKnown, self.isDetail) = (isOldKnown, isDetail)
        }
    }

    /// An action on a record.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// The record was created.
        case added
        /// Members of the record were written.
        case changed
        /// The record was removed.
        case deleted
        /// The store keeps the record, though another device deleted it or changed it differently.
        case kept
    }
}

/// A problem in the folder or the store, which sync reports and goes on without.
public struct SyncIssue: Sendable, Hashable {
    /// The kind of the problem.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A change lacks another one that it builds on.
        case missing
        /// Files with changes of a device are gone from the folder.
        case gone
        /// A file needs a newer program.
        case tooNew = "too-new"
        /// A file is truncated or damaged.
        case damaged
        /// A file is encrypted with a key that this device does not have.
        case noKey = "no-key"
        /// A file is a cloud drive's placeholder without content.
        case notDownloaded = "not-downloaded"
        /// A checkpoint contains changes of another device that this device's own files lack.
        case unshown
        /// The store rejects a merged record.
        case rejected
        /// A row of the store holds a value that its column cannot: sync neither publishes nor writes it.
        case unreadable
        /// A record is larger than any device would read: it stays on this device.
        case tooLarge = "too-large"
        /// Devices each began a space in the folder: they do not get each other's changes.
        case severalSpaces = "several-spaces"
        /// Another device has retired this one, and does not wait for it any more.
        case retired
        /// Changes are encrypted with an old key, and are not counted.
        case oldKey = "old-key"
        /// The folder's key was replaced on two devices at the same time, so that there are two.
        case twoKeys = "two-keys"
    }

    /// The kind of the problem.
    public let kind: Kind
    /// The file's path in the folder; empty for a problem without a file.
    public let path: String
    /// The device that wrote it, where that is known.
    public let device: SyncDevice?
    /// A sentence that says what sync waits for.
    public let message: String
    /// The rejected record; nil for a problem of a file or a change.
    public var record: RecordName?
    /// True if it is the deletion of the record that the store rejects.
    public var isDeletion = false
}

/// The result of a sync of one store.
public struct SyncOutcome: Sendable, Hashable {
    /// The app.
    public var app: String
    /// The store's path.
    public var store: String
    /// The changes of this device that this sync published.
    public var published: [SyncedChange] = []
    /// The changes of an earlier sync that this one published.
    public var late: [SyncedChange] = []
    /// The changes of this device that could not be published and wait in the outbox.
    public var waiting: [SyncedChange] = []
    /// The number of bytes written to the folder.
    public var publishedBytes = 0
    /// The changes of other devices, with their effects in this store.
    public var received: [SyncedChange] = []
    /// The number of written or removed records of the store.
    public var written = 0
    /// The blocked records, which left the store because their targets were deleted; they return with them.
    public var keptBack: [RecordName] = []
    /// The store's changes that a person's decision discarded.
    public var dropped: [SyncedChange.RecordChange] = []
    /// The file beside the store that keeps them; nil in a dry run.
    public var droppedFile: String?
    /// The number of open conflicts.
    public var conflicts = 0
    /// The issues.
    public var issues: [SyncIssue] = []
    /// The tables, and columns as `table.column`, that do not sync and that no sync has named before.
    public var unsynced: [String] = []
    /// The number of unpublished changes, with the reason; sync keeps them.
    public var outbox: (count: Int, reason: String)? {
        get { outboxCount == 0 ? nil : (outboxCount, outboxReason) }
        set { (outboxCount, outboxReason) = (newValue?.count ?? 0, newValue?.reason ?? "") }
    }
    private var outboxCount = 0
    private var outboxReason = ""
    /// Sentences about other events, such as a noticed copy of this device or a written checkpoint.
    public var notes: [String] = []
    /// The moment before the change of a restore or a decision, in milliseconds since 1970; a restore to it undoes it.
    public var undoMoment: Int?

    init(app: String, store: String) {
        self.app = app
        self.store = store
    }

    /// True if nothing happened.
    public var isIdle: Bool {
        published.isEmpty && late.isEmpty && waiting.isEmpty && received.isEmpty && written == 0 && dropped.isEmpty
            && notes.isEmpty && issues.isEmpty && outboxCount == 0
    }
}
