import FormatKit
@testable import RecordStore
@testable import BZTimer
import CivilTime
@testable import GymPulse
@testable import Slate
@testable import StudyTimer
@testable import TimeTracker
@testable import AppList
import StrictJSON
import TestSupport
import Testing

/// What the programs do with a store goes on where the store is linked, and is noted.
@Suite struct SyncNeighbourTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    // MARK: Slate

    @Test func exportsAreTheSame() throws {
        try sandbox.database(holding: try .autumnWeek())
        let before = try sandbox.exported()
        let store = try sandbox.linked("slate.db")
        try sandbox.sql("UPDATE tasks SET title = title")
        #expect(try store.journal().keys.count > 2)
        #expect(try sandbox.exported() == before)
        try store.removeLink()
        #expect(try sandbox.exported() == before)
    }

    @Test(arguments: [SlateImportMode.merge, .replace])
    func anImportIsDoneAndNotedAndUndone(mode: SlateImportMode) throws {
        try sandbox.database(holding: try .autumnWeek())
        try sandbox.sql("INSERT INTO tasks (id, title, created_at, updated_at) VALUES ('gone', 'G', '', '')")
        let store = try sandbox.linked("slate.db")
        let link = try store.read { try $0.link }
        try sandbox.sql("UPDATE tasks SET title = 'Mine' WHERE id = 'gone'")
        let (before, bytes, journal) = (try store.all(), try sandbox.exported(), try store.journal())

        let content = try SlateContent.made(
            meta: #"{"day_start": "05:00"}"#,
            other: #", "wish": 1"#,
            [
                .tasks: [SlateRow.task("new", #", "colour": "red""#)], .habits: [SlateRow.habit("h")],
                .habitCompletions: [
                    #"{"id": "c", "habit_id": "h", "date": "2026-01-01", "completed_at": "2026-01-01T08:00:00Z"}"#
                ],
            ]
        )
        let result = try sandbox.writer().importing(content, .test(mode))
        #expect(result.isChange && result.safetyBackup != nil)
        #expect(try SlateDatabase(path: sandbox.path("slate.db"), for: .reading).read { try $0.count(.tasks) } > 0)
        #expect(try store.unnoted(since: before) == [])
        #expect(try store.journal().isIntact)
        let noted = Set(try store.noted())
        #expect(
            noted.isSuperset(of: [
                "tasks new", "tasks gone", "habits h", #"habit_completions ["h","2026-01-01"]"#, "meta ", " ",
            ])
        )
        // Rows that stay are not noted.
        #expect(try sandbox.writer().importing(content, .test(mode)).isChange == false)
        #expect(Set(try store.noted()) == noted)

        _ = try SlateSafetyBackups.undo(sandbox.path("slate.db"), moment: Timestamp(seconds: 1_800_000_100))
        #expect(try sandbox.exported() == bytes)
        let reopened = try AppStores.all.open(sandbox.path("slate.db"))
        #expect(try reopened.all() == before)
        #expect(try reopened.journal() == journal)
        #expect(try reopened.read { try $0.link } == link)
    }

    @Test func anUndoBehindASynchronisationHasTheLinkOfThen() throws {
        try sandbox.database(holding: try .autumnWeek())
        let store = try sandbox.linked("slate.db")
        _ = try sandbox.writer().importing(try .made([.tasks: [SlateRow.task("new")]]), .test(.merge))
        try store.apply([], generation: 5)
        _ = try SlateSafetyBackups.undo(sandbox.path("slate.db"), moment: Timestamp(seconds: 1_800_000_100))
        #expect(try AppStores.all.open(sandbox.path("slate.db")).read { try $0.link } == .test(1))
    }

    @Test func aRehearsalLeavesTheJournalAlone() throws {
        try sandbox.database(holding: try .autumnWeek())
        let store = try sandbox.linked("slate.db")
        let journal = try store.journal()
        let content = try SlateContent.made([.tasks: [SlateRow.task("new")]])
        let result = try SlateDatabase.dryRun(
            sandbox.path("slate.db"),
            at: sandbox.path("scratch.db"),
            content,
            .test(.replace)
        )
        #expect(result.isChange)
        #expect(try store.journal() == journal)
    }

    @Test func anotherTriggerIsStillWatched() throws {
        try sandbox.appDatabase()
        _ = try sandbox.linked("slate.db")
        try sandbox.sql(
            """
            CREATE TRIGGER meddling AFTER INSERT ON tasks BEGIN
                INSERT OR IGNORE INTO habits (id, title, created_at, updated_at) VALUES ('x', 'X', '', '');
            END
            """
        )
        let content = try SlateContent.made([.tasks: [SlateRow.task("new")]])
        let error = try storeError { _ = try sandbox.writer().importing(content, .test(.merge)) }
        #expect(error?.code == .notAsPlanned)
    }

    // MARK: Time Tracker and Study Timer

    @Test func trackerGoesOn() throws {
        try AppStores.all.make(.tracker, at: sandbox.path("tracker.db"))
        let store = try sandbox.linked("tracker.db")
        let tracker = try TrackerStore(path: sandbox.path("tracker.db"), for: .writing(mustExist: true))
        let content = try #require(TrackerFormat.read(try Fixtures.bytes("tracker/v2/unknown-members.json")).content)
        #expect(try tracker.importing(content).isApplied)
        #expect(try store.unnoted(since: [:]) == [])
        try store.apply([])
        let before = try store.all()
        let later = try #require(TrackerFormat.read(try Fixtures.bytes("tracker/v2/offsets.json")).content)
        #expect(try tracker.importing(later).isApplied)
        try tracker.write { records in
            let button = try records.addButton(named: "Piano")
            _ = try records.start(button, id: "running", at: moment("2030-01-01T08:00:00Z"))
            _ = try records.stop(at: moment("2030-01-01T09:00:00Z"))
            try records.setTimeZone("Europe/Berlin")
        }
        #expect(try store.unnoted(since: before) == [])
        #expect(try store.noted().contains("activities running"))
        #expect(try store.journal().isIntact)
    }

    @Test func studyGoesOn() throws {
        try AppStores.all.make(.study, at: sandbox.path("timer.db"))
        let store = try sandbox.linked("timer.db")
        let study = try StudyStore(path: sandbox.path("timer.db"), for: .writing(mustExist: true))
        for name in ["v1/tables", "v2/unknown-members"] {
            let before = try store.all()
            let log = try #require(StudyFormat.read(try Fixtures.bytes("study/\(name).json")).content)
            #expect(try study.importing(log).isApplied)
            #expect(try store.unnoted(since: before) == [])
            try store.apply([])
        }
        #expect(try store.journal().isIntact)
    }

    // MARK: BZ Timer

    @Test func bztimerGoesOn() throws {
        try AppStores.all.make(.bztimer, at: sandbox.path("bztimer.db"))
        let store = try sandbox.linked("bztimer.db")
        let bztimer = try BztimerStore(path: sandbox.path("bztimer.db"), for: .writing(mustExist: true))
        var session = try Samples.session()
        let steps: [(BztimerRecords) throws -> Void] = [
            { try $0.insert(try Samples.session()) },
            { try $0.insert(try Samples.activity()) },
            { try $0.insert(Samples.entry("h1", session: "s1")) },
            { records in
                session.items.removeLast()
                try records.update(session)
            },
            { try $0.save(TimerSettings()) },
            { try $0.deleteSession(id: "s1") },
            { _ = try $0.clearHistory() },
            { try $0.insert(Preset(id: "p")) },
        ]
        for (number, step) in steps.enumerated() {
            let before = try store.all()
            try bztimer.write(step)
            #expect(try !store.journal().keys.isEmpty)
            #expect(try store.unnoted(since: before) == [], "step \(number)")
            try store.apply([])
        }
        #expect(bztimer.faults == [])
    }
}
