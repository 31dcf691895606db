import AppList
import Foundation
import GymPulse
import RecordStore
import SQLiteDatabase
import StrictJSON
import TestSupport

/// BZ Timer as its document describes it, with GymPulse's presets: sessions of blocks, runs, and a history that is kept for
/// a while.
final class TimerApp: ReferenceApp {
    let app = AppID.bztimer
    private var isPro = true
    /// Runs that were deleted since the last synchronisation, and when they were completed.
    private var pending: [String: String] = [:]

    func make(at path: String, _ random: inout SeededGenerator) throws {
        try AppStores.all.make(app, at: path)
        isPro = Int.random(in: 0..<3, using: &random) > 0
    }

    func open(_ visit: Visit) throws {
        guard try visit.count("SELECT count(*) FROM settings") == 0 else { return }
        try visit.run(
            """
            INSERT INTO settings (id, pre_countdown_seconds, warning_seconds_before_end, enable_sounds, enable_vibration,
                keep_screen_awake, history_retention, custom_categories, is_pro_user)
            VALUES (1, 3, 10, 1, 1, 1, 'unlimited', '[]', ?)
            """,
            [isPro]
        )
        // What a device begins with is a value like others; whoever sets another one decides.
        visit.made("settings/", ["preCountdownSeconds": "3", "historyRetention": "unlimited"])
    }

    func act(_ visit: Visit) throws {
        switch Int.random(in: 0..<100, using: &visit.random) {
        case 0..<14: try addSession(visit)
        case 14..<54: try runSession(visit)
        case 54..<64: try editSession(visit)
        case 64..<68: try deleteSession(visit)
        case 68..<74: try changeBlocks(visit)
        case 74..<78: try deleteHistory(visit)
        case 78..<80: try clearHistory(visit)
        case 80..<85: try addCategory(visit)
        case 85..<89: try changeSetting(visit)
        case 89..<91: try changeRetention(visit)
        default: try changePreset(visit)
        }
    }

    // MARK: Sessions

    private func addSession(_ visit: Visit) throws {
        let isFull = try visit.count("SELECT count(*) FROM session") >= 5
        guard isPro || !isFull else { return try runSession(visit) }
        let id = visit.identifier("s")
        visit.tell("makes session \(id)")
        try visit.run(
            "INSERT INTO session (id, position, name) SELECT ?, coalesce(max(position), 0) + 1, ? FROM session",
            [id, "Session \(id)"]
        )
        visit.made("sessions/\(id)", ["name": "Session \(id)"])
        for _ in 0..<2 { try addBlock(id, visit) }
    }

    private func addBlock(_ session: String, _ visit: Visit) throws {
        let id = visit.identifier("k")
        try visit.run(
            """
            INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds, category)
            SELECT ?, coalesce(max(position), -1) + 1, ?, ?, 'activity', 'duration', 60, 'Exercise' FROM block WHERE session_id = ?
            """,
            [session, id, "Block \(id)", session]
        )
        visit.made("blocks/\(session)|\(id)")
        visit.did("sessions/\(session)#items/\(id)/label", from: nil, to: "Block \(id)")
    }

    private func someSession(_ visit: Visit) throws -> String? {
        visit.pick(try visit.texts("SELECT id FROM session ORDER BY id"))
    }

    private func editSession(_ visit: Visit) throws {
        guard let id = try someSession(visit) else { return try addSession(visit) }
        let before = try visit.text("SELECT name FROM session WHERE id = ?", [id])
        let name = "Session \(visit.identifier(""))"
        visit.tell("renames \(id) to \(name)")
        try visit.run("UPDATE session SET name = ? WHERE id = ?", [name, id])
        visit.did("sessions/\(id)#name", from: before, to: name)
    }

    private func deleteSession(_ visit: Visit) throws {
        guard let id = try someSession(visit) else { return }
        visit.tell("deletes \(id)")
        try visit.run("DELETE FROM block WHERE session_id = ?", [id])
        try visit.run("DELETE FROM session WHERE id = ?", [id])
        try visit.run("UPDATE history SET session_id = NULL WHERE session_id = ?", [id])
        visit.did("sessions/\(id)", from: "", to: nil)
    }

