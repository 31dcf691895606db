import AppList
import GymPulse
import RecordStore
import SQLiteDatabase
import TestSupport

/// Time Tracker as its document describes it: one activity runs, and starting another ends it at that moment.
final class TrackerApp: ReferenceApp {
    let app = AppID.tracker
    private static let presets = ["Sleep", "Work", "Meal", "Exercise", "Commute", "Study", "Break", "Entertainment"]

    func make(at path: String, _ random: inout SeededGenerator) throws { try AppStores.all.make(app, at: path) }

    /// The app starts with the first of its eight buttons; others are added with a tap.
    func open(_ visit: Visit) throws {
        guard try visit.count("SELECT count(*) FROM button") == 0 else { return }
        for name in Self.presets.prefix(3) { try addButton(name, isDefault: true, visit) }
    }

    private func addButton(_ name: String, isDefault: Bool, _ visit: Visit) throws {
        let id = visit.identifier("b")
        let position = try visit.count("SELECT coalesce(max(position), -1) + 1 FROM button")
        try visit.run(
            "INSERT INTO button (id, name, color, icon, is_default, position, is_visible) VALUES (?, ?, '#112233', 'x', ?, ?, 1)",
            [id, name, isDefault, position]
        )
        // A preset is one button, whichever device adds it.
        if !isDefault { visit.made("buttons/\(id)", ["name": name]) }
    }

    func act(_ visit: Visit) throws {
        switch Int.random(in: 0..<100, using: &visit.random) {
        case 0..<50: try tap(visit)
        case 50..<75: try stop(visit)
        case 75..<81: try addActivityButton(visit)
        case 81..<86: try rename(visit)
        case 86..<91: try reorder(visit)
        case 91..<95: try hide(visit)
        default: try delete(visit)
        }
    }

    /// Ends whatever runs, as FR-1.3 asks for.
    private func end(_ visit: Visit) throws {
        for row in try visit.rows("SELECT id, start_ms FROM activity WHERE end_ms IS NULL") {
            let id: String = row[0]
            // A clock that another device's is ahead of ends nothing before it began.
            let moment = max(visit.now, row[1] as Int)
            try visit.run("UPDATE activity SET end_ms = ? WHERE id = ?", [moment, id])
            visit.did("activities/\(id)#end", from: "", to: "\(moment)")
            visit.tell("ends \(id)")
            visit.device.memory.ended.insert(id)
        }
    }

    private func tap(_ visit: Visit) throws {
        guard let button = visit.pick(try visit.rows("SELECT id, name FROM button WHERE is_visible = 1 ORDER BY id"))
        else { return }
        let name: String = button[1]
        let running = try visit.text("SELECT name FROM activity WHERE end_ms IS NULL")
        try end(visit)
        guard running != name else { return }
        let id = visit.identifier("a")
        visit.tell("starts \(name), \(id)")
        try visit.run(
            "INSERT INTO activity (id, name, button_id, start_ms, color) VALUES (?, ?, ?, ?, '#112233')",
            [id, name, button[0] as String, visit.now]
        )
        visit.made("activities/\(id)", ["start": "\(visit.now)", "end": "", "label": name])
    }

    private func stop(_ visit: Visit) throws {
        visit.tell("stops")
        try end(visit)
    }

    private func addActivityButton(_ visit: Visit) throws {
        let names = Set(try visit.texts("SELECT name FROM button"))
        if let name = Self.presets.first(where: { !names.contains($0) }), visit.chance(50) {
            visit.tell("adds the preset \(name)")
            return try addButton(name, isDefault: true, visit)
        }
        let name = "Own \(visit.identifier(""))"
        visit.tell("adds the button \(name)")
        try addButton(name, isDefault: false, visit)
    }

    private func rename(_ visit: Visit) throws {
        let rows = try visit.rows("SELECT id, name FROM button WHERE is_default = 0 ORDER BY id")
        guard let button = visit.pick(rows) else { return }
        let (id, name): (String, String) = (button[0], "Own \(visit.identifier(""))")
        visit.tell("renames button \(id) to \(name)")
        try visit.run("UPDATE button SET name = ? WHERE id = ?", [name, id])
        visit.did("buttons/\(id)#name", from: button[1], to: name)
    }

    private func reorder(_ visit: Visit) throws {
        var ids = try visit.texts("SELECT id FROM button ORDER BY position, id")
        guard ids.count > 1 else { return }
        let moved = ids.remove(at: Int.random(in: ids.indices, using: &visit.random))
        ids.insert(moved, at: Int.random(in: 0...ids.count, using: &visit.random))
        visit.tell("moves button \(moved)")
        for (position, id) in ids.enumerated() {
            try visit.run("UPDATE button SET position = ? WHERE id = ?", [position, id])
        }
    }

