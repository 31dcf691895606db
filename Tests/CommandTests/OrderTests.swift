import BZTimer
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// Settings, categories, sessions and activities of a store.
struct OrderTests {
    let sandbox: Sandbox
    let store: String

    init() async throws {
        sandbox = try Sandbox()
        store = try await sandbox.trainer()
    }

    private func bzpack(_ arguments: String...) async throws -> Outcome {
        try await sandbox.bzpack(arguments + ["--store", store])
    }

    @Test("Settings are shown and set; what they cannot be is refused")
    func settings() async throws {
        #expect(try await bzpack("settings", "set", "preCountdownSeconds", "5").status == 0)
        #expect(try await bzpack("settings", "show", "preCountdownSeconds").output == "5\n")
        let refused = try await bzpack("settings", "set", "preCountdownSeconds", "4")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("0, 3 or 5"))
        #expect(try await bzpack("settings", "set", "colour", "red").status == 64)
        #expect(try await bzpack("settings", "show", "colour").status == 64)
        #expect(try await bzpack("settings", "set", "customCategories", "a,b").status == 64)
        let json = try await bzpack("settings", "--format", "json").json
        #expect(json.object?.names == TimerSettings.names)
        #expect(json["preCountdownSeconds"]?.int == 5)
    }

    @Test("A renamed category takes its activities and blocks along")
    func renameCategory() async throws {
        #expect(try await bzpack("categories", "rename", "MOBILITY", "Stretching").status == 0)
        #expect(try await categoriesInUse() == ["Exercise", "Stretching"])
        #expect(try await bzpack("categories", "rename", "Stretching", "exercise").status == 64)
        #expect(try await bzpack("categories", "rename", "Stretching", "stretching").status == 0)
        #expect(try await bzpack("categories", "rename", "Study", "x").status == 64)
        #expect(try await bzpack("categories", "rename", "None", "x").status == 66)
    }

    @Test("A category that only blocks and activities have, as after a sync, is listed, renamed and deleted")
    func unlistedCategory() async throws {
        func forget(_ names: String) async throws {
            let queue = try DatabaseQueue(path: store)
            try await queue.write { try $0.execute(sql: "UPDATE settings SET custom_categories = '\(names)'") }
            try queue.close()
        }
        #expect(try await bzpack("categories", "add", "Endurance").status == 0)
        try await forget("[\"Endurance\"]")
        let listed = try await bzpack("categories")
        #expect(listed.output.contains("Mobility (custom, in use but not in the settings)"), "\(listed.output)")
        #expect(try await bzpack("categories", "--format", "json").json["unlisted"] == ["Mobility"])
        // It may become one that there is, as the other device renamed it so.
        let renamed = try await bzpack("categories", "rename", "mobility", "endurance")
        #expect(renamed.status == 0, "\(renamed.errors)")
        #expect(try await categoriesInUse() == ["Endurance", "Exercise"])
        #expect(try await bzpack("categories", "--format", "json").json["custom"] == ["Endurance"])
        // Or a built-in one; one of the settings is told the way there.
        let listedOne = try await bzpack("categories", "rename", "Endurance", "work")
        #expect(listedOne.errors.contains("categories delete Endurance --to Work"), "\(listedOne.errors)")
        try await forget("[]")
        #expect(try await bzpack("categories", "rename", "Endurance", "work").status == 0)
        #expect(try await categoriesInUse() == ["Exercise", "Work"])
        #expect(try await bzpack("categories", "add", "Endurance").status == 0)
        #expect(try await bzpack("edit", "Leg day", "--text", "A 10 s [Endurance]").status == 0)
        try await forget("[]")
        #expect(try await bzpack("categories", "rename", "Endurance", "Stamina").status == 0)
        #expect(try await bzpack("categories", "--format", "json").json["custom"] == ["Stamina"])
        try await forget("[]")
        #expect(try await bzpack("categories", "delete", "Stamina").status == 64)
        #expect(try await bzpack("categories", "delete", "Stamina", "--to", "Household").status == 0)
        #expect(try await bzpack("categories", "--format", "json").json["unlisted"] == [])
    }

    @Test("A category in use is deleted only with one in its place")
    func deleteCategory() async throws {
        let refused = try await bzpack("categories", "delete", "Mobility")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("--to") && refused.errors.contains("nothing was changed"))
        #expect(try await bzpack("categories", "delete", "Mobility", "--to", "Mobility").status == 64)
        #expect(try await categoriesInUse() == ["Exercise", "Mobility"])
        #expect(try await bzpack("categories", "delete", "mobility", "--to", "household").status == 0)
        #expect(try await categoriesInUse() == ["Exercise", "Household"])
        #expect(try await bzpack("categories", "add", "Yoga", "Judo").status == 0)
        #expect(try await bzpack("categories", "add", "YOGA").status == 64)
        #expect(try await bzpack("categories", "delete", "Yoga").status == 0)
        #expect(try await bzpack("categories", "--format", "json").json["custom"] == ["Judo"])
    }

    @Test("On the Free plan custom categories are seen and not touched")
    func freeCategories() async throws {
        #expect(try await bzpack("settings", "set", "isProUser", "false").status == 0)
        #expect(try await bzpack("categories").output.contains("Mobility (custom)"))
        for arguments in [["add", "New"], ["rename", "Mobility", "New"], ["delete", "Mobility", "--to", "Work"]] {
            let outcome = try await sandbox.bzpack(["categories"] + arguments + ["--store", store])
            #expect(outcome.status == 77)
            #expect(outcome.errors == "bzpack: Custom categories are a Pro feature.\n")
        }
        #expect(try await bzpack("activity", "rename", "Hip opener", "Hips").status == 77)
        #expect(try await bzpack("activity", "duplicate", "Hip opener").status == 77)
        #expect(try await bzpack("activity", "rename", "Plank", "Long plank").status == 0)
        #expect(try await bzpack("activity", "delete", "Hip opener", "--yes").status == 0)
        #expect(try await categoriesInUse() == ["Exercise", "Mobility"])
    }

    @Test("Sessions are renamed, duplicated and deleted")
    func sessions() async throws {
        #expect(try await bzpack("session", "rename", "leg day", "Beine").status == 0)
        #expect(try await bzpack("session", "duplicate", "Beine", "--name", "Beine 2").status == 0)
        #expect(try await bzpack("session", "duplicate", "Beine", "--name", "Beine 2").status == 0)
        let ambiguous = try await bzpack("session", "delete", "Beine 2", "--yes")
        #expect(ambiguous.status == 64)
        let ids = try await sandbox.sessions(store).map(\.id)
        #expect(ids.count == 3)
        #expect(ids.dropFirst().allSatisfy { ambiguous.errors.contains($0) })
        let refused = try await bzpack("session", "delete", ids[1])
        #expect(refused.status == 64)
        #expect(refused.errors.contains("There is no terminal"))
        #expect(try await bzpack("session", "delete", ids[1], ids[2], "--yes").status == 0)
        #expect(try await sandbox.sessions(store).map(\.name) == ["Beine"])
        #expect(try await bzpack("session", "rename", "Beine", "").status == 64)
    }

    @Test("What is shown cannot steer the terminal, and lines up with wide characters")
    func display() async throws {
        #expect(try await bzpack("session", "rename", "Leg day", "a\u{1B}[2Jb").status == 0)
        #expect(try await bzpack("session", "duplicate", "a\u{1B}[2Jb", "--name", "瞑想🧘").status == 0)
        let lines = try await bzpack("list").output.split(separator: "\n")
        #expect(lines[1].hasPrefix("a\\u{1b}[2Jb"))
        #expect(lines[2].hasPrefix("瞑想🧘       "))
        #expect(try await bzpack("show", "瞑想🧘").output.hasPrefix("瞑想🧘\n"))
    }

    private func categoriesInUse() async throws -> [String] {
        let sessions = try await sandbox.sessions(store)
        return Set(sessions.flatMap { $0.items.compactMap(\.category) }).sorted()
    }
}
