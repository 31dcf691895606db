import Foundation
import JSONSchemaValidation
import StrictJSON
import Testing
import TestSupport

@testable import DirectorySync

/// What `foldersync … --format json` prints is what the schemas in Schemas/cli promise, and no member more.
@Suite("Results of foldersync by their schemas")
struct ProgramSchemaTests {
    static let commands: [(schema: String, arguments: [String])] = [
        ("sync", ["sync"]), ("sync", ["sync", "--dry-run"]), ("sync", ["watch", "--once-settled"]),
        ("status", ["status"]), ("conflicts", ["conflicts"]), ("resolve", ["resolve", "--all", "mine"]),
        ("failure", ["resolve", "nothing", "--all", "mine"]), ("log", ["log"]),
        ("past", ["show", "--at", "2030-01-02T00:00:00Z", "--changes"]),
        ("past", ["restore", "--at", "2030-01-02T00:00:00Z", "--yes"]),
        ("past", ["restore", "Bread", "--at", "2030-01-02T00:00:00Z", "--yes"]),
        ("past", ["restore", "Bread", "--at", "2030-01-02T00:00:00Z", "--dry-run"]),
        ("resolve", ["resolve", "t1", "--value", "Own words"]),
        ("past", ["restore", "--at", "2030-01-02T00:00:00Z", "--dry-run"]), ("devices", ["devices"]),
        ("device", ["devices", "rename", "Notebook"]), ("device", ["devices", "retire", "Tower"]),
        ("verify", ["verify"]), ("repair", ["repair"]), ("repair", ["compact"]), ("merge-spaces", ["merge-spaces"]),
        ("dump", ["dump", "-o", "state"]), ("inbox", ["inbox", "add", "phone", "--device", "Phone"]),
        ("inbox-list", ["inbox", "list"]), ("leave", ["leave", "share", "--yes"]), ("join", ["join", "share"]),
    ]

    @Test("Results of two devices with a conflict", arguments: commands)
    func result(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try FileManager.default.createDirectory(atPath: sandbox.path("phone"), withIntermediateDirectories: true)
        try tower.sql(Machine.rename("t1", "Blue") + Machine.task("t2", "Bread"))
        try laptop.sql(Machine.rename("t1", "Red"))
        try await tower.run("sync", "--now", "2030-01-01T00:00:00Z")
        try await laptop.run("sync", "--now", "2030-01-03T00:00:00Z")
        try laptop.sql("DELETE FROM tasks WHERE id = 't2';")
        try await check(command, laptop)
    }

    static let failures: [(schema: String, arguments: [String])] = [
        ("sync", ["sync"]), ("status", ["status"]), ("verify", ["verify"]), ("repair", ["repair"]),
        ("resolve", ["resolve", "--all", "mine"]),
    ]

    static let stops: [(schema: String, arguments: [String])] = [
        ("failure", ["sync", "nowhere"]), ("failure", ["log", "--record", "tasks/nope"]),
        ("failure", ["devices", "retire", "nobody"]), ("failure", ["join", "nowhere", "--store", "Laptop.db"]),
        ("failure", ["restore", "nothing", "--at", "now", "--yes"]),
        ("failure", ["watch", "nowhere", "--once-settled"]), ("failure", ["inbox", "remove", "nowhere"]),
        ("failure", ["show", "--at", "2000-01-01T00:00:00Z", "--changes"]),
    ]

    @Test("Commands that stop before they have a result", arguments: stops)
    func stop(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try await check(command, laptop)
    }

    @Test("The schema lists each kind of issue that there is")
    func issues() throws {
        let issue = try Self.document("common").root["$defs"]?["issue"]
        let kinds = issue?["properties"]?["kind"]?["enum"]?.value.array ?? []
        #expect(Set(kinds.compactMap(\.string)) == Set(SyncIssue.Kind.allCases.map(\.rawValue)))
    }

    @Test("A wrong command line gives the object of all failures")
    func usage() async throws {
        let outcome = try await Machine("Laptop", in: Sandbox()).run(
            "sync",
            "--accept-mass-change",
            "3",
            "--discard-local",
            "--format",
            "json"
        )
        #expect(outcome.status == 64)
        let report = try Self.schema("failure").validate(try JSONDocument(parsing: outcome.output), strict: true)
        #expect(report.findings.isEmpty, "\(outcome.output)")
    }

    @Test("Results where the folder is not there", arguments: failures)
    func failure(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try sandbox.remove("share")
        try await check(command, laptop)
    }

    static let held: [(schema: String, arguments: [String])] = [("sync", ["sync"]), ("status", ["status"])]

    @Test("Results of a store that cannot hold a record say so, and end with 3", arguments: held)
    func rejected(_ command: (schema: String, arguments: [String])) async throws {
        let sandbox = try Sandbox()
        let (laptop, tower) = try await Machine.pair(in: sandbox)
        try tower.sql("CREATE UNIQUE INDEX one_title ON tasks (title)")
        try laptop.sql(Machine.task("t2", "Milk"))
        try await laptop.run("sync")
        try await tower.run("sync")
        try await check(command, tower)
        let outcome = try await tower.run(command.arguments)
        #expect(outcome.status == 3)
        let line = "task \"Milk\" of Laptop is rejected: the database does not take it (UNIQUE constraint failed"
        #expect(outcome.output.contains(line), "\(outcome.output)\(outcome.errors)")
    }

    private func check(_ command: (schema: String, arguments: [String]), _ machine: Machine) async throws {
        let outcome = try await machine.run(command.arguments + ["--format", "json"])
        let schema = try Self.schema(command.schema)
        // Each line of watch is a result of its own.
        let results =
            command.arguments[0] == "watch" ? outcome.output.split(separator: "\n").map(String.init) : [outcome.output]
        #expect(!outcome.output.isEmpty, "\(outcome.errors)")
        for result in results {
            let report = schema.validate(try JSONDocument(parsing: result), strict: true)
            #expect(report.findings.isEmpty, "\(report.findings.map { $0.diagnostic(file: nil) })\n\(result)")
        }
    }

    private static func document(_ name: String) throws -> JSONDocument {
        let prefix = name == "failure" ? "" : "foldersync-"
        let file = SharedFolder.project.appending(path: "Schemas/cli/\(prefix)\(name).schema.json")
        return try JSONDocument(parsing: [UInt8](Data(contentsOf: file)))
    }

    private static func schema(_ name: String) throws -> JSONSchema {
        var registry = SchemaRegistry()
        try registry.add(try document("common"), uri: nil)
        return try JSONSchema(try document(name), uri: nil, registry: registry, assertFormats: true)
    }

    @Test("Each schema is one of a command, or the common one")
    func names() throws {
        let folder = SharedFolder.project.appending(path: "Schemas/cli").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix("foldersync-") }
        let tested = Set(Self.commands.map(\.schema) + ["common"]).subtracting(["failure"])
        #expect(Set(names) == Set(tested.map { "foldersync-\($0).schema.json" }))
    }
}
