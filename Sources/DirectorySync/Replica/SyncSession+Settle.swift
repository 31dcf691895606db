internal import AppStores
internal import RecordMerge
internal import StrictJSON

extension SyncSession {
    /// Records that are written in one go.
    private static let batch = 5_000

    /// Gives the store what the records that were touched show now, with those that are shown otherwise because of them.
    ///
    /// What the store is known not to be able to hold is left out.
    ///
    /// - Parameters:
    ///   - writer: What writes the store; nil where it is known to have everything already.
    ///   - isFitting: Whether what the store cannot hold is noted, and all else is written.
    /// - Returns: The number of records of the store that were written or removed.
    /// - Throws: `store.unfit` where the store cannot hold a record, and that is not noted.
    @discardableResult
    func settle(_ writer: (any SyncWriter)?, fitting isFitting: Bool = false) throws -> Int {
        let refused = try state.refused()
        // Those that refer to a record which the store lacks would refer to nothing.
        let missing = try Set(refused.keys.filter { try state.held($0)?.place == .absent })
        var written = 0
        var left: [SettledEdit] = []
        var last: RecordKey?
        while true {
            let keys = try state.touched(after: last, limit: Self.batch)
            guard let end = keys.last else { break }
            last = end
            var (edits, orders) = try settle(keys, without: refused)
            if !refused.isEmpty { edits.removeAll { refused[$0.key] != nil } }
            if !missing.isEmpty { try holdBack(&edits, missing) }
            let failed = try write(edits, orders, writer, fitting: isFitting)
            for edit in edits {
                if let reason = failed[edit.edit.key] {
                    // Where nothing is to be changed the store only was to work something out anew.
                    guard edit.isChange else { continue }
                    try state.setRefused(edit.key, reason)
                    left.append(edit)
                } else {
                    try state.setInStore(edit.key, edit.object, shown: edit.alone)
                    if edit.isChange { written += 1 }
                }
            }
            try state.untouch(through: end)
        }
        return try written + writeLeft(left, writer)
    }

    /// Takes out records that refer to one which the store lacks, as it cannot hold it.
    private func holdBack(_ edits: inout [SettledEdit], _ missing: Set<RecordKey>) throws {
        try edits.removeAll { edit in
            guard edit.isChange,
                let found = replica.info.references(edit.key, edit.object).first(where: missing.contains)
            else { return false }
            try state.setRefused(edit.key, try reason(found))
            return true
        }
    }

    private func write(
        _ edits: [SettledEdit],
        _ orders: [String: [String]],
        _ writer: (any SyncWriter)?,
        fitting isFitting: Bool
    ) throws -> [StoreRecordKey: String] {
        let edits = edits.filter { $0.isChange || $0.isAnew }.map(\.edit)
        guard let writer, !edits.isEmpty || !orders.isEmpty else { return [:] }
        if isFitting { return try writer.applyFitting(edits, orders: orders) }
        try writer.apply(edits, orders: orders)
        return [:]
    }

    /// Writes what the store could not hold before all others were written, as long as that helps.
    private func writeLeft(_ edits: [SettledEdit], _ writer: (any SyncWriter)?) throws -> Int {
        var left = edits
        var written = 0
        while let writer, !left.isEmpty {
            let refused = try writer.applyFitting(left.map(\.edit), orders: [:])
            let fitting = left.filter { refused[$0.edit.key] == nil }
            if fitting.isEmpty { break }
            for edit in fitting {
                try state.setRefused(edit.key, nil)
                try state.setInStore(edit.key, edit.object, shown: edit.alone)
                try state.untouch([edit.key])
            }
            written += fitting.count
            left.removeAll { refused[$0.edit.key] == nil }
        }
        return written
    }

    /// Why a record is not written that refers to another.
    private func reason(_ key: RecordKey) throws -> String {
        let record = try state.record(key)
        let object = record.map { ShownRecord(key, $0, state.schema.record(in: key.collection)).object }
        let name = ReplicaApp.title(key, object) ?? key.key
        return "it refers to \"\(name)\" of \(key.collection), which the store cannot hold"
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

    private func settle(
        _ keys: [RecordKey],
        without refused: [RecordKey: String]
    ) throws -> (edits: [SettledEdit], orders: [String: [String]]) {
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
        var edits: [SettledEdit] = []
        for (key, record) in held.sorted(by: { $0.key < $1.key }) {
            let count = conflicts[key]?.count ?? 0
            if count != record.conflicts { try state.setConflicts(key, count) }
            guard record.place != .evicted else { continue }
            let object = shown.records.objects[key].map { replica.info.sent(key, $0) }
            let old = record.inStore(key, schema)
            if let old, object == nil, record.record != nil {
                let title = ReplicaApp.title(key, old)
                outcome.heldBack.append(RecordName(collection: key.collection, key: key.key, title: title))
            }
            let alone = raw[key] ?? record.record.map { ShownRecord(key, $0, schema.record(in: key.collection)).object }
            edits.append(
                SettledEdit(
                    key: key,
                    edit: SyncEdit(storeKey(key, old ?? object), object),
                    alone: alone,
                    isChange: old != object,
                    isAnew: object != nil && anew.contains(key)
                )
            )
        }
        return (edits, try orders(of: held.keys, without: refused))
    }

    /// By what the store knows a record: in a collection with an order its identifier there.
    private func storeKey(_ key: RecordKey, _ object: JSONObject?) -> StoreRecordKey {
        guard state.schema.collection(key.collection)?.rule == .list else { return key.inStore }
        return StoreRecordKey(key.collection, object?["id"]?.string ?? key.key)
    }

    /// The order of ordered collections of which records were shown anew.
    private func orders(
        of keys: some Collection<RecordKey>,
        without refused: [RecordKey: String]
    ) throws -> [String: [String]] {
        var orders: [String: [String]] = [:]
        for collection in Set(keys.map(\.collection)) where state.schema.collection(collection)?.rule == .list {
            var places: [RecordPlace] = []
            var identifiers: [RecordKey: String] = [:]
            let given = try refused.isEmpty ? [:] : state.given(in: collection)
            try state.forEachRecord(in: collection) { key, held in
                var record = held.record
                // What the store cannot hold as it is now stays where it is.
                if refused[key] != nil, case .earlier(let earlier, _) = given[key] { record = earlier }
                guard let record else { return }
                let one = ShownRecord(key, record, state.schema.record(in: collection))
                places.append(RecordPlace(key, one.place))
                identifiers[key] = one.object["id"]?.string
            }
            orders[collection] = places.sorted().compactMap { identifiers[$0.key] }
        }
        return orders
    }
}

/// A record as the store is to have it.
struct SettledEdit {
    let key: RecordKey
    let edit: SyncEdit
    /// What the record shows without repairs; nil where it is deleted.
    let alone: JSONObject?
    /// Whether the store has it otherwise.
    let isChange: Bool
    /// Whether the store works out anew what follows from it.
    let isAnew: Bool

    var object: JSONObject? { edit.object }
}
