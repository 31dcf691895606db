import BZTimer
import GymPulse
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// What leaving Pro does to the data, line by line as the app describes it (seed 000, section 13).
struct DowngradeTests {
    static let sessionLimit = "bzpack: Free plan allows up to 5 sessions.\n"
    static let activityLimit = "bzpack: Free plan allows up to 20 saved activities.\n"
    static let categories = "bzpack: Custom categories are a Pro feature.\n"
    static let now = "2026-05-31T12:00:00Z"

    let sandbox: Sandbox
    let store: String

    /// A store of seven sessions, 22 activities, a custom category and old history, just after Pro has ended.
    init() throws {
        sandbox = try Sandbox()
        store = sandbox.path("store.db")
        try BztimerStore(path: store, for: .writing(mustExist: false)).write { records in
            var settings = TimerSettings()
            settings.customCategories = ["Yoga"]
            settings.isProUser = false
            try records.save(settings)
            for number in 1...22 {
                try records.insert(
                    BlockTemplate(
                        id: "a\(number)",
                        label: "Activity \(number)",
                        timing: .duration(seconds: number),
                        category: number == 1 ? "Yoga" : "Work"
                    )
                )
            }
            for var session in BztimerFile.generated(sessions: 7).sessions {
                session.items[0].templateId = "a1"
                session.items[0].category = "Yoga"
                try records.insert(session)
            }
            for (number, day) in ["2026-01-01", "2026-05-30"].enumerated() {
                try records.insert(
                    SessionHistoryEntry(
                        id: "h\(number)",
                        sessionId: "s1",
                        sessionName: "Session 1",
                        completedAt: "\(day)T06:30:00Z",
                        totalDurationSeconds: 60
                    )
                )
            }
        }
    }

    /// A line of the section: what is done, how it ends, what it says, and what is there afterwards.
    struct Line: Sendable, CustomTestStringConvertible {
        let rule: String
        let arguments: [String]
        var status: Int32 = 0
        var says: String?
        var errors: String = ""
        var after = Counts()

        var testDescription: String { rule }
    }

    /// What a store holds.
    struct Counts: Equatable, Sendable {
        var sessions = 7
        var activities = 22
        var history = 2
        var custom = ["Yoga"]
    }

    static let lines: [Line] = [
        Line(rule: "13.1.1 all sessions are there", arguments: ["list"], says: "Session 7"),
        Line(
            rule: "13.1.2 any session may be run",
            arguments: ["timeline", "Session 7"],
            says: "Block 0"
        ),
        Line(
            rule: "13.1.2 and its end is recorded, which prunes what Free does not keep (13.2.4)",
            arguments: ["history", "add", "Session 7", "--now", now],
            says: "Removed 1 older entry, as the Free plan keeps 30 days. Only a backup"
        ),
        Line(rule: "13.1.3 any session may be viewed", arguments: ["show", "Session 6"], says: "Yoga"),
        Line(rule: "13.1.3 all activities are there", arguments: ["activity", "list"], says: "Activity 22"),
        Line(rule: "13.1.5 custom categories stay visible", arguments: ["categories"], says: "Yoga (custom)"),
        Line(
            rule: "13.2.1 sessions may be deleted",
            arguments: ["session", "delete", "Session 7", "--yes"],
            after: Counts(sessions: 6)
        ),
        Line(
            rule: "13.2.1 sessions cannot be duplicated",
            arguments: ["session", "duplicate", "Session 1"],
            status: 77,
            errors: sessionLimit
        ),
        Line(
            rule: "13.2.1 sessions cannot be created",
            arguments: ["import", Fixtures.path("bztimer/v3/morning-stretch.json")],
            status: 77,
            errors: sessionLimit
        ),
        Line(
            rule: "13.2.2 activities may be deleted",
            arguments: ["activity", "delete", "Activity 22", "--yes"],
            after: Counts(activities: 21)
        ),
        Line(
            rule: "13.2.2 activities cannot be duplicated",
            arguments: ["activity", "duplicate", "Activity 2"],
            status: 77,
            errors: activityLimit
        ),
        Line(
            rule: "13.2.3 categories cannot be created",
            arguments: ["categories", "add", "Judo"],
            status: 77,
            errors: categories
        ),
        Line(
            rule: "13.2.3 categories cannot be renamed",
            arguments: ["categories", "rename", "Yoga", "Judo"],
            status: 77,
            errors: categories
        ),
        Line(
            rule: "13.2.3 categories cannot be deleted",
            arguments: ["categories", "delete", "Yoga", "--to", "Work"],
            status: 77,
            errors: categories
        ),
        Line(
            rule: "13.2.4 older history stays until retention is enforced",
            arguments: ["history"],
            says: "1 Jan 2026"
        ),
        Line(
            rule: "13.2.4 a changed retention enforces it",
            arguments: ["settings", "set", "historyRetention", "12months", "--now", now, "--yes"],
            says: "Removed 1 history entry older than 30 days, as the Free plan keeps no more.",
            after: Counts(history: 1)
        ),
        Line(
            rule: "13.2.4 other settings do not",
            arguments: ["settings", "set", "enableSounds", "false", "--now", now]
        ),
        Line(
            rule: "13.3 a session with custom categories may be edited",
            arguments: ["session", "rename", "Session 1", "Mornings"]
        ),
        Line(
            rule: "13.3 an activity with a custom category cannot be edited",
            arguments: ["activity", "rename", "Activity 1", "Sun salute"],
            status: 77,
            errors: categories
        ),
        Line(
            rule: "13.3 another may be",
            arguments: ["activity", "rename", "Activity 2", "Writing"]
        ),
        Line(
            rule: "13.3 an activity with a custom category may be deleted",
            arguments: ["activity", "delete", "Activity 1", "--yes"],
            after: Counts(activities: 21)
        ),
        Line(
            rule: "13.4 exporting needs Pro",
            arguments: ["export", "x.bztimer", "--all"],
            status: 77,
            errors: "bzpack: Exporting sessions is a Pro feature; importing them is free. "
                + "Turn Pro on: bzpack settings set isProUser true --store STORE\n"
        ),
        Line(rule: "13.6 Pro again: nothing was lost", arguments: ["settings", "set", "isProUser", "true"]),
    ]

