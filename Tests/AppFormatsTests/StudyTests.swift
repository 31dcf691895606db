import TestSupport
import TimeTracker
import FormatKit
import CivilTime
import RecordStore
import StrictJSON
import StudyTimer
import Testing

@Suite struct StudyTests {
    private static let samples = ["invalid", "findings"].flatMap { folder in
        StudyFixtures.names(folder).map { "\(folder)/\($0)" }
    }

    @Test(arguments: StudyFixtures.released)
    func releasedFilesAreRead(path: String) throws {
        let reading = StudyFormat.read(try StudyFixtures.bytes(path), name: path, strict: path.contains("tables"))
        #expect(reading.diagnostics.filter { $0.severity != .note } == [])
        #expect(reading.version == StudyFixtures.version(path))
        let log = try #require(reading.content)
        #expect(StudyFormat.check(log).content == log)
        // `created_at` of a session is not the format's; times keep their moments and offsets.
        let written = try log.encoded(version: StudyFixtures.version(path))
        let again = try #require(StudyFormat.read(written.bytes).content)
        #expect(again == log)
        #expect(try again.encoded(version: StudyFixtures.version(path)).bytes == written.bytes)
    }

    @Test(arguments: Self.samples)
    func findingsAreExact(path: String) throws {
        let reading = StudyFormat.read(try StudyFixtures.bytes(path + ".json"))
        #expect(lines(reading) == StudyFormat.versions.expected { try StudyFixtures.text(path + ".expected.txt") })
        #expect(reading.isValid == path.hasPrefix("findings"))
    }

    @Test(arguments: Self.samples)
    func repairsAreExact(path: String) throws {
        let reading = StudyFormat.read(try StudyFixtures.bytes(path + ".json"), repair: true)
        let mended = try? StudyFixtures.text(path + ".repaired.txt")
        #expect(
            lines(reading) == mended ?? StudyFormat.versions.expected { try StudyFixtures.text(path + ".expected.txt") }
        )
        #expect(reading.isValid == (mended != nil || path.hasPrefix("findings")))
        #expect(reading.repairCount == (mended == nil ? 0 : 1))
        if let log = reading.content { #expect(StudyFormat.check(log, repair: true).repairCount == 0) }
    }

    private func lines(_ reading: ParseResult<StudyLog>) -> String { reading.diagnostics.map { "\($0)\n" }.joined() }

    @Test func fixturesAreThere() {
        #expect(StudyFixtures.released.count == 6)
        #expect(StudyFixtures.names("invalid").count == 29)
        #expect(StudyFixtures.names("findings").count == 10)
    }

    // MARK: The clock

    private func events(_ list: [(String, Int)]) -> [StudyEvent] {
        list.enumerated().map { index, event in
            let moment = ZonedTimestamp(Timestamp(seconds: event.1, nanoseconds: 900_000_000))
            return StudyEvent(id: "\(index)", sessionID: "s", type: event.0, createdAt: moment)
        }
    }

    @Test(
        arguments: [
            ([("started", 0), ("paused", 100), ("resumed", 200), ("stopped", 250)], 150, "completed"),
            ([("started", 0), ("paused", 100), ("stopped", 500)], 100, "completed"),
            ([("started", 0)], 0, "active"), ([("started", 0), ("paused", 60), ("resumed", 90)], 60, "active"),
            ([("activity_started", 0), ("other", 5)], 0, ""), ([], 0, ""),
        ] as [([(String, Int)], Int, String)]
    )
    func timeIsThatBetweenStartsAndPauses(list: [(String, Int)], seconds: Int, status: String) {
        let clock = StudyClock(events(list))
        #expect(clock.seconds == seconds)
        #expect(clock.status?.rawValue ?? "" == status)
        #expect(clock.agrees(with: seconds + 1))
        #expect(!clock.agrees(with: seconds + clock.stretches.count + 2))
        #expect(!clock.agrees(with: .max) && !clock.agrees(with: .min))
    }

    private func moment(_ seconds: Int) -> ZonedTimestamp {
        ZonedTimestamp(Timestamp(seconds: seconds, nanoseconds: 0))
    }

