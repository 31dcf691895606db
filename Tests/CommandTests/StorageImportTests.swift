import BZTimer
import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// `import --from-storage`: Android databases of both layouts and the folder of an iPhone.
struct StorageImportTests {
    static let layouts = ["catalystLocalStorage", "Storage", "folder"]
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// A session as the app keeps it: all three timing numbers, whatever the mode.
    static func session(_ number: Int, category: String = "Exercise") -> String {
        """
        {"id":"s\(number)","name":"Session \(number)","items":[{"id":"b","templateId":"a1","label":"Squats",\
        "type":"activity","mode":"duration","durationSeconds":\(number),"reps":0,"perRepSeconds":0,\
        "category":"\(category)"},{"id":"r","label":"Rest","type":"rest","mode":"duration","durationSeconds":30,\
        "reps":0,"perRepSeconds":0,"category":null}],"scheduledDaysOfWeek":[1,4]}
        """
    }

    static let activity =
        #"{"id":"a1","label":"Squats","type":"activity","mode":"reps","reps":12,"perRepSeconds":3,"category":"Exercise"}"#
    static let settings = #"{"preCountdownSeconds":5,"isProUser":true,"customCategories":["Yoga"],"theme":"dark"}"#
    static let history = """
        [{"id":"h1","sessionId":"s1","sessionName":"Session 1","completedAt":"2026-05-30T06:30:00.000Z",\
        "totalDurationSeconds":31},{"id":"h2","sessionId":"gone","sessionName":"Old","completedAt":\
        "2025-01-02T06:30:00.000Z","totalDurationSeconds":60}]
        """

    /// A whole phone, its keys with that prefix.
    static func phone(_ prefix: String = "@bztimer/") -> [(key: String, value: String?)] {
        [
            ("other", "1"), ("\(prefix)blockTemplates", "[\(activity)]"),
            ("\(prefix)sessionTemplates", "[\(session(1)),\(session(2, category: "Yoga"))]"),
            ("\(prefix)settings", settings), ("\(prefix)sessionHistory", history), ("@other:key", nil),
        ]
    }

    /// Writes a storage and gives its path.
    private func write(_ values: [(key: String, value: String?)], _ layout: String = "Storage") throws -> String {
        let path = sandbox.path("phone-\(layout)")
        if let table = StorageFixture.Table(rawValue: layout) {
            let values = values.map { (key: $0.key, value: table == .storage ? $0.value : $0.value ?? "") }
            try StorageFixture(values).write(toDatabase: path, table)
        } else {
            try StorageFixture(values).write(toFolder: path)
        }
        return path
    }

    private func bzpack(_ path: String, _ arguments: String..., store: String = "new.db") async throws -> Outcome {
        let now = ["--now", "2026-05-31T12:00:00Z"]
        return try await sandbox.bzpack(
            ["import", "--from-storage", path, "--store", sandbox.path(store)] + now + arguments
        )
    }

