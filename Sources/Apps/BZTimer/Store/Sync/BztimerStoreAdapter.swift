internal import CivilTime
internal import FormatKit
internal import GymPulse
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The store of BZ Timer with GymPulse's presets, as synchronisation sees it.
struct BztimerStoreAdapter: StoreAdapter {
    static let settings = "settings"
    static let presets = "presets"
    static let sessions = "sessions"
    static let activities = "activities"
    static let history = "history"
    /// The collections whose order the app shows.
    static let ordered = [sessions, activities, presets]

    let app = AppID.bztimer
    let keepsUnknownMembers = true
    let collections = [Self.sessions, Self.activities, Self.history, Self.settings, Self.presets]
    let wholeCollections = Set([Self.settings] + Self.ordered)
    let singleRecords: Set<String> = [Self.settings]
    let sources = [
        JournalSource(table: "session", notes: [.whole(Self.sessions)]),
        JournalSource(table: "block", notes: [.whole(Self.sessions)]),
        JournalSource(table: "template", notes: [.whole(Self.activities)]),
        JournalSource(table: "history", notes: [.row(of: Self.history, by: "id")]),
        JournalSource(table: "settings", notes: [.whole(Self.settings)]),
        JournalSource(table: "preset", notes: [.whole(Self.presets)]),
    ]

    /// Returns the table of a collection.
    static func layout(_ collection: String) -> RecordLayout? {
        switch collection {
        case sessions: BztimerSchema.session
        case activities: BztimerSchema.template
        case history: BztimerSchema.history
        case settings: BztimerSchema.settings
        case presets: BztimerSchema.preset
        default: nil
        }
    }

    func fault(of object: JSONObject, in collection: String) -> String? {
        do {
            try BztimerSyncWriter.checkReadable(object, collection)
            return nil
        } catch {
            return error.reason
        }
    }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try file(path).openForWriting(mustExist: true)
    }

    private func file(_ path: String) -> StoreFile { StoreFile(path: path, identity: BztimerSchema.identity) }

    func make(_ path: String) throws { try BztimerStore(path: path, for: .writing(mustExist: false)).makeTables() }

    func version(of database: Database, path: String) throws -> Int { try file(path).version(of: database) }

    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader {
        BztimerSource(database, path: path)
    }

    func writer(_ database: Database, path: String) throws -> any StoreWriter {
        BztimerSyncWriter(database, path: path)
    }
}

/// The records of a BZ Timer store, as synchronisation reads them: what the tables hold, also what the types of this
/// version cannot be made of.
final class BztimerSource: StoreReader {
    private let database: Database
    private let path: String

    init(_ database: Database, path: String) {
        self.database = database
        self.path = path
    }

    func record(_ key: StoreRecordKey) throws -> JSONObject? {
        guard let layout = BztimerStoreAdapter.layout(key.collection), !key.key.utf8.contains(0) else { return nil }
        let isSettings = key.collection == BztimerStoreAdapter.settings
        let sql = "SELECT \(layout.names) FROM \(layout.table)\(isSettings ? "" : " WHERE id = ?")"
        let arguments: StatementArguments = isSettings ? [] : [key.key]
        guard let row = try Row.fetchOne(database.cachedStatement(sql: sql), arguments: arguments) else { return nil }
        return try object(row, layout, key)
    }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        guard let layout = BztimerStoreAdapter.layout(collection) else { return }
        let isOne = collection == BztimerStoreAdapter.settings
        let columns =
            switch order {
            case .collection: BztimerStoreAdapter.ordered.contains(collection) ? " ORDER BY position, id" : ""
            case .key: isOne ? "" : " ORDER BY id"
            }
        let rows = try Row.fetchCursor(database, sql: "SELECT id, \(layout.names) FROM \(layout.table)\(columns)")
        while let row = try rows.next() {
            let id = isOne ? "" : String.fromDatabaseValue(row[0])
            let object = try UnreadableRow.reading(collection, id, unreadable: unreadable) {
                guard let id else {
                    throw StoreError(.record, "a row of \(layout.table) has no text as its id", path: path)
                }
                return try self.object(row, from: 1, layout, StoreRecordKey(collection, id))
            }
            if let object { try body(StoreRecordKey(collection, id ?? ""), object) }
        }
    }

    func count(_ collection: String) throws -> Int {
        guard let layout = BztimerStoreAdapter.layout(collection) else { return 0 }
        return try Int.fetchOne(database, sql: "SELECT count(*) FROM \(layout.table)") ?? 0
    }

    func isExpired(_ entry: JSONObject, in collection: String, now: Timestamp) throws -> Bool {
        guard collection == BztimerStoreAdapter.history,
            let completed = entry["completedAt"]?.string.flatMap(Timestamp.init)
        else { return false }
        let stored = try? record(StoreRecordKey(BztimerStoreAdapter.settings, ""))
        let retention = stored?["historyRetention"]?.string.flatMap(TimerSettings.Retention.init)
        let plan: Plan = stored?["isProUser"]?.bool == true ? .pro : .free
        guard let cutoff = HistoryRetention.cutoff(retention ?? .unlimited, plan: plan, now: now) else { return false }
        return completed < cutoff
    }

    private func object(
        _ row: Row,
        from index: Int = 0,
        _ layout: RecordLayout,
        _ key: StoreRecordKey
    ) throws -> JSONObject {
        do {
            var object = try layout.object(in: row, from: index, path: path)
            if key.collection == BztimerStoreAdapter.sessions { object["items"] = .array(try blocks(of: key.key)) }
            return object
        } catch let error as StoreError where error.code == .record {
            let message = "\(quoted(key.key)) of \(key.collection) cannot be read: \(error.message)"
            throw StoreError(.record, message, path: path)
        }
    }

    private func blocks(of session: String) throws -> [JSONValue] {
        let layout = BztimerSchema.block
        let sql = "SELECT \(layout.names) FROM block WHERE session_id = ? ORDER BY position"
        let rows = try Row.fetchAll(database.cachedStatement(sql: sql), arguments: [session])
        return try rows.map { .object(try layout.object(in: $0, path: path)) }
    }
}