    /// Makes events of kinds at moments, with ids and in an order that nobody can foresee.
    private func shuffled(_ list: [(String, Int)], _ random: inout SeededGenerator) -> [StudyEvent] {
        let ids = list.indices.map { "\($0)" }.shuffled(using: &random)
        let events = list.indices.map { index in
            StudyEvent(id: ids[index], sessionID: "s", type: list[index].0, createdAt: moment(list[index].1))
        }
        return events.shuffled(using: &random)
    }

    @Test(
        arguments: [
            ([("started", 0), ("paused", 60), ("resumed", 60), ("stopped", 120)], 120),
            ([("started", 0), ("paused", 30), ("stopped", 30)], 30),
            (
                [
                    ("started", 0), ("paused", 0), ("resumed", 0), ("paused", 60), ("resumed", 60), ("paused", 60),
                    ("resumed", 90), ("stopped", 90), ("activity_ended", 90),
                ], 60
            ),
        ] as [([(String, Int)], Int)]
    )
    func eventsOfOneMomentStandAsTheyHappened(list: [(String, Int)], seconds: Int) {
        for seed in UInt64(1)...40 {
            var random = SeededGenerator(seed: seed)
            let session = StudySession(
                id: "s",
                deviceID: "d",
                title: "T",
                status: .completed,
                start: moment(0),
                end: moment(list.map(\.1).max() ?? 0),
                accumulatedSeconds: seconds
            )
            let log = StudyLog(sessions: [session], events: shuffled(list, &random))
            #expect(StudyClock(log.events).seconds == seconds)
            #expect(log.sorted.events.map(\.type) == list.map { $0.0 })
            #expect(log.eventsBySession()["s"] == log.sorted.events)
            #expect(StudyFormat.check(log).diagnostics == [])
        }
    }

    @Test func noIDAndNoOrderChangesTheTime() {
        let kinds = ["started", "paused", "resumed", "stopped", "activity_started", "other"]
        for seed in UInt64(1)...100 {
            var random = SeededGenerator(seed: seed)
            let list = (0..<7).map { _ in (random.pick(kinds), Int.random(in: 0..<4, using: &random)) }
            let clock = StudyClock(shuffled(list, &random))
            for _ in 0..<10 {
                let other = StudyClock(shuffled(list, &random))
                #expect(other.stretches == clock.stretches && other.status == clock.status, "seed \(seed)")
            }
        }
    }

    @Test func eventsOfOtherSessionsKeepTheirPlaces() {
        func event(_ id: String, _ session: String, _ type: String, _ seconds: Int) -> StudyEvent {
            StudyEvent(id: id, sessionID: session, type: type, createdAt: moment(seconds))
        }
        let events = [
            event("9", "s", "started", 0), event("1", "s", "resumed", 60), event("2", "t", "started", 60),
            event("3", "s", "paused", 60),
        ]
        #expect(StudyLog(events: events).sorted.events.map(\.id) == ["9", "3", "2", "1"])
    }

    @Test func sessionsBecomeActivities() throws {
        let log = try #require(StudyFormat.read(try StudyFixtures.bytes("v2/tables.json")).content)
        #expect(log.activities.map(\.id) == ["a1", "a1#2", "b2", "c3"])
        #expect(log.activities.map(\.name) == ["Analysis", "Analysis", "線形代数", "Study"])
        #expect(log.activities.map(\.isRunning) == [false, false, false, true])
        let sessions = StudyLog(sessions: log.sessions)
        #expect(sessions.activities.map(\.id) == ["a1", "b2", "c3"])
    }

