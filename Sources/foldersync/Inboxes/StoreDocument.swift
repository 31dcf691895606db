internal import BZTimer
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import Slate
internal import StrictJSON
internal import StudyTimer
internal import TimeTracker

/// All records of a store as a document of the app's export format.
enum StoreDocument {
    /// Reads the records.
    ///
    /// - Parameter exportedAt: The moment that the document names, as it is to be written.
    static func read(_ store: any SyncStore, exportedAt: String) throws -> JSONValue {
        var members = JSONObject()
        try store.read { records in
            for collection in store.collections {
                try add(collection, of: records, isSingle: isSingle(collection, store.app), to: &members)
            }
        }
        var document = envelope(store.app, exportedAt)
        for member in members where document[member.name] == nil { document[member.name] = member.value }
        return .object(document)
    }

    private static func add(
        _ collection: String,
        of records: any SyncRecords,
        isSingle: Bool,
        to members: inout JSONObject
    ) throws {
        var objects: [JSONValue] = []
        try records.forEachRecord(in: collection) { _, object in objects.append(.object(object)) }
        guard collection.isEmpty || isSingle else {
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

    private static func isSingle(_ collection: String, _ app: AppID) -> Bool {
        collection == "meta" && app == .slate || collection == "settings" && app == .bztimer
    }

    private static func envelope(_ app: AppID, _ exportedAt: String) -> JSONObject {
        switch app {
        case .slate:
            ["schema_version": .number(JSONNumber(SlateFormat.currentVersion)), "exported_at": .string(exportedAt)]
        case .tracker:
            [
                "format": "tracker-export", "version": .number(JSONNumber(TrackerFormat.currentVersion)),
                "exportedAt": .string(exportedAt),
            ]
        case .study:
            [
                "format": "study-log", "version": .number(JSONNumber(StudyFormat.currentVersion)),
                "exportedAt": .string(exportedAt),
            ]
        case .bztimer:
            [
                "format": "bztimer", "version": .number(JSONNumber(BztimerFormat.currentVersion)),
                "generator": .string("foldersync \(SatchelVersion.current)"), "exportedAt": .string(exportedAt),
                "categories": [],
            ]
        default: ["format": .string(app.rawValue), "exportedAt": .string(exportedAt)]
        }
    }
}
