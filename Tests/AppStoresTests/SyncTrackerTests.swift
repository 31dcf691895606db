@testable import FormatKit
import FormatKit
@testable import RecordStore
@testable import BZTimer
@testable import Slate
@testable import TimeTracker
@testable import AppList
import StrictJSON
import TestSupport
import Testing

/// The store of Time Tracker as synchronisation sees it.
@Suite struct SyncTrackerTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func linked() throws -> any SyncStore { try sandbox.linked("tracker.db") }

    private func made() throws -> any SyncStore {
        try AppStores.all.make(.tracker, at: sandbox.path("tracker.db"))
        return try linked()
    }

    private func rows(_ sql: String) throws -> [String] { try sandbox.rows(sql, in: "tracker.db") }

    @Test(arguments: ["unknown-members", "offsets", "spring-night"])
    func recordsAreThoseOfTheExport(name: String) throws {
        let reading = TrackerFormat.read(try Fixtures.bytes("tracker/v2/\(name).json"))
        let content = try #require(reading.content)
        let tracker = try TrackerStore(path: sandbox.path("tracker.db"), for: .writing(mustExist: false))
        _ = try tracker.importing(content)
        var bytes: [UInt8] = []
        _ = try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) {
            try tracker.export(exportedAt: nil, to: $0)
        }
        var document = try #require(try JSONDocument(parsing: bytes).root.value.object)
        var expected: [StoreRecordKey: JSONObject] = [:]
        for collection in ["buttons", "activities"] {
            for record in document.removeValue(forName: collection)?.array?.compactMap(\.object) ?? [] {
                expected[StoreRecordKey(collection, record["id"]?.string ?? "")] = record
            }
        }
        document["format"] = nil
        document["version"] = nil
        if !document.isEmpty { expected[StoreRecordKey("", "")] = document }
        #expect(expected.count > 1)
        let store = try linked()
        #expect(try store.all() == expected)
        #expect(store.app == .tracker)

        // And into an empty store.
        try AppStores.all.make(.tracker, at: sandbox.path("other.db"))
        let other = try sandbox.linked("other.db")
        let order = try #require(try JSONDocument(parsing: bytes).root.value["buttons"]?.array)
        try other.apply(
            expected.map { SyncEdit($0.key, Self.sent($0.value)) },
            orders: ["buttons": order.compactMap { $0["id"]?.string }]
        )
        for (position, button) in order.enumerated() {
            let key = StoreRecordKey("buttons", button["id"]?.string ?? "")
            expected[key]?["position"] = .number(position)
        }
        document["timeZone"] = nil
        expected[StoreRecordKey("", "")] = document.isEmpty ? nil : document
        #expect(try other.all() == expected)
    }

    /// A record without what is never sent.
    private static func sent(_ object: JSONObject) -> JSONObject {
        JSONObject.members(of: object) { !["position", "duration", "timeZone"].contains($0) }
    }

    private func button(_ id: String, _ name: String) throws -> SyncEdit {
        let object = try object(
            """
            {"id": "\(id)", "name": "\(name)", "color": "#000000", "icon": "", "isDefault": true, "isVisible": true}
            """
        )
        return SyncEdit(StoreRecordKey("buttons", id), object)
    }

    @Test func buttonsLieInTheirOrder() throws {
        let store = try made()
        try store.apply(["a", "b", "c"].map { try button($0, $0) }, orders: ["buttons": ["c", "a", "b"]])
        #expect(try rows("SELECT id, position FROM button ORDER BY position") == ["c|0", "a|1", "b|2"])
        try sandbox.sql("UPDATE button SET position = 7 WHERE id = 'b'", in: "tracker.db")
        #expect(try store.noted() == ["buttons "])
        try store.apply([], orders: ["buttons": ["c", "a", "b"]])
        #expect(try rows("SELECT id, position FROM button ORDER BY position") == ["c|0", "a|1", "b|7"])
        try store.apply([SyncEdit(StoreRecordKey("buttons", "c"), nil)], orders: ["buttons": ["b"]])
        #expect(try rows("SELECT id, position FROM button ORDER BY position") == ["b|0", "a|1"])
    }

    @Test func buttonsMayTakeTheIdentifiersOfOthers() throws {
        let store = try made()
        try store.apply([try button("1", "Work"), try button("2", "Sleep")])
        func renamed(_ old: String, _ new: String, _ name: String) throws -> SyncEdit {
            SyncEdit(StoreRecordKey("buttons", old), try button(new, name).object)
        }
        try store.apply([try renamed("1", "2", "Work"), try renamed("2", "1", "Sleep")])
        #expect(try rows("SELECT id, name, key FROM button ORDER BY key") == ["2|Work|1", "1|Sleep|2"])
        try store.apply([try renamed("2", "0", "Work"), try renamed("1", "0", "Sleep")])
        #expect(try rows("SELECT id, name FROM button ORDER BY key") == ["0|Work", "1|Sleep"])
    }

    @Test(arguments: [
        ("UPDATE activity SET name = 'x' WHERE id = 'a1'", ["activities a1"]),
        ("UPDATE activity SET id = 'a9' WHERE id = 'a1'", ["activities a1", "activities a9"]),
        ("DELETE FROM activity", ["activities a1", "activities a2"]),
        (
            "REPLACE INTO activity (key, id, name, start_ms) VALUES (1, 'a3', 'x', 0)",
            ["activities a1", "activities a3"]
        ),
        ("UPDATE OR REPLACE activity SET key = 2 WHERE key = 1", ["activities a1", "activities a2"]),
        ("UPDATE OR REPLACE activity SET id = 'a2' WHERE key = 1", ["activities a1", "activities a2"]),
        ("INSERT INTO property VALUES ('time_zone', 'UTC')", [" "]),
        ("DELETE FROM button", ["buttons "]),
        ("REPLACE INTO button VALUES (1, 'b2', 'x', '', '', 0, 0, 1, NULL)", ["buttons "]),
    ])
    func whatIsWrittenIsNoted(_ sql: String, expected: [String]) throws {
        let store = try made()
        try sandbox.sql(
            """
            INSERT INTO activity (id, name, start_ms) VALUES ('a1', 'A', 0), ('a2', 'B', 1);
            INSERT INTO button VALUES (1, 'b1', 'B', '#000000', '', 1, 0, 1, NULL);
            """,
            in: "tracker.db"
        )
        try store.apply([])
        let before = try store.all()
        try sandbox.sql(sql, in: "tracker.db")
        #expect(try store.noted() == expected)
        #expect(try store.unnoted(since: before) == [])
    }

    @Test func anImportIntoAnEmptyStoreIsNoted() throws {
        let store = try made()
        let content = try #require(TrackerFormat.read(try Fixtures.bytes("tracker/v2/spring-night.json")).content)
        _ = try TrackerStore(path: sandbox.path("tracker.db"), for: .writing(mustExist: true)).importing(content)
        #expect(try store.unnoted(since: [:]) == [])
        #expect(try store.journal().keys.count > 2)
        #expect(try store.journal().isIntact)
    }

    @Test(arguments: [
        (#"{"id": "a", "name": "A", "startTime": 5}"#, "expected a time as RFC 3339 has it (at /startTime)"),
        (#"{"id": "a", "startTime": "2026-01-01T08:00:00Z"}"#, #"the member "name" is missing"#),
        (#"{"id": "b", "name": "A", "startTime": "2026-01-01T08:00:00Z"}"#, "its id is not its key"),
    ])
    func whatTheStoreCannotHoldIsSaid(_ text: String, reason: String) throws {
        let store = try made()
        let edit = SyncEdit(StoreRecordKey("activities", "a"), try object(text))
        let error = try storeError { try store.apply([try button("b", "B"), edit]) }
        #expect(error?.code == .rejected)
        #expect(
            error?.message == "the store cannot hold the record \"a\" of activities: \(reason); nothing was written"
        )
        #expect(try store.all() == [:])
    }
}
