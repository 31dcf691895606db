import Foundation
import SQLiteDatabase
import Subprocess
import TestSupport

/// A person with two devices, whose stores hold samples, years of habits, backups, and hostile names.
struct PageWorld {
    static let now = "2026-03-05T18:00:00Z"
    /// A name that would be markup, if a page took it for such.
    static let hostile = "<img src=x onerror=\"document.title='had'\"> & <script>alert('x')</script>"

    let sandbox: Sandbox
    /// The folder within the sandbox that holds the devices and what they share.
    private let root: String?

    /// - Parameter root: The name of a folder for the devices; nil for the sandbox itself.
    init(in root: String? = nil) throws {
        sandbox = try Sandbox()
        self.root = root
    }

    /// A path in the folder of the devices.
    func path(_ name: String) -> String { sandbox.path(root.map { "\($0)/\(name)" } ?? name) }

    /// The variables of a device.
    private func variables(_ device: String) -> [String: String] {
        [
            "XDG_DATA_HOME": path("\(device)/data"), "HOME": path("\(device)/home"),
            "XDG_STATE_HOME": path("\(device)/state"), "TZ": "UTC",
        ]
    }

    /// A variable of the environment that is of no device.
    private static let foreign = ["SATCHEL_FOLDERSYNC", "SATCHEL_BACKUPS"]

    /// Runs the program on a device.
    ///
    /// - Throws: Where it ends with something else than the codes that are allowed.
    @discardableResult
    func satchel(_ device: String, _ arguments: [String], ends: Set<Int32> = [0, 3]) async throws -> String {
        var environment: [Environment.Key: String?] = [:]
        for (name, value) in variables(device) {
            environment[Environment.Key(stringLiteral: name)] = value
        }
        for name in Self.foreign { environment[Environment.Key(stringLiteral: name)] = .some(nil) }
        let outcome = try await sandbox.run(Built.path("satchel"), arguments, environment: environment)
        guard ends.contains(outcome.status) else {
            throw Failure(description: "\(arguments) ended with \(outcome.status): \(outcome.output)\(outcome.errors)")
        }
        return outcome.output
    }

    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// The path of a store of a device.
    func store(_ device: String, _ name: String) -> String { path("\(device)/data/satchel/\(name)") }

    /// Changes a store as an app does.
    func change(_ path: String, _ sql: String, _ arguments: StatementArguments = []) async throws {
        let queue = try DatabaseQueue(path: path)
        try await queue.write { try $0.execute(sql: sql, arguments: arguments) }
        try queue.close()
    }

    /// A value of a store.
    func text(_ path: String, _ sql: String) async throws -> String? {
        let queue = try DatabaseQueue(path: path)
        let value = try await queue.read { try String.fetchOne($0, sql: sql) }
        try queue.close()
        return value
    }

    // MARK: What is there

