import AppList
import ArchiveCompression
import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing
import TestSupport

/// A device of a test that runs the built program: an app's database, what foldersync has joined, and a copy of the shared
/// directory, which transports bring in step with those of others.
final class Peer: Sendable {
    let name: String
    let app: ScenarioApp
    let sandbox: Sandbox
    /// The shared directory as this device sees it.
    let folder: String

    var store: String { sandbox.path("store.db") }
    private var config: String { sandbox.path("foldersync.json") }

    /// A device with an empty database.
    ///
    /// - Parameter folder: A directory that several devices see at once; by default it has its own copy.
    init(_ name: String, _ app: ScenarioApp = .slate, folder: String? = nil) throws {
        self.name = name
        self.app = app
        sandbox = try Sandbox()
        self.folder = folder ?? sandbox.path("shared")
        try app.make(at: store)
    }

    /// A copy of everything that a device has, its copy of the directory included.
    init(cloning other: Peer) throws {
        (name, app) = (other.name, other.app)
        sandbox = try Sandbox()
        let isOwn = other.folder.hasPrefix(other.sandbox.folder.path)
        folder = isOwn ? sandbox.path("shared") : other.folder
        try restore(other.sandbox)
    }

    /// Everything that the device has, to be set back to.
    func backup() throws -> Sandbox {
        let copy = try Sandbox()
        try Self.copy(sandbox, into: copy)
        return copy
    }

    /// Sets the device back; its copy of the directory too, where that is asked for.
    func restore(_ backup: Sandbox, withFolder: Bool = true) throws {
        let kept = withFolder ? [] : ["shared"]
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.folder.path) where !kept.contains(name)
        {
            try sandbox.remove(name)
        }
        try Self.copy(backup, into: sandbox, without: kept)
        // The registry names the places where the files were.
        guard sandbox.has("foldersync.json") else { return }
        let text = String(decoding: try sandbox.bytes("foldersync.json"), as: UTF8.self)
        let pattern = try Regex("/[^\"]*/satchel-[0-9A-F-]{36}/(?=store.db|shared)")
        let isOwn = folder.hasPrefix(sandbox.folder.path)
        try sandbox.write(
            "foldersync.json",
            text.replacing(pattern) { found in
                let isFolder = text[found.range.upperBound...].hasPrefix("shared")
                return isFolder && !isOwn ? String(found.0) : sandbox.folder.path + "/"
            }
        )
    }

    private static func copy(_ from: Sandbox, into to: Sandbox, without kept: [String] = []) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: from.folder.path) where !kept.contains(name) {
            try FileManager.default.copyItem(atPath: from.path(name), toPath: to.path(name))
        }
    }

    // MARK: The program

    /// The program's arguments, with this device's registry.
    func arguments(_ command: String, _ rest: [String]) -> [String] { [command] + rest + ["--config", config] }

    /// Runs the built program as this device.
    @discardableResult
    func foldersync(_ command: String, _ rest: String...) async throws -> Outcome {
        try await sandbox.run(Built.path("foldersync"), arguments(command, rest))
    }

    /// Makes the directory a shared one.
    func initialise() async throws {
        var declaration: [String] = []
        if app == .declared {
            let id = ScenarioApp.declaredID.rawValue
            let declared = try await sandbox.run(Built.path("foldersync"), ["declare", store, "--id", id])
            try #require(declared.status == 0 && declared.errors.isEmpty, "\(name): \(declared.errors)")
            declaration = ["--app", try sandbox.write("app.json", declared.output)]
        }
        var options = [folder, "--store", store, "--name", name] + declaration
        if EncryptedRun.isOn {
            let file = try sandbox.write("passphrase", "test\n")
            options += ["--encrypt", "--passphrase-file", file, "--recovery-file", sandbox.path("recovery")]
        }
        let outcome = try await sandbox.run(Built.path("foldersync"), arguments("init", options))
        try #require(outcome.status == 0, "\(name): \(outcome.errors)\(outcome.output)")
    }

    /// Takes part in the directory.
    func join() async throws {
        var options = [folder, "--store", store, "--name", name]
        if EncryptedRun.isOn { options += ["--passphrase-file", try sandbox.write("passphrase", "test\n")] }
        let outcome = try await sandbox.run(Built.path("foldersync"), arguments("join", options))
        try #require(outcome.status == 0, "\(name): \(outcome.errors)\(outcome.output)")
    }

    /// Synchronises; gives what was done to the store.
    @discardableResult
    func sync(
        _ expected: Int32 = 0,
        _ decision: String? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) async throws -> Synced {
        var options = ["--format", "json"]
        if let decision { options.append(decision) }
        let outcome = try await sandbox.run(Built.path("foldersync"), arguments("sync", options))
        let said: Comment = "\(name): \(outcome.errors)\(outcome.output)"
        #expect(outcome.status == expected, said, sourceLocation: location)
        return Synced(outcome)
    }

    /// Synchronises, and publishes what waits for a decision where the device was copied or restored.
    func syncAccepting() async throws {
        let outcome = try await foldersync("sync")
        guard outcome.status == 5, let found = outcome.errors.firstMatch(of: /--accept-mass-change ([0-9]+)/) else {
            return
        }
        try await sync(0, "--accept-mass-change=\(found.1)")
    }

    /// What the replica knows, as canonical bytes.
    func state() throws -> String {
        var environment = SyncEnvironment(
            apps: AppStores.all,
            compression: ArchiveCompression(),
            device: SyncDevice(id: "0000000000000000", name: "test"),
            program: "test",
            now: { 0 }
        )
        if sandbox.has("foldersync-keys") { environment.keys = KeyStore(folder: sandbox.path("foldersync-keys")) }
        return try Replica(folder: folder, store: store, environment).stateText()
    }

    /// The name under which the device writes.
    func writer() throws -> String? {
        try DatabaseQueue(path: store + ".foldersync").read { database in
            try String.fetchOne(database, sql: "SELECT value FROM property WHERE name = 'writer'")
        }
    }

    // MARK: The app

    /// Changes the database as the app does.
    func sql(_ sql: String, _ arguments: StatementArguments = []) throws {
        try database().write { try $0.execute(sql: sql, arguments: arguments) }
    }

    /// Writes the whole database anew.
    func vacuum() throws { try database().writeWithoutTransaction { try $0.execute(sql: "VACUUM") } }

    private func database() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(20)
        return try DatabaseQueue(path: store, configuration: configuration)
    }

    func addTask(_ id: String, _ title: String? = nil) throws {
        try sql(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            [id, title ?? "Task \(id)", "2026-01-01T08:00:00Z", "2026-01-01T08:00:00Z"]
        )
        if let listing = app.listing(id, name) { try sql(listing.sql, listing.arguments) }
    }

    func addTasks(_ count: Int, _ prefix: String = "t") throws {
        for number in 0..<count { try addTask("\(prefix)\(number)") }
    }

    func setTitle(_ id: String, _ title: String) throws {
        try sql("UPDATE tasks SET title = ? WHERE id = ?", [title, id])
    }

    func removeTask(_ id: String) throws { try sql(app.removal, [id]) }

    /// The titles of all tasks by identifier.
    func titles() throws -> [String: String] {
        try database().read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT id, title FROM tasks")
            return Dictionary(rows.map { ($0[0] as String, $0[1] as String) }) { first, _ in first }
        }
    }

    /// All rows of all of the app's tables, as texts in order.
    func rows() throws -> [String] { try app.rows(store) }
}