    /// A session without events counts its own seconds, in lists and in sums.
    @Test(
        arguments: [
            (.completed, 10_800, 3000, 3000), (.completed, 3600, 3599, 3600), (.completed, 3600, 0, 3600),
            (.completed, nil, 1800, 1800), (.paused, nil, 1800, 1800), (.paused, nil, 0, nil),
            (.active, nil, 1800, 1800), (.active, nil, 0, 7200),
        ] as [(StudySession.Status, Int?, Int, Int?)]
    )
    func withoutEventsTheSecondsCount(status: StudySession.Status, end: Int?, own: Int, counted: Int?) {
        let session = StudySession(
            id: "s",
            deviceID: "",
            title: "Algebra",
            status: status,
            start: moment(0),
            end: end.map(moment),
            accumulatedSeconds: own
        )
        let now = moment(7200).moment
        let lengths = StudyLog(sessions: [session]).activities.map { activity in
            (activity.end?.moment ?? now).seconds - activity.start.moment.seconds
        }
        #expect(lengths == (counted.map { [$0] } ?? []))
        #expect(session.seconds([], until: now) == counted ?? 0)
    }

    /// The start and the end of a session decide, events tell its pauses, and list and sum agree.
    @Test(
        arguments: [
            // The last stop is missing.
            ([("started", 0), ("paused", 3600), ("resumed", 7200)], 0, 10_800, 7200),
            // Two devices stopped it.
            ([("started", 0), ("stopped", 3600), ("stopped", 7200)], 0, 7200, 7200),
            ([("started", 0), ("stopped", 3600), ("stopped", 7200)], 0, 5400, 5400),
            ([("started", 0), ("stopped", 3600), ("paused", 5400), ("stopped", 7200)], 0, 7200, 5400),
            // It went on after a stop.
            ([("started", 0), ("stopped", 600), ("resumed", 900), ("stopped", 1200)], 0, 1200, 900),
            // Its end was corrected before the events came.
            ([("started", 0), ("stopped", 3600)], 0, 1800, 1800), ([("started", 0), ("stopped", 3600)], 0, 5400, 5400),
            ([("started", 0), ("paused", 600), ("resumed", 1200), ("stopped", 3600)], 0, 900, 600),
            // So was its start.
            ([("started", 600), ("stopped", 3600)], 0, 3600, 3600),
            ([("started", 0), ("paused", 600), ("resumed", 1200), ("stopped", 3600)], 900, 3600, 2400),
            // The other device went on after the stop, and was paused.
            (
                [("started", 0), ("stopped", 3600), ("paused", 5400), ("resumed", 6000), ("stopped", 7200)], 0, 7200,
                6600
            ),
            // No event tells its beginning.
            ([("resumed", 5400), ("stopped", 6000)], 0, 6000, 1000),
            ([("resumed", 300), ("stopped", 600)], 0, 600, 600),
            // No event lies in it.
            ([("started", 8000), ("stopped", 9000)], 0, 3600, 1000), ([], 0, 900, 900),
        ] as [([(String, Int)], Int, Int, Int)]
    )
    func startAndEndDecide(events: [(String, Int)], start: Int, end: Int, counted: Int) {
        for seed in UInt64(1)...5 {
            var random = SeededGenerator(seed: seed)
            let session = StudySession(
                id: "s",
                deviceID: "d",
                title: "T",
                status: .completed,
                start: moment(start),
                end: moment(end),
                accumulatedSeconds: 1000
            )
            let log = StudyLog(sessions: [session], events: shuffled(events, &random))
            #expect(session.seconds(log.events, until: nil) == counted)
            let sum = log.activities.reduce(0) { sum, activity in
                sum + (activity.end.map { $0.moment.seconds - activity.start.moment.seconds } ?? 0)
            }
            #expect(sum == counted)
        }
    }

    @Test func whatCountsIsSaidWhereTheSecondsDiffer() throws {
        let session = StudySession(
            id: "s",
            deviceID: "d",
            title: "T",
            status: .completed,
            start: moment(0),
            end: moment(7200),
            accumulatedSeconds: 3600
        )
        var random = SeededGenerator(seed: 1)
        let events = shuffled([("started", 0), ("stopped", 3600)], &random)
        let reading = StudyFormat.check(StudyLog(sessions: [session], events: events))
        let message =
            "the session has 3600 seconds, and from its start to its end, without the pauses of its events, "
            + "it lasts 7200, which count"
        #expect(reading.diagnostics.map(\.message) == [message])
        let repaired = StudyFormat.check(StudyLog(sessions: [session], events: events), repair: true).content
        #expect(repaired?.sessions.first?.accumulatedSeconds == 7200)
    }

