import AppList
import DirectorySync
import Foundation
import RecordStore
import SQLiteDatabase
import Testing
import TestSupport

/// Random databases, edited on several devices by plain SQL: in the end all have the same rows, and no row is lost that
/// nobody deleted.
@Suite struct DeclaredWorldTests {
    private static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        let first = environment["SATCHEL_SEED"].flatMap(UInt64.init) ?? 1
        let count = environment["SATCHEL_DECLARED"].flatMap(UInt64.init) ?? 6
        return Array(first..<first + count)
    }()

    @Test(arguments: seeds) func `devices come to the same rows`(seed: UInt64) throws {
        var world = try DeclaredWorld(seed: seed)
        try world.run(steps: 40)
        try world.apply()
        try world.check()
    }
}

/// A table of a random schema.
private struct WorldTable {
    enum Key { case plain, autoincrement, natural, text, link }
    let name: String
    let key: Key
    /// Columns that refer to a table, whether that takes the row with it, and whether NULL is refused.
    let references: [(column: String, target: String, cascades: Bool)]

    var sql: String {
        var parts: [String]
        switch key {
        case .plain: parts = ["id INTEGER PRIMARY KEY", "token TEXT"]
        case .autoincrement: parts = ["id INTEGER PRIMARY KEY AUTOINCREMENT", "token TEXT"]
        case .natural: parts = ["id INTEGER PRIMARY KEY", "token TEXT NOT NULL UNIQUE"]
        case .text: parts = ["id TEXT PRIMARY KEY NOT NULL", "token TEXT"]
        case .link: parts = ["token TEXT"]
        }
        parts += ["number INTEGER NOT NULL DEFAULT 0", "real REAL DEFAULT 1.5", "\"odd \"\"name\" BLOB", "loose"]
        parts += references.map { reference in
            let action = reference.cascades ? "CASCADE" : "SET NULL"
            let null = key == .link ? " NOT NULL" : ""
            let type = reference.target.hasPrefix("text") ? "TEXT" : "INTEGER"
            return "\(reference.column) \(type)\(null) REFERENCES \(reference.target) (id) ON DELETE \(action)"
        }
        if key == .link { parts.append("PRIMARY KEY (\(references.map(\.column).joined(separator: ", ")))") }
        return "CREATE TABLE \(name) (\(parts.joined(separator: ", ")))\(key == .link ? " WITHOUT ROWID" : "");"
    }
}

private struct DeclaredWorld {
    let seed: UInt64
    private var random: SeededGenerator
    private let tables: [WorldTable]
    private let devices: [DeclaredDevice]
    private var count = 0
    /// The tokens that somebody made, and those that were deleted, by a person or because another row was.
    private var made: Set<String> = []
    private var deleted: Set<String> = []
    /// Tokens that a row went with, whichever it was at any time.
    private var owners: [String: Set<String>] = [:]

    init(seed: UInt64) throws {
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var tables: [WorldTable] = []
        for index in 0..<Int.random(in: 2...4, using: &random) {
            let key = [WorldTable.Key.plain, .autoincrement, .natural, .text].randomElement(using: &random) ?? .plain
            let name = "\(key == .text ? "text" : "table")\(index)"
            var references: [(String, String, Bool)] = []
            for (place, target) in tables.enumerated() where Bool.random(using: &random) {
                references.append(("ref\(place)", target.name, Bool.random(using: &random)))
            }
            if key != .text, Bool.random(using: &random) {
                references.append(("up", name, Bool.random(using: &random)))
            }
            tables.append(WorldTable(name: name, key: key, references: references))
        }
        let pair = [tables[0], tables[1]].enumerated().map { ("ref\($0)", $1.name, true) }
        tables.append(WorldTable(name: "link", key: .link, references: pair))
        let schema = tables.map(\.sql).joined()
        let names = ["Anna", "Bert", "Cleo"].prefix(Int.random(in: 2...3, using: &random))
        devices = try DeclaredDevice.group(Array(names), schema)
        self.tables = tables
        self.random = random
    }

    mutating func run(steps: Int) throws {
        for device in devices { for _ in 0..<4 { try edit(device) } }
        try devices[0].makeSpace()
        for device in devices.dropFirst() { try device.join() }
        for _ in 0..<steps {
            guard let device = devices.randomElement(using: &random) else { return }
            if Int.random(in: 0..<4, using: &random) == 0 {
                try device.sync()
            } else {
                try edit(device)
            }
        }
    }

    func apply() throws {
        for _ in 0..<4 { for device in devices { try device.sync() } }
    }

