import DirectorySync
import FormatKit
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import Testing
import TestSupport

@Suite("Each app's records, on two devices")
struct AppTests {
    private func pair(_ app: AppID, _ sandbox: Sandbox, _ sql: String) throws -> (Device, Device) {
        let laptop = try Device("Laptop", app, in: sandbox)
        let phone = try Device("Phone", app, in: sandbox)
        try laptop.sql(sql)
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (laptop, phone)
    }

    private func syncAll(_ devices: Device...) throws {
        for _ in 0..<2 { for device in devices { try device.sync() } }
    }

    @Test("BZ Timer: sessions with their blocks, activities, history, settings, and GymPulse's presets")
    func bztimer() throws {
        let (laptop, phone) = try pair(
            .bztimer,
            Sandbox(),
            """
            INSERT INTO session (id, position, name, tags) VALUES ('s1', 1, 'Legs', '["a"]');
            INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds)
                VALUES ('s1', 0, 'b1', 'Squat', 'activity', 'duration', 30), ('s1', 1, 'b2', 'Rest', 'rest', 'duration', 10);
            INSERT INTO template (id, position, label, type, mode, duration_seconds)
                VALUES ('a1', 1, 'Plank', 'activity', 'duration', 60);
            INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds)
                VALUES ('h1', 's1', 'Legs', '2026-01-01T00:00:00Z', 40);
            INSERT INTO preset
                (id, position, name, get_ready_seconds, work_seconds, rest_seconds, sets, rounds, sound_enabled, voice_enabled)
                VALUES ('p1', 1, 'Tabata', 10, 20, 10, 1, 8, 1, 0);
            """
        )
        for table in ["session", "block", "template", "history", "preset"] {
            #expect(try phone.rows(table) == laptop.rows(table), "\(table)")
        }
        try laptop.sql("UPDATE block SET duration_seconds = 45 WHERE id = 'b1'")
        try phone.sql(
            """
            INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds)
                VALUES ('s1', 2, 'b3', 'Jump', 'activity', 'duration', 20)
            """
        )
        try phone.sql("UPDATE preset SET name = 'Short' WHERE id = 'p1'")
        try syncAll(laptop, phone)
        #expect(try phone.rows("block") == laptop.rows("block"))
        #expect(try phone.rows("block").count == 3)
        #expect(try laptop.rows("preset").first?.contains("Short") == true)
        // One removes a block that the other changes: who did which is known, and either can be had.
        for (removes, titles) in [(ConflictDecision.Value.shown, 3), (.removed, 2)] {
            try laptop.sql("DELETE FROM block WHERE id = 'b2'")
            try phone.sql("UPDATE block SET duration_seconds = duration_seconds + 1 WHERE id IN ('b1', 'b2')")
            try syncAll(laptop, phone)
            let conflict = try #require(try laptop.replica().conflicts().first)
            #expect(conflict.kind == .removedElement && conflict.element == "Rest")
            // What the removal would lose is of that block alone.
            let changed = conflict.values.compactMap { $0.new?.array?.compactMap { $0["id"]?.string } }
            #expect(changed == [["b2"]])
            #expect(conflict.sides.map { $0.device?.name } == ["Phone", "Laptop"])
            #expect(conflict.sides.map(\.isRemoval) == [false, true])
            let key = RecordKey(conflict.name.collection, conflict.name.key)
            _ = try laptop.replica().resolve([
                .init(key: key, path: conflict.path, value: removes, seen: conflict.choices)
            ])
            try syncAll(phone, laptop)
            for device in [laptop, phone] {
                #expect(try device.replica().conflicts().isEmpty)
                #expect(try device.rows("block").count == titles)
            }
        }
        try phone.sql("DELETE FROM session WHERE id = 's1'")
        try syncAll(phone, laptop)
        #expect(try laptop.rows("session").isEmpty && laptop.rows("block").isEmpty)
        #expect(try laptop.rows("history").first?.contains("session_id=NULL") == true)
    }