    private func changeBlocks(_ visit: Visit) throws {
        guard let session = try someSession(visit) else { return try addSession(visit) }
        var rows = try visit.rows("SELECT id, label FROM block WHERE session_id = ? ORDER BY position", [session])
            .map { ($0[0] as String, $0[1] as String) }
        guard let index = rows.indices.randomElement(using: &visit.random), visit.chance(75) else {
            visit.tell("adds a block to \(session)")
            return try addBlock(session, visit)
        }
        let (id, label) = rows[index]
        switch Int.random(in: 0..<3, using: &visit.random) {
        case 0:
            let new = "Block \(visit.identifier(""))"
            visit.tell("renames block \(id) to \(new)")
            try visit.run("UPDATE block SET label = ? WHERE session_id = ? AND id = ?", [new, session, id])
            visit.did("sessions/\(session)#items/\(id)/label", from: label, to: new)
            visit.did("blocks/\(session)|\(id)#touched", from: nil, to: new)
        case 1:
            visit.tell("moves block \(id) to the top")
            guard index > 0 else { return }
            // Who deletes the session without knowing of that finds it again.
            visit.did("sessions/\(session)#touched", from: nil, to: visit.identifier(""))
            rows.insert(rows.remove(at: index), at: 0)
            // Which of them was moved nobody can tell afterwards; who removes one meanwhile may find it there.
            visit.life.diary.doubtful.formUnion(rows.map { "blocks/\(session)|\($0.0)" })
            try place(rows.map(\.0), session, visit)
        default:
            visit.tell("removes block \(id)")
            try visit.run("DELETE FROM block WHERE session_id = ? AND id = ?", [session, id])
            visit.did("blocks/\(session)|\(id)", from: "", to: nil)
            visit.did("sessions/\(session)#touched", from: nil, to: visit.identifier(""))
            rows.remove(at: index)
            try place(rows.map(\.0), session, visit)
        }
    }

    private func place(_ ids: [String], _ session: String, _ visit: Visit) throws {
        try visit.run("UPDATE block SET position = position + 1000 WHERE session_id = ?", [session])
        for (position, id) in ids.enumerated() {
            try visit.run("UPDATE block SET position = ? WHERE session_id = ? AND id = ?", [position, session, id])
        }
    }

    // MARK: History

    private func runSession(_ visit: Visit) throws {
        guard let session = visit.pick(try visit.rows("SELECT id, name FROM session ORDER BY id")) else {
            return try addSession(visit)
        }
        let id = visit.identifier("r")
        visit.tell("runs \(session[0] as String), \(id)")
        let seconds = Int.random(in: 60...3600, using: &visit.random)
        try visit.run(
            "INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds) VALUES (?, ?, ?, ?, ?)",
            [id, session[0] as String, session[1] as String, Calendar.preciseText(visit.now), seconds]
        )
        visit.made("history/\(id)", ["seconds": "\(seconds)"])
        try prune(visit)
    }

