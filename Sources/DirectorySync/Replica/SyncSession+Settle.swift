internal import AppStores
internal import RecordMerge
internal import StrictJSON

extension SyncSession {
    /// Records that are written in one go.
    private static let batch = 5_000

    /// Gives the store what the records that were touched show now, with those that are shown otherwise because of them.
    ///
    /// - Parameter writer: What writes the store; nil where it is known to have everything already.
    /// - Returns: The number of records of the store that were written or removed.
    @discardableResult
    func settle(_ writer: (any SyncWriter)?) throws -> Int {
        var written = 0
        while true {
            let keys = try state.touched(limit: Self.batch)
            guard !keys.isEmpty else { return written }
            let edits = try settle(keys)
            written += edits.edits.count
            if !edits.edits.isEmpty || !edits.orders.isEmpty {
                try writer?.apply(edits.edits, orders: edits.orders)
            }
            if let last = keys.last { try state.untouch(through: last) }
        }
    }

    /// Checks that the store can hold records, before they are published; it is left as it is.
    ///
    /// - Throws: `store.unfit`.
    func checkStore(takes records: RecordSet) throws {
        struct TakenBack: Error {}
        let journal = try store.read { try $0.journal }
        let edits = records.objects.sorted { $0.key < $1.key }.map { key, object in
            SyncEdit(storeKey(key, object), replica.info.sent(key, object))
        }
        do {
            _ = try store.write(expecting: journal.revision, link: link(generation: state.integer("generation"))) {
                writer in
                try writer.apply(edits, orders: [:])
                throw TakenBack()
            }
        } catch is TakenBack {}
    }

    private func settle(_ keys: [RecordKey]) throws -> (edits: [SyncEdit], orders: [String: [String]]) {
        let schema = state.schema
        var before: [RecordKey: RecordLinks] = [:]
        var held: [RecordKey: HeldRecord] = [:]
        var raw: [RecordKey: JSONObject] = [:]
        for key in keys {
            let record = try state.held(key)
            held[key] = record
            let old = try state.keptLinks(key)
            before[key] = old
            let shown = record?.record.map { ShownRecord(key, $0, schema.record(in: key.collection)) }
            raw[key] = shown?.object
            try state.setLinks(key, shown.map { state.domain.links(key, $0) } ?? RecordLinks(), before: old)
        }
        let together = try state.domain.shownTogether(before, in: state)
        for key in together where held[key] == nil { held[key] = try state.held(key) }
        let states = held.compactMapValues(\.record)
        let shown = ShownSet(states, schema, state.domain)
        let conflicts = Dictionary(grouping: shown.conflicts, by: \.key)
        var edits: [SyncEdit] = []
        for (key, record) in held.sorted(by: { $0.key < $1.key }) {
            let object = shown.records.objects[key].map { replica.info.sent(key, $0) }
            if record.place != .evicted {
                let old = record.inStore(key, schema)
                if old != object { edits.append(SyncEdit(storeKey(key, old ?? object), object)) }
                if let old, object == nil, record.record != nil {
                    outcome.heldBack.append(
                        RecordName(collection: key.collection, key: key.key, title: ReplicaApp.title(key, old))
                    )
                }
                let alone =
                    raw[key] ?? record.record.map { ShownRecord(key, $0, schema.record(in: key.collection)).object }
                try state.setInStore(key, object, shown: alone)
            }
            let count = conflicts[key]?.count ?? 0
            if count != record.conflicts { try state.setConflicts(key, count) }
        }
        return (edits, try orders(of: held.keys, shown))
    }

    /// By what the store knows a record: in a collection with an order its identifier there.
    private func storeKey(_ key: RecordKey, _ object: JSONObject?) -> StoreRecordKey {
        guard state.schema.collection(key.collection)?.rule == .list else { return key.inStore }
        return StoreRecordKey(key.collection, object?["id"]?.string ?? key.key)
    }

    /// The order of ordered collections of which records were shown anew.
    private func orders(of keys: some Collection<RecordKey>, _ shown: ShownSet) throws -> [String: [String]] {
        var orders: [String: [String]] = [:]
        for collection in Set(keys.map(\.collection)) where state.schema.collection(collection)?.rule == .list {
            var places: [RecordPlace] = []
            var identifiers: [RecordKey: String] = [:]
            try state.forEachRecord(in: collection) { key, held in
                guard let record = held.record else { return }
                let one = ShownRecord(key, record, state.schema.record(in: collection))
                places.append(RecordPlace(key, one.place))
                identifiers[key] = one.object["id"]?.string
            }
            orders[collection] = places.sorted().compactMap { identifiers[$0.key] }
        }
        return orders
    }
}
