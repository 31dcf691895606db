public import RecordMerge
public import StrictJSON

/// The state of a replica.
public struct ReplicaStatus: Sendable, Hashable {
    /// A device that shares the store's app in the folder.
    public struct Peer: Sendable, Hashable {
        /// The device.
        public let device: SyncDevice
        /// True if it is this device.
        public let isThis: Bool
        /// True if only its mark names it, which has no room for a long name: it has published nothing yet.
        public var isNameCut = false
        /// The time of its last change by its own clock, in milliseconds since 1970; nil where it made none.
        public let lastChange: Int?
        /// The time of its last sign of life, in milliseconds since 1970; nil where that is unknown.
        public var lastSeen: Int?
        /// The number of its changes that wait here.
        public let waiting: Int
        /// The number of its changes that lie in the folder, and that the next sync takes in.
        public var unread = 0
        /// The number of its changes that it or others have and that have not arrived here.
        public var missing = 0
        /// The number of this device's changes that it has not confirmed; nil for this device.
        public var unconfirmed: Int?
        /// The time of the oldest of these, in milliseconds since 1970.
        public var unconfirmedSince: Int?
        /// True if it has left the folder.
        public var hasLeft = false
        /// True if some device retired it; false for this device.
        public var isRetired = false
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
    /// The number of dirty records that are not published yet; nil where only a full comparison can tell.
    public var unpublished: Int?
    /// The number of committed changes that are not published yet.
    public var outbox: Int
    /// The number of open conflicts.
    public var conflicts: Int
    /// The devices, this one first.
    public var peers: [Peer]
    /// The issues.
    public var issues: [SyncIssue]
    /// The reason why the folder cannot be used now; nil where it can.
    public var folderFault: String?
    /// The same as an error.
    package var folderError: DirectoryError?
    /// The reason why the next sync stops until a person decides; nil where it does not.
    public var massChange: String?
    /// The tables, and columns as `table.column`, that this program does not know and does not sync.
    public var unsynced: [String] = []
    /// The number of blocked records, which are in no store until the records return that they belong to.
    public var heldBack = 0
    /// The reason why new changes of this device are not dated by its present time; nil where they are.
    public var clockFault: String?
}

/// A conflict with the devices that made it.
public struct RecordConflict: Sendable, Hashable {
    /// One of the values in conflict.
    public struct Choice: Sendable, Hashable {
        /// The value; nil where the member was removed.
        public let value: JSONValue?
        /// The device that wrote it; nil where that is unknown.
        public let device: SyncDevice?
        /// The time by that device's clock, in milliseconds since 1970.
        public let milliseconds: Int
        /// True if it is the resolved value, which the store has.
        public let isShown: Bool
    }

    /// One of the devices of which one removed what the other changed.
    public struct Side: Sendable, Hashable {
        /// The device; nil where it is unknown.
        public let device: SyncDevice?
        /// The time by that device's clock, in milliseconds since 1970.
        public let milliseconds: Int
        /// True if the device removed; false if it changed.
        public let isRemoval: Bool

        /// Makes a side.
        public init(device: SyncDevice?, milliseconds: Int, isRemoval: Bool) {
            self.device = device
            self.milliseconds = milliseconds
            self.isRemoval = isRemoval
        }
    }

    /// The record.
    public let name: RecordName
    /// The title of what the record belongs to, such as the session of an event; nil where it belongs to nothing, and
    /// where the record has no other title.
    public var owner: String?
    /// The name of what it asks a person, where conflicts at other field paths may ask the same; see `MergeInvariants`.
    public var question: String?
    /// The kind of the conflict.
    public let kind: Conflict.Kind
    /// The names from the record to the field path; none for the whole record.
    public let path: [String]
    /// The label of the list element in the path, for people; nil where the path names none, or it has none.
    public var element: String?
    /// The values to choose from; the resolved value comes first.
    public let choices: [Choice]
    /// The sentence that says what sync corrected, for an enforced invariant.
    public let explanation: String?
    /// The devices of a removal that met a change, and what each did, as far as the folder's files tell.
    public var sides: [Side] = []
    /// The old and new values of members: those changed on one side of a deletion, or corrected by an invariant.
    public var values: [SyncedChange.MemberChange] = []
    /// The members of the group, as far as a value has them; none for a single member.
    public var members: [String] = []
    /// The only value before the changes in conflict, with its author; nil where the folder's files do not reach back
    /// that far, or where there were several.
    public var old: Choice?
    /// The titles of the records to which values in conflict refer; values without one stand for themselves.
    public var titles: [JSONValue: String] = [:]
    /// The records that must return before any device shows a blocked one; none for a record that is shown.
    public var waitsFor: [RecordName] = []
}

/// A decision on one conflict.
public struct ConflictDecision: Sendable, Hashable {
    /// The record.
    public var key: RecordKey
    /// The field path, as the conflict names it.
    public var path: [String]
    /// The value to keep.
    public enum Value: Sendable, Hashable {
        /// The resolved value.
        case shown
        /// The choice of that number in ``RecordConflict/choices``.
        case choice(Int)
        /// Another value.
        case value(JSONValue)
        /// The removal of the record or element, after a deletion that met a change.
        case removed
    }
    /// The value to keep.
    public var value: Value
    /// The values that the person chose from; nil to decide in any case.
    ///
    /// If other values are in conflict by now, the decision does not apply.
    public var seen: [RecordConflict.Choice]?

    /// Makes a decision.
    public init(key: RecordKey, path: [String], value: Value, seen: [RecordConflict.Choice]? = nil) {
        self.key = key
        self.path = path
        self.value = value
        self.seen = seen
    }
}

/// The result of `verify`.
public struct FolderVerification: Sendable, Hashable {
    /// The number of files whose content matches their names.
    public var sound = 0
    /// The number of changes' files in an encrypted folder that do not count, as their key was replaced before, and
    /// that no fault names.
    public var uncounted = 0
    /// The faults.
    public var faults: [SyncIssue] = []
    /// The digest of what this device has seen and its store shows: equal on devices that show the same.
    public var digest = ""
    /// The digest of what this device has seen: equal on devices that have seen the same changes.
    public var stateDigest = ""
    /// The number of log entries that this store's retention removed and others still have.
    public var evicted = 0
    /// The records of the store that differ from the state, though the journal does not note them.
    public var differing: [RecordName] = []
    /// The tables, and columns as `table.column`, that this program does not know and does not sync.
    public var unsynced: [String] = []
}
