import CivilTime
import FormatKit
import RecordStore
import StrictJSON
import StudyTimer
import Testing
import TestSupport
import TimeTracker

@Suite struct StudyStoreTests {
    private let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func writing() throws -> StudyStore {
        try StudyStore(path: sandbox.path("timer.db"), for: .writing(mustExist: false))
    }

    private func log(_ name: String) throws -> StudyLog {
        try #require(StudyFormat.read(try Fixtures.bytes("study/\(name).json")).content)
    }

    @Test(arguments: ["v1/tables", "v1/sessions", "v1/session_history", "v2/tables", "v2/unknown-members"])
    func logsComeBackAsTheyWere(name: String) throws {
        var log = try log(name)
        #expect(try writing().importing(log).isApplied)
        // A store has both tables, and does not keep which of them a list was.
        if name.contains("session") { log.unknownMembers = JSONObject() }
        let stored = try writing().read { try $0.log(exportedAt: log.exportedAt) }
        #expect(stored.json == log.sorted.json)
        for version in 1...2 {
            let exported = try stored.encoded(version: version)
            #expect(try exported.bytes == log.sorted.encoded(version: version).bytes)
            let again = try #require(StudyFormat.read(exported.bytes).content)
            let other = try StudyStore(path: sandbox.path("\(version).db"), for: .writing(mustExist: false))
            _ = try other.importing(again)
            #expect(try other.read { try $0.log(exportedAt: log.exportedAt) }.json == stored.json)
        }
        #expect(try writing().importing(log).plan.isEmpty)
    }

    @Test func theTwoTablesComeOneAfterTheOther() throws {
        _ = try writing().importing(try log("v1/session_history"))
        _ = try writing().importing(try log("v1/sessions"))
        let both = try log("v1/tables").sorted
        let stored = try writing().read { try $0.log() }
        #expect(stored.sessions == both.sessions && stored.events == both.events)
        #expect(try writing().read { try $0.counts() } == (3, 9))
    }

    @Test func noStoreKeepsWhichTableAListWas() throws {
        let store = try writing()
        for name in ["v1/sessions", "v1/session_history", "v2/tables", "v1/session_history", "v1/sessions"] {
            #expect(try store.importing(try log(name)).plan.notes == [], "\(name)")
        }
        #expect(try store.importing(try log("v1/sessions")).plan.isEmpty)
        let other: JSONValue = ["1": ["list": "events", "events": 5], "own": 5]
        _ = try store.importing(StudyLog(unknownMembers: ["x-preserved": other]))
        let kept: JSONValue = ["1": ["events": 5], "own": 5]
        #expect(try store.read { try $0.unknownMembers() } == ["x-preserved": kept])
        try store.write { try $0.replaceAll(by: log("v1/sessions")) }
        #expect(try store.read { try $0.unknownMembers() }.isEmpty)
    }