    @Test("Each line of the section", arguments: lines)
    func line(_ line: Line) async throws {
        let before = try content()
        let outcome = try await sandbox.bzpack(line.arguments + ["--store", store])
        #expect(outcome.status == line.status, "\(outcome.errors)")
        #expect(outcome.errors.replacing(store, with: "STORE") == line.errors)
        if let says = line.says { #expect(outcome.output.contains(says), "\(outcome.output)") }
        #expect(try counts() == line.after)
        if line.status != 0 { #expect(try content() == before) }
        // Nothing that stays is changed but by its own command: all blocks keep their categories.
        #expect(try content().sessions.allSatisfy { $0.items[0].category == "Yoga" })
    }

    @Test("13.4 with room for it an import maps custom categories, and on Pro it adds them")
    func importing() async throws {
        for name in ["Session 5", "Session 6", "Session 7"] {
            #expect(try await sandbox.bzpack("session", "delete", name, "--yes", "--store", store).status == 0)
        }
        let file = Fixtures.path("bztimer/v3/leg-day.json")
        #expect(try await sandbox.bzpack("import", file, "--store", store).status == 3)
        let imported = try #require(try content().sessions.last)
        #expect(imported.items.compactMap(\.category) == ["Exercise", "Uncategorized", "Uncategorized"])
        #expect(try counts().custom == ["Yoga"])
        #expect(try await sandbox.bzpack("settings", "set", "isProUser", "true", "--store", store).status == 0)
        #expect(try await sandbox.bzpack("import", file, "--allow-duplicates", "--store", store).status == 0)
        #expect(try counts().custom == ["Yoga", "PT – Knee Mobility"])
    }

    @Test("13.2.2 an imported session may use an activity over the limit; 13.2.3 a copy takes no custom category")
    func using() async throws {
        for number in 4...7 {
            _ = try await sandbox.bzpack("session", "delete", "Session \(number)", "--yes", "--store", store)
        }
        var file = BztimerFile.generated(sessions: 1, named: "New")
        file.sessions[0].items[0].templateId = "a22"
        try sandbox.write("new.bztimer", file.bytes)
        #expect(try await sandbox.bzpack("import", "new.bztimer", "--store", store).status == 0)
        #expect(try content().sessions.last?.items[0].templateId == "a22")
        let copy = try await sandbox.bzpack("session", "duplicate", "Session 1", "--store", store)
        #expect(copy.status == 3)
        #expect(try content().sessions.last?.items[0].category == "Uncategorized")
    }

    private struct Content: Equatable {
        var sessions: [SessionTemplate]
        var activities: [BlockTemplate]
        var history: [SessionHistoryEntry]
        var settings: TimerSettings
    }

    private func content() throws -> Content {
        try BztimerStore(path: store, for: .reading).read { records in
            Content(
                sessions: try records.sessions(),
                activities: try records.activities(),
                history: try records.history(),
                settings: try records.settings()
            )
        }
    }

    private func counts() throws -> Counts {
        let content = try content()
        return Counts(
            sessions: content.sessions.count,
            activities: content.activities.count,
            history: content.history.count,
            custom: content.settings.customCategories
        )
    }
}