    /// A repair leaves seconds that count.
    @Test(
        arguments: [
            (.paused, nil, 1500, [("started", 0)]),
            (.completed, 7200, 7200, [("started", 90_000), ("stopped", 93_600)]),
            (.active, nil, 3600, [("resumed", 5400)]),
        ] as [(StudySession.Status, Int?, Int, [(String, Int)])]
    )
    func trueSecondsStay(status: StudySession.Status, end: Int?, seconds: Int, events: [(String, Int)]) {
        let session = StudySession(
            id: "s",
            deviceID: "d",
            title: "T",
            status: status,
            start: moment(0),
            end: end.map(moment),
            accumulatedSeconds: seconds
        )
        var random = SeededGenerator(seed: 1)
        let log = StudyLog(sessions: [session], events: shuffled(events, &random))
        let reading = StudyFormat.check(log, repair: true)
        #expect(reading.content?.sorted == log.sorted)
        #expect(!reading.diagnostics.contains { "\($0.code)" == "study.accumulated" })
        #expect(session.seconds(log.events, until: nil) == seconds)
    }

    // MARK: Subjects

    @Test func subjectsDifferNeitherInCaseNorInBlanks() {
        func session(_ id: String, _ title: String, _ start: Int) -> StudySession {
            StudySession(
                id: id,
                deviceID: "d",
                title: title,
                status: .completed,
                start: moment(start),
                end: moment(start + 600),
                accumulatedSeconds: 600
            )
        }
        let log = StudyLog(sessions: [
            session("1", "linear  algebra ", 0), session("2", "Linear Algebra", 2000),
            session("3", "linear algebra", 1000),
            session("4", " ", 3000), session("5", "Study", 4000), session("6", "\u{FEFF}Latin\u{A0}", 5000),
        ])
        #expect(log.sessions[0].subject == "linear  algebra" && log.sessions[3].subject == "Study")
        let days = LocalClock.utc.day(of: moment(0).moment)...LocalClock.utc.day(of: moment(0).moment)
        let totals = log.summary(of: days, clock: .utc, now: moment(6000).moment).totals
        #expect(totals.map(\.name).sorted() == ["Latin", "Linear Algebra", "Study"])
        #expect(SubjectKey("ALGEBRA ") == SubjectKey("algebra") && SubjectKey("Algebra 2") != SubjectKey("Algebra2"))
    }

    /// Its pause is missing among the events.
    @Test func aPausedSessionDoesNotRun() {
        let session = StudySession(
            id: "s",
            deviceID: "",
            title: "Algebra",
            status: .paused,
            start: moment(0),
            accumulatedSeconds: 1500
        )
        func end(_ events: [(type: String, seconds: Int)]) -> ZonedTimestamp? {
            let events = events.map { event in
                StudyEvent(
                    id: "\(event.seconds)",
                    sessionID: "s",
                    type: event.type,
                    createdAt: moment(event.seconds)
                )
            }
            return StudyLog(sessions: [session], events: events).activities.last?.end
        }
        #expect(end([("started", 0)]) == moment(1500))
        #expect(end([("started", 0), ("paused", 600), ("resumed", 1000)]) == moment(1900))
        #expect(end([("started", 0), ("paused", 1500)]) == moment(1500))
    }

    // MARK: Migration

    @Test func vectors() throws {
        let vectors = try StudyFixtures.value("vectors/migrations.json").array ?? []
        #expect(vectors.count == 7)
        for vector in vectors {
            let name = vector["name"]?.string ?? ""
            let (older, newer) = (vector["v1"] ?? .null, vector["v2"] ?? .null)
            if vector["direction"] == nil {
                #expect(try StudyFormat.migrate(older, from: 1, to: 2).value == newer, "\(name)")
            }
            let down = try StudyFormat.migrate(newer, from: 2, to: 1)
            #expect(down.value == older, "\(name): \(down.value.text(.compact))")
            let losses = (down.losses + down.notes).map { JSONValue.string($0.description) }
            #expect(losses == vector["losses"]?.array ?? [], "\(name)")
        }
    }

