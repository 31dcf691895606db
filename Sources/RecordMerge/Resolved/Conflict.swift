public import StrictJSON

/// Concurrent changes of two devices that a person should look at.
public struct Conflict: Sendable, Hashable {
    /// The kind of the conflict.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A member has several values, of which one is the resolved value.
        case value
        /// Two devices moved an element of a list, or a record of an ordered collection, to different positions.
        case moved
        /// One device deleted a record while another changed it; it stays.
        case deletedRecord = "deleted-record"
        /// One device removed an element of a list while another changed it; it stays.
        case removedElement = "removed-element"
        /// Sync enforced an invariant, because the changes of several devices do not go together.
        case repaired
        /// Only one of two documents has it. Without a base nobody knows whether the other one removed it, so it stays.
        case oneSided = "one-sided"
    }

    /// A value that somebody entered and that is not the resolved one.
    public struct Alternative: Sendable, Hashable {
        /// The value; nil where the member was removed.
        public let value: JSONValue?
        /// The change that wrote it.
        public let stamp: Stamp
    }

    /// The record.
    public let key: RecordKey
    /// The kind of the conflict.
    public let kind: Kind
    /// The names from the record to the field path: a member, and for lists the element's key and its member.
    public let path: [String]
    /// The field path with several values; nil for a conflict of another kind.
    public let cell: CellPath?
    /// The resolved value; nil where there is none.
    public let shown: JSONValue?
    /// The other values, the latest first.
    public let others: [Alternative]
    /// The sentence that says what sync corrected, for ``Kind/repaired``.
    public let explanation: String?

    init(
        _ key: RecordKey,
        _ kind: Kind,
        path: [String],
        cell: CellPath? = nil,
        shown: JSONValue? = nil,
        others: [Alternative] = [],
        explanation: String? = nil
    ) {
        self.key = key
        self.kind = kind
        self.path = path
        self.cell = cell
        self.shown = shown
        self.others = others
        self.explanation = explanation
    }
}
