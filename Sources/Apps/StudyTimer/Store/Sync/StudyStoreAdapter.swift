internal import FormatKit
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON
internal import TimeTracker

/// The store of Study Timer, as synchronisation sees it.
struct StudyStoreAdapter: StoreAdapter {
    static let sessions = "sessions"
    static let events = "events"

    let app = AppID.study
    let keepsUnknownMembers = true
    let collections = ["", Self.sessions, Self.events]
    let wholeCollections: Set<String> = [""]
    let sources = [
        JournalSource(table: "session", notes: [.row(of: Self.sessions, by: "id")]),
        JournalSource(table: "event", notes: [.row(of: Self.events, by: "id")]),
        JournalSource(table: "property", notes: [.whole("")]),
    ]

    func fault(of object: JSONObject, in collection: String) -> String? {
        RecordReading.studyFault(of: object, in: collection)
    }

    func open(_ path: String) throws(StoreError) -> DatabaseQueue {
        try file(path).openForWriting(mustExist: true)
    }

    private func file(_ path: String) -> StoreFile { StoreFile(path: path, identity: StudySchema.identity) }

    func make(_ path: String) throws { try StudyStore(path: path, for: .writing(mustExist: false)).makeTables() }

    func version(of database: Database, path: String) throws -> Int { try file(path).version(of: database) }

    func source(_ database: Database, version: Int, path: String) throws -> any StoreReader {
        StudySource(StudyRecords(database: database, path: path))
    }

    func writer(_ database: Database, path: String) throws -> any StoreWriter {
        StudySyncWriter(StudyRecords(database: database, path: path))
    }
}

/// The records of a Study Timer store, as synchronisation reads them.
private final class StudySource: StoreReader {
    private let records: StudyRecords

    init(_ records: StudyRecords) { self.records = records }

    func record(_ key: StoreRecordKey) throws -> JSONObject? {
        switch key.collection {
        case StudyStoreAdapter.sessions: try records.session(id: key.key)?.json.object
        case StudyStoreAdapter.events: try records.event(id: key.key)?.json.object
        default: try ownMembers
        }
    }

    private var ownMembers: JSONObject? {
        get throws {
            let members = try records.unknownMembers()
            return members.isEmpty ? nil : members
        }
    }

    func forEachRecord(
        in collection: String,
        by order: RecordOrder,
        _ body: (StoreRecordKey, JSONObject) throws -> Void,
        unreadable: (UnreadableRow) throws -> Void
    ) throws {
        func skip(_ error: StoreError, _ id: String?) throws { try unreadable(UnreadableRow(collection, id, error)) }
        switch collection {
        case StudyStoreAdapter.sessions:
            try records.forEachSession(byKey: order == .key) { session in
                if let object = session.json.object { try body(StoreRecordKey(collection, session.id), object) }
            } unreadable: {
                try skip($0, $1)
            }
        case StudyStoreAdapter.events:
            try records.forEachEvent(byKey: order == .key) { event in
                if let object = event.json.object { try body(StoreRecordKey(collection, event.id), object) }
            } unreadable: {
                try skip($0, $1)
            }
        default:
            let members = try UnreadableRow.reading("", "", unreadable: unreadable) { try ownMembers }
            if let members = members ?? nil { try body(StoreRecordKey("", ""), members) }
        }
    }

    func count(_ collection: String) throws -> Int {
        switch collection {
        case StudyStoreAdapter.sessions: try records.counts().sessions
        case StudyStoreAdapter.events: try records.counts().events
        default: try ownMembers == nil ? 0 : 1
        }
    }
}

/// Writes records into a Study Timer store.
private final class StudySyncWriter: StoreWriter {
    private let records: StudyRecords
    private let statements: SyncStatements

    init(_ records: StudyRecords) {
        self.records = records
        statements = SyncStatements(records.database)
    }

    func apply(_ edits: [SyncEdit], orders: [String: [String]]) throws {
        for edit in edits { try edit.naming { try write(edit) } }
    }

    private func write(_ edit: SyncEdit) throws {
        switch (edit.key.collection, edit.object) {
        case (StudyStoreAdapter.sessions, nil): try statements.run("DELETE FROM session WHERE id = ?", [edit.key.key])
        case (StudyStoreAdapter.sessions, let object?): try saveSession(object, edit.key.key)
        case (StudyStoreAdapter.events, let object): try saveEvent(object, edit.key.key)
        case (_, let object): try records.setUnknownMembers(Self.unknownMembers(object ?? JSONObject()))
        }
    }

    private func saveSession(_ object: JSONObject, _ id: String) throws {
        var object = object
        if object["accumulated_seconds"] == nil {
            object["accumulated_seconds"] = .number(try records.session(id: id)?.accumulatedSeconds ?? 0)
        }
        let session = try RejectedRecord.translating { () throws(AppFormatError) in
            try StudySession(json: .object(object))
        }
        guard session.id.hasSameScalars(as: id) else { throw RejectedRecord("its id is not its key") }
        try records.save(session)
    }

    private func saveEvent(_ object: JSONObject?, _ id: String) throws {
        guard let object else { return try statements.run("DELETE FROM event WHERE id = ?", [id]) }
        let event = try RejectedRecord.translating { () throws(AppFormatError) in try StudyEvent(json: .object(object))
        }
        guard event.id.hasSameScalars(as: id) else { throw RejectedRecord("its id is not its key") }
        try records.save(event)
    }

    func finish() throws {}

    /// Returns the members of the top level that a log does not know.
    private static func unknownMembers(_ object: JSONObject) -> JSONObject {
        let known: Set = ["format", "version", "exportedAt", StudyStoreAdapter.sessions, StudyStoreAdapter.events]
        return JSONObject.members(of: object) { !known.contains($0) }
    }
}
