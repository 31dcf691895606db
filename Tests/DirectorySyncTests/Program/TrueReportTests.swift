import CivilTime
import DirectorySync
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

@testable import foldersync

/// Reports say what was really written, and conflicts what a person changed.
@Suite("Reports that are true")
struct TrueReportTests {
    @Test("A record that is kept against a deletion is not called deleted")
    func kept() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("DELETE FROM tasks WHERE id = 't1';")
        try await laptop.run("sync")
        try tower.sql(Machine.rename("t1", "Cream"))
        for dry in [["--dry-run"], []] {
            let taken = try await tower.run(["sync"] + dry)
            #expect(!taken.output.contains("deleted task"), "\(taken.output)")
            let verb = dry.isEmpty ? "kept" : "would keep"
            #expect(taken.output.contains("\(verb) task \"Cream\", which Laptop deleted\n"), "\(taken.output)")
        }
        #expect(try tower.titles() == ["Cream"])
        let back = try await laptop.run("sync")
        #expect(back.output.contains("took 1 record from Tower: added task \"Cream\""), "\(back.output)")
        let conflicts = try await tower.run("conflicts")
        #expect(conflicts.output.contains("Slate:   deleted  (Laptop, "), "\(conflicts.output)")
        #expect(conflicts.output.contains("Slate:   changed  (Tower, "), "\(conflicts.output)")
        // What would be lost with it is shown.
        #expect(conflicts.output.contains("title \"Milk\" → \"Cream\""), "\(conflicts.output)")
    }

    @Test("The log and the way back name what members were and became")
    func members() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Cream"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try tower.sql(Machine.rename("t1", "Butter"))
        try await tower.run("sync", "--now", "2030-01-03T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-04T00:00:00Z")
        let log = try await laptop.run("log").output
        #expect(log.contains("changed task \"Butter\" (title \"Cream\" → \"Butter\")"), "\(log)")
        #expect(log.contains("changed task \"Cream\" (title \"Milk\" → \"Cream\")"), "\(log)")
        // Also where what came before is behind the last change that is shown.
        let last = try await laptop.run("log", "--limit", "1").output
        #expect(last.contains("(title \"Cream\" → \"Butter\")"), "\(last)")
        let back = try await laptop.run("show", "--at", "2030-01-02T12:00:00Z", "--changes").output
        #expect(back.contains("goes back   task \"Butter\" (title \"Butter\" → \"Cream\")"), "\(back)")
    }

    @Test("A task that another one waits for is named by its title in sync, in the log and on the way back")
    func dependency() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.task("t2", "Cake"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-01T00:00:00Z")
        try tower.sql("UPDATE tasks SET depends_on_task_id = 't1' WHERE id = 't2';")
        let set = try await tower.run("sync", "--now", "2030-01-02T00:00:00Z").output
        #expect(set.contains("changed task \"Cake\" (depends on task \"Milk\")"), "\(set)")
        let taken = try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z").output
        #expect(taken.contains("changed task \"Cake\" (depends on task \"Milk\")"), "\(taken)")
        try tower.sql("UPDATE tasks SET depends_on_task_id = NULL WHERE id = 't2';")
        try await tower.run("sync", "--now", "2030-01-04T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-05T00:00:00Z")
        let log = try await laptop.run("log").output
        for words in ["(none) → \"Milk\"", "\"Milk\" → (none)"] {
            #expect(log.contains("changed task \"Cake\" (depends on task \(words))"), "\(log)")
        }
        let back = try await laptop.run("restore", "cake", "--at", "2030-01-03T12:00:00Z", "--dry-run").output
        #expect(back.contains("goes back   task \"Cake\" (depends on task (none) → \"Milk\")"), "\(back)")
        try laptop.sql("DELETE FROM tasks;")
        let both = try await laptop.run("restore", "cake", "--at", "2030-01-03T12:00:00Z", "--dry-run").output
        #expect(both.contains("stays gone  task \"Milk\""), "\(both)")
        let all = try await laptop.run("restore", "--at", "2030-01-03T12:00:00Z", "--dry-run").output
        #expect(all.contains("comes back  task \"Cake\""), "\(all)")
    }

    @Test("A setting is told with its value in a long line, too, and comes back by the name that reports give it")
    func settings() async throws {
        let sandbox = try Sandbox()
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try laptop.sql((2...4).map { Machine.task("t\($0)", "Buy paint for the hall and the stairs") }.joined())
        try laptop.sql("INSERT INTO meta (key, value) VALUES ('day_start', '05:00');")
        let line = try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z").output
        #expect(line.contains("meta record (day start \"05:00\")"), "\(line)")
        try laptop.sql("UPDATE meta SET value = '06:00' WHERE key = 'day_start';")
        for name in ["meta record", "Meta", "meta/"] {
            let times = ["--at", "2030-01-01T12:00:00Z", "--now", "2030-01-02T00:00:00Z"]
            let back = try await laptop.run(["restore", name, "--dry-run"] + times)
            #expect(back.output.contains("goes back   meta record (day start \"06:00\" → \"05:00\")"), "\(back)")
        }
    }

    @Test("The log says what a decision kept, and against what")
    func decisions() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Cream"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try tower.sql(Machine.rename("t1", "Butter"))
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        try await laptop.run("resolve", "--all", "mine", "--now", "2030-01-04T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-05T00:00:00Z")
        // Decided for what was not shown, or for what was.
        for machine in [laptop, tower] {
            let log = try await machine.run("log", "--limit", "1").output
            #expect(log.contains("changed task \"Cream\" (title \"Butter\" → \"Cream\")"), "\(log)")
        }
        try laptop.sql(Machine.rename("t1", "Milk"))
        try await laptop.run("sync", "--now", "2030-01-06T00:00:00Z")
        try tower.sql(Machine.rename("t1", "Bread"))
        try await tower.run("sync", "--now", "2030-01-07T00:00:00Z")
        try await tower.run("resolve", "--all", "mine", "--now", "2030-01-08T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-09T00:00:00Z")
        for machine in [laptop, tower] {
            let log = try await machine.run("log", "--limit", "1").output
            #expect(log.contains("changed task \"Bread\" (title \"Bread\", not \"Milk\")"), "\(log)")
            let json = try await machine.run("log", "--limit", "1", "--format", "json").output
            #expect(json.filter { !$0.isWhitespace }.contains(#""losing":["Milk"]"#), "\(json)")
        }
    }

    @Test("A day whose flag is written again with its snapshot, and stays what it was, is in no report")
    func facts() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(
            """
            INSERT INTO day_plan VALUES ('2029-12-01', 1);
            INSERT INTO day_snapshots (date, slate_tasks) VALUES ('2029-12-01', '[{"id":"t1","title":"A"}]');
            """
        )
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try tower.sql("UPDATE day_snapshots SET slate_tasks = '[{\"id\":\"t1\",\"title\":\"B\"}]'")
        let sync = try await tower.run("sync", "--now", "2030-01-03T00:00:00Z").output
        #expect(sync.contains("published 1 record: changed snapshot \"2029-12-01\" (slate tasks"), "\(sync)")
        try await laptop.run("sync", "--now", "2030-01-04T00:00:00Z")
        for machine in [laptop, tower] {
            let log = try await machine.run("log", "--limit", "1").output
            #expect(log.contains("changed snapshot \"2029-12-01\""), "\(log)")
            #expect(!log.contains(" day "), "\(log)")
            // The record that is asked for is named.
            let own = try await machine.run("log", "--limit", "1", "--record", "day_plan/2029-12-01").output
            #expect(own.contains("changed day \"2029-12-01\" (perfect day stays yes)"), "\(own)")
        }
        // A flag that does change is told.
        try tower.sql("UPDATE day_plan SET perfect_day = 0; UPDATE day_snapshots SET slate_tasks = '[]'")
        let change = try await tower.run("sync", "--now", "2030-01-05T00:00:00Z").output
        #expect(change.contains("changed day \"2029-12-01\" (perfect day"), "\(change)")
        let log = try await tower.run("log", "--limit", "1").output
        #expect(log.contains("perfect day yes → no"), "\(log)")
    }

    @Test("A perfect day that several devices made, and one takes back, is in the reports; one that stays is not")
    func computedDay() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let (day, other) = ("2029-12-01", "2029-12-02")
        func tick(_ machine: Machine, _ habit: String) throws {
            for date in [day, other] {
                let values = "'\(habit) \(date)', '\(habit)', '\(date)', '\(date)T08:00:00Z'"
                try machine.sql("INSERT INTO habit_completions VALUES (\(values))")
            }
        }
        try laptop.sql(
            """
            INSERT INTO habits (id, title, created_at, updated_at) VALUES
                ('h1', 'Run', '2029-01-01T08:00:00Z', '2029-01-01T08:00:00Z'),
                ('h2', 'Read', '2029-01-01T08:00:00Z', '2029-01-01T08:00:00Z');
            INSERT INTO day_plan VALUES ('\(day)', 0), ('\(other)', 0);
            """
        )
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try tick(laptop, "h1")
        try tick(tower, "h2")
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-04T00:00:00Z")
        // The flags of the devices are 0; both days are computed.
        let computed = try await laptop.run("sync", "--now", "2030-01-05T00:00:00Z").output
        for date in [day, other] { #expect(computed.contains("changed day \"\(date)\" (perfect day"), "\(computed)") }
        try laptop.sql(
            """
            DELETE FROM habit_completions WHERE habit_id = 'h1' AND date = '\(day)';
            UPDATE day_plan SET perfect_day = 0 WHERE date = '\(day)';
            """
        )
        let lost = try await laptop.run("sync", "--now", "2030-01-06T00:00:00Z").output
        #expect(lost.contains("changed day \"\(day)\" (perfect day"), "\(lost)")
        try await tower.run("sync", "--now", "2030-01-07T00:00:00Z")
        for machine in [laptop, tower] {
            let log = try await machine.run("log", "--limit", "1").output
            #expect(log.contains("changed day \"\(day)\" (perfect day no)"), "\(log)")
        }
        // The other day stays perfect, and is written again with the flag that was computed.
        try laptop.sql("UPDATE habits SET title = 'Run far' WHERE id = 'h1'")
        let edit = try await laptop.run("sync", "--now", "2030-01-08T00:00:00Z").output
        #expect(edit.contains("published 1 record: changed habit \"Run far\""), "\(edit)")
        try await tower.run("sync", "--now", "2030-01-09T00:00:00Z")
        for machine in [laptop, tower] {
            let log = try await machine.run("log", "--limit", "1").output
            #expect(log.contains("changed habit \"Run far\"") && !log.contains("no → yes"), "\(log)")
        }
    }

    @Test("The log counts all records of a change that writes more of them again than it names")
    func manyFacts() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let days = "WITH n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 249)"
        let date = "date('2028-01-01', i || ' days')"
        try laptop.sql(
            """
            INSERT INTO day_plan \(days) SELECT \(date), 1 FROM n;
            INSERT INTO day_snapshots (date, slate_tasks) \(days) SELECT \(date), '[{"id":"t1","title":"A"}]' FROM n;
            """
        )
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try tower.sql("UPDATE day_snapshots SET slate_tasks = '[]'")
        let sync = try await tower.run("sync", "--now", "2030-01-03T00:00:00Z").output
        #expect(sync.contains("published 250 records"), "\(sync)")
        let log = try await tower.run("log", "--limit", "1").output
        #expect(log.contains("250 days") && log.contains("250 snapshots"), "\(log)")
    }

    @Test("The log names no values that a decision rejected where none was made")
    func undecided() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        // Members that change together are in conflict, and another member changes.
        try laptop.sql("UPDATE tasks SET is_done = 1, done_at = '2029-12-31T08:00:00Z' WHERE id = 't1'")
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        try laptop.sql("UPDATE tasks SET is_done = 0, done_at = NULL WHERE id = 't1'")
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        try tower.sql("UPDATE tasks SET done_at = '2029-12-30T08:00:00Z' WHERE id = 't1'")
        try await tower.run("sync", "--now", "2030-01-04T00:00:00Z")
        try tower.sql(Machine.rename("t1", "Cream"))
        try await tower.run("sync", "--now", "2030-01-05T00:00:00Z")
        #expect(try await tower.run("conflicts").output.contains("done"))
        let open = try await tower.run("log", "--limit", "1").output
        #expect(open.contains("changed task \"Cream\" (title \"Milk\" → \"Cream\")"), "\(open)")
        // A version that was deleted is none of those that the next change replaced.
        try laptop.sql(Machine.task("t2", "Bread"))
        try await laptop.run("sync", "--now", "2030-02-01T00:00:00Z")
        try await tower.run("sync", "--now", "2030-02-02T00:00:00Z")
        try laptop.sql(Machine.rename("t2", "Toast"))
        try await laptop.run("sync", "--now", "2030-02-04T00:00:00Z")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2'")
        try await laptop.run("sync", "--now", "2030-02-05T00:00:00Z")
        try tower.sql(Machine.rename("t2", "Buns"))
        try await tower.run("sync", "--now", "2030-02-03T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-02-06T00:00:00Z")
        try laptop.sql(Machine.rename("t2", "Rolls"))
        try await laptop.run("sync", "--now", "2030-02-07T00:00:00Z")
        let kept = try await laptop.run("log", "--limit", "1").output
        #expect(kept.contains("changed task \"Rolls\" (title \"Buns\" → \"Rolls\")"), "\(kept)")
    }

    @Test("The log has the changes of several stores in one order, the latest first")
    func severalStores() async throws {
        let sandbox = try Sandbox()
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let path = sandbox.path("timer.db")
        let joined = try await laptop.run("join", "share", "--create", "study=\(path)")
        #expect(joined.status == 0, "\(joined.errors)")
        try laptop.sql(Machine.rename("t1", "Cream"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        let study = try RawDatabase(path)
        try study.run("INSERT OR REPLACE INTO property (name, value) VALUES ('envelope', '{\"a\":1}')")
        study.close()
        try await laptop.run("sync", "--now", "2030-01-02T00:00:00Z")
        try laptop.sql(Machine.rename("t1", "Butter"))
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        let log = try await laptop.run("log", "--time-zone", "UTC").output
        #expect(
            log.split(separator: "\n").prefix(3).map { $0.prefix(10) } == ["2030-01-03", "2030-01-02", "2030-01-01"],
            "\(log)"
        )
    }

    @Test("Of two values the one that is not shown is not called taken; a conflict shows what was there before")
    func values() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql(Machine.rename("t1", "Cream"))
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        try tower.sql(Machine.rename("t1", "Butter"))
        let taken = try await tower.run("sync", "--now", "2030-01-02T00:00:00Z")
        #expect(taken.output.contains("kept task \"Butter\", which Laptop changed otherwise (title \"Cream\")\n"))
        #expect(!taken.output.contains("took 1 record"), "\(taken.output)")
        #expect(try await laptop.run("sync").output.contains("took 1 record from Tower: changed task"))
        for machine in [laptop, tower] {
            let lines = try await machine.run("conflicts").output.split(separator: "\n").map(String.init)
            #expect(lines.count == 4, "\(lines)")
            #expect(lines[1].hasPrefix("Slate:   was  \"Milk\"  (Laptop, "), "\(lines)")
            #expect(
                lines[2].hasPrefix("Slate:   1  \"Butter\"  (Tower, ") && lines[2].hasSuffix(", shown)"),
                "\(lines)"
            )
            #expect(lines[3].hasPrefix("Slate:   2  \"Cream\"  (Laptop, "), "\(lines)")
            let json = try await machine.run("conflicts", "--format", "json").json
            let old = json["stores"]?.array?.first?["conflicts"]?.array?.first?["old"]
            #expect(old?["value"]?.string == "Milk" && old?["device"]?["name"]?.string == "Laptop")
        }
    }

    @Test("What was added and deleted again before it came is not called taken")
    func nothing() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        for sql in [Machine.task("t2", "Bread"), "DELETE FROM tasks WHERE id = 't2';", Machine.rename("t1", "Cream")] {
            try laptop.sql(sql)
            try await laptop.run("sync")
        }
        let taken = try await tower.run("sync")
        #expect(
            taken.output == "Slate: took 1 record from Laptop: changed task \"Cream\" (title \"Cream\")\n",
            "\(taken.output)"
        )
    }

    private let words = ValueWords(schema: nil, .utc)

    static let lists: [(old: String, new: String, words: String)] = [
        (
            #"[{"id":"1","label":"Squat","reps":3}]"#, #"[{"id":"1","label":"Squat","reps":5}]"#,
            #"changed "Squat" (reps 3 → 5)"#
        ),
        (#"["a","b","c"]"#, #"["a","c","d"]"#, #"added "d"; removed "b""#),
        (#"["a","b","c"]"#, #"["c","a","b"]"#, #"moved "c""#),
        (
            #"[{"id":"1","name":"Work"},{"id":"2"}]"#, #"[{"id":"1","name":"Rest"}]"#,
            #"removed "2"; changed "Rest" (name "Work" → "Rest")"#
        ),
        (#"["a","a"]"#, #"["a","a","a"]"#, #"added "a""#), (#"[1,2]"#, #"[1,2]"#, "as before"),
        (#"{"a":1,"b":2,"c":3}"#, #"{"a":1,"b":4}"#, "b 4, c (removed)"), ("1", #"["x"]"#, #"1 element: "x""#),
    ]

    @Test("A list is shown by the elements that differ", arguments: lists)
    func list(_ list: (old: String, new: String, words: String)) throws {
        let (old, new) = (
            try JSONDocument(parsing: list.old).root.value, try JSONDocument(parsing: list.new).root.value
        )
        #expect(words.text(new, from: old) == list.words)
    }

    @Test("A long list is never cut off within a value")
    func long() {
        let elements = JSONValue.array((1...100).map { .string("Element \($0)") })
        #expect(words.text(elements).hasPrefix("100 elements: \"Element 1\", "))
        #expect(words.text(elements).hasSuffix("\"Element 8\", 92 more"))
        #expect(words.text(nil) == "(removed)" && words.text([], from: nil) == "(empty)")
    }

    static let wordings: [(app: AppID, place: (String, String), value: String, words: String)] = [
        (.slate, ("tasks", "due_date"), #""2030-02-03""#, "due date Sun 3 Feb 2030"),
        (.slate, ("tasks", "done_at"), #""2030-02-03T10:30:00Z""#, "done at Sun 3 Feb 2030 11:30 +01:00"),
        (.slate, ("tasks", "is_done"), "1", "done yes"), (.slate, ("tasks", "is_done"), "false", "done no"),
        (.slate, ("tasks", "title"), #""2030-02-03""#, #"title "2030-02-03""#),
        (.slate, ("tasks", "depends_on_task_id"), "null", "depends on task (none)"),
        (.study, ("sessions", "accumulated_seconds"), "17700", "time studied 4 h 55 min"),
        (.tracker, ("activities", "startTime"), #""2030-07-03T10:30:05Z""#, "start Wed 3 Jul 2030 12:30:05 +02:00"),
        (.bztimer, ("presets", "workSeconds"), "0", "work 0 s"),
        (
            .bztimer, ("sessions", "items"), #"[{"id":"1","label":"Squat","durationSeconds":90}]"#,
            #"blocks 1 element: "Squat""#
        ),
        (AppID("declared"), ("rows", "moment"), #""2030-02-03T10:30:00Z""#, "moment Sun 3 Feb 2030 11:30 +01:00"),
    ]

    @Test("Values are in people's words: days, moments of the device's zone, lengths and flags", arguments: wordings)
    func value(_ value: (app: AppID, place: (String, String), value: String, words: String)) throws {
        let words = ValueWords(value.app, LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt))
        let json = try JSONDocument(parsing: value.value).root.value
        let (collection, member) = value.place
        #expect("\(words.name(member, collection)) \(words.text(json, collection, [member]))" == value.words)
    }

    @Test("Lengths within the elements of a list are lengths as well")
    func nested() throws {
        let old = try JSONDocument(parsing: #"[{"id":"1","label":"Squat","durationSeconds":90}]"#).root.value
        let new = try JSONDocument(parsing: #"[{"id":"1","label":"Squat","durationSeconds":3600}]"#).root.value
        let change = SyncedChange.MemberChange(name: "items", old: old, new: new, isOldKnown: true)
        let words = ValueWords(.bztimer, .utc).change(change, "sessions")
        #expect(words == #"blocks: changed "Squat" (duration 1 min 30 s → 1 h)"#)
    }

    @Test("The log has the time at which the app noted an edit, where no sync looked for long")
    func edited() async throws {
        let sandbox = try Sandbox()
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let edit = "UPDATE tasks SET is_done = 1, done_at = '2029-12-31T09:00:00Z', updated_at = '2029-12-31T09:00:00Z'"
        try laptop.sql(edit)
        try await laptop.run("sync", "--now", "2030-01-01T00:00:00Z")
        let log = try await laptop.run("log", "--limit", "1").output
        #expect(log.hasPrefix("2030-01-01T00:00:00+00:00  Slate  Laptop: "), "\(log)")
        #expect(log.contains("done no → yes"), "\(log)")
        #expect(log.contains("; edited Mon 31 Dec 2029 09:00 +00:00)"), "\(log)")
    }

    @Test("What was there before is known also once something else of the record is decided")
    func earlier() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET title = 'Red', due_date = '2030-01-01';")
        try tower.sql("UPDATE tasks SET title = 'Blue', due_date = '2030-01-02';")
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        #expect(try await laptop.run("resolve", "--member", "due_date", "--choose", "1").status == 0)
        try await tower.run("sync")
        for machine in [laptop, tower] {
            let conflicts = try await machine.run("conflicts").output
            #expect(conflicts.contains("was  \"Milk\"  (Laptop, "), "\(conflicts)")
        }
    }

    @Test(
        "Texts that differ at their ends can be told apart: whole where a person chooses, else from where they differ"
    )
    func longTexts() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        let title = "Call the plumber about the leaking tap in the upstairs bathroom on"
        try laptop.sql(Machine.rename("t1", "\(title) Sunday"))
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        try laptop.sql(Machine.rename("t1", "\(title) Monday"))
        try tower.sql(Machine.rename("t1", "\(title) Friday"))
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        let conflicts = try await laptop.run("conflicts").output
        for day in ["Sunday", "Monday", "Friday"] {
            #expect(conflicts.contains("  \"\(title) \(day)\"  ("), "\(conflicts)")
        }
        let log = try await laptop.run("log").output
        for day in ["Monday", "Friday"] { #expect(log.contains("on \(day)\")"), "\(log)") }
        let decided = try await laptop.run("resolve", "--all", "mine").output
        #expect(decided.contains("title: \"\(title) Monday\" (was \"\(title) Sunday\")"), "\(decided)")
    }

    @Test("What was there before is the value that both knew, and is left out where there were several")
    func onlyCommonValue() async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try laptop.sql("UPDATE tasks SET due_date = '2030-02-01', notes = 'Form' WHERE id = 't1';")
        try tower.sql("UPDATE tasks SET due_date = '2030-03-01', notes = 'Photo' WHERE id = 't1';")
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        // Both decide one member without knowing of each other, and carry the values of the other on.
        try await laptop.run("resolve", "--member", "due_date", "--value", "2030-04-01")
        try await tower.run("resolve", "--member", "due_date", "--value", "2030-05-01")
        for machine in [laptop, tower, laptop] { try await machine.run("sync") }
        for machine in [laptop, tower] {
            let conflicts = try await machine.run("conflicts", "--format", "json").json
            let found = conflicts["stores"]?.array?.first?["conflicts"]?.array ?? []
            #expect(found.count == 2, "\(conflicts)")
            for conflict in found {
                let choices = conflict["choices"]?.array?.compactMap { $0["value"]?.string } ?? []
                let old = conflict["old"]
                #expect(choices.count == 2, "\(conflict)")
                #expect(old?["value"]?.string.map(choices.contains) != true, "\(conflict)")
                // Before both decisions there were two dates.
                if choices.contains("2030-04-01") { #expect(old?.isNull == true, "\(conflict)") }
            }
            let lines = try await machine.run("conflicts").output
            #expect(!lines.contains("not known"), "\(lines)")
        }
    }
}