    @Test("Time Tracker: buttons in their order, activities, and of two that run the earlier ends")
    func tracker() throws {
        let (laptop, phone) = try pair(
            .tracker,
            Sandbox(),
            """
            INSERT INTO button (id, name, color, icon, is_default, position, is_visible)
                VALUES ('x', 'Own', '#112233', 'star', 0, 0, 1), ('y', 'Other', '#112233', 'star', 0, 1, 1);
            INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('1', 'Own', 1767000000000, 1767000600000);
            """
        )
        #expect(try phone.rows("activity").count == 1)
        let order =
            "button WHERE id IN ('x', 'y') AND (SELECT b.position FROM button b WHERE b.id = 'x') < (SELECT b.position "
            + "FROM button b WHERE b.id = 'y')"
        #expect(try phone.rows(order).count == 2)
        try laptop.sql("UPDATE button SET position = 1 - position WHERE id IN ('x', 'y')")
        try laptop.sql("INSERT INTO activity (id, name, start_ms) VALUES ('2', 'Own', 1767001000000)")
        try phone.sql("INSERT INTO activity (id, name, start_ms) VALUES ('3', 'Other', 1767002000000)")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows(order).isEmpty)
            #expect(try device.rows("activity WHERE end_ms IS NULL").count == 1)
            #expect(try device.rows("activity WHERE id = '2' AND end_ms = 1767002000000").count == 1)
        }
        #expect(try laptop.replica().conflicts().map(\.kind) == [.repaired])
        let conflict = try #require(try laptop.replica().conflicts().first)
        let key = RecordKey(conflict.name.collection, conflict.name.key)
        let taken = ConflictDecision(key: key, path: conflict.path, value: .shown, seen: conflict.choices)
        #expect(try laptop.replica().resolve([taken]).conflicts == 0)
        #expect(try phone.sync().conflicts == 0)
        for device in [laptop, phone] {
            #expect(try device.rows("activity WHERE id = '2' AND end_ms = 1767002000000").count == 1)
            #expect(try device.rows("activity WHERE end_ms IS NULL").count == 1)
        }
    }

    private func addButton(_ device: Device, _ id: String, _ name: String) throws {
        try device.sql(
            """
            INSERT INTO button (id, name, color, icon, is_default, position, is_visible)
                VALUES ('\(id)', '\(name)', '#112233', 'star', 1, (SELECT count(*) FROM button), 1)
            """
        )
    }

    private func buttonNames(_ device: Device) throws -> [String] {
        try device.column("SELECT name FROM button ORDER BY 1")
    }

    // Of two buttons with one identifier, the first by its name keeps it.
    @Test("A new button that has the identifier of another takes no place of it", arguments: ["Job", "Zork"])
    func sameIdentifier(_ name: String) throws {
        let (one, other) = try pair(.tracker, Sandbox(), "")
        try addButton(one, "work", name)
        try addButton(other, "work", "Work")
        try syncAll(one, other, one)
        for device in [one, other] {
            #expect(try buttonNames(device) == [name, "Work"].sorted())
            #expect(try Set(device.column("SELECT id FROM button")) == ["work", "work-2"])
            #expect(try device.replica().verify().differing.isEmpty)
            #expect(try device.sync().isIdle)
        }
        try other.sql("UPDATE button SET color = '#778899' WHERE name = 'Work'")
        try syncAll(other, one)
        for device in [one, other] { #expect(try buttonNames(device) == [name, "Work"].sorted()) }
    }

    @Test("A new button with the name that another had takes no place of it")
    func formerName() throws {
        let (laptop, phone) = try pair(.tracker, Sandbox(), "")
        try addButton(laptop, "study", "Study")
        try syncAll(laptop, phone)
        try laptop.sql("UPDATE button SET name = 'Uni' WHERE id = 'study'")
        try syncAll(laptop, phone)
        try addButton(laptop, "0d1c", "Study")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            let buttons = try device.column("SELECT id || ' ' || name FROM button ORDER BY name")
            #expect(buttons == ["0d1c Study", "study Uni"])
            #expect(try device.sync().isIdle)
        }
    }

    private func addActivity(_ device: Device, _ id: String, _ button: String, isRunning: Bool = false) throws {
        try device.sql(
            """
            INSERT INTO activity (id, name, button_id, start_ms, end_ms)
                VALUES ('\(id)', 'A', '\(button)', 1767000000000, \(isRunning ? "NULL" : "1767000600000"))
            """
        )
    }

    /// The activities with the names of their buttons.
    private func buttonsOfActivities(_ device: Device) throws -> [String] {
        let from = "FROM activity a LEFT JOIN button b ON b.id = a.button_id"
        return try device.column("SELECT a.id || ': ' || ifnull(b.name, a.button_id) \(from) ORDER BY 1")
    }

    private func expectInStep(_ devices: [Device]) throws {
        for device in devices {
            #expect(try device.replica().conflicts().isEmpty)
            #expect(try device.replica().verify().differing.isEmpty)
            #expect(try device.sync().isIdle)
        }
    }

    // A default button goes by its name, and one that was renamed has the identifier of another one in the folder.
    @Test("Entries of a device that joins stay with their buttons", arguments: [["Uni", "Work"], ["Work", "Study"]])
    func joiningButtons(_ names: [String]) throws {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Tablet", "Tower"].map { try Device($0, .tracker, in: sandbox) }
        for (device, names) in zip(devices, [["Study", "Work"], names, names.reversed()]) {
            for (id, name) in zip(["study", "work"], names) {
                try addButton(device, id, name)
                try addActivity(device, "\(device.name) \(name)", id)
            }
        }
        try devices[0].makeSpace()
        try devices[0].sync()
        for device in devices.dropFirst() {
            try device.join()
            try device.sync()
        }
        for device in devices { try device.sync() }
        for device in devices {
            for line in try buttonsOfActivities(device) {
                let parts = line.split(separator: ": ")
                #expect(parts[0].hasSuffix(" \(parts[1])"), "\(line) on \(device.name)")
            }
            #expect(try buttonsOfActivities(device).count == 6)
            #expect(try buttonNames(device) == Set(names + ["Study", "Work"]).sorted())
        }
        try expectInStep(devices)
        // Later entries of the device go the same ways.
        let study = try devices[1].column("SELECT id FROM button WHERE name = 'Study'")
        try addActivity(devices[1], "new", try #require(study.first))
        try syncAll(devices[1], devices[0])
        #expect(try buttonsOfActivities(devices[0]).contains("new: Study"))
    }

    @Test("A joining device's running entry, and those of shared, own and unknown buttons", arguments: [false, true])
    func joiningEntries(_ isReversed: Bool) throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", .tracker, in: sandbox)
        let tablet = try Device("Tablet", .tracker, in: sandbox)
        for (device, name) in [(laptop, "Study"), (tablet, "Uni")] {
            try addButton(device, "study", name)
            try addButton(device, "work", "Work")
            for (index, id) in ["study", "work", "none"].enumerated() {
                try addActivity(device, "\(device.name) \(index)", id)
            }
        }
        try addActivity(tablet, "running", "study", isRunning: true)
        try tablet.sql("INSERT INTO property (name, value) VALUES ('undo', '[{\"what\": \"edit\"}]')")
        let (first, second) = isReversed ? (tablet, laptop) : (laptop, tablet)
        try first.makeSpace()
        try first.sync()
        try second.join()
        // The first attempt ends between the store's new identifiers and their publication.
        struct Stop: Error {}
        let environment = second.environment
        second.environment.progress = { if $0.phase == .detecting { throw Stop() } }
        #expect(throws: Stop.self) { try second.sync() }
        second.environment = environment
        try syncAll(second, first)
        for device in [laptop, tablet] {
            #expect(
                try buttonsOfActivities(device) == [
                    "Laptop 0: Study", "Laptop 1: Work", "Laptop 2: none",
                    "Tablet 0: Uni", "Tablet 1: Work", "Tablet 2: none", "running: Uni",
                ]
            )
            #expect(try buttonNames(device) == ["Study", "Uni", "Work"])
            #expect(try device.column("SELECT id FROM button WHERE name = 'Work'") == ["work"])
        }
        // Changes that could be undone have the former identifiers.
        #expect(try tablet.rows("property WHERE name = 'undo'").isEmpty == !isReversed)
        try expectInStep([laptop, tablet])
    }

    @Test("A copy of a store from before it joined gets the identifiers that the folder has by now")
    func joiningCopy() throws {
        let sandbox = try Sandbox()
        let devices = try ["Laptop", "Tablet", "Copy"].map { try Device($0, .tracker, in: sandbox) }
        for device in devices {
            try addButton(device, "study", device.name == "Laptop" ? "Study" : "Uni")
            try addButton(device, "work", "Work")
        }
        for device in devices.dropFirst() {
            try addActivity(device, "same", "study")
            try addActivity(device, "edited", device.name == "Copy" ? "study" : "work")
        }
        try devices[0].makeSpace()
        try devices[0].sync()
        try devices[1].join()
        try devices[1].sync()
        let identifiers = try devices[1].column("SELECT id FROM button WHERE name = 'Uni'")
        try devices[2].join()
        #expect(try devices[2].sync().published.flatMap(\.records).map(\.name.key) == ["edited"])
        for device in devices {
            try device.sync()
            #expect(try device.column("SELECT id FROM button WHERE name = 'Uni'") == identifiers)
            #expect(try buttonsOfActivities(device) == ["edited: Uni", "same: Uni"])
        }
        #expect(try devices[0].replica().conflicts().map(\.path) == [["buttonId"]])
    }

    @Test("A store that joins again has the default buttons that were renamed, and the entries as they were")
    func rejoiningButtons() throws {
        let (laptop, phone) = try pair(.tracker, Sandbox(), "")
        try addButton(laptop, "study", "Study")
        try addActivity(laptop, "1", "study")
        try syncAll(laptop, phone)
        try laptop.sql("UPDATE button SET name = 'Uni'")
        try syncAll(laptop, phone)
        try phone.replica().leave()
        try addActivity(phone, "2", "study")
        try phone.join()
        #expect(try phone.sync().published.flatMap(\.records).map(\.name.key) == ["2"])
        try laptop.sync()
        for device in [laptop, phone] { #expect(try buttonsOfActivities(device) == ["1: Uni", "2: Uni"]) }
        try expectInStep([laptop, phone])
    }

    @Test("A store that joins again publishes no identifier by which an invariant tells two buttons apart")
    func rejoiningToldApart() throws {
        let (laptop, phone) = try pair(.tracker, Sandbox(), "")
        try addButton(laptop, "work", "Study")
        try addButton(phone, "work", "Work")
        try syncAll(laptop, phone)
        try addActivity(laptop, "1", "work-2")
        try syncAll(laptop, phone)
        try phone.replica().leave()
        try phone.join()
        #expect(try phone.sync().published.isEmpty)
        try laptop.sync()
        for device in [laptop, phone] { #expect(try buttonsOfActivities(device) == ["1: Work"]) }
        try expectInStep([laptop, phone])
    }

    @Test("A new button leaves the others of its device as they are")
    func newButton() throws {
        let (laptop, phone) = try pair(.tracker, Sandbox(), "")
        for name in ["A", "B", "C"] { try addButton(laptop, name, name) }
        try syncAll(laptop, phone)
        try addButton(laptop, "D", "D")
        #expect(try laptop.sync().written == 0)
        #expect(try phone.sync().written == 1)
    }

    @Test("A timer that gave way to another stays ended when somebody who saw that ends the other")
    func endedTimer() throws {
        let (laptop, phone) = try pair(
            .tracker,
            Sandbox(),
            "INSERT INTO activity (id, name, start_ms) VALUES ('work', 'Work', 1767000000000)"
        )
        // Both end what runs, and start something, without knowing of each other.
        let end = "UPDATE activity SET end_ms = 1767000600000 WHERE end_ms IS NULL"
        try laptop.sql("\(end); INSERT INTO activity (id, name, start_ms) VALUES ('read', 'Read', 1767000600000)")
        try phone.sql("\(end); INSERT INTO activity (id, name, start_ms) VALUES ('meal', 'Meal', 1767001000000)")
        try syncAll(laptop, phone)
        #expect(try laptop.column("SELECT id FROM activity WHERE end_ms IS NULL") == ["meal"])
        try laptop.sql("UPDATE activity SET end_ms = 1767002000000 WHERE end_ms IS NULL")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id FROM activity WHERE end_ms IS NULL").isEmpty)
            #expect(try device.rows("activity WHERE id = 'read' AND end_ms = 1767001000000").count == 1)
        }
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
    }

    /// Two devices that started timers without knowing of each other: the laptop's gave way.
    private func twoTimers() throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try pair(
            .tracker,
            Sandbox(),
            "INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('work', 'Work', 1767000000000, 1767000600000)"
        )
        try laptop.sql("INSERT INTO activity (id, name, start_ms) VALUES ('read', 'Read', 1767000600000)")
        try phone.sql("INSERT INTO activity (id, name, start_ms) VALUES ('meal', 'Meal', 1767001000000)")
        try syncAll(laptop, phone)
        return (laptop, phone)
    }

    @Test("A timer that gave way to another stays ended when somebody who saw that deletes the other")
    func endedByDeletedTimer() throws {
        let (laptop, phone) = try twoTimers()
        try phone.sql(
            "UPDATE activity SET end_ms = 1767002000000 WHERE end_ms IS NULL; DELETE FROM activity WHERE id = 'meal'"
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id FROM activity WHERE end_ms IS NULL").isEmpty)
            #expect(try device.rows("activity WHERE id = 'read' AND end_ms = 1767001000000").count == 1)
        }
        #expect(try laptop.sync().isIdle && phone.sync().isIdle)
    }

    @Test("A timer that gave way and is deleted stays deleted where the other ends at the same time")
    func deletedTimer() throws {
        let (laptop, phone) = try twoTimers()
        try laptop.sql(
            "DELETE FROM activity WHERE id = 'read'; UPDATE activity SET end_ms = 1767002000000 WHERE end_ms IS NULL"
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id FROM activity ORDER BY id") == ["meal", "work"])
        }
        #expect(try laptop.replica().verify().digest == phone.replica().verify().digest)
    }

    @Test("Buttons lie on the other device as they lie on the first, and one that is moved is one change")
    func order() throws {
        let names = ["k", "c", "x", "a", "p", "m", "b"]
        let values = names.enumerated().map { "('\($1)', 'Name \($1)', '#112233', 'star', 0, \($0), 1)" }
        let columns = "id, name, color, icon, is_default, position, is_visible"
        let (laptop, phone) = try pair(
            .tracker,
            Sandbox(),
            "INSERT INTO button (\(columns)) VALUES \(values.joined(separator: ", "))"
        )
        func order(_ device: Device) throws -> [String] { try device.column("SELECT id FROM button ORDER BY position") }
        #expect(try order(phone) == names)
        // The last comes first.
        try phone.sql("UPDATE button SET position = iif(id = 'b', 0, position + 1)")
        #expect(try phone.sync().published.flatMap(\.records).map(\.name.key) == ["b"])
        try laptop.sync()
        #expect(try order(laptop) == ["b", "k", "c", "x", "a", "p", "m"])
    }

    @Test("Study Timer: sessions go forward only, and their seconds follow from the events")
    func study() throws {
        let (laptop, phone) = try pair(
            .study,
            Sandbox(),
            """
            INSERT INTO session (id, device_id, title, status, start_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'active', '2026-01-01T08:00:00Z', 0);
            INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e1', 's', 'start', '2026-01-01T08:00:00Z');
            """
        )
        #expect(try phone.rows("event") == laptop.rows("event"))
        try laptop.sql(
            """
            UPDATE session SET status = 'completed', end_time = '2026-01-01T08:10:00Z', accumulated_seconds = 600;
            INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e2', 's', 'complete', '2026-01-01T08:10:00Z');
            """
        )
        try phone.sql("UPDATE session SET status = 'paused'")
        try syncAll(phone, laptop)
        #expect(try phone.rows("session") == laptop.rows("session"))
        #expect(try phone.rows("session WHERE status = 'completed' AND accumulated_seconds = 600").count == 1)
    }

    @Test("A timer that has ended since stays ended in a restore; its other values go back")
    func restoredTimer() throws {
        let (laptop, phone) = try pair(
            .tracker,
            Sandbox(),
            "INSERT INTO activity (id, name, start_ms) VALUES ('work', 'Work', 1767000000000)"
        )
        let before = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        try laptop.sql("UPDATE activity SET end_ms = 1767003600000, name = 'Wrok' WHERE id = 'work'")
        try syncAll(laptop, phone)
        let key = RecordKey("activities", "work")
        let members = try phone.replica().differences(toMoment: before, of: key).first?.members ?? []
        #expect(members.contains("name") && !members.contains("endTime"), "\(members)")
        #expect(try phone.replica().staying(toMoment: before, of: key).map(\.key) == ["work"])
        _ = try phone.replica().restore(at: before, of: key)
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.rows("activity WHERE name = 'Work' AND end_ms = 1767003600000").count == 1)
        }
        // Where nothing else is different, there is nothing to restore.
        #expect(try phone.replica().differences(toMoment: before, of: key).isEmpty)
        #expect(try phone.replica().staying(toMoment: before).map(\.key) == ["work"])
    }
}
