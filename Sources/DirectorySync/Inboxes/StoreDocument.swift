internal import RecordStore
internal import StrictJSON

/// All records of a store as a document of the app's export format.
enum StoreDocument {
    /// Reads the records.
    ///
    /// - Parameters:
    ///   - format: The format of the app's exports.
    ///   - generator: The program that makes the document.
    ///   - exportedAt: The moment that the document names, as it is to be written.
    static func read(
        _ store: any SyncStore,
        as format: any InboxFormat,
        generator: String,
        exportedAt: String
    ) throws -> JSONValue {
        var members = JSONObject()
        try store.read { records in
            for collection in store.collections {
                let isObject = format.objects.contains(collection)
                try add(collection, of: records, isObject: isObject, to: &members)
            }
        }
        var document = format.envelope(exportedAt: exportedAt, generator: generator)
        for member in members where document[member.name] == nil { document[member.name] = member.value }
        return .object(document)
    }

    private static func add(
        _ collection: String,
        of records: any SyncRecords,
        isObject: Bool,
        to members: inout JSONObject
    ) throws {
        var objects: [JSONValue] = []
        try records.forEachRecord(in: collection) { _, object in objects.append(.object(object)) }
        guard collection.isEmpty || isObject else {
            members[collection] = .array(objects)
            return
        }
        guard let object = objects.first?.object else { return }
        guard collection.isEmpty else {
            members[collection] = .object(object)
            return
        }
        // The record without a name is the document's own members.
        for member in object { members[member.name] = member.value }
    }
}
