import ArchiveIO
import Foundation
import StrictJSON
import Testing
import TestSupport

struct SlateFileTests {
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    @Test("A damaged backup in a named pipe is read once, and is not waited for", .timeLimit(.minutes(1)))
    func namedPipe() async throws {
        let file = Fixtures.path("slate/invalid/dangling-dependency.json")
        let program = Built.path("slate-backup")
        for command in ["verify", "import --dry-run --store new.db"] {
            let writer = "rm -f pipe; mkfifo pipe && { cat '\(file)' >pipe & }"
            let script = "\(writer) && timeout 20 '\(program)' \(command) pipe"
            let outcome = try await sandbox.run("/bin/sh", ["-c", script])
            #expect(outcome.status == 65, "\(command): \(outcome.errors)")
        }
    }

    static let released = ["slate/v1", "slate/v2"].flatMap { (try? Fixtures.names(in: $0)) ?? [] }
        .filter { $0.hasSuffix(".json") }

    @Test("Every released file comes back from a database of its own, byte for byte", arguments: released)
    func rehearsal(_ file: String) async throws {
        let outcome = try await sandbox.slate("verify", "--restore", Fixtures.path(file))
        #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
        #expect(outcome.output.contains("came back the same"))
        #expect(try sandbox.names().isEmpty)
    }

    @Test("Verify tells valid files from others, and --from takes the newest, sound or not")
    func verify() async throws {
        let good = try sandbox.backup("Slate-20260106.json", tasks: 2)
        #expect(try await sandbox.slate("verify", good).output == "\(good): valid (version 2)\n")
        let both = try await sandbox.slate("verify", good, Fixtures.path("slate/invalid/date-slashes.json"))
        #expect(both.status == 65)
        #expect(try await sandbox.slate("verify", good, "missing.json").status == 66)
        #expect(try await sandbox.slate("verify", "--restore", "--from", ".", "--now", slateNow).status == 0)
        try sandbox.write("Slate-20260107.json", "{")
        let newest = try await sandbox.slate("verify", "--restore", "--from", ".", "--now", slateNow)
        #expect(newest.status == 65)
        #expect(newest.errors.contains("./Slate-20260107.json:1:"))
        #expect(try await sandbox.slate("verify").status == 64)
        #expect(try await sandbox.slate("verify", "--from", "missing").status == 66)
        try sandbox.write(
            "unknown.json",
            String(decoding: try sandbox.bytes("Slate-20260106.json"), as: UTF8.self)
                .replacing("\"meta\"", with: "\"mine\": 1, \"meta\"")
        )
        #expect(try await sandbox.slate("verify", "unknown.json").status == 0)
        #expect(try await sandbox.slate("verify", "--strict", "unknown.json").status == 3)
    }

