import FormatKit
@testable import RecordStore
@testable import BZTimer
import CivilTime
@testable import Slate
import StrictJSON
import Testing
import TestSupport

/// Random databases and files, held against a naive model of what an import is to do.
///
/// Each case is a seed, which is printed with what fails.
@Suite struct SlatePropertyTests {
    @Test(arguments: 0..<150)
    func importsDoWhatTheModelDoes(seed: Int) throws {
        var generator = SlateGenerator(seed: UInt64(seed))
        let old = try generator.content()
        let new = try generator.content()
        let mode = generator.random.next() % 3 == 0 ? SlateImportMode.replace : .merge
        let parts = generator.parts()

        let sandbox = try Sandbox()
        let before = try sandbox.database(holding: old).exported()
        let expected = try SlateModel(old).importing(try SlateModel(new), mode, parts)
        let planned = try SlateDatabase(path: sandbox.path("slate.db"), for: .reading)
            .read { try $0.plan(new, mode: mode, parts: parts) }
        let database = try sandbox.writer()
        let options = SlateImportOptions.test(mode, parts: parts, second: 1)
        var result: SlateImportResult?
        let error = try storeError { result = try database.importing(new, options) }
        guard let expected else {
            #expect(error?.code == .reference)
            #expect(try sandbox.exported() == before)
            return
        }
        #expect(error == nil, "\(error?.description ?? "")")
        #expect(result?.plan == planned)
        let exported = try database.exported()
        let found = try SlateModel(exported)
        for part in SlatePart.allCases { #expect(found.text(part) == expected.text(part), "\(part.name)") }

        let again = try database.importing(new, options)
        #expect(again.plan.isEmpty && again.safetyBackup == nil)
        #expect(try SlateFormat.read(exported).content.map { try $0.encoded() == exported } ?? false)
        guard result?.plan.isEmpty == false else { return #expect(exported == before) }
        _ = try SlateSafetyBackups.undo(sandbox.path("slate.db"), moment: Timestamp(seconds: 1_800_000_100))
        #expect(try sandbox.exported() == before)
    }
}

/// Makes content of few ids, so that most of two are the same.
struct SlateGenerator {
    var random: SeededGenerator
    private static let ids = [
        "a", "b", "c", "A", "a\\u0000", "é", "e\\u0301", "\u{FFFF}", "\u{10000}", "aa", "a-2", "0",
    ]
    private static let stamps = [
        "2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.5Z", "2025-12-31T23:00:00-02:00",
        "2026-01-02T00:00:00+14:00", "2026-03-01T12:00:00Z",
    ]
    private static let texts = ["", "x", "y", "\\u0000", "\\\"\\n", "🏋️", "1", "null"]
    private static let days = ["2026-01-01", "2026-01-02", "2024-02-29", "0001-01-01"]
    private static let values = [
        "1", "1.0", "1e2", "null", "\"text\"", "[]", "{\"b\": 1, \"a\": [2.50]}", "123456789012345678901", "-0", "true",
    ]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int(random.next() % UInt64(elements.count))]
    }

    private mutating func chance(_ number: UInt64) -> Bool { random.next() % number == 0 }

    mutating func parts() -> Set<SlatePart> {
        chance(2) ? Set(SlatePart.allCases) : Set(SlatePart.allCases.filter { _ in chance(2) })
    }

    private mutating func someIDs() -> [String] { Self.ids.filter { _ in !chance(3) }.shuffled(using: &random) }

    private mutating func row(_ members: [(String, String?)]) -> String {
        var members = members.compactMap { name, value in value.map { "\"\(name)\": \($0)" } }
        if chance(4) { members.append("\"u\(pick(["", "é", "2"]))\": \(pick(Self.values))") }
        return "{\(members.shuffled(using: &random).joined(separator: ", "))}"
    }

    private mutating func text() -> String { "\"\(pick(Self.texts))\"" }
    private mutating func stamp() -> String { "\"\(pick(Self.stamps))\"" }
    private mutating func day() -> String { "\"\(pick(Self.days))\"" }
    private mutating func flag() -> String? { chance(5) ? nil : pick(["true", "false", "0", "1"]) }
    private mutating func optional(_ value: String) -> String? { chance(3) ? nil : chance(3) ? "null" : value }

