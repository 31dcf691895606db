import Foundation
import TestSupport
import Testing

@testable import AgeFile

/// The program `age` of this machine.
enum AgeProgram {
    static let isAvailable = ["age", "age-keygen"].allSatisfy {
        FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
    }
    static let hasTerminal = FileManager.default.isExecutableFile(atPath: "/usr/bin/script")
}

/// What the program `age` writes opens here, and the other way round.
@Suite("age and AgeFile", .enabled(if: AgeProgram.isAvailable, "this machine lacks age and age-keygen"))
struct AgeProgramTests {
    let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write("key.txt", "# a comment\n\(Forge.identityText)\n")
    }

    /// Has age open a file with the identity.
    private func opened(_ file: String) async throws -> Outcome {
        let arguments = ["-d", "-i", sandbox.path("key.txt"), "-o", sandbox.path("out"), sandbox.path(file)]
        return try await sandbox.run("/usr/bin/age", arguments)
    }

    /// Runs age at a terminal, at which the answers are typed.
    private func onTerminal(_ command: String, answers: String) async throws -> Outcome {
        try await sandbox.run(
            "/bin/sh",
            ["-c", "printf \"$1\" | script -qec \"$2\" /dev/null", "sh", answers, command]
        )
    }

    private static let contents = [[], Array("age".utf8), [UInt8](repeating: 5, count: 65_536), randomBytes(200_001)]

    @Test("age opens ours", arguments: contents.indices, [false, true])
    func opensOurs(index: Int, isArmored: Bool) async throws {
        let others = (0..<20).map { _ in AgeIdentity().recipient }
        let lock = AgeLock.recipients(others + [try Forge.recipient()])
        try sandbox.write("ours.age", try AgeWriter.encrypt(Self.contents[index], lock, isArmored: isArmored))
        let outcome = try await opened("ours.age")
        #expect(outcome.status == 0, "\(outcome.errors)")
        // age makes no file for an empty content.
        #expect(sandbox.has("out") ? try sandbox.bytes("out") == Self.contents[index] : index == 0)
    }

    @Test("We open age's", arguments: contents.indices, [[], ["-a"]])
    func opensTheirs(index: Int, options: [String]) async throws {
        try sandbox.write("in", Self.contents[index])
        try sandbox.write("recipients.txt", (0..<20).map { _ in "\(AgeIdentity().recipient)\n" }.joined())
        let arguments =
            options + [
                "-r", Forge.recipientText, "-R", sandbox.path("recipients.txt"), "-o", sandbox.path("theirs.age"),
                sandbox.path("in"),
            ]
        let outcome = try await sandbox.run("/usr/bin/age", arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let opened = Opened.withIdentity(try sandbox.bytes("theirs.age"))
        #expect(opened.error == nil && opened.content == Self.contents[index])
    }

    @Test("age opens ours with a passphrase", .enabled(if: AgeProgram.hasTerminal, "this machine lacks script"))
    func passphraseOfOurs() async throws {
        let lock = AgeLock.passphrase(try AgePassphrase("open sesame"), workFactor: 10)
        try sandbox.write("ours.age", try AgeWriter.encrypt(Array("a title".utf8), lock))
        let outcome = try await onTerminal("age -d -o out ours.age", answers: "open sesame\\n")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(try sandbox.bytes("out") == Array("a title".utf8))
    }

    @Test("We open age's with a passphrase", .enabled(if: AgeProgram.hasTerminal, "this machine lacks script"))
    func passphraseOfTheirs() async throws {
        try sandbox.write("in", "a title")
        let outcome = try await onTerminal("age -p -o theirs.age in", answers: "open sesame\\nopen sesame\\n")
        #expect(outcome.status == 0, "\(outcome.output)")
        #expect(Opened.withPassphrase(try sandbox.bytes("theirs.age"), "open sesame").content == Array("a title".utf8))
    }

    @Test("age-keygen's identities are read, and ours are read by age-keygen")
    func identities() async throws {
        let made = try await sandbox.run("/usr/bin/age-keygen", [])
        let theirs = try #require(try AgeIdentity.list(made.output).first)
        #expect(made.output.contains(theirs.recipient.description))
        let ours = AgeIdentity()
        try sandbox.write("ours.txt", ours.secretText() + "\n")
        let named = try await sandbox.run("/usr/bin/age-keygen", ["-y", sandbox.path("ours.txt")])
        #expect(named.output == "\(ours.recipient)\n")
    }

    @Test("age takes and refuses the same shapes")
    func sameVerdict() async throws {
        let shapes = try Shapes.headers() + Shapes.stanzas() + Shapes.x25519() + Shapes.payloads() + Shapes.armor()
        // age 1.1 looks for armor at the first byte alone.
        for (index, shape) in shapes.enumerated() where shape.name != "white space around" {
            try sandbox.write("shape-\(index).age", shape.bytes)
            let outcome = try await opened("shape-\(index).age")
            #expect((outcome.status == 0) == (shape.code == nil), "\(shape.name): \(outcome.errors)")
        }
    }
}
