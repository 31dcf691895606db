import BZTimer
import CivilTime
import DirectorySync
@testable import foldersync
import Foundation
import FormatKit
import RecordMerge
import RecordStore
import Slate
import StrictJSON
import StudyTimer
import Testing
import TestSupport
import TimeTracker

/// What syncing comes to for the person: docs/meaning.md has the sentences.
@Suite("What a person entered or earned")
struct MeaningTests {
    private func pair(_ app: AppID, _ sql: String) throws -> (laptop: Device, phone: Device) {
        let devices = try group(["Laptop", "Phone"], app, sql)
        return (devices[0], devices[1])
    }

    private func three(_ app: AppID, _ sql: String) throws -> [Device] {
        try group(["Laptop", "Phone", "Tablet"], app, sql)
    }

    /// Devices in step, the first of which had entered everything.
    private func group(_ names: [String], _ app: AppID, _ sql: String) throws -> [Device] {
        let sandbox = try Sandbox()
        let devices = try names.map { try Device($0, app, in: sandbox) }
        try devices[0].sql(sql)
        try devices[0].makeSpace()
        try devices[0].sync()
        for device in devices.dropFirst() {
            try device.join()
            try device.sync()
        }
        return devices
    }

    private func syncAll(_ devices: Device...) throws {
        for _ in 0..<2 { for device in devices { try device.sync() } }
        for device in devices { #expect(try device.sync().isIdle, "\(device.name) has more to do") }
    }

    // MARK: Carry-over

    /// Opens Slate on a day, as the app does.
    private func open(_ device: Device, on day: String) throws {
        let today = try #require(CivilDay(day))
        let last = try device.column("SELECT value FROM meta WHERE key = 'last_open_date'").first
        let plan = "SELECT i.entity_id FROM day_plan_items i JOIN tasks t ON t.id = i.entity_id WHERE i.date ="
        let open = try device.column("\(plan) '\(last ?? "")' AND NOT t.is_done")
        var number = 0
        let rollover = SlateDays.rollover(
            lastOpen: last.flatMap(CivilDay.init),
            today: today,
            autoCarryover: true,
            planned: open.map { SlateDays.PlannedTask(id: $0, isDone: false) },
            alreadyPlanned: try device.column("\(plan) '\(day)'")
        ) {
            number += 1
            return "\(device.name) \(day) \(number)"
        }
        if rollover?.needsDayPlan == true { try device.sql("INSERT OR IGNORE INTO day_plan (date) VALUES ('\(day)')") }
        for item in rollover?.items ?? [] {
            try device.sql("INSERT INTO day_plan_items VALUES ('\(item.id)', '\(day)', 'task', '\(item.taskID)')")
        }
        if last.map({ $0 < day }) ?? true {
            try device.sql("INSERT OR REPLACE INTO meta VALUES ('last_open_date', '\(day)')")
        }
    }

    private func planned(_ device: Device, on day: String) throws -> [String] {
        try device.column("SELECT entity_id FROM day_plan_items WHERE date = '\(day)' ORDER BY entity_id")
    }

    @Test("A task that one device plans is carried over though another was opened since")
    func carryOver() throws {
        let (laptop, phone) = try pair(.slate, "INSERT INTO meta VALUES ('last_open_date', '2026-01-19')")
        #expect(try phone.column("SELECT value FROM meta WHERE key = 'last_open_date'").isEmpty)
        try open(phone, on: "2026-01-20")
        try phone.addTask("t", "Call the dentist")
        try phone.sql("INSERT INTO day_plan_items VALUES ('i', '2026-01-20', 'task', 't')")
        try open(laptop, on: "2026-01-21")
        try syncAll(phone, laptop)
        let days = ["2026-01-20", "2026-01-21"]
        for (device, day) in zip([phone, laptop], days) {
            #expect(try device.column("SELECT value FROM meta WHERE key = 'last_open_date'") == [day])
        }
        try open(phone, on: "2026-01-21")
        try syncAll(phone, laptop)
        for device in [phone, laptop] { #expect(try planned(device, on: "2026-01-21") == ["t"]) }
    }

    @Test("A rollover on two devices is one rollover")
    func rolloverTwice() throws {
        let (laptop, phone) = try pair(
            .slate,
            """
            INSERT INTO meta VALUES ('last_open_date', '2026-01-20');
            INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('t', 'T', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'),
                ('u', 'U', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
            INSERT INTO day_plan_items VALUES ('1', '2026-01-20', 'task', 't'), ('2', '2026-01-20', 'task', 'u');
            """
        )
        try phone.sql("INSERT INTO meta VALUES ('last_open_date', '2026-01-20')")
        for device in [laptop, phone] { try open(device, on: "2026-01-21") }
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try planned(device, on: "2026-01-21") == ["t", "u"]) }
        try phone.sql("UPDATE tasks SET is_done = 1 WHERE id = 't'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { try open(device, on: "2026-01-22") }
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try planned(device, on: "2026-01-22") == ["u"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    // MARK: Perfect days

    private static let habits = """
        INSERT INTO habits (id, title, created_at, updated_at) VALUES
            ('h', 'Run', '2025-12-01T08:00:00Z', '2025-12-01T08:00:00Z'),
            ('i', 'Read', '2025-12-01T08:00:00Z', '2025-12-01T08:00:00Z');
        INSERT INTO habit_completions VALUES ('1', 'h', '2025-12-28', '2025-12-28T08:00:00Z'),
            ('2', 'i', '2025-12-28', '2025-12-28T08:00:00Z');
        INSERT INTO day_plan VALUES ('2025-12-28', 1), ('2025-12-29', 0);
        """

    private func addHabit(_ device: Device, _ id: String, _ createdAt: String = "2025-12-30T08:00:00Z") throws {
        let values = "'\(id)', 'N', '\(createdAt)', '\(createdAt)'"
        try device.sql("INSERT INTO habits (id, title, created_at, updated_at) VALUES (\(values))")
    }

    /// Ticks a habit, as the app does: it sets the flag by what it knows.
    private func tick(_ device: Device, _ habit: String, _ day: String) throws {
        let id = "\(device.name) \(habit) \(day)"
        try device.sql("INSERT INTO habit_completions VALUES ('\(id)', '\(habit)', '\(day)', '\(day)T08:00:00Z')")
        try setFlag(device, day)
    }

    private func setFlag(_ device: Device, _ day: String) throws {
        try device.sql(
            """
            UPDATE day_plan SET perfect_day = NOT EXISTS (SELECT 1 FROM habits h WHERE active AND NOT EXISTS (
                SELECT 1 FROM habit_completions c WHERE c.habit_id = h.id AND c.date = day_plan.date))
            WHERE date = '\(day)'
            """
        )
    }

    private func perfect(_ device: Device) throws -> [String] {
        try device.column("SELECT date FROM day_plan WHERE perfect_day = 1 ORDER BY date")
    }

    @Test(
        "A perfect day that was earned stays, whatever becomes of the habits: on new devices, and as it was at a time"
    )
    func earnedDay() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.sql(Self.habits)
        try addHabit(laptop, "new")
        try addHabit(laptop, "asleep", "2025-12-02T08:00:00Z")
        try laptop.makeSpace()
        try laptop.sync()
        let phone = try Device("Phone", in: sandbox)
        try phone.join()
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try perfect(device) == ["2025-12-28"])
            let shown = try device.replica().document(at: device.time.now)["day_plan"]?.array?.map { $0["perfect_day"] }
            #expect(shown == [1, 0])
        }
        // Neither an edit of the day nor a restore takes it away.
        let moment = laptop.time.now
        laptop.time.advance(60_000)
        phone.time.advance(60_000)
        try phone.sql("DELETE FROM day_plan WHERE date = '2025-12-28'")
        try syncAll(phone, laptop)
        _ = try laptop.replica().restore(at: moment)
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try perfect(device) == ["2025-12-28"]) }
        let digests = try [laptop, phone].map { try $0.replica().verify().digest }
        #expect(digests[0] == digests[1])
    }

    @Test("A day that two devices complete together is perfect, and stays so when habits change")
    func completedTogether() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        try addHabit(laptop, "z", "2025-12-01T08:00:00Z")
        try laptop.sql("UPDATE habits SET active = 0 WHERE id = 'z'")
        try syncAll(laptop, phone)
        try tick(laptop, "h", "2025-12-29")
        try tick(phone, "i", "2025-12-29")
        #expect(try perfect(laptop) == ["2025-12-28"] && perfect(phone) == ["2025-12-28"])
        try syncAll(laptop, phone)
        let days = ["2025-12-28", "2025-12-29"]
        for device in [laptop, phone] {
            #expect(try perfect(device) == days)
            #expect(try device.replica().conflicts().isEmpty)
        }
        // One that was there and not active then, one that is new, and one that goes.
        try laptop.sql("UPDATE habits SET active = 1 WHERE id = 'z'")
        try addHabit(phone, "new")
        try syncAll(laptop, phone)
        try phone.sql("DELETE FROM habits WHERE id = 'h'")
        try syncAll(phone, laptop)
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        try syncAll(tablet, laptop, phone)
        for device in [laptop, phone, tablet] { #expect(try perfect(device) == days, "\(device.name)") }
        #expect(try Set([laptop, phone, tablet].map { try $0.replica().verify().digest }).count == 1)
    }

    @Test("A day is not perfect where one device takes a completion back while another adds the last")
    func takenBack() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        try tick(laptop, "h", "2025-12-29")
        try syncAll(laptop, phone)
        try tick(phone, "i", "2025-12-29")
        try laptop.sql("DELETE FROM habit_completions WHERE habit_id = 'h' AND date = '2025-12-29'")
        try setFlag(laptop, "2025-12-29")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try perfect(device) == ["2025-12-28"]) }
        // Whoever completes it then, having seen that, makes it one.
        try tick(laptop, "h", "2025-12-29")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try perfect(device) == ["2025-12-28", "2025-12-29"]) }
    }

    @Test("A day that nobody called perfect needs the habits of both devices' snapshots")
    func twoSnapshots() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        // Only the laptop knows of the third habit yet.
        try addHabit(laptop, "x", "2025-12-02T08:00:00Z")
        for (device, ticked, known) in [(laptop, "h", ["h", "i", "x"]), (phone, "i", ["h", "i"])] {
            try tick(device, ticked, "2025-12-29")
            let list = known.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            try device.sql("INSERT INTO day_snapshots (date, habits) VALUES ('2025-12-29', '[\(list)]')")
        }
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try perfect(device) == ["2025-12-28"]) }
    }

    private func openDay(_ day: String, on devices: Device...) throws {
        for device in devices { try device.sql("INSERT INTO day_plan VALUES ('\(day)', 0)") }
    }

    private func set(_ habit: String, active: Bool, on device: Device) throws {
        let values = "active = \(active ? 1 : 0), updated_at = '2026-02-01T08:00:00Z'"
        try device.sql("UPDATE habits SET \(values) WHERE id = '\(habit)'")
    }

    @Test("A perfect day stays where another device was merely opened, though a habit was woken before they met")
    func wokenHabit() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        try laptop.sql("UPDATE habits SET active = 0 WHERE id = 'h'")
        try syncAll(laptop, phone)
        try openDay("2026-01-05", on: laptop, phone)
        try tick(phone, "i", "2026-01-05")
        try set("h", active: true, on: phone)
        try syncAll(laptop, phone)
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        try syncAll(tablet, laptop, phone)
        for device in [laptop, phone, tablet] { #expect(try perfect(device) == ["2025-12-28", "2026-01-05"]) }
        #expect(try Set([laptop, phone, tablet].map { try $0.replica().verify().digest }).count == 1)
    }

    @Test("A day that both devices call not perfect stays so, though the habit left out is paused or gone since")
    func pausedHabit() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        try addHabit(laptop, "gone", "2025-12-02T08:00:00Z")
        try syncAll(laptop, phone)
        let days = ["2026-01-05", "2026-01-06"]
        // All completions of the first day are the phone's; the second is of both, without one habit.
        for day in days { try openDay(day, on: laptop, phone) }
        try tick(phone, "i", days[0])
        try tick(phone, "i", days[1])
        try tick(laptop, "gone", days[1])
        try set("h", active: false, on: phone)
        try phone.sql("DELETE FROM habits WHERE id = 'gone'")
        try syncAll(laptop, phone)
        let tablet = try Device("Tablet", in: laptop.sandbox)
        try tablet.join()
        try syncAll(tablet, laptop, phone)
        for device in [laptop, phone, tablet] { #expect(try perfect(device) == ["2025-12-28"], "\(device.name)") }
        #expect(try Set([laptop, phone, tablet].map { try $0.replica().verify().digest }).count == 1)
    }

    /// The ways in which a habit goes back to what it was.
    enum GoingBack: String, CaseIterable { case restore, restoreOfDeleted, importing }

    /// Lets a device go back to a habit as it was at a moment, when it had last changed on 2025-12-01.
    private func goBack(_ way: GoingBack, _ habit: String, active: Bool, _ device: Device, _ moment: Int) throws {
        device.time.advance(60_000)
        guard way == .importing else {
            _ = try device.replica().restore(at: moment, of: RecordKey("habits", habit))
            return
        }
        let values = "active = \(active ? 1 : 0), updated_at = '2025-12-01T08:00:00Z'"
        try device.sql("UPDATE habits SET \(values) WHERE id = '\(habit)'")
    }

    private func change(_ habit: String, active: Bool, _ device: Device) throws {
        let values = "active = \(active ? 1 : 0), updated_at = '2025-12-20T08:00:00Z'"
        try device.sql("UPDATE habits SET \(values) WHERE id = '\(habit)'")
    }

    private func step(_ devices: [Device]) throws {
        for device in devices { device.time.advance(60_000) }
        for _ in 0..<2 { for device in devices { try device.sync() } }
        for device in devices { #expect(try device.sync().isIdle, "\(device.name) has more to do") }
        for device in devices { device.time.advance(60_000) }
    }

    @Test(
        "A perfect day stays where a habit goes back to active, or comes back, by a restore or an import",
        arguments: GoingBack.allCases,
        [true, false]
    )
    func wokenByGoingBack(way: GoingBack, isKnown: Bool) throws {
        let devices = try three(.slate, Self.habits)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try step(devices)
        let moment = tablet.time.now
        if way == .restoreOfDeleted {
            try laptop.sql("DELETE FROM habit_completions WHERE habit_id = 'i'; DELETE FROM habits WHERE id = 'i'")
        } else {
            try change("i", active: false, laptop)
        }
        try step(devices)
        try openDay("2025-12-27", on: laptop, phone)
        try tick(laptop, "h", "2025-12-27")
        if isKnown { try step(devices) }
        try goBack(way, "i", active: true, tablet, moment)
        try step(devices)
        for device in devices {
            #expect(try perfect(device) == ["2025-12-27", "2025-12-28"], "\(device.name)")
            #expect(try device.column("SELECT id FROM habits WHERE active ORDER BY id") == ["h", "i"])
        }
        #expect(try Set(devices.map { try $0.replica().verify().digest }).count == 1)
    }

    @Test(
        "A day without a habit that was active on it stays not perfect where that goes back to paused",
        arguments: [GoingBack.restore, .importing],
        [true, false]
    )
    func pausedByGoingBack(way: GoingBack, isKnown: Bool) throws {
        let paused = """
            INSERT INTO habits (id, title, active, created_at, updated_at)
                VALUES ('k', 'Knit', 0, '2025-12-01T08:00:00Z', '2025-12-01T08:00:00Z');
            """
        let devices = try three(.slate, Self.habits + paused)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try step(devices)
        let moment = tablet.time.now
        try change("k", active: true, laptop)
        try step(devices)
        try openDay("2025-12-27", on: laptop, phone)
        try tick(laptop, "h", "2025-12-27")
        try tick(phone, "i", "2025-12-27")
        if isKnown { try step(devices) }
        try goBack(way, "k", active: false, tablet, moment)
        try step(devices)
        for device in devices {
            #expect(try perfect(device) == ["2025-12-28"], "\(device.name)")
            #expect(try device.column("SELECT id FROM habits WHERE active ORDER BY id") == ["h", "i"])
        }
        #expect(try Set(devices.map { try $0.replica().verify().digest }).count == 1)
    }

    @Test("A habit that is unticked and ticked anew between two syncs keeps its new moment, also after a restore")
    func tickedAnew() throws {
        let (laptop, phone) = try pair(.slate, Self.habits)
        try tick(laptop, "h", "2025-12-29")
        try step([laptop, phone])
        let moment = laptop.time.now
        try step([laptop, phone])
        let row = "habit_id = 'h' AND date = '2025-12-29'"
        // The identifier of the new row comes before that of the old one, or after it.
        for (id, time) in [("A", "20:00"), ("z", "22:00")] {
            try laptop.sql(
                """
                DELETE FROM habit_completions WHERE \(row);
                INSERT INTO habit_completions VALUES ('\(id)', 'h', '2025-12-29', '2025-12-29T\(time):00Z');
                """
            )
            try step([laptop, phone])
            for device in [laptop, phone] {
                let found = try device.column("SELECT completed_at FROM habit_completions WHERE \(row)")
                #expect(found == ["2025-12-29T\(time):00Z"], "\(device.name)")
            }
        }
        let restored = try laptop.replica().restore(at: moment)
        try step([laptop, phone])
        #expect(try phone.column("SELECT completed_at FROM habit_completions WHERE \(row)") == ["2025-12-29T08:00:00Z"])
        _ = try laptop.replica().restore(at: #require(restored.undoMoment))
        try step([laptop, phone])
        #expect(try phone.column("SELECT completed_at FROM habit_completions WHERE \(row)") == ["2025-12-29T22:00:00Z"])
    }

    @Test("A device that joins with completions of its own completes the day with the others")
    func joinedDay() throws {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", in: sandbox), try Device("Phone", in: sandbox))
        for (device, habit) in [(laptop, "h"), (phone, "i")] {
            try device.sql(Self.habits)
            try tick(device, habit, "2025-12-29")
        }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try syncAll(phone, laptop)
        for device in [laptop, phone] { #expect(try perfect(device) == ["2025-12-28", "2025-12-29"]) }
    }

    @Test("The exports of a phone that can do no more complete a day with the others, and take none away")
    func exportedDay() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox)
        try laptop.sql(Self.habits)
        try laptop.makeSpace()
        try laptop.sync()
        let phone = SyncDevice(id: "phone00000000000", name: "Phone")
        var document = try laptop.replica().document(at: laptop.time.now)
        func take() throws {
            laptop.time.advance(1000)
            _ = try laptop.replica().take(document, isWhole: true, exportedAt: nil, from: phone)
            try laptop.sync()
        }
        try take()
        try addHabit(laptop, "new")
        try tick(laptop, "h", "2025-12-29")
        try laptop.sync()
        var completions = document["habit_completions"]?.array ?? []
        completions.append([
            "id": "p", "habit_id": "i", "date": "2025-12-29", "completed_at": "2025-12-29T20:00:00Z",
        ])
        document["habit_completions"] = .array(completions)
        try take()
        #expect(try perfect(laptop) == ["2025-12-28", "2025-12-29"])
    }

    @Test("A run that one device deletes stays away where another only deletes its session")
    func deletedRun() throws {
        let session = "INSERT INTO session (id, position, name) VALUES ('s', 1, 'Legs');"
        let run = """
            INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds)
                VALUES ('r', 's', 'Legs', '2026-01-01T00:00:00.000Z', 60), ('q', 's', 'Legs', '2026-01-01T01:00:00.000Z', 60);
            """
        let (laptop, phone) = try pair(.bztimer, session + run)
        // The app's own doing: runs lose their session with it.
        try laptop.sql("DELETE FROM session; UPDATE history SET session_id = NULL")
        try phone.sql("DELETE FROM history WHERE id = 'r'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id || ifnull(session_id, '') FROM history") == ["q"])
            #expect(try device.replica().conflicts().isEmpty)
        }
        // Where the session comes back, so does what was run of it.
        try laptop.sql(session)
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.column("SELECT session_id FROM history") == ["s"]) }
    }

    @Test("Runs in conflict about their session name the sessions, and those of one name by their identifiers")
    func conflictingSessions() throws {
        let (laptop, phone) = try pair(
            .bztimer,
            """
            INSERT INTO session (id, position, name) VALUES ('s', 1, 'Legs'), ('t', 2, 'Legs'), ('u', 3, 'Arms');
            INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds)
                VALUES ('r', NULL, 'Legs', '2026-01-01T00:00:00Z', 60), ('q', NULL, 'Legs', '2026-01-01T01:00:00Z', 60);
            """
        )
        try laptop.sql("UPDATE history SET session_id = 's'")
        try phone.sql("UPDATE history SET session_id = CASE id WHEN 'r' THEN 't' ELSE 'u' END")
        for device in [laptop, phone, laptop] { try device.sync() }
        let conflicts = try laptop.replica().conflicts()
        #expect(
            conflicts.map(\.titles) == [
                ["s": "\"Legs\"", "u": "\"Arms\""], ["s": "\"Legs\" (s)", "t": "\"Legs\" (t)"],
            ]
        )
        let lines = ConflictReport(try #require(conflicts.last), ValueWords(.bztimer, .utc)).lines(.utc)
        #expect(lines.contains { $0.contains("  \"Legs\" (t)  (") }, "\(lines)")
    }

    private static func settings(_ categories: String) -> String {
        "INSERT INTO settings VALUES (1, 3, 10, 1, 1, 1, 'unlimited', '\(categories)', 1, NULL)"
    }

    /// The custom categories of a device's store.
    private func categories(_ device: Device) throws -> [String] {
        try BztimerStore(path: device.store, for: .reading).read { try $0.settings().customCategories }
    }

    private func setCategories(_ device: Device, _ names: String...) throws {
        try BztimerStore(path: device.store, for: .writing(mustExist: true)).write { records in
            var settings = try records.settings()
            settings.customCategories = names
            try records.save(settings)
        }
    }

    @Test("A category in several spellings is one on all devices, and goes with all of them")
    func spellings() throws {
        let devices = try three(.bztimer, Self.settings(#"["Yoga"]"#))
        let spellings = ["kr\u{e4}fte", "Kr\u{e4}fte", "Kra\u{308}FTE"]
        for (device, name) in zip(devices, spellings) { try setCategories(device, "Yoga", name) }
        try syncAll(devices[0], devices[1], devices[2])
        for device in devices {
            #expect(try categories(device).map { Array($0.utf8) } == ["Yoga", spellings[2]].map { Array($0.utf8) })
            #expect(try device.sync().issues.isEmpty)
            #expect(try device.replica().conflicts().isEmpty)
        }
        let digests = try devices.map { try $0.replica().verify().digest }
        #expect(Set(digests).count == 1)
        // A later device gets it so, and a rename leaves none of the spellings behind.
        let late = try newDevice("Late", beside: devices[0])
        #expect(try categories(late).count == 2)
        try setCategories(devices[1], "Yoga", "Strength")
        try syncAll(devices[0], devices[1], devices[2], late)
        for device in devices + [late] { #expect(try categories(device) == ["Yoga", "Strength"]) }
    }

    @Test("Devices that saw different spellings of a category lose none, and keep what the person chose")
    func spellingsApart() throws {
        let devices = try three(.bztimer, Self.settings("[]"))
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try setCategories(laptop, "abs")
        try setCategories(phone, "Abs")
        for device in [laptop, phone, laptop] { try device.sync() }
        // Two change a setting, which clears up, and a third has not seen any of it.
        try laptop.sql("UPDATE settings SET warning_seconds_before_end = 7")
        try phone.sql("UPDATE settings SET pre_countdown_seconds = 5")
        try setCategories(tablet, "ABS")
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try categories(device) == ["ABS"])
            let both = "SELECT warning_seconds_before_end || pre_countdown_seconds FROM settings"
            #expect(try device.column(both) == ["75"])
        }
        try setCategories(phone, "abs")
        try syncAll(laptop, phone, tablet)
        for device in devices { #expect(try categories(device) == ["abs"]) }
    }

    @Test("Of a category in two spellings the one that nobody meant to delete stays")
    func spellingUnseen() throws {
        let devices = try three(.bztimer, Self.settings("[]"))
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try setCategories(laptop, "Abs")
        for device in [laptop, tablet] { try device.sync() }
        try setCategories(phone, "abs")
        for device in [phone, laptop] { try device.sync() }
        #expect(try categories(laptop) == ["Abs"])
        // One has seen both and changes something else; another one has seen one, and deletes it.
        try laptop.sql("UPDATE settings SET warning_seconds_before_end = 7")
        try setCategories(tablet)
        try syncAll(laptop, phone, tablet)
        for device in devices { #expect(try categories(device) == ["abs"]) }
    }

    @Test("A category that is deleted in a store which lags behind goes in all spellings")
    func spellingsBehind() throws {
        let (laptop, phone) = try pair(.bztimer, Self.settings("[]"))
        try setCategories(laptop, "Abs")
        try setCategories(phone, "abs")
        try syncAll(laptop, phone)
        // The laptop's store refuses what comes, and the person edits what it has.
        try laptop.sql(
            """
            CREATE TRIGGER refuse BEFORE UPDATE ON settings WHEN new.warning_seconds_before_end = 7
            BEGIN SELECT raise(ABORT, 'refused'); END
            """
        )
        try phone.sql("UPDATE settings SET warning_seconds_before_end = 7")
        try phone.sync()
        _ = try? laptop.sync()
        #expect(try laptop.column("SELECT warning_seconds_before_end FROM settings") == ["10"])
        try laptop.sql("DROP TRIGGER refuse")
        try setCategories(laptop)
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try categories(device) == [])
            #expect(try device.column("SELECT warning_seconds_before_end FROM settings") == ["7"])
        }
    }

    @Test("The time of a session that two devices wrote follows from its events; else it is as written")
    func studiedTime() throws {
        let (laptop, phone) = try pair(
            .study,
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'paused', '2026-01-01T08:00:00Z', NULL, 601);
            INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e1', 's', 'started', '2026-01-01T08:00:00Z'),
                ('e2', 's', 'paused', '2026-01-01T08:10:00Z');
            """
        )
        func seconds(_ device: Device) throws -> [String] {
            try device.column("SELECT accumulated_seconds FROM session")
        }
        func addEvent(_ device: Device, _ id: String, _ type: String, _ time: String) throws {
            let values = "'\(id)', 's', '\(type)', '2026-01-01T\(time)Z'"
            try device.sql("INSERT INTO event (id, session_id, event_type, created_at) VALUES (\(values))")
        }
        // The app rounds.
        #expect(try seconds(phone) == ["601"])
        try addEvent(laptop, "e3", "resumed", "09:00:00")
        try addEvent(phone, "e4", "stopped", "09:30:00")
        try phone.sql("UPDATE session SET status = 'completed'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try seconds(device) == ["2400"]) }
        try phone.sql("UPDATE session SET accumulated_seconds = 2401")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try seconds(device) == ["2401"]) }
    }

    /// Events of an hour, and a session of which its app wrote another time.
    private static func hour(_ id: String, _ title: String, _ seconds: Int, events: Bool = true) -> String {
        let session = """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('\(id)', 'd', '\(title)', 'completed', '2026-01-01T08:00:00Z', '2026-01-01T09:00:00Z',
                    \(seconds));
            """
        guard events else { return session }
        let rows = """
            INSERT INTO event (id, session_id, event_type, created_at) VALUES
                ('\(id)1', '\(id)', 'started', '2026-01-01T08:00:00Z'),
                ('\(id)2', '\(id)', 'stopped', '2026-01-01T09:00:00Z');
            """
        return session + rows
    }

    @Test("The time of a session that a joining device has as others have it stays as it is")
    func joinedTime() throws {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", .study, in: sandbox)
        let phone = try Device("Phone", .study, in: sandbox)
        for (device, title) in [(laptop, "Maths"), (phone, "Algebra")] {
            try device.sql(Self.hour("a", title, 3000) + Self.hour("b", title, 5000))
            try device.sql(Self.hour("c", title, 3000, events: false))
            // Different times follow from the events.
            try device.sql(Self.hour("e", title, device.name == "Phone" ? 3000 : 2400))
        }
        // Each counted half an hour of its own.
        for (device, hour) in [(laptop, 10), (phone, 12)] {
            try device.sql(
                """
                INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                    VALUES ('f', 'd', '\(device.name)', 'paused', '2026-01-01T10:00:00Z', NULL, 1800);
                INSERT INTO event (id, session_id, event_type, created_at) VALUES
                    ('f\(hour)', 'f', '\(hour == 10 ? "started" : "resumed")', '2026-01-01T\(hour):00:00Z'),
                    ('f\(hour)p', 'f', 'paused', '2026-01-01T\(hour):30:00Z');
                """
            )
        }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        func seconds(_ device: Device) throws -> [String] {
            try device.column("SELECT id || accumulated_seconds FROM session ORDER BY id")
        }
        for round in 0..<2 {
            try syncAll(phone, laptop)
            for device in [laptop, phone] {
                #expect(try seconds(device) == ["a3000", "b5000", "c3000", "e3600", "f3600"], "\(round)")
            }
            // Who knows of both changes something else.
            try laptop.sql("UPDATE session SET title = 'Geometry'")
        }
    }

    @Test("An end before the start, which another device moved, is the start and is named", arguments: [true, false])
    func endBeforeStart(hasEvents: Bool) throws {
        let (laptop, phone) = try pair(.study, Self.hour("s", "Maths", 3600, events: hasEvents))
        try laptop.sql(
            """
            UPDATE session SET end_time = '2026-01-01T08:20:00Z', accumulated_seconds = 1200;
            UPDATE event SET created_at = '2026-01-01T08:20:00Z' WHERE id = 's2';
            """
        )
        try phone.sql(
            """
            UPDATE session SET start_time = '2026-01-01T08:40:00Z', accumulated_seconds = 1200;
            UPDATE event SET created_at = '2026-01-01T08:40:00Z' WHERE id = 's1';
            """
        )
        try syncAll(laptop, phone)
        let read = "SELECT substr(start_time, 12, 5) || substr(end_time, 12, 5) || accumulated_seconds FROM session"
        for device in [laptop, phone] {
            #expect(try device.column(read) == ["08:4008:400"])
            let told = ["it was before the start, which another device moved"]
            #expect(try device.replica().conflicts().map(\.explanation) == told)
            #expect(try device.replica().verify().differing.isEmpty)
            #expect(try device.sync().issues.isEmpty)
        }
        try laptop.sql("UPDATE session SET end_time = '2026-01-01T09:30:00Z', accumulated_seconds = 3000")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column(read) == ["08:4009:303000"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    /// Devices of which the phone stopped a session at 10:00, and is restored to when it ran.
    ///
    /// - Parameter isStoppedTwice: Whether the laptop stopped it, too, at 10:05.
    private func restoredWhileRunning(isStoppedTwice: Bool = false) throws -> (laptop: Device, phone: Device) {
        let (laptop, phone) = try pair(.study, Self.hour("o", "Old", 3600))
        try phone.sql(
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Latin', 'active', '2026-01-02T08:00:00Z', NULL, 0);
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e1', 's', 'started', '2026-01-02T08:00:00Z');
            """
        )
        let files = FileManager.default
        let names = [phone.store, phone.store + ".foldersync"]
        for name in names { try files.copyItem(atPath: name, toPath: name + ".image") }
        try syncAll(phone, laptop)
        try phone.sql(
            """
            UPDATE session SET status = 'completed', end_time = '2026-01-02T10:00:00Z', accumulated_seconds = 7200
                WHERE id = 's';
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e2', 's', 'stopped', '2026-01-02T10:00:00Z');
            """
        )
        if isStoppedTwice {
            try laptop.sql(
                """
                UPDATE session SET status = 'completed', end_time = '2026-01-02T10:05:00Z', accumulated_seconds = 7500
                    WHERE id = 's';
                INSERT INTO event (id, session_id, event_type, created_at)
                    VALUES ('e3', 's', 'stopped', '2026-01-02T10:05:00Z');
                """
            )
        }
        try syncAll(phone, laptop)
        for name in names {
            try files.removeItem(atPath: name)
            try files.copyItem(atPath: name + ".image", toPath: name)
        }
        for device in [laptop, phone] { device.time.advance(60_000) }
        return (laptop, phone)
    }

    @Test("A session that a restored device still has running keeps its end")
    func restoredSession() throws {
        let (laptop, phone) = try restoredWhileRunning()
        try phone.syncAccepting()
        try syncAll(phone, laptop)
        let read = "SELECT status || substr(end_time, 12, 5) || accumulated_seconds FROM session WHERE id = 's'"
        for device in [laptop, phone] {
            #expect(try device.column(read) == ["completed10:007200"])
            #expect(try device.replica().conflicts().isEmpty)
            #expect(try device.replica().verify().differing.isEmpty)
        }
    }

    @Test("Who decides for the end that is shown keeps it, though a restored device has none")
    func restoredSessionOfTwoEnds() throws {
        let (laptop, phone) = try restoredWhileRunning(isStoppedTwice: true)
        try phone.syncAccepting()
        try syncAll(phone, laptop)
        let read = "SELECT status || ifnull(substr(end_time, 12, 5), 'none') FROM session WHERE id = 's'"
        let shown = try laptop.column(read)
        #expect(shown == ["completed10:00"] || shown == ["completed10:05"])
        let conflict = try #require(try laptop.replica().conflicts().first { $0.path == ["end_time"] })
        let ends = conflict.choices.compactMap { $0.value?.string?.dropFirst(11).prefix(5).description }
        #expect(ends.sorted() == ["10:00", "10:05"])
        let key = RecordKey("sessions", "s")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: ["end_time"], value: .shown)])
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(try device.column(read) == shown)
            #expect(try !device.replica().conflicts().contains { $0.path == ["end_time"] })
        }
    }

    @Test("A start that a restored device moves behind the end is taken, and the end that is shown is known as seen")
    func restoredSessionWithLaterStart() throws {
        let (laptop, phone) = try restoredWhileRunning()
        try phone.sql("UPDATE session SET start_time = '2026-01-02T10:30:00Z' WHERE id = 's'")
        try phone.syncAccepting()
        try syncAll(phone, laptop, phone)
        let read = """
            SELECT substr(start_time, 12, 5) || ifnull(substr(end_time, 12, 5), 'none') FROM session WHERE id = 's'
            """
        for device in [laptop, phone] {
            #expect(try device.column(read) == ["10:3010:30"])
            #expect(try device.sync().issues.isEmpty)
            #expect(try device.replica().verify().differing.isEmpty)
        }
        // A person who moves the start has seen the end that is shown.
        try laptop.sql("UPDATE session SET start_time = '2026-01-02T09:00:00Z' WHERE id = 's'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.column(read) == ["09:0010:30"]) }
    }

    // MARK: Entries of which two devices moved the ends

    /// Milliseconds of a time of 1 January 2026, in UTC.
    private static func clock(_ hour: Int, _ minute: Int = 0) -> Int {
        1_767_225_600_000 + (hour * 60 + minute) * 60_000
    }

    private static let times = """
        SELECT strftime('%H:%M', start_ms / 1000, 'unixepoch') || strftime('%H:%M', end_ms / 1000, 'unixepoch')
            FROM activity
        """

    /// Devices with one entry from 8 to 12, or one that runs since 8.
    private func entry(isRunning: Bool = false) throws -> (laptop: Device, phone: Device) {
        let end = isRunning ? "NULL" : "\(Self.clock(12))"
        return try pair(
            .tracker,
            "INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('a', 'Work', \(Self.clock(8)), \(end))"
        )
    }

    @Test(
        "An entry whose end another device moved before its start ends with its start, and is named",
        arguments: [true, false]
    )
    func crossedEntry(isRunning: Bool) throws {
        let (laptop, phone) = try entry(isRunning: isRunning)
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(11, 30))")
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(11))")
        try syncAll(laptop, phone)
        let tablet = try Device("Tablet", .tracker, in: laptop.sandbox, folder: laptop.folder)
        try tablet.join()
        // A change of another member arrives everywhere.
        try phone.sql("UPDATE activity SET extra = '{\"description\":\"later\"}'")
        try syncAll(laptop, phone, tablet)
        for device in [laptop, phone, tablet] {
            #expect(try device.column(Self.times) == ["11:3011:30"])
            #expect(try device.column("SELECT extra FROM activity") == ["{\"description\":\"later\"}"])
            let told = ["it was before the start, which another device moved"]
            #expect(try device.replica().conflicts().map(\.explanation) == told)
            #expect(try device.replica().verify().differing.isEmpty)
            #expect(try device.sync().issues.isEmpty)
        }
        // A person who moves the start has seen the end that is shown.
        try phone.sql("UPDATE activity SET start_ms = \(Self.clock(10))")
        try syncAll(phone, laptop, tablet)
        for device in [laptop, phone, tablet] {
            #expect(try device.column(Self.times) == ["10:0011:30"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test("Who decides for an entry as it is shown decides its end")
    func crossedEntryDecided() throws {
        let (laptop, phone) = try entry()
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(11, 30))")
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(11))")
        try syncAll(laptop, phone)
        let key = RecordKey("activities", "a")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: ["endTime"], value: .shown)])
        try syncAll(laptop, phone)
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(9))")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column(Self.times) == ["09:0011:30"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test("Of two ends the one that goes with the start is shown, and the other can be chosen", arguments: [0, 1])
    func crossedEntryOfTwoEnds(choice: Int) throws {
        let (laptop, phone) = try entry()
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(14)), end_ms = \(Self.clock(17))")
        try laptop.sync()
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(9, 30))")
        phone.time.advance(60_000)
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column(Self.times) == ["14:0017:00"])
            let conflicts = try device.replica().conflicts()
            #expect(conflicts.map(\.path) == [["endTime"]])
            #expect(conflicts.first?.choices.map(\.isShown) == [true, false])
            #expect(try device.replica().verify().differing.isEmpty)
        }
        let decision: ConflictDecision.Value = choice == 0 ? .shown : .choice(1)
        let key = RecordKey("activities", "a")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: ["endTime"], value: decision)])
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column(Self.times) == [choice == 0 ? "14:0017:00" : "14:0014:00"])
            #expect(try device.replica().conflicts().compactMap(\.explanation).count == choice)
        }
    }

    @Test("Where no end goes with the start, the conflict shows what the stores have, and all ends can be chosen")
    func crossedEntryOfEnds() throws {
        let (laptop, phone) = try entry()
        let tablet = try Device("Tablet", .tracker, in: laptop.sandbox, folder: laptop.folder)
        try tablet.join()
        try tablet.sync()
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(11, 30))")
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(11))")
        try tablet.sql("UPDATE activity SET end_ms = \(Self.clock(10))")
        try syncAll(laptop, phone, tablet)
        let conflict = try #require(try laptop.replica().conflicts().first { $0.choices.count > 1 })
        let ends = conflict.choices.map { $0.value?.string?.dropFirst(11).prefix(5).description }
        #expect(ends.first == "11:30" && Set(ends) == ["11:30", "11:00", "10:00"])
        let key = RecordKey("activities", "a")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: ["endTime"], value: .choice(0))])
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(9))")
        try syncAll(laptop, phone, tablet)
        for device in [laptop, phone, tablet] {
            #expect(try device.column(Self.times) == ["09:0011:30"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test("An end of the shown moment in another time zone is no other value")
    func crossedEntryOfEqualEnds() throws {
        let (laptop, phone) = try entry()
        let tablet = try Device("Tablet", .tracker, in: laptop.sandbox, folder: laptop.folder)
        try tablet.join()
        try tablet.sync()
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(14)), end_ms = \(Self.clock(17))")
        try laptop.sync()
        try tablet.sql("UPDATE activity SET end_ms = \(Self.clock(17)), end_offset = 60")
        tablet.time.advance(60_000)
        try tablet.sync()
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(9, 30))")
        phone.time.advance(120_000)
        try syncAll(phone, laptop, tablet)
        for device in [laptop, phone, tablet] {
            #expect(try device.column(Self.times) == ["14:0017:00"])
            #expect(try device.replica().conflicts().map(\.choices.count) == [2])
        }
    }

    @Test("A restore brings back the end that an entry had, also where an invariant shows that one now")
    func crossedEntryRestored() throws {
        let (laptop, phone) = try entry()
        try laptop.sql("UPDATE activity SET end_ms = \(Self.clock(11, 30))")
        try syncAll(laptop, phone)
        let before = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        try laptop.sql("UPDATE activity SET start_ms = \(Self.clock(11, 30))")
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(11))")
        try syncAll(laptop, phone)
        _ = try laptop.replica().restore(at: before)
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column(Self.times) == ["08:0011:30"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test("Two devices that move an end to one moment agree, whatever their time zones")
    func equalMoments() throws {
        let (laptop, phone) = try entry()
        try laptop.sql("UPDATE activity SET end_ms = \(Self.clock(13)), end_offset = 60")
        try phone.sql("UPDATE activity SET end_ms = \(Self.clock(13)), end_offset = -300")
        try syncAll(laptop, phone)
        #expect(try laptop.rows("activity") == phone.rows("activity"))
        for device in [laptop, phone] {
            #expect(try device.column(Self.times) == ["08:0013:00"])
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    @Test("The end that a person decides is the end of a session that two devices stopped", arguments: [0, 1])
    func stoppedTwice(choice: Int) throws {
        let (laptop, phone) = try pair(
            .study,
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'active', '2026-01-01T08:00:00Z', NULL, 0);
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e1', 's', 'started', '2026-01-01T08:00:00Z');
            """
        )
        for (device, hour) in [(laptop, 9), (phone, 10)] {
            let end = hour == 10 ? "10:00" : "09:00"
            try device.sql(
                """
                UPDATE session SET status = 'completed', end_time = '2026-01-01T\(end):00Z',
                    accumulated_seconds = \((hour - 8) * 3600);
                INSERT INTO event (id, session_id, event_type, created_at)
                    VALUES ('x\(hour)', 's', 'stopped', '2026-01-01T\(end):00Z');
                """
            )
        }
        try syncAll(laptop, phone)
        let conflict = try #require(try laptop.replica().conflicts().first { $0.path == ["end_time"] })
        let end = try #require(conflict.choices[choice].value?.string)
        let key = RecordKey("sessions", "s")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: ["end_time"], value: .choice(choice))])
        try syncAll(laptop, phone)
        let seconds = end == "2026-01-01T09:00:00Z" ? 3600 : 7200
        for device in [laptop, phone] {
            #expect(try device.column("SELECT end_time || accumulated_seconds FROM session") == ["\(end)\(seconds)"])
            let log = try StudyStore(path: device.store, for: .reading).read { try $0.log() }
            #expect(log.sessions.map { $0.seconds(log.events, until: nil) } == [seconds])
        }
    }

    @Test("What a device counted after the other one's end of a session is named")
    func countedAfterTheEnd() throws {
        let (laptop, phone) = try pair(
            .study,
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'active', '2026-01-01T08:00:00Z', NULL, 0);
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e1', 's', 'started', '2026-01-01T08:00:00Z');
            """
        )
        try laptop.sql(
            """
            UPDATE session SET status = 'completed', end_time = '2026-01-01T09:00:00Z', accumulated_seconds = 3600;
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e2', 's', 'stopped', '2026-01-01T09:00:00Z');
            """
        )
        try phone.sql(
            """
            UPDATE session SET status = 'paused', accumulated_seconds = 6600;
            INSERT INTO event (id, session_id, event_type, created_at) VALUES
                ('e3', 's', 'paused', '2026-01-01T09:30:00Z'), ('e4', 's', 'resumed', '2026-01-01T09:40:00Z'),
                ('e5', 's', 'paused', '2026-01-01T10:00:00Z');
            """
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT accumulated_seconds FROM session") == ["3600"])
            let conflicts = try device.replica().conflicts()
            #expect(conflicts.map(\.explanation) == ["after its end another device counted 50 min more"])
        }
    }

    @Test("The conflict of an event names its session")
    func eventOfASession() throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql("UPDATE event SET created_at = '2026-01-01T09:10:00Z' WHERE id = 'e4'")
        try phone.sql("UPDATE event SET created_at = '2026-01-01T09:20:00Z' WHERE id = 'e4'")
        try syncAll(laptop, phone)
        let conflicts = try laptop.replica().conflicts()
        #expect(conflicts.map(\.name.title) == ["stopped"] && conflicts.map(\.owner) == ["Maths"])
    }

    /// A session of 50 minutes with a pause of ten.
    private static let session = """
        INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
            VALUES ('s', 'd', 'Maths', 'completed', '2026-01-01T08:00:00Z', '2026-01-01T09:00:00Z', 3000);
        INSERT INTO event (id, session_id, event_type, created_at) VALUES
            ('e1', 's', 'started', '2026-01-01T08:00:00Z'), ('e2', 's', 'paused', '2026-01-01T08:20:00Z'),
            ('e3', 's', 'resumed', '2026-01-01T08:30:00Z'), ('e4', 's', 'stopped', '2026-01-01T09:00:00Z');
        """

    @Test("A session that one device deletes and another renames stays with its events", arguments: [true, false])
    func keptEvents(renamesFirst: Bool) throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try phone.sql("UPDATE session SET title = 'Algebra'")
        if renamesFirst { try phone.sync() }
        try laptop.sync()
        let sent = try phone.sync().published.flatMap(\.records).map(\.name.key)
        #expect(sent == (renamesFirst ? [] : ["s"]) + ["e1", "e2", "e3", "e4"])
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT title FROM session") == ["Algebra"])
            #expect(try device.column("SELECT id FROM event ORDER BY id") == ["e1", "e2", "e3", "e4"])
            let conflicts = try device.replica().conflicts()
            #expect(conflicts.map(\.name.collection) == ["sessions"])
        }
        let key = RecordKey("sessions", "s")
        _ = try laptop.replica().resolve([ConflictDecision(key: key, path: [], value: .shown)])
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("event").count == 4)
            #expect(try device.replica().conflicts().isEmpty)
        }
        // Somebody who has seen all of it deletes all of it.
        try phone.sql("DELETE FROM event; DELETE FROM session")
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.rows("event").isEmpty) }
    }

    @Test(
        "A session keeps its events, though a person settles the conflict before the others heard of it",
        arguments: [PlaceValue.kept, .removed]
    )
    func settledEarly(_ decision: PlaceValue) throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try phone.sql("UPDATE session SET title = 'Algebra'")
        try phone.sync()
        try laptop.sync()
        #expect(try laptop.rows("event").isEmpty)
        let key = RecordKey("sessions", "s")
        _ = try laptop.replica().resolve(
            [ConflictDecision(key: key, path: [], value: decision == .kept ? .shown : .removed)]
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("session").count == (decision == .kept ? 1 : 0))
            #expect(try device.rows("event").count == (decision == .kept ? 4 : 0))
            #expect(try device.replica().conflicts().isEmpty)
        }
    }

    /// What a person decides of a record that somebody deleted.
    enum PlaceValue: Sendable { case kept, removed }

    @Test("What was restored with a session goes with it, where others deleted that who knew of neither")
    func orphans() throws {
        let devices = try three(.study, Self.session)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try laptop.sql("UPDATE session SET title = 'Algebra'")
        try laptop.sync()
        try phone.sql("DELETE FROM event; DELETE FROM session")
        // The phone tells of its deletion before it takes in the title.
        try phone.sync()
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        #expect(try tablet.sync().published.flatMap(\.records).count == 4)
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try device.rows("session").isEmpty)
            #expect(try device.rows("event").isEmpty)
            #expect(try device.replica().verify().digest == laptop.replica().verify().digest)
        }
    }

    @Test("An event that one device deletes stays deleted where its session is deleted and changed, too")
    func deletedAlone() throws {
        let devices = try three(.study, Self.session)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try phone.sql("UPDATE session SET title = 'Algebra'; DELETE FROM event WHERE id = 'e2'")
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try laptop.sync()
        try phone.sync()
        try tablet.sync()
        try syncAll(laptop, phone, tablet)
        for device in devices { #expect(try device.column("SELECT id FROM event ORDER BY id") == ["e1", "e3", "e4"]) }
    }

    /// Lets weeks pass in which the first two devices compact, so that checkpoints alone tell of the past.
    private func compact(_ devices: [Device]) throws {
        for _ in 1...3 {
            for device in devices.prefix(2) { _ = try device.replica().compact() }
            for device in devices { device.time.advance(9 * 86_400_000) }
        }
        #expect(try Transport.files(devices[0].folder).allSatisfy { !$0.hasSuffix(".seg") && !$0.hasSuffix(".pack") })
    }

    @Test("An event that one device deletes stays deleted, though a checkpoint tells of it, and not of who did what")
    func deletedAloneInCheckpoint() throws {
        let devices = try three(.study, Self.session)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try phone.sql("UPDATE session SET title = 'Algebra'; DELETE FROM event WHERE id = 'e2'")
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        for device in [laptop, phone, laptop, phone, laptop] { try device.sync() }
        try compact(devices)
        let notes = try tablet.sync().notes
        #expect(notes.contains { $0.hasPrefix("removed 1 record of \"Algebra\"") }, "\(notes)")
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try device.column("SELECT id FROM event ORDER BY id") == ["e1", "e3", "e4"])
            #expect(try device.replica().verify().digest == laptop.replica().verify().digest)
        }
    }

    @Test("Events come back with their session, where only a checkpoint tells that all of them are gone")
    func deletedInCheckpoint() throws {
        let devices = try three(.study, Self.session)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        for device in [laptop, phone] { try device.sync() }
        try compact(devices)
        try tablet.sql("UPDATE session SET title = 'Algebra'")
        #expect(try tablet.sync().published.flatMap(\.records).count == 5)
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try device.column("SELECT title FROM session") == ["Algebra"])
            #expect(try device.rows("event").count == 4)
            #expect(try device.replica().verify().digest == laptop.replica().verify().digest)
        }
    }

    @Test("A button that is restored to its former name brings back no activity that was deleted meanwhile")
    func restoredName() throws {
        let (laptop, _) = try pair(
            .tracker,
            """
            INSERT INTO button (id, name, color, icon, is_default, position, is_visible)
                VALUES ('b', 'Work', '#112233', 'W', 0, 0, 1);
            INSERT INTO activity (id, name, button_id, start_ms, end_ms) VALUES
                ('1', 'Work', 'b', 1760000000000, 1760000600000), ('2', 'Work', 'b', 1760001000000, 1760001600000);
            """
        )
        let before = laptop.time.now
        laptop.time.advance(60_000)
        try laptop.sql("UPDATE button SET name = 'Office'; DELETE FROM activity WHERE id = '2'")
        let changed = try laptop.sync().published.flatMap(\.records).map(\.name)
        #expect(changed.count == 2)
        let button = try #require(changed.first { $0.collection == "buttons" })
        let key = RecordKey(button.collection, button.key)
        #expect(try laptop.replica().differences(toMoment: before, of: key).map(\.name.collection) == ["buttons"])
    }

    @Test("Taking a restored session back takes its events back", arguments: [true, false])
    func restoredSession(alone: Bool) throws {
        let (laptop, phone) = try pair(.study, Self.session)
        let before = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try syncAll(laptop, phone)
        let key = alone ? RecordKey("sessions", "s") : nil
        let restored = try laptop.replica().restore(at: before, of: key)
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.rows("event").count == 4) }
        _ = try laptop.replica().restore(at: #require(restored.undoMoment), of: key)
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("session").isEmpty)
            #expect(try device.rows("event").isEmpty)
        }
    }

    @Test("A store in which a session runs again gets it back as it ended; an undo goes on as another one")
    func runsAgain() throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql(
            "UPDATE session SET status = 'active', end_time = NULL, accumulated_seconds = 0; DELETE FROM event WHERE id = 'e4'"
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone] { #expect(try device.rows("event").count == 4) }
        for device in [laptop, phone] {
            #expect(
                try device.column("SELECT status || end_time || accumulated_seconds FROM session")
                    == ["completed2026-01-01T09:00:00Z3000"]
            )
        }
        let store = try StudyStore(path: laptop.store, for: .writing(mustExist: true))
        let moment = try #require(ZonedTimestamp("2026-01-02T08:00:00Z"))
        var number = 0
        func identifier() -> String {
            number += 1
            return "new-\(number)"
        }
        try store.write { records in
            _ = try records.keepingChange("start") { try records.start("Latin", at: moment, identifier: identifier) }
            _ = try records.keepingChange("stop") {
                try records.change(to: .stopped, at: moment, identifier: identifier)
            }
        }
        try syncAll(laptop, phone)
        _ = try store.write { try $0.undo(identifier: identifier) }
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT status FROM session WHERE title = 'Latin'") == ["active"])
            #expect(try device.column("SELECT event_type FROM event WHERE session_id LIKE 'new%'") == ["started"])
        }
    }

    @Test("A session that is over is not made half of one that runs by a restore")
    func runningBefore() throws {
        let running = Self.session.replacing("'completed'", with: "'active'")
            .replacing("'2026-01-01T09:00:00Z', 3000", with: "NULL, 1200")
            .replacing(", ('e4', 's', 'stopped', '2026-01-01T09:00:00Z')", with: "")
        let (laptop, phone) = try pair(.study, running)
        let before = laptop.time.now
        for device in [laptop, phone] { device.time.advance(60_000) }
        try laptop.sql(
            """
            UPDATE session SET status = 'completed', end_time = '2026-01-01T09:00:00Z', accumulated_seconds = 3000;
            INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e4', 's', 'stopped', '2026-01-01T09:00:00Z')
            """
        )
        try syncAll(laptop, phone)
        #expect(try phone.replica().staying(toMoment: before).map(\.key) == ["s"])
        _ = try phone.replica().restore(at: before)
        try syncAll(phone, laptop)
        for device in [laptop, phone] {
            #expect(
                try device.column("SELECT status || end_time || accumulated_seconds FROM session")
                    == ["completed2026-01-01T09:00:00Z3000"]
            )
        }
    }

    @Test("A restore is taken back, though another device's clock is a year ahead")
    func clockAhead() throws {
        let (laptop, phone) = try pair(.study, Self.session)
        let before = phone.time.now
        laptop.time.advance(365 * 86_400_000)
        try laptop.sql("UPDATE session SET title = 'Algebra'")
        phone.time.advance(60_000)
        try laptop.sync()
        try phone.sync()
        try phone.sql("UPDATE session SET title = title || ' II'")
        try syncAll(phone, laptop)
        let restored = try phone.replica().restore(at: before)
        try syncAll(phone, laptop)
        _ = try phone.replica().restore(at: #require(restored.undoMoment))
        try syncAll(phone, laptop)
        for device in [laptop, phone] { #expect(try device.column("SELECT title FROM session") == ["Algebra II"]) }
        // The phone's edit is the later one, though its clock is behind.
        let key = RecordKey("sessions", "s")
        let edit = try phone.replica().differences(toMoment: before, of: key).first?.edit
        #expect(edit?.device == phone.environment.device)
    }

    @Test("A session made anew does not bring back the events of a former one with its id")
    func madeAnew() throws {
        let devices = try three(.study, Self.session)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        // The tablet is away until the end.
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try syncAll(laptop, phone)
        let made = Self.session.replacingOccurrences(of: "'e", with: "'f")
        try laptop.sql(made)
        try syncAll(laptop, phone)
        try phone.sql("DELETE FROM event; DELETE FROM session")
        try laptop.sql("UPDATE session SET title = 'Algebra'")
        try syncAll(laptop, phone)
        try syncAll(tablet, laptop, phone)
        for device in devices {
            #expect(try device.column("SELECT id FROM event ORDER BY id") == ["f1", "f2", "f3", "f4"])
        }
    }

    @Test("A session that stayed goes with its events where a person decides so")
    func removedEvents() throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try phone.sql("UPDATE session SET title = 'Algebra'")
        try syncAll(laptop, phone)
        let key = RecordKey("sessions", "s")
        _ = try phone.replica().resolve([ConflictDecision(key: key, path: [], value: .removed)])
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.rows("session").isEmpty)
            #expect(try device.rows("event").isEmpty)
        }
    }

    @Test("An event that one device deletes is gone, while another renames the session")
    func deletedEvent() throws {
        let (laptop, phone) = try pair(.study, Self.session)
        try laptop.sql("DELETE FROM event WHERE id = 'e2'; UPDATE session SET accumulated_seconds = 3600")
        try phone.sql("UPDATE session SET title = 'Algebra'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT title FROM session") == ["Algebra"])
            #expect(try device.column("SELECT id FROM event ORDER BY id") == ["e1", "e3", "e4"])
            #expect(try device.replica().conflicts().isEmpty)
        }
        #expect(try laptop.replica().verify().digest == phone.replica().verify().digest)
        // It stays so where the session is deleted and changed later.
        try laptop.sql("DELETE FROM event; DELETE FROM session")
        try phone.sql("UPDATE session SET title = 'Geometry'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT id FROM event ORDER BY id") == ["e1", "e3", "e4"])
        }
    }

    @Test("A habit that one device deletes and others change stays with its completions, though two restore them")
    func keptCompletions() throws {
        let devices = try three(.slate, Self.habits)
        let (laptop, phone, tablet) = (devices[0], devices[1], devices[2])
        try phone.sql("UPDATE habits SET title = 'Run far' WHERE id = 'h'")
        try tablet.sql("UPDATE habits SET notes = 'In the park' WHERE id = 'h'")
        try laptop.sql("DELETE FROM habit_completions WHERE habit_id = 'h'; DELETE FROM habits WHERE id = 'h'")
        try laptop.sync()
        // The tablet has what the laptop sent, and not yet what the phone makes of it.
        let copy = laptop.sandbox.path("copy")
        try FileManager.default.copyItem(atPath: laptop.folder, toPath: copy)
        try phone.sync()
        _ = try Replica(folder: copy, store: tablet.store, tablet.environment).sync()
        for file in try FileManager.default.subpathsOfDirectory(atPath: copy) {
            try? FileManager.default.copyItem(atPath: "\(copy)/\(file)", toPath: "\(laptop.folder)/\(file)")
        }
        try syncAll(laptop, phone, tablet)
        for device in devices {
            #expect(try device.column("SELECT title || notes FROM habits WHERE id = 'h'") == ["Run farIn the park"])
            #expect(try device.column("SELECT id FROM habit_completions ORDER BY id") == ["1", "2"])
            #expect(try device.replica().verify().digest == laptop.replica().verify().digest)
            #expect(try device.replica().conflicts().map(\.name.collection) == ["habits"])
        }
        _ = try laptop.replica().resolve([ConflictDecision(key: RecordKey("habits", "h"), path: [], value: .removed)])
        try syncAll(laptop, phone, tablet)
        for device in devices { #expect(try device.column("SELECT id FROM habit_completions") == ["2"]) }
    }

    @Test("Events of several devices at one moment count as they can have happened, whatever their ids")
    func eventsOfOneMoment() throws {
        let (laptop, phone) = try pair(
            .study,
            """
            INSERT INTO session (id, device_id, title, status, start_time, end_time, accumulated_seconds)
                VALUES ('s', 'd', 'Maths', 'paused', '2026-01-01T08:00:00Z', NULL, 600);
            INSERT INTO event (id, session_id, event_type, created_at)
                VALUES ('e1', 's', 'started', '2026-01-01T08:00:00Z'), ('e2', 's', 'paused', '2026-01-01T08:10:00Z');
            """
        )
        func addEvent(_ device: Device, _ id: String, _ type: String, _ time: String) throws {
            let values = "'\(id)', 's', '\(type)', '2026-01-01T\(time)Z'"
            try device.sql("INSERT INTO event (id, session_id, event_type, created_at) VALUES (\(values))")
        }
        // By its id it would stand before the pause.
        try addEvent(laptop, "a", "resumed", "08:10:00")
        try addEvent(phone, "e3", "stopped", "09:00:00")
        try phone.sql("UPDATE session SET status = 'completed'")
        try syncAll(laptop, phone)
        for device in [laptop, phone] {
            #expect(try device.column("SELECT accumulated_seconds FROM session") == ["3600"])
        }
    }

    @Test("A digest tells stores apart that show something else")
    func digests() throws {
        let (laptop, phone) = try pair(.bztimer, Self.history)
        func verified(_ device: Device) throws -> FolderVerification { try device.replica().verify() }
        #expect(try verified(laptop).digest == verified(phone).digest)
        try BztimerStore(path: laptop.store, for: .writing(mustExist: true)).write { try $0.evictHistory(ids: ["old"]) }
        try syncAll(laptop, phone)
        #expect(try verified(laptop).digest != verified(phone).digest)
        #expect(try verified(laptop).stateDigest == verified(phone).stateDigest)
        #expect(try [verified(laptop).evicted, verified(phone).evicted] == [1, 0])
    }

    // MARK: History

    private static let history = """
        INSERT INTO history (id, session_id, session_name, completed_at, total_duration_seconds) VALUES
            ('old', NULL, 'Legs', '2025-06-01T08:00:00Z', 60), ('new', NULL, 'Legs', '2025-12-28T08:00:00Z', 60),
            ('last', NULL, 'Legs', '2025-12-29T08:00:00Z', 60);
        """

    private func history(_ device: Device) throws -> [String] {
        try device.column("SELECT id FROM history ORDER BY id")
    }

    /// A device that joins later.
    private func newDevice(_ name: String = "Tablet", beside laptop: Device) throws -> Device {
        let tablet = try Device(name, .bztimer, in: laptop.sandbox)
        try tablet.join()
        try tablet.sync()
        return tablet
    }

    @Test("History that a person deletes is deleted everywhere, and a new device gets none of it")
    func clearedHistory() throws {
        let (laptop, phone) = try pair(.bztimer, Self.history)
        #expect(
            try BztimerStore(path: laptop.store, for: .writing(mustExist: true)).write { try $0.clearHistory() } == 3
        )
        try syncAll(laptop, phone)
        for device in [laptop, phone, try newDevice(beside: laptop)] { #expect(try history(device).isEmpty) }
    }

    @Test("A cleared history of many entries needs no second decision")
    func clearedLongHistory() throws {
        let (laptop, phone) = try pair(.bztimer, Self.history)
        for number in 0..<40 {
            try laptop.sql(
                """
                INSERT INTO history (id, session_name, completed_at, total_duration_seconds)
                VALUES ('h\(number)', 'Legs', '2025-12-29T08:00:00Z', 60)
                """
            )
        }
        try syncAll(laptop, phone)
        _ = try BztimerStore(path: phone.store, for: .writing(mustExist: true)).write { try $0.clearHistory() }
        try syncAll(phone, laptop)
        #expect(try history(laptop).isEmpty)
    }

    @Test("History that retention removes is gone there, does not come back there, and stays elsewhere")
    func evictedHistory() throws {
        let (laptop, phone) = try pair(.bztimer, Self.history)
        // The setting was taken back before anything was synchronised: the entry is evicted all the same.
        try BztimerStore(path: laptop.store, for: .writing(mustExist: true)).write { try $0.evictHistory(ids: ["old"]) }
        try syncAll(laptop, phone)
        #expect(try history(laptop) == ["last", "new"])
        #expect(try history(phone) == ["last", "new", "old"])
        #expect(try history(newDevice(beside: laptop)) == ["last", "new", "old"])
        // Nothing brings it back there, and a person can still delete it for all.
        try phone.sql("UPDATE history SET session_name = 'Long legs' WHERE id = 'old'")
        try syncAll(phone, laptop)
        #expect(try history(laptop) == ["last", "new"])
        _ = try BztimerStore(path: phone.store, for: .writing(mustExist: true)).write { try $0.clearHistory() }
        try syncAll(phone, laptop)
        #expect(try history(laptop).isEmpty && history(newDevice("Watch", beside: laptop)).isEmpty)
    }

    @Test("Of what another program removes, only what the settings no longer keep counts as evicted")
    func removedByOthers() throws {
        let (laptop, phone) = try pair(
            .bztimer,
            Self.history + "INSERT INTO settings (id, history_retention, is_pro_user) VALUES (1, '3months', 1);"
        )
        try laptop.sql("DELETE FROM history WHERE id IN ('old', 'new')")
        try syncAll(laptop, phone)
        #expect(try history(laptop) == ["last"])
        #expect(try history(phone) == ["last", "old"])
    }

    @Test("What is deleted of other logs is deleted everywhere")
    func otherLogs() throws {
        let logs: [(AppID, String, String)] = [
            (
                .slate, "activity_log",
                "INSERT INTO activity_log VALUES ('l', '2020-01-01T08:00:00Z', 'task', 't', 'completed', NULL)"
            ),
            (
                .study, "event",
                "INSERT INTO event (id, session_id, event_type, created_at) VALUES ('e', 's', 'started', '2020-01-01T08:00:00Z')"
            ),
        ]
        for (app, table, sql) in logs {
            let (laptop, phone) = try pair(app, sql)
            #expect(try phone.rows(table).count == 1)
            try phone.sql("DELETE FROM \(table)")
            try syncAll(phone, laptop)
            #expect(try laptop.rows(table).isEmpty && phone.rows(table).isEmpty, "\(table)")
        }
    }

    // MARK: Order

    @Test("Sessions and activities have one order on all devices", arguments: ["session", "template"])
    func order(_ table: String) throws {
        // What the app's own reader takes.
        func insert(_ rows: (id: String, position: Int)...) -> String {
            let (columns, values) =
                table == "session"
                ? ("name", "'N'") : ("label, type, mode, duration_seconds", "'L', 'activity', 'duration', 30")
            let all = rows.map { "('\($0.id)', \($0.position), \(values))" }.joined(separator: ", ")
            return "INSERT INTO \(table) (id, position, \(columns)) VALUES \(all)"
        }
        let (laptop, phone) = try pair(.bztimer, insert(("a", 1), ("b", 2), ("c", 3)))
        func ids(_ device: Device) throws -> [String] {
            try device.column("SELECT id FROM \(table) ORDER BY position, id")
        }
        // Each adds one at the end, and one moves the last to the beginning.
        try laptop.sql(insert(("l", 4)))
        try phone.sql(insert(("p", 4)))
        try phone.sql("UPDATE \(table) SET position = 0 WHERE id = 'c'")
        try syncAll(laptop, phone)
        #expect(try ids(laptop) == ids(phone))
        #expect(try ids(laptop).prefix(3) == ["c", "a", "b"])
        // A device that has some of them otherwise takes the order that the others have.
        let tablet = try Device("Tablet", .bztimer, in: laptop.sandbox)
        try tablet.sql(insert(("b", 1), ("t", 2), ("a", 3)))
        let before = try ids(laptop)
        try tablet.join()
        try syncAll(tablet, laptop, phone)
        #expect(try ids(laptop).filter { $0 != "t" } == before)
        #expect(try ids(tablet) == ids(laptop) && ids(phone) == ids(laptop))
        #expect(try laptop.replica().conflicts().isEmpty)
    }
}
