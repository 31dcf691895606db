public import RecordMerge
public import StrictJSON

/// How a replica stands.
public struct ReplicaStatus: Sendable, Hashable {
    /// A device that shares the store's app in the folder.
    public struct Peer: Sendable, Hashable {
        /// The device.
        public let device: SyncDevice
        /// Whether it is the one that asks.
        public let isThis: Bool
        /// When its last change was made by its own clock, in milliseconds since 1970; nil where it made none.
        public let lastChange: Int?
        /// When it was last heard of, in milliseconds since 1970; nil where that is not known.
        public var lastSeen: Int?
        /// Its changes that wait here.
        public let waiting: Int
        /// Its changes that other devices have, or it has itself, and that have not arrived here.
        public var missing = 0
        /// Changes of this device that it has not confirmed; nil for this device.
        public var unconfirmed: Int?
        /// When the oldest of these was made, in milliseconds since 1970.
        public var unconfirmedSince: Int?
        /// Whether it has left the folder.
        public var hasLeft = false
    }

    /// The app.
    public var app: String
    /// The store's path.
    public var store: String
    /// The shared folder.
    public var folder: String
    /// The space's identifier.
    public var space: String
    /// The number of records.
    public var records: Int
    /// Records of the store that were changed and are not published yet; nil where only a full comparison can tell.
    public var unpublished: Int?
    /// Changes that are made up and could not be published yet.
    public var outbox: Int
    /// Conflicts that stand.
    public var conflicts: Int
    /// The devices, this one first.
    public var peers: [Peer]
    /// What cannot be used yet.
    public var issues: [SyncIssue]
    /// Why the folder cannot be used now; nil where it can.
    public var folderFault: String?
    /// The same for programs.
    package var folderError: DirectoryError?
    /// Why the next synchronisation stops until a person has decided; nil where it does not.
    public var massChange: String?
    /// Tables, and columns as `table.column`, that are not synchronised, as this program does not know them.
    public var unsynced: [String] = []
}

/// A conflict with the names of those who made it.
public struct RecordConflict: Sendable, Hashable {
    /// A value that stands there.
    public struct Choice: Sendable, Hashable {
        /// The value; nil where the member was removed.
        public let value: JSONValue?
        /// Who wrote it; nil where that is not known.
        public let device: SyncDevice?
        /// When, in milliseconds since 1970 by that device's clock.
        public let milliseconds: Int
        /// Whether it is the one that the store has.
        public let isShown: Bool
    }

    /// One of those whose removing and changing met.
    public struct Side: Sendable, Hashable {
        /// Who did it; nil where that is not known.
        public let device: SyncDevice?
        /// When, in milliseconds since 1970 by that device's clock.
        public let milliseconds: Int
        /// Whether it was removing, else changing.
        public let isRemoval: Bool

        /// A side.
        public init(device: SyncDevice?, milliseconds: Int, isRemoval: Bool) {
            self.device = device
            self.milliseconds = milliseconds
            self.isRemoval = isRemoval
        }
    }

    /// The record.
    public let name: RecordName
    /// What happened.
    public let kind: Conflict.Kind
    /// The names from the record to the place; none for the record as a whole.
    public let path: [String]
    /// What a person knows the element of a list by that the path names; nil where it names none, or the element has no name.
    public var element: String?
    /// What there is to choose from; the one that is shown comes first.
    public let choices: [Choice]
    /// For what was mended: what, in a sentence.
    public let explanation: String?
    /// Where removing met changing: who did which, as far as the folder's files tell.
    public var sides: [Side] = []
    /// What a member was and became: of a deletion that met a change what was changed, of what was mended how.
    public var values: [SyncedChange.MemberChange] = []
    /// The members that change together there, as far as a value has them; none for a place that is one member.
    public var members: [String] = []
    /// What stood there before, and who wrote it; nil where the folder's files do not reach back so far.
    public var old: Choice?
}

/// How one conflict is decided.
public struct ConflictDecision: Sendable, Hashable {
    /// The record.
    public var key: RecordKey
    /// The place, as the conflict names it.
    public var path: [String]
    /// What is to stand there.
    public enum Value: Sendable, Hashable {
        /// What is shown.
        case shown
        /// The choice of that number in ``RecordConflict/choices``.
        case choice(Int)
        /// Another value.
        case value(JSONValue)
        /// The record, or the element, is to be removed: for a deletion that met a change.
        case removed
    }
    /// What is to stand there.
    public var value: Value
    /// What was chosen from: where other values stand there by now, nothing is decided; nil where that is no matter.
    public var seen: [RecordConflict.Choice]?

    /// A decision.
    public init(key: RecordKey, path: [String], value: Value, seen: [RecordConflict.Choice]? = nil) {
        self.key = key
        self.path = path
        self.value = value
        self.seen = seen
    }
}

/// What `verify` found.
public struct FolderVerification: Sendable, Hashable {
    /// Files that were read and are what their names say.
    public var sound = 0
    /// What is not.
    public var faults: [SyncIssue] = []
    /// The digest of what this device has seen, and of what its store shows: equal on devices that show the same.
    public var digest = ""
    /// The digest of what this device has seen alone: equal on devices that have seen the same changes.
    public var stateDigest = ""
    /// Entries of logs that this store's retention removed, and others still have.
    public var evicted = 0
    /// Records of the store that are not as the state has them, though the store's journal does not say so.
    public var differing: [RecordName] = []
    /// Tables, and columns as `table.column`, that are not synchronised, as this program does not know them.
    public var unsynced: [String] = []
}
