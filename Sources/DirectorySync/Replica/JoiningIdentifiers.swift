internal import RecordMerge
internal import RecordStore
internal import StrictJSON

/// The identifiers of a joining device's records in a collection where two records may have the same one.
///
/// A default button of Time Tracker goes by its name. So devices that never met may have given one identifier to
/// different buttons. The joining device's button gets another one, and what refers to it on that device follows: nobody
/// else can tell which button it means.
struct JoiningIdentifiers {
    /// New identifiers by a device's own.
    typealias Names = [ScalarKey: String]

    let collection: String
    /// The member that identifies a record.
    let member: String
    /// The records of the folder.
    let folder: ResolvedSet
    private let rule: KeyRule
    private let state: ReplicaState

    /// Reads the folder's records; returns nil for a collection where each record has an identifier of its own.
    init?(_ collection: String, _ state: ReplicaState) throws {
        guard let rule = state.schema.collection(collection)?.elements?.key, rule.isConditional else { return nil }
        var records: [RecordKey: RecordState] = [:]
        try state.forEachRecord(in: collection) { key, held in records[key] = held.record }
        folder = ResolvedSet(records, state.schema, state.domain)
        (self.collection, self.rule, self.state) = (collection, rule, state)
        member = rule.identifier
    }

    /// Returns the folder's records that rows are by identifier and name, whatever their names were at first.
    ///
    /// A store that was in the folder before has them so.
    func known(_ rows: [JSONObject]) -> RecordSet {
        let members = rule.members + [member]
        var known = RecordSet()
        for (key, object) in folder.records.objects
        where rows.contains(where: { row in members.allSatisfy { row[$0] == object[$0] } }) {
            known[key] = object
        }
        return known
    }

    /// Returns whether a device has a record with the folder's identifier, and no longer with its own.
    func isImported(_ name: String, insteadOf own: String, _ rows: [JSONObject]) -> Bool {
        func row(_ identifier: String) -> JSONObject? {
            rows.first { $0[member]?.string?.hasSameScalars(as: identifier) == true }
        }
        guard let imported = row(name) else { return false }
        // An import that only adds may leave it with both.
        return row(own).map { other in !rule.members.allSatisfy { other[$0] == imported[$0] } } ?? true
    }

    /// Returns the identifier that a record is published with, where the folder shows it with another one.
    ///
    /// The shown one would be taken for one that a device gave it.
    func written(_ key: RecordKey, _ object: JSONObject) -> JSONValue? {
        guard let own = object[member], own == folder.records.objects[key]?[member],
            let written = folder.shown[key]?.object[member], written != own
        else { return nil }
        return written
    }

    /// Returns new identifiers for the rows that have one of another record in the folder.
    ///
    /// - Parameter known: The records that the rows are known to be.
    func names(of rows: [JSONObject], known: RecordSet) throws -> Names {
        var owners: [ScalarKey: [RecordKey]] = [:]
        for (key, object) in folder.records.objects {
            let others = folder.shown[key]?.aliases[ScalarKey(member)] ?? []
            for text in ([object[member]] + others).compactMap({ $0?.string }) {
                owners[ScalarKey(text), default: []].append(key)
            }
        }
        var taken = Set(owners.keys).union(rows.compactMap { $0[member]?.string.map(ScalarKey.init) })
        let records = try state.info.records(of: collection, rows, known: known)
        var names: Names = [:]
        for (key, object) in records.objects.sorted(by: { $0.key < $1.key }) where known.objects[key] == nil {
            guard let own = object[member]?.string, owners[ScalarKey(own)]?.contains(where: { $0 != key }) == true
            else { continue }
            var name = folder.records.objects[key]?[member]?.string
            if name == nil {
                // Devices that join at the same time give one name the same identifier.
                var new = "\(own)-\(ContentHash.of(Array(key.key.utf8)).prefix(8))"
                while !taken.insert(ScalarKey(new)).inserted { new += "-" }
                name = new
            }
            if let name, !name.hasSameScalars(as: own) { names[ScalarKey(own)] = name }
        }
        return names
    }