    private func hide(_ visit: Visit) throws {
        guard let id = visit.pick(try visit.texts("SELECT id FROM button ORDER BY id")) else { return }
        visit.tell("hides or shows button \(id)")
        try visit.run("UPDATE button SET is_visible = 1 - is_visible WHERE id = ?", [id])
        if try visit.count("SELECT is_default FROM button WHERE id = ?", [id]) == 0 {
            visit.did("buttons/\(id)#visible", from: nil, to: visit.identifier("v"))
        }
    }

    private func delete(_ visit: Visit) throws {
        let ids = try visit.texts("SELECT id FROM activity WHERE end_ms IS NOT NULL ORDER BY start_ms DESC LIMIT 10")
        guard let id = visit.pick(ids) else { return }
        visit.tell("deletes \(id)")
        try visit.run("DELETE FROM activity WHERE id = ?", [id])
        visit.did("activities/\(id)", from: "", to: nil)
    }

    // MARK: What there is

    func facts(_ database: Database) throws -> [String: String] {
        var facts: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT id, name, start_ms, end_ms FROM activity") {
            let id: String = row[0]
            facts["activities/\(id)"] = ""
            facts["activities/\(id)#label"] = row[1]
            facts["activities/\(id)#start"] = "\(row[2] as Int)"
            facts["activities/\(id)#end"] = (row[3] as Int?).map { "\($0)" } ?? ""
        }
        for row in try Row.fetchAll(database, sql: "SELECT id, name FROM button WHERE is_default = 0") {
            facts["buttons/\(row[0] as String)"] = ""
            facts["buttons/\(row[0] as String)#name"] = row[1]
        }
        return facts
    }

    func sight(_ database: Database) throws -> [String] {
        let sql = [
            "SELECT id, name, button_id, start_ms, end_ms, color FROM activity",
            "SELECT id, name, color, icon, is_default, position, is_visible FROM button",
        ]
        return try sql.flatMap { try Row.fetchAll(database, sql: $0).map { "\($0)" }.sorted() }
    }

    func checkSynchronised(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        let running = try String.fetchAll(database, sql: "SELECT id FROM activity WHERE end_ms IS NULL ORDER BY id")
        if running.count > 1 { life.fault(.oneTimer, "\(device.name) runs \(running)") }
        for id in running where device.memory.ended.contains(id) && !hasCause(id, life.diary) {
            life.fault(.minutes, "\(id) runs again on \(device.name), which had shown it as ended")
        }
        let ended = try String.fetchAll(database, sql: "SELECT id FROM activity WHERE end_ms IS NOT NULL")
        device.memory.ended.formUnion(ended)
    }

    /// Whether a timer runs again as it should: somebody decided so, or who ended a later one, to which it gave way, did not
    /// know of it.
    private func hasCause(_ id: String, _ diary: Diary) -> Bool {
        func start(_ activity: String) -> Int {
            diary.deeds["\(activity)#start"]?.first?.value.flatMap { Int($0) } ?? .min
        }
        let activity = "activities/\(id)"
        guard let first = diary.deeds[activity]?.first else { return false }
        if diary.deeds["\(activity)#end"]?.dropFirst().contains(where: { $0.value == "" }) == true { return true }
        return diary.deeds.contains { fact, deeds in
            guard fact.hasPrefix("activities/"), fact.hasSuffix("#end"), let other = Diary.record(of: fact),
                other != activity, start(other) >= start(activity)
            else { return false }
            return deeds.contains { $0.value != "" && !$0.knows(first) && $0.author != first.author }
        }
    }

    /// An activity that nobody ended may have been ended by a later one; of one that both did, a conflict has both.
    func mayDiffer(_ fact: String, _ shown: String, _ life: Life, _ facts: [String: String]) -> Bool {
        guard fact.hasPrefix("activities/"), fact.hasSuffix("#end"), let record = Diary.record(of: fact),
            let start = facts["\(record)#start"].flatMap({ Int($0) }), let end = Int(shown), end >= start,
            life.diary.standing(fact).contains("") || life.listed.contains("\(record)#endTime")
        else { return false }
        // That of an activity which may be deleted by now.
        return life.diary.deeds.contains { fact, deeds in
            fact.hasPrefix("activities/") && fact.hasSuffix("#start") && deeds.contains { $0.value == shown }
        }
    }

    /// Somebody ended what another deleted: it stays, and a conflict says so.
    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool { life.listed.contains("\(fact)#") }

    /// Each minute that somebody tracked counts once, and none that nobody tracked.
    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        for row in try Row.fetchAll(
            database,
            sql: "SELECT id, start_ms, end_ms FROM activity WHERE end_ms < start_ms"
        ) {
            life.fault(.minutes, "\(device.name) shows \(row), which ends before it begins")
        }
    }
}
