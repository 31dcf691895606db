/// The position of a record in an ordered collection, which gives the order without the records.
///
/// ```swift
/// let order = rows.map { RecordPlace($0.key, $0.place) }.sorted().map(\.key)
/// ```
public struct RecordPlace: Sendable, Hashable, Comparable {
    /// The record.
    public let key: RecordKey
    private let position: ListPosition?

    /// Makes a position of a record and its ``ResolvedRecord/place``; one without a place comes first.
    public init(_ key: RecordKey, _ place: String?) { self.init(key, place.flatMap(ListPosition.init)) }

    init(_ key: RecordKey, _ position: ListPosition?) {
        self.key = key
        self.position = position
    }

    /// Returns whether a record comes before another: by position, then by key.
    public static func < (left: RecordPlace, right: RecordPlace) -> Bool {
        left.position == right.position
            ? left.key < right.key : ListPosition.precedes(left.position, right.position)
    }
}
