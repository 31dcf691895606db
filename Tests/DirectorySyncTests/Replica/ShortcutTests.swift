import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

/// Records that have to do with no other are brought together by themselves: the stores and what the devices know have to
/// be the same as where all are brought together.
@Suite("Shortcuts")
struct ShortcutTests {
    @Test("The short way gives the same rows and the same state as the long one", arguments: [1, 2])
    func equal(_ run: Int) throws {
        let given = ProcessInfo.processInfo.environment["SATCHEL_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...9999)
        print("shortcuts, seed \(seed)")
        let app = run % 2 == 0 ? AppID.tracker : .slate
        let short = try Peers(app, seed: seed, takesShortcuts: true)
        let long = try Peers(app, seed: seed, takesShortcuts: false)
        for step in 0..<16 {
            try short.step()
            try long.step()
            for (one, other) in zip(short.devices, long.devices) {
                for table in short.tables {
                    let rows = try (one.rows(table), other.rows(table))
                    #expect(rows.0 == rows.1, "seed \(seed), step \(step), \(one.name): \(table)")
                }
                #expect(try Peers.state(one) == Peers.state(other), "seed \(seed), step \(step), \(one.name)")
            }
        }
        #expect(try !short.devices[0].rows(short.tables[0]).isEmpty)
    }
}

extension ShortcutTests {
    @Test(
        "Packed records give the same stores, the same state and the same reports as records with rows",
        arguments: [1, 2]
    )
    func packed(_ run: Int) throws {
        let given = ProcessInfo.processInfo.environment["SATCHEL_SEED"].flatMap(UInt64.init)
        let seed = given ?? UInt64.random(in: 0...9999)
        print("packed records, seed \(seed)")
        let app = run % 2 == 0 ? AppID.tracker : .slate
        let rows = try Peers(app, seed: seed)
        let packed = try Peers(app, seed: seed, packing: PackingLimits(leastRows: 1, blockBytes: 900))
        for step in 0..<24 {
            try rows.step()
            try packed.step()
            for (one, other) in zip(rows.devices, packed.devices) {
                let place: Comment = "seed \(seed), step \(step), \(one.name)"
                for table in rows.tables {
                    // Numbers of rows follow from the order of writing.
                    let (left, right) = (try one.rows(table), try other.rows(table))
                    #expect(Set(left.map(withoutNumber)) == Set(right.map(withoutNumber)), place)
                }
                guard FileManager.default.fileExists(atPath: one.store + ".foldersync") else { continue }
                #expect(try one.replica().stateText() == other.replica().stateText(), place)
                let (left, right) = (try one.replica().status(), try other.replica().status())
                #expect(left.records == right.records && left.conflicts == right.conflicts, place)
                #expect(left.issues == right.issues && left.massChange == right.massChange, place)
                let (found, expected) = (try other.replica().verify(), try one.replica().verify())
                #expect(found.faults.isEmpty && found.differing.isEmpty && found.digest == expected.digest, place)
            }
        }
        func withoutNumber(_ row: String) -> Substring {
            row.hasPrefix("key=") ? row.drop { $0 != " " } : row[...]
        }
        let blocks = try packed.devices.map { device in
            try DatabaseQueue(path: device.store + ".foldersync").read {
                try Int.fetchOne($0, sql: "SELECT count(*) FROM block") ?? 0
            }
        }
        #expect(blocks.allSatisfy { $0 > 0 })
    }
}

/// Three devices with one folder, the third of which joins late, with records of its own.
private final class Peers {
    let devices: [Device]
    let tables: [String]
    private let app: AppID
    private var random: SeededGenerator
    private var count = 0

    init(
        _ app: AppID,
        seed: UInt64,
        takesShortcuts: Bool = true,
        packing: PackingLimits = PackingLimits(leastRows: nil)
    ) throws {
        self.app = app
        tables =
            app == .slate ? ["tasks", "habits", "habit_completions", "day_plan_items"] : ["activity", "button"]
        let sandbox = try Sandbox()
        let time = Device.Clock()
        devices = try ["a", "b", "c"].enumerated().map { index, name in
            let device = try Device(name, app, in: sandbox, clock: time)
            device.seedNames(seed &+ UInt64(index) &* 7919)
            device.environment.takesShortcuts = takesShortcuts
            device.environment.packing = packing
            return device
        }
        random = SeededGenerator(seed: seed)
        for device in devices { for _ in 0..<12 { try edit(device) } }
        try devices[0].makeSpace()
        try devices[1].join()
    }

