internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The store of Time Tracker, as synchronisation sees it.
struct TrackerStoreAdapter: StoreAdapter {
    static let buttons = "buttons"
    static let activities = "activities"

    let app = AppID.tracker
    let keepsUnknownMembers = true
    let collections = ["", Self.buttons, Self.activities]
    let wholeCollections: Set<String> = ["", Self.buttons]
    let sources = [
        JournalSource(table: "activity", notes: [.row(of: Self.activities, by: "id")]),
        JournalSource(table: "button", notes: [.whole(Self.buttons)]),
        JournalSource(table: "property", notes: [.whole("")]),
    ]

    func fault(of object: JSONObject, in collection: String) -> String? {
        RecordReading.trackerFault(of: object, in: collection)
    }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try file(path).openForWriting(mustExist: true)
    }

    private func file(_ path: String) -> StoreFile { StoreFile(path: path, identity: TrackerSchema.identity) }

    func make(_ path: String) throws { try TrackerStore(path: path, for: .writing(mustExist: false)).makeTables() }

    func version(of database: Database, path: String) throws -> Int { try file(path).version(of: database) }

    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader {
        TrackerRecordSource(TrackerRecords(database: database, path: path))
    }

    func writer(_ database: Database, path: String) throws -> any StoreWriter {
        try TrackerSyncWriter(TrackerRecords(database: database, path: path))
    }
}

/// The records of a Time Tracker store, as synchronisation reads them.
private final class TrackerRecordSource: StoreReader {
    private let records: TrackerRecords
    private var byID: StoreStatement?

    init(_ records: TrackerRecords) { self.records = records }

    func record(_ key: StoreRecordKey) throws -> JSONObject? {
        switch key.collection {
        case TrackerStoreAdapter.activities: try activity(key.key)
        case TrackerStoreAdapter.buttons:
            try records.buttons().first { $0.id.hasSameScalars(as: key.key) }?.json.object
        default: try records.ownMembers()
        }
    }

    private func activity(_ id: String) throws -> JSONObject? {
        let sql = "SELECT \(TrackerSchema.columns) FROM activity WHERE id = ?"
        let statement = try byID ?? StoreStatement(records.database, sql)
        byID = statement
        defer { statement.reset() }
        try statement.bind([Array(id.utf8)])
        return try statement.step() ? try records.reader.row(statement).activity.json.object : nil
    }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        switch collection {
        case TrackerStoreAdapter.activities:
            // As they lie, or each of them would be looked up by an index.
            let columns = order == .key ? " ORDER BY id" : " NOT INDEXED"
            try records.database.forEachRow("SELECT \(TrackerSchema.columns) FROM activity\(columns)") { row in
                let activity = try UnreadableRow.reading(collection, row.string(1), unreadable: unreadable) {
                    try records.reader.row(row).activity
                }
                guard let activity, let object = activity.json.object else { return }
                try body(StoreRecordKey(collection, activity.id), object)
            }
        case TrackerStoreAdapter.buttons:
            try records.forEachButton { button in
                if let object = button.json.object { try body(StoreRecordKey(collection, button.id), object) }
            } unreadable: {
                try unreadable(UnreadableRow(collection, $1, $0))
            }
        default:
            let members = try UnreadableRow.reading("", "", unreadable: unreadable) { try records.ownMembers() }
            if let members = members ?? nil { try body(StoreRecordKey("", ""), members) }
        }
    }

    func count(_ collection: String) throws -> Int {
        switch collection {
        case TrackerStoreAdapter.activities: try records.count()
        case TrackerStoreAdapter.buttons: try records.buttons().count
        default: try records.ownMembers() == nil ? 0 : 1
        }
    }
}

extension TrackerRecords {
    /// Returns the members of the top level of an export that say nothing about the file; nil where there are none.
    fileprivate func ownMembers() throws -> JSONObject? {
        var members = try unknownMembers()
        if let zone = try timeZone() { members["timeZone"] = .string(zone) }
        return members.isEmpty ? nil : members
    }
}
