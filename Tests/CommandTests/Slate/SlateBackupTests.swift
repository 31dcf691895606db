import Foundation
import StrictJSON
import Subprocess
import Testing
import TestSupport

@testable import slate_backup

/// `backup run`, `backup status` and `backup schedule`.
struct SlateBackupTests {
    let sandbox: Sandbox
    let database: String

    init() async throws {
        sandbox = try Sandbox()
        database = try await sandbox.sampleDatabase()
    }

    /// Runs a command with no other programs than those of a folder in the search path.
    private func slate(_ arguments: String..., programs: String? = nil, now: String = slateNow) async throws -> Outcome
    {
        var environment: [Environment.Key: String?] = ["SATCHEL_BACKUPS": sandbox.path("notes.json")]
        if let programs { environment["PATH"] = "\(programs):/bin:/usr/bin" }
        let clock = arguments.contains("schedule") ? [] : ["--now", now]
        return try await sandbox.run(
            Built.path("slate-backup"),
            arguments + ["--store", database] + clock,
            environment: environment
        )
    }

    private func status(now: String = slateNow) async throws -> (code: Int32, json: JSONValue) {
        let outcome = try await slate("backup", "status", "--format", "json", now: now)
        return (outcome.status, try outcome.json)
    }

    @Test("A run backs up, proves and prunes, and status knows the backup until it is old, changed or gone")
    func lastGood() async throws {
        let none = try await slate("backup", "status")
        #expect(none.status == 3 && none.output.contains("slate-backup backup --store "), "\(none.output)")
        #expect(none.output.contains("backup schedule --daily --store "), "\(none.output)")
        let first = try await slate("backup", "--to", sandbox.path("b"))
        #expect(first.status == 0, "\(first.errors)")
        let made = try await status()
        #expect(made.code == 0, "\(made.json)")
        let file = try #require(made.json["good"]?["file"]?.string)
        #expect(file.hasSuffix("b/Slate-20260107.slatebackup"))
        #expect(made.json["good"]?["records"] == 65)
        #expect(made.json["good"]?["size"]?.int == (try sandbox.bytes("b/Slate-20260107.slatebackup")).count)
        #expect(try await status(now: "2026-01-14T20:30:00Z").code == 0)
        let old = try await status(now: "2026-01-14T20:30:01Z")
        #expect(old.code == 3 && old.json["isOld"] == true)

        // A newer one is lost: the older one is still known.
        let next = "2026-01-08T20:30:00Z"
        #expect(try await slate("backup", "--to", sandbox.path("b"), now: next).status == 0)
        let newer = "b/Slate-20260108.slatebackup"
        let bytes = try sandbox.bytes(newer)
        try sandbox.write(newer, Array(bytes.dropLast()) + [bytes[bytes.count - 1] ^ 1])
        let changed = try await status(now: next)
        #expect(changed.code == 3)
        #expect(changed.json["good"]?["file"]?.string == file)
        #expect(changed.json["lost"]?.array?.count == 1)
        try sandbox.write(newer, bytes)
        #expect(try await status(now: next).code == 0)
        try sandbox.remove(newer)
        #expect(try await status(now: next).code == 3)
    }

    @Test("After a mishap that was undone, the newest backup of the day is the one that was written last")
    func mishap() async throws {
        let folder = sandbox.path("b")
        try sandbox.backup("few.json", tasks: 10)
        let full = sandbox.path("b/Slate-20260107.slatebackup")
        #expect(try await slate("backup", "--to", folder, now: "2026-01-07T11:00:00Z").status == 0)
        #expect(try await slate("import", sandbox.path("few.json"), "--yes", now: "2026-01-07T11:30:00Z").status == 0)
        #expect(try await slate("backup", "--to", folder, now: "2026-01-07T12:00:00Z").status == 3)
        #expect(try await slate("import", full, "--yes", now: "2026-01-07T12:20:00Z").status == 0)
        #expect(try await slate("add", "Newest", now: "2026-01-07T12:30:00Z").status == 0)
        let last = try await slate("backup", "--to", folder, now: "2026-01-07T13:00:00Z")
        #expect(last.output.contains("\(full): valid (version 2)"), "\(last.output)")
        let taken = try await slate("import", "--from", folder, "--dry-run", now: "2026-01-07T13:10:00Z")
        #expect(taken.output.contains("Nothing"), "\(taken.output)")
        _ = try await slate("backup", "--to", folder, now: "2026-01-08T13:00:00Z")
        let kept = try await sandbox.slate("inspect", full)
        #expect(kept.status == 0 && kept.output.contains("tasks: 6"), "\(kept.output)")
    }