    /// Edits, and a synchronisation of one of the devices.
    func step() throws {
        count += 1
        if count == 8 { try devices[2].join() }
        let device = devices[Int(random.next() % (count < 8 ? 2 : 3))]
        for _ in 0..<(random.next() % 6) { try edit(device) }
        try device.syncAccepting()
    }

    /// What a device knows.
    static func state(_ device: Device) throws -> [String] {
        guard FileManager.default.fileExists(atPath: device.store + ".foldersync") else { return [] }
        return try DatabaseQueue(path: device.store + ".foldersync").read { database in
            try [
                "SELECT * FROM head ORDER BY 1",
                """
                SELECT collection, key, unseen, line, reason, is_contested, is_alone, heads FROM touched
                LEFT JOIN vector ON number = touched.vector ORDER BY 1, 2
                """,
                "SELECT * FROM link ORDER BY 1, 2, 3, 4",
                "SELECT collection, key, CAST(line AS TEXT), place, base, conflicts FROM record ORDER BY 1, 2",
            ].flatMap { try Row.fetchAll(database, sql: $0).map { "\($0)" } }
        }
    }

    private func edit(_ device: Device) throws {
        let id = "r\(random.next() % 14)"
        let other = "r\(random.next() % 14)"
        let title = "title \(random.next() % 1000)"
        let statements = app == .slate ? Self.slate(id, other, title) : Self.tracker(id, other, title)
        try device.sql(statements[Int(random.next() % UInt64(statements.count))])
    }

    private static func slate(_ id: String, _ other: String, _ title: String) -> [String] {
        let moment = "2026-01-01T00:00:00Z"
        let task = "INSERT OR REPLACE INTO tasks (id, title, created_at, updated_at"
        return [
            "\(task)) VALUES ('\(id)', '\(title)', '\(moment)', '\(moment)')",
            "\(task), depends_on_task_id) VALUES ('\(id)', '\(title)', '\(moment)', '\(moment)', '\(other)')",
            "UPDATE tasks SET title = '\(title)' WHERE id = '\(id)'",
            "UPDATE tasks SET depends_on_task_id = '\(other)' WHERE id = '\(id)'",
            "DELETE FROM tasks WHERE id = '\(id)'", "DELETE FROM habits WHERE id = '\(id)'",
            "INSERT OR REPLACE INTO habits (id, title, created_at, updated_at) "
                + "VALUES ('\(id)', '\(title)', '\(moment)', '\(moment)')",
            "INSERT OR REPLACE INTO habit_completions (id, habit_id, date, completed_at) "
                + "VALUES ('c-\(id)-\(other)', '\(id)', '2026-01-0\(other.count)', '\(moment)')",
            "INSERT OR REPLACE INTO day_plan_items (id, date, entity_type, entity_id) "
                + "VALUES ('p-\(id)', '2026-01-01', 'task', '\(id)')",
            "INSERT OR REPLACE INTO day_plan_items (id, date, entity_type, entity_id) "
                + "VALUES ('q-\(id)', '2026-01-01', 'habit', '\(id)')",
        ]
    }

    private static func tracker(_ id: String, _ other: String, _ title: String) -> [String] {
        [
            "DELETE FROM activity WHERE id = '\(id)'; INSERT INTO activity (id, name, button_id, start_ms, end_ms) "
                + "VALUES ('\(id)', '\(title)', '\(other)', 1767000000000, 1767000600000)",
            "DELETE FROM activity WHERE id = '\(id)'; INSERT INTO activity (id, name, start_ms) "
                + "VALUES ('\(id)', '\(title)', 176700\(other.count)000000)",
            "UPDATE activity SET name = '\(title)' WHERE id = '\(id)'", "DELETE FROM activity WHERE id = '\(id)'",
            "INSERT OR REPLACE INTO button (id, name, color, icon, is_default, position, is_visible) "
                + "VALUES ('\(id)', 'Own \(id)', '#112233', 'star', 0, (SELECT count(*) FROM button), 1)",
            "UPDATE button SET color = '#445566' WHERE id = '\(id)'", "DELETE FROM button WHERE id = '\(id)'",
        ]
    }
}
