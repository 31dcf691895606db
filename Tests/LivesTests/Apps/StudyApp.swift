import AppList
import RecordStore
import SQLiteDatabase
import TestSupport

/// Study Timer as its document describes it: sessions that are started, paused, resumed and stopped, each an event.
final class StudyApp: ReferenceApp {
    let app = AppID.study

    func make(at path: String, _ random: inout SeededGenerator) throws { try AppStores.all.make(app, at: path) }

    func open(_ visit: Visit) throws {}

    func act(_ visit: Visit) throws {
        // The session of this device, or now and then one that another device began.
        let condition = visit.chance(15) ? "1" : "device_id = '\(visit.device.name)'"
        let sql = "SELECT id, status FROM session WHERE status <> 'completed' AND \(condition) ORDER BY id"
        guard let session = visit.pick(try visit.rows(sql)) else { return try start(visit) }
        let (id, status): (String, String) = (session[0], session[1])
        switch Int.random(in: 0..<10, using: &visit.random) {
        case 0..<4: try stop(id, visit)
        case 4..<8: try status == "active" ? pause(id, visit) : resume(id, visit)
        case 8: try rename(id, visit)
        default: try delete(visit)
        }
    }

    private func event(_ type: String, _ session: String, _ visit: Visit) throws {
        let id = visit.identifier("e")
        try visit.run(
            "INSERT INTO event (id, session_id, event_type, created_at) VALUES (?, ?, ?, ?)",
            [id, session, type, visit.text]
        )
        visit.made("events/\(id)", ["type": type, "session": session])
    }

    private func start(_ visit: Visit) throws {
        let id = visit.identifier("s")
        visit.tell("starts session \(id)")
        try visit.run(
            "INSERT INTO session (id, device_id, title, status, start_time, accumulated_seconds) VALUES (?, ?, ?, 'active', ?, 0)",
            [id, visit.device.name, "Session \(id)", visit.text]
        )
        visit.made("sessions/\(id)", ["title": "Session \(id)", "status": "active"])
        visit.life.diary.segments[id] = [(visit.device.author, visit.now, nil)]
        try event("started", id, visit)
        try event("activity_started", id, visit)
    }

    private func setStatus(_ id: String, _ status: String, _ visit: Visit) throws {
        let before = try visit.text("SELECT status FROM session WHERE id = ?", [id])
        visit.tell("\(status) \(id)")
        visit.did("sessions/\(id)#status", from: before, to: status)
        let stretches = visit.life.diary.segments[id] ?? []
        if before == "active", let last = stretches.indices.last, stretches[last].end == nil {
            visit.life.diary.segments[id]?[last].end = visit.now
        }
        if status == "active" { visit.life.diary.segments[id]?.append((visit.device.author, visit.now, nil)) }
        if stretches.contains(where: { $0.author != visit.device.author }) { visit.life.diary.shared.insert(id) }
        let seconds = (visit.life.diary.segments[id] ?? []).reduce(0) { $0 + (($1.end ?? $1.start) - $1.start) / 1000 }
        // Somebody who pauses and resumes has worked at it, though the status is as it was.
        let earlier = try visit.text("SELECT accumulated_seconds FROM session WHERE id = ?", [id])
        visit.did("sessions/\(id)#seconds", from: earlier, to: "\(seconds)")
        try visit.run("UPDATE session SET status = ?, accumulated_seconds = ? WHERE id = ?", [status, seconds, id])
    }

    private func pause(_ id: String, _ visit: Visit) throws {
        try setStatus(id, "paused", visit)
        try event("paused", id, visit)
    }

    private func resume(_ id: String, _ visit: Visit) throws {
        try setStatus(id, "active", visit)
        try event("resumed", id, visit)
    }

    private func stop(_ id: String, _ visit: Visit) throws {
        try setStatus(id, "completed", visit)
        try visit.run("UPDATE session SET end_time = ? WHERE id = ?", [visit.text, id])
        try event("stopped", id, visit)
        try event("activity_ended", id, visit)
    }

    private func rename(_ id: String, _ visit: Visit) throws {
        let before = try visit.text("SELECT title FROM session WHERE id = ?", [id])
        let title = "Session \(visit.identifier(""))"
        visit.tell("renames \(id) to \(title)")
        try visit.run("UPDATE session SET title = ? WHERE id = ?", [title, id])
        visit.did("sessions/\(id)#title", from: before, to: title)
    }

    private func delete(_ visit: Visit) throws {
        let ids = try visit.texts("SELECT id FROM session WHERE status = 'completed' ORDER BY id DESC LIMIT 5")
        guard let id = visit.pick(ids) else { return }
        visit.tell("deletes \(id)")
        try visit.run("DELETE FROM session WHERE id = ?", [id])
        visit.did("sessions/\(id)", from: "", to: nil)
    }

    // MARK: What there is

    func facts(_ database: Database) throws -> [String: String] {
        var facts: [String: String] = [:]
        for row in try Row.fetchAll(database, sql: "SELECT id, title, status FROM session") {
            let id: String = row[0]
            facts["sessions/\(id)"] = ""
            facts["sessions/\(id)#title"] = row[1]
            facts["sessions/\(id)#status"] = row[2]
        }
        for row in try Row.fetchAll(database, sql: "SELECT id, event_type, session_id FROM event") {
            let id: String = row[0]
            facts["events/\(id)"] = ""
            facts["events/\(id)#type"] = row[1]
            facts["events/\(id)#session"] = row[2]
        }
        return facts
    }

    func sight(_ database: Database) throws -> [String] {
        try ["session", "event"].flatMap { table in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { "\(table) \($0)" }.sorted()
        }
    }

    /// Minutes of sessions that one device alone kept are those that it kept; completed stays completed.
    func check(_ database: Database, _ device: LifeDevice, _ life: Life) throws {
        for row in try Row.fetchAll(database, sql: "SELECT id, status, accumulated_seconds FROM session") {
            let (id, status, seconds): (String, String, Int) = (row[0], row[1], row[2])
            // Who deleted the session and knew that it was completed took that back.
            let removals = life.diary.deeds["sessions/\(id)"]?.filter { $0.value == nil } ?? []
            let completions = life.diary.deeds["sessions/\(id)#status"]?.filter { $0.value == "completed" } ?? []
            if status != "completed", completions.contains(where: { deed in !removals.contains { $0.knows(deed) } }) {
                life.fault(.value, "\(device.name) shows \(id) as \(status), and somebody completed it")
            }
            guard let stretches = life.diary.segments[id], !life.diary.shared.contains(id),
                !life.diary.wasLost(stretches[0].author)
            else { continue }
            let expected = stretches.reduce(0) { $0 + (($1.end ?? $1.start) - $1.start) / 1000 }
            // Where the completion was taken back, the session has the minutes of whoever went on with it.
            let isTakenBack = status != "completed" && !completions.isEmpty
            if isTakenBack ? seconds > expected + 2 : abs(expected - seconds) > 2 {
                life.fault(.minutes, "\(device.name) shows \(seconds) s for \(id), expected \(expected)")
            }
        }
    }
}
