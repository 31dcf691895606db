import CivilTime
import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync
@testable import foldersync

/// Sync and its log tell a person no change that nobody made, and tell nothing otherwise later.
@Suite("What sync tells")
struct TellingTests {
    // MARK: Conflicts

    @Test("Conflicts that another version of the program counted are counted as they are listed")
    func recountedConflicts() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        try laptop.setTitle("t1", "Cream")
        try phone.setTitle("t1", "Butter")
        try laptop.setTitle("t2", "Rolls")
        for device in [laptop, phone, laptop] { try device.sync() }
        #expect(try laptop.sync().conflicts == 1)
        try laptop.replica().withState { state in
            for (key, count) in [("t1", 3), ("t2", 2)] { try state.setConflicts(RecordKey("tasks", key), count) }
        }
        #expect(try laptop.sync().conflicts == 5)
        laptop.environment.program = "foldersync later"
        #expect(try laptop.replica().preview().conflicts == 1)
        #expect(try laptop.sync().conflicts == 1)
        #expect(try laptop.replica().conflicts().count == 1)
        #expect(try laptop.replica().status().conflicts == 1)
        #expect(try laptop.sync().isIdle)
    }

    @Test("A state that does not tell who counted its conflicts is of an earlier program")
    func earlierState() throws {
        let (laptop, phone) = try Device.pair("Milk")
        for device in [phone, laptop] { try device.sync() }
        try laptop.replica().withState { state in
            try state.setProperty(.resolvedBy, nil)
            try state.setConflicts(RecordKey("tasks", "t1"), 2)
        }
        #expect(try laptop.sync().conflicts == 0)
        #expect(try laptop.sync().isIdle)
    }

    @Test("What another version of the program made of a record in conflict is no edit, and is made anew")
    func formerForm() throws {
        let (laptop, phone) = try sessions()
        try laptop.sql("UPDATE session SET name = 'Leg day'")
        try phone.sql("UPDATE session SET name = 'Arms'")
        for device in [laptop, phone, laptop] { try device.sync() }
        let order = "SELECT id FROM block ORDER BY position"
        try laptop.sql("UPDATE block SET position = 10 - position")
        try laptop.sql("DELETE FROM satchel_journal")
        #expect(try laptop.column(order) == ["3", "2", "1"])
        #expect(try laptop.sync().conflicts == 1)
        laptop.environment.program = "foldersync later"
        let outcome = try laptop.sync()
        #expect(outcome.published.isEmpty && outcome.conflicts == 1)
        for device in [laptop, phone] {
            #expect(try device.column(order) == ["1", "2", "3"])
            #expect(try device.sync().isIdle)
        }
    }

    @Test("What the app wrote before the first sync of another version of the program is an edit")
    func editedForm() throws {
        let (laptop, phone) = try sessions()
        try laptop.sql("UPDATE session SET name = 'Leg day'")
        try phone.sql("UPDATE session SET name = 'Arms'")
        for device in [laptop, phone, laptop] { try device.sync() }
        try laptop.sql("UPDATE session SET name = 'Back'")
        laptop.environment.program = "foldersync later"
        for device in [laptop, phone] { #expect(try device.sync().conflicts == 0) }
        for device in [laptop, phone] { #expect(try device.column("SELECT name FROM session") == ["Back"]) }
    }

    /// Two devices with a session of three blocks.
    private func sessions() throws -> (laptop: Device, phone: Device) {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", .bztimer, in: sandbox), try Device("Phone", .bztimer, in: sandbox))
        try laptop.sql("INSERT INTO session (id, position, name) VALUES ('s', 1, 'Legs')")
        for place in 1...3 {
            try laptop.sql(
                """
                INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds)
                    VALUES ('s', ?, ?, 'Block', 'activity', 'duration', 30)
                """,
                [place, "\(place)"]
            )
        }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (laptop, phone)
    }

    // MARK: The log

    /// The lines of a device's log by change: each record with what was done to it, and to which members.
    private func lines(_ device: Device) throws -> [Dot: [String]] {
        let log = try device.replica().log(limit: 100)
        return Dictionary(
            uniqueKeysWithValues: log.map { change in
                (
                    change.dot,
                    change.records.map { touched in
                        let values = touched.values.filter { $0.name == "title" }.map { value in
                            "\(value.old?.text(.compact) ?? "-") \(value.new?.text(.compact) ?? "-")"
                        }
                        return "\(touched.action.rawValue) \(touched.name.key) \(touched.members) \(values)"
                    }
                )
            }
        )
    }

    @Test("What the log told is told no otherwise once a device joins with an older copy", arguments: [true, false])
    func stableLog(isEdited: Bool) throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        let nas = try Device("Nas", in: laptop.sandbox, clock: laptop.time)
        try nas.addTask("t1", "Milk")
        try nas.addTask("t2", "Rolls")
        var told: [Dot: [String]] = [:]
        func step(_ devices: Device..., edit: () throws -> Void = {}) throws {
            try edit()
            for device in devices { try device.sync() }
            for device in devices {
                let lines = try lines(device)
                for (dot, line) in told { #expect(lines[dot] == line) }
                told.merge(lines) { old, _ in old }
            }
        }
        func delete(_ device: Device, _ id: String) throws { try device.sql("DELETE FROM tasks WHERE id = ?", [id]) }
        try step(laptop, phone) { try laptop.setTitle("t1", "Cream") }
        try step(phone, laptop) { try delete(phone, "t1") }
        try step(phone, laptop) { try phone.addTask("t1", "Milk") }
        let again = try #require(try phone.replica().log(limit: 1).first)
        #expect(again.records.map(\.action) == [.added])
        if isEdited { try step(laptop, phone) { try laptop.setTitle("t1", "Oat milk") } }
        try step(laptop, phone) { try delete(laptop, "t1") }
        try nas.join()
        try step(nas, laptop, phone)
        let joined = try #require(try nas.replica().log(limit: 1).first)
        // Nobody had the one; the other stood beside another title.
        #expect(joined.records.map(\.action) == [.added, .changed])
        #expect(joined.records.last?.values.first { $0.name == "title" }?.old == "Bread")
        try step(phone, nas, laptop) { try phone.setTitle("t1", "Soy milk") }
        try step(nas, laptop, phone) { try delete(nas, "t1") }
        try step(laptop, nas, phone) { try delete(laptop, "t2") }
        #expect(told.count >= 9)
    }

    @Test("A decision that a record stays, which others deleted, is told as one")
    func keptRecord() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        for (device, deleted, edited) in [(laptop, "t1", "t2"), (phone, "t2", "t1")] {
            try device.sql("DELETE FROM tasks WHERE id = ?", [deleted])
            try device.setTitle(edited, "Rolls")
        }
        for device in [laptop, phone, laptop] { try device.sync() }
        let conflicts = try laptop.replica().conflicts()
        #expect(conflicts.map(\.kind) == [.deletedRecord, .deletedRecord])
        let decisions = conflicts.map { conflict in
            ConflictDecision(key: RecordKey("tasks", conflict.name.key), path: [], value: .shown)
        }
        _ = try laptop.replica().resolve(decisions)
        for device in [laptop, phone] { #expect(try device.sync().conflicts == 0) }
        for device in [laptop, phone] {
            let change = try #require(try device.replica().log(limit: 1).first)
            #expect(change.records.map(\.action) == [.kept, .kept])
            #expect(change.counts.map(\.action) == [.kept] && change.recordCount == 2)
            let page = try device.replica().log(0..<1, during: 0...Int.max)
            #expect(page.first?.records.map(\.action) == [.kept, .kept])
        }
    }

    @Test("An edit that takes something away is one, also where it keeps what others deleted")
    func removedBlock() throws {
        let (laptop, phone) = try sessions()
        try phone.sql("UPDATE session SET name = 'Leg day'")
        try laptop.sql("DELETE FROM block; DELETE FROM session")
        for device in [laptop, phone, laptop] { try device.sync() }
        try phone.sql("DELETE FROM block WHERE id = '3'")
        for device in [phone, laptop] { try device.sync() }
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id FROM block ORDER BY position") == ["1", "2"])
            let change = try #require(try device.replica().log(limit: 1).first)
            #expect(change.records.map(\.action) == [.changed])
            #expect(try device.replica().log(0..<1, during: 0...Int.max).first?.records.map(\.action) == [.changed])
        }
    }

    @Test("What was only removed from a list or a set is named by who publishes it, by who gets it, and in the log")
    func onlyRemoved() throws {
        let (laptop, phone) = try sessions()
        try laptop.sql("UPDATE session SET tags = '[\"legs\",\"strength\"]', scheduled_days_of_week = '[1,4]'")
        for device in [laptop, phone] { try device.sync() }
        let words = ValueWords(.bztimer, .utc)
        func told(_ change: SyncedChange?) -> String { change.map { RecordWords.list($0, values: words) } ?? "" }
        let edits = [
            ("UPDATE session SET tags = '[\"legs\"]'", ["tags"], #"tags: removed "strength""#),
            (
                "UPDATE session SET name = 'Arms', scheduled_days_of_week = '[1]'", ["name", "scheduledDaysOfWeek"],
                #"name "Legs" → "Arms"; scheduled days: removed 4"#
            ),
            ("DELETE FROM block WHERE id = '2'", ["items"], #"blocks: removed "Block""#),
        ]
        for (sql, members, text) in edits {
            try phone.sql(sql)
            let published = try #require(try phone.sync().published.first)
            let received = try #require(try laptop.sync().received.first)
            for change in [published, received] { #expect(change.records.map(\.members) == [members]) }
            #expect(members.count > 1 || told(published).hasSuffix("(\(text))"), "\(told(published))")
            for device in [laptop, phone] {
                let changes = try [
                    device.replica().log(limit: 1).first, device.replica().log(0..<1, during: 0...Int.max).first,
                ]
                for change in changes {
                    #expect(change?.records.map(\.members) == [members])
                    #expect(told(change).hasSuffix("(\(text))"), "\(told(change))")
                }
            }
        }
    }

    @Test("A device that removed an element which another changed removed it, and a later edit did not")
    func removedAndChanged() throws {
        let (laptop, phone) = try sessions()
        try laptop.sql("DELETE FROM block WHERE id = '2'")
        try phone.sql("UPDATE block SET duration_seconds = 99 WHERE id = '2'")
        try laptop.sync()
        try laptop.sql("UPDATE session SET name = 'Arms'")
        for device in [phone, laptop, phone] { try device.sync() }
        for device in [laptop, phone] {
            let log = try device.replica().log(limit: 3)
            let members = log.flatMap(\.records).map(\.members)
            #expect(members.sorted { $0[0] < $1[0] } == [["items"], ["items"], ["name"]], "\(log)")
        }
    }

    @Test("A record that a joining device has otherwise is changed, where an edit kept it from a deletion")
    func keptFromDeletion() throws {
        let (laptop, phone) = try Device.pair("Milk", "Bread")
        let nas = try Device("Nas", in: laptop.sandbox, clock: laptop.time)
        try nas.addTask("t1", "Milk")
        try laptop.setTitle("t1", "Cream")
        try laptop.sync()
        phone.time.advance(60_000)
        try phone.sql("DELETE FROM tasks WHERE id = 't1'")
        for device in [phone, laptop] { try device.sync() }
        try nas.join()
        for device in [nas, laptop, phone] { try device.sync() }
        for device in [nas, laptop, phone] {
            let log = try device.replica().log(limit: 100)
            let page = try device.replica().log(0..<100, during: 0...Int.max)
            for changes in [log, page] {
                let joined = try #require(changes.first { $0.device.name == "Nas" }?.records.first)
                #expect(joined.action == .changed)
                #expect(joined.values.first { $0.name == "title" }?.old == "Cream")
            }
        }
    }

    // MARK: Joining with an equal store

    @Test("A store that joins with the buttons of the others changes and takes nothing")
    func equalButtons() throws {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Nas"].map { try Device($0, .tracker, in: sandbox) }
        for device in devices {
            try device.sql(
                """
                INSERT INTO button (id, name, color, icon, is_default, position, is_visible) VALUES
                    ('x', 'One', '#112233', 'star', 0, 0, 1), ('y', 'Two', '#112233', 'star', 0, 1, 1);
                """
            )
        }
        try devices[0].makeSpace()
        try devices[0].sync()
        try devices[1].join()
        let outcome = try devices[1].sync()
        #expect(outcome.published.isEmpty && outcome.received.allSatisfy { $0.recordCount == 0 })
        #expect(outcome.written == 0)
        #expect(try devices[1].sync().isIdle)
    }
}
