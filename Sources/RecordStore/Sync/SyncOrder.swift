internal import StrictJSON

/// The order of records by their ids; unnamed records come last, in their own order.
package struct SyncOrder {
    private let places: [ScalarKey: Int]

    package init(_ ids: [String]) {
        places = Dictionary(ids.enumerated().map { (ScalarKey($1), $0) }, uniquingKeysWith: { first, _ in first })
    }

    package func sorted<Record>(_ records: [Record], by id: (Record) -> String) -> [Record] {
        records.enumerated().map { (place: places[ScalarKey(id($1))] ?? .max, offset: $0, record: $1) }
            .sorted { ($0.place, $0.offset) < ($1.place, $1.offset) }
            .map(\.record)
    }
}