    /// Before this the app keeps nothing; nil where it keeps all.
    private static func limit(_ database: Database, _ now: Int) throws -> String? {
        let row = try Row.fetchOne(database, sql: "SELECT is_pro_user, history_retention FROM settings")
        guard let row, row[0] as Int? == 1 else { return Calendar.preciseText(now - 30 * Calendar.day) }
        let months = ["3months": 3, "6months": 6, "12months": 12][row[1] as String? ?? ""]
        guard let months else { return nil }
        // The same day some months before; a life begins in January, so the year before is asked for only in its digits.
        let parts = Calendar.date(now).split(separator: "-").compactMap { Int($0) }
        let total = parts[0] * 12 + parts[1] - 1 - months
        let (year, month) = (total / 12, total % 12 + 1)
        let lengths = [31, year % 4 == 0 ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        let day = min(parts[2], lengths[month - 1])
        let text = Calendar.preciseText(now)
        return "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)" + text.dropFirst(10)
    }

    /// What the retention rule asks for, after each run and when it changes.
    private func prune(_ visit: Visit) throws {
        guard let limit = try Self.limit(visit.database, visit.now) else { return }
        let old = try visit.texts("SELECT id FROM history WHERE completed_at < ?", [limit])
        guard !old.isEmpty else { return }
        visit.tell("the app lets go of \(old.count) runs, which are too old")
        try visit.run("DELETE FROM history WHERE completed_at < ?", [limit])
        visit.device.memory.evicted.formUnion(old)
        // What was run since the last synchronisation nobody else ever had.
        for id in old where visit.device.draft.changes["history/\(id)"].map({ $0.before == nil }) == true {
            visit.did("history/\(id)", from: "", to: nil)
        }
    }

    private func forget(_ ids: [String], _ visit: Visit) throws {
        for id in ids {
            pending[id] = try visit.text("SELECT completed_at FROM history WHERE id = ?", [id]) ?? ""
            try visit.run("DELETE FROM history WHERE id = ?", [id])
            visit.did("history/\(id)", from: "", to: nil)
        }
    }

    /// A deletion that a device tells others of only when the rule would have removed the run as well: nobody can tell the
    /// two apart.
    func willSynchronise(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        guard !pending.isEmpty else { return }
        let limit = try Self.limit(database, device.now) ?? ""
        for (id, moment) in pending where moment < limit { life.diary.doubtful.insert("history/\(id)") }
        pending = [:]
    }

    private func deleteHistory(_ visit: Visit) throws {
        guard let id = visit.pick(try visit.texts("SELECT id FROM history ORDER BY id")) else { return }
        visit.tell("deletes the run \(id)")
        try forget([id], visit)
    }

    private func clearHistory(_ visit: Visit) throws {
        let ids = try visit.texts("SELECT id FROM history ORDER BY id")
        // More at once would be asked about.
        guard ids.count < 12 else { return try deleteHistory(visit) }
        visit.tell("deletes all history: \(ids)")
        try forget(ids, visit)
    }

    // MARK: Settings and presets

    private func addCategory(_ visit: Visit) throws {
        guard isPro else { return }
        let text = try visit.text("SELECT custom_categories FROM settings") ?? "[]"
        var names = try Self.names(text)
        if names.count > 2, visit.chance(40) {
            let name = names.remove(at: 0)
            visit.tell("deletes the category \(name)")
            visit.did("categories/\(name)", from: "", to: nil)
        } else {
            let name = "Category \(visit.identifier(""))"
            visit.tell("adds the category \(name)")
            names.append(name)
            visit.did("categories/\(name)", from: nil, to: "")
        }
        let array = JSONValue.array(names.map { .string($0) })
        try visit.run("UPDATE settings SET custom_categories = ?", [array.text(.compact)])
    }

    private static func names(_ text: String) throws -> [String] {
        try JSONDocument(parsing: text).root.value.array?.compactMap(\.string) ?? []
    }

    private func changeSetting(_ visit: Visit) throws {
        let before = try visit.count("SELECT pre_countdown_seconds FROM settings")
        let after = visit.pick([0, 3, 5].filter { $0 != before }) ?? 3
        visit.tell("counts down from \(after)")
        try visit.run("UPDATE settings SET pre_countdown_seconds = ?, enable_sounds = 1 - enable_sounds", [after])
        visit.did("settings/#preCountdownSeconds", from: "\(before)", to: "\(after)")
    }

    private func changeRetention(_ visit: Visit) throws {
        guard isPro else { return }
        let before = try visit.text("SELECT history_retention FROM settings")
        let after: String = visit.pick(["unlimited", "3months", "6months"].filter { $0 != before }) ?? "unlimited"
        visit.tell("keeps history for \(after)")
        try visit.run("UPDATE settings SET history_retention = ?", [after])
        visit.did("settings/#historyRetention", from: before, to: after)
        try prune(visit)
    }

    private func changePreset(_ visit: Visit) throws {
        let rows = try visit.rows("SELECT id, name FROM preset ORDER BY id")
        guard let row = visit.pick(rows), visit.chance(60) else {
            let id = visit.identifier("g")
            visit.tell("makes preset \(id)")
            try visit.run(
                """
                INSERT INTO preset (id, position, name, get_ready_seconds, work_seconds, rest_seconds, sets, rounds,
                    sound_enabled, voice_enabled)
                SELECT ?, coalesce(max(position), 0) + 1, ?, 10, 60, 60, 1, 4, 1, 1 FROM preset
                """,
                [id, "Preset \(id)"]
            )
            return visit.made("presets/\(id)", ["name": "Preset \(id)"])
        }
        let id: String = row[0]
        if visit.chance(25) {
            visit.tell("deletes preset \(id)")
            try visit.run("DELETE FROM preset WHERE id = ?", [id])
            visit.did("presets/\(id)", from: "", to: nil)
        } else {
            let name = "Preset \(visit.identifier(""))"
            visit.tell("renames preset \(id) to \(name)")
            try visit.run("UPDATE preset SET name = ? WHERE id = ?", [name, id])
            visit.did("presets/\(id)#name", from: row[1], to: name)
        }
    }

    // MARK: What there is

    func facts(_ database: Database) throws -> [String: String] {
        var facts: [String: String] = [:]
        func add(_ collection: String, _ sql: String, _ member: String) throws {
            for row in try Row.fetchAll(database, sql: sql) {
                let record = "\(collection)/\(row[0] as String)"
                facts[record] = ""
                if !member.isEmpty { facts["\(record)#\(member)"] = row[1] }
            }
        }
        try add("sessions", "SELECT id, name FROM session", "name")
        try add("blocks", "SELECT session_id || '|' || id FROM block", "")
        try add("history", "SELECT id, CAST(total_duration_seconds AS TEXT) FROM history", "seconds")
        try add("presets", "SELECT id, name FROM preset", "name")
        for row in try Row.fetchAll(database, sql: "SELECT session_id, id, label FROM block") {
            facts["sessions/\(row[0] as String)#items/\(row[1] as String)/label"] = row[2]
        }
        if let row = try Row.fetchOne(
            database,
            sql: "SELECT custom_categories, pre_countdown_seconds, history_retention FROM settings"
        ) {
            for name in try Self.names(row[0] ?? "[]") { facts["categories/\(name)"] = "" }
            facts["settings/"] = ""
            facts["settings/#preCountdownSeconds"] = "\(row[1] as Int)"
            facts["settings/#historyRetention"] = row[2]
        }
        return facts
    }

    /// All but the history, of which each device keeps what its own settings ask for.
    func sight(_ database: Database) throws -> [String] {
        let sql = [
            "SELECT id, name, tags, scheduled_days_of_week FROM session ORDER BY position",
            "SELECT session_id, id, label, type, mode, duration_seconds, category FROM block ORDER BY session_id, position",
            "SELECT id, name, work_seconds FROM preset ORDER BY position",
            "SELECT pre_countdown_seconds, history_retention, custom_categories FROM settings",
        ]
        return try sql.flatMap { try Row.fetchAll(database, sql: $0).map { "\($0)" } }
    }

    func mayLack(_ fact: String, _ device: LifeDevice, _ life: Life, _ facts: [String: String]) -> Bool {
        let key = fact.drop { $0 != "/" }.dropFirst()
        if fact.hasPrefix("history/") {
            return device.memory.evicted.union(device.memory.perhapsEvicted).contains(String(key))
        }
        guard fact.hasPrefix("blocks/"), let session = key.split(separator: "|").first else { return false }
        return facts["sessions/\(session)"] == nil || life.diary.wasRemoved("sessions/\(session)")
    }

    func mayKeep(_ fact: String, _ device: LifeDevice, _ life: Life) -> Bool {
        if life.diary.doubtful.contains(fact) { return true }
        guard fact.hasPrefix("blocks/"), let session = fact.dropFirst(7).split(separator: "|").first else {
            return false
        }
        return life.diary.wasRemoved("sessions/\(session)")
    }

    /// The days in a row on which a session was run, today or yesterday being the last of them.
    func treasures(_ database: Database, _ now: Int) throws -> [String: Int] {
        let days = Set(try String.fetchAll(database, sql: "SELECT DISTINCT substr(completed_at, 1, 10) FROM history"))
        var (count, moment) = (0, now)
        while days.contains(Calendar.date(moment)) {
            count += 1
            moment -= Calendar.day
        }
        return ["streak of sessions": count]
    }

    func mayShrink(_ treasure: String, _ device: LifeDevice, _ life: Life) -> Bool {
        life.diary.deeds.contains { fact, deeds in fact.hasPrefix("history/") && deeds.contains { $0.value == nil } }
    }

    func checkSynchronised(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        let evicted = device.memory.evicted
        guard !evicted.isEmpty else { return }
        for id in try String.fetchAll(database, sql: "SELECT id FROM history") where evicted.contains(id) {
            life.fault(.deleted, "\(device.name) had let go of the run \(id), which was too old, and has it again")
        }
    }
}
