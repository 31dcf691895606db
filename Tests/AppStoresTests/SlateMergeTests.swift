@testable import RecordStore
@testable import Slate
import Testing
import TestSupport

@Suite("What a merge adds, changes and leaves")
struct SlateMergeTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("slate.db")
    }

    /// Merges; the plan of the second run must be empty, and nothing may be gone.
    @discardableResult
    private func merge(
        _ old: SlateContent,
        _ new: SlateContent,
        parts: Set<SlatePart> = Set(SlatePart.allCases)
    ) throws -> SlateImportPlan {
        try sandbox.remove("slate.db")
        try sandbox.database(holding: old)
        let planned = try SlateDatabase(path: path, for: .reading).read { try $0.plan(new, mode: .merge, parts: parts) }
        let plan = try sandbox.writer().importing(new, .test(.merge, parts: parts)).plan
        #expect(plan == planned)
        #expect(plan.count(.remove) == 0 && plan.newer == 0)
        let again = try sandbox.writer().importing(new, .test(.merge, parts: parts)).plan
        #expect(again.isEmpty)
        #expect(again.count(.skip) == plan.count(.skip) && again.count(.keep) == plan.count(.keep))
        let database = try SlateDatabase(path: path, for: .reading)
        for table in SlateTable.allCases {
            #expect(try database.read { try $0.count(table) } >= old.count(table))
        }
        return plan
    }

    @Test func aDayThatBothCompleteIsPerfectAndNoneIsTakenAway() throws {
        func day(_ date: String, _ flag: Int) -> String { "{\"date\": \"\(date)\", \"perfect_day\": \(flag)}" }
        let habits = [SlateRow.habit("h"), SlateRow.habit("i")]
        let old = try SlateContent.made([
            .habits: habits + [SlateRow.habit("new").replacing("2026-01-01T", with: "2026-03-01T")],
            .habitCompletions: [
                SlateRow.completion("1", "h", "2026-02-01"), SlateRow.completion("2", "h", "2026-02-04"),
            ],
            .dayPlan: [day("2026-02-01", 0), day("2026-02-02", 1), day("2026-02-03", 0), day("2026-02-04", 0)],
        ])
        let new = try SlateContent.made([
            .habits: habits,
            .habitCompletions: [
                SlateRow.completion("3", "i", "2026-02-01"), SlateRow.completion("4", "i", "2026-02-03"),
            ],
            .dayPlan: [day("2026-02-01", 0), day("2026-02-02", 0), day("2026-02-03", 0), day("2026-02-04", 1)],
        ])
        try sandbox.database(holding: old)
        try sandbox.copy("slate.db", to: "old.db")
        let changed = try sandbox.writer().importing(new, .test(.merge)).changedPerfectDays
        #expect(changed.map { "\($0.day) \($0.isPerfect)" } == ["2026-02-01 true"])
        #expect(try sandbox.rows("SELECT date FROM day_plan WHERE perfect_day = 1") == ["2026-02-01", "2026-02-02"])
        // Neither without the plans of days, nor where that is turned off.
        let options = [
            SlateImportOptions.test(.merge, perfectDays: .asProvided),
            .test(.merge, parts: [.table(.habitCompletions), .table(.habits)]),
        ]
        for options in options {
            try sandbox.copy("old.db", to: "slate.db")
            #expect(try sandbox.writer().importing(new, options).changedPerfectDays.isEmpty)
            #expect(try sandbox.rows("SELECT count(*) FROM habit_completions") == ["4"])
            #expect(try sandbox.rows("SELECT date FROM day_plan WHERE perfect_day = 1") == ["2026-02-02"])
        }
    }

    @Test func aPerfectDayWhoseHabitsAreGoneIsTakenIn() throws {
        let old = try SlateContent.made([.dayPlan: ["{\"date\": \"2026-02-01\", \"perfect_day\": 0}"]])
        let new = try SlateContent.made([
            .habitCompletions: [SlateRow.completion("1", "h", "2026-02-01")],
            .dayPlan: ["{\"date\": \"2026-02-01\", \"perfect_day\": 1}"],
        ])
        try sandbox.database(holding: old)
        #expect(try sandbox.writer().importing(new, .test(.merge)).changedPerfectDays.count == 1)
        #expect(try sandbox.rows("SELECT date FROM day_plan WHERE perfect_day = 1") == ["2026-02-01"])
    }

    private static func day(_ date: String, _ flag: Int) -> String {
        "{\"date\": \"\(date)\", \"perfect_day\": \(flag)}"
    }

    /// The moment at which a habit was paused or woken, after the days of these tests.
    private static let later = "2026-04-01T08:00:00Z"
    private static let paused = ", \"active\": false"

    @Test("A day that both call not perfect stays so where one of them knew all of it, whatever was paused since")
    func aPausedHabitMakesNoDayPerfect() throws {
        let habits = [SlateRow.habit("h"), SlateRow.habit("i"), SlateRow.habit("p", Self.paused, at: Self.later)]
        let dates = ["2026-02-01", "2026-02-02"]
        let old = try SlateContent.made([
            .habits: habits, .habitCompletions: [SlateRow.completion("1", "i", dates[1])],
            .dayPlan: [Self.day(dates[1], 0)],
        ])
        // The file had all of the first day, and of the second what the database lacks.
        let new = try SlateContent.made([
            .habits: [SlateRow.habit("h"), SlateRow.habit("i"), SlateRow.habit("p")],
            .habitCompletions: [
                SlateRow.completion("2", "h", dates[0]), SlateRow.completion("3", "i", dates[0]),
                SlateRow.completion("4", "h", dates[1]),
            ],
            .dayPlan: dates.map { Self.day($0, 0) },
        ])
        try sandbox.database(holding: old)
        #expect(try sandbox.writer().importing(new, .test(.merge)).changedPerfectDays.isEmpty)
        #expect(try sandbox.rows("SELECT sum(perfect_day) FROM day_plan") == ["0"])
        // Neither where the habit is gone, of the day that the file knew.
        let gone = try sandbox.database("gone.db", holding: .made([.habits: Array(habits.dropLast())]))
        let day = try SlateContent.made([
            .habitCompletions: [
                SlateRow.completion("2", "h", dates[0]), SlateRow.completion("3", "i", dates[0]),
            ],
            .dayPlan: [Self.day(dates[0], 0)],
        ])
        #expect(try gone.importing(day, .test(.merge)).changedPerfectDays.isEmpty)
    }

    @Test("A perfect day of the file is taken in, though a habit was woken since")
    func aWokenHabitTakesNoDayAway() throws {
        let old = try SlateContent.made([
            .habits: [SlateRow.habit("h"), SlateRow.habit("w", Self.paused)],
            .dayPlan: [Self.day("2026-02-01", 0), Self.day("2026-02-02", 0)],
        ])
        let new = try SlateContent.made([
            .habits: [SlateRow.habit("h"), SlateRow.habit("w", at: Self.later)],
            .habitCompletions: [SlateRow.completion("1", "h", "2026-02-01")],
            .dayPlan: [Self.day("2026-02-01", 1), Self.day("2026-02-02", 1)],
        ])
        try sandbox.database(holding: old)
        let changed = try sandbox.writer().importing(new, .test(.merge)).changedPerfectDays
        // Nothing was done on the second day.
        #expect(changed.map { "\($0.day)" } == ["2026-02-01"])
    }

    private func titles() throws -> [String] { try sandbox.rows("SELECT id, title FROM tasks ORDER BY id") }

    @Test(arguments: [
        ("2026-01-01T08:00:00Z", "2026-01-01T08:00:01Z", true),
        ("2026-01-01T08:00:00Z", "2026-01-01T08:00:00.000000001Z", true),
        // 09:30 at +02:00 is 07:30 in UTC.
        ("2026-01-01T08:00:00Z", "2026-01-01T09:30:00+02:00", false),
        ("2026-01-01T23:00:00-05:00", "2026-01-02T03:00:00Z", false),
        ("2026-01-01T23:00:00-05:00", "2026-01-02T04:00:01Z", true),
        ("2026-01-01T08:00:00Z", "2026-01-01T08:00:00Z", false),
        // The same moment, written otherwise.
        ("2026-01-01T08:00:00Z", "2026-01-01T10:00:00.000+02:00", false),
        ("2026-02-01T08:00:00Z", "2026-01-01T08:00:00Z", false),
    ])
    func theNewerRowStays(_ mine: String, _ theirs: String, _ isUpdated: Bool) throws {
        let old = try SlateContent.made([.tasks: [SlateRow.task("a", title: "mine", at: mine)]])
        let new = try SlateContent.made([.tasks: [SlateRow.task("a", title: "theirs", at: theirs)]])
        let plan = try merge(old, new)
        #expect(try titles() == [isUpdated ? "a|theirs" : "a|mine"])
        #expect(plan.count(isUpdated ? .update : .keep) == 1)
    }

    @Test func whatVersionOneCannotHoldStays() throws {
        let dependent = ", \"depends_on_task_id\": \"a\""
        let old = try SlateContent.made([
            .tasks: [SlateRow.task("a"), SlateRow.task("b", dependent), SlateRow.task("c", dependent)]
        ])
        let tasks = [
            SlateRow.task("a"), SlateRow.task("b", title: "renamed", at: "2026-02-01T08:00:00Z"), SlateRow.task("c"),
        ]
        let text =
            #"{"schema_version": 1, "exported_at": "2026-02-02T08:00:00Z", "meta": {}, "#
            + #""tasks": [\#(tasks.joined(separator: ","))], "habits": [], "habit_completions": [], "#
            + #""day_plan": [], "day_plan_items": []}"#
        let plan = try merge(old, try SlateContent.read(Array(text.utf8)))
        #expect((plan.count(.update), plan.count(.keep)) == (1, 0))
        let rows = try sandbox.rows("SELECT id, title, depends_on_task_id FROM tasks ORDER BY id")
        #expect(rows == ["a|Task a|NULL", "b|renamed|a", "c|Task c|a"])
    }

    @Test func tablesWithoutATimeKeepTheirRows() throws {
        let old = try SlateContent.made([
            .dayPlan: ["{\"date\": \"2026-01-01\", \"perfect_day\": 0}"],
            .daySnapshots: ["{\"date\": \"2026-01-01\", \"habits\": []}"],
        ])
        let new = try SlateContent.made([
            .dayPlan: [
                "{\"date\": \"2026-01-01\", \"perfect_day\": 1}", "{\"date\": \"2026-01-02\", \"perfect_day\": 1}",
            ],
            .daySnapshots: ["{\"date\": \"2026-01-01\", \"habits\": [1]}"],
        ])
        let plan = try merge(old, new)
        #expect((plan.count(.keep), plan.count(.create)) == (2, 1))
        #expect(try sandbox.rows("SELECT * FROM day_plan ORDER BY date") == ["2026-01-01|0", "2026-01-02|1"])
    }

    @Test func theSameFactUnderAnotherIdIsSkipped() throws {
        let old = try SlateContent.made([
            .habits: [SlateRow.habit("h")], .habitCompletions: [SlateRow.completion("mine", "h", "2026-01-01")],
            .dayPlanItems: [SlateRow.item("mine", "2026-01-01", "habit", "h")],
        ])
        let new = try SlateContent.made([
            .tasks: [SlateRow.task("h")], .habits: [SlateRow.habit("h")],
            .habitCompletions: [
                SlateRow.completion("theirs", "h", "2026-01-01", at: "2027-01-01T00:00:00Z"),
                SlateRow.completion("other", "h", "2026-01-02"),
            ],
            .dayPlanItems: [
                SlateRow.item("theirs", "2026-01-01", "habit", "h"), SlateRow.item("other", "2026-01-01", "task", "h"),
            ],
        ])
        let plan = try merge(old, new)
        #expect((plan.count(.skip), plan.count(.create)) == (2, 3))
        #expect(try sandbox.rows("SELECT id FROM habit_completions ORDER BY id") == ["mine", "other"])
        #expect(try sandbox.rows("SELECT id FROM day_plan_items ORDER BY id") == ["mine", "other"])
    }

    /// Completions that change their day, with ids and days as `id:day`; all of the file's are newer.
    @Test(arguments: [
        // Taken by one that the file does not have, has unchanged, or has as an older one.
        (["a:1", "b:2"], ["a:2"], ["a:1", "b:2"]),
        (["a:1", "b:2"], ["a:2", "b:3"], ["a:2", "b:3"]),
        (["a:1", "b:2", "c:3"], ["a:2", "b:3", "c:4"], ["a:2", "b:3", "c:4"]),
        (["a:3", "b:2", "c:1"], ["a:4", "b:3", "c:2"], ["a:4", "b:3", "c:2"]),
        // The last of a chain does not go.
        (["a:1", "b:2", "c:3", "d:4"], ["a:2", "b:3", "c:4"], ["a:1", "b:2", "c:3", "d:4"]),
        // In a circle nobody can be the first.
        (["a:1", "b:2"], ["a:2", "b:1"], ["a:1", "b:2"]),
        (["a:1", "b:2", "c:3"], ["a:2", "b:1", "c:4", "d:3"], ["a:1", "b:2", "c:4", "d:3"]),
        // A new one where another goes.
        (["a:1"], ["a:2", "b:1"], ["a:2", "b:1"]),
        (["b:1"], ["a:1", "b:2"], ["a:1", "b:2"]),
        (["b:1", "x:2"], ["a:1", "b:2"], ["b:1", "x:2"]),
    ])
    func valuesThatAnotherRowHas(_ mine: [String], _ theirs: [String], _ expected: [String]) throws {
        func content(_ rows: [String], at stamp: String) throws -> SlateContent {
            try SlateContent.made([
                .habits: [SlateRow.habit("h")],
                .habitCompletions: rows.map { row in
                    SlateRow.completion(String(row.prefix(1)), "h", "2026-01-0\(row.suffix(1))", at: stamp)
                },
            ])
        }
        let plan = try merge(
            try content(mine, at: "2026-01-01T00:00:00Z"),
            try content(theirs, at: "2026-02-01T00:00:00Z")
        )
        let found = try sandbox.rows("SELECT id || ':' || substr(date, 10) FROM habit_completions ORDER BY id")
        #expect(found == expected)
        #expect(plan.count(.skip) == theirs.filter { !expected.contains($0) }.count)
    }

    @Test func metaIsAddedToAndNothingOfItChanged() throws {
        let old = try SlateContent.made(meta: "{\"day_start\": \"04:00\", \"none\": null, \"schema_version\": \"1\"}")
        let new = try SlateContent.made(meta: "{\"day_start\": \"05:00\", \"none\": \"x\", \"more\": \"y\"}")
        let plan = try merge(old, new)
        #expect((plan.count(.keep), plan.count(.create)) == (2, 1))
        let expected = ["day_start|04:00", "more|y", "none|NULL", "schema_version|2"]
        #expect(try sandbox.rows("SELECT * FROM meta ORDER BY key") == expected)
    }

    // MARK: References

    @Test func aCircleOverBothSides() throws {
        let old = try SlateContent.made([
            .tasks: [
                SlateRow.task("a", ", \"depends_on_task_id\": \"b\"", at: "2026-02-01T00:00:00Z"), SlateRow.task("b"),
            ]
        ])
        let new = try SlateContent.made([
            .tasks: [
                SlateRow.task("a"), SlateRow.task("b", ", \"depends_on_task_id\": \"a\"", at: "2026-02-01T00:00:00Z"),
            ]
        ])
        let before = try sandbox.database(holding: old).exported()
        let error = try storeError { _ = try sandbox.writer().importing(new, .test(.merge)) }
        #expect(error?.code == .reference)
        #expect(error?.message.contains("\"Task a\" → \"Task b\" → \"Task a\"") == true)
        #expect(try sandbox.exported() == before)
        // One that is there already is nobody's fault.
        try sandbox.sql("UPDATE tasks SET depends_on_task_id = 'a' WHERE id = 'b'")
        let other = try SlateContent.made([.tasks: [SlateRow.task("c")]])
        #expect(try sandbox.writer().importing(other, .test(.merge)).plan.count(.create) == 1)
    }

    @Test(arguments: [
        (
            [SlatePart.table(.dayPlanItems)],
            "the task \"Task u\" on 2026-01-01, the habit \"Habit k\" on 2026-01-01, which the database would not "
                + "have; nothing was changed; --only tasks --only habits imports what they need as well"
        ),
        (
            [.table(.tasks)],
            "the task \"Task t\" on 2026-01-01, which the database would not have; nothing was changed; "
                + "--only day_plan_items replaces the plans with the file's as well; --mode merge keeps the tasks"
        ),
        ([.table(.habits)], "replaces the plans with the file's as well; --mode merge keeps the habits"),
    ])
    func partsWhoseReferencesWouldLeadNowhere(_ parts: [SlatePart], _ words: String) throws {
        let old = try SlateContent.made([
            .tasks: [SlateRow.task("t")], .habits: [SlateRow.habit("h")],
            .dayPlanItems: [
                SlateRow.item("i", "2026-01-01", "task", "t"), SlateRow.item("j", "2026-01-01", "habit", "h"),
            ],
        ])
        let new = try SlateContent.made([
            .tasks: [SlateRow.task("u")], .habits: [SlateRow.habit("k")],
            .dayPlanItems: [
                SlateRow.item("i", "2026-01-01", "task", "u"), SlateRow.item("j", "2026-01-01", "habit", "k"),
            ],
        ])
        let before = try sandbox.database(holding: old).exported()
        let error = try storeError { _ = try sandbox.writer().importing(new, .test(.replace, parts: Set(parts))) }
        #expect(error?.code == .reference)
        #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        #expect(try sandbox.exported() == before)
        let path = sandbox.path("slate.db")
        let dry = try storeError {
            let options = SlateImportOptions.test(.replace, parts: Set(parts))
            _ = try SlateDatabase.dryRun(path, at: sandbox.path("scratch.db"), new, options)
        }
        #expect(dry?.description == error?.description && dry?.path == path, "\(dry?.description ?? "")")
        // A merge keeps what the plans need, and the plans.
        if !parts.contains(.table(.dayPlanItems)) {
            _ = try sandbox.writer().importing(new, .test(.merge, parts: Set(parts)))
            let items = try sandbox.rows("SELECT entity_id FROM day_plan_items ORDER BY id")
            #expect(items == ["t", "h"])
        }
        let all: Set<SlatePart> = [.table(.tasks), .table(.habits), .table(.dayPlanItems)]
        _ = try sandbox.writer().importing(new, .test(.replace, parts: all))
    }

    /// As many rows as before lead nowhere, but another one.
    @Test func oneReferenceMendedAndAnotherBroken() throws {
        try sandbox.appDatabase()
        try sandbox.sql(
            """
            INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
            INSERT INTO day_plan_items VALUES ('i', '2026-01-01', 'task', 't'), ('j', '2026-01-01', 'task', 'u');
            """
        )
        let new = try SlateContent.made([.tasks: [SlateRow.task("u")]])
        let error = try storeError {
            _ = try sandbox.writer().importing(new, .test(.replace, parts: [.table(.tasks)]))
        }
        #expect(error?.code == .reference)
        #expect(error?.message.contains("have the task \"x\" on 2026-01-01, which") == true, "\(error?.message ?? "")")
        #expect(try titles() == ["t|x"])
    }

    // MARK: Parts

    @Test(arguments: SlatePart.allCases, SlateImportMode.allCases)
    func onePartLeavesTheOthers(_ part: SlatePart, mode: SlateImportMode) throws {
        let old = try SlateCellTests.content()
        let rows: [SlateTable: [String]] = [
            .tasks: [SlateRow.task("a"), SlateRow.task("z")], .habits: [SlateRow.habit("h"), SlateRow.habit("z")],
            .habitCompletions: [SlateRow.completion("z", "h", "2026-02-01")],
            .dayPlan: ["{\"date\": \"2026-02-01\", \"perfect_day\": 1}"],
            .dayPlanItems: [SlateRow.item("z", "2026-02-01", "habit", "h")], .activityLog: [SlateRow.log("z")],
            .daySnapshots: ["{\"date\": \"2026-02-01\", \"habits\": []}"],
        ]
        let new = try SlateContent.made(meta: "{\"installed_at\": null}", other: ", \"top\": 1", rows)
        try sandbox.database(holding: old)
        let names = ["meta"] + SlateTable.allCases.map(\.name)
        func all() throws -> [String: [String]] {
            try Dictionary(uniqueKeysWithValues: names.map { ($0, try sandbox.rows("SELECT * FROM \($0) ORDER BY 1")) })
        }
        let before = try all()
        let plan = try sandbox.writer().importing(new, .test(mode, parts: [part])).plan
        #expect(plan.parts.map(\.part) == [part])
        #expect(plan.count(.create) > 0)
        let after = try all()
        for name in names { #expect((before[name] == after[name]) == (name != part.name), "\(name)") }
        let hasTop = try sandbox.exportedText().contains("\"top\": 1")
        #expect(hasTop == (part == .meta))
    }

    // MARK: Circles

    @Test("Of tasks that both histories together put into a circle the one that was changed last waits no more")
    func endedCircle() throws {
        func task(_ id: String, _ target: String?, at stamp: String) -> String {
            let more = target.map { ", \"depends_on_task_id\": \"\($0)\"" } ?? ""
            return SlateRow.task(id, more, title: "Task \(id.uppercased())", at: stamp)
        }
        let early = "2026-01-01T08:00:00Z"
        let old = try SlateContent.made([
            .tasks: [task("a", "b", at: "2026-01-03T08:00:00Z"), task("b", nil, at: early)]
        ])
        let new = try SlateContent.made([
            .tasks: [task("a", nil, at: early), task("b", "a", at: "2026-01-02T23:00:00-10:00")]
        ])
        try sandbox.database(holding: old)
        let error = try storeError { _ = try sandbox.writer().importing(new, .test(.merge)) }
        #expect(error?.code == .reference)
        let circle = "in a circle: \"Task A\" → \"Task B\" → \"Task A\"; nothing was changed; "
        #expect(error?.message.contains("\(circle)importing with --repair") == true, "\(error?.message ?? "")")
        var options = SlateImportOptions.test(.merge, second: 1)
        options.endsCircles = true
        let ended = try sandbox.writer().importing(new, options).endedDependencies
        #expect(ended.map(\.id) == ["b"] && ended.map(\.title) == ["Task B"])
        #expect(try sandbox.rows("SELECT id, depends_on_task_id FROM tasks ORDER BY id") == ["a|b", "b|NULL"])
        let again = try sandbox.writer().importing(new, options)
        #expect(!again.isChange && again.endedDependencies.isEmpty)
    }

    // MARK: Perfect days

    @Test(arguments: [
        (SlateDays.Recomputation.asProvided, "0110"), (.last(1), "0111"), (.last(3), "0011"), (.all, "1011"),
    ])
    func perfectDays(_ scope: SlateDays.Recomputation, _ flags: String) throws {
        // Today is day 20,000 in the tests: 2024-10-04. The flags are those of the days from 2024-10-01 on.
        let content = try SlateContent.made([
            .habits: [SlateRow.habit("h"), SlateRow.habit("idle", ", \"active\": false")]
                .map { $0.replacing("2026-01-01T", with: "2024-01-01T") } + [SlateRow.habit("later")],
            .habitCompletions: ["01", "03", "04"].map { SlateRow.completion("c\($0)", "h", "2024-10-\($0)") },
            .dayPlan: zip(["01", "02", "03", "04"], [0, 1, 1, 0])
                .map { "{\"date\": \"2024-10-\($0)\", \"perfect_day\": \($1)}" },
        ])
        let database = try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: false))
        let result = try database.importing(content, .test(.replace, perfectDays: scope))
        let found = try sandbox.rows("SELECT perfect_day FROM day_plan ORDER BY date").joined()
        #expect(found == flags)
        #expect(result.changedPerfectDays.count == zip(found, "0110").filter { $0 != $1 }.count)
        // What is computed is no reason for a copy where nothing comes of it.
        let copies = SlateSafetyBackups.copies(of: path)
        let again = try database.importing(content, .test(.merge, perfectDays: scope))
        #expect(again.safetyBackup == nil && again.changedPerfectDays.isEmpty)
        #expect(SlateSafetyBackups.copies(of: path) == copies)
    }
}
