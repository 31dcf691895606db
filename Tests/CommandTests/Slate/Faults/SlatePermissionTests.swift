import Foundation
import Testing
import TestSupport

/// Folders and files that may not be written to, by a user for whom that counts.
@Suite(.enabled("\(OtherUser.missing)") { await OtherUser.canRun(Built.path("slate-backup")) })
struct SlatePermissionTests {
    private func run(_ command: SlateCommand, in folder: Sandbox) async throws -> Outcome {
        try await OtherUser.run(Built.path("slate-backup"), command.arguments, in: folder)
    }

    private func allow(_ mode: Int, _ name: String, in folder: Sandbox) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path(name))
    }

    /// A folder in which everybody may do everything.
    private func open(_ prepared: SlateCase) throws -> Sandbox {
        let folder = try prepared.folder()
        for name in try folder.names() {
            let isFolder = FileManager.default.fileExists(atPath: folder.path(name) + "/.")
            try allow(isFolder ? 0o777 : 0o666, name, in: folder)
        }
        try allow(0o777, ".", in: folder)
        return folder
    }

    private func bytes(_ folder: Sandbox) throws -> [String: [UInt8]] {
        var bytes: [String: [UInt8]] = [:]
        for name in try folder.names() where !FileManager.default.fileExists(atPath: folder.path(name) + "/.") {
            bytes[name] = try folder.bytes(name)
        }
        return bytes
    }

    @Test("In a folder that may not be written to nothing is changed", arguments: SlateCommand.allCases)
    func folder(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 30)
        let folder = try open(prepared)
        let before = try bytes(folder)
        try allow(0o555, ".", in: folder)
        defer { try? allow(0o777, ".", in: folder) }
        let outcome = try await run(command, in: folder)
        let isLeft = command == .prune || command == .mend
        #expect((isLeft ? [73, 74] : [73]).contains(outcome.status), "\(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("cannot") && !outcome.errors.contains("not an error"), "\(outcome.errors)")
        if command == .prune {
            #expect(outcome.errors.contains("cannot remove ./Slate-20260101.json: permission denied"))
        }
        if command == .json { #expect(outcome.errors.contains("cannot create a file in .: permission denied")) }
        var after = try bytes(folder)
        // The copy of the state before an undo may have been made already.
        if [.undo, .mend].contains(command) { after = after.filter { before[$0.key] != nil } }
        #expect(after == before)
        try allow(0o777, ".", in: folder)
        try await prepared.finish(folder, wasDone: false, "\(command)")
    }

    @Test("A database that may not be written to stays", arguments: [SlateCommand.replace, .merge, .undo])
    func file(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 30)
        let folder = try open(prepared)
        let before = try bytes(folder)
        try allow(0o444, "slate.db", in: folder)
        let outcome = try await run(command, in: folder)
        #expect(outcome.status == 73, "\(outcome.errors)")
        #expect(outcome.errors.contains("slate.db: error[store.read-only]"), "\(outcome.errors)")
        #expect(try bytes(folder) == before)
    }

    @Test("Without a safety copy nothing is changed", arguments: [SlateCommand.replace, .merge, .undo, .mend])
    func safety(_ command: SlateCommand) async throws {
        let prepared = try await SlateCase(command, rows: 30)
        let folder = try open(prepared)
        try FileManager.default.createDirectory(
            atPath: folder.path("slate.db.safety"),
            withIntermediateDirectories: true
        )
        let before = try bytes(folder)
        try allow(0o555, "slate.db.safety", in: folder)
        defer { try? allow(0o777, "slate.db.safety", in: folder) }
        let outcome = try await run(command, in: folder)
        #expect(outcome.status == 73, "\(outcome.errors)")
        #expect(outcome.errors.contains("the safety backup slate.db.safety/00000"), "\(outcome.errors)")
        #expect(try bytes(folder) == before)
        try allow(0o777, "slate.db.safety", in: folder)
        try await prepared.finish(folder, wasDone: false, "\(command)")
    }

    @Test("Where the folder of the safety copies is a file, nothing is imported")
    func fileForFolder() async throws {
        let prepared = try await SlateCase(.replace, rows: 30)
        let folder = try prepared.folder()
        try folder.remove("slate.db.safety")
        try folder.write("slate.db.safety", "mine")
        let before = try bytes(folder)
        let outcome = try await folder.slate(SlateCommand.replace.arguments)
        #expect(outcome.status == 73, "\(outcome.errors)")
        #expect(outcome.errors.contains("slate.db.safety is there and is no folder"), "\(outcome.errors)")
        #expect(try bytes(folder) == before)
    }
}
