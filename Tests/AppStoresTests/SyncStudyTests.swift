import FormatKit
@testable import TimeTracker
@testable import RecordStore
@testable import StudyTimer
@testable import AppList
import StrictJSON
import TestSupport
import Testing

/// The store of Study Timer as synchronisation sees it.
@Suite struct SyncStudyTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func made(_ name: String = "timer.db") throws -> any SyncStore {
        try AppStores.all.make(.study, at: sandbox.path(name))
        return try sandbox.linked(name)
    }

    @Test(arguments: ["tables", "unknown-members"])
    func recordsAreThoseOfTheLog(name: String) throws {
        let log = try #require(StudyFormat.read(try Fixtures.bytes("study/v2/\(name).json")).content)
        let study = try StudyStore(path: sandbox.path("timer.db"), for: .writing(mustExist: false))
        _ = try study.importing(log)
        var expected: [StoreRecordKey: JSONObject] = [:]
        for session in log.sessions { expected[StoreRecordKey("sessions", session.id)] = session.json.object }
        for event in log.events { expected[StoreRecordKey("events", event.id)] = event.json.object }
        if !log.unknownMembers.isEmpty { expected[StoreRecordKey("", "")] = log.unknownMembers }
        #expect(expected.count > 3)
        #expect(try sandbox.linked("timer.db").all() == expected)

        let other = try made("other.db")
        try other.apply(expected.map { SyncEdit($0, $1) })
        #expect(try other.all() == expected)
    }

    private func session(_ more: String = "") throws -> SyncEdit {
        let text = """
            {"id": "s", "device_id": "d", "title": "T", "status": "active", "start_time": "2026-01-01T08:00:00Z"\(more)}
            """
        return SyncEdit(StoreRecordKey("sessions", "s"), try object(text))
    }

    private func event(_ id: String, _ type: String, _ time: String) throws -> SyncEdit {
        let text = """
            {"id": "\(id)", "session_id": "s", "event_type": "\(type)", "created_at": "2026-01-01T\(time)Z"}
            """
        return SyncEdit(StoreRecordKey("events", id), try object(text))
    }

    private var seconds: [String] {
        get throws { try sandbox.rows("SELECT accumulated_seconds FROM session", in: "timer.db") }
    }

    @Test func timeIsAsGiven() throws {
        let store = try made()
        try store.apply([try session()])
        #expect(try seconds == ["0"])
        try store.apply([try session(#", "accumulated_seconds": 1801"#), try event("1", "started", "08:00:00")])
        #expect(try seconds == ["1801"])
        try store.apply([try event("2", "paused", "08:40:00"), try session()])
        #expect(try seconds == ["1801"])
    }

    @Test(arguments: [
        ("UPDATE session SET title = 'x'", ["sessions s"]),
        (
            "REPLACE INTO session SELECT 'n', device_id, title, status, start_time, NULL, 0, NULL FROM session",
            ["sessions n"]
        ),
        ("UPDATE event SET id = 'n' WHERE id = '1'", ["events 1", "events n"]),
        ("UPDATE OR REPLACE event SET id = '2' WHERE id = '1'", ["events 1", "events 2"]),
        (
            "REPLACE INTO event (rowid, id, session_id, event_type, created_at) VALUES (1, 'n', 's', 'x', '2026-01-01T08:00:00Z')",
            ["events 1", "events n"]
        ),
        ("DELETE FROM event", ["events 1", "events 2"]),
        ("REPLACE INTO property VALUES ('envelope', '{\"a\":1}')", [" "]),
    ])
    func whatIsWrittenIsNoted(_ sql: String, expected: [String]) throws {
        let store = try made()
        try store.apply(
            [try session(), try event("1", "started", "08:00:00"), try event("2", "paused", "08:30:00")]
        )
        let before = try store.all()
        try sandbox.sql(sql, in: "timer.db")
        #expect(try store.noted() == expected)
        #expect(try store.unnoted(since: before) == [])
    }

    @Test func whatTheStoreCannotHoldIsSaid() throws {
        let store = try made()
        let edit = SyncEdit(StoreRecordKey("sessions", "s"), try object(#"{"id": "s", "device_id": 1}"#))
        let error = try storeError { try store.apply([edit]) }
        #expect(error?.code == .rejected)
        #expect(error?.message.contains("\"s\" of sessions: expected a string (at /device_id)") == true)
    }
}