    /// What was found of each key, as `state name records leftOut`.
    private func keys(_ outcome: Outcome) throws -> [String] {
        try #require(try outcome.json["storage"]?["keys"]?.array).map { key in
            let name = key["name"]?.string ?? "-"
            return "\(key["state"]?.string ?? "") \(name) \(key["records"]?.int ?? -1) \(key["leftOut"]?.int ?? -1)"
        }
    }

    @Test("Of a damaged record the fault is named in the shape that it has, and nothing else")
    func nearestShape() async throws {
        let path = Fixtures.path("asyncstorage/ios")
        let outcome = try await bzpack(path)
        #expect(outcome.status == 3)
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1)
        #expect(lines.first?.contains("warning[schema.minLength]") == true)
        #expect(lines.first?.hasSuffix("(at /1/items/0/label)") == true)
        let shown = try await sandbox.bzpack("show", "Evening core", "--store", sandbox.path("new.db"))
        #expect(shown.output.contains("length: 2 min 45 s\n\n"))
    }

    @Test("The second element of an id is left out with a warning")
    func duplicateIDs() async throws {
        let plank = Self.activity.replacing("Squats", with: "Plank")
        let second = Self.session(2).replacing(#""s2""#, with: #""s1""#)
        let path = try write([
            ("blockTemplates", "[\(Self.activity),\(plank)]"),
            ("sessionTemplates", "[\(Self.session(1)),\(second)]"),
            ("sessionHistory", Self.history.replacing(#""h2""#, with: #""h1""#)),
        ])
        let outcome = try await bzpack(path, "--format", "json")
        #expect(outcome.status == 3)
        for key in ["blockTemplates", "sessionTemplates", "sessionHistory"] {
            let line = try #require(outcome.errors.split(separator: "\n").first { $0.contains("/\(key):") })
            #expect(line.contains("warning[bztimer.duplicate-id]: the id "), "\(line)")
            #expect(line.hasSuffix("is used twice, first at /0; it is left out (at /1/id)"), "\(line)")
        }
        #expect(
            try keys(outcome) == [
                "found blockTemplates 1 1", "found sessionTemplates 1 1", "absent - 0 0", "found sessionHistory 1 1",
            ]
        )
        #expect(try await sandbox.sessions(sandbox.path("new.db")).map(\.name) == ["Session 1"])
    }

    @Test(
        "Every layout gives the whole phone, and is left as it is",
        arguments: layouts,
        ["@bztimer/", "bztimer:", ""]
    )
    func whole(_ layout: String, _ prefix: String) async throws {
        let path = try write(Self.phone(prefix), layout)
        let before = try sandbox.contents()
        let dry = try await bzpack(path, "--dry-run")
        #expect(try sandbox.contents() == before)
        let outcome = try await bzpack(path)
        #expect(outcome.status == 0, "\(outcome.output)\(outcome.errors)")
        let report = dry.output.replacing("Would import", with: "Imported")
        #expect(report == outcome.output.replacing(#/ into \S+?\.db/#, with: ""))
        #expect(outcome.output.contains("  sessionTemplates: found"))
        #expect(outcome.output.contains("Imported 2 sessions, 1 activity, 2 history entries, the settings into "))
        #expect(outcome.output.contains("  other keys: 2\n"))
        let store = sandbox.path("new.db")
        let sessions = try await sandbox.sessions(store)
        #expect(sessions.map(\.name) == ["Session 1", "Session 2"])
        #expect(sessions.last?.items.first?.category == "Yoga")
        let library = try await sandbox.bzpack("activity", "list", "--store", store, "--format", "json").json
        let id = library["activities"]?.array?.first?["id"]?.string
        #expect(id != nil && sessions.allSatisfy { $0.items.first?.templateId == id })
        let entries = try await sandbox.bzpack("history", "--store", store, "--format", "json").json["entries"]?.array
        #expect(entries?.map { $0["sessionId"] } == [.string(sessions[0].id), .null])
        let settings = try await sandbox.bzpack("settings", "--store", store, "--format", "json").json
        #expect(settings["preCountdownSeconds"]?.int == 5)
        #expect(settings["theme"] == "dark")
        let again = try await bzpack(path)
        #expect(again.status == 3)
        #expect(again.output.contains("skip settings: the store has its own"))
        #expect(again.output.contains("skip history: 2 entries, as the store has the same"))
        #expect(try await sandbox.sessions(store).count == 2)
        #expect(try sandbox.contents().filter { !$0.key.hasPrefix("new.db") } == before)
    }

    @Test("What is free of identifiers is kept, and nothing of the store is overwritten")
    func identifiers() async throws {
        let path = try write(Self.phone())
        #expect(try await bzpack(path).status == 0)
        let store = sandbox.path("new.db")
        let sessions = try await sandbox.sessions(store)
        #expect(sessions.map(\.id) == ["s1", "s2"])
        #expect(sessions.map { $0.items.map(\.id) } == [["b", "r"], ["b", "r"]])
        #expect(sessions.allSatisfy { $0.items[0].templateId == "a1" })
        let entries = try await sandbox.bzpack("history", "--store", store, "--format", "json").json["entries"]?.array
        #expect(entries?.map { $0["sessionId"] } == ["s1", .null])
        // The phone edited one since, and two blocks have one identifier.
        let edited = Self.session(9).replacing(#""s9""#, with: #""s1""#).replacing(#""id":"r""#, with: #""id":"b""#)
        let later = try await sandbox.bzpack(
            "import",
            "--from-storage",
            try write([("sessionTemplates", "[\(edited)]")], "folder"),
            "--store",
            store
        )
        #expect(later.status == 0, "\(later.errors)")
        let all = try await sandbox.sessions(store)
        #expect(Array(all.prefix(2)) == sessions)
        #expect(all.count == 3 && all[2].id != "s1" && Set(all[2].items.map(\.id)).count == 2)
        #expect(all[2].items[0].id == "b")
    }

    @Test("Rows that are still in a write-ahead log are found, and the log stays")
    func log() async throws {
        let path = sandbox.path("AsyncStorage")
        try StorageFixture(Self.phone()).write(toDatabase: path, .storage, log: true)
        let before = try sandbox.contents()
        let outcome = try await bzpack(path, "--dry-run", "--format", "json")
        #expect(try keys(outcome).allSatisfy { $0.hasPrefix("found ") })
        #expect(try sandbox.contents() == before)
        #expect(before.keys.sorted() == ["AsyncStorage", "AsyncStorage-wal"])
    }

    @Test("On the Free plan the rules of every import hold, and no history is lost that is kept")
    func free() async throws {
        let sessions = (1...7).map { Self.session($0, category: "Yoga") }.joined(separator: ",")
        let path = try write([("sessionTemplates", "[\(sessions)]"), ("sessionHistory", Self.history)])
        let outcome = try await bzpack(path)
        #expect(outcome.status == 3)
        #expect(outcome.output.contains("refuse session \"Session 6\": Free plan allows up to 5 sessions."))
        #expect(outcome.output.contains("\"Yoga\" becomes \"Uncategorized\""))
        #expect(outcome.output.contains("skip history: 1 entry older than the history that is kept"))
        #expect(outcome.output.contains("create history: 1 entry\n"))
    }

    @Test("What is damaged is left out with its place in the value; the rest is imported", arguments: layouts)
    func damaged(_ layout: String) async throws {
        let bad = Self.session(2).replacing(#""label":"Squats""#, with: #""label":"""#)
        let values: [(key: String, value: String?)] = [
            ("bztimer:sessionTemplates", "[\(Self.session(1)),\n  \(bad),\n  \(Self.session(3))]"),
            ("bztimer:blockTemplates", #"[{"id":"#), ("bztimer:settings", #"{"preCountdownSeconds":4}"#),
            ("bztimer:sessionHistory", Self.history.replacing("2026-05-30T06", with: "2026-02-30T06")),
        ]
        let path = try write(values, layout)
        let outcome = try await bzpack(path, "--format", "json")
        #expect(outcome.status == 3)
        #expect(
            try keys(outcome) == [
                "damaged bztimer:blockTemplates 0 0", "found bztimer:sessionTemplates 2 1",
                "found bztimer:settings 0 1",
                "found bztimer:sessionHistory 1 1",
            ]
        )
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.contains { $0.contains("/bztimer:blockTemplates:1:8: warning[json.truncated]") })
        let place = #"/bztimer:sessionTemplates:2:"#
        #expect(lines.contains { $0.contains(place) && $0.hasSuffix("it is left out (at /1/items/0/label)") })
        #expect(lines.contains { $0.contains("warning[bztimer.setting]") && $0.hasSuffix("(at /preCountdownSeconds)") })
        #expect(lines.contains { $0.contains("(at /0/completedAt)") })
        #expect(try await sandbox.sessions(sandbox.path("new.db")).map(\.name) == ["Session 1", "Session 3"])
    }

    @Test("Of several names the one with a prefix counts, unless it cannot be used")
    func names() async throws {
        let other = Self.session(9)
        let path = try write([
            ("sessionTemplates", "[\(other)]"), ("@bztimer/sessionTemplates", "[\(Self.session(1))]"),
            ("settings", Self.settings), ("bztimer:settings", "null"), ("@bztimer/settings", nil),
        ])
        let outcome = try await bzpack(path, "--format", "json")
        #expect(outcome.status == 3)
        let found = try keys(outcome)
        #expect(found[1] == "found @bztimer/sessionTemplates 1 0")
        #expect(found[2] == "found settings 4 0")
        #expect(found[0] == "absent - 0 0")
        #expect(outcome.errors.components(separatedBy: "warning[storage.several-names]").count == 3)
        #expect(try await sandbox.sessions(sandbox.path("new.db")).map(\.name) == ["Session 1"])
    }

    @Test("Where nothing can be used, nothing is imported and no store is made", arguments: layouts)
    func nothing(_ layout: String) async throws {
        let path = try write([("settings", "null"), ("sessionTemplates", "{}"), ("a", "b")], layout)
        let outcome = try await bzpack(path)
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("sessionTemplates: damaged"))
        #expect(outcome.errors.contains("holds nothing of BZ Timer that can be used; nothing was imported"))
        #expect(!sandbox.has("new.db"))
    }

    @Test("Files and a storage are not imported together")
    func usage() async throws {
        #expect(try await sandbox.bzpack("import").status == 64)
        #expect(try await sandbox.bzpack("import", "a", "--from-storage", "b").status == 64)
        #expect(try await bzpack("missing").status == 66)
    }

    @Test("What the store cannot read keeps its identifier, and the phone's comes beside it, once")
    func takenIdentifiers() async throws {
        let phone = try write(Self.phone())
        #expect(try await bzpack(phone).status == 0)
        let store = sandbox.path("new.db")
        try await DatabaseQueue(path: store).write { database in
            try database.execute(sql: "UPDATE block SET duration_seconds = 0 WHERE session_id = 's1'")
            try database.execute(sql: "UPDATE template SET reps = 0")
            try database.execute(sql: "UPDATE history SET total_duration_seconds = -1 WHERE id = 'h1'")
        }
        for (number, rows) in [(1, [3, 2, 3]), (2, [3, 2, 3])] {
            let again = try await bzpack(phone)
            #expect(again.status == 3, "\(number) \(again.output)\(again.errors)")
            let counts = try await DatabaseQueue(path: store).read { database in
                try ["session", "template", "history"].map {
                    try Int.fetchOne(database, sql: "SELECT count(*) FROM \($0)") ?? 0
                }
            }
            #expect(counts == rows)
        }
        // Likewise a file of history.
        try sandbox.write("history.json", Self.history)
        let other = sandbox.path("other.db")
        #expect(try await sandbox.bzpack("init", "--pro", "--store", other).status == 0)
        let file = ["history", "import", "history.json", "--store", other]
        #expect(try await sandbox.bzpack(file).output.hasPrefix("Imported 2 history entries "))
        try await DatabaseQueue(path: other).write { database in
            try database.execute(sql: "UPDATE history SET total_duration_seconds = -1 WHERE id = 'h1'")
        }
        #expect(try await sandbox.bzpack(file).output.hasPrefix("Imported 1 history entry "))
        #expect(try await sandbox.bzpack(file).output.hasPrefix("Imported 0 history entries; "))
    }
}

extension Sandbox {
    /// All files below the folder with their bytes.
    func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try names() {
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: path(name), isDirectory: &isFolder)
            contents[name] = isFolder.boolValue ? [] : try bytes(name)
        }
        return contents
    }
}