    @Test(arguments: [[], nil, 5, [1], ["sessions": 5], ["sessions": [1], "events": [2]]] as [JSONValue])
    func invalidDocumentsDoNotTrap(document: JSONValue) {
        for (from, to) in [(1, 2), (2, 1)] { _ = try? StudyFormat.migrate(document, from: from, to: to) }
        _ = StudyFormat.read(document.encoded(.compact), repair: true)
    }

    @Test(arguments: [(1, 2), (2, 1)])
    func thereAndBackGivesTheSame(from: Int, to: Int) throws {
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let document = Self.document(version: from, &random)
            let there = try StudyFormat.migrate(document, from: from, to: to)
            let back = try StudyFormat.migrate(there.value, from: to, to: from)
            #expect(
                back.value == document,
                "seed \(seed): \(document.text(.compact)) became \(there.value.text(.compact))"
            )
            let reading = StudyFormat.read(there.value.encoded(.compact))
            #expect(
                reading.version == to && reading.isValid,
                "seed \(seed): \(reading.diagnostics) in \(there.value.text(.compact))"
            )
            // What the reader makes of a version is what the migration makes of it.
            let current = to == 2 ? there.value : document
            #expect(
                StudyFormat.read(document.encoded(.compact)).content
                    == StudyFormat.read(current.encoded(.compact)).content
            )
        }
    }

    private static func document(version: Int, _ random: inout SeededGenerator) -> JSONValue {
        let session: JSONValue = [
            "id": "a", "device_id": "d", "title": "t", "status": "paused", "start_time": "2026-01-01T00:00:00Z",
            "accumulated_seconds": 0,
        ]
        let event: JSONValue = [
            "id": "e", "session_id": "a", "event_type": "x", "created_at": "2026-01-01T00:00:00Z",
        ]
        let (sessions, events): ([JSONValue], [JSONValue]) = (
            random.chance(60) ? [session] : [], random.chance(60) ? [event] : []
        )
        if version == 1, random.chance(40) { return random.chance(50) ? [session] : [event] }
        var document: JSONObject = ["sessions": .array(sessions)]
        document[version == 1 ? "session_history" : "events"] = .array(events)
        let odd: [JSONValue] = [1, .null, ["a": 1], "2026-01-01T00:00:00Z", "sessions"]
        for name in ["x", version == 1 ? "events" : "session_history"] where random.chance(30) {
            document[name] = random.pick(odd)
        }
        if version == 2 {
            document["format"] = "study-log"
            document["version"] = 2
            if random.chance(50) { document["exportedAt"] = random.pick([.null, "2026-01-01T00:00:00Z"]) }
        } else {
            for name in ["exportedAt", "format"] where random.chance(30) { document[name] = random.pick([1, .null]) }
            if random.chance(30) { document["version"] = 1 }
        }
        if random.chance(60) {
            document["x-preserved"] = random.pick([
                ["1": ["list": "sessions"]], ["1": ["list": "events"]], ["2": ["exportedAt": "2026-01-01T00:00:00Z"]],
                ["1": ["list": "sessions"], "own": 5], ["aside": ["list": "events"]], [:], 5,
                ["3": ["list": "sessions"]],
                ["2": ["session_history": [1], "list": "sessions"]], ["1": ["events": [], "version": 1]],
            ])
        }
        return .object(document)
    }

    @Test func noTruncationOrSubstitutionTraps() throws {
        var random = SeededGenerator(seed: 11)
        let bytes = try StudyFixtures.bytes("v2/unknown-members.json")
        for length in 0..<bytes.count - 1 { #expect(!StudyFormat.read(Array(bytes[..<length]), repair: true).isValid) }
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(Array("\"{}[]:,0-9eatn\\".utf8))
            }
            let reading = StudyFormat.read(changed, repair: true)
            #expect(reading.isValid == reading.diagnostics.allSatisfy { $0.severity != .error })
        }
    }
}
