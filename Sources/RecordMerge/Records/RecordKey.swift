internal import StrictJSON

/// The name of a record: a collection, such as the table `tasks`, and a key in it.
///
/// The record of the document's own members has two empty names. Keys are compared and ordered by the bytes of their
/// UTF-8.
public struct RecordKey: Sendable, Hashable, Comparable {
    /// The collection; empty for the document's own members.
    public let collection: String
    /// The key in the collection.
    public let key: String

    /// Makes a record's name.
    public init(_ collection: String, _ key: String) {
        self.collection = collection
        self.key = key
    }

    /// The record of the document's own members.
    public static let document = RecordKey("", "")

    /// Returns whether both names are equal by code points.
    public static func == (left: RecordKey, right: RecordKey) -> Bool {
        isSame(left.key, right.key) && isSame(left.collection, right.collection)
    }

    /// Feeds both names to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ScalarKey(collection))
        hasher.combine(ScalarKey(key))
    }

    /// Returns whether a record comes before another: by collection, then by key.
    public static func < (left: RecordKey, right: RecordKey) -> Bool {
        isSame(left.collection, right.collection)
            ? precedes(left.key, right.key) : precedes(left.collection, right.collection)
    }
}
