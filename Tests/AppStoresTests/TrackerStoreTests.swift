import BZTimer
import CivilTime
import FormatKit
import Foundation
import GymPulse
import RecordStore
import SQLiteDatabase
import StrictJSON
import StudyTimer
import Testing
import TestSupport
import TimeTracker

@Suite struct TrackerStoreTests {
    private let box: TrackerSandbox

    init() throws { box = try TrackerSandbox() }

    private static let fixtures = ["v1", "v2"].flatMap { version in
        ((try? Fixtures.names(in: "tracker/\(version)")) ?? []).filter { $0.hasSuffix(".json") }
    }

    @Test(arguments: Self.fixtures)
    func exportsComeBackAsTheyWere(name: String) throws {
        let content = try TrackerContent.read(try Fixtures.bytes(name))
        #expect(try box.writing().importing(content).isApplied == !(content.count == 0 && content.buttons.isEmpty))
        guard content.count > 0 else { return }
        let first = try box.export(at: content.exportedAt)
        #expect(try first == content.encoded().bytes)
        #expect(try box.writing("b.db").importing(.read(first)).isApplied)
        #expect(try box.export("b.db", at: content.exportedAt) == first)
        // By way of version 1.
        let old = try box.export(at: content.exportedAt, version: 1)
        #expect(try box.writing("c.db").importing(.read(old)).isApplied)
        #expect(try box.export("c.db", at: content.exportedAt) == first)
        #expect(try box.export("c.db", at: content.exportedAt, version: 1) == old)
        // The same file again changes nothing.
        let again = try box.writing().importing(content)
        #expect(again.plan.isEmpty && !again.isApplied)
        #expect(again.plan.count(.skip, .activity) == content.count)
    }

    @Test("A first import that ended within its transaction leaves no store, whichever command looks first")
    func interruptedFirst() throws {
        let copy = box.path("copy.db")
        let queue = try DatabaseQueue(path: box.path("open.db"))
        try queue.writeWithoutTransaction { database in
            // Pages that do not fit are written before the commit, as those of a long import are.
            try database.execute(sql: "PRAGMA cache_size = 1; BEGIN; CREATE TABLE rows (text)")
            for _ in 0..<100 { try database.execute(sql: "INSERT INTO rows VALUES (hex(randomblob(2000)))") }
            for ending in ["", "-journal"] {
                try FileManager.default.copyItem(atPath: box.path("open.db") + ending, toPath: copy + ending)
            }
            try database.execute(sql: "ROLLBACK")
        }
        #expect(FileManager.default.contents(atPath: copy)?.isEmpty == false)
        #expect(try TimeLogStore.kind(of: copy) == nil)
        #expect(throws: StoreError.self) { try TrackerStore(path: copy, for: .reading) }
        _ = try TrackerStore(path: copy, for: .writing(mustExist: false))
    }

    @Test func awkwardValuesSurvive() throws {
        let extra = try Samples.extra()
        let activities = [
            TrackerActivity(
                id: "a\u{0}b",
                name: "Name\u{0}\u{1F3CB}",
                buttonID: "",
                start: moment("0000-01-01T00:00:00.000000001Z"),
                end: moment("9999-12-31T23:59:59.999999999Z"),
                unknownMembers: extra
            ),
            TrackerActivity(id: "é", name: "x", start: moment("1969-12-31T23:59:59.999999999-23:59")),
            TrackerActivity(
                id: "e\u{301}",
                name: "x",
                start: moment("1960-01-01T00:00:00Z"),
                end: moment("1960-01-01T00:00:00Z")
            ),
        ]
        let button = ActivityButton(
            id: "b\u{0}",
            name: "é",
            color: "#aAbBcC",
            icon: "\u{0}",
            position: 2_147_483_647,
            unknownMembers: extra
        )
        let content = try TrackerContent.made(activities, buttons: [button])
        #expect(try box.writing().importing(content).plan.line == "button: create 1; activity: create 3")
        let stored = try box.activities()
        #expect(stored.map(\.json) == [activities[0], activities[2], activities[1]].map(\.json))
        #expect(try box.reading().read { try $0.buttons() }.map(\.json) == [button.json])
        #expect(try box.reading().read { try $0.activity(id: "a\u{0}b") }?.isSame(as: activities[0]) == true)
        #expect(try box.reading().read { try $0.activity(id: "a") } == nil)
    }

