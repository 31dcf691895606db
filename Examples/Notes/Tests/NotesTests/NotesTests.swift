import ArchiveCompression
import DirectorySync
import Foundation
import Notes
import RecordMerge
import RecordStore
import SQLiteDatabase
import StrictJSON
import Testing

struct NotesTests {
    let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID().uuidString)").path
    let apps: AppStores

    init() throws {
        apps = AppStores([try NotesApp()])
        try FileManager.default.createDirectory(atPath: "\(folder)/shared", withIntermediateDirectories: true)
    }

    /// A device with an empty database.
    private func device(_ name: String) throws -> (sync: FolderSync, database: DatabaseQueue) {
        let path = "\(folder)/\(name).db"
        try apps.make(AppID("notes"), at: path)
        let environment = SyncEnvironment(
            apps: apps,
            compression: ArchiveCompression(),
            device: SyncDevice(id: String((name + "0000000000000000").prefix(16)), name: name),
            program: "notes 1.0",
            now: { Int(Date.now.timeIntervalSince1970 * 1_000) }
        )
        return (FolderSync(folder: "\(folder)/shared", store: path, environment), try DatabaseQueue(path: path))
    }

    @Test func `two devices keep their notes in step`() async throws {
        let (laptop, phone) = (try device("laptop"), try device("phone"))
        try await laptop.database.write { try $0.execute(sql: "INSERT INTO note (id, title) VALUES ('n1', 'Milk')") }
        try await laptop.sync.join()
        _ = try await laptop.sync.sync()
        try await phone.sync.join()
        let steps = Steps()
        let outcome = try await phone.sync.sync { steps.add($0) }
        #expect(outcome.written == 1)
        #expect(steps.phases.contains(.merging))

        // Both pin a note at once: all stay, and one is pinned, on both the same.
        try await laptop.database.write { try $0.execute(sql: "UPDATE note SET pinned_at = '2026-01-01T08:00Z'") }
        try await phone.database.write {
            try $0.execute(sql: "INSERT INTO note (id, title, pinned_at) VALUES ('n2', 'Tea', '2026-01-01T09:00Z')")
        }
        for _ in 0..<2 {
            _ = try await laptop.sync.sync()
            _ = try await phone.sync.sync()
        }
        for device in [laptop, phone] {
            let rows = try await device.database.read { database in
                try Row.fetchAll(database, sql: "SELECT title, pinned_at FROM note ORDER BY id")
            }
            #expect(rows.map { $0["title"] } == ["Milk", "Tea"])
            #expect(rows.map { $0["pinned_at"] as String? } == [nil, "2026-01-01T09:00Z"])
        }
        #expect(try await laptop.sync.conflicts().map(\.name.key) == ["n1"])
    }

    @Test func `a task that is cancelled loses nothing`() async throws {
        let laptop = try device("laptop")
        try await laptop.database.write { database in
            for number in 0..<3_000 {
                try database.execute(sql: "INSERT INTO note (id, title) VALUES ('n\(number)', 'Note')")
            }
        }
        try await laptop.sync.join()
        let task = Task { try await laptop.sync.sync() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await laptop.sync.sync().published.map(\.recordCount).reduce(0, +) == 3_000)
    }

    @Test func `the store does what synchronisation relies on`() throws {
        let app = try NotesApp()
        for name in ["filled", "empty"] { try apps.make(app.id, at: "\(folder)/\(name).db") }
        let database = try DatabaseQueue(path: "\(folder)/filled.db")
        try database.write { try $0.execute(sql: "INSERT INTO note (id, title) VALUES ('n1', 'Milk')") }
        let conformance = try StoreAdapterConformance(
            app.store,
            filled: "\(folder)/filled.db",
            empty: "\(folder)/empty.db",
            sent: { _, object in object }
        ) {
            try database.write { try $0.execute(sql: "UPDATE note SET title = 'Oat milk'") }
            return [StoreRecordKey("note", "n1")]
        }
        #expect(try conformance.faults() == [])
    }
}

/// The phases that a synchronisation told of.
private final class Steps: @unchecked Sendable {
    private let lock = NSLock()
    private var found: Set<SyncProgress.Phase> = []

    var phases: Set<SyncProgress.Phase> { lock.withLock { found } }

    func add(_ step: SyncProgress) { lock.withLock { _ = found.insert(step.phase) } }
}