    mutating func content() throws -> SlateContent {
        let tasks = someIDs()
        let habits = someIDs()
        var rows: [SlateTable: [String]] = [:]
        rows[.tasks] = tasks.enumerated().map { number, id in
            // Dependencies lead backwards, so that no file has a circle; two together may have one.
            let other = number > 0 ? optional("\"\(tasks[Int(random.next() % UInt64(number))])\"") : nil
            return row([
                ("id", "\"\(id)\""), ("title", text()), ("notes", optional(text())), ("due_date", optional(day())),
                ("is_done", flag()), ("done_at", optional(stamp())), ("updated_at", stamp()), ("created_at", stamp()),
                ("archived", flag()), ("depends_on_task_id", chance(2) ? other : nil),
            ])
        }
        rows[.habits] = habits.map { id in
            row([
                ("id", "\"\(id)\""), ("title", text()), ("active", flag()), ("reminder_time", optional("\"07:00\"")),
                ("updated_at", stamp()), ("created_at", stamp()),
            ])
        }
        rows[.habitCompletions] = facts().map { id, date, entity in
            row([
                ("id", "\"\(id)\""), ("habit_id", "\"\(entity)\""), ("date", "\"\(date)\""), ("completed_at", stamp()),
            ])
        }
        rows[.dayPlan] = Self.days.filter { _ in chance(2) }.map {
            row([("date", "\"\($0)\""), ("perfect_day", flag())])
        }
        rows[.dayPlanItems] = facts().compactMap { id, date, entity in
            let types = (tasks.contains(entity) ? ["task"] : []) + (habits.contains(entity) ? ["habit"] : [])
            guard !types.isEmpty else { return nil }
            return row([
                ("id", "\"\(id)\""), ("date", "\"\(date)\""), ("entity_type", "\"\(pick(types))\""),
                ("entity_id", "\"\(entity)\""),
            ])
        }
        rows[.activityLog] = someIDs().map { id in
            row([
                ("id", "\"\(id)\""), ("timestamp", stamp()), ("entity_type", pick(["\"task\"", "\"habit\""])),
                ("entity_id", "\"\(pick(Self.ids))\""), ("action_type", "\"done\""),
                ("details", optional(pick(["{}", "{\"n\": 1.50}", "\"no JSON\"", "\"{\\\"n\\\": 1}\""]))),
            ])
        }
        rows[.daySnapshots] = Self.days.filter { _ in chance(2) }.map { date in
            row([
                ("date", "\"\(date)\""), ("habits", optional(pick(["[]", "[1, {\"a\": null}]", "\"\""]))),
                ("slate_tasks", optional("[\(pick(Self.values))]")),
            ])
        }
        return try SlateContent.made(meta: members(), other: ", \"top\": \(members())", rows)
    }

    /// Ids with a day and an id each, of which no two have both.
    private mutating func facts() -> [(id: String, date: String, entity: String)] {
        var pairs = Self.days.flatMap { day in Self.ids.prefix(4).map { (day, $0) } }.shuffled(using: &random)[...]
        return someIDs().prefix(8).compactMap { id in pairs.popFirst().map { (id, $0.0, $0.1) } }
    }

    private mutating func members() -> String {
        let names = ["day_key", "k", "é", "\\u0000"].filter { _ in chance(2) }
        return "{\(names.map { "\"\($0)\": \(pick(Self.values))" }.joined(separator: ", "))}"
    }
}

/// What an export holds as plain values, and imports done row by row.
struct SlateModel {
    private typealias Key = [UInt8]
    private var tables: [SlateTable: [(key: Key, row: JSONObject)]] = [:]
    private var meta: JSONObject
    private var other: JSONObject

    init(_ content: SlateContent) throws { try self.init(try content.encoded()) }

    init(_ bytes: [UInt8]) throws {
        let root = try #require(try JSONDocument(parsing: bytes).root.value.object)
        for table in SlateTable.allCases {
            tables[table] = (root[table.name]?.array ?? []).compactMap { row in
                row.object.map { (Array(($0[table.columns[0].text]?.string ?? "").utf8), $0) }
            }
        }
        meta = root["meta"]?.object ?? JSONObject()
        other = JSONObject()
        if let top = root["top"] { other["top"] = top }
    }

    /// A part as text, its rows by key.
    func text(_ part: SlatePart) -> String {
        switch part {
        case .meta: "\(JSONValue.object(Self.sorted(meta)).text(.compact)) \(JSONValue.object(other).text(.compact))"
        case .table(let table):
            (tables[table] ?? []).sorted { $0.key.lexicographicallyPrecedes($1.key) }
                .map { JSONValue.object($0.row).text(.compact) }.joined(separator: "\n")
        }
    }