extension Replica {
    /// What the replica knows, as canonical bytes.
    func stateText() throws -> String {
        var bytes: [UInt8] = []
        try dump { bytes += $0 }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// All rows of all of Slate's tables, as texts in order.
func slateRows(_ path: String) throws -> [String] {
    try DatabaseQueue(path: path).read { database in
        let tables = try String.fetchAll(
            database,
            sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'satchel%' ORDER BY name"
        )
        return try tables.flatMap { table in
            try Row.fetchAll(database, sql: "SELECT * FROM \"\(table)\"").map { "\(table) \($0)" }.sorted()
        }
    }
}

/// What a synchronisation of one store said.
struct Synced {
    let outcome: Outcome
    private let store: JSONValue?

    init(_ outcome: Outcome) {
        self.outcome = outcome
        store = try? outcome.json["stores"]?.array?.first
    }

    var publishedBytes: Int { store?["publishedBytes"]?.number?.int ?? 0 }
    var published: Int { store?["published"]?.array?.count ?? 0 }
    var received: Int { store?["received"]?.array?.count ?? 0 }
    var written: Int { store?["written"]?.number?.int ?? 0 }
    var conflicts: Int { store?["conflicts"]?.number?.int ?? 0 }
    var notes: [String] { store?["notes"]?.array?.compactMap(\.string) ?? [] }
    var outbox: Int { store?["outbox"]?["changes"]?.number?.int ?? 0 }
    /// The kinds of issues.
    var issues: [String] { store?["issues"]?.array?.compactMap { $0["kind"]?.string } ?? [] }
    /// What the issues say.
    var messages: String {
        store?["issues"]?.array?.compactMap { $0["message"]?.string }.joined(separator: "\n") ?? ""
    }
    /// Whether there was nothing to do and nothing to say.
    var isIdle: Bool {
        outcome.status == 0 && publishedBytes == 0 && published == 0 && received == 0 && written == 0 && notes.isEmpty
            && issues.isEmpty
    }
}

/// Demands that devices have the same rows and know the same.
func expectEqual(_ peers: Peer..., at location: SourceLocation = #_sourceLocation) throws {
    guard let first = peers.first else { return }
    let (rows, state) = (try first.rows(), try first.state())
    for other in peers.dropFirst() {
        #expect(try other.rows() == rows, "\(other.name), \(first.name)", sourceLocation: location)
        #expect(try other.state() == state, "\(other.name), \(first.name)", sourceLocation: location)
    }
}