    /// Fills the laptop: samples of all apps, years of habits, six backups.
    ///
    /// - Parameters:
    ///   - isHostile: Whether there is a name that looks like markup.
    ///   - hasYears: Whether there are years of habits.
    func fill(isHostile: Bool = true, hasYears: Bool = true) async throws {
        for device in ["laptop", "tower"] {
            for part in ["data/satchel", "home", "state"] {
                let folder = URL(filePath: path("\(device)/\(part)"))
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
        }
        let now = ["--now", Self.now]
        try await satchel("laptop", ["slate", "init", "--sample"] + now)
        try await satchel("laptop", ["time", "init", "--sample"] + now)
        try await satchel("laptop", ["study", "init", "--sample"] + now)
        try await satchel("laptop", ["timer", "init", "--sample"] + now)
        try await satchel("laptop", ["study", "goal", "Algebra", "4h/week"] + now)
        let title = isHostile ? Self.hostile : "Water the garden"
        try await satchel("laptop", ["slate", "add", title, "--due", "2026-03-07"] + now)
        let folder = path("laptop/home/Backups/Slate")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for (day, task) in [
            ("2025-12-28", "Book the train"), ("2026-01-31", "Send the tax papers"), ("2026-02-20", "Order seeds"),
            ("2026-03-03", "Repair the bicycle"),
        ] {
            let moment = ["--now", "\(day)T20:00:00Z"]
            try await satchel("laptop", ["slate", "add", task] + moment)
            try await satchel("laptop", ["slate", "export", "--output", folder] + moment)
        }
        if hasYears { try await addYears() }
        try await satchel("laptop", ["slate", "export", "--output", folder, "--now", "2026-03-04T20:00:00Z"])
        // Nobody has checked this one.
        let unchecked = try Data(contentsOf: URL(filePath: "\(folder)/Slate-20260304.slatebackup"))
        try unchecked.write(to: URL(filePath: "\(folder)/Slate-20251115.slatebackup"))
    }

    /// Adds ten years of three habits to Slate, as its app would have written them.
    private func addYears() async throws {
        let path = store("laptop", "slate.db")
        try await change(path, "UPDATE habits SET created_at = '2016-05-01T08:00:00Z'")
        let queue = try DatabaseQueue(path: path)
        try await queue.write { database in
            try database.execute(
                sql: """
                    WITH RECURSIVE day(n, date) AS (
                        SELECT 0, date('2016-05-01')
                        UNION ALL SELECT n + 1, date(date, '+1 day') FROM day WHERE date < '2026-02-18'
                    )
                    INSERT OR IGNORE INTO habit_completions (id, habit_id, date, completed_at)
                    SELECT 'y' || day.n || habits.id, habits.id, day.date, day.date || 'T20:00:00Z'
                    FROM day, habits
                    WHERE (day.n * day.n / 7 + day.n / 3 + length(habits.title) * 31) % 13 < 7 + day.n / 900
                    """
            )
            try database.execute(
                sql: """
                    INSERT OR IGNORE INTO day_plan (date, perfect_day)
                    SELECT date, count(*) = (SELECT count(*) FROM habits) FROM habit_completions
                    WHERE date < '2026-02-18' GROUP BY date
                    """
            )
        }
        try queue.close()
    }

    /// Lets both devices share Slate, and change the same task without knowing of each other.
    func share() async throws {
        let folder = path("Sync")
        let now = ["--now", Self.now]
        let (laptop, tower) = (store("laptop", "slate.db"), store("tower", "slate.db"))
        try await satchel(
            "laptop",
            ["sync", "init", folder, "--store", laptop, "--name", "laptop", "--no-encrypt"] + now
        )
        try await satchel("tower", ["sync", "join", folder, "--create", "slate=\(tower)", "--name", "tower"] + now)
        try await satchel("laptop", ["sync", "--now", "2026-03-05T18:01:00Z"])
        let sql = "UPDATE tasks SET title = ?, updated_at = ? WHERE id = 'task-2'"
        try await change(laptop, sql, ["Buy green paint", "2026-03-05T18:10:00Z"])
        try await change(tower, sql, ["Buy blue paint", "2026-03-05T18:11:00Z"])
        let note = "UPDATE tasks SET notes = ? WHERE id = 'task-4'"
        try await change(laptop, note, ["The office opens at nine. Take two photos."])
        try await change(tower, note, ["The office opens at ten. Take two photos and the old one."])
        try await satchel("laptop", ["sync", "--now", "2026-03-05T18:12:00Z"])
        try await satchel("tower", ["sync", "--now", "2026-03-05T18:13:00Z"])
        try await satchel("laptop", ["sync", "--now", "2026-03-05T18:14:00Z"])
    }

    /// Serves the pages of a device.
    func serve(_ device: String, now: String = "2026-03-05T18:20:00Z") throws -> ServedPages {
        try ServedPages(
            [Built.path("satchel"), "open", "--no-browser", "--now", now],
            variables(device),
            without: Self.foreign,
            in: sandbox.folder
        )
    }
}

/// A program that serves pages until this goes.
final class ServedPages {
    /// The address that lets a browser in.
    let address: String
    private let process = Process()

    init(_ command: [String], _ variables: [String: String], without names: [String], in folder: URL) throws {
        process.executableURL = URL(filePath: command[0])
        process.arguments = Array(command.dropFirst())
        process.currentDirectoryURL = folder
        var environment = ProcessInfo.processInfo.environment
        for name in names { environment[name] = nil }
        process.environment = environment.merging(variables) { $1 }
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while !text.contains("\n") {
            let part = output.fileHandleForReading.availableData
            guard !part.isEmpty else { break }
            text += String(decoding: part, as: UTF8.self)
        }
        guard let found = text.firstMatch(of: /http:\/\/\S+/) else {
            throw PageWorld.Failure(description: "\(command) printed no address: \(text)")
        }
        address = String(found.output)
    }

    deinit { process.end() }
}
