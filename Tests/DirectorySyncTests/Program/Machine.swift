import RecordStore
import AppList
import Foundation
import StrictJSON
import Subprocess
import Testing
import TestSupport

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// How foldersync ended and what it wrote.
struct ProgramOutcome: Sendable {
    /// The exit code, or 128 and the signal's number.
    let status: Int32
    let output: String
    let errors: String

    /// The standard output as JSON.
    var json: JSONValue {
        get throws { try JSONDocument(parsing: output).root.value }
    }
}

/// A device on which foldersync runs, with a registry and a database of Slate of its own.
struct Machine: Sendable {
    let sandbox: Sandbox
    let name: String

    /// A device whose database is empty.
    init(_ name: String, in sandbox: Sandbox) {
        self.name = name
        self.sandbox = sandbox
    }

    /// Two devices in step through the folder `share`, with a task that both have.
    static func pair(in sandbox: Sandbox) async throws -> (laptop: Machine, tower: Machine) {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.sql(Machine.task("t1", "Milk"))
        let made = try await laptop.run("init", "share", "--store", laptop.store, "--name", "Laptop")
        #expect(made.status == 0, "\(made.errors)")
        let joined = try await tower.run("join", "share", "--create", "slate=\(tower.store)", "--name", "Tower")
        #expect(joined.status == 0, "\(joined.errors)")
        let last = try await laptop.run("sync")
        #expect(last.status == 0, "\(last.errors)")
        return (laptop, tower)
    }

    var store: String { sandbox.path("\(name).db") }
    var registry: String { sandbox.path("\(name).json") }

    /// Runs foldersync.
    @discardableResult
    func run(_ arguments: String...) async throws -> ProgramOutcome { try await run(arguments) }

    /// Runs foldersync with arguments from an array.
    @discardableResult
    func run(_ arguments: [String]) async throws -> ProgramOutcome {
        try await run(configuration(EncryptedRun.isOn ? encrypting(arguments) : arguments))
    }

    /// The same arguments with a passphrase, where a folder is made or joined.
    private func encrypting(_ arguments: [String]) throws -> [String] {
        guard let command = arguments.first, ["init", "join"].contains(command),
            !arguments.contains(where: { $0.hasPrefix("--passphrase") || $0.hasSuffix("encrypt") })
        else { return arguments }
        let file = sandbox.path("passphrase")
        if !sandbox.has("passphrase") { try sandbox.write("passphrase", "test\n") }
        guard command == "init" else {
            // A folder that is not there, or plain, takes no passphrase.
            let isSealed = arguments.contains { sandbox.has("\($0)/keys") }
            return isSealed ? arguments + ["--passphrase-file", file] : arguments
        }
        return arguments
            + ["--encrypt", "--passphrase-file", file, "--recovery-file", sandbox.path("\(name)-\(UUID().uuidString)")]
    }

    private func run(_ configuration: Configuration) async throws -> ProgramOutcome {
        let result = try await Subprocess.run(
            configuration,
            input: .none,
            output: .string(limit: 1 << 24),
            error: .string(limit: 1 << 24)
        )
        let status: Int32 =
            switch result.terminationStatus {
            case .exited(let code): code
            case .signaled(let signal): 128 + signal
            }
        return ProgramOutcome(status: status, output: result.standardOutput, errors: result.standardError)
    }

    /// Runs foldersync where a person answers; `script` of util-linux plays the terminal.
    func onTerminal(_ arguments: String, answers: String) async throws -> ProgramOutcome {
        let command = "'\(Self.program)' \(arguments)"
        let shell = ["-c", "printf '%s' \"$1\" | script -qec \"$2\" /dev/null", "sh", answers, command]
        return try await run(configuration(shell, of: "/bin/sh"))
    }

    /// Runs another program of the toolkit.
    func other(_ program: String, _ arguments: [String]) async throws -> ProgramOutcome {
        try await run(configuration(arguments, of: Self.path(of: program)))
    }

    /// How a program is run here.
    private func configuration(_ arguments: [String], of program: String = Self.program) -> Configuration {
        Configuration(
            executable: .path(FilePath(program)),
            arguments: Arguments(arguments),
            environment: .inherit.updating([
                "SATCHEL_FOLDERSYNC": registry, "HOME": sandbox.path("home"), "TZ": "UTC", "COLUMNS": "100",
                "TERM": "dumb",
            ]),
            workingDirectory: FilePath(sandbox.folder.path)
        )
    }

    /// The program that was built along with the tests: beside the tests' own binary or bundle.
    static let program = path(of: "foldersync")

    private static func path(of program: String) -> String {
        let bundles = Bundle.allBundles.map(\.bundleURL).filter { $0.pathExtension == "xctest" }
        let own = URL(filePath: CommandLine.arguments.first ?? "")
        let candidates = (bundles + [own]).map { $0.deletingLastPathComponent().appending(path: program).path }
        return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? program
    }

    // MARK: The database

    /// Changes the database as the app would.
    func sql(_ statements: String) throws {
        let database = try RawDatabase(store)
        defer { database.close() }
        try database.run(statements)
    }

    /// The titles of the tasks, in the order of their identifiers.
    func titles() throws -> [String] {
        let records = try AppStores.all.open(store)
        return try records.read { records in
            var titles: [(String, String)] = []
            try records.forEachRecord(in: "tasks") { key, object in
                titles.append((key.key, object["title"]?.string ?? ""))
            }
            return titles.sorted { $0 < $1 }.map(\.1)
        }
    }

    /// The statement that adds a task.
    static func task(_ id: String, _ title: String) -> String {
        """
        INSERT INTO tasks (id, title, is_done, created_at, updated_at, archived) VALUES ('\(id)', '\(title)', 0, \
        '2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z', 0);
        """
    }

    /// The statement that gives a task another title.
    static func rename(_ id: String, _ title: String) -> String {
        "UPDATE tasks SET title = '\(title)' WHERE id = '\(id)';"
    }
}
