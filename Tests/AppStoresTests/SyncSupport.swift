@testable import RecordStore
@testable import AppList
import SQLiteDatabase
import StrictJSON
import TestSupport
import Testing

extension SyncLink {
    static func test(_ generation: Int = 1) -> SyncLink {
        SyncLink(space: "space0", replica: "replica0", generation: generation)
    }
}

extension SyncStore {
    /// All records.
    func all() throws -> [StoreRecordKey: JSONObject] { try read { try $0.all(collections) } }

    /// The journal.
    func journal() throws -> SyncJournal { try read { try $0.journal } }

    /// What the journal has, as `collection key`.
    func noted() throws -> [String] { try journal().keys.map { "\($0.collection) \($0.key)" } }

    /// The keys of a collection, in its order.
    func ids(of collection: String) throws -> [String] {
        try read { records in
            var ids: [String] = []
            try records.forEachRecord(in: collection) { key, _ in ids.append(key.key) }
            return ids
        }
    }

    /// Writes edits, expecting the store as it is.
    @discardableResult
    func apply(_ edits: [SyncEdit], orders: [String: [String]] = [:], generation: Int = 2) throws -> Bool {
        try write(expecting: try journal().revision, link: .test(generation)) { try $0.apply(edits, orders: orders) }
    }

    /// The records that changed since they were read, and are not in the journal.
    func unnoted(since before: [StoreRecordKey: JSONObject]) throws -> [StoreRecordKey] {
        let journal = try journal()
        guard journal.isIntact else { return [] }
        let after = try all()
        let noted = Set(journal.keys)
        return Set(before.keys).union(after.keys).filter { key in
            let name = wholeCollections.contains(key.collection) ? StoreRecordKey(key.collection, "") : key
            return before[key] != after[key] && !noted.contains(name)
        }.sorted()
    }
}

extension SyncRecords {
    func all(_ collections: [String]) throws -> [StoreRecordKey: JSONObject] {
        var all: [StoreRecordKey: JSONObject] = [:]
        for collection in collections {
            var number = 0
            try forEachRecord(in: collection) { key, object in
                let same = try record(key)
                #expect(all[key] == nil, "\(key) comes twice")
                #expect(same == object, "\(key) is another one when it is asked for")
                all[key] = object
                number += 1
            }
            #expect(try count(collection) == number)
            // A few together are the same as one by one, also where records are missing or not in order.
            let keys = all.keys.filter { $0.collection == collection }.sorted()
            let mixed = keys.flatMap { [$0, StoreRecordKey(collection, $0.key + " none")] }
            for some in [keys, mixed, Array(mixed.reversed()), Array(keys.prefix(1) + keys.suffix(1))] {
                let together = try records(some).map { try $0.get() }
                #expect(try together == some.map { try record($0) })
            }
        }
        return all
    }
}

/// An object of a text in JSON.
func object(_ text: String) throws -> JSONObject {
    try #require(try JSONDocument(parsing: text).root.value.object)
}

extension Sandbox {
    /// A store that is linked, and nothing noted.
    func linked(_ name: String) throws -> any SyncStore {
        let store = try AppStores.all.open(path(name))
        try store.setLink(.test())
        return store
    }
}
