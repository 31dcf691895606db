internal import FormatKit
internal import RecordMerge
internal import StrictJSON

/// Completes an export with the parts that it cannot contain.
///
/// An older version lacks members and collections of later versions, and a list of Study Timer lacks the other table. Nobody
/// deleted those parts, so the export gets what the device had.
///
/// After an update of the app, its first export is of a newer version than its last. If it contains none of the newer parts
/// that the device had, the app lost them. Nobody deleted them, so this changes only what the device has.
///
/// Exports of a declared app have no version. A column that no row of the device's exports has named yet is taken for
/// one that its app does not have. The first export with that column is the first one of the updated app.
struct UnsaidParts {
    /// The collections that the export cannot contain.
    let unsaid: Set<String>
    /// True if a missing record was deleted on the device.
    let isWhole: Bool
    var document: JSONValue
    private let version: DocumentVersion?
    private let columns: [String: Set<String>]

    /// - Parameters:
    ///   - unsaid: The collections that the export cannot contain.
    ///   - columns: The columns that its rows name, by table; empty for an app whose exports have versions.
    init(
        _ document: JSONValue,
        _ version: DocumentVersion? = nil,
        _ unsaid: Set<String> = [],
        _ columns: [String: Set<String>] = [:],
        isWhole: Bool
    ) {
        self.document = document
        self.version = version
        self.unsaid = unsaid
        self.columns = columns
        self.isWhole = isWhole
    }

    private static func property(_ format: String) -> StateProperty { StateProperty("exported-version-\(format)") }

    /// Notes the version of the export, and the columns that it names.
    func noteVersion(in state: ReplicaState) throws {
        if let version { try state.setProperty(Self.property(version.format), String(version.number)) }
        guard !columns.isEmpty else { return }
        let named = try namedColumns(in: state).merging(columns) { $0.union($1) }
        var text = JSONObject()
        for (table, names) in named { text[table] = .array(names.sorted().map { .string($0) }) }
        try state.setProperty(.exportedColumns, JSONValue.object(text).text(.canonical))
    }

    /// Returns the columns that earlier exports of the device named, by table.
    private func namedColumns(in state: ReplicaState) throws -> [String: Set<String>] {
        guard !columns.isEmpty, let text = try state.property(.exportedColumns) else { return [:] }
        guard let named = try? JSONDocument(parsing: text).root.value.object else {
            throw state.damaged("property", StateProperty.exportedColumns.name)
        }
        return named.reduce(into: [:]) { $0[$1.name] = Set($1.value.array?.compactMap(\.string) ?? []) }
    }

    /// Returns the columns of the tables with rows in the export that nothing names, by table.
    private func unnamed(by named: [String: Set<String>], _ schema: MergeSchema) -> [String: Set<String>] {
        columns.reduce(into: [:]) { unnamed, table in
            let sent = schema.record(in: table.key).members.filter { $0.rule != .local }
            let names = Set(sent.map(\.name)).subtracting(named[table.key] ?? [])
            if !names.isEmpty { unnamed[table.key] = names }
        }
    }

    /// Returns the completed records, and the collections that the export cannot contain.
    func complete(by state: ReplicaState) throws -> (records: RecordSet, unsaid: Set<String>) {
        let schema = state.schema
        let plain = try schema.records(of: document)
        let last = try version.flatMap { try state.property(Self.property($0.format)).flatMap(Int.init) }
        let named = try namedColumns(in: state)
        let unnamed = unnamed(by: columns.merging(named) { $0.union($1) }, schema)
        let unnamedBefore = self.unnamed(by: columns.merging(named) { $1 }, schema)
        let isUpdated =
            version.map { version in last.map { $0 < version.number } ?? false } ?? (unnamed != unnamedBefore)
        guard version?.isCurrent == false || isUpdated || !unsaid.isEmpty || !unnamed.isEmpty else {
            return (plain, unsaid)
        }
        let (known, exported) = try known(in: state, plain)
        var export = try schema.records(of: document, known: known)
        let now = try said(known, by: version?.number, without: unnamed, export[.document], schema)
        var before = now
        if isUpdated { before = try said(known, by: last, without: unnamedBefore, export[.document], schema) }
        if isUpdated, export.keeps(known, beyond: before, among: exported) { before = now }
        var silent = unsaid
        for (collection, keys) in known.order {
            if now.order[collection]?.isEmpty ?? true { silent.insert(collection) }
            for key in keys.map({ RecordKey(collection, $0) }) {
                guard let full = known[key] else { continue }
                let said = unsaid.contains(collection) ? nil : now[key]
                let saidBefore = unsaid.contains(collection) ? nil : before[key]
                if let object = export[key] {
                    export[key] = object.completed(with: full, where: said ?? full, schema.record(in: collection))
                    let adapted = full.adapted(to: object, said: said ?? full, before: saidBefore ?? full)
                    if exported.contains(key), adapted != full { try set(key, adapted, in: state) }
                } else if exported.contains(key) {
                    if said == nil { export[key] = full } else if saidBefore == nil { try set(key, nil, in: state) }
                }
            }
        }
        return (export, silent)
    }

    /// Returns the device's records, those of the folder that it lacks, and the keys of its own.
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
                let shown = held.resolved(key, schema)
                objects[key] = inStore ?? shown
            }
            let order = ResolvedSet(records, schema).records.order[collection] ?? []
            for key in order.map({ RecordKey(collection, $0) }) { known[key] = objects[key] }
            // The device still has what others deleted.
            for key in objects.keys.sorted() where known[key] == nil { known[key] = objects[key] }
        }
        return (known, exported)
    }

    /// Returns the records as they are after migration to a version and back, or without some columns.
    private func said(
        _ records: RecordSet,
        by number: Int?,
        without unnamed: [String: Set<String>],
        _ envelope: JSONObject?,
        _ schema: MergeSchema
    ) throws -> RecordSet {
        guard let version, let number, !records.objects.isEmpty else {
            var said = records
            for (key, object) in records.objects {
                guard let names = unnamed[key.collection] else { continue }
                for name in names where object[name] != nil { said.objects[key]?[name] = nil }
            }
            return said
        }
        var whole = records
        whole[.document] = envelope
        return try schema.records(of: version.reduce(schema.document(of: whole), to: number), known: records)
    }

    /// Notes the device's form of a record, without a change for others.
    private func set(_ key: RecordKey, _ object: JSONObject?, in state: ReplicaState) throws {
        let record = try state.record(key)
        let shown = record.map { state.schema.resolved(key, $0).object }
        try state.setInStore(key, object, shown: shown)
    }
}

extension RecordSet {
    /// Returns whether an export still contains a newer part of earlier records.
    fileprivate func keeps(_ earlier: RecordSet, beyond said: RecordSet, among exported: Set<RecordKey>) -> Bool {
        exported.contains { key in
            guard let full = earlier[key], let object = self[key] else { return false }
            guard let said = said[key] else { return true }
            return full.contains { $0.value != said[$0.name] && object[$0.name] == $0.value }
        }
    }
}

extension JSONObject {
    /// Returns the object with an export's values, where the update of the app lost the newer ones.
    fileprivate func adapted(to export: JSONObject, said: JSONObject, before: JSONObject) -> JSONObject {
        var object = self
        for name in Set(map(\.name)).union(before.map(\.name)) {
            guard self[name] == said[name], self[name] != before[name], export[name] == before[name] else { continue }
            object[name] = export[name]
        }
        return object
    }
}
