import AppList
import Foundation
import RecordMerge
import RecordStore
import StrictJSON
import TestSupport
import Testing

@testable import DirectorySync

/// What `satchel doctor` says of shared folders.
@Suite("The doctor's look at shared folders")
struct DoctorTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    /// Returns what the doctor says of the folder, and its advice.
    private func look(_ machine: Machine) async throws -> (finding: String, advice: String) {
        let doctor = try await machine.other("satchel", ["doctor", "--format", "json"])
        #expect(doctor.status == 3, "\(doctor.errors)")
        let checks = try doctor.json["checks"]?.array ?? []
        let check = try #require(checks.first { $0["subject"]?.string?.contains("/share") == true })
        return (check["finding"]?.string ?? "", check["advice"]?.string ?? "")
    }

    @Test("A file that needs a newer program is not damaged, beside one that is", .enabled(if: !EncryptedRun.isOn))
    func newer() async throws {
        let (laptop, _) = try await Machine.pair(in: sandbox)
        let folder = sandbox.path("share")
        let header = SegmentHeader(
            space: try Replica.space(of: folder),
            app: .slate,
            writer: try Sample.writer("x"),
            sequence: 1,
            previous: nil,
            heads: [],
            clock: HybridClock(milliseconds: 1_767_000_000_000),
            device: SyncDevice(id: "ffffffffffffffff", name: "Stranger"),
            program: "foldersync test",
            schema: 2,
            minimumReader: 2,
            records: 0
        )
        let bytes = try (String(decoding: header.encoded(), as: UTF8.self) + "\n").compressed()
        try SyncDirectory(folder).publish(segment: bytes, writer: header.writer, sequence: 1)
        let newer = try await look(laptop)
        #expect(
            newer.finding == "1 file that needs a newer program" && newer.advice == "update the program",
            "\(newer)"
        )
        let file = try #require(Transport.segments(folder).first { !$0.hasPrefix("w/x/") })
        try sandbox.write("share/" + file, "cut off")
        let both = try await look(laptop)
        #expect(both.finding == "1 damaged file, 1 file that needs a newer program", "\(both)")
        #expect(both.advice.contains("repair") && both.advice.hasSuffix("; update the program"), "\(both)")
    }

    @Test("A key that this device lacks is named, and nothing that it seals is called damaged or gone")
    func withoutKey() async throws {
        let laptop = Machine("Laptop", in: sandbox)
        try AppStores.all.make(.slate, at: laptop.store)
        try laptop.sql(Machine.task("t1", "Milk"))
        for (name, text) in [("pass", "correct horse\n"), ("next", "battery staple\n")] {
            let path = try sandbox.write(name, text)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        }
        let secrets = ["--passphrase-file", "pass", "--recovery-file", "r1"]
        let made = ["init", "share", "--store", laptop.store, "--name", "Laptop", "--encrypt"]
        #expect(try await laptop.run(made + secrets).status == 0)
        let keys = try sandbox.names().filter {
            !$0.hasPrefix("share") && ($0.hasSuffix(".keys") || $0.hasSuffix(".index"))
        }
        #expect(!keys.isEmpty)
        let before = try keys.map { ($0, try sandbox.bytes($0)) }
        let rotation = ["key", "rotate", "share", "--new-passphrase", "--passphrase-file", "next"]
        #expect(try await laptop.run(rotation + ["--recovery-file", "r2"]).status == 0)
        try laptop.sql(Machine.rename("t1", "Cream"))
        #expect(try await laptop.run("sync").status == 0)
        // The keys are set back, and the slots with the new one have not arrived.
        for (name, bytes) in before { try sandbox.write(name, bytes) }
        for name in try sandbox.names() where name.hasSuffix(".slot") { try sandbox.remove(name) }
        let found = try await look(laptop)
        #expect(found.finding == "a key that this device lacks" && found.advice.contains("key unlock"), "\(found)")
    }

    @Test("Two keys are named as such, with the command that makes one of them")
    func twoKeys() async throws {
        let (laptop, tower) = (Machine("Laptop", in: sandbox), Machine("Tower", in: sandbox))
        let (share, other) = (sandbox.path("share"), sandbox.path("other"))
        try AppStores.all.make(.slate, at: laptop.store)
        let path = try sandbox.write("pass", "correct horse\n")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let secret = ["--passphrase-file", "pass"]
        let made = ["init", "share", "--store", laptop.store, "--name", "Laptop", "--encrypt", "--recovery-file", "r1"]
        #expect(try await laptop.run(made + secret).status == 0)
        try Transport.bring(from: share, to: other)
        let join = ["join", "other", "--create", "slate=\(tower.store)", "--name", "Tower"]
        let joined = try await tower.run(join + secret)
        #expect(joined.status == 0, "\(joined.errors)")
        try Transport.bring(from: other, to: share)
        for (machine, folder) in [(laptop, "share"), (tower, "other")] {
            let rotate = ["key", "rotate", folder, "--recovery-file", "\(folder)-code"]
            let rotated = try await machine.run(rotate + secret)
            #expect(rotated.status == 0, "\(rotated.errors)")
        }
        for _ in 0..<4 {
            for machine in [laptop, tower] { try await machine.run("sync") }
            try Transport.bring(from: share, to: other)
            try Transport.bring(from: other, to: share)
        }
        let found = try await look(laptop)
        #expect(found.finding == "two keys" && found.advice.contains("key rotate"), "\(found)")
    }
}
