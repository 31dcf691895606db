public import RecordMerge
public import StrictJSON

/// What a person decided where a store lost much at once, or is an older one.
public enum SyncDecision: Sendable, Hashable {
    /// Nothing was decided: it stops and asks.
    case none
    /// What the store has is what the person wants on all devices, though it changes or deletes just so many records.
    case accept(Int)
    /// What the store has is thrown away: it gets what the devices agreed on.
    case discard
}

/// A record as messages name it.
public struct RecordName: Sendable, Hashable, Comparable {
    /// The collection, such as `tasks`.
    public let collection: String
    /// The key in it.
    public let key: String
    /// What a person knows it by, such as a task's title; nil where there is no such thing.
    public let title: String?

    /// Whether it comes before another.
    public static func < (left: RecordName, right: RecordName) -> Bool {
        RecordKey(left.collection, left.key) < RecordKey(right.collection, right.key)
    }
}

/// What somebody changed, as it was published or taken in.
public struct SyncedChange: Sendable, Hashable {
    /// The device.
    public let device: SyncDevice
    /// The writer's name, and the change's number.
    public let dot: Dot
    /// When the device's clock said it was, in milliseconds since 1970.
    public let milliseconds: Int
    /// The records, with what was done to each; of very many only the first.
    public internal(set) var records: [RecordChange]
    /// How many records of each collection were added, changed and deleted, ordered.
    public let counts: [Count]
    /// How many records there are.
    public var recordCount: Int { counts.reduce(0) { $0 + $1.count } }

    /// The change without the records to which something was done.
    public func without(_ action: Action) -> SyncedChange {
        SyncedChange(
            device: device,
            dot: dot,
            milliseconds: milliseconds,
            records: records.filter { $0.action != action },
            counts: counts.filter { $0.action != action }
        )
    }

    /// Records of one collection to which the same was done.
    public struct Count: Sendable, Hashable {
        /// The collection.
        public let collection: String
        /// What was done.
        public let action: Action
        /// To how many.
        public let count: Int
    }

    /// A record that was changed.
    public struct RecordChange: Sendable, Hashable {
        /// The record.
        public let name: RecordName
        /// What was done to it.
        public let action: Action
        /// The members that were written; none where it was removed.
        public let members: [String]
        /// The values of those members; empty where nobody asked for them.
        public var values: [MemberChange] = []
    }

    /// What a change made of a member.
    public struct MemberChange: Sendable, Hashable {
        /// The member.
        public let name: String
        /// What it was; nil where there was none, or where that is not known.
        public var old: JSONValue?
        /// What it became; nil where it was removed.
        public let new: JSONValue?
        /// Whether it is known what it was.
        public var isOldKnown: Bool

        /// A member with what is known of it.
        public init(name: String, old: JSONValue?, new: JSONValue?, isOldKnown: Bool) {
            (self.name, self.old, self.new, self.isOldKnown) = (name, old, new, isOldKnown)
        }
    }

    /// What was done to a record.
    public enum Action: String, Sendable, Hashable, CaseIterable {
        /// It was made.
        case added
        /// Members of it were written.
        case changed
        /// It was removed.
        case deleted
        /// The store keeps it as it is, though another device deleted it, or changed it otherwise.
        case kept
    }
}

/// Something that cannot be used yet: in the folder, or in the store.
public struct SyncIssue: Sendable, Hashable {
    /// Why it cannot be used.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A change that it builds on has not come.
        case missing
        /// It needs a newer program.
        case tooNew = "too-new"
        /// The file is not what its name says: truncated, or damaged.
        case damaged
        /// The file is a placeholder of a cloud drive, whose content is not here.
        case notDownloaded = "not-downloaded"
        /// A checkpoint tells of changes of another device that this device's own files do not show.
        case unshown
        /// A record that came together is rejected by the store.
        case rejected
        /// A row of this device's store holds what it cannot: it is neither published nor written.
        case unreadable
        /// A record of the store is larger than any device would read: it stays on this device.
        case tooLarge = "too-large"
        /// Devices began apart in the folder: they do not get each other's changes.
        case severalSpaces = "several-spaces"
    }

    /// Why it cannot be used.
    public let kind: Kind
    /// The file's path in the folder; empty where there is none.
    public let path: String
    /// The device that wrote it, where that is known.
    public let device: SyncDevice?
    /// In a sentence: what is waited for.
    public let message: String
    /// The record that is rejected; nil where it is about a file or a change.
    public var record: RecordName?
}

/// What a synchronisation of one store did.
public struct SyncOutcome: Sendable, Hashable {
    /// The app.
    public var app: String
    /// The store's path.
    public var store: String
    /// What was changed here and is published now.
    public var published: [SyncedChange] = []
    /// What an earlier synchronisation could not publish, and is published now.
    public var late: [SyncedChange] = []
    /// What was changed here and could not be published; it is in the outbox.
    public var waiting: [SyncedChange] = []
    /// Bytes written to the folder.
    public var publishedBytes = 0
    /// What other devices changed, with what became of it in this store.
    public var received: [SyncedChange] = []
    /// Records of the store that were written or removed.
    public var written = 0
    /// Records that went from the store, as what they refer to was deleted; they are kept, and come back with it.
    public var keptBack: [RecordName] = []
    /// Conflicts that stand now.
    public var conflicts = 0
    /// What cannot be used yet.
    public var issues: [SyncIssue] = []
    /// Changes that could not be published, and why; they are kept.
    public var outbox: (count: Int, reason: String)? {
        get { outboxCount == 0 ? nil : (outboxCount, outboxReason) }
        set { (outboxCount, outboxReason) = (newValue?.count ?? 0, newValue?.reason ?? "") }
    }
    private var outboxCount = 0
    private var outboxReason = ""
    /// What else happened, in sentences: a copy of this device was noticed, a checkpoint was written.
    public var notes: [String] = []

    init(app: String, store: String) {
        self.app = app
        self.store = store
    }

    /// Whether nothing at all happened.
    public var isIdle: Bool {
        published.isEmpty && late.isEmpty && waiting.isEmpty && received.isEmpty && written == 0 && notes.isEmpty
            && issues.isEmpty && outboxCount == 0
    }
}
