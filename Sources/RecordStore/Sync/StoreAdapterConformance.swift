public import StrictJSON

/// The checks that every store must pass for sync to rely on it; a test of a store runs them.
///
/// ```swift
/// let conformance = try StoreAdapterConformance(NotesStoreAdapter(), filled: "notes.db", empty: "empty.db") {
///     try rename("n1")
///     return [StoreRecordKey("notes", "n1")]
/// }
/// #expect(try conformance.faults() == [])
/// ```
public struct StoreAdapterConformance {
    private let filled: any SyncStore
    private let empty: any SyncStore
    private let sent: (StoreRecordKey, JSONObject) -> JSONObject
    private let edit: () throws -> Set<StoreRecordKey>

    /// Makes the checks for a store with records and an empty one of the same app.
    ///
    /// - Parameters:
    ///   - sent: A record without the members that never leave the device.
    ///   - edit: Changes the filled store as its app does; returns the keys of the changed records.
    package init(
        filled: any SyncStore,
        empty: any SyncStore,
        sent: @escaping (StoreRecordKey, JSONObject) -> JSONObject = { $1 },
        edit: @escaping () throws -> Set<StoreRecordKey>
    ) {
        self.filled = filled
        self.empty = empty
        self.sent = sent
        self.edit = edit
    }

    /// Makes the checks for an adapter, a store with records and an empty store.
    ///
    /// - Parameters:
    ///   - filled: The path of a store with records.
    ///   - empty: The path of a store without.
    ///   - sent: Returns a record without the members that never leave the device.
    ///   - edit: Changes the filled store as its app does; returns the keys of the changed records.
    /// - Throws: ``StoreError`` where a store cannot be opened.
    public init(
        _ adapter: any StoreAdapter,
        filled: String,
        empty: String,
        sent: @escaping (StoreRecordKey, JSONObject) -> JSONObject = { $1 },
        edit: @escaping () throws -> Set<StoreRecordKey>
    ) throws {
        self.filled = try LinkedStore(adapter, path: filled)
        self.empty = try LinkedStore(adapter, path: empty)
        self.sent = sent
        self.edit = edit
    }

    /// Returns the faults of the stores; both stores change.
    ///
    /// - Throws: The errors of the stores.
    public func faults() throws -> [String] {
        var faults: [String] = []
        func check(_ holds: Bool, _ fault: String) { if !holds { faults.append(fault) } }
        let first = SyncLink(space: "space", replica: "filled", generation: 0)
        try filled.setLink(first)
        try empty.setLink(SyncLink(space: "space", replica: "empty", generation: 0))
        check(try filled.read { try $0.link } == first, "a link is not read as it was set")
        let journal = try filled.read { try $0.journal }
        check(journal.isIntact && journal.keys.isEmpty, "the journal of a store that was linked just now is not empty")

        // The journal notes what an app changes, and nothing else.
        let touched = try edit()
        let noted = try filled.read { try $0.journal }
        let whole = filled.wholeCollections
        let expected = Set(touched.map { whole.contains($0.collection) ? StoreRecordKey($0.collection, "") : $0 })
        check(noted.isIntact && Set(noted.keys) == expected, "the journal notes \(noted.keys), expected \(expected)")
        check(noted.revision > journal.revision, "the journal's revision does not grow with a change")

        let records = try records(of: filled, check)
        check(!records.isEmpty, "the filled store holds no record")
        try checkRefusals(records, check)
        try checkWriting(records, check)
        try empty.removeLink()
        check(try empty.read { try $0.link } == nil, "a link is there after it was removed")
        return faults
    }

    /// Reads the records of a store, and checks that each comes once and alike when read alone.
    private func records(of store: any SyncStore, _ check: (Bool, String) -> Void) throws -> [SyncEdit] {
        var found: [SyncEdit] = []
        for collection in store.collections {
            try store.read { records in
                var keys: Set<StoreRecordKey> = []
                try records.forEachRecord(in: collection) { key, object in
                    check(key.collection == collection, "\(key) is given as a record of \(collection)")
                    check(keys.insert(key).inserted, "\(key) is given twice")
                    check(try records.record(key) == object, "\(key) is another record when it is asked for by itself")
                    found.append(SyncEdit(key, sent(key, object)))
                }
                check(try records.count(collection) == keys.count, "the count of \(collection) is not \(keys.count)")
            }
        }
        return found
    }

    private func orders(_ edits: [SyncEdit]) -> [String: [String]] {
        let lists = edits.filter { filled.wholeCollections.contains($0.key.collection) && !$0.key.key.isEmpty }
        return Dictionary(grouping: lists, by: \.key.collection).mapValues { $0.map(\.key.key) }
    }

    /// Checks that the store writes nothing if the app wrote meanwhile, for another replica, or when the body throws.
    private func checkRefusals(_ edits: [SyncEdit], _ check: (Bool, String) -> Void) throws {
        struct Stop: Error {}
        let journal = try empty.read { try $0.journal }
        let next = SyncLink(space: "space", replica: "empty", generation: 1)
        let before = try records(of: empty, check).map(\.key)
        let isLate = try empty.write(expecting: journal.revision - 1, link: next) { try $0.apply(edits, orders: [:]) }
        check(!isLate, "a store is written though its journal is another than expected")
        var other = next
        other.replica = "other"
        let isOther = try empty.write(expecting: nil, link: other) { try $0.apply(edits, orders: [:]) }
        check(!isOther, "a store is written for another replica")
        do {
            _ = try empty.write(expecting: nil, link: next) { writer in
                try writer.apply(edits, orders: orders(edits))
                throw Stop()
            }
            check(false, "an error of who writes is lost")
        } catch is Stop {}
        check(try records(of: empty, check).map(\.key) == before, "something is written where nothing may be")
        check(try empty.read { try $0.link?.generation } == 0, "a generation grows where nothing was written")
    }

    /// Checks that written records read alike, do not count as the app's edits, and can be written again and removed.
    private func checkWriting(_ edits: [SyncEdit], _ check: (Bool, String) -> Void) throws {
        let orders = orders(edits)
        for generation in 1...2 {
            let link = SyncLink(space: "space", replica: "empty", generation: generation)
            let isDone = try empty.write(expecting: nil, link: link) { try $0.apply(edits, orders: orders) }
            check(isDone, "a store is not written")
            let (found, journal) = try empty.read { (try $0.link, try $0.journal) }
            check(found == link, "the link is not the one that was written")
            check(journal.isIntact && journal.keys.isEmpty, "what was written is noted as the app's change")
            let written = try records(of: empty, check)
            for edit in edits {
                let object = written.first { $0.key == edit.key }?.object
                check(object == edit.object, "\(edit.key) is read as \(String(describing: object))")
            }
        }
        guard let last = edits.last(where: { !empty.wholeCollections.contains($0.key.collection) }) else { return }
        for edit in [SyncEdit(last.key, nil), last] {
            let generation = try empty.read { try $0.link?.generation ?? 0 }
            let link = SyncLink(space: "space", replica: "empty", generation: generation + 1)
            var refused: [StoreRecordKey: String] = [:]
            _ = try empty.write(expecting: nil, link: link) { refused = try $0.applyFitting([edit], orders: [:]) }
            check(refused.isEmpty, "\(edit.key) is refused: \(refused.values.first ?? "")")
            let object = try empty.read { try $0.record(edit.key) }.map { sent(edit.key, $0) }
            check(object == edit.object, "\(edit.key) is not removed, or not written again")
        }
    }
}
