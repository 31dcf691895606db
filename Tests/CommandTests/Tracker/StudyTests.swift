import Foundation
import StrictJSON
import Testing
import TestSupport

/// Study Timer: off the cloud in one command, and back out of the store as it was.
struct StudyTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static let sessions = """
        id,device_id,title,status,start_time,end_time,accumulated_seconds
        s1,phone,Algebra,completed,2026-03-02 09:00:00+00,2026-03-02 10:00:00+00,3000
        s2,phone,"Latin, book 2",completed,2026-03-03 09:00:00+00,2026-03-03 09:30:00+00,1800

        """

    private static let history = """
        id,session_id,event_type,created_at
        e1,s1,started,2026-03-02 09:00:00+00
        e2,s1,paused,2026-03-02 09:20:00+00
        e3,s1,resumed,2026-03-02 09:30:00+00
        e4,s1,stopped,2026-03-02 10:00:00+00
        e5,s2,started,2026-03-03 09:00:00+00
        e6,s2,stopped,2026-03-03 09:30:00+00

        """

    private func tables() throws {
        try sandbox.write("sessions.csv", Self.sessions)
        try sandbox.write("session_history.csv", Self.history)
    }

    @Test("Tables and logs that come through a pipe are read once")
    func pipes() async throws {
        try tables()
        let store = sandbox.path("piped.db")
        let arguments = ["import", "/dev/stdin", "session_history.csv", "--store", store, "--yes"]
        let imported = try await sandbox.tracker(arguments, input: Array(Self.sessions.utf8))
        #expect(imported.status == 0, "\(imported.errors)")
        let export = ["study", "export", sandbox.path("log.json"), "--store", store]
        #expect(try await sandbox.tracker(export).status == 0)
        let verified = try await sandbox.tracker(["verify", "-"], input: try sandbox.bytes("log.json"))
        #expect(verified.status == 0 && verified.output.contains("8 records"), "\(verified.output)\(verified.errors)")
    }

    @Test("Both tables of the cloud come in with one command, and twice is once")
    func tablesOfTheCloud() async throws {
        try tables()
        let store = sandbox.path("timer.db")
        let arguments = ["import", "sessions.csv", "session_history.csv", "--store", store, "--yes"]
        let first = try await sandbox.tracker(arguments)
        #expect(first.status == 0, "\(first.errors)")
        #expect(first.output.contains("\nImported 2 sessions, 6 events into "), "\(first.output)")
        let again = try await sandbox.tracker(arguments)
        #expect(again.output.hasSuffix("Imported nothing new; 8 skipped, as the store has them.\n"), "\(again.output)")
        let verified = try await sandbox.tracker("verify", "--store", store)
        #expect(verified.output.contains("restored 8 records"), "\(verified.output)\(verified.errors)")
    }

    @Test("The tables as JSON, one after the other: no findings, and the export does not name a list")
    func listsOfTheCloud() async throws {
        let store = sandbox.path("timer.db")
        for (index, name) in ["sessions", "session_history", "sessions"].enumerated() {
            let file = Fixtures.path("study/v1/\(name).json")
            let outcome = try await sandbox.tracker("import", file, "--store", store, "--yes")
            #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
            let isNamed = outcome.output.contains("note: the import leaves 2 sessions open: \"線形代数\" (paused, ")
            #expect(isNamed == (index < 2), "\(outcome.output)")
        }
        let log = String(decoding: try await sandbox.exportedLog(store, to: "log.json"), as: UTF8.self)
        #expect(log.contains("線形代数") && !log.contains("x-preserved"))
    }

    @Test("An empty log makes an empty store, in both apps", arguments: [["study"], []])
    func empty(_ app: [String]) async throws {
        let (one, other) = (["--store", sandbox.path("one.db")], ["--store", sandbox.path("other.db")])
        #expect(try await sandbox.tracker(app + ["init"] + one).status == 0)
        #expect(try await sandbox.tracker(app + ["export", "log.json"] + one).status == 0)
        _ = try await sandbox.tracker(app + ["import", "log.json", "--yes", "--dry-run"] + other)
        #expect(!sandbox.has("other.db"))
        _ = try await sandbox.tracker(app + ["import", "log.json", "--yes"] + other)
        let exported = try await sandbox.tracker(app + ["export", "again.json"] + other)
        #expect(exported.status == 0, "\(exported.errors)")
    }

    @Test("Export, import, export: the same bytes, in both versions")
    func roundTrip() async throws {
        try tables()
        let store = sandbox.path("timer.db")
        let files = ["sessions.csv", "session_history.csv"]
        #expect(try await sandbox.tracker(["import", "--store", store, "--yes"] + files).status == 0)
        let first = try await sandbox.exportedLog(store, to: "log.json")
        let other = sandbox.path("other.db")
        #expect(try await sandbox.tracker("import", "log.json", "--store", other, "--yes").status == 0)
        #expect(try await sandbox.exportedLog(other, to: "again.json") == first)
        #expect(try await sandbox.tracker("migrate", "log.json", "--to", "1", "-o", "old.json").status == 0)
        let old = try await sandbox.tracker("validate", "old.json")
        #expect(old.output == "old.json: valid (version 1)\n", "\(old.errors)")
        #expect(try await sandbox.tracker("migrate", "old.json", "--to", "2", "-o", "new.json").status == 0)
        #expect(try sandbox.bytes("new.json") == first)
    }

    @Test("Tables and calendars keep unknown members of sessions, and name what they have no place for")
    func unknownMembers() async throws {
        let log = """
            {"format":"study-log","version":2,"sessions":[{"id":"a1","device_id":"phone","title":"Analysis",\
            "status":"completed","start_time":"2026-01-30T10:00:00Z","end_time":"2026-01-30T11:00:00Z",\
            "accumulated_seconds":3000,"goal":{"hours":2},"color":"red"},\
            {"id":"a2","device_id":"phone","title":"Later",\
            "status":"paused","start_time":"2026-01-31T10:00:00Z","end_time":null,"accumulated_seconds":0}],\
            "events":[\
            {"id":"1","session_id":"a1","event_type":"started","created_at":"2026-01-30T10:00:00Z","note":"x"},\
            {"id":"2","session_id":"a1","event_type":"paused","created_at":"2026-01-30T10:25:00Z"},\
            {"id":"3","session_id":"a1","event_type":"resumed","created_at":"2026-01-30T10:35:00Z"},\
            {"id":"4","session_id":"a1","event_type":"stopped","created_at":"2026-01-30T11:00:00Z"}],"user":7}
            """
        try sandbox.write("log.json", log)
        let store = sandbox.path("timer.db")
        let imported = try await sandbox.tracker("import", "log.json", "--store", store, "--yes")
        #expect(imported.status == 0, "\(imported.errors)")
        func lost(_ outcome: Outcome) -> [String] {
            outcome.errors.split(separator: "\n").compactMap { line in
                line.split(separator: "has no place for ").dropFirst().first.map { String($0) }
            }
        }
        let always = [
            "the states and events of sessions (2 times)", "sessions without a stretch of time (once)",
            "unknown members of events (once)", "unknown members with a name that time logs use (once)",
        ]
        let table = try await sandbox.tracker("export", "log.csv", "--store", store, "--now", trackerNow)
        let ofTable = ["the time of the export (once)", "unknown members of the whole export (once)"]
        #expect(lost(table) == ofTable + always, "\(table.errors)")
        let rows = String(decoding: try sandbox.bytes("log.csv"), as: UTF8.self).split(separator: "\r\n")
        #expect(rows.count == 3)
        #expect(rows[1].hasSuffix(#","{""device_id"":""phone"",""goal"":{""hours"":2}}""#), "\(rows[1])")
        #expect(rows[2].hasPrefix("a1#2,") && rows[2].hasSuffix(",,"), "\(rows[2])")

        let calendar = try await sandbox.tracker("export", "log.ics", "--store", store, "--now", trackerNow)
        #expect(lost(calendar) == ["unknown members of activities (once)"] + always, "\(calendar.errors)")
        let other = sandbox.path("tracker.db")
        let again = try await sandbox.tracker("import", "log.ics", "--store", other, "--yes")
        #expect(again.output.contains("Imported 2 activities"), "\(again.output)\(again.errors)")
        let read = try JSONDocument(parsing: await sandbox.exportedLog(other, to: "again.json")).root.value
        #expect(read["user"] == 7)
        #expect(read["activities"]?.array?.first?["goal"]?["hours"] == 2)
        #expect(read["activities"]?.array?.first?["device_id"] == "phone")
    }

    @Test("Seconds that the events do not add up to are named with their row, and mended on request")
    func accumulated() async throws {
        let wrong = Self.sessions.replacingOccurrences(of: ",1800", with: ",9999")
        try sandbox.write("sessions.csv", wrong)
        try sandbox.write("session_history.csv", Self.history)
        let store = sandbox.path("timer.db")
        let arguments = ["import", "sessions.csv", "session_history.csv", "--store", store, "--yes"]
        let outcome = try await sandbox.tracker(arguments + ["--repair"])
        #expect(outcome.status == 3)
        #expect(outcome.errors.contains("warning[study.accumulated]"))
        let log = String(decoding: try await sandbox.exportedLog(store, to: "log.json"), as: UTF8.self)
        #expect(log.contains("\"accumulated_seconds\": 1800"))
        #expect(!log.contains("9999"))
    }

    @Test("A row with a fault is named, and nothing is imported")
    func faults() async throws {
        let wrong = Self.sessions.replacingOccurrences(of: "2026-03-03 09:00:00+00", with: "2026-02-30 09:00:00+00")
        try sandbox.write("sessions.csv", wrong)
        let outcome = try await sandbox.tracker("import", "sessions.csv", "--store", sandbox.path("t.db"), "--yes")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("sessions.csv:3:"), "\(outcome.errors)")
        #expect(!sandbox.has("t.db"))
        let several = try await sandbox.tracker(
            "import",
            Fixtures.path("tracker/v2/offsets.json"),
            "sessions.csv",
            "--store",
            sandbox.path("t.db"),
            "--yes"
        )
        #expect(several.status == 64)
    }

    @Test("Tables and calendars of Study Timer's own are refused, as they cannot become sessions")
    func ownTables() async throws {
        try tables()
        let store = sandbox.path("timer.db")
        let made = ["import", "sessions.csv", "session_history.csv", "--store", store, "--yes"]
        #expect(try await sandbox.tracker(made).status == 0)
        for name in ["term.csv", "term.ics"] {
            #expect(try await sandbox.tracker("export", name, "--store", store, "--now", trackerNow).status == 0)
            let other = sandbox.path("other.db")
            for arguments in [
                ["study", "import", name], ["import", name, "--app", "study"], ["import", name, "--store", store],
                ["study", "import", name, "--store", other],
            ] {
                let outcome = try await sandbox.tracker(arguments + ["--yes"])
                #expect(outcome.status == 65, "\(arguments): \(outcome.output)")
                #expect(outcome.errors.contains("cannot become sessions"), "\(outcome.errors)")
            }
            #expect(!sandbox.has("other.db"))
        }
        #expect(try await sandbox.tracker("entries").status == 66)
    }

    @Test("A corrected session that is imported with --update has the file's pauses alone")
    func corrected() async throws {
        try tables()
        let store = sandbox.path("timer.db")
        let arguments = ["import", "sessions.csv", "session_history.csv", "--store", store, "--yes", "--update"]
        #expect(try await sandbox.tracker(arguments).status == 0)
        try sandbox.write("sessions.csv", Self.sessions.replacingOccurrences(of: ",3000", with: ",3600"))
        let history = Self.history.split(separator: "\n").filter { !$0.hasPrefix("e2") && !$0.hasPrefix("e3") }
        try sandbox.write("session_history.csv", history.joined(separator: "\n") + "\n")
        let outcome = try await sandbox.tracker(arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        for line in ["update event \"paused\"", "update event \"resumed\"", "; 3 changed"] {
            #expect(outcome.output.contains(line), "\(outcome.output)")
        }
        let options = ["--store", store, "--now", trackerNow, "--time-zone", "UTC", "--date", "2026-03-02"]
        let sessions = try await sandbox.tracker(["study", "sessions"] + options).output
        let summary = try await sandbox.tracker(["study", "summary"] + options).output
        #expect(sessions.contains(" 1 h ") && summary.contains("Tracked:      1 h\n"), "\(sessions)\(summary)")
        let again = try await sandbox.tracker(arguments)
        #expect(again.output.contains("Imported nothing new; 6 skipped"), "\(again.output)")
    }

    @Test("A new store, and each app's store is told from the other's")
    func stores() async throws {
        let store = sandbox.path("timer.db")
        let made = try await sandbox.tracker("init", "--app", "study", "--store", store)
        #expect(made.status == 0, "\(made.errors)")
        let before = try sandbox.bytes("timer.db")
        for more in [[], ["--sample"]] {
            let again = try await sandbox.tracker(["init", "--app", "study", "--store", store] + more)
            #expect(
                again.status == 73 && again.errors.contains("exists already; it was not changed"),
                "\(again.errors)"
            )
        }
        #expect(try sandbox.bytes("timer.db") == before)
        #expect(try await sandbox.tracker("start", "Work", "--store", store).status == 65)
        try await sandbox.exportedLog(store, to: "empty.json")
        #expect(try JSONDocument(parsing: sandbox.bytes("empty.json")).root["format"]?.string == "study-log")
    }
}