    @Test func severalOpenSessionsAreNamed() throws {
        let store = try writing()
        try store.makeTables()
        var log = try log("v1/tables")
        let dry = try store.importing(log, options: TrackerImportOptions(isDryRun: true)).plan
        let plan = try store.importing(log).plan
        #expect(plan == dry && plan.notes == [])
        let (paused, active) = (log.sessions[1].start, log.sessions[2].start)
        let names = "\"線形代数\" (paused, of \(paused)), \"Study\" (active, of \(active))"
        #expect(
            plan.remarks == [
                "the import leaves 2 sessions open: \(names); study stop ends the one that began last"
            ]
        )
        #expect(try store.importing(log).plan.remarks == [])
        log.sessions[2].status = .completed
        log.sessions[2].end = moment("2026-02-01T09:00:00Z")
        #expect(try store.importing(log).plan.remarks == [])
    }

    @Test func awkwardValuesSurvive() throws {
        let session = StudySession(
            id: "a\u{0}",
            deviceID: "",
            title: "\u{0}é",
            status: .paused,
            start: moment("0000-01-01T00:00:00.000000001+00:00"),
            accumulatedSeconds: 4_294_967_295,
            unknownMembers: try Samples.extra()
        )
        let event = StudyEvent(
            id: "e",
            sessionID: "none",
            type: "x\u{0}",
            createdAt: moment("2026-01-01T00:00:00-00:00"),
            unknownMembers: try Samples.extra()
        )
        _ = try writing().importing(StudyLog(sessions: [session], events: [event], unknownMembers: try Samples.extra()))
        let stored = try writing().read { try $0.log() }
        #expect(
            stored.json.text(.compact)
                == StudyLog(sessions: [session], events: [event], unknownMembers: try Samples.extra()).json.text(
                    .compact
                )
        )
    }

    @Test func conflictsAreKeptAndSessionsGoOn() throws {
        let first = try log("v1/tables")
        _ = try writing().importing(first)
        var changed = first
        changed.sessions[0].title = "Algebra"
        changed.sessions[1].status = .completed
        changed.sessions[1].end = moment("2026-01-31T09:20:00+09:00")
        changed.events[0].type = "resumed"
        let store = try writing()
        let dry = try StudyStore(path: store.path, for: .reading).importing(
            changed,
            options: TrackerImportOptions(isDryRun: true)
        )
        let result = try store.importing(changed)
        #expect(result.plan == dry.plan && result.isApplied && !dry.isApplied)
        #expect(result.plan.line == "session: update 1, skip 1, conflict 1; event: skip 8, conflict 1")
        let stored = try store.read { try $0.log() }
        #expect(stored.sessions.map(\.title) == ["Analysis", "線形代数", ""])
        #expect(stored.sessions[1].status == .completed)
        // The older file does not take it back.
        #expect(try store.importing(first).plan.isEmpty)
        #expect(
            try store.importing(changed, options: TrackerImportOptions(update: true)).plan.count(.update, .session) == 1
        )
        #expect(try store.read { try $0.log() }.sessions[0].title == "Algebra")
    }

    @Test func membersThatAFileLacksStay() throws {
        let store = try writing()
        var first = log(.active, 0, [("started", 0)])
        first.sessions[0].unknownMembers = ["room": "12"]
        first.events[0].unknownMembers = ["by": "hand"]
        _ = try store.importing(first)
        var second = log(.completed, 3600, [("started", 0), ("stopped", 60)])
        second.events[0].type = "resumed"
        #expect(try store.importing(second).plan.line == "session: update 1; event: create 1, update 1")
        let stored = try store.read { try $0.log() }
        #expect(stored.sessions.map(\.unknownMembers) == [["room": "12"]])
        #expect(stored.events.first { $0.id == "started 0" }?.unknownMembers == ["by": "hand"])
        // Then there is nothing to do.
        #expect(try store.importing(second, options: TrackerImportOptions(update: true)).plan.isEmpty)
    }

    /// A session with its events, whose ids are their types and minutes since 9:00.
    private func log(_ status: StudySession.Status, _ seconds: Int, _ events: [(type: String, minute: Int)])
        -> StudyLog
    {
        let start = moment("2026-02-01T09:00:00Z")
        func time(_ minute: Int) -> ZonedTimestamp { ZonedTimestamp(start.moment.adding(seconds: minute * 60)) }
        let end = events.last { $0.type == "stopped" }.map { time($0.minute) }
        let session = StudySession(
            id: "s",
            deviceID: "phone",
            title: "Algebra",
            status: status,
            start: start,
            end: end,
            accumulatedSeconds: seconds
        )
        return StudyLog(
            sessions: [session],
            events: events.map { event in
                StudyEvent(
                    id: "\(event.type) \(event.minute)",
                    sessionID: "s",
                    type: event.type,
                    createdAt: time(event.minute)
                )
            }
        )
    }

    /// What the store's events come to, beside the seconds of its session.
    private func seconds(_ store: StudyStore) throws -> [Int] {
        let stored = try store.read { try $0.log() }
        return [StudyClock(stored.events).seconds] + stored.sessions.map(\.accumulatedSeconds)
    }

    /// Correcting a session whose events lack the stop, or that has none and no seconds, counts it up to its end.
    @Test(arguments: [(3600, [("started", 0)]), (0, [])])
    func aCorrectedSessionWithoutAStopCountsUpToItsEnd(seconds: Int, events: [(String, Int)]) throws {
        let store = try writing()
        var log = log(.completed, seconds, events.map { (type: $0.0, minute: $0.1) })
        let start = log.sessions[0].start.moment
        log.sessions[0].end = ZonedTimestamp(start.adding(seconds: 3600))
        let plan = try store.importing(log).plan
        #expect(plan.actions.contains { $0.id == "s" && $0.reason.hasSuffix("1 h") }, "\(plan.actions)")
        let (earlier, later) = (
            ZonedTimestamp(start.adding(seconds: -600)), ZonedTimestamp(start.adding(seconds: 5400))
        )
        let edited = try store.write { records in
            let session = try #require(try records.session(id: "s"))
            #expect(session.seconds(try records.events(of: session), until: nil) == 3600)
            let first = try records.edit(session, title: nil, start: earlier, end: nil)
            return [first, try records.edit(first, title: nil, start: nil, end: later)].map(\.accumulatedSeconds)
        }
        #expect(edited == [4200, 6000])
    }

    /// Several devices stopped the session; a person's end decides.
    @Test func aCorrectedEndTakesThePlaceOfAllStops() throws {
        let store = try writing()
        _ = try store.importing(log(.completed, 7200, [("started", 0), ("stopped", 60), ("stopped", 120)]))
        let edited = try store.write { records in
            let session = try #require(try records.session(id: "s"))
            return try records.edit(session, title: nil, start: nil, end: moment("2026-02-01T09:30:00Z"))
        }
        #expect(edited.accumulatedSeconds == 1800)
        #expect(try seconds(store) == [1800, 1800])
        let stops = try store.read { try $0.log() }.events.filter { $0.kind == .stopped }
        #expect(stops.map(\.createdAt) == [moment("2026-02-01T09:30:00Z")])
    }

    /// What another device did after the end that was decided does not keep a person from correcting it, and counts
    /// where a later end has it.
    @Test(arguments: [([70], 4200), ([70, 130], 7200), ([95], 5400), ([110], 6000)])
    func whatHappenedAfterTheEndStays(minutes: [Int], counted: Int) throws {
        let store = try writing()
        var log = log(
            .completed,
            3600,
            [("started", 0), ("stopped", 60), ("paused", 90), ("resumed", 100), ("stopped", 120)]
        )
        log.sessions[0].end = moment("2026-02-01T10:00:00Z")
        _ = try store.importing(log)
        for minute in minutes {
            try store.write { records in
                let session = try #require(try records.session(id: "s"))
                let end = ZonedTimestamp(session.start.moment.adding(seconds: 60 * minute))
                _ = try records.edit(session, title: nil, start: nil, end: end)
            }
        }
        let stored = try store.read { try $0.log() }
        #expect(stored.sessions.map(\.accumulatedSeconds) == [counted])
        #expect(stored.sessions.map { $0.seconds(stored.events, until: nil) } == [counted])
        let others = stored.events.filter { ["paused 90", "resumed 100", "stopped 120"].contains($0.id) }
        #expect(others.count == 3)
    }

    /// Nothing tells that it was paused.
    @Test(arguments: [-600, 600])
    func aRunningSessionWithoutEventsRunsOnWhereItsStartIsCorrected(earlier: Int) throws {
        let store = try writing()
        _ = try store.importing(log(.active, 0, []))
        let now = moment("2026-02-01T11:00:00Z").moment
        let edited = try store.write { records in
            let session = try #require(try records.session(id: "s"))
            let start = ZonedTimestamp(session.start.moment.adding(seconds: -earlier))
            return try records.edit(session, title: nil, start: start, end: nil)
        }
        #expect(edited.seconds([], until: now) == 7200 + earlier)
    }

    /// The pause of a paused session is in no event, or before another device's resumption.
    @Test(
        arguments: [
            (1500, [("started", 0)]), (600, [("started", 0), ("paused", 10), ("paused", 30), ("resumed", 60)]),
        ]
    )
    func thePauseOfAPausedSessionDoesNotCount(counted: Int, events: [(String, Int)]) throws {
        for kind in [StudyEvent.Kind.stopped, .resumed] {
            let store = try StudyStore(path: sandbox.path("\(kind).db"), for: .writing(mustExist: false))
            _ = try store.importing(log(.paused, counted, events.map { (type: $0.0, minute: $0.1) }))
            let moment = moment("2026-02-01T17:00:00Z")
            var number = 0
            let change = try store.write { records in
                try records.change(to: kind, at: moment) {
                    number += 1
                    return "new \(number)"
                }
            }
            #expect(change.session.accumulatedSeconds == counted)
            let stored = try store.read { try $0.log() }
            #expect(stored.sessions.map { $0.seconds(stored.events, until: moment.moment) } == [counted])
        }
    }

    /// The events come after a person corrected the session.
    @Test func eventsThatComeLaterLeaveACorrectedEnd() throws {
        let store = try writing()
        let log = log(.completed, 3600, [("started", 0), ("stopped", 60)])
        _ = try store.importing(StudyLog(sessions: log.sessions))
        let events = StudyLog(events: log.events)
        try store.write { records in
            let session = try #require(try records.session(id: "s"))
            _ = try records.edit(session, title: nil, start: nil, end: moment("2026-02-01T10:30:00Z"))
        }
        let plan = try store.importing(events).plan
        #expect(
            plan.remarks == [
                "1 session begins or ends otherwise in the store than in the file's events: "
                    + "\"Algebra\" (completed, of 2026-02-01T09:00:00Z); the start and the end in the store count"
            ]
        )
        let stored = try store.read { try $0.log() }
        #expect(stored.sessions[0].seconds(stored.events, until: nil) == 5400)
        #expect(stored.sessions[0].accumulatedSeconds == 5400)
    }

    @Test func sessionsThatRunAtOnceAreFound() throws {
        let store = try writing()
        _ = try store.importing(
            log(.completed, 2700, [("started", 0), ("paused", 30), ("resumed", 45), ("stopped", 60)])
        )
        func others(_ start: String, _ end: String?) throws -> [String] {
            let session = StudySession(
                id: "other",
                deviceID: "d",
                title: "Latin",
                status: end == nil ? .active : .completed,
                start: moment(start),
                end: end.map(moment),
                accumulatedSeconds: 0
            )
            return try store.read {
                try $0.overlaps(with: session, now: moment("2026-02-01T12:00:00Z").moment).map(\.id)
            }
        }
        #expect(try others("2026-02-01T09:20:00Z", "2026-02-01T09:40:00Z") == ["s"])
        #expect(try others("2026-02-01T08:00:00Z", nil) == ["s"])
        // It was paused then, or over.
        #expect(try others("2026-02-01T09:30:00Z", "2026-02-01T09:45:00Z") == [])
        #expect(try others("2026-02-01T10:00:00Z", nil) == [])
    }

    @Test func theEventsOfASessionThatIsKeptStayAsTheyAre() throws {
        let store = try writing()
        _ = try store.importing(log(.completed, 3600, [("started", 0), ("stopped", 60)]))
        let other = log(.completed, 2700, [("started", 0), ("paused", 30), ("resumed", 45), ("stopped", 60)])
        let result = try store.importing(other)
        #expect(result.plan.line == "session: conflict 1; event: skip 4" && !result.isApplied)
        #expect(try seconds(store) == [3600, 3600])
        #expect(try store.importing(other, options: TrackerImportOptions(update: true)).isApplied)
        #expect(try seconds(store) == [2700, 2700])
    }

    @Test func aSessionThatIsOverInTheFileTakesItsEventsFromThere() throws {
        let store = try writing()
        _ = try store.importing(log(.paused, 3600, [("started", 0), ("paused", 60)]))
        let plan = try store.importing(log(.completed, 7200, [("started", 0), ("stopped", 120)])).plan
        #expect(plan.line == "session: update 1; event: create 1, update 1, skip 1")
        #expect(plan.actions.contains { $0.id == "paused 60" && $0.reason.hasPrefix("it is removed") })
        #expect(try seconds(store) == [7200, 7200])
    }
}
