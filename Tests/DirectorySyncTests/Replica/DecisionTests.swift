import DirectorySync
import FormatKit
import RecordMerge
import RecordStore
import StrictJSON
import Testing
import TestSupport

@Suite("Every decision about every kind of place, in every app")
struct DecisionTests {
    /// What both devices have, and what each does to it without knowing of the other.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let app: AppID
        let setUp: String
        let laptop: String
        let phone: String
        /// The place of the conflict, and a value that neither entered; nil where there is none to enter.
        let path: [String]
        var value: JSONValue?
        let tables: [String]

        var testDescription: String { name }
    }

    private static let session = """
        INSERT INTO session (id, position, name) VALUES ('s1', 1, 'Legs');
        INSERT INTO block (session_id, position, id, label, type, mode, duration_seconds) VALUES
            ('s1', 0, 'b1', 'Squat', 'activity', 'duration', 30), ('s1', 1, 'b2', 'Rest', 'rest', 'duration', 10),
            ('s1', 2, 'b3', 'Jump', 'activity', 'duration', 20), ('s1', 3, 'b4', 'Run', 'activity', 'duration', 20);
        INSERT INTO settings (id, pre_countdown_seconds) VALUES (1, 3);
        INSERT INTO preset
            (id, position, name, get_ready_seconds, work_seconds, rest_seconds, sets, rounds, sound_enabled, voice_enabled)
            VALUES ('p1', 1, 'Tabata', 10, 20, 10, 1, 8, 1, 0), ('p2', 2, 'Short', 10, 20, 10, 1, 8, 1, 0),
            ('p3', 3, 'Long', 10, 20, 10, 1, 8, 1, 0), ('p4', 4, 'Last', 10, 20, 10, 1, 8, 1, 0);
        """
    private static let bztimer = ["session", "block", "preset"]
    private static let task = """
        INSERT INTO tasks (id, title, created_at, updated_at)
            VALUES ('t1', 'Milk', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z');
        """
    private static let buttons = """
        INSERT INTO button (id, name, color, icon, is_default, position, is_visible) VALUES
            ('x', 'One', '#112233', 'star', 0, 0, 1), ('y', 'Two', '#112233', 'star', 0, 1, 1),
            ('z', 'Three', '#112233', 'star', 0, 2, 1);
        INSERT INTO activity (id, name, start_ms, end_ms) VALUES ('1', 'One', 1767000000000, 1767000600000);
        """
    private static func reorder(_ ids: String...) -> String {
        ids.enumerated().map { "UPDATE block SET position = \(10 + $0.offset) WHERE id = '\($0.element)';" }.joined()
            + ids.enumerated().map { "UPDATE block SET position = \($0.offset) WHERE id = '\($0.element)';" }.joined()
    }

    static let cases: [Case] = [
        Case(
            name: "item-group: a block's timing",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE block SET duration_seconds = 45 WHERE id = 'b1'",
            phone:
                "UPDATE block SET mode = 'reps', duration_seconds = NULL, reps = 8, per_rep_seconds = 3 WHERE id = 'b1'",
            path: ["items", "b1", "mode"],
            value: ["mode": "duration", "durationSeconds": 99],
            tables: bztimer
        ),
        Case(
            name: "item-member: a block's label",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE block SET label = 'Deep squat' WHERE id = 'b1'",
            phone: "UPDATE block SET label = 'Wide squat' WHERE id = 'b1'",
            path: ["items", "b1", "label"],
            value: "Any squat",
            tables: bztimer
        ),
        Case(
            name: "position: a block that both moved",
            app: .bztimer,
            setUp: session,
            laptop: reorder("b4", "b1", "b2", "b3"),
            phone: reorder("b1", "b4", "b2", "b3"),
            path: ["items", "b4"],
            tables: bztimer
        ),
        Case(
            name: "member: a session's name",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE session SET name = 'Leg day'",
            phone: "UPDATE session SET name = 'Lower body'",
            path: ["name"],
            value: "Any",
            tables: bztimer
        ),
        Case(
            name: "member of a single record: a setting",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE settings SET pre_countdown_seconds = 5",
            phone: "UPDATE settings SET pre_countdown_seconds = 0",
            path: ["preCountdownSeconds"],
            value: 3,
            tables: bztimer
        ),
        Case(
            name: "member of an ordered record: a preset's name",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE preset SET name = 'A' WHERE id = 'p1'",
            phone: "UPDATE preset SET name = 'B' WHERE id = 'p1'",
            path: ["name"],
            value: "C",
            tables: bztimer
        ),
        Case(
            name: "place: a preset that both moved",
            app: .bztimer,
            setUp: session,
            laptop: "UPDATE preset SET position = 0 WHERE id = 'p4'",
            phone: "UPDATE preset SET position = 2 * position; UPDATE preset SET position = 3 WHERE id = 'p4'",
            path: [],
            tables: bztimer
        ),
        Case(
            name: "group: a task that one took back and the other did again",
            app: .slate,
            setUp: task + "UPDATE tasks SET is_done = 1, done_at = '2026-01-01T08:00:00Z';",
            laptop: "UPDATE tasks SET is_done = 0, done_at = NULL",
            phone: "UPDATE tasks SET is_done = 1, done_at = '2026-01-02T09:00:00Z'",
            path: ["is_done"],
            value: ["is_done": false, "done_at": .null],
            tables: ["tasks"]
        ),
        Case(
            name: "member: a task's title",
            app: .slate,
            setUp: task,
            laptop: "UPDATE tasks SET title = 'Oat milk'",
            phone: "UPDATE tasks SET title = 'Soy milk'",
            path: ["title"],
            value: "Rice milk",
            tables: ["tasks"]
        ),
        Case(
            name: "text: a task's notes",
            app: .slate,
            setUp: task,
            laptop: "UPDATE tasks SET notes = 'two litres'",
            phone: "UPDATE tasks SET notes = 'three litres'",
            path: ["notes"],
            value: "four litres",
            tables: ["tasks"]
        ),
        Case(
            name: "member of a keyed ordered record: a button's colour",
            app: .tracker,
            setUp: buttons,
            laptop: "UPDATE button SET color = '#000000' WHERE id = 'x'",
            phone: "UPDATE button SET color = '#FFFFFF' WHERE id = 'x'",
            path: ["color"],
            value: "#00FF00",
            tables: ["button", "activity"]
        ),
        Case(
            name: "member: an activity's name",
            app: .tracker,
            setUp: buttons,
            laptop: "UPDATE activity SET name = 'Two'",
            phone: "UPDATE activity SET name = 'Three'",
            path: ["name"],
            value: "One",
            tables: ["button", "activity"]
        ),
        Case(
            name: "member: a study session's title",
            app: .study,
            setUp: """
                INSERT INTO session (id, device_id, title, status, start_time, accumulated_seconds)
                    VALUES ('s1', 'd', 'Physics', 'active', '2026-01-01T08:00:00Z', 0)
                """,
            laptop: "UPDATE session SET title = 'Optics'",
            phone: "UPDATE session SET title = 'Waves'",
            path: ["title"],
            value: "Light",
            tables: ["session"]
        ),
    ]

    private func contested(_ one: Case) throws -> (laptop: Device, phone: Device, conflict: RecordConflict) {
        let sandbox = try Sandbox()
        let (laptop, phone) = (try Device("Laptop", one.app, in: sandbox), try Device("Phone", one.app, in: sandbox))
        try laptop.sql(one.setUp)
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        try laptop.sql(one.laptop)
        try phone.sql(one.phone)
        phone.time.advance(60_000)
        for device in [laptop, phone, laptop] { try device.sync() }
        let conflicts = try laptop.replica().conflicts()
        let conflict = try #require(conflicts.first { $0.path == one.path }, "\(conflicts)")
        return (laptop, phone, conflict)
    }

    private func apply(_ one: Case, _ laptop: Device, _ phone: Device) throws {
        for device in [laptop, phone, laptop] {
            let outcome = try device.sync()
            #expect(outcome.issues.isEmpty, "\(outcome.issues)")
        }
        #expect(try laptop.replica().conflicts().isEmpty && phone.replica().conflicts().isEmpty)
        #expect(try laptop.replica().stateText() == phone.replica().stateText())
        for table in one.tables {
            let rows = try rows(laptop, table, one.app)
            #expect(try self.rows(phone, table, one.app) == rows)
            // A value that is none of its column's lies beside it.
            #expect(!rows.contains { $0.contains("extra={") }, "\(rows)")
        }
    }

    /// The rows of a table, as all devices have them.
    ///
    /// Where BZ Timer keeps an order, each device numbers the places by itself, with gaps: there the ids come first, in that
    /// order, and the rows without the numbers after them.
    private func rows(_ device: Device, _ table: String, _ app: AppID) throws -> [String] {
        let rows = try device.rows(table)
        guard app == .bztimer, table != "block" else { return rows }
        let ids = try device.column("SELECT id FROM \(table) ORDER BY position, id")
        return ids + rows.map { $0.replacing(/\ position=\d+/, with: "") }
    }

    @Test("What is shown, each choice, and another value", arguments: cases)
    func decided(_ one: Case) throws {
        var values: [ConflictDecision.Value] = [.shown]
        let count = try contested(one).conflict.choices.count
        if one.value != nil { values += (0..<count).map { .choice($0) } }
        if let value = one.value { values.append(.value(value)) }
        for value in values {
            let (laptop, phone, conflict) = try contested(one)
            let key = RecordKey(conflict.name.collection, conflict.name.key)
            let before = try laptop.replica().conflicts().filter { $0 != conflict }
            let decision = ConflictDecision(key: key, path: conflict.path, value: value, seen: conflict.choices)
            let (_, passed) = try laptop.replica().resolveStanding([decision])
            #expect(passed.isEmpty, "\(value): \(passed)")
            for other in before {
                let key = RecordKey(other.name.collection, other.name.key)
                _ = try laptop.replica().resolveStanding([.init(key: key, path: other.path, value: .shown)])
            }
            try apply(one, laptop, phone)
            let wanted: JSONValue? =
                switch value {
                case .choice(let number): conflict.choices[number].value
                case .value(let value): value
                default: nil
                }
            guard let wanted else { continue }
            // Nobody else has an opinion: what was chosen stands there alone.
            let text = try phone.replica().stateText()
            #expect(text.contains(wanted.text(.compact)) || wanted.object != nil, "\(wanted.text(.compact))")
        }
    }

    @Test("A value that the app could not read is refused, by name, and all else is decided")
    func refused() throws {
        let one = Self.cases[0]
        let (laptop, phone, conflict) = try contested(one)
        try laptop.sql("UPDATE session SET name = 'Leg day'")
        try phone.sql("UPDATE session SET name = 'Lower body'")
        for device in [laptop, phone, laptop] { try device.sync() }
        let key = RecordKey(conflict.name.collection, conflict.name.key)
        let rows = try phone.rows("block")
        for value: JSONValue in ["reps", ["mode": "forever"], ["mode": "duration", "durationSeconds": "long"], 5] {
            let decisions = [
                ConflictDecision(key: key, path: one.path, value: .value(value)),
                ConflictDecision(key: key, path: ["name"], value: .value("Any")),
            ]
            let (_, passed) = try laptop.replica().resolveStanding(decisions)
            guard case .refused(let reason) = passed[0] else {
                Issue.record("\(value): \(passed)")
                continue
            }
            #expect(reason.contains("mode") || reason.contains("durationSeconds"), "\(reason)")
            #expect(passed[1] == nil || passed[1] == .decided)
            try phone.sync()
            #expect(try phone.rows("block") == rows)
            #expect(try phone.column("SELECT name FROM session") == ["Any"])
        }
        _ = try laptop.replica().resolveStanding([.init(key: key, path: one.path, value: .choice(1))])
        try apply(one, laptop, phone)
    }
}
