import Foundation
import RecordStore
import StrictJSON
import Subprocess
import Testing
import TestSupport

#if canImport(System)
    import System
#else
    import SystemPackage
#endif

/// What goes wrong around the data: files, folders, streams, command lines.
struct FailureTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("Help and version end with 0, a wrong command line with 64")
    func usage() async throws {
        #expect(try await sandbox.bzpack("--version").output == "bzpack 0.1.0\n")
        #expect(try await sandbox.bzpack("help", "import").status == 0)
        #expect(try await sandbox.bzpack("--help").output.contains("Exit codes:"))
        for arguments in [
            ["imprt"], ["import"], ["list", "--format", "xml"], ["migrate", "x"], ["stats", "--now", "someday"],
        ] {
            #expect(try await sandbox.bzpack(arguments).status == 64, "\(arguments)")
        }
        #expect(try await sandbox.bzpack("stats", "--now", "2026-02-30T00:00:00Z").status == 64)
    }

    @Test("Input that is not there or not a file", arguments: ["missing.bztimer", ".", ""])
    func noInput(_ name: String) async throws {
        for command in [["validate"], ["inspect"], ["import"], ["migrate", "--to", "3"]] {
            let outcome = try await sandbox.bzpack(command + [name])
            #expect(outcome.status == 66, "\(command) \(name)")
            #expect(outcome.errors.contains("cannot read"))
        }
        #expect(try sandbox.names().isEmpty)
    }

    @Test("Empty, NUL-filled and truncated files are told apart")
    func emptyInput() async throws {
        let empty = try await sandbox.bzpack("validate", "-", input: "")
        let zeros = try await sandbox.bzpack("validate", "-", input: String(repeating: "\0", count: 512))
        let truncated = try await sandbox.bzpack("validate", "-", input: "{\"format\":\"bztim")
        #expect([empty.status, zeros.status, truncated.status] == [65, 65, 65])
        #expect(empty.errors.hasPrefix("<stdin>:1:1: error[json.empty]"))
        #expect(zeros.errors.contains("error[json.nul-filled]"))
        #expect(truncated.errors.contains("error[json.truncated]"))
    }

    @Test("Without a store, commands that need one end with 66")
    func noStore() async throws {
        for arguments in [["list"], ["stats"], ["settings"], ["export", "x"], ["session", "delete", "x", "--yes"]] {
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 66, "\(arguments)")
            #expect(outcome.errors.contains("init or import"))
        }
        #expect(try sandbox.names().isEmpty)
    }

    @Test("Stores that are none")
    func brokenStores() async throws {
        let text = try sandbox.write("text.db", String(repeating: "no database ", count: 100))
        for arguments in [
            ["list"], ["import", Fixtures.path("bztimer/v3/leg-day.json")], ["history", "clear", "--yes"],
        ] {
            let outcome = try await sandbox.bzpack(arguments + ["--store", text])
            #expect(outcome.status == 65, "\(arguments)")
            #expect(outcome.errors.contains("\(text): error[store.not-a-database]"))
        }
        #expect(try await sandbox.bzpack("list", "--store", sandbox.path(".")).status == 66)
        #expect(try await sandbox.bzpack("init", "--store", sandbox.path("none/x.db")).status == 73)
        let store = try await sandbox.trainer()
        let again = try await sandbox.bzpack("init", "--store", store)
        #expect(again.status == 73)
        #expect(again.errors.contains("was not changed"))
    }

    @Test("Output that cannot be made ends with 73 and leaves nothing")
    func noOutput() async throws {
        let store = try await sandbox.trainer()
        try FileManager.default.createDirectory(atPath: sandbox.path("folder"), withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: sandbox.path("link"), withDestinationPath: "elsewhere")
        for name in ["none/x.bztimer", "folder", "folder/", "link", "/dev/null"] {
            let outcome = try await sandbox.bzpack("export", name, "--store", store)
            #expect(outcome.status == 73, "\(name)")
            #expect(outcome.errors.hasPrefix("bzpack: cannot create \(name)"))
        }
        #expect(try sandbox.names() == ["folder", "link", "trainer.db"])
    }

    @Test(
        "An output stream that is full ends with 74",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full"))
    )
    func fullStream() async throws {
        let store = try await sandbox.trainer()
        let bzpack = Built.path("bzpack")
        let outcome = try await sandbox.run("/bin/sh", ["-c", "'\(bzpack)' export - --store '\(store)' >/dev/full"])
        #expect(outcome.status == 74)
        #expect(outcome.errors.contains("cannot write to the standard output"))
    }

    @Test("A reader that goes away ends the program quietly")
    func brokenPipe() async throws {
        let pipe = try FileDescriptor.pipe()
        try pipe.readEnd.close()
        let result = try await Subprocess.run(
            sandbox.configuration(Built.path("bzpack"), ["schema", "print"]),
            output: .fileDescriptor(pipe.writeEnd, closeAfterSpawningProcess: true),
            error: .string(limit: 1 << 20)
        )
        let ending = result.terminationStatus
        #expect(ending == .signaled(13) || ending == .exited(74), "\(ending)")
        #expect(!result.standardError.contains("rash"))
    }

    @Test(
        "A folder that cannot be written to",
        .enabled("\(OtherUser.missing)") { await OtherUser.canRun(Built.path("bzpack")) }
    )
    func readOnlyFolder() async throws {
        let store = try await sandbox.trainer()
        try sandbox.write("in.bztimer", try Fixtures.bytes("bztimer/v3/morning-stretch.json"))
        try FileManager.default.setAttributes([.posixPermissions: 0o555], ofItemAtPath: sandbox.folder.path)
        try FileManager.default.setAttributes([.posixPermissions: 0o444], ofItemAtPath: store)
        defer { try? FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.folder.path) }
        let bzpack = Built.path("bzpack")
        let before = try sandbox.bytes("trainer.db")
        #expect(try await OtherUser.run(bzpack, ["list", "--store", store], in: sandbox).status == 0)
        let export = try await OtherUser.run(bzpack, ["export", "x.bztimer", "--store", store], in: sandbox)
        #expect(export.status == 73)
        let write = try await OtherUser.run(bzpack, ["import", "in.bztimer", "--store", store], in: sandbox)
        #expect(write.status == 73)
        #expect(write.errors.contains("store.read-only"))
        let new = try await OtherUser.run(
            bzpack,
            ["import", "in.bztimer", "--store", sandbox.path("new.db")],
            in: sandbox
        )
        #expect(new.status == 73)
        #expect(try sandbox.bytes("trainer.db") == before)
    }
}
