import CommandSupport
import FileSystem
import Foundation
import StrictJSON
import Testing
import TestSupport

/// The moment that tests take for the present one.
let slateNow = "2026-01-07T20:30:00Z"

extension Sandbox {
    /// Runs the built slate-backup; its default database lies in the sandbox.
    @discardableResult
    func slate(_ arguments: String..., input: String? = nil) async throws -> Outcome {
        try await slate(arguments, input: input.map { Array($0.utf8) })
    }

    /// Runs the built slate-backup with arguments from an array.
    func slate(_ arguments: [String], input: [UInt8]? = nil) async throws -> Outcome {
        try await run(Built.path("slate-backup"), arguments, input: input)
    }

    /// Makes a database with the sample.
    @discardableResult
    func sampleDatabase(_ name: String = "slate.db") async throws -> String {
        let outcome = try await slate("init", "--sample", "--db", path(name), "--now", slateNow)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return path(name)
    }

    /// Exports a database to a file with `exported_at` of the tests' moment, and gives its bytes.
    @discardableResult
    func exported(_ database: String, to file: String = "export.json") async throws -> [UInt8] {
        try remove(file)
        let outcome = try await slate("export", "--db", database, "--output", path(file), "--now", slateNow, "--yes")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try bytes(file)
    }

    /// Writes an export with so many tasks; of the sample's database, if their identifiers begin with `task-`.
    @discardableResult
    func backup(
        _ name: String,
        tasks count: Int,
        exportedAt: String = slateNow,
        ids prefix: String = "t"
    ) throws -> String {
        let tasks = (0..<count).map { number -> JSONValue in
            [
                "id": .string("\(prefix)\(number)"), "title": .string("Task \(number)"),
                "created_at": .string(exportedAt), "updated_at": .string(exportedAt),
            ]
        }
        let json: JSONValue = [
            "schema_version": 2, "exported_at": .string(exportedAt), "meta": ["day_start": "04:00"],
            "tasks": .array(tasks), "habits": [], "habit_completions": [], "day_plan": [], "day_plan_items": [],
            "activity_log": [], "day_snapshots": [],
        ]
        return try write(name, json.encoded(.indented))
    }

    /// The files beside a database that nobody should find: temporary ones.
    func leftovers() throws -> [String] { try names().filter { $0.hasSuffix(".tmp") } }
}

/// A pending file that is being written by this process.
final class PendingFileHolder {
    let name: String
    private let file: PendingFile

    init(_ folder: String) throws {
        file = try PendingFile(in: folder)
        name = String(file.path.split(separator: "/").last ?? "")
    }
}
