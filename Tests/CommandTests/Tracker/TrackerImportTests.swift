import ArchiveIO
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport
import TimeTracker

struct TrackerImportTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private static let toggl = """
        User,Email,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags
        Ada,a@b.c,,Writing,,Letter,No,2026-03-02,09:00:00,2026-03-02,10:30:00,01:30:00,
        Ada,a@b.c,,Reading,,Book,No,2026-03-02,20:00:00,2026-03-02,21:00:00,01:00:00,
        Ada,a@b.c,,Broken,,Row,No,2026-02-30,20:00:00,2026-03-02,21:00:00,01:00:00,

        """

    private func count(_ store: String) async throws -> Int {
        let json = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "count.json")).root
        return json["activities"]?.count ?? -1
    }

    @Test("What is left out is named with --quiet as well")
    func quiet() async throws {
        try sandbox.write(
            "e.csv",
            """
            name,startTime,endTime
            Work,2026-01-01T12:00:00Z,2026-01-01T11:00:00Z
            Ok,2026-01-01T10:00:00Z,2026-01-01T11:00:00Z

            """
        )
        let outcome = try await sandbox.tracker(
            "import",
            "e.csv",
            "--store",
            sandbox.path("quiet.db"),
            "--yes",
            "--quiet"
        )
        #expect(outcome.status == 3 && outcome.output.isEmpty, "\(outcome.output)")
        #expect(outcome.errors.hasPrefix("e.csv: refuse activity \"Work\" of 2026-01-01T12:00:00Z: it ends at "))
        #expect(outcome.errors.hasSuffix(" (at row 2 (line 2))\n"), "\(outcome.errors)")
    }

    @Test("The same file twice adds nothing, and one that overlaps adds what is new")
    func twice() async throws {
        let store = try await sandbox.sampleLog()
        try await sandbox.exportedLog(store, to: "all.json")
        let before = try await count(store)
        let again = try await sandbox.tracker("import", "all.json", "--store", store, "--yes")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.contains("Imported nothing new; \(before + 8) skipped"))

        let other = sandbox.path("other.db")
        try sandbox.write("toggl.csv", Self.toggl)
        let first = try await sandbox.tracker(
            ["import", "toggl.csv", "--store", other, "--yes", "--time-zone", "Europe/Berlin"]
        )
        #expect(first.status == 3)
        #expect(first.output.contains("Imported 2 buttons, 2 activities"))
        #expect(first.errors.contains("toggl.csv:4:27: error[entries.time]: row 4: "))
        let more = Self.toggl + "Ada,a@b.c,,Walking,,Dog,No,2026-03-03,07:00:00,2026-03-03,07:30:00,00:30:00,\n"
        try sandbox.write("more.csv", more)
        let second = try await sandbox.tracker(
            ["import", "more.csv", "--store", other, "--yes", "--time-zone", "Europe/Berlin"]
        )
        #expect(second.output.contains("Imported 1 button, 1 activity"), "\(second.output)")
        #expect(try await count(other) == 3)
    }

    @Test("Client, task, description, tags, billable and amount of a report survive every export, and are shown")
    func details() async throws {
        try sandbox.write(
            "toggl.csv",
            """
            User,Client,Project,Task,Description,Billable,Start date,Start time,End date,End time,Duration,Tags,Amount (EUR)
            Ada,Big Company,Engine,Cards,"Punched, twice",Yes,2026-03-02,09:00:00,2026-03-02,10:00:00,01:00:00,"a, b",111.11

            """
        )
        let first = sandbox.path("first.db")
        let imported = try await sandbox.tracker(
            "import",
            "toggl.csv",
            "--store",
            first,
            "--yes",
            "--time-zone",
            "Europe/Berlin"
        )
        #expect(imported.status == 0, "\(imported.errors)")
        let json = try await sandbox.exportedLog(first, to: "first.json")
        let activity = try JSONDocument(parsing: json).root.value["activities"]?.array?.first
        for (name, value) in [
            ("client", "Big Company"), ("task", "Cards"), ("description", "Punched, twice"), ("billable", true),
            ("tags", ["a", "b"]), ("columns", ["User": "Ada", "Amount (EUR)": "111.11"]),
        ] as [(String, JSONValue)] {
            #expect(activity?[name] == value)
        }
        for ending in ["csv", "xml", "ics", "json"] {
            _ = try await sandbox.tracker("export", "log.\(ending)", "--store", first)
            let store = sandbox.path("\(ending).db")
            let back = try await sandbox.tracker("import", "log.\(ending)", "--store", store, "--yes")
            #expect(back.status == 0, "\(ending): \(back.errors)")
            let again = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "again.json")).root.value
            #expect(again["activities"]?.array?.first == activity, "\(ending)")
        }
        let day = ["--store", first, "--date", "2026-03-02", "--time-zone", "Europe/Berlin"]
        let summary = try await sandbox.tracker(["summary"] + day)
        #expect(
            summary.output.contains("Big Company  Cards  Punched, twice  a, b  yes       111.11 EUR"),
            "\(summary.output)"
        )
        #expect(summary.output.contains("Billable:     1 h\n"), "\(summary.output)")
        let page = try await sandbox.tracker(["report", "--output", "-"] + day)
        for text in ["Big Company", "Cards", "Punched, twice", "a, b", "yes", "111.11 EUR"] {
            #expect(page.output.contains(">\(text)</td>"))
        }
    }

    @Test("A dry run prints the plan of the import, and changes nothing, not even where there is no store")
    func dryRun() async throws {
        try sandbox.write("toggl.csv", Self.toggl)
        let store = sandbox.path("new.db")
        let arguments = ["import", "toggl.csv", "--store", store, "--time-zone", "Europe/Berlin"]
        let dry = try await sandbox.tracker(arguments + ["--dry-run"])
        #expect(dry.status == 3)
        #expect(!sandbox.has("new.db"))
        let done = try await sandbox.tracker(arguments + ["--yes"])
        let plan = dry.output.split(separator: "\n").dropLast()
        #expect(plan.count > 3)
        #expect(plan == done.output.split(separator: "\n").dropLast())
        // Nobody is there to ask.
        let asked = try await sandbox.tracker([
            "import", "toggl.csv", "--store", sandbox.path("b.db"), "--time-zone", "UTC",
        ])
        #expect(asked.status == 64)
    }

    @Test("Times without a zone need one, and dates an order where they do not decide it")
    func zones() async throws {
        try sandbox.write("toggl.csv", Self.toggl)
        let store = sandbox.path("new.db")
        let naive = try await sandbox.tracker("import", "toggl.csv", "--store", store, "--yes")
        #expect(naive.status == 65)
        #expect(naive.errors.contains("--time-zone"))
        let ambiguous = """
            Project,Description,Start Date,Start Time,End Date,End Time
            A,B,03/04/2026,10:00:00 AM,03/04/2026,11:00:00 AM

            """
        try sandbox.write("clockify.csv", ambiguous)
        let arguments = ["import", "clockify.csv", "--store", store, "--yes", "--time-zone", "UTC"]
        let refused = try await sandbox.tracker(arguments)
        #expect(refused.status == 65)
        #expect(refused.errors.contains("--date-order"))
        let april = try await sandbox.tracker(arguments + ["--date-order", "dmy"])
        #expect([0, 3].contains(april.status), "\(april.errors)")
        let log = try await sandbox.exportedLog(store, to: "log.json")
        #expect(String(decoding: log, as: UTF8.self).contains("2026-04-03T10:00:00"))
    }

    @Test("A file with a fault changes no byte of the store", arguments: ["json", "xml"])
    func faults(_ ending: String) async throws {
        let store = try await sandbox.sampleLog()
        var text = String(decoding: try await sandbox.exportedLog(store, to: "good.\(ending)"), as: UTF8.self)
        let start = try #require(text.range(of: "2026-02-2", options: .backwards))
        text.replaceSubrange(start, with: "2026-02-3")
        try sandbox.write("bad.\(ending)", text)
        let before = try sandbox.bytes("tracker.db")
        let outcome = try await sandbox.tracker("import", "bad.\(ending)", "--store", store, "--yes")
        #expect(outcome.status == 65, "\(outcome.errors)")
        #expect(outcome.errors.contains("bad.\(ending):"))
        #expect(try sandbox.bytes("tracker.db") == before)
    }

    @Test("Files of other apps and damaged ones are named for what they are")
    func others() async throws {
        for (file, words) in [
            ("slate/v2/autumn-week.json", "slate-backup"), ("bztimer/v3/leg-day.json", "bzpack"),
            ("slate/invalid/json-truncated.json", "error[json."),
        ] where FileManager.default.fileExists(atPath: Fixtures.path(file)) {
            let outcome = try await sandbox.tracker(
                "import",
                Fixtures.path(file),
                "--store",
                sandbox.path("t.db"),
                "--yes"
            )
            #expect(outcome.status == 65)
            #expect(outcome.errors.contains(words), "\(outcome.errors)")
        }
        try sandbox.write("empty.json", "")
        #expect(try await sandbox.tracker("validate", "empty.json").status == 65)
        #expect(try await sandbox.tracker("validate", "missing.json").status == 66)
    }

    @Test(
        "The samples of other projects are imported and summarised",
        .enabled(if: SharedFolder.exists, "the shared folder is not there")
    )
    func samples() async throws {
        let folder = try #require(SharedFolder.url).appending(path: "samples").path
        let store = sandbox.path("samples.db")
        let arguments = ["--store", store, "--yes", "--time-zone", "Europe/Berlin", "--date-order", "mdy"]
        let toggl = try await sandbox.tracker(
            ["import", "\(folder)/time-entries/toggl_time_entries_import_test_1.csv"] + arguments
        )
        #expect([0, 3].contains(toggl.status), "\(toggl.errors)")
        let health = try await sandbox.tracker(["import", "\(folder)/apple-health/export.xml"] + arguments)
        #expect([0, 3].contains(health.status), "\(health.errors)")
        #expect(try await count(store) >= 3)
        let day = try await sandbox.tracker(
            ["summary", "--date", "2024-03-04", "--store", store, "--time-zone", "Europe/Berlin", "--format", "json"]
        )
        let json = try day.json
        #expect(json["trackedSeconds"]?.int == 3601)
        #expect(json["unaccountedSeconds"]?.int == 86_400 - 3601)
    }

    @Test("Two records of one file with one id are two, and twice is still once", arguments: ["csv", "ics"])
    func sharedIdentifiers(_ ending: String) async throws {
        let table = """
            id,name,startTime,endTime
            a,Work,2026-03-01T08:00:00Z,2026-03-01T09:00:00Z
            a,Work,2026-03-02T08:00:00Z,2026-03-02T10:00:00Z

            """
        let event = { (day: Int) in
            "BEGIN:VEVENT\r\nUID:a\r\nDTSTAMP:20260301T000000Z\r\nDTSTART:2026030\(day)T080000Z\r\n"
                + "DTEND:2026030\(day)T090000Z\r\nSUMMARY:Work\r\nEND:VEVENT\r\n"
        }
        let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n\(event(1))\(event(2))END:VCALENDAR\r\n"
        try sandbox.write("log.\(ending)", ending == "csv" ? table : calendar)
        let store = sandbox.path("log.db")
        for options in [[], ["--update"], []] {
            let outcome = try await sandbox.tracker(["import", "log.\(ending)", "--store", store, "--yes"] + options)
            #expect(outcome.status == 0, "\(outcome.errors)\(outcome.output)")
        }
        #expect(try await count(store) == 2)
    }

    @Test("A record that has grown since is a conflict, not one more, and is taken on request")
    func grown() async throws {
        let table = { (end: String) in
            "Project,Start date,Start time,End date,End time\nA,2026-03-02,09:00:00,2026-03-02,\(end)\n"
        }
        try sandbox.write("first.csv", table("10:00:00"))
        try sandbox.write("second.csv", table("11:00:00"))
        let store = sandbox.path("log.db")
        let more = ["--store", store, "--yes", "--time-zone", "UTC"]
        #expect(try await sandbox.tracker(["import", "first.csv"] + more).status == 0)
        #expect(try await sandbox.tracker(["import", "second.csv"] + more).status == 3)
        #expect(try await sandbox.tracker(["import", "second.csv", "--update"] + more).status == 0)
        #expect(try await sandbox.tracker(["import", "second.csv"] + more).status == 0)
        #expect(try await count(store) == 1)
    }

    /// Imports a text into a store as a file of a name; returns what was printed, and how it ended.
    private func take(_ text: String, _ file: String, into store: String, _ options: String...) async throws -> Outcome
    {
        try sandbox.write(file, text)
        let arguments = ["import", file, "--store", store, "--yes", "--time-zone", "Europe/Berlin"]
        return try await sandbox.tracker(arguments + options)
    }

    private func entries(_ store: String) async throws -> [JSONValue] {
        let json = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "entries.json")).root.value
        return json["activities"]?.array ?? []
    }

    private static let report = """
        User,Client,Project,Description,Billable,Start date,Start time,End date,End time,Duration,Tags,Amount (EUR)
        Ada,ACME,Engine,Tables,Yes,2026-03-02,09:00:00,2026-03-02,12:00:00,03:00:00,urgent,300.00

        """

    @Test("A table with fewer columns changes what it has, and names it")
    func fewerColumns() async throws {
        let store = sandbox.path("log.db")
        #expect(try await take(Self.report, "report.csv", into: store).status == 0)
        let before = try #require(try await entries(store).first?.object)
        let head = "id,name,startTime,endTime,description\n"
        func text(_ name: String) -> String { before[name]?.string ?? "" }
        let times = "\(text("id")),Engine,\(text("startTime")),\(text("endTime"))"
        let kept = try await take("\(head)\(times),Corrected\n", "mine.csv", into: store)
        #expect(
            kept.status == 3 && kept.output.contains("; differing: description (at row 2 (line 2))"),
            "\(kept.output)"
        )
        let taken = try await take("\(head)\(times),Corrected\n", "mine.csv", into: store, "--update")
        #expect(taken.status == 0 && taken.output.contains("; changed: description (at"), "\(taken.output)")
        var expected = before
        expected["description"] = "Corrected"
        #expect(try await entries(store) == [.object(expected)])
        let emptied = try await take("\(head)\(times),\n", "mine.csv", into: store, "--update")
        #expect(emptied.output.contains("; removed: description (at"), "\(emptied.output)")
        expected["description"] = nil
        #expect(try await entries(store) == [.object(expected)])
    }

    @Test("What a corrected report or calendar leaves empty is named, and removed on request")
    func emptied() async throws {
        let store = sandbox.path("log.db")
        #expect(try await take(Self.report, "report.csv", into: store).status == 0)
        let less = Self.report.replacing("ACME", with: "").replacing("urgent,300.00", with: ",")
        let kept = try await take(less, "less.csv", into: store)
        let words = "but with client, tags, Amount (EUR), which the source leaves empty"
        #expect(kept.status == 3 && kept.output.contains(words), "\(kept.output)")
        #expect(try await take(less, "less.csv", into: store, "--update").status == 0)
        let entry = try #require(try await entries(store).first)
        #expect(entry["client"] == nil && entry["tags"] == nil && entry["description"] == "Tables")
        #expect(entry["columns"] == ["User": "Ada"])
        #expect(try await take(less, "less.csv", into: store).output.contains("Imported nothing new; 1 skipped"))

        let event =
            "BEGIN:VEVENT\r\nUID:1\r\nDTSTAMP:20260301T000000Z\r\nDTSTART:20260301T100000Z\r\n"
            + "DTEND:20260301T110000Z\r\nSUMMARY:Call\r\nDESCRIPTION:secret\r\nEND:VEVENT\r\n"
        let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:x\r\n\(event)END:VCALENDAR\r\n"
        let other = sandbox.path("calendar.db")
        #expect(try await take(calendar, "a.ics", into: other).status == 0)
        let removed = calendar.replacing("DESCRIPTION:secret\r\n", with: "")
        let named = try await take(removed, "b.ics", into: other)
        #expect(named.status == 3 && named.output.contains("; differing: description"), "\(named.output)")
        #expect(try await take(removed, "b.ics", into: other, "--update").output.contains("; removed: description"))
        #expect(try await entries(other).first?["description"] == nil)
    }

    @Test("A length alone gives the end; swapped times of a table are corrected with --repair")
    func tableTimes() async throws {
        let store = sandbox.path("log.db")
        let length = "name,startTime,endTime,durationSeconds\nMeal,2026-03-06T12:00:00+01:00,,1800\n"
        #expect(try await take(length, "length.csv", into: store).status == 0)
        #expect(try await entries(store).first?["endTime"] == "2026-03-06T12:30:00+01:00")
        let swapped = "id,name,startTime,endTime\nn1,Work,2026-03-06T19:00:00+01:00,2026-03-06T18:00:00+01:00\n"
        let refused = try await take(swapped, "swapped.csv", into: store)
        #expect(refused.status == 3 && refused.output.contains("1 refused"), "\(refused.output)")
        let repaired = try await take(swapped, "swapped.csv", into: store, "--repair")
        #expect(repaired.status == 3, "\(repaired.errors)")
        #expect(repaired.errors.contains("swapped.csv:2:35: warning[entries.end-before-start]"), "\(repaired.errors)")
        #expect(try await entries(store).last?["startTime"] == "2026-03-06T18:00:00+01:00")
    }

    @Test("The command that a note suggests can be run as it stands")
    func suggestedDeletion() async throws {
        let store = sandbox.path("log.db")
        #expect(try await take(Self.report, "report.csv", into: store).status == 0)
        let later = Self.report.replacing("09:00:00", with: "09:15:00").replacing("03:00:00", with: "02:45:00")
        let outcome = try await take(later, "later.csv", into: store)
        let note = try #require(
            outcome.output.split(separator: "\n").first { $0.contains("where the file corrects it: ") }
        )
        let command = try #require(note.split(separator: ": ").last.map(String.init))
        #expect(command.hasPrefix("tracker-export entries delete --store "), "\(note)")
        let arguments = command.split(separator: " ").dropFirst().map { String($0).replacing("'", with: "") }
        #expect(try await sandbox.tracker(Array(arguments)).status == 0)
        #expect(try await entries(store).count == 1)
    }

    @Test("A night that an earlier export had otherwise is one night: it is named, and taken on request")
    func grownNight() async throws {
        func night(_ name: String, _ records: [(kind: String, from: String, to: String)]) throws -> String {
            let lines = records.map { record in
                "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Watch\" "
                    + "startDate=\"2026-03-\(record.from):00 +0100\" endDate=\"2026-03-\(record.to):00 +0100\" "
                    + "value=\"HKCategoryValueSleepAnalysis\(record.kind)\"/>"
            }
            return try sandbox.write(name, "<HealthData>\(lines.joined())</HealthData>")
        }
        let early = try night("early.xml", [("InBed", "10 22:30", "11 06:30")])
        let whole = try night("whole.xml", [("InBed", "10 22:30", "11 06:30"), ("AsleepCore", "10 23:00", "11 06:00")])
        let longer = try night(
            "longer.xml",
            [("AsleepCore", "10 22:00", "11 06:10"), ("AsleepCore", "11 13:00", "11 13:30")]
        )
        let store = sandbox.path("health.db")
        func take(_ file: String, _ options: String...) async throws -> Int32 {
            try await sandbox.tracker(["import", file, "--store", store, "--yes"] + options).status
        }
        #expect(try await take(early) == 0)
        #expect(try await take(whole) == 3)
        #expect(try await count(store) == 1)
        #expect(try await take(whole, "--update") == 0)
        #expect(try await take(whole) == 0)
        #expect(try await count(store) == 1)
        // A sleep at another time is one more.
        #expect(try await take(longer) == 3)
        #expect(try await count(store) == 2)
        #expect(try await take(longer, "--update") == 0)
        let summary = try await sandbox.tracker(
            ["summary", "--store", store, "--date", "2026-03-11", "--time-zone", "Europe/Berlin"]
        )
        #expect(summary.output.contains("Sleep") && summary.output.contains("6 h 40 min"), "\(summary.output)")
    }

    @Test(
        "An import whose report cannot be written says that it is done, and not that nothing was imported",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func fullStream() async throws {
        let store = sandbox.path("new.db")
        let file = try sandbox.write("toggl.csv", Self.toggl)
        let command = "'\(Built.path("tracker-export"))' import '\(file)' --store '\(store)' --time-zone UTC --yes"
        let outcome = try await sandbox.run("/bin/sh", ["-c", "\(command) >/dev/full"])
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("what was asked for is done"), "\(outcome.errors)")
        #expect(!outcome.errors.contains("nothing was imported"), "\(outcome.errors)")
        #expect(try await count(store) == 2)
    }

    @Test("All rows that cannot be read are counted, also those that are not named")
    func leftOut() async throws {
        let broken = (1...150).map { "Web,2026-02-30 09:00,2026-02-30 \($0 % 10 + 10):00\n" }.joined()
        try sandbox.write("rows.csv", "Project,Start,End\nWeb,2026-02-28 09:00,2026-02-28 10:00\n\(broken)")
        let arguments = ["import", "rows.csv", "--store", sandbox.path("t.db"), "--time-zone", "UTC"]
        let outcome = try await sandbox.tracker(arguments + ["--yes"])
        #expect(outcome.status == 3)
        #expect(outcome.output.hasSuffix("; 150 rows left out.\n"), "\(outcome.output)")
        let json = try await sandbox.tracker(arguments + ["--dry-run", "--format", "json"]).json
        #expect(json["leftOut"]?.int == 150 && json["findings"]?.int == 150)
    }

    @Test(
        "Empty files and UTF-16 are named for what they are, whatever a table or calendar would be",
        arguments: [",", ":"]
    )
    func noText(_ mark: String) async throws {
        try sandbox.write("empty.csv", "")
        let text = mark == "," ? "Project,Start,End\n" : "BEGIN:VCALENDAR\r\n"
        let wide: [UInt8] = [0xFF, 0xFE] + text.utf8.flatMap { [$0, 0] as [UInt8] }
        try sandbox.write("wide.csv", wide)
        for (name, code) in [("empty.csv", "text.empty"), ("wide.csv", "text.encoding")] {
            let outcome = try await sandbox.tracker("import", name, "--yes")
            #expect(outcome.status == 65 && outcome.errors.contains("error[\(code)]"), "\(outcome.errors)")
        }
    }

    @Test("A file that cannot be used makes no store, and programs are told")
    func noStore() async throws {
        try sandbox.write("open.csv", "id,name,startTime,endTime\n\"a,b,c,d\n")
        let arguments = ["import", "open.csv", "--store", sandbox.path("new.db"), "--yes", "--format", "json"]
        let outcome = try await sandbox.tracker(arguments)
        #expect(outcome.status == 65)
        #expect(try outcome.json["files"]?.array?.first?["valid"] == false)
        #expect(outcome.errors.contains("open.csv:2:1: error[csv.unterminated-quote]"))
        #expect(!sandbox.has("new.db"))
    }

    @Test("A database is not replaced, whatever is answered, and a log with more records not unasked")
    func outputs() async throws {
        let store = try await sandbox.sampleLog()
        let before = try sandbox.bytes("tracker.db")
        for command in [["export", store, "--as", "json"], ["report", "--output", store]] {
            #expect(try await sandbox.tracker(command + ["--store", store, "--yes"]).status == 64)
        }
        #expect(try sandbox.bytes("tracker.db") == before)
        let kept = try await sandbox.exportedLog(store, to: "log.json")
        #expect(try await sandbox.tracker("init", "--store", sandbox.path("empty.db")).status == 0)
        let refused = try await sandbox.tracker("export", "log.json", "--store", sandbox.path("empty.db"))
        #expect(refused.status == 64)
        #expect(try sandbox.bytes("log.json") == kept)
    }

    @Test(
        "A log with a record that the new one does not have is not replaced unasked, however few it has",
        arguments: ["json", "csv", "xml", "ics"]
    )
    func otherRecords(_ ending: String) async throws {
        let other = sandbox.path("other.db")
        #expect(try await sandbox.tracker("init", "--store", other, "--time-zone", "UTC").status == 0)
        let add = ["entries", "add", "Work", "--start", "9:00", "--end", "12:00", "--now", trackerNow]
        #expect(try await sandbox.tracker(add + ["--time-zone", "UTC", "--store", other]).status == 0)
        let kept = try await sandbox.exportedLog(other, to: "log.\(ending)")
        let store = try await sandbox.sampleLog()
        let export = ["export", sandbox.path("log.\(ending)"), "--now", trackerNow, "--time-zone", "UTC", "--store"]
        #expect(try await sandbox.tracker(export + [store]).status == 64)
        #expect(try sandbox.bytes("log.\(ending)") == kept)
        // With another activity the log has all that its file has.
        let more = ["entries", "add", "Work", "--start", "13:00", "--end", "14:00", "--now", trackerNow]
        #expect(try await sandbox.tracker(more + ["--time-zone", "UTC", "--store", other]).status == 0)
        let again = try await sandbox.tracker(export + [other])
        #expect([0, 3].contains(again.status), "\(again.errors)")
    }

    @Test("A log that lies in a compressed file or an archive is read like the log itself")
    func compressed() async throws {
        let log = try await sandbox.sampleLog("source.db")
        for name in ["log.json", "log.csv", "log.xml", "log.ics"] {
            try await sandbox.exportedLog(log, to: name)
            let path = sandbox.path(name)
            let plain = try await sandbox.tracker("validate", path)
            for (packing, file) in [(ArchivePacking.zip, "\(name).zip"), (.tarZstd, "\(name).tar.zst")] {
                var bytes: [UInt8] = []
                let writer = try ArchiveWriter(packing) { bytes.append(contentsOf: $0) }
                try writer.add(name, bytes: try sandbox.bytes(name))
                try writer.finish()
                try sandbox.write(file, bytes)
                let packed = try await sandbox.tracker("validate", sandbox.path(file))
                #expect(packed.status == plain.status, "\(packed.errors)")
                let outcome = try await sandbox.tracker(
                    "import",
                    "--yes",
                    sandbox.path(file),
                    "--store",
                    sandbox.path("\(file).db")
                )
                #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
                let records = { try TrackerStore(path: sandbox.path($0), for: .reading).read { try $0.count() } }
                #expect(try records("\(file).db") == records("source.db"))
            }
        }
    }

    /// Imports rows of a table into a store; returns what the store has then.
    private func table(_ rows: [String], into store: String, _ options: String...) async throws -> [String] {
        try sandbox.write("rows.csv", (["id,name,startTime,endTime,client"] + rows).map { $0 + "\n" }.joined())
        let outcome = try await sandbox.tracker(["import", "rows.csv", "--store", store, "--yes"] + options)
        #expect([0, 3].contains(outcome.status), "\(outcome.output)\(outcome.errors)")
        let json = try JSONDocument(parsing: await sandbox.exportedLog(store, to: "rows.json")).root.value
        return (json["activities"]?.array ?? []).map { entry in
            "\(entry["startTime"]?.string?.prefix(10) ?? "") \(entry["client"]?.string ?? "")"
        }.sorted()
    }

    private static func row(_ day: Int, _ client: String = "") -> String {
        "a1,Work,2026-05-0\(day)T09:00:00Z,2026-05-0\(day)T12:00:00Z,\(client)"
    }

    @Test("A row that was copied in a spreadsheet with its id is an entry of its own, above its original or below")
    func copiedRow() async throws {
        let (original, copy) = (Self.row(4), Self.row(5))
        let both = ["2026-05-04 ", "2026-05-05 "]
        for (index, rows) in [[original, copy], [copy, original], [copy, copy, original]].enumerated() {
            let store = sandbox.path("\(index).db")
            #expect(try await table([original], into: store) == ["2026-05-04 "])
            for _ in 0..<2 { #expect(try await table(rows, into: store) == both) }
        }
    }

    @Test("Of a copied row and its edited original the one with the store's times is the original")
    func editedOriginal() async throws {
        let store = sandbox.path("edited.db")
        #expect(try await table([Self.row(4, "Acme")], into: store) == ["2026-05-04 Acme"])
        let rows = [Self.row(5, "Acme"), Self.row(4, "Acme Ltd")]
        #expect(try await table(rows, into: store) == ["2026-05-04 Acme", "2026-05-05 Acme"])
        #expect(try await table(rows, into: store, "--update") == ["2026-05-04 Acme Ltd", "2026-05-05 Acme"])
        let twice = [Self.row(6, "B"), Self.row(6, "B")]
        let once = sandbox.path("once.db")
        #expect(try await table([Self.row(4, "B")], into: once) == ["2026-05-04 B"])
        #expect(try await table(twice, into: once, "--update") == ["2026-05-06 B"])
    }
}