    @Test("A file for another tool is named, and one that is nothing of all that as well")
    func wrongTool() async throws {
        let outcome = try await sandbox.slate("import", Fixtures.path("bztimer/v3/leg-day.json"), "--yes")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("use bzpack"))
        #expect(!sandbox.has("data/satchel/slate.db"))
        for command in ["inspect", "verify"] {
            #expect(try await sandbox.slate(command, Fixtures.path("bztimer/v3/leg-day.json")).status == 65)
        }
        try sandbox.write("x.db", "not a database, and long enough to be taken for one by nobody at all")
        #expect(try await sandbox.slate("export", "--db", sandbox.path("x.db")).status == 65)
        #expect(try await sandbox.slate("stats", "--db", sandbox.path("missing.db")).status == 66)
        let bztimer = try await sandbox.trainer("bztimer.db")
        #expect(try await sandbox.slate("export", "--db", bztimer).errors.contains("store.foreign"))
    }

    @Test("Inspect shows what a file holds, and how much of it nobody knows")
    func inspect() async throws {
        let file = Fixtures.path("slate/v2/unknown-members.json")
        let json = try await sandbox.slate("inspect", file, "--format", "json").json
        let unknown = try #require(json["unknownMembers"]?.number?.int)
        #expect(unknown > 0)
        let text = try await sandbox.slate("inspect", file)
        #expect(text.status == 0)
        #expect(text.output.contains("unknown members: \(unknown)\n  /"))
    }

    @Test("Diff goes by record and field, whatever the order and the container")
    func diff() async throws {
        let database = try await sandbox.sampleDatabase()
        let json = String(decoding: try await sandbox.exported(database), as: UTF8.self)
        let changed = json.replacing("\"title\": \"Buy paint\"", with: "\"title\": \"Buy red paint\"")
            .replacing("\"day_start\": \"04:00\"", with: "\"day_start\": \"05:00\"")
        try sandbox.write("changed.json", changed)
        let diff = try await sandbox.slate("diff", "export.json", "changed.json")
        #expect(diff.status == 3)
        #expect(diff.output.contains("~ tasks task-2 \"Buy red paint\": title \"Buy paint\" → \"Buy red paint\"\n"))
        #expect(diff.output.contains("~ meta day_start: \"04:00\" → \"05:00\"\n"))
        #expect(diff.output.hasSuffix("0 added, 0 removed, 2 changed.\n"))
        let one = try await sandbox.slate("diff", "export.json", "changed.json", "--only", "habits")
        #expect(one.status == 0)
        #expect(one.output.hasSuffix("No differences.\n"))
        try sandbox.backup("few.json", tasks: 1)
        let many = try await sandbox.slate("diff", "few.json", "export.json", "--format", "json").json
        #expect(many["summary"]?["removed"]?.number?.int == 1)
        #expect(many["records"]?.array?.isEmpty == false)
        #expect(try await sandbox.slate("diff", "few.json", "missing.json").status == 66)
        #expect(try await sandbox.slate("diff", "-", "-").status == 64)
    }

    @Test("Archives that are damaged or not to be trusted end with 65, each with its code")
    func hostile() async throws {
        let json = try Fixtures.bytes("slate/v2/autumn-week.json")
        func zip(_ names: [String]) throws -> [UInt8] {
            var bytes: [UInt8] = []
            try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) {
                sink in
                let writer = try ArchiveWriter(.zip, to: sink)
                for name in names { try writer.add(name, bytes: json) }
                try writer.finish()
            }
            return bytes
        }
        let database = try await sandbox.sampleDatabase()
        let before = try sandbox.bytes("slate.db")
        let one = try zip(["Slate.json"])
        // The name stands at the front and in the directory of the archive.
        let traversal = one.replacing("Slate.json", "../te.json")
        var cases: [(name: String, bytes: [UInt8], code: String)] = [
            ("two.zip", try zip(["a.json", "b.json"]), "archive.several-json"),
            ("none.zip", try zip(["a.txt"]), "archive.no-json"),
            ("cut.zip", Array(one.dropLast(30)), "archive."),
            ("up.zip", traversal, "archive.name-traversal"),
        ]
        #expect(
            try await sandbox.slate("export", "--db", database, "--output", sandbox.path("b.slatebackup")).status == 0
        )
        let backup = try sandbox.bytes("b.slatebackup")
        var flipped = backup
        flipped[backup.count / 2] ^= 0x10
        cases += [("cut.slatebackup", Array(backup.dropLast(9)), "archive."), ("flipped.slatebackup", flipped, "")]
        for (name, bytes, code) in cases {
            try sandbox.write(name, bytes)
            for command in [["import", name, "--yes", "--db", database], ["verify", name], ["inspect", name]] {
                let outcome = try await sandbox.slate(command)
                #expect(outcome.status == 65, "\(name) \(outcome.errors)")
                #expect(outcome.errors.contains("\(name): error[\(code)") || code.isEmpty, "\(outcome.errors)")
            }
        }
        #expect(try sandbox.bytes("slate.db") == before)
        try sandbox.write("good.zip", one)
        #expect(try await sandbox.slate("verify", "good.zip").status == 0)
    }

    @Test("A manifest that counts other rows than there are is not believed")
    func counts() async throws {
        let source = BackupFile(
            "Slate-20260107.json",
            content: .bytes(try Fixtures.bytes("slate/v2/autumn-week.json")),
            counts: [BackupManifest.Count(table: "tasks", records: 99)]
        )
        let bytes = try BackupArchive.bytes([source], manifest: BackupManifest(format: .slatebackup), packing: .zip)
        try sandbox.write("x.slatebackup", bytes)
        let outcome = try await sandbox.slate("verify", "x.slatebackup")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("error[slate.manifest-count]"))
    }
}

extension [UInt8] {
    fileprivate func replacing(_ old: String, _ new: String) -> [UInt8] {
        var result = self
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        var index = 0
        while index + old.count <= result.count {
            if result[index..<index + old.count].elementsEqual(old) {
                result.replaceSubrange(index..<index + old.count, with: new)
            }
            index += 1
        }
        return result
    }
}
