public import StrictJSON

/// Something that two devices did without knowing of each other, and that somebody should look at.
public struct Conflict: Sendable, Hashable {
    /// What happened.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A member has several values; one is shown.
        case value
        /// An element of a list, or a record of an ordered collection, was moved to several places; one is shown.
        case moved
        /// A record was deleted while it was changed elsewhere; it stays.
        case deletedRecord = "deleted-record"
        /// An element of a list was removed while it was changed elsewhere; it stays.
        case removedElement = "removed-element"
        /// What is shown was mended, as the changes of several devices do not go together.
        case repaired
        /// Only one of two documents has it, and without a base nobody knows whether the other removed it; it stays.
        case oneSided = "one-sided"
    }

    /// A value that was entered and is not shown.
    public struct Alternative: Sendable, Hashable {
        /// The value; nil where the member was removed.
        public let value: JSONValue?
        /// The change that wrote it.
        public let stamp: Stamp
    }

    /// The record.
    public let key: RecordKey
    /// What happened.
    public let kind: Kind
    /// The names from the record to the place: a member, and for lists the element's key and its member.
    public let path: [String]
    /// The place at which several values stand; nil where the conflict is of another kind.
    public let cell: CellPath?
    /// The value that is shown; nil where there is none.
    public let shown: JSONValue?
    /// The other values, the latest first.
    public let others: [Alternative]
    /// For ``Kind/repaired``: what was mended, in a sentence.
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
