import StrictJSON
import Testing
import TestSupport

/// `tracker-export import --from-storage`: what Time Tracker and Study Timer keep on a phone.
struct PhoneStorageTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static let activities = """
        [{"id":"a1","name":"Work","buttonId":"b1","startTime":1772442000000,"endTime":1772445600000,"duration":3600000,\
        "color":"#0A84FF","mood":3},{"id":"a2","name":"Meal","startTime":"2026-03-02T10:00:00.000Z","endTime":null},\
        {"id":"a3","name":"Broken","startTime":"yesterday"}]
        """
    private static let buttons =
        ##"[{"id":"b1","name":"Work","color":"#0A84FF","icon":"💼","isDefault":true,"position":0}]"##

    @Test(
        "Time Tracker: Android's databases and an iPhone's folder",
        arguments: ["catalystLocalStorage", "Storage", "folder"]
    )
    func timeTracker(layout: String) async throws {
        let long = Self.activities.replacing("\"mood\":3", with: "\"mood\":\"\(String(repeating: "x", count: 1100))\"")
        let fixture = StorageFixture([("other", "1"), ("@timetracker/activities", long), ("buttons", Self.buttons)])
        let path = sandbox.path("phone")
        if let table = StorageFixture.Table(rawValue: layout) {
            try fixture.write(toDatabase: path, table)
        } else {
            try fixture.write(toFolder: path)
        }
        let store = sandbox.path("tracker.db")
        let dry = try await sandbox.tracker("import", "--from-storage", path, "--store", store, "--dry-run")
        #expect(dry.status == 3 && !sandbox.has("tracker.db"), "\(dry.errors)")
        let outcome = try await sandbox.tracker("import", "--from-storage", path, "--store", store, "--yes")
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("\nImported 1 button, 2 activities into "), "\(outcome.output)")
        #expect(outcome.errors.contains("phone/@timetracker/activities: warning["), "\(outcome.errors)")
        #expect(outcome.errors.contains("it is left out (at /2/startTime)"), "\(outcome.errors)")
        let log = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "log.json")).root.value
        let found = log["activities"]?.array ?? []
        #expect(found.map { $0["id"]?.string } == ["a1", "a2"])
        #expect(found.first?["startTime"] == "2026-03-02T09:00:00Z" && found.first?["mood"] != nil)
        // What it is is told by its content as well, and twice is once.
        let again = try await sandbox.tracker("import", path, "--store", store, "--yes")
        #expect(again.output.contains("Imported nothing new; 3 skipped"), "\(again.output)\(again.errors)")
    }

    @Test("An id that stands twice leaves the second out, by name, and the rest comes in")
    func duplicateIDs() async throws {
        let twice = Self.activities.replacing("\"id\":\"a2\"", with: "\"id\":\"a1\"")
        let path = sandbox.path("RKStorage")
        try StorageFixture([("activities", twice), ("buttons", Self.buttons)]).write(
            toDatabase: path,
            .catalystLocalStorage
        )
        let store = sandbox.path("tracker.db")
        let outcome = try await sandbox.tracker("import", "--from-storage", path, "--store", store, "--yes")
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("\nImported 1 button, 1 activity into "), "\(outcome.output)\(outcome.errors)")
        let expected =
            "warning[tracker.duplicate-id]: the id \"a1\" is used twice, first at /0; it is left out (at /1/id)"
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test("Study Timer: out of AsyncStorage, and out of its own database")
    func studyTimer() async throws {
        let session = """
            {"id":"s1","device_id":"phone","title":"Algebra","status":"completed","start_time":"2026-03-02T09:00:00.000Z",\
            "end_time":"2026-03-02T10:00:00.000Z","accumulated_seconds":3600}
            """
        let events = """
            [{"id":"e1","session_id":"s1","event_type":"started","created_at":"2026-03-02T09:00:00.000Z"},\
            {"id":"e2","session_id":"s1","event_type":"stopped","created_at":"2026-03-02T10:00:00.000Z"}]
            """
        try StorageFixture([("studytimer:sessions", "[\(session)]"), ("studytimer:session_history", events)])
            .write(toDatabase: sandbox.path("RKStorage"), .catalystLocalStorage)
        let first = sandbox.path("first.db")
        let outcome = try await sandbox.tracker("import", "--from-storage", "RKStorage", "--store", first, "--yes")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("\nImported 1 session, 2 events into "), "\(outcome.output)")

        let database = try RawDatabase(sandbox.path("study.db"))
        try database.run(
            """
            CREATE TABLE sessions (id TEXT PRIMARY KEY, device_id TEXT, title TEXT, status TEXT, start_time TEXT,
                end_time INTEGER, accumulated_seconds INTEGER);
            CREATE TABLE session_history (id TEXT PRIMARY KEY, session_id TEXT, event_type TEXT, created_at TEXT);
            INSERT INTO sessions VALUES ('s1', 'phone', 'Algebra', 'completed', '2026-03-02 09:00:00', 1772445600000, 3600);
            INSERT INTO session_history VALUES ('e1', 's1', 'started', '2026-03-02T09:00:00Z'),
                ('e2', 's1', 'stopped', '2026-03-02T10:00:00Z');
            """
        )
        database.close()
        let second = sandbox.path("second.db")
        let own = try await sandbox.tracker("import", "study.db", "--store", second, "--yes")
        #expect(own.status == 0, "\(own.errors)")
        #expect(own.output.contains("\nImported 1 session, 2 events into "), "\(own.output)")
        let log = try JSONDocument(parsing: await sandbox.exportedLog(second, to: "log.json")).root.value
        #expect(log["sessions"]?.array?.first?["end_time"] == "2026-03-02T10:00:00Z")
        #expect(log["sessions"]?.array?.first?["start_time"] == "2026-03-02T09:00:00Z")
    }

    /// A session of Study Timer, its members after `id` replaced.
    private static func session(_ id: String, _ changes: (of: String, with: String)...) -> String {
        var text = """
            {"id":"\(id)","device_id":"phone","title":"Algebra","status":"completed",\
            "start_time":"2026-03-02T09:00:00Z","end_time":"2026-03-02T10:00:00Z","accumulated_seconds":3600}
            """
        for change in changes { text = text.replacing(change.of, with: change.with) }
        return text
    }

    private static func event(_ id: String, of session: String, at time: String = #""2026-03-02T09:00:00Z""#) -> String
    {
        #"{"id":"\#(id)","session_id":"\#(session)","event_type":"activity_started","created_at":\#(time)}"#
    }

    private func importStudy(
        _ sessions: [String],
        _ events: [String],
        _ more: String...
    ) async throws -> Outcome {
        try StorageFixture([
            ("sessions", "[\(sessions.joined(separator: ","))]"),
            ("session_history", "[\(events.joined(separator: ","))]"),
        ])
        .write(toDatabase: sandbox.path("phone.db"), .storage)
        let arguments = ["import", "--from-storage", "phone.db", "--store", sandbox.path("study-store.db"), "--yes"]
        return try await sandbox.tracker(arguments + more)
    }

    static let unusable: [(element: String, code: String, place: String)] = [
        (session("bad", ("completed", "weird")), "schema.enum", "/0/status"),
        (session("bad", (#""Algebra""#, "null")), "schema.type", "/0/title"),
        (session("bad", (#""id":"bad","#, "")), "schema.required", "/0"),
        (session("bad", ("2026-03-02T09:00:00Z", "soon")), "schema.format", "/0/start_time"),
        (session("bad", ("3600", "12.5")), "schema.type", "/0/accumulated_seconds"),
        (session("bad", ("2026-03-02T10", "2026-03-02T08")), "study.end-before-start", "/0/end_time"),
        ("7", "schema.type", "/0"),
    ]

    @Test("Study Timer: a session that cannot be used is left out with its fault and place", arguments: unusable)
    func unusableSession(_ bad: (element: String, code: String, place: String)) async throws {
        let events = [Self.event("e1", of: "bad"), Self.event("e2", of: "s1")]
        let outcome = try await importStudy([bad.element, Self.session("s1")], events)
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("\nImported 1 session, 2 events into "), "\(outcome.output)")
        let lines = outcome.errors.split(separator: "\n")
        let left = try #require(lines.first { $0.contains("it is left out") }, "\(outcome.errors)")
        #expect(left.hasPrefix("phone.db/sessions: warning[\(bad.code)]: "), "\(left)")
        #expect(left.hasSuffix("; it is left out (at \(bad.place))"), "\(left)")
        // The place is that in the storage, without a line of a text that nobody has.
        let event = try #require(lines.first { $0.contains("study.dangling-event") }, "\(outcome.errors)")
        #expect(event.hasPrefix("phone.db/session_history: warning["), "\(event)")
        #expect(event.contains("\"bad\"; the event is kept (at /0/session_id)"), "\(event)")
    }

    @Test("Study Timer: an event that cannot be used is left out, and events whose sessions all are have a warning")
    func unusableEvent() async throws {
        let events = [Self.event("e1", of: "s1", at: "null"), Self.event("e2", of: "s1")]
        let outcome = try await importStudy([Self.session("s1", ("completed", "weird"))], events)
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("\nImported 1 event into "), "\(outcome.output)")
        #expect(outcome.errors.contains("it is left out (at /0/created_at)"), "\(outcome.errors)")
        let expected = "no session that can be used has the id \"s1\"; the event is kept (at /1/session_id)"
        #expect(outcome.errors.contains(expected), "\(outcome.errors)")
    }

    @Test("With --repair, a session that ends before it starts is corrected, and named with its place")
    func repaired() async throws {
        let swapped = Self.session("s2", ("2026-03-02T10", "2026-03-02T08"))
        let outcome = try await importStudy(["7", Self.session("s1"), swapped], [], "--repair")
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("\nImported 2 sessions into "), "\(outcome.output)")
        let line = outcome.errors.split(separator: "\n").first { $0.contains("study.end-before-start") }
        #expect(line?.hasPrefix("phone.db/sessions: warning[") == true, "\(outcome.errors)")
        #expect(line?.hasSuffix("repaired: start and end are exchanged (at /2/end_time)") == true, "\(outcome.errors)")
    }

    @Test("With --repair, an entry that ends before it starts is corrected, and named with its place")
    func repairedEntry() async throws {
        let entries = #"[7,{"id":"a1","name":"Work","startTime":1772445600000,"endTime":1772442000000}]"#
        try StorageFixture([("activities", entries)]).write(toDatabase: sandbox.path("phone.db"), .storage)
        let arguments = ["import", "phone.db", "--store", sandbox.path("tracker.db"), "--yes", "--repair"]
        let outcome = try await sandbox.tracker(arguments)
        #expect(outcome.status == 3, "\(outcome.errors)")
        #expect(outcome.output.contains("\nImported 1 activity into "), "\(outcome.output)\(outcome.errors)")
        let line = outcome.errors.split(separator: "\n").first { $0.contains("tracker.end-before-start") }
        #expect(line?.hasPrefix("phone.db/activities: warning[") == true, "\(outcome.errors)")
        #expect(line?.contains("repaired: ") == true && line?.contains("(at /1") == true, "\(outcome.errors)")
    }

    @Test("Another app's storage changes nothing, and says what to do")
    func others() async throws {
        try StorageFixture([("sessionTemplates", "[]"), ("activities", "{not json")])
            .write(toDatabase: sandbox.path("phone"), .storage)
        let outcome = try await sandbox.tracker("import", "phone", "--store", sandbox.path("new.db"), "--yes")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("bzpack import --from-storage"), "\(outcome.errors)")
        #expect(!sandbox.has("new.db"))
    }
}