    @Test("The newest of a day is told by its export, not by its name or kind")
    func evening() async throws {
        let folder = sandbox.path("e")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try await slate("export", "--output", folder, now: "2026-01-07T09:00:00Z").status == 0)
        #expect(try await slate("add", "In the evening", now: "2026-01-07T18:00:00Z").status == 0)
        #expect(try await slate("export", "--plain", "--output", folder, now: "2026-01-07T19:00:00Z").status == 0)
        let prune = try await sandbox.slate(
            "prune",
            folder,
            "--keep-daily",
            "7",
            "--yes",
            "--now",
            "2026-01-07T20:00:00Z"
        )
        #expect(prune.status == 0, "\(prune.errors)")
        #expect(try sandbox.names().filter { $0.hasPrefix("e/") } == ["e/Slate-20260107.json"])
    }

    @Test("Backups of a clock that was years ahead are not the last good one, and do not push it out")
    func future() async throws {
        for day in 10...21 {
            let now = "2030-01-\(day)T20:30:00Z"
            #expect(try await slate("backup", "--to", sandbox.path("b"), "--keep", "30", now: now).status == 0)
        }
        #expect(try await status().json["good"] == .null)
        _ = try await slate("backup", "--to", sandbox.path("c"))
        let found = try await status()
        #expect(found.code == 3)
        #expect(found.json["good"]?["file"]?.string?.hasSuffix("c/Slate-20260107.slatebackup") == true)
    }

    @Test("A backup of a database with a plan of what is gone: import names the way, and a sound task comes back alone")
    func mendable() async throws {
        let file = sandbox.path("x.json")
        _ = try await slate("export", "--output", file)
        let text = String(decoding: try sandbox.bytes("x.json"), as: UTF8.self)
        try sandbox.write("x.json", text.replacing("\"entity_id\": \"task-2\"", with: "\"entity_id\": \"gone\""))
        let refused = try await sandbox.slate("import", file, "--db", sandbox.path("new.db"), "--yes")
        #expect(refused.status == 65 && refused.errors.contains("--repair"), "\(refused.errors)")
        let taken = try await sandbox.slate("import", file, "--db", sandbox.path("new.db"), "--yes", "--repair")
        #expect(taken.status == 3, "\(taken.errors)")
        let found = try await sandbox.slate("find", "fence", "--in", file, "--db", sandbox.path("new.db"))
        #expect(found.output.contains("fence"), "\(found.errors)")
    }

    @Test("Verify notes a backup anew, and with --store any backup; a damaged one is not good")
    func verified() async throws {
        let file = sandbox.path("mine.json")
        #expect(try await slate("export", "--output", file).status == 0)
        #expect(try await slate("verify", file).status == 0)
        try FileManager.default.moveItem(atPath: file, toPath: sandbox.path("moved.json"))
        #expect(try await status().code == 3)
        #expect(try await slate("verify", sandbox.path("moved.json")).status == 0)
        try sandbox.remove("notes.json")
        #expect(try await slate("verify", sandbox.path("moved.json")).status == 0)
        let found = try await status()
        #expect(found.code == 0)
        #expect(found.json["good"]?["file"]?.string?.hasSuffix("moved.json") == true)
        try sandbox.write("moved.json", "{}")
        #expect(try await slate("verify", sandbox.path("moved.json")).status == 65)
        #expect(try await status().code == 3)
        try sandbox.write("notes.json", "nonsense")
        #expect(try await slate("backup", "status").status == 65)
        // A note that cannot be written makes no backup a bad one.
        #expect(try await slate("export", "--output", sandbox.path("x.json")).status == 0)
    }

    @Test("Status and doctor of satchel show the last good backup")
    func overview() async throws {
        let environment: [Environment.Key: String?] = ["SATCHEL_BACKUPS": sandbox.path("notes.json")]
        func satchel(_ arguments: String...) async throws -> Outcome {
            try await sandbox.run(Built.path("satchel"), arguments, environment: environment)
        }
        #expect(try await satchel("slate", "init", "--sample").status == 0)
        #expect(try await satchel("slate", "backup", "--to", sandbox.path("b")).status == 0)
        #expect(try await satchel("timer", "init", "--sample").status == 0)
        #expect(try await satchel("timer", "backup", sandbox.path("timer.json")).status == 0)
        let stores = try await satchel("--format", "json").json["stores"]?.array ?? []
        #expect(stores.count == 2 && stores.allSatisfy { $0["backup"]?["good"]?["file"] != nil }, "\(stores)")
        #expect(try await satchel("doctor").status == 0)
        try sandbox.remove("timer.json")
        #expect(try await satchel().status == 3)
        let doctor = try await satchel("doctor", "--format", "json")
        #expect(doctor.status == 3)
        #expect(try doctor.json["checks"]?.array?.filter { $0["sound"] == false }.count == 1)
    }

    /// Puts a program of the system into a folder of the sandbox.
    private func program(_ name: String, _ script: String) throws -> String {
        let folder = sandbox.path("programs")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try sandbox.write("programs/\(name)", "#!/bin/sh\n\(script)\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: "\(folder)/\(name)")
        return folder
    }

    @Test("A timer of systemd is written, shown first, and removed", .enabled(if: Self.isLinux))
    func systemd() async throws {
        let log = sandbox.path("calls")
        let programs = try program("systemctl", "echo \"$@\" >> '\(log)'")
        let folder = sandbox.path("my backups")
        let service = "home/.config/systemd/user/slate-backup.service"
        let dry = try await slate("backup", "schedule", "--to", folder, "--dry-run", programs: programs)
        #expect(dry.status == 0, "\(dry.errors)")
        #expect(dry.output.contains("OnCalendar=daily") && !sandbox.has(service))
        #expect(try await slate("backup", "schedule", "--to", folder, programs: programs).status == 64)
        #expect(!sandbox.has(service))
        let set = try await slate(
            "backup",
            "schedule",
            "--weekly",
            "--keep",
            "5",
            "--to",
            folder,
            "--yes",
            programs: programs
        )
        #expect(set.status == 0, "\(set.errors)")
        let text = String(decoding: try sandbox.bytes(service), as: UTF8.self)
        #expect(text.contains("\"backup\" \"run\"") && text.contains("my backups\" \"--keep\" \"5\""))
        let timer = try sandbox.bytes("home/.config/systemd/user/slate-backup.timer")
        #expect(String(decoding: timer, as: UTF8.self).contains("OnCalendar=weekly"))
        #expect(try await status().json["schedule"]?["every"] == "weekly")
        let off = try await slate("backup", "schedule", "--off", "--yes", programs: programs)
        #expect(off.status == 0 && !sandbox.has(service))
        #expect(try await status().json["schedule"] == .null)
        let calls = String(decoding: try sandbox.bytes("calls"), as: UTF8.self).split(separator: "\n")
        #expect(calls.contains("--user enable --now slate-backup.timer"))
        #expect(calls.contains("--user disable --now slate-backup.timer"))
        // Somebody's own unit stays.
        try sandbox.write(service, "[Service]\n")
        #expect(try await slate("backup", "schedule", "--yes", programs: programs).status == 73)
        #expect(try sandbox.bytes(service) == Array("[Service]\n".utf8))
    }

    @Test("A schedule ends another database's and says so; --off removes no other", .enabled(if: Self.isLinux))
    func twoSchedules() async throws {
        let programs = try program("systemctl", "true")
        let service = "home/.config/systemd/user/slate-backup.service"
        let other = try await sandbox.sampleDatabase("other.db")
        func schedule(_ store: String, _ arguments: String...) async throws -> Outcome {
            try await sandbox.run(
                Built.path("slate-backup"),
                ["backup", "schedule", "--store", store, "--yes"] + arguments,
                environment: ["SATCHEL_BACKUPS": sandbox.path("notes.json"), "PATH": "\(programs):/bin:/usr/bin"]
            )
        }
        #expect(try await schedule(database, "--to", sandbox.path("a")).status == 0)
        let second = try await schedule(other, "--to", sandbox.path("b"))
        #expect(second.status == 0 && second.output.contains("end the schedule of \(database)"), "\(second.output)")
        #expect(try await status().json["schedule"] == .null)
        let refused = try await schedule(database, "--off")
        #expect(refused.status == 64 && refused.errors.contains("the schedule backs up \(other)"), "\(refused.errors)")
        #expect(sandbox.has(service))
        #expect(try await schedule(other, "--off").status == 0)
        #expect(!sandbox.has(service))
        #expect(try await schedule(database, "--off").output.contains("There is no schedule."))
    }

    @Test("Without systemd a line of cron is added and removed, and the other lines stay", .enabled(if: Self.isLinux))
    func cron() async throws {
        _ = try program("systemctl", "exit 1")
        let table = sandbox.path("table")
        let programs = try program(
            "crontab",
            "if [ \"$1\" = -l ]; then cat '\(table)' 2>/dev/null || { echo 'no crontab for ada' >&2; exit 1; }; "
                + "else cat > '\(table)'; fi"
        )
        try sandbox.write("table", "# mine\n5 4 * * * true\n")
        for _ in 0..<2 {
            let set = try await slate("backup", "schedule", "--to", sandbox.path("100%"), "--yes", programs: programs)
            #expect(set.status == 0, "\(set.errors)")
        }
        let lines = String(decoding: try sandbox.bytes("table"), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 3 && lines[2].hasPrefix("15 3 * * * umask 077; ") && lines[2].contains("100\\%"))
        #expect(try await slate("backup", "schedule", "--off", "--yes", programs: programs).status == 0)
        #expect(try sandbox.bytes("table") == Array("# mine\n5 4 * * * true\n".utf8))
        // What stands behind a line end would be a job of its own.
        for arguments in [["--yes"], ["--dry-run"]] {
            let folder = sandbox.path("a\n* * * * * touch b #")
            let refused = try await sandbox.run(
                Built.path("slate-backup"),
                ["backup", "schedule", "--store", database, "--to", folder] + arguments,
                environment: ["PATH": "\(programs):/bin:/usr/bin", "SATCHEL_BACKUPS": sandbox.path("notes.json")]
            )
            #expect(refused.status == 64 && refused.errors.contains("line end"), "\(refused.errors)")
        }
        #expect(try sandbox.bytes("table") == Array("# mine\n5 4 * * * true\n".utf8))
        // A table that cannot be read is not replaced.
        _ = try program("crontab", "echo broken >&2; exit 1")
        #expect(try await slate("backup", "schedule", "--yes", programs: programs).status == 74)
    }

    @Test("Each scheduler reads a word as it is, accents behind marks included, and backups are their owner's alone")
    func words() throws {
        let timing = BackupTiming(isWeekly: false, command: ["satchel", "a%\u{301}\"\u{301}&\u{301}<'\u{301}"])
        func text(_ scheduler: Scheduler) throws -> Data {
            Data(try #require(timing.plan(scheduler).files.first).text.utf8)
        }
        let line =
            "15 3 * * * umask 077; satchel 'a\\%\u{301}\"\u{301}&\u{301}<'\\''\u{301}' # satchel: backup of Slate"
        #expect(Array(CronTable.line(timing).utf8) == Array(line.utf8))
        let agent = try text(.launchd)
        let word = "<string>a%\u{301}\"\u{301}&amp;\u{301}&lt;'\u{301}</string>"
        for part in [word, "<key>Umask</key><integer>63</integer>"] {
            #expect(agent.range(of: Data(part.utf8)) != nil, "\(part)")
        }
        let service = try text(.systemd)
        for part in ["\"a%%\u{301}\\\"\u{301}&\u{301}<'\u{301}\"", "UMask=0077"] {
            #expect(service.range(of: Data(part.utf8)) != nil, "\(part)")
        }
    }

    private static var isLinux: Bool {
        #if os(Linux)
            true
        #else
            false
        #endif
    }

    @Test("A folder of calendars changes with the records alone")
    func calendars() async throws {
        func update(_ now: String) async throws -> [String: Bool] {
            let outcome = try await slate("calendar", "--folder", sandbox.folder.path, "--format", "json", now: now)
            #expect(outcome.status == 0, "\(outcome.errors)")
            let files = try outcome.json["files"]?.array ?? []
            return Dictionary(
                uniqueKeysWithValues: files.map { file in
                    (String(file["file"]?.string?.split(separator: "/").last ?? ""), file["changed"]?.bool ?? false)
                }
            )
        }
        #expect(try await update(slateNow) == ["slate-tasks.ics": true, "slate-habits.ics": true])
        let before = try sandbox.bytes("slate-tasks.ics")
        #expect(try await update("2026-01-09T08:00:00Z") == ["slate-tasks.ics": false, "slate-habits.ics": false])
        #expect(try await slate("add", "Buy milk", "--due", "tomorrow").status == 0)
        #expect(try await update(slateNow) == ["slate-tasks.ics": true, "slate-habits.ics": false])
        #expect(try await slate("done", "milk").status == 0)
        #expect(try await update(slateNow) == ["slate-tasks.ics": true, "slate-habits.ics": false])
        #expect(try sandbox.bytes("slate-tasks.ics") == before)
        try sandbox.write("slate-tasks.ics", "notes")
        #expect(try await slate("calendar", "--folder", sandbox.folder.path).status == 64)
    }

    @Test("A loose export is no backup; one into the folder of the backups is")
    func looseExport() async throws {
        let loose = ["export", "--output", sandbox.path("for-a-friend.json")]
        #expect(try await slate(loose[0], loose[1], loose[2]).status == 0)
        #expect(try await status().json["good"] == .null)
        #expect(try await slate("backup", "--to", sandbox.path("b")).status == 0)
        let next = "2026-01-08T20:30:00Z"
        #expect(try await slate("export", "--output", sandbox.path("b"), now: next).status == 0)
        #expect(try await slate(loose[0], loose[1], loose[2], now: next).status == 0)
        let good = try await status(now: next).json["good"]?["file"]?.string
        #expect(good?.hasSuffix("b/Slate-20260108.slatebackup") == true, "\(good ?? "")")
    }

    @Test("A folder of calendars is made in an existing one, as other folders are")
    func calendarFolder() async throws {
        let made = try await slate("calendar", "--folder", sandbox.path("calendars"))
        #expect(made.status == 0, "\(made.errors)")
        #expect(sandbox.has("calendars/slate-tasks.ics"))
        let deep = try await slate("calendar", "--folder", sandbox.path("no/where"))
        #expect(deep.status == 73 && deep.errors.contains("cannot make the folder"), "\(deep.errors)")
    }

    @Test("Lists have names in natural order")
    func naturalOrder() async throws {
        for title in ["Box 10", "Box 9", "box 1"] { #expect(try await slate("add", title).status == 0) }
        let found = try await slate("search", "box", "--format", "json").json["tasks"]?.array ?? []
        #expect(found.compactMap { $0["title"]?.string } == ["box 1", "Box 9", "Box 10"])
    }

    @Test("A backup does not remove what it just wrote, though another file of the day is newer by its clock")
    func ownFile() async throws {
        let folder = sandbox.path("o")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        #expect(try await slate("export", "--plain", "--output", folder, now: "2026-01-07T12:20:00Z").status == 0)
        let run = try await slate("backup", "--to", folder, now: "2026-01-07T12:00:00Z")
        #expect(run.output.contains("just written"), "\(run.output)\(run.errors)")
        let names = ["o/Slate-20260107.json", "o/Slate-20260107.slatebackup"]
        #expect(try sandbox.names().filter { $0.hasPrefix("o/") }.contains(names[1]))
    }
}
