internal import FormatKit
internal import RecordMerge
internal import StrictJSON

/// What an export cannot say, as its version lacks it or it is one table of several.
///
/// An app of an older version, or a file from before an update, lacks members and collections that a later version has.
/// Nobody deleted or cleared those, so that the export is completed with what the device had. Nor did anybody when the
/// app is updated, which shows where the first export of the newer version has nothing of what the older one could not say:
/// that is how the device has it from then on, and no change.
struct UnsaidParts {
    private let document: JSONValue
    private let version: DocumentVersion?
    private let unsaid: Set<String>
    private let isWhole: Bool

    /// - Parameter unsaid: The collections of which the export says nothing.
    init(_ document: JSONValue, _ version: DocumentVersion?, _ unsaid: Set<String>, isWhole: Bool) {
        self.document = document
        self.version = version
        self.unsaid = unsaid
        self.isWhole = isWhole
    }

    private static func property(_ format: String) -> String { "exported-version-\(format)" }

    /// Notes the version of the last export.
    static func note(_ version: DocumentVersion, in state: ReplicaState) throws {
        try state.setProperty(property(version.format), String(version.number))
    }

    /// Returns the export's records with what it cannot say, and the collections of which it says nothing.
    func complete(by state: ReplicaState) throws -> (records: RecordSet, unsaid: Set<String>) {
        let schema = state.schema
        let plain = try schema.records(of: document)
        let last = try version.flatMap { try state.property(Self.property($0.format)).flatMap(Int.init) }
        let isUpdated = version.map { version in last.map { $0 < version.number } ?? false } ?? false
        guard version?.isCurrent == false || isUpdated || !unsaid.isEmpty else { return (plain, unsaid) }
        let (known, exported) = try known(in: state, plain)
        var export = try schema.records(of: document, known: known)
        let now = try said(known, by: version?.number, export[.document], schema)
        var before = isUpdated ? try said(known, by: last, export[.document], schema) : now
        if isUpdated, export.keeps(known, beyond: before, among: exported) { before = now }
        var silent = unsaid
        for (collection, keys) in known.order {
            if now.order[collection]?.isEmpty ?? true { silent.insert(collection) }
            for key in keys.map({ RecordKey(collection, $0) }) {
                guard let full = known[key] else { continue }
                let said = unsaid.contains(collection) ? nil : now[key]
                let saidBefore = unsaid.contains(collection) ? nil : before[key]
                if let object = export[key] {
                    export[key] = object.completed(with: full, where: said ?? full)
                    let adapted = full.adapted(to: object, said: said ?? full, before: saidBefore ?? full)
                    if exported.contains(key), adapted != full { try set(key, adapted, in: state) }
                } else if exported.contains(key) {
                    if said == nil { export[key] = full } else if saidBefore == nil { try set(key, nil, in: state) }
                }
            }
        }
        return (export, silent)
    }

    /// Returns the records that the device has, or that the folder has where the device has none, and which it has.
    private func known(
        in state: ReplicaState,
        _ export: RecordSet
    ) throws -> (records: RecordSet, exported: Set<RecordKey>) {
        let schema = state.schema
        var known = RecordSet()
        var exported: Set<RecordKey> = []
        for collection in schema.document.members.map(\.name) where schema.collection(collection) != nil {
            var records: [RecordKey: RecordState] = [:]
            var objects: [RecordKey: JSONObject] = [:]
            try state.forEachRecord(in: collection) { key, held in
                // A part of a store says nothing of what it lacks.
                guard isWhole || export[key] != nil else { return }
                let inStore = held.inStore(key, schema)
                if inStore != nil { exported.insert(key) }
                records[key] = held.record
                let shown = held.record.map { ResolvedRecord(key, $0, schema.record(in: collection)).object }
                objects[key] = inStore ?? shown
            }
            let order = ResolvedSet(records, schema).records.order[collection] ?? []
            for key in order.map({ RecordKey(collection, $0) }) { known[key] = objects[key] }
            // The device still has what others deleted.
            for key in objects.keys.sorted() where known[key] == nil { known[key] = objects[key] }
        }
        return (known, exported)
    }

    /// Returns what a version can say of records.
    private func said(
        _ records: RecordSet,
        by number: Int?,
        _ envelope: JSONObject?,
        _ schema: MergeSchema
    ) throws -> RecordSet {
        guard let version, let number, !records.objects.isEmpty else { return records }
        var whole = records
        whole[.document] = envelope
        return try schema.records(of: version.reduce(schema.document(of: whole), to: number), known: records)
    }

    /// Notes how the device has a record, which is no change.
    private func set(_ key: RecordKey, _ object: JSONObject?, in state: ReplicaState) throws {
        let record = try state.record(key)
        let shown = record.map { ResolvedRecord(key, $0, state.schema.record(in: key.collection)).object }
        try state.setInStore(key, object, shown: shown)
    }
}

extension RecordSet {
    /// Returns whether an export has anything of what an older version could not say of earlier records.
    fileprivate func keeps(_ earlier: RecordSet, beyond said: RecordSet, among exported: Set<RecordKey>) -> Bool {
        exported.contains { key in
            guard let full = earlier[key], let object = self[key] else { return false }
            guard let said = said[key] else { return true }
            return full.contains { $0.value != said[$0.name] && object[$0.name] == $0.value }
        }
    }
}

extension JSONObject {
    /// Returns the object with the members of a fuller one that it has only as its version says them.
    fileprivate func completed(with full: JSONObject, where said: JSONObject) -> JSONObject {
        var object = self
        for name in Set(full.map(\.name)).union(said.map(\.name)) where full[name] != said[name] {
            if object[name] == said[name] {
                object[name] = full[name]
            } else if let part = object[name]?.object, let whole = full[name]?.object, let known = said[name]?.object {
                object[name] = .object(part.completed(with: whole, where: known))
            }
        }
        return object
    }

    /// Returns the object with the members that its version can say, and an export has as an older version left them.
    fileprivate func adapted(to export: JSONObject, said: JSONObject, before: JSONObject) -> JSONObject {
        var object = self
        for name in Set(map(\.name)).union(before.map(\.name)) {
            guard self[name] == said[name], self[name] != before[name], export[name] == before[name] else { continue }
            object[name] = export[name]
        }
        return object
    }
}
