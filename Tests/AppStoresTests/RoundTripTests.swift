import BZTimer
import GymPulse
import RecordStore
import StrictJSON
import Testing
import TestSupport

struct RoundTripTests {
    let sandbox: Sandbox
    let path: String

    init() throws {
        sandbox = try Sandbox()
        path = sandbox.path("timer.db")
    }

    private func writing() throws -> BztimerStore { try BztimerStore(path: path, for: .writing(mustExist: false)) }
    private func reading() throws -> BztimerStore { try BztimerStore(path: path, for: .reading) }

    @Test("Unknown members survive at every level, byte for byte")
    func unknownMembers() throws {
        let session = try Samples.session()
        let activity = try Samples.activity()
        let envelope = try Samples.extra()
        try writing().write { records in
            try records.insert(session, envelope: envelope)
            try records.insert(activity, envelope: envelope)
        }
        let (sessions, activities) = try reading().read { (try $0.envelopedSessions(), try $0.envelopedActivities()) }
        #expect(sessions.map { $0.record.json.text(.compact) } == [session.json.text(.compact)])
        #expect(activities.map { $0.record.json.text(.compact) } == [activity.json.text(.compact)])
        #expect(sessions.map { JSONValue.object($0.envelope).text(.compact) } == [Samples.unknown])
        #expect(activities.map { JSONValue.object($0.envelope).text(.compact) } == [Samples.unknown])
    }

    @Test("A session keeps its place and its file's members when it is updated")
    func update() throws {
        let store = try writing()
        try store.write { records in
            try records.insert(Samples.session("s1", name: "One"), envelope: ["origin": "file"])
            try records.insert(Samples.session("s2", name: "Two"))
        }
        try store.write { records in
            var session = try #require(try records.sessions().first)
            session.name = "First"
            session.items.removeLast()
            try records.update(session)
        }
        let stored = try store.read { try $0.envelopedSessions() }
        #expect(stored.map(\.record.name) == ["First", "Two"])
        #expect(stored.first?.record.items.count == 2)
        #expect(stored.first?.envelope == ["origin": "file"])
    }

    @Test("A deleted session leaves its history, which no longer names it")
    func delete() throws {
        let store = try writing()
        try store.write { records in
            try records.insert(Samples.session("s1"))
            try records.insert(Samples.entry("h1", session: "s1"))
            try records.insert(Samples.entry("h2", session: "other"))
            try records.deleteSession(id: "s1")
        }
        let (sessions, history) = try store.read { (try $0.sessions(), try $0.history()) }
        #expect(sessions.isEmpty)
        #expect(history.map(\.sessionId) == [nil, "other"])
        #expect(history.map(\.sessionName) == ["Leg day", "Leg day"])
    }

    @Test("Settings have the app's defaults until they are stored, and keep unknown members")
    func settings() throws {
        let store = try writing()
        try store.makeTables()
        #expect(try store.read { try $0.settings() } == TimerSettings())
        var settings = TimerSettings()
        settings.isProUser = true
        settings.historyRetention = .sixMonths
        settings.customCategories = ["Übung", "PT – Knee"]
        settings.extra = try Samples.extra()
        try store.write { try $0.save(settings) }
        let stored = try reading().read { try $0.settings() }
        #expect(stored == settings)
        #expect(JSONValue.object(stored.extra).text(.compact) == Samples.unknown)
    }

    @Test("History stays in the order in which it was added; entries are removed by id")
    func history() throws {
        let store = try writing()
        try store.write { records in
            for id in ["c", "a", "b"] { try records.insert(Samples.entry(id, session: nil)) }
            try records.evictHistory(ids: ["a", "unknown"])
        }
        #expect(try store.read { try $0.history().map(\.id) } == ["c", "b"])
    }

    @Test("What a transaction changed before it failed is not there")
    func rollback() throws {
        struct Stop: Error {}
        let store = try writing()
        try store.write { try $0.insert(Samples.session("s1")) }
        #expect(throws: Stop.self) {
            try store.write { records in
                try records.insert(Samples.session("s2"))
                try records.deleteSession(id: "s1")
                throw Stop()
            }
        }
        #expect(try store.read { try $0.sessions().map(\.id) } == ["s1"])
    }

    @Test("Reading changes no byte and leaves no file behind")
    func readingOnly() throws {
        try writing().write { try $0.insert(Samples.session()) }
        let before = try sandbox.bytes("timer.db")
        let store = try reading()
        _ = try store.read { (try $0.sessions(), try $0.activities(), try $0.settings(), try $0.history()) }
        #expect(throws: StoreError.self) { try store.write { try $0.deleteSession(id: "s1") } }
        #expect(try sandbox.bytes("timer.db") == before)
        #expect(try sandbox.names() == ["timer.db"])
    }

    @Test("A thousand sessions of generated content come back as they were")
    func generated() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        print("seed: \(seed)")
        var random = SeededGenerator(seed: seed)
        let alphabet: [Character] = ["a", "\u{0}", "é", "e\u{301}", "\"", "\\", "\n", "🏋️", "\u{FFFF}", "'", ";", "%"]
        func text() -> String {
            String(
                (0..<Int.random(in: 1...8, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? "x" }
            )
        }
        let sessions = try (0..<1000).map { number in
            var session = try Samples.session("s\(number)", name: text())
            session.items = (0..<Int.random(in: 0...3, using: &random)).map { index in
                BlockInstance(
                    id: "\(index)\(text())",
                    label: text(),
                    kind: .activity,
                    timing: .duration(seconds: index + 1),
                    category: Bool.random(using: &random) ? text() : nil,
                    notes: Bool.random(using: &random) ? text() : nil,
                    extra: [text() + "!": .string(text())]
                )
            }
            return session
        }
        let store = try writing()
        try store.write { records in for session in sessions { try records.insert(session) } }
        let stored = try store.read { try $0.sessions() }
        #expect(stored.map { $0.json.text(.compact) } == sessions.map { $0.json.text(.compact) })
    }

    @Test("Blocks of one identifier, which the tables take, are told apart, the same at each reading")
    func equalBlocks() throws {
        var session = try Samples.session()
        for index in session.items.indices { session.items[index].id = index == 1 ? "b-2" : "b" }
        try writing().write { try $0.insert(session) }
        for _ in 1...2 {
            #expect(try reading().read { try $0.sessions() }.first?.items.map(\.id) == ["b", "b-2", "b-3"])
        }
    }
}
