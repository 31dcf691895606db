import SQLiteDatabase
import StrictJSON
import Subprocess
import TestSupport
import Testing

@Suite("One program")
struct SatchelTests {
    let sandbox: Sandbox
    init() throws { sandbox = try Sandbox() }

    private func satchel(_ arguments: String...) async throws -> Outcome {
        try await sandbox.run(Built.path("satchel"), arguments, environment: ["XDG_STATE_HOME": sandbox.path("state")])
    }

    @Test("Where nothing is set up it says so and what to do; it makes nothing")
    func empty() async throws {
        let outcome = try await satchel()
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains("satchel timer import"))
        #expect(try sandbox.names().isEmpty)
    }

    @Test("Its parts are the programs: stores made by one are seen by the other")
    func parts() async throws {
        #expect(try await satchel("timer", "init", "--sample").status == 0)
        #expect(try await satchel("slate", "init", "--sample").status == 0)
        #expect(try await satchel("time", "init", "--sample").status == 0)
        #expect(try await satchel("study", "init", "--sample").status == 0)
        #expect(try await sandbox.bzpack("list").output.contains("Leg day"))
        let status = try await satchel("--format", "json").json
        let apps = status["stores"]?.array?.compactMap { $0["app"]?.string }
        #expect(apps == ["bztimer", "slate", "tracker", "study"])
        #expect(status["stores"]?.array?.allSatisfy { $0["fault"] == .null } == true)
        let doctor = try await satchel("doctor")
        #expect(doctor.status == 0, "\(doctor.output)")
        #expect(doctor.output.split(separator: "\n").count == 4)
    }

    @Test(
        "A command that is misspelt is named, and the one that was meant",
        arguments: [
            (["slat"], "slate"), (["timer", "exprot"], "timer export"), (["sync", "conflict"], "sync conflicts"),
        ]
    )
    func misspelt(_ command: (arguments: [String], meant: String)) async throws {
        let outcome = try await sandbox.run(Built.path("satchel"), command.arguments)
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("did you mean \"satchel \(command.meant)\"?"), "\(outcome.errors)")
    }

    @Test("A damaged store is a finding of status and doctor, with advice")
    func damaged() async throws {
        #expect(try await satchel("timer", "init", "--sample").status == 0)
        try sandbox.write("data/satchel/bztimer.db", "this is no database, whatever its name says")
        #expect(try await satchel().status == 3)
        let doctor = try await satchel("doctor", "--format", "json")
        #expect(doctor.status == 3)
        let check = try doctor.json["checks"]?.array?.first
        #expect(check?["sound"] == false && check?["advice"]?.string?.isEmpty == false)
    }

    @Test("A store of a newer version is sound: doctor says to update, and not to restore or join again")
    func newerStore() async throws {
        #expect(try await satchel("timer", "init", "--pro").status == 0)
        #expect(try await satchel("slate", "init").status == 0)
        try await DatabaseQueue(path: sandbox.path("data/satchel/bztimer.db")).write {
            try $0.execute(sql: "PRAGMA user_version = 99")
        }
        try await DatabaseQueue(path: sandbox.path("data/satchel/slate.db")).write {
            try $0.execute(sql: "UPDATE meta SET value = '99' WHERE key = 'schema_version'")
        }
        let doctor = try await satchel("doctor")
        #expect(doctor.status == 3)
        #expect(
            doctor.output.split(separator: "\n").count { $0.contains("update the program") } == 2,
            "\(doctor.output)"
        )
        #expect(!doctor.output.contains("restore") && !doctor.output.contains("join"), "\(doctor.output)")
    }

    @Test("A record that cannot be used is named in words")
    func unusable() async throws {
        #expect(try await satchel("timer", "init", "--pro").status == 0)
        #expect(try await satchel("timer", "new", "Run", "--text", "Run 20 min").status == 0)
        #expect(try await satchel("timer", "history", "add", "run").status == 0)
        try await DatabaseQueue(path: sandbox.path("data/satchel/bztimer.db")).write {
            try $0.execute(sql: "UPDATE history SET completed_at = 'yesterday'")
        }
        let doctor = try await satchel("doctor")
        #expect(doctor.status == 3)
        #expect(
            doctor.output.contains("\" of history: ") && !doctor.output.contains("StoreRecordKey"),
            "\(doctor.output)"
        )
    }

    @Test("A shared folder is shown with what waits")
    func folder() async throws {
        #expect(try await satchel("slate", "init", "--sample").status == 0)
        let made = try await satchel(
            "sync",
            "init",
            sandbox.path("share"),
            "--store",
            sandbox.path("data/satchel/slate.db")
        )
        #expect(made.status == 0, "\(made.errors)")
        let status = try await satchel("--format", "json")
        #expect(status.status == 0, "\(status.output)")
        #expect(try status.json["folders"]?.array?.first?["upToDate"] == true)
        #expect(try await satchel("sync").status == 0)
        #expect(try await satchel("doctor").output.contains("sound"))
    }

    @Test(
        "Failures are one object for programs, a wrong command line too",
        arguments: [
            (["timer", "show", "nothing", "--format", "json"], 66), (["time", "summary", "--format", "json"], 66),
            (["slate", "stats", "--format", "json"], 66), (["sync", "status", "--format", "json"], 66),
            (["timer", "show", "--format", "json", "a", "--nonsense"], 64),
        ]
    )
    func failures(_ command: (arguments: [String], status: Int)) async throws {
        let outcome = try await sandbox.run(
            Built.path("satchel"),
            command.arguments,
            environment: ["XDG_STATE_HOME": sandbox.path("state")]
        )
        #expect(outcome.status == command.status)
        #expect(try outcome.json["failure"]?["status"]?.int == command.status, "\(outcome.output)")
    }
}
