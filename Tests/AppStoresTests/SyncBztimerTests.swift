import FormatKit
@testable import RecordStore
@testable import BZTimer
@testable import GymPulse
@testable import AppList
import StrictJSON
import TestSupport
import Testing

/// The store of BZ Timer as synchronisation sees it.
@Suite struct SyncBztimerTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func made(_ name: String = "bztimer.db") throws -> any SyncStore {
        try AppStores.all.make(.bztimer, at: sandbox.path(name))
        return try sandbox.linked(name)
    }

    /// A store with a record of each kind, all with unknown members.
    private func filled() throws -> (store: any SyncStore, records: [StoreRecordKey: JSONObject]) {
        let store = try made()
        var preset = Preset.sample("p1")
        preset.extra = try Samples.extra()
        var settings = TimerSettings()
        settings.customCategories = ["Yoga"]
        settings.isProUser = true
        settings.extra = try Samples.extra()
        let (session, activity) = (try Samples.session(), try Samples.activity())
        let entry = Samples.entry("h1", session: "s1")
        let bztimer = try BztimerStore(path: sandbox.path("bztimer.db"), for: .writing(mustExist: true))
        try bztimer.write { records in
            try records.insert(session, envelope: ["from": "file"])
            try records.insert(activity, envelope: ["from": "file"])
            try records.insert(entry)
            try records.insert(preset, envelope: ["from": "file"])
            try records.insert(Preset.sample("p2"))
            try records.save(settings)
        }
        var records: [StoreRecordKey: JSONObject] = [:]
        records[StoreRecordKey("sessions", "s1")] = session.json.object
        records[StoreRecordKey("activities", "t1")] = activity.json.object
        records[StoreRecordKey("history", "h1")] = entry.json.object
        records[StoreRecordKey("presets", "p1")] = preset.json.object
        records[StoreRecordKey("presets", "p2")] = Preset.sample("p2").json.object
        records[StoreRecordKey("settings", "")] = settings.json.object
        return (store, records)
    }

    @Test func recordsAreThoseOfTheFormat() throws {
        let (store, records) = try filled()
        #expect(try store.all() == records)
        #expect(try store.unnoted(since: [:]) == [])

        // And into an empty store, where what is never sent is as the app has it at first.
        let other = try made("other.db")
        try other.apply(records.map { SyncEdit($0.key, $0.value) }, orders: ["presets": ["p2", "p1"]])
        var expected = records
        expected[StoreRecordKey("settings", "")]?["isProUser"] = false
        #expect(try other.all() == expected)
        #expect(try sandbox.rows("SELECT id FROM preset ORDER BY position", in: "other.db") == ["p2", "p1"])
        #expect(try other.noted() == [])
    }

    @Test func whatIsNeverSentStays() throws {
        let (store, records) = try filled()
        var settings = try #require(records[StoreRecordKey("settings", "")])
        for name in ["isProUser", "enableSounds", "enableVibration", "keepScreenAwakeDuringSession"] {
            settings[name] = nil
        }
        settings["preCountdownSeconds"] = 5
        settings["zeta"] = nil
        var session = try #require(records[StoreRecordKey("sessions", "s1")])
        session["name"] = "Other"
        session["items"] = .array((session["items"]?.array ?? []).reversed())
        try store.apply([
            SyncEdit(StoreRecordKey("settings", ""), settings), SyncEdit(StoreRecordKey("sessions", "s1"), session),
        ])
        let found = try store.all()
        #expect(found[StoreRecordKey("settings", "")]?["isProUser"] == true)
        #expect(found[StoreRecordKey("settings", "")]?["preCountdownSeconds"] == 5)
        #expect(found[StoreRecordKey("settings", "")]?["zeta"] == nil)
        #expect(found[StoreRecordKey("sessions", "s1")] == session)
        #expect(try sandbox.rows("SELECT envelope, position FROM session", in: "bztimer.db") == [#"{"from":"file"}|1"#])
    }

    @Test func aSessionGoesWithItsBlocks() throws {
        let (store, _) = try filled()
        try store.apply([SyncEdit(StoreRecordKey("sessions", "s1"), nil)])
        #expect(try sandbox.rows("SELECT * FROM block", in: "bztimer.db") == [])
        #expect(try store.read { try $0.record(StoreRecordKey("history", "h1")) }?["sessionId"] == .null)
    }

    @Test(arguments: [
        ("UPDATE session SET name = 'x'", ["sessions "]),
        ("UPDATE block SET label = 'x' WHERE position = 1", ["sessions "]),
        ("DELETE FROM block WHERE position = 1", ["sessions "]),
        ("REPLACE INTO block (session_id, position) VALUES ('s1', 0)", ["sessions "]),
        ("UPDATE session SET id = 's2'; UPDATE block SET session_id = 's2'", ["sessions "]),
        ("PRAGMA foreign_keys = ON; DELETE FROM session", ["sessions "]),
        ("PRAGMA foreign_keys = ON; REPLACE INTO session (id, position) VALUES ('s1', 1)", ["sessions "]),
        ("REPLACE INTO template (rowid, id, position) VALUES (1, 't2', 1)", ["activities "]),
        ("UPDATE history SET session_id = NULL", ["history h1"]),
        ("UPDATE settings SET is_pro_user = 0", ["settings "]),
        ("REPLACE INTO settings (id) VALUES (1)", ["settings "]),
        ("DELETE FROM settings", ["settings "]),
        ("UPDATE preset SET position = 9 WHERE id = 'p1'", ["presets "]),
    ])
    func whatIsWrittenIsNoted(_ sql: String, expected: [String]) throws {
        let (store, records) = try filled()
        try store.apply([])
        try sandbox.sql(sql, in: "bztimer.db")
        #expect(try store.noted() == expected)
        #expect(try store.unnoted(since: records) == [])
    }

    @Test(arguments: [
        ("mode", #"{"mode": "time", "durationSeconds": 5}"#), ("durationSeconds", "1.5"), ("label", "5"),
    ])
    func whatTheProgramsCouldNotReadIsRefused(_ member: String, _ value: String) throws {
        let (store, records) = try filled()
        let key = StoreRecordKey("sessions", "s1")
        var session = try #require(records[key])
        var items = session["items"]?.array ?? []
        items[0][member] = try JSONDocument(parsing: value).root.value
        session["items"] = .array(items)
        let error = try storeError { try store.apply([SyncEdit(key, session)]) }
        #expect(error?.code == .rejected && error?.message.contains(member) == true, "\(error?.message ?? "")")
        #expect(try store.all() == records)
    }

    @Test(arguments: [
        ("sessions", #"{"id": "x", "items": 5}"#, #"the member "items" is 5, expected an array of objects"#),
        ("sessions", #"{"id": "x"}"#, #"the member "items" is not there, expected an array of objects"#),
        ("history", #"{"id": "y"}"#, "its id is not its key, or contains U+0000"),
        ("laps", #"{"id": "x"}"#, "the store has no place for it"),
    ])
    func whatTheStoreCannotHoldIsSaid(_ collection: String, _ text: String, reason: String) throws {
        let store = try made()
        let error = try storeError { try store.apply([SyncEdit(StoreRecordKey(collection, "x"), try object(text))]) }
        #expect(error?.code == .rejected)
        #expect(
            error?.message
                == "the store cannot hold the record \"x\" of \(collection): \(reason); nothing was written"
        )
    }

    @Test func theSchemaOfTheStoreNamesItsCollections() throws {
        let schema = try JSONDocument(parsing: #require(BztimerFormat.storeSchemas.first)).root.value
        let names = schema["properties"]?.object?.names ?? []
        #expect(Set(names) == Set(BztimerStoreAdapter().collections))
    }
}

extension Preset {
    fileprivate static func sample(_ id: String) -> Preset {
        Preset(
            id: id,
            name: "Tabata",
            getReadySeconds: 10,
            workSeconds: 20,
            restSeconds: 10,
            sets: 1,
            rounds: 8,
            soundEnabled: true,
            voiceEnabled: false
        )
    }
}