    /// Returns the members that refer to the collection's records, by the collection that has them.
    var references: [(collection: String, member: String)] { state.domain.references(to: collection) }

    /// Returns a record that refers to one with a new identifier, with that; nil where it refers to none.
    ///
    /// A record that the folder has with the same identifier stays: it means the folder's.
    func renamed(_ key: RecordKey, _ object: JSONObject, _ reference: String, by names: Names) throws -> JSONObject? {
        guard let own = object[reference]?.string, let name = names[ScalarKey(own)] else { return nil }
        let held = try state.held(key)
        let before = held?.inStore(key, state.schema) ?? held?.resolved(key, state.schema)
        if before?[reference]?.string?.hasSameScalars(as: own) == true { return nil }
        var object = object
        object[reference] = .string(name)
        return object
    }
}

extension RecordSet {
    /// Returns these records with others in their place.
    func overlaid(with others: RecordSet) -> RecordSet {
        var records = self
        for collection in others.order.keys {
            for key in others.order[collection] ?? [] {
                records[RecordKey(collection, key)] = others[RecordKey(collection, key)]
            }
        }
        return records
    }
}

extension SyncSession {
    /// The records that are written together.
    private static let renamedTogether = 1_000

    /// Gives records of a joining store other identifiers, where the folder has theirs for other records.
    ///
    /// One transaction of the store renames them and what refers to them there. A sync that ends afterwards finds
    /// nothing more to rename.
    func separateIdentifiers() throws {
        guard !isDryRun else { return }
        for collection in store.collections {
            guard let identifiers = try JoiningIdentifiers(collection, state),
                !identifiers.folder.records.objects.isEmpty
            else { continue }
            func rows(_ records: any SyncRecords) throws -> [JSONObject] {
                var rows: [JSONObject] = []
                try records.forEachRecord(in: collection) {
                    rows.append($1)
                } unreadable: { _ in
                }
                return rows
            }
            func names(_ rows: [JSONObject]) throws -> JoiningIdentifiers.Names {
                try identifiers.names(of: rows, known: identifiers.known(rows))
            }
            guard try !names(store.read(rows)).isEmpty else { continue }
            let link = try link(generation: state.integer(.generation))
            let isDone = try store.write(expecting: nil, link: link) { writer in
                let rows = try rows(writer.records)
                try rename(rows, identifiers, names(rows), writer)
            }
            guard isDone else {
                let message = "another program changed the store's triggers; nothing was published; try again"
                throw SyncError(.busy, message, path: store.path)
            }
        }
    }

    private func rename(
        _ rows: [JSONObject],
        _ identifiers: JoiningIdentifiers,
        _ names: JoiningIdentifiers.Names,
        _ writer: any SyncWriter
    ) throws {
        var edits: [SyncEdit] = []
        func add(_ key: StoreRecordKey, _ object: JSONObject) {
            edits.append(SyncEdit(key, replica.info.sent(RecordKey(key), object)))
        }
        for (collection, member) in identifiers.references {
            var keys: [StoreRecordKey] = []
            try writer.records.forEachRecord(in: collection) { key, object in
                guard try identifiers.renamed(RecordKey(key), object, member, by: names) != nil else { return }
                keys.append(key)
            } unreadable: { _ in
            }
            for start in stride(from: 0, to: keys.count, by: Self.renamedTogether) {
                for key in keys[start..<min(start + Self.renamedTogether, keys.count)] {
                    guard let object = try writer.records.record(key),
                        let renamed = try identifiers.renamed(RecordKey(key), object, member, by: names)
                    else { continue }
                    add(key, renamed)
                }
                try writer.apply(edits, orders: [:])
                edits = []
            }
        }
        for row in rows {
            guard let own = row[identifiers.member]?.string, let name = names[ScalarKey(own)] else { continue }
            var row = row
            row[identifiers.member] = .string(name)
            add(StoreRecordKey(identifiers.collection, own), row)
        }
        try writer.apply(edits, orders: [:])
    }
}