    private static func sorted(_ object: JSONObject) -> JSONObject {
        var sorted = JSONObject()
        for member in object.members.sorted(by: { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) })
        {
            sorted[member.name] = member.value
        }
        return sorted
    }

    /// What is there afterwards; nil where references would be wrong that were not before.
    func importing(_ file: SlateModel, _ mode: SlateImportMode, _ parts: Set<SlatePart>) -> SlateModel? {
        var result = self
        for part in parts {
            switch (part, mode) {
            case (.meta, .replace): (result.meta, result.other) = (file.meta, file.other)
            case (.meta, .merge):
                for member in file.meta where result.meta[member.name] == nil {
                    result.meta[member.name] = member.value
                }
                for member in file.other where result.other[member.name] == nil {
                    result.other[member.name] = member.value
                }
            case (.table(let table), .replace): result.tables[table] = file.tables[table]
            case (.table(let table), .merge): result.merge(table, file)
            }
        }
        guard result.faults().isSubset(of: faults()) else { return nil }
        // Where there is nothing to write, nothing is written.
        if mode == .merge, SlatePart.allCases.contains(where: { result.text($0) != text($0) }) {
            result.markPerfectDays(parts.contains(.table(.dayPlan)) ? file : nil, over: self)
        }
        return result
    }

    /// Days that the file calls perfect, or has new completions of, are perfect where what is there afterwards says so, and
    /// where no habit is left that could speak against it; but not where the file has it all and says otherwise.
    private mutating func markPerfectDays(_ file: SlateModel?, over before: SlateModel) {
        guard let file else { return }
        func rows(_ table: SlateTable, _ date: String, of model: SlateModel) -> [JSONObject] {
            (model.tables[table] ?? []).map(\.row).filter { $0["date"]?.string == date }
        }
        func ticked(_ date: String, in model: SlateModel) -> Set<String> {
            Set(rows(.habitCompletions, date, of: model).compactMap { $0["habit_id"]?.string })
        }
        for index in (tables[.dayPlan] ?? []).indices {
            guard let row = tables[.dayPlan]?[index].row, row["perfect_day"] == 0, let date = row["date"]?.string,
                let day = CivilDay(date)
            else { continue }
            var habits = SlateHabits(dayStart: .standard)
            for habit in tables[.habits] ?? [] { habits.insert(habit.row) }
            for snapshot in rows(.daySnapshots, date, of: self) {
                habits.insert(snapshot: snapshot["habits"], of: day)
            }
            let others = rows(.daySnapshots, date, of: file).compactMap { $0["habits"] }
            let done = ticked(date, in: self)
            let flag = rows(.dayPlan, date, of: file).first?["perfect_day"]
            let isPerfect: Bool
            if flag == 1 {
                let lists = habits.lists(on: day, others: others, isCertain: true)
                isPerfect = !done.isEmpty && lists.contains { $0.allSatisfy(done.contains) }
            } else {
                let isNew = !done.isSubset(of: ticked(date, in: before))
                let isKnown = flag == 0 && done.isSubset(of: ticked(date, in: file))
                let possible = habits.possible(on: day, others: others)
                isPerfect = isNew && !isKnown && !possible.isEmpty && possible.allSatisfy(done.contains)
            }
            if isPerfect { tables[.dayPlan]?[index].row["perfect_day"] = 1 }
        }
    }

    /// Takes rows that are new or newer, as long as there is one whose values no other row has.
    private mutating func merge(_ table: SlateTable, _ file: SlateModel) {
        var rows = tables[table] ?? []
        var pending = (file.tables[table] ?? []).filter { new in
            guard let old = rows.first(where: { $0.key == new.key }) else { return true }
            guard let stamp = table.stamp, let mine = old.row[stamp]?.string.flatMap(Timestamp.init),
                let theirs = new.row[stamp]?.string.flatMap(Timestamp.init)
            else { return false }
            return mine < theirs
        }
        func values(_ row: JSONObject) -> [Key] { table.unique.map { Array((row[$0]?.string ?? "").utf8) } }
        while let index = pending.firstIndex(where: { new in
            table.unique.isEmpty || !rows.contains { $0.key != new.key && values($0.row) == values(new.row) }
        }) {
            let new = pending.remove(at: index)
            rows.removeAll { $0.key == new.key }
            rows.append(new)
        }
        tables[table] = rows
    }

    /// Rows that name what is not there, and the tasks that are in circles.
    private func faults() -> Set<String> {
        func ids(_ table: SlateTable) -> Set<Key> { Set((tables[table] ?? []).map(\.key)) }
        var faults: Set<String> = []
        for (key, row) in tables[.dayPlanItems] ?? [] {
            let target = Array((row["entity_id"]?.string ?? "").utf8)
            if !ids(row["entity_type"]?.string == "task" ? .tasks : .habits).contains(target) {
                faults.insert("item \(key)")
            }
        }
        var next: [Key: Key] = [:]
        for (key, row) in tables[.tasks] ?? [] {
            guard let target = row["depends_on_task_id"]?.string.map({ Array($0.utf8) }) else { continue }
            if ids(.tasks).contains(target) { next[key] = target } else { faults.insert("task \(key)") }
        }
        for start in next.keys {
            var at = next[start]
            for _ in 0...next.count where at != start { at = at.flatMap { next[$0] } }
            if at == start { faults.insert("circle \(start)") }
        }
        return faults
    }
}
