import AppList
import ArchiveCompression
import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import Synchronization
import TestSupport

/// A device of a test: a Slate store of its own, and a folder that it shares.
final class Device {
    let name: String
    let store: String
    let folder: String
    var environment: SyncEnvironment
    let time: Clock
    /// Goes with the last of its devices.
    let sandbox: Sandbox

    /// A clock that a test sets.
    final class Clock: Sendable {
        private let value: Mutex<Int>
        init(_ milliseconds: Int = 1_767_000_000_000) { value = Mutex(milliseconds) }
        var now: Int { value.withLock { $0 } }
        func advance(_ milliseconds: Int) { value.withLock { $0 += milliseconds } }
    }

    init(
        _ name: String,
        _ app: AppID = .slate,
        in sandbox: Sandbox,
        folder: String? = nil,
        clock: Clock = Clock(),
        isEncrypted: Bool = EncryptedRun.isOn
    ) throws {
        self.sandbox = sandbox
        self.name = name
        store = sandbox.path("\(name).db")
        self.folder = folder ?? sandbox.path("shared")
        time = clock
        let id = String((name.lowercased() + "0000000000000000").prefix(16))
        environment = SyncEnvironment(
            apps: AppStores.all,
            compression: ArchiveCompression(),
            device: SyncDevice(id: id, name: name),
            program: "foldersync test",
            now: { clock.now }
        )
        if isEncrypted { environment.keys = KeyStore(folder: sandbox.path("\(name)-keys")) }
        // All suites can run with records packed as they are in large stores.
        if let least = ProcessInfo.processInfo.environment["SATCHEL_PACKING"].flatMap(Int.init) {
            environment.packing = PackingLimits(leastRows: least, blockBytes: 400)
        }
        if app == ScenarioApp.declaredID {
            try ScenarioApp.declared.make(at: store)
            try DeclaredStores.declare(DatabaseDeclarer.declare(store, app: app.rawValue), store)
        } else {
            try AppStores.all.make(app, at: store)
        }
    }

    /// Lets it give writers and spaces names that are the same for the same seed.
    func seedNames(_ seed: UInt64) {
        let names = Mutex(SeededGenerator(seed: seed))
        let characters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        environment.makeName = { count in
            names.withLock { names in String((0..<count).map { _ in characters[Int(names.next() % 36)] }) }
        }
    }

    /// Two devices in step, with tasks t1, t2 and so on of these titles.
    static func pair(
        _ titles: String...,
        isEncrypted: Bool = EncryptedRun.isOn
    ) throws -> (laptop: Device, phone: Device) {
        let sandbox = try Sandbox()
        let laptop = try Device("Laptop", in: sandbox, isEncrypted: isEncrypted)
        let phone = try Device("Phone", in: sandbox, isEncrypted: isEncrypted)
        for (index, title) in titles.enumerated() { try laptop.addTask("t\(index + 1)", title) }
        try laptop.makeSpace()
        try laptop.sync()
        try phone.join()
        try phone.sync()
        return (laptop, phone)
    }

    func makeSpace() throws {
        let space = try EncryptedRun.makeSpace(in: folder, environment)
        try Replica.join(folder: folder, space: space, store: store, environment)
    }

    func join() throws {
        try EncryptedRun.unlock(folder, environment)
        try Replica.join(folder: folder, space: Replica.space(of: folder), store: store, environment)
    }

    func replica() throws -> Replica { try Replica(folder: folder, store: store, environment) }

    @discardableResult
    func sync(_ decision: SyncDecision = .none) throws -> SyncOutcome {
        time.advance(1000)
        return try replica().sync(decision)
    }

    /// Synchronises, and accepts a mass change.
    func syncAccepting() throws {
        do {
            try sync()
        } catch let error as SyncError where error.massChange != nil {
            try sync(.accept(error.massChange ?? 0))
        }
    }

    // MARK: The app

    /// Runs a statement as SQLite does by itself, without looking at references.
    func sql(_ sql: String, _ arguments: StatementArguments = []) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        try DatabaseQueue(path: store, configuration: configuration).write {
            try $0.execute(sql: sql, arguments: arguments)
        }
    }

    func addTask(_ id: String, _ title: String) throws {
        try sql(
            "INSERT INTO tasks (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
            [id, title, "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z"]
        )
    }

    func setTitle(_ id: String, _ title: String) throws {
        try sql("UPDATE tasks SET title = ? WHERE id = ?", [title, id])
    }

    /// The titles of all tasks, by id.
    func titles() throws -> [String: String] {
        try DatabaseQueue(path: store).read { database in
            let rows = try Row.fetchAll(database, sql: "SELECT id, title FROM tasks")
            return Dictionary(uniqueKeysWithValues: rows.map { ($0[0] as String, $0[1] as String) })
        }
    }

    /// The texts of the first column of a query.
    func column(_ sql: String) throws -> [String] {
        try DatabaseQueue(path: store).read { try String.fetchAll($0, sql: sql) }
    }

    /// All rows of a table as texts, in the order of their texts.
    func rows(_ table: String) throws -> [String] {
        try DatabaseQueue(path: store).read { database in
            try Row.fetchAll(database, sql: "SELECT * FROM \(table)").map { row in
                row.map { "\($0)=\($1)" }.joined(separator: " ")
            }.sorted()
        }
    }
}
