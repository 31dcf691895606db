import Foundation
import StrictJSON
import TestSupport
import Testing

/// A student's day: sessions that start, pause, go on and end, and what they add up to.
struct StudyTrackingTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @discardableResult
    private func study(_ arguments: String..., at time: String) async throws -> Outcome {
        try await sandbox.tracker(
            ["study"] + arguments
                + ["--store", sandbox.path("timer.db"), "--now", "2026-03-05T\(time):00Z", "--time-zone", "UTC"]
        )
    }

    @Test("Pauses do not count, and a valid log comes out")
    func day() async throws {
        #expect(try await study("init", at: "08:00").status == 0)
        #expect(try await study("start", "Algebra", at: "09:00").status == 0)
        #expect(try await study("start", "algebra", at: "09:05").status == 65)
        #expect(try await study("pause", at: "09:20").status == 0)
        #expect(try await study("pause", at: "09:25").status == 65)
        #expect(try await study("resume", at: "09:40").status == 0)
        #expect(try await study("resume", at: "09:45").status == 65)
        let running = try await study("status", "--format", "json", at: "09:50").json
        #expect(running["session"]?["seconds"]?.int == 30 * 60)
        let next = try await study("start", "Latin", "--format", "json", at: "10:00").json
        #expect(next["stopped"]?["seconds"]?.int == 40 * 60)
        #expect(try await study("stop", "--at", "10:30", at: "11:00").status == 0)
        #expect(try await study("stop", at: "11:00").status == 65)
        #expect(try await study("start", "ALGEBRA", at: "12:00").status == 0)
        #expect(try await study("stop", "--at", "11:00", at: "12:30").status == 65)
        #expect(try await study("stop", "--at", "13:00", at: "12:30").status == 64)
        #expect(try await study("stop", at: "12:30").status == 0)
        let summary = try await study("summary", "--format", "json", at: "13:00").json
        let totals = summary["totals"]?.array?.map { "\($0["name"]?.string ?? "") \($0["seconds"]?.int ?? 0)" }
        #expect(totals == ["Algebra 4200", "Latin 1800"])
        let sessions = try await study("sessions", "--format", "json", at: "13:00").json
        #expect(sessions["sessions"]?.array?.map { $0["status"]?.string } == ["completed", "completed", "completed"])
        try await sandbox.exportedLog(sandbox.path("timer.db"), to: "log.json")
        let valid = try await sandbox.tracker("validate", "log.json")
        #expect(valid.status == 0, "\(valid.output)\(valid.errors)")
        #expect(valid.output == "log.json: valid (version 2)\n", "\(valid.output)")
    }

    @Test("A pause that ends at once costs nothing, whatever the ids of its events")
    func pauseOfNoLength() async throws {
        for hour in 1...6 {
            try await study("start", "Algebra", "--at", "0\(hour):00", at: "12:00")
            try await study("pause", "--at", "0\(hour):20", at: "12:00")
            try await study("resume", "--at", "0\(hour):20", at: "12:00")
            let ended = try await study("stop", "--at", "0\(hour):40", "--format", "json", at: "12:00").json
            #expect(ended["session"]?["seconds"]?.int == 40 * 60)
        }
        let summary = try await study("summary", "--format", "json", at: "12:00").json
        #expect(summary["totals"]?.array?.first?["seconds"]?.int == 6 * 40 * 60)
        let store = sandbox.path("timer.db")
        let first = try await sandbox.exportedLog(store, to: "log.json")
        let valid = try await sandbox.tracker("validate", "log.json")
        #expect(valid.status == 0, "\(valid.output)\(valid.errors)")
        let types = try JSONDocument(parsing: first).root["events"]?.value.array?.map { $0["event_type"]?.string ?? "" }
        #expect(types == Array(repeating: ["started", "paused", "resumed", "stopped"], count: 6).flatMap { $0 })
    }

    @Test("A session of the cloud without events can be ended")
    func withoutEvents() async throws {
        try sandbox.write(
            "sessions.csv",
            """
            id,device_id,title,status,start_time,end_time,accumulated_seconds
            s1,phone,Algebra,active,2026-03-05 09:00:00+00,,0

            """
        )
        let store = sandbox.path("timer.db")
        let imported = try await sandbox.tracker("import", "sessions.csv", "--store", store, "--yes")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(try await study("pause", at: "09:30").status == 0)
        let ended = try await study("stop", "--format", "json", at: "10:00").json
        #expect(ended["session"]?["seconds"]?.int == 30 * 60)
        try await sandbox.exportedLog(store, to: "log.json")
        #expect(try await sandbox.tracker("validate", "log.json").status == 0)
    }

    @Test("A paused session of the cloud without events goes on")
    func pausedWithoutEvents() async throws {
        try sandbox.write(
            "sessions.csv",
            """
            id,device_id,title,status,start_time,end_time,accumulated_seconds
            s1,phone,Analysis,completed,2026-03-05 06:00:00+00,2026-03-05 08:00:00+00,3000
            s2,phone,Physics,paused,2026-03-05 09:00:00+00,,1800

            """
        )
        let store = sandbox.path("timer.db")
        let imported = try await sandbox.tracker("import", "sessions.csv", "--store", store, "--yes")
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.contains("note: 2 sessions have pauses and no events"), "\(imported.output)")
        #expect(try await study("resume", at: "10:30").status == 0)
        let running = try await study("status", "--format", "json", at: "11:30").json
        #expect(running["session"]?["seconds"]?.int == 90 * 60)
        #expect(running["todaySeconds"]?.int == 140 * 60)
        let ended = try await study("stop", "--format", "json", at: "12:30").json
        #expect(ended["session"]?["seconds"]?.int == 150 * 60)
        let summary = try await study("summary", "--format", "json", at: "13:00").json
        let totals = summary["totals"]?.array?.map { "\($0["name"]?.string ?? "") \($0["seconds"]?.int ?? 0)" }
        #expect(totals == ["Physics 9000", "Analysis 3000"])
        try await sandbox.exportedLog(store, to: "log.json")
        let valid = try await sandbox.tracker("validate", "log.json")
        #expect(valid.output == "log.json: valid (version 2)\n", "\(valid.output)")
    }

    @Test("The sample is a valid log, and its tables, calendars and pages are written")
    func sample() async throws {
        #expect(try await study("init", "--sample", at: "12:00").status == 0)
        let store = sandbox.path("timer.db")
        let verified = try await sandbox.tracker("study", "verify", "--store", store)
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        let weeks = try await study("summary", "--from", "-28d", "--format", "json", at: "12:00").json
        #expect(weeks["weeks"]?.array?.count == 5)
        #expect(weeks["totals"]?.array?.count == 4)
        let table = try await study("export", "--week", sandbox.path("week.csv"), at: "12:00")
        #expect(table.status == 0, "\(table.errors)")
        #expect(String(decoding: try sandbox.bytes("week.csv"), as: UTF8.self).contains("Algebra"))
        #expect(try await study("export", sandbox.path("log.ics"), at: "12:00").status == 0)
        #expect(try await study("export", sandbox.path("log.xml"), at: "12:00").status == 64)
        let page = try await study("report", at: "12:00")
        #expect(page.output == "Wrote study-2026-W10.html.\n", "\(page.errors)")
    }

    @Test("A session is corrected, deleted, and what was done is undone, the last first")
    func corrections() async throws {
        try await study("start", "Algebra", at: "09:00")
        try await study("pause", at: "09:30")
        try await study("resume", at: "09:40")
        try await study("stop", at: "10:00")
        let edited = try await study("sessions", "edit", "last", "--end", "10:20", "--subject", "Geometry", at: "11:00")
        #expect(edited.output.hasPrefix("Changed \"Geometry\", Thu 5 Mar 2026 09:00–10:20, 1 h 10 min; before: "))
        #expect(edited.output.contains("\nTo undo: satchel study undo --store "), "\(edited.output)\(edited.errors)")
        let wrong = try await study("sessions", "edit", "last", "--end", "09:35", at: "11:00")
        #expect(wrong.status == 65 && wrong.errors.contains("was stopped at"), "\(wrong.errors)")
        let listed = try await study("sessions", "--format", "json", at: "11:00").json["sessions"]?.array?.first
        let name = try #require(listed?["shortName"]?.string)
        #expect(try await study("sessions", at: "11:00").output.contains(name))
        let deleted = try await study("sessions", "delete", name, at: "11:00")
        #expect(deleted.output.hasPrefix("Deleted \"Geometry\""), "\(deleted.errors)")
        #expect(try await study("sessions", "--format", "json", at: "11:00").json["sessions"]?.array?.isEmpty == true)
        #expect(try await study("undo", at: "11:00").output.hasPrefix("Undone: delete.\nAdded \"Geometry\""))
        #expect(
            try await study("undo", at: "11:00").output.contains(
                "Changed \"Algebra\", Thu 5 Mar 2026 09:00–10:00, 50 min."
            )
        )
        #expect(try await study("undo", at: "11:00").output.hasPrefix("Undone: stopped."))
        #expect(try await study("status", at: "11:00").output.hasPrefix("Running \"Algebra\""))
        let verified = try await sandbox.tracker("study", "verify", "--store", sandbox.path("timer.db"))
        #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
        for _ in ["resume", "pause", "start"] { #expect(try await study("undo", at: "11:00").status == 0) }
        #expect(try await study("undo", at: "11:00").status == 66)
    }

    @Test("A goal that replaces another one names it")
    func replacedGoal() async throws {
        #expect(try await study("init", at: "07:00").status == 0)
        #expect(try await study("goal", "Algebra", "45min/day", at: "08:00").status == 0)
        let second = try await study("goal", "algebra", "40h/month", at: "08:00")
        let line = "The goal of \"Algebra\" is 40 h a month; it was 45 min a day. It stays on this device.\n"
        #expect(second.output == line, "\(second.errors)")
        let same = try await study("goal", "Algebra", "40h/month", "--format", "json", at: "08:00").json
        #expect(same["replaced"]?.isNull == true)
        let third = try await study("goal", "Algebra", "2h/week", "--format", "json", at: "08:00").json
        #expect(third["replaced"]?["per"]?.string == "month" && third["goals"]?.array?.count == 1)
    }

    @Test("A goal for a subject that nothing has is refused, with the one that was probably meant")
    func goalOfAnUnknownSubject() async throws {
        #expect(try await study("init", at: "07:00").status == 0)
        // Without any subject there is nothing to take it for.
        let first = try await study("goal", "Algebra", "2h/week", at: "08:00")
        #expect(first.output == "The goal of \"Algebra\" is 2 h a week. It stays on this device.\n", "\(first.errors)")
        let typo = try await study("goal", "Algbera", "3h/week", at: "08:00")
        #expect(typo.status == 66)
        #expect(typo.errors.contains("did you mean \"Algebra\"?") && typo.errors.contains("--new"), "\(typo.errors)")
        #expect(try await study("goal", "Latin", "3h/week", "--new", at: "08:00").status == 0)
        #expect(try await study("goal", "--format", "json", at: "08:00").json["goals"]?.array?.count == 2)
        // With --new, a part of a known name is another subject.
        let part = try await study("goal", "Alg", "4h/week", "--new", at: "08:00")
        #expect(part.output.contains("The goal of \"Alg\" is 4 h a week"), "\(part.output)")
        #expect(try await study("goal", "--format", "json", at: "08:00").json["goals"]?.array?.count == 3)
        // A whole name keeps its spelling.
        #expect(try await study("goal", "ALGEBRA", "5h/week", "--new", at: "08:00").output.contains("\"Algebra\""))
    }

    @Test("A session that was going on in a backup does not run again, and pauses that the backup lacks are removed")
    func restored() async throws {
        _ = try await study("init", at: "08:00")
        _ = try await study("start", "Algebra", at: "09:00")
        #expect(try await study("export", sandbox.path("running.json"), at: "09:30").status == 0)
        _ = try await study("stop", at: "10:00")
        let restore = ["restore", sandbox.path("running.json"), "Algebra", "--yes", "--format", "json"]
        let left = try await study(restore[0], restore[1], restore[2], restore[3], restore[4], restore[5], at: "11:00")
        #expect(try left.json["changed"] == false && left.json["leftOut"] == 1, "\(left.output)")
        let listed = try await study("sessions", "--format", "json", at: "11:00").json["sessions"]?.array?.first
        #expect(listed?["status"] == "completed" && listed?["seconds"] == 3600)
        // The backup's stop takes the place of the store's pause and stop.
        let log = try await study("export", sandbox.path("over.json"), at: "11:00")
        #expect(log.status == 0)
        var document = try JSONDocument(parsing: try sandbox.bytes("over.json")).root.value
        let id = try #require(document["sessions"]?.array?.first?["id"]?.string)
        document["events"] = [
            ["id": "e1", "session_id": .string(id), "event_type": "started", "created_at": "2026-03-05T09:00:00Z"],
            ["id": "e2", "session_id": .string(id), "event_type": "stopped", "created_at": "2026-03-05T10:00:00Z"],
        ]
        try sandbox.write("other.json", String(decoding: document.encoded(.indented), as: UTF8.self))
        let back = try await study("restore", sandbox.path("other.json"), id, "--yes", at: "11:00")
        #expect(back.output.contains("remove 2 events that the backup does not have"), "\(back.output)")
        try sandbox.remove("over.json")
        _ = try await study("export", sandbox.path("over.json"), at: "11:00")
        let after = try JSONDocument(parsing: try sandbox.bytes("over.json")).root.value
        #expect(after["events"]?.array?.compactMap { $0["id"]?.string } == ["e1", "e2"])
    }

    @Test("Where two run, status and start name both")
    func two() async throws {
        _ = try await study("init", at: "08:00")
        _ = try await study("start", "Biology", at: "08:00")
        try sandbox.write(
            "other.json",
            """
            {"format":"study-log","version":2,"exportedAt":"2026-03-05T08:30:00Z","sessions":[{"id":"c","device_id":"d",\
            "title":"Chemistry","status":"active","start_time":"2026-03-05T08:10:00Z","end_time":null,"accumulated_seconds":0}],\
            "events":[{"id":"e","session_id":"c","event_type":"started","created_at":"2026-03-05T08:10:00Z"}]}
            """
        )
        let taken = try await sandbox.tracker("import", "other.json", "--store", sandbox.path("timer.db"), "--yes")
        #expect([0, 3].contains(taken.status), "\(taken.errors)")
        let status = try await study("status", at: "09:00").output
        #expect(status.contains("\"Biology\"") && status.contains("\"Chemistry\""), "\(status)")
        let started = try await study("start", "Latin", at: "09:00").output
        #expect(started.contains("Stopped \"Biology\"") && started.contains("Stopped \"Chemistry\""), "\(started)")
    }

    @Test("A stop that is undone goes on as it was where nothing syncs")
    func undoneStop() async throws {
        _ = try await study("init", at: "08:00")
        _ = try await study("start", "Algebra", at: "08:00")
        _ = try await study("stop", at: "09:00")
        func ids() async throws -> [String] {
            let sessions = try await study("sessions", "--format", "json", at: "09:10").json["sessions"]?.array ?? []
            return sessions.compactMap { $0["id"]?.string }
        }
        let over = try await ids()
        let undone = try await study("undo", at: "09:01")
        #expect(undone.status == 0, "\(undone.errors)")
        #expect(try await ids() == over)
        #expect(try await study("status", at: "09:30").output.contains("Running \"Algebra\", 1 h 30 min"))
        // The start can be taken back as well.
        #expect(try await study("undo", at: "09:31").status == 0)
        #expect(try await ids() == [])
    }

    @Test("A subject is one, whatever its letters and blanks; a session without a title is of Study")
    func subjects() async throws {
        _ = try await study("init", at: "07:00")
        #expect(try await study("start", "Algebra ", at: "08:00").output == "Started \"Algebra\".\n")
        _ = try await study("stop", at: "09:00")
        try sandbox.write(
            "other.json",
            """
            {"sessions":[{"id":"a","device_id":"p","title":"algebra  ","status":"completed",\
            "start_time":"2026-03-05T09:00:00Z","end_time":"2026-03-05T10:00:00Z","accumulated_seconds":3600},\
            {"id":"b","device_id":"p","title":"","status":"completed",\
            "start_time":"2026-03-05T10:00:00Z","end_time":"2026-03-05T10:30:00Z","accumulated_seconds":1800}],\
            "session_history":[]}
            """
        )
        let store = sandbox.path("timer.db")
        #expect(try await sandbox.tracker("import", "other.json", "--store", store, "--yes").status == 0)
        for (name, seconds) in [("ALGEBRA", 7200), ("study ", 1800)] {
            #expect(try await study("goal", name, "1h/day", at: "12:00").status == 0)
            let found = try await study("find", name, "--format", "json", at: "12:00")
            #expect(found.status == 0 && found.output.contains("\(seconds)"), "\(found.output)\(found.errors)")
        }
        let summary = try await study("summary", "--format", "json", at: "12:00").json
        let totals = summary["totals"]?.array?.map { "\($0["name"]?.string ?? "") \($0["seconds"]?.int ?? 0)" }
        #expect(totals == ["algebra 7200", "Study 1800"])
        #expect(summary["goals"]?.array?.map { $0["doneSeconds"]?.int ?? 0 } == [1800, 7200])
        #expect(try await study("sessions", at: "12:00").output.contains("  Study "))
        let page = try await study("open", "--export", sandbox.path("page"), at: "12:00")
        #expect(page.status == 0, "\(page.errors)")
        let html = String(decoding: try sandbox.bytes("page/index.html"), as: UTF8.self)
        #expect(!html.contains("class=\"number\">Algebra<") && html.contains("class=\"number\">algebra<"))
    }

    @Test("What runs has its length until now, in find, edit and undo")
    func running() async throws {
        _ = try await study("init", at: "07:00")
        _ = try await study("start", "Algebra", at: "08:00")
        let found = try await study("find", "algebra", at: "09:00")
        #expect(found.output.contains("1 session, 1 h,"), "\(found.output)")
        let edited = try await study("sessions", "edit", "running", "--start", "07:30", at: "09:00")
        let line = "\"Algebra\", Thu 5 Mar 2026 07:30, running, 1 h 30 min"
        #expect(edited.output.hasPrefix("Changed \(line); before: "), "\(edited.output)")
        _ = try await study("pause", at: "09:30")
        let undone = try await study("undo", at: "10:00")
        #expect(undone.output.contains("07:30, running, 2 h 30 min."), "\(undone.output)")
    }

    @Test("A session over the time of another one is named")
    func overlap() async throws {
        _ = try await study("init", at: "07:00")
        _ = try await study("start", "Algebra", at: "09:00")
        #expect(try await study("stop", at: "10:00").status == 0)
        let started = try await study("start", "Latin", "--at", "08:00", at: "12:00")
        #expect(started.status == 3 && started.output == "Started \"Latin\".\n", "\(started.errors)")
        let stopped = try await study("stop", "--at", "09:30", at: "12:00")
        let warning =
            "warning[study.overlap]: \"Latin\", Thu 5 Mar 2026 08:00–09:30, 1 h 30 min and "
            + "\"Algebra\", Thu 5 Mar 2026 09:00–10:00, 1 h overlap; "
        #expect(stopped.status == 3 && stopped.errors.contains(warning), "\(stopped.errors)")
        #expect(try await study("sessions", "edit", "last", "--start", "09:30", at: "12:00").status == 0)
        #expect(try await study("sessions", "edit", "last", "--start", "09:15", at: "12:00").status == 3)
    }
}