    // MARK: Start and stop

    @Test func startingStopsWhatIsRunning() throws {
        let store = try box.writing()
        let added = try store.write { try $0.addPresets() }
        #expect(
            added.map(\.name) == ["Sleep", "Work", "Meal", "Exercise", "Commute", "Study", "Break", "Entertainment"]
        )
        #expect(try store.write { try $0.addPresets() }.isEmpty)
        let work = try #require(try store.read { try $0.button(named: "WORK") })
        let meal = try #require(try store.read { try $0.button(named: "meal") })
        let first = try store.write { try $0.start(work, id: "1", at: moment("2026-03-01T08:00:00+01:00")) }
        #expect(first.stopped == nil && first.started?.color == "#0A84FF")
        let second = try store.write { try $0.start(meal, id: "2", at: moment("2026-03-01T12:00:00+01:00")) }
        #expect(second.stopped?.id == "1")
        #expect(second.stopped?.end == moment("2026-03-01T12:00:00+01:00"))
        #expect(try store.read { try $0.running() }?.id == "2")
        let again = #expect(throws: AppFormatError.self) {
            try store.write { try $0.start(meal, id: "3", at: moment("2026-03-01T12:30:00+01:00")) }
        }
        #expect(again?.code == .trackerState)
        let early = #expect(throws: AppFormatError.self) {
            try store.write { try $0.stop(at: moment("2026-03-01T11:00:00+01:00")) }
        }
        #expect(early?.message.contains("check the clock") == true)
        #expect(early?.message.contains("entries edit running --start") == true)
        #expect(try store.write { try $0.stop(at: moment("2026-03-01T12:30:00+01:00")) }.stopped?.id == "2")
        #expect(throws: AppFormatError.self) { try store.write { try $0.stop(at: moment("2026-03-01T13:00:00Z")) } }
        #expect(try box.activities().map(\.isRunning) == [false, false])
    }

    @Test func hiddenButtonsKeepTheirActivities() throws {
        let store = try box.writing()
        try store.write { records in
            _ = try records.addPresets()
            var work = try #require(try records.button(named: "Work"))
            _ = try records.start(work, id: "1", at: moment("2026-03-01T08:00:00Z"))
            work.isVisible = false
            try records.save(work)
        }
        #expect(
            try store.read { try $0.buttons() }.map(\.isVisible) == [true, false, true, true, true, true, true, true]
        )
        #expect(try store.read { try $0.running() }?.buttonID == "preset-work")
    }

    // MARK: Files

    @Test func aStoreIsOneOfItsKind() throws {
        let bztimer = try BztimerStore(path: box.path("b.db"), for: .writing(mustExist: false))
        try bztimer.makeTables()
        #expect(throws: StoreError.self) { try TrackerStore(path: bztimer.path, for: .reading) }
        #expect(throws: StoreError.self) { try TrackerStore(path: box.path("none.db"), for: .reading) }
        try box.writing().makeTables()
        #expect(try TimeLogStore.kind(of: box.path()) == .tracker)
        let pages = try DatabaseQueue(path: box.path()).read { try Int.fetchOne($0, sql: "PRAGMA page_size") }
        #expect(pages == 16_384)
        #expect(try TimeLogStore.kind(of: box.path("b.db")) == nil)
        let study = try StudyStore(path: box.path("timer.db"), for: .writing(mustExist: false))
        try study.makeTables()
        #expect(try TimeLogStore.kind(of: study.path) == .study)
    }

    /// A dry run changes no byte, and needs no store.
    @Test func aDryRunWritesNothing() throws {
        let content = try TrackerContent.read(try Fixtures.bytes("tracker/v2/offsets.json"))
        let none = try TrackerStore(path: box.path(), for: .nothing)
        let plan = try none.importing(content, options: TrackerImportOptions(isDryRun: true)).plan
        #expect(plan.line == "button: create 8; activity: create 3")
        #expect(!box.sandbox.has("tracker.db"))
        let result = try box.writing().importing(content)
        #expect(result.plan == plan)
        let before = try box.sandbox.bytes("tracker.db")
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: box.path())
        let other = try TrackerContent.read(try Fixtures.bytes("tracker/v2/spring-night.json"))
        let dry = try box.reading().importing(other, options: TrackerImportOptions(isDryRun: true))
        #expect(dry.plan.line == "button: skip 8; activity: create 5, update 1" && !dry.isApplied)
        #expect(try box.sandbox.bytes("tracker.db") == before)
        #expect(try box.sandbox.names() == ["tracker.db"])
    }

    @Test func aNoChangesNothing() throws {
        let content = try TrackerContent.read(try Fixtures.bytes("tracker/v2/offsets.json"))
        let store = try box.writing()
        try store.makeTables()
        let result = try store.importing(
            content,
            options: TrackerImportOptions(confirm: { plan in
                #expect(plan.count(.create, .activity) == 3)
                return false
            })
        )
        #expect(!result.isApplied)
        #expect(try box.activities().isEmpty)
        struct Stopped: Error {}
        #expect(throws: Stopped.self) {
            try store.importing(content, options: TrackerImportOptions(confirm: { _ in throw Stopped() }))
        }
        #expect(try store.read { try $0.buttons() }.isEmpty)
        // The indexes are there again.
        #expect(try store.importing(content).isApplied)
        let indexes = try DatabaseQueue(path: box.path()).read {
            try String.fetchAll(
                $0,
                sql: "SELECT name FROM sqlite_master WHERE type = 'index' AND name LIKE 'activity%' ORDER BY 1"
            )
        }
        #expect(indexes == ["activity_id", "activity_long", "activity_running", "activity_start"])
    }

    @Test func aDamagedRowIsNamed() throws {
        let content = try TrackerContent.read(try Fixtures.bytes("tracker/v2/offsets.json"))
        _ = try box.writing().importing(content)
        try DatabaseQueue(path: box.path()).write {
            try $0.execute(sql: "UPDATE activity SET extra = '[' WHERE key = 2")
        }
        let error = #expect(throws: StoreError.self) { try box.export() }
        #expect(
            error?.message
                == "the activity with the key 2 has the text \"[\" in the column extra, expected a JSON object or NULL; "
                + "correct it with sqlite3"
        )
    }

    // MARK: Days

    /// What the indexes find of a day is what all activities give.
    @Test func daysAreFoundByIndexes() throws {
        let clock = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
        for seed in UInt64(1)...20 {
            var random = SeededGenerator(seed: seed)
            let base = 1_772_000_000
            var activities: [TrackerActivity] = []
            for index in 0..<200 {
                let start = Timestamp(seconds: base + Int.random(in: 0..<2_000_000, using: &random))
                let length = random.next() % 10 == 0 ? 400_000 : 20_000
                let end = start.adding(seconds: Int.random(in: 0...length, using: &random))
                activities.append(
                    TrackerActivity(id: "\(index)", name: "x", start: ZonedTimestamp(start), end: ZonedTimestamp(end))
                )
            }
            activities[7].end = nil
            let now = Timestamp(seconds: base + 1_900_000)
            let name = "\(seed).db"
            _ = try box.writing(name).importing(.made(activities))
            for offset in -1..<25 {
                let day = clock.day(of: Timestamp(seconds: base)).adding(days: offset)
                let found = try box.reading(name).read { try $0.summary(of: day, clock: clock, now: now) }
                let expected = DaySummary(of: day, clock: clock, now: now, activities: activities)
                #expect(found == expected, "seed \(seed), \(day)")
            }
        }
    }
}
