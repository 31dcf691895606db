internal import RecordMerge
internal import StrictJSON

/// Completes an export of an older version with what that version cannot say.
///
/// An app that went back to an older version, or a file from before an update, lacks members and collections that a later
/// version has. Nobody deleted or cleared those.
struct OlderExport {
    private let state: ReplicaState
    private let schema: MergeSchema
    private let reduction: (JSONValue) throws -> JSONValue

    /// - Parameter reduction: What the export's version can say of a document.
    init(_ state: ReplicaState, _ schema: MergeSchema, _ reduction: @escaping (JSONValue) throws -> JSONValue) {
        self.state = state
        self.schema = schema
        self.reduction = reduction
    }

    /// Returns an export with what the device had besides, and the collections of which the export says nothing.
    ///
    /// - Parameter document: The export in the current version.
    func complete(_ document: JSONValue) throws -> (document: JSONValue, unsaid: Set<String>) {
        var known = RecordSet()
        var exported: Set<RecordKey> = []
        for collection in schema.document.members.map(\.name) where schema.collection(collection) != nil {
            var records: [RecordKey: RecordState] = [:]
            var objects: [RecordKey: JSONObject] = [:]
            try state.forEachRecord(in: collection) { key, held in
                let inStore = held.inStore(key, schema)
                if inStore != nil { exported.insert(key) }
                records[key] = held.record
                let shown = held.record.map { ResolvedRecord(key, $0, schema.record(in: collection)).object }
                objects[key] = inStore ?? shown
            }
            let order = ResolvedSet(records, schema).records.order[collection] ?? []
            for key in order.map({ RecordKey(collection, $0) }) { known[key] = objects[key] }
        }
        var export = try schema.records(of: document, known: known)
        var whole = known
        whole[.document] = export[.document]
        let said = try schema.records(of: reduction(schema.document(of: whole)), known: known)
        var unsaid: Set<String> = []
        for (collection, keys) in known.order {
            if said.order[collection]?.isEmpty ?? true { unsaid.insert(collection) }
            for key in keys.map({ RecordKey(collection, $0) }) {
                guard let full = known[key] else { continue }
                if let object = export[key] {
                    export[key] = object.completed(full, exceptFor: said[key] ?? [:])
                } else if said[key] == nil, exported.contains(key) {
                    export[key] = full
                }
            }
        }
        return (schema.document(of: export), unsaid)
    }
}

extension JSONObject {
    /// Returns the object with the members of a fuller one that it has only as the older version says them.
    fileprivate func completed(_ full: JSONObject, exceptFor said: JSONObject) -> JSONObject {
        var object = self
        for name in Set(full.map(\.name)).union(said.map(\.name)) where full[name] != said[name] {
            if object[name] == said[name] {
                object[name] = full[name]
            } else if let part = object[name]?.object, let whole = full[name]?.object, let known = said[name]?.object {
                object[name] = .object(part.completed(whole, exceptFor: known))
            }
        }
        return object
    }
}
