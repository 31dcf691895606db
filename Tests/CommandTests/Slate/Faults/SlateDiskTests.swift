import Foundation
import Subprocess
import Testing
import TestSupport

/// Disks that are really full, and files that may not become larger.
struct SlateDiskTests {
    private static let commands: [SlateCommand] = [.replace, .merge, .log, .undo, .json, .archive]

    @Test(
        "On a small disk a command changes nothing and says why, and works once there is space",
        .enabled("this machine lacks the right to mount a small disk") { await SmallDisk.isAvailable.value },
        arguments: commands
    )
    func small(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 500)
        var failures = 0
        for kilobytes in [0, 40, 200, 800] {
            let folder = try Sandbox()
            let disk = try await SmallDisk(over: folder.folder.path, kilobytes: 8 << 10)
            defer { withExtendedLifetime(disk) {} }
            try prepared.fill(folder)
            try disk.fill(leaving: kilobytes << 10)
            let outcome = try await folder.slate(command.arguments)
            let comment: Comment = "\(command), \(kilobytes) KB: \(outcome.errors)"
            let isDone = try prepared.isDone(folder, comment)
            #expect(isDone == (outcome.status == 0), comment)
            if !isDone {
                #expect(outcome.status == 74, comment)
                #expect(
                    outcome.errors.contains("o space left on device") || outcome.errors.contains("disk is full"),
                    comment
                )
                #expect(outcome.errors.contains(command.isExport ? "in ." : "slate.db"), comment)
                failures += 1
            }
            #expect(try folder.leftovers() == [], comment)
            try disk.empty()
            try await prepared.finish(folder, wasDone: isDone, comment)
        }
        #expect(failures > 0)
    }

    @Test(
        "Where there is no space for the safety copy, nothing is imported or undone",
        .enabled("this machine lacks the right to mount a small disk") { await SmallDisk.isAvailable.value },
        arguments: [SlateCommand.replace, .merge, .undo]
    )
    func safety(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 500)
        for kilobytes in [0, 40, 200] {
            let folder = try Sandbox()
            try FileManager.default.createDirectory(
                atPath: folder.path("slate.db.safety"),
                withIntermediateDirectories: false
            )
            let disk = try await SmallDisk(over: folder.path("slate.db.safety"), kilobytes: 4 << 10)
            defer { withExtendedLifetime(disk) {} }
            try prepared.fill(folder)
            try disk.fill(leaving: kilobytes << 10)
            let outcome = try await folder.slate(command.arguments)
            let comment: Comment = "\(command), \(kilobytes) KB: \(outcome.errors)"
            #expect(outcome.status == 74, comment)
            #expect(outcome.errors.contains("the safety backup slate.db.safety/00000"), comment)
            #expect(outcome.errors.contains("disk is full"), comment)
            let isDone = try prepared.isDone(folder, comment)
            #expect(!isDone, comment)
            #expect(try folder.leftovers() == [], comment)
            try disk.empty()
            try await prepared.finish(folder, wasDone: false, comment)
        }
    }

    @Test(
        "A dry run for whose copy there is no space names the folder of temporary files",
        .enabled("this machine lacks the right to mount a small disk") { await SmallDisk.isAvailable.value }
    )
    func temporary() async throws {
        let sandbox = try Sandbox()
        let database = try await sandbox.sampleDatabase()
        try sandbox.backup("new.json", tasks: 3)
        let folder = sandbox.path("temporary")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        let disk = try await SmallDisk(over: folder, kilobytes: 64)
        defer { withExtendedLifetime(disk) {} }
        try disk.fill(leaving: 16 << 10)
        let outcome = try await sandbox.run(
            Built.path("slate-backup"),
            ["import", "new.json", "--db", database, "--dry-run"],
            environment: ["TMPDIR": folder]
        )
        #expect(outcome.status == 74, "\(outcome.errors)")
        #expect(outcome.errors.contains("\(folder): error[store.io]: the dry run works on a copy"), "\(outcome.errors)")
        #expect(outcome.errors.contains("disk is full"), "\(outcome.errors)")
    }

    @Test("Where files may not become larger, nothing is changed", arguments: commands)
    func limit(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 500)
        var failures = 0
        for blocks in [0, 50, 600] {
            let folder = try prepared.folder()
            let script = "ulimit -f \(blocks); exec \"$@\" 2>&1"
            let arguments = ["-c", script, "sh", Built.path("slate-backup")] + command.arguments
            let outcome = try await folder.run("/bin/sh", arguments)
            let comment: Comment = "\(command), \(blocks) blocks: \(outcome.status) \(outcome.output)"
            let isDone = try prepared.isDone(folder, comment)
            #expect(isDone == (outcome.status == 0), comment)
            if !isDone {
                #expect(outcome.status == 74, comment)
                failures += 1
            }
            #expect(try folder.leftovers() == [], comment)
            try await prepared.finish(folder, wasDone: isDone, comment)
        }
        #expect(failures > 1)
    }
}

extension SlateCommand {
    /// Whether it changes a backup, and not the database.
    fileprivate var isExport: Bool { self == .json || self == .archive }
}