    /// One thing that a person does; what is gone afterwards counts as deleted.
    private mutating func edit(_ device: DeclaredDevice) throws {
        guard let table = tables.randomElement(using: &random) else { return }
        let before = try tokens(device)
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<5: try insert(table, device)
        case 5..<9: try update(table, device)
        default:
            let sql =
                "DELETE FROM \(table.name) WHERE token = (SELECT token FROM \(table.name) ORDER BY random() LIMIT 1)"
            try device.run(sql)
        }
        let after = try tokens(device)
        deleted.formUnion(before.subtracting(after))
        made.formUnion(after)
        try noteOwners(device)
    }

    private mutating func insert(_ table: WorldTable, _ device: DeclaredDevice) throws {
        count += 1
        let token = "\(device.name)\(count)"
        var columns = ["token", "number", "\"odd \"\"name\"", "loose"]
        var values = ["'\(token)'", "\(Int.random(in: 0...3, using: &random))", "x'00\(count % 10)f'", "2.0"]
        if table.key == .text {
            columns.append("id")
            values.append("'id-\(token)'")
        }
        for reference in table.references {
            columns.append(reference.column)
            values.append("(SELECT id FROM \(reference.target) ORDER BY (id * \(count)) % 7, id LIMIT 1)")
        }
        let sql =
            "INSERT OR IGNORE INTO \(table.name) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))"
        try device.run(sql)
    }

    private mutating func update(_ table: WorldTable, _ device: DeclaredDevice) throws {
        let which =
            "WHERE token = (SELECT token FROM \(table.name) ORDER BY length(token), token LIMIT 1 OFFSET \(count % 3))"
        let movable = table.key == .link ? [] : table.references
        guard let reference = movable.randomElement(using: &random), Bool.random(using: &random) else {
            let value = Int.random(in: 0...100, using: &random)
            let column = ["number = \(value)", "real = \(value).25", "loose = \(value) || 'x'"].randomElement(
                using: &random
            )
            return try device.run("UPDATE \(table.name) SET \(column ?? "number = 0") \(which)")
        }
        let target = "(SELECT id FROM \(reference.target) ORDER BY id DESC LIMIT 1)"
        try device.run("UPDATE \(table.name) SET \(reference.column) = \(target) \(which)")
    }

    // MARK: Looking

    private func tokens(_ device: DeclaredDevice) throws -> Set<String> {
        Set(try tables.flatMap { try device.rows("SELECT token FROM \($0.name)") })
    }

    private mutating func noteOwners(_ device: DeclaredDevice) throws {
        for table in tables {
            for reference in table.references where reference.cascades {
                let sql = """
                    SELECT t.token || ' ' || o.token FROM \(table.name) t JOIN \(reference.target) o
                        ON o.id = t.\(reference.column)
                    """
                for pair in try device.rows(sql) {
                    let parts = pair.split(separator: " ").map { $0.replacingOccurrences(of: "\"", with: "") }
                    owners["\"\(parts[0])\"", default: []].insert("\"\(parts[1])\"")
                }
            }
        }
    }

    /// Whether a row, or one that it went with at some time, was deleted.
    private func mayBeGone(_ token: String, _ seen: Set<String> = []) -> Bool {
        if deleted.contains(token) { return true }
        guard !seen.contains(token) else { return false }
        return (owners[token] ?? []).contains { mayBeGone($0, seen.union([token])) }
    }

    /// The rows with tokens in place of numbers.
    private func rows(_ device: DeclaredDevice) throws -> [String] {
        try tables.flatMap { table in
            let references = table.references.map { reference in
                ", (SELECT token FROM \(reference.target) o WHERE o.id = t.\(reference.column))"
            }
            let sql = """
                SELECT '\(table.name)', token, number, real, hex("odd ""name"), loose, typeof(loose)\(references.joined())
                    FROM \(table.name) t ORDER BY token
                """
            return try device.rows(sql)
        }
    }

    func check() throws {
        let first = try rows(devices[0])
        for device in devices {
            let own = try rows(device)
            #expect(own == first, "seed \(seed), \(device.name): \(Set(own).symmetricDifference(first).sorted())")
            #expect(try device.faults() == [], "seed \(seed), \(device.name)")
            let outcome = try device.sync()
            #expect(outcome.published.isEmpty && outcome.received.isEmpty && outcome.written == 0, "seed \(seed)")
            #expect(outcome.issues.map(\.message) == [], "seed \(seed)")
        }
        let left = try tokens(devices[0])
        let lost = made.subtracting(left).filter { !mayBeGone($0) }
        #expect(lost.isEmpty, "seed \(seed): \(lost.sorted())")
    }
}
