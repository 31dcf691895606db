import Testing
import TestSupport

@testable import foldersync

/// The command lines of `sync` that run without the parser.
@Suite("Sync without the parser")
struct UnparsedSyncTests {
    @Test("These need no parser", arguments: [["sync"], ["sync", "--config", "a b.json"], ["sync", "--config", ""]])
    func plain(_ arguments: [String]) { #expect(FolderSyncTool.Sync.unparsed(arguments) != nil) }

    @Test(
        "The parser takes all others",
        arguments: [
            [], ["status"], ["sync", "folder"], ["sync", "--dry-run"], ["sync", "--config"],
            ["sync", "--config", "-x"], ["sync", "--app", "slate"], ["sync", "--config", "a", "folder"],
        ]
    )
    func others(_ arguments: [String]) { #expect(FolderSyncTool.Sync.unparsed(arguments) == nil) }

    @Test("It ends and says the same as with the parser")
    func same() async throws {
        let sandbox = try Sandbox()
        let nobody = Machine("Nobody", in: sandbox)
        try await compare(nobody, status: 66)
        let (laptop, _) = try await Machine.pair(in: sandbox)
        try await compare(laptop, status: 0)
        try await compare(laptop, "--config", laptop.registry, status: 0)
        try await compare(laptop, "--config", "", status: 64)
        try await compare(laptop, "--quiet", status: 0)
    }

    /// Runs `sync` without the parser and, by one more option, with it.
    private func compare(_ machine: Machine, _ arguments: String..., status: Int32) async throws {
        let plain = try await machine.run(["sync"] + arguments)
        let parsed = try await machine.run(["sync"] + arguments + ["--format", "text"])
        #expect(plain.status == status && parsed.status == status)
        #expect(plain.output == parsed.output)
        #expect(plain.errors == parsed.errors)
    }
}
