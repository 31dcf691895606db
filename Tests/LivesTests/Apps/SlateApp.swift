import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import TestSupport

/// Slate as its document describes it: tasks, habits, a plan for each day, rollover at the start of a day.
final class SlateApp: ReferenceApp {
    let app = AppID.slate

    /// The tables of version 1, as the app makes them.
    private static let tables = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE tasks (id TEXT PRIMARY KEY, title TEXT NOT NULL, notes TEXT, due_date TEXT, scheduled_for TEXT,
            is_done INTEGER NOT NULL DEFAULT 0, done_at TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
            archived INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE habits (id TEXT PRIMARY KEY, title TEXT NOT NULL, notes TEXT, active INTEGER NOT NULL DEFAULT 1,
            reminder_time TEXT, created_at TEXT NOT NULL, updated_at TEXT NOT NULL);
        CREATE TABLE habit_completions (id TEXT PRIMARY KEY, habit_id TEXT NOT NULL, date TEXT NOT NULL,
            completed_at TEXT NOT NULL, UNIQUE (habit_id, date));
        CREATE TABLE day_plan (date TEXT PRIMARY KEY, perfect_day INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE day_plan_items (id TEXT PRIMARY KEY, date TEXT NOT NULL,
            entity_type TEXT NOT NULL CHECK (entity_type IN ('task', 'habit')), entity_id TEXT NOT NULL,
            UNIQUE (date, entity_type, entity_id));
        CREATE INDEX idx_tasks_due ON tasks (due_date);
        CREATE INDEX idx_hc_habit_date ON habit_completions (habit_id, date);
        INSERT INTO meta VALUES ('schema_version', '1'), ('day_start', '04:00');
        """

    /// The app's own step to version 2.
    private static let migration = """
        ALTER TABLE tasks ADD COLUMN depends_on_task_id TEXT REFERENCES tasks (id);
        CREATE TABLE activity_log (id TEXT PRIMARY KEY, timestamp TEXT NOT NULL,
            entity_type TEXT NOT NULL CHECK (entity_type IN ('task', 'habit')), entity_id TEXT NOT NULL,
            action_type TEXT NOT NULL, details TEXT);
        CREATE TABLE day_snapshots (date TEXT PRIMARY KEY, day_plan_tasks TEXT, slate_tasks TEXT, habits TEXT,
            completed_task_ids TEXT, completed_habit_ids TEXT);
        CREATE INDEX idx_activity_log_entity ON activity_log (entity_id, timestamp);
        UPDATE meta SET value = '2' WHERE key = 'schema_version';
        """

    func make(at path: String, _ random: inout SeededGenerator) throws {
        // Some installed the app when it had version 1; it is migrated when it is opened or joins.
        let isOld = Int.random(in: 0..<3, using: &random) == 0
        try DatabaseQueue(path: path).write { database in
            try database.execute(sql: Self.tables)
            if !isOld { try database.execute(sql: Self.migration) }
        }
    }

    // MARK: The start of a day

    func open(_ visit: Visit) throws {
        if try visit.text("SELECT value FROM meta WHERE key = 'schema_version'") == "1", visit.chance(50) {
            visit.tell("is updated to version 2")
            try visit.run(Self.migration)
        }
        let today = visit.today
        let remembered = visit.device.memory.lastOpened
        let unfinished = try remembered.map { try planned($0, visit) } ?? []
        if let last = try visit.text("SELECT value FROM meta WHERE key = 'last_open_date'"), last != today {
            let carried = try planned(last, visit)
            try ensureDay(today, visit)
            for task in carried where try plan(task, today, visit) {
                visit.tell("\(task) is carried over from \(last) to \(today)")
            }
            try snapshot(last, visit)
        }
        try visit.run("INSERT OR REPLACE INTO meta VALUES ('last_open_date', ?)", [today])
        visit.device.memory.lastOpened = today
        guard let remembered, remembered < today else { return }
        for task in unfinished where try !isPlanned(task, today, visit) {
            let text =
                "\(task) was planned for \(remembered) and not finished; opening \(visit.device.name) on \(today) did not plan it"
            visit.life.fault(.carryOver, text)
        }
    }

    private func planned(_ day: String, _ visit: Visit) throws -> [String] {
        try visit.texts(
            """
            SELECT t.id FROM day_plan_items i JOIN tasks t ON t.id = i.entity_id
            WHERE i.date = ? AND i.entity_type = 'task' AND t.is_done = 0 ORDER BY t.id
            """,
            [day]
        )
    }

    private func isPlanned(_ task: String, _ day: String, _ visit: Visit) throws -> Bool {
        try visit.count(
            "SELECT count(*) FROM day_plan_items WHERE date = ? AND entity_type = 'task' AND entity_id = ?",
            [day, task]
        ) > 0
    }

    private func ensureDay(_ day: String, _ visit: Visit) throws {
        guard try visit.count("SELECT count(*) FROM day_plan WHERE date = ?", [day]) == 0 else { return }
        try visit.run("INSERT INTO day_plan VALUES (?, 0)", [day])
        visit.made("day_plan/\(day)", ["perfect": "0"])
    }

    /// Plans a task for a day, where it is not.
    @discardableResult
    private func plan(_ task: String, _ day: String, _ visit: Visit) throws -> Bool {
        guard try !isPlanned(task, day, visit) else { return false }
        try ensureDay(day, visit)
        try visit.run(
            "INSERT INTO day_plan_items VALUES (?, ?, 'task', ?)",
            [visit.identifier("p"), day, task]
        )
        visit.did("day_plan_items/\(day)|task|\(task)", from: nil, to: "")
        return true
    }

    /// Keeps what the history screen shows of a day that is over.
    private func snapshot(_ day: String, _ visit: Visit) throws {
        guard try isCurrent(visit) else { return }
        try visit.run(
            """
            INSERT OR REPLACE INTO day_snapshots SELECT ?, '[]', '[]',
                (SELECT json_group_array(json_object('id', id, 'title', title, 'created_at', created_at))
                    FROM habits WHERE active = 1), '[]',
                (SELECT json_group_array(habit_id) FROM habit_completions WHERE date = ?)
            """,
            [day, day]
        )
    }

    private func isCurrent(_ visit: Visit) throws -> Bool {
        try visit.text("SELECT value FROM meta WHERE key = 'schema_version'") == "2"
    }

    private func log(_ type: String, _ entity: String, _ action: String, _ visit: Visit) throws {
        guard try isCurrent(visit) else { return }
        let id = visit.identifier("l")
        try visit.run(
            "INSERT INTO activity_log VALUES (?, ?, ?, ?, ?, NULL)",
            [id, visit.text, type, entity, action]
        )
        visit.did("activity_log/\(id)", from: nil, to: "")
    }

    // MARK: What a person does

    func act(_ visit: Visit) throws {
        switch Int.random(in: 0..<100, using: &visit.random) {
        case 0..<18: try addTask(visit)
        case 18..<28: try finish(visit)
        case 28..<36: try rename(visit)
        case 36..<42: try planOrNot(visit)
        case 42..<47: try deleteTask(visit)
        case 47..<83: try tick(visit)
        case 83..<88: try addHabit(visit)
        case 88..<92: try changeHabit(visit)
        case 92..<94: try deleteHabit(visit)
        case 94..<96: try reinstate(visit)
        default: try tickAll(visit)
        }
    }

    private func addTask(_ visit: Visit) throws {
        let id = visit.identifier("t")
        visit.tell("adds task \(id)")
        try visit.run(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            [id, "Task \(id)", visit.text, visit.text]
        )
        visit.made("tasks/\(id)", ["title": "Task \(id)", "done": "0 -"])
        if visit.chance(60) {
            visit.tell("plans \(id) for today")
            try plan(id, visit.today, visit)
        }
        try log("task", id, "created", visit)
    }

    private func someTask(_ visit: Visit) throws -> String? {
        visit.pick(try visit.texts("SELECT id FROM tasks ORDER BY id DESC LIMIT 12"))
    }

    private func finish(_ visit: Visit) throws {
        guard let id = try someTask(visit) else { return }
        let (before, wasDone) = try done(id, visit)
        visit.tell(wasDone ? "takes \(id) back" : "finishes \(id)")
        try visit.run(
            "UPDATE tasks SET is_done = ?, done_at = ?, updated_at = ? WHERE id = ?",
            [wasDone ? 0 : 1, wasDone ? nil : visit.text, visit.text, id]
        )
        visit.did("tasks/\(id)#touched", from: nil, to: visit.identifier(""))
        visit.did("tasks/\(id)#done", from: before, to: try done(id, visit).text)
        try log("task", id, wasDone ? "reopened" : "completed", visit)
    }

    private func done(_ id: String, _ visit: Visit) throws -> (text: String?, isDone: Bool) {
        let text = try visit.text("SELECT is_done || ' ' || ifnull(done_at, '-') FROM tasks WHERE id = ?", [id])
        return (text, text?.hasPrefix("1") ?? false)
    }

    private func rename(_ visit: Visit) throws {
        guard let id = try someTask(visit) else { return }
        let before = try visit.text("SELECT title FROM tasks WHERE id = ?", [id])
        let title = "Task \(id) \(visit.identifier(""))"
        visit.tell("renames \(id) to \(title)")
        try visit.run("UPDATE tasks SET title = ?, updated_at = ? WHERE id = ?", [title, visit.text, id])
        visit.did("tasks/\(id)#touched", from: nil, to: visit.identifier(""))
        visit.did("tasks/\(id)#title", from: before, to: title)
    }

    private func planOrNot(_ visit: Visit) throws {
        guard let id = try someTask(visit) else { return }
        if try !isPlanned(id, visit.today, visit) {
            visit.tell("plans \(id) for \(visit.today)")
            try plan(id, visit.today, visit)
        } else {
            visit.tell("takes \(id) out of \(visit.today)")
            try unplan(id, "date = '\(visit.today)'", visit)
        }
    }

    private func unplan(_ task: String, _ condition: String, _ visit: Visit) throws {
        let condition = "entity_type = 'task' AND entity_id = '\(task)' AND \(condition)"
        for day in try visit.texts("SELECT date FROM day_plan_items WHERE \(condition)") {
            visit.did("day_plan_items/\(day)|task|\(task)", from: "", to: nil)
        }
        try visit.run("DELETE FROM day_plan_items WHERE \(condition)")
    }

    private func deleteTask(_ visit: Visit) throws {
        guard let id = try someTask(visit) else { return }
        visit.tell("deletes \(id)")
        try unplan(id, "1", visit)
        try visit.run("DELETE FROM tasks WHERE id = ?", [id])
        visit.did("tasks/\(id)", from: "", to: nil)
    }

    private func habits(_ visit: Visit) throws -> [String] {
        try visit.texts("SELECT id FROM habits WHERE active = 1 ORDER BY id")
    }

    private func tick(_ visit: Visit) throws {
        guard let habit = visit.pick(try habits(visit)) else { return try addHabit(visit) }
        try toggle(habit, visit)
    }

    private func tickAll(_ visit: Visit) throws {
        for habit in try habits(visit) where try !isTicked(habit, visit.today, visit) { try toggle(habit, visit) }
    }

    private func isTicked(_ habit: String, _ day: String, _ visit: Visit) throws -> Bool {
        try visit.count("SELECT count(*) FROM habit_completions WHERE habit_id = ? AND date = ?", [habit, day]) > 0
    }

    private func toggle(_ habit: String, _ visit: Visit) throws {
        let day = visit.today
        let fact = "habit_completions/\(habit)|\(day)"
        try ensureDay(day, visit)
        if try isTicked(habit, day, visit) {
            guard visit.chance(25) else { return }
            visit.tell("unticks \(habit) on \(day)")
            try visit.run("DELETE FROM habit_completions WHERE habit_id = ? AND date = ?", [habit, day])
            visit.did(fact, from: "", to: nil)
        } else {
            visit.tell("ticks \(habit) on \(day)")
            try visit.run(
                "INSERT INTO habit_completions VALUES (?, ?, ?, ?)",
                [visit.identifier("c"), habit, day, visit.text]
            )
            visit.did(fact, from: nil, to: "")
        }
        let before = try visit.count("SELECT perfect_day FROM day_plan WHERE date = ?", [day])
        let open = try habits(visit).filter { try !isTicked($0, day, visit) }
        let isPerfect = try open.isEmpty && !habits(visit).isEmpty
        try visit.run("UPDATE day_plan SET perfect_day = ? WHERE date = ?", [isPerfect, day])
        visit.did("day_plan/\(day)#perfect", from: "\(before)", to: isPerfect ? "1" : "0")
        if isPerfect, before == 0 { visit.tell("earns a perfect day") }
    }

    private func addHabit(_ visit: Visit) throws {
        guard try visit.count("SELECT count(*) FROM habits") < 5 else {
            return try habits(visit).isEmpty ? changeHabit(visit) : tick(visit)
        }
        let id = visit.identifier("h")
        visit.tell("adds habit \(id)")
        try visit.run(
            "INSERT INTO habits (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            [id, "Habit \(id)", visit.text, visit.text]
        )
        visit.made("habits/\(id)", ["title": "Habit \(id)", "active": "1"])
        visit.life.diary.habitDays[id] = visit.today
    }

    private func changeHabit(_ visit: Visit) throws {
        guard let id = visit.pick(try visit.texts("SELECT id FROM habits ORDER BY id")) else { return }
        let active = try visit.count("SELECT active FROM habits WHERE id = ?", [id])
        visit.tell("\(active == 1 ? "pauses" : "takes up") \(id)")
        try visit.run("UPDATE habits SET active = ?, updated_at = ? WHERE id = ?", [1 - active, visit.text, id])
        visit.did("habits/\(id)#touched", from: nil, to: visit.identifier(""))
        visit.did("habits/\(id)#active", from: "\(active)", to: "\(1 - active)")
    }

    /// A habit's completions outlive it.
    private func deleteHabit(_ visit: Visit) throws {
        guard let id = visit.pick(try visit.texts("SELECT id FROM habits ORDER BY id")) else { return }
        visit.tell("deletes habit \(id)")
        try visit.run("DELETE FROM habits WHERE id = ?", [id])
        visit.did("habits/\(id)", from: "", to: nil)
    }

    /// Exports to a file and imports that, as somebody does who wants to see whether it works.
    private func reinstate(_ visit: Visit) throws {
        guard try isCurrent(visit) else { return }
        visit.tell("exports, and imports that")
        try truncateAndInsert(visit.database, export(visit.database, at: visit.now))
    }

    // MARK: Export and import

    private static let names = [
        "tasks", "habits", "habit_completions", "day_plan", "day_plan_items", "activity_log", "day_snapshots",
    ]
    private static let flags: Set<String> = ["is_done", "archived", "active"]
    private static let texts: Set<String> = [
        "details", "day_plan_tasks", "slate_tasks", "habits", "completed_task_ids", "completed_habit_ids",
    ]

    /// The app's export: all tables, and of its settings the start of the day.
    func export(_ database: Database, at moment: Int) throws -> [UInt8] {
        let isCurrent = try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'schema_version'") == "2"
        var document: JSONObject = [
            "schema_version": isCurrent ? 2 : 1, "exported_at": .string(Calendar.text(moment)),
            "meta": ["day_start": "04:00"],
        ]
        for name in Self.names.prefix(isCurrent ? 7 : 5) {
            document[name] = .array(
                try Row.fetchAll(database, sql: "SELECT * FROM \(name)").map { row in
                    var object = JSONObject()
                    for (column, value) in row { object[column] = try Self.json(column, value) }
                    return .object(object)
                }
            )
        }
        return JSONValue.object(document).encoded(.compact)
    }

    private static func json(_ column: String, _ value: DatabaseValue) throws -> JSONValue {
        switch value.storage {
        case .int64(let number): return flags.contains(column) ? .bool(number != 0) : .number(Int(number))
        case .string(let text) where texts.contains(column): return try JSONDocument(parsing: text).root.value
        case .string(let text): return .string(text)
        default: return .null
        }
    }

    /// The app's import: truncates the tables, and inserts what the file has.
    func truncateAndInsert(_ database: Database, _ bytes: [UInt8]) throws {
        let document = try JSONDocument(parsing: bytes).root.value
        if try String.fetchOne(database, sql: "SELECT value FROM meta WHERE key = 'schema_version'") == "1" {
            try database.execute(sql: Self.migration)
        }
        for member in document["meta"]?.object ?? [:] where member.name != "schema_version" {
            try database.execute(
                sql: "INSERT OR REPLACE INTO meta VALUES (?, ?)",
                arguments: [member.name, member.value.string]
            )
        }
        for name in Self.names {
            let columns = try database.columns(in: name).map(\.name)
            try database.execute(sql: "DELETE FROM \(name)")
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            let statement = try database.makeStatement(
                sql: "INSERT INTO \(name) (\(columns.joined(separator: ", "))) VALUES (\(places))"
            )
            for row in document[name]?.array ?? [] {
                try statement.execute(arguments: StatementArguments(columns.map { Self.value(row[$0]) }))
            }
        }
    }

    private static func value(_ value: JSONValue?) -> DatabaseValue {
        switch value {
        case .string(let text)?: text.databaseValue
        case .bool(let flag)?: flag.databaseValue
        case .number(let number)?: number.int.databaseValue
        case .array?, .object?: (value?.text(.compact) ?? "").databaseValue
        default: .null
        }
    }

    // MARK: What there is

    func facts(_ database: Database) throws -> [String: String] {
        var facts: [String: String] = [:]
        for row in try Row.fetchAll(
            database,
            sql: "SELECT id, title, is_done || ' ' || ifnull(done_at, '-') FROM tasks"
        ) {
            let id: String = row[0]
            facts["tasks/\(id)"] = ""
            facts["tasks/\(id)#title"] = row[1]
            facts["tasks/\(id)#done"] = row[2]
        }
        for row in try Row.fetchAll(database, sql: "SELECT id, title, active FROM habits") {
            let id: String = row[0]
            facts["habits/\(id)"] = ""
            facts["habits/\(id)#title"] = row[1]
            facts["habits/\(id)#active"] = "\(row[2] as Int)"
        }
        let keys = [
            "SELECT 'habit_completions/' || habit_id || '|' || date FROM habit_completions",
            "SELECT 'day_plan/' || date FROM day_plan",
            "SELECT 'day_plan_items/' || date || '|' || entity_type || '|' || entity_id FROM day_plan_items",
        ]
        for sql in keys { for key in try String.fetchAll(database, sql: sql) { facts[key] = "" } }
        if try database.tableExists("activity_log") {
            for id in try String.fetchAll(database, sql: "SELECT id FROM activity_log") {
                facts["activity_log/\(id)"] = ""
            }
        }
        return facts
    }

    func sight(_ database: Database) throws -> [String] {
        try Self.names.flatMap { name in
            try Row.fetchAll(database, sql: "SELECT * FROM \(name)").map { "\(name) \($0)" }.sorted()
        }
    }

    /// The plan of a task that is gone waits for it.
    func mayLack(_ fact: String, _ device: LifeDevice, _ life: Life, _ facts: [String: String]) -> Bool {
        guard fact.hasPrefix("day_plan_items/"), let task = fact.split(separator: "|").last else { return false }
        return facts["tasks/\(task)"] == nil
    }

    /// The plan of a task that was deleted stays with the task, where that stays.
    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool {
        if life.diary.doubtful.contains(fact) { return true }
        guard fact.hasPrefix("day_plan_items/"), let task = fact.split(separator: "|").last else { return false }
        return life.diary.wasRemoved(fact, with: "tasks/\(task)") && life.diary.isThere("tasks/\(task)")
    }

    // MARK: Perfect days and streaks

    func treasures(_ database: Database, _ now: Int) throws -> [String: Int] {
        var found: [String: Int] = [:]
        for day in try String.fetchAll(database, sql: "SELECT date FROM day_plan WHERE perfect_day = 1") {
            found["perfect day \(day)"] = 1
        }
        for habit in try String.fetchAll(database, sql: "SELECT DISTINCT habit_id FROM habit_completions") {
            var (count, moment) = (0, now)
            while try Bool.fetchOne(
                database,
                sql: "SELECT 1 FROM habit_completions WHERE habit_id = ? AND date = ?",
                arguments: [habit, Calendar.appDay(moment)]
            ) == true {
                count += 1
                moment -= Calendar.day
            }
            if count > 0 { found["streak of \(habit)"] = count }
        }
        return found
    }

    func mayShrink(_ treasure: String, _ device: LifeDevice, _ life: Life) -> Bool {
        let name = String(treasure.split(separator: " ").last ?? "")
        if treasure.hasPrefix("perfect") { return !PerfectDay(name, life.diary).hasToBe(true, at: device) }
        return life.diary.deeds.contains { fact, deeds in
            fact.hasPrefix("habit_completions/\(name)|") && deeds.contains { $0.value == nil }
        }
    }

    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        for row in try Row.fetchAll(database, sql: "SELECT date, perfect_day FROM day_plan") {
            let day = PerfectDay(row[0], life.diary)
            let isPerfect = row[1] as Int == 1
            if day.hasToBe(!isPerfect) {
                life.fault(.perfectDay, "\(device.name) shows \(day.day) as \(isPerfect ? "" : "not ")perfect: \(day)")
            }
        }
    }
}

/// What the diary says of a day.
struct PerfectDay: CustomStringConvertible {
    let day: String
    private let diary: Diary
    private let flags: [Diary.Deed]
    private let ticks: [String: [Diary.Deed]]

    init(_ day: String, _ diary: Diary) {
        self.day = day
        self.diary = diary
        flags = diary.deeds["day_plan/\(day)#perfect"] ?? []
        let facts = diary.ticks[day] ?? []
        ticks = Dictionary(uniqueKeysWithValues: facts.map { ($0, diary.deeds[$0] ?? []) })
    }

    /// Whether the diary leaves no doubt that a day is perfect, or that it is not.
    ///
    /// - Parameter device: A device that need not know all of it yet: what it was not told of counts for nothing there.
    func hasToBe(_ isPerfect: Bool, at device: LifeDevice? = nil) -> Bool {
        func isKnown(_ deed: Diary.Deed) -> Bool {
            guard let device else { return true }
            return deed.author == device.author || (device.seen[deed.author] ?? 0) >= deed.number
        }
        func isTicked(_ habit: String) -> Bool {
            let fact = "habit_completions/\(habit)|\(day)"
            return diary.isThere(fact) && (ticks[fact] ?? []).contains { $0.value != nil && isKnown($0) }
        }
        // Somebody saw it so last who knew of all that was done on that day.
        let knowing = diary.latest("day_plan/\(day)#perfect").first { flag in
            isKnown(flag)
                && (flags + ticks.values.flatMap(\.self)).allSatisfy { $0.author == flag.author || flag.knows($0) }
        }
        if let knowing { return (knowing.value == "1") == isPerfect }
        guard !flags.isEmpty || !ticks.isEmpty else { return false }
        if isPerfect {
            // Every habit that there was anywhere by the end of that day was ticked, by whomever.
            let all = diary.habitDays.filter { $0.value <= day }.map(\.key)
            return !all.isEmpty && all.allSatisfy(isTicked)
        }
        // Nobody ever saw it perfect, and a habit that all had who used it was not ticked.
        guard flags.allSatisfy({ $0.value != "1" }) else { return false }
        return diary.habitDays.contains { habit, from in
            from <= day && !isTicked(habit) && diary.isThere("habits/\(habit)") && !diary.wasRemoved("habits/\(habit)")
                && (diary.deeds["habits/\(habit)#active"] ?? []).allSatisfy { $0.value == "1" }
                && flags.allSatisfy { flag in diary.deeds["habits/\(habit)"]?.first.map(flag.knows) ?? false }
        }
    }

    var description: String { "flags \(flags), ticks \(ticks.mapValues { $0.map { ($0.author, $0.value) } })" }
}
