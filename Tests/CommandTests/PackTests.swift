import ArchiveIO
import Foundation
import RecordStore
import StrictJSON
import Testing
import TestSupport

/// `pack`, `unpack`, and what reads a pack.
struct PackTests {
    static let files = ["bztimer/v3/leg-day.json", "bztimer/v1/morning-stretch.json", "bztimer/v3/library.json"]
    let sandbox: Sandbox

    init() throws { sandbox = try Sandbox() }

    private func pack(_ files: [String] = files, as name: String = "all.bzpack") async throws {
        let outcome = try await sandbox.bzpack(["pack", "-o", name] + files.map(Fixtures.path))
        #expect([0, 3].contains(outcome.status), "\(outcome.errors)")
    }

    @Test("The same files give the same bytes, and come back as they were")
    func roundTrip() async throws {
        try await pack()
        try await pack(as: "again.bzpack")
        #expect(try sandbox.bytes("all.bzpack") == sandbox.bytes("again.bzpack"))
        let outcome = try await sandbox.bzpack("unpack", "all.bzpack", "-o", "out")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output == "Unpacked 3 files into out.\n")
        for (index, file) in Self.files.enumerated() {
            #expect(try sandbox.bytes("out/000\(index + 1).bztimer") == Fixtures.bytes(file))
        }
        let repacked = (1...3).map { "out/000\($0).bztimer" }
        #expect([0, 3].contains(try await sandbox.bzpack(["pack", "-o", "repacked.bzpack"] + repacked).status))
        #expect(try sandbox.bytes("repacked.bzpack") == sandbox.bytes("all.bzpack"))
    }

    @Test("The list, and the number of sessions")
    func list() async throws {
        let packed = try await sandbox.bzpack("pack", "-o", "one.bzpack", Fixtures.path("bztimer/v3/leg-day.json"))
        #expect(packed.output == "Packed 1 file (1 session) into one.bzpack.\n")
        let list = try await sandbox.bzpack("unpack", "--list", "one.bzpack").output.split(separator: "\n")
        #expect(list.count == 2)
        #expect(list.first?.hasPrefix("FILE ") == true)
        #expect(list.last?.hasPrefix("0001.bztimer ") == true)
        let inspected = try await sandbox.bzpack("inspect", "one.bzpack")
        #expect(inspected.output.hasPrefix("one.bzpack: .bzpack, version 1\nwritten by: bzpack "))
        #expect(inspected.output.contains("\none.bzpack/0001.bztimer: BZ Timer, version 3\n"))
        #expect(try await sandbox.bzpack("unpack", "one.bzpack").status == 64)
        #expect(try await sandbox.bzpack("unpack", "one.bzpack", "--list", "-o", "out").status == 64)
    }

    @Test("An import takes all sessions of a pack, as if the files were given one by one")
    func importing() async throws {
        try await pack()
        let whole = try await sandbox.client("whole.db", pro: true)
        let apart = try await sandbox.client("apart.db", pro: true)
        let first = try await sandbox.bzpack("import", "all.bzpack", "--store", whole)
        let second = try await sandbox.bzpack(["import", "--store", apart] + Self.files.map(Fixtures.path))
        #expect(first.status == second.status)
        #expect(first.output.contains("all.bzpack/0002.bztimer (version 1):"))
        #expect(try await sandbox.digests(whole) == sandbox.digests(apart))
        #expect(
            first.output.replacing("whole.db", with: "apart.db").split(separator: "\n").last
                == second.output.split(separator: "\n").last
        )
        let packed = try sandbox.bytes("all.bzpack")
        let piped = try await sandbox.bzpack(["import", "-", "--store", whole], input: packed)
        #expect(piped.output.contains("<stdin>/0001.bztimer (version 3):"))
        #expect(piped.output.contains("skip session"))
    }

    @Test("A fault in a file of a pack names pack, entry, line and pointer, and nothing is imported")
    func fault() async throws {
        let good = try Fixtures.bytes("bztimer/v3/leg-day.json")
        let bad = try Fixtures.bytes("bztimer/invalid/label-empty.json")
        try sandbox.write("bad.bzpack", try archive([("0001.bztimer", good), ("0002.bztimer", bad)]))
        let store = try await sandbox.client()
        let before = try sandbox.bytes("client.db")
        let outcome = try await sandbox.bzpack("import", "bad.bzpack", "--store", store)
        #expect(outcome.status == 65)
        let line = try #require(outcome.errors.split(separator: "\n").first)
        #expect(line.contains(/^bad\.bzpack\/0002\.bztimer:\d+:\d+: error\[.+\]: .+ \(at \/.+\)$/), "\(line)")
        #expect(outcome.errors.hasSuffix("bzpack: nothing was imported\n"))
        #expect(try sandbox.bytes("client.db") == before)
        let valid = try await sandbox.bzpack("validate", "bad.bzpack")
        #expect(valid.status == 65)
        #expect(
            valid.output.hasPrefix("bad.bzpack/0001.bztimer: valid (version 3)\nbad.bzpack/0002.bztimer: not valid")
        )
        #expect(try await sandbox.bzpack("inspect", "bad.bzpack").status == 65)
        // Damaged content can be taken out, to be mended.
        #expect(try await sandbox.bzpack("unpack", "bad.bzpack", "-o", "out").status == 0)
        #expect(try sandbox.bytes("out/0002.bztimer") == bad)
    }

    @Test("Nothing is packed where a file cannot be used")
    func unusable() async throws {
        let good = Fixtures.path("bztimer/v3/leg-day.json")
        let bad = Fixtures.path("bztimer/invalid/label-empty.json")
        let outcome = try await sandbox.bzpack("pack", good, bad, "-o", "x.bzpack")
        #expect(outcome.status == 65)
        #expect(outcome.errors.hasSuffix("bzpack: nothing was packed\n"))
        #expect(try await sandbox.bzpack("pack", good, "missing.bztimer", "-o", "x.bzpack").status == 66)
        #expect(!sandbox.has("x.bzpack"))
        try sandbox.write("notes.txt", "notes")
        #expect(try await sandbox.bzpack("pack", good, "-o", "notes.txt").status == 64)
        #expect(try sandbox.bytes("notes.txt") == Array("notes".utf8))
        try await pack()
        #expect(try await sandbox.bzpack("pack", "all.bzpack", "-o", "x.bzpack").status == 65)
    }

    @Test("A pack that is there is replaced with consent only, unless it is the same")
    func replacingPack() async throws {
        try await pack()
        let before = try sandbox.bytes("all.bzpack")
        let other = Fixtures.path("bztimer/v3/leg-day.json")
        let refused = try await sandbox.bzpack("pack", other, "-o", "all.bzpack")
        #expect(refused.status == 64 && refused.errors.contains("Replace all.bzpack, which is there already?"))
        try await pack()
        #expect(try sandbox.bytes("all.bzpack") == before)
        #expect(try await sandbox.bzpack("pack", other, "-o", "all.bzpack", "--yes").status == 0)
        #expect(try sandbox.bytes("all.bzpack") != before)
    }

    @Test("Files that are there are replaced with consent only, links never")
    func replacing() async throws {
        try await pack()
        try FileManager.default.createDirectory(atPath: sandbox.path("out"), withIntermediateDirectories: false)
        try sandbox.write("out/0002.bztimer", "mine")
        let refused = try await sandbox.bzpack("unpack", "all.bzpack", "-o", "out/")
        #expect(refused.status == 64)
        #expect(refused.errors.contains("Replace out/0002.bztimer, which is there already?"))
        #expect(!sandbox.has("out/0001.bztimer"))
        #expect(try await sandbox.bzpack("unpack", "all.bzpack", "-o", "out", "--yes").status == 0)
        #expect(try sandbox.bytes("out/0002.bztimer") == Fixtures.bytes(Self.files[1]))
        try sandbox.write("victim", "mine")
        try sandbox.remove("out/0001.bztimer")
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.path("out/0001.bztimer"),
            withDestinationPath: sandbox.path("victim")
        )
        #expect(try await sandbox.bzpack("unpack", "all.bzpack", "-o", "out", "--yes").status == 73)
        #expect(try sandbox.bytes("victim") == Array("mine".utf8))
        #expect(try await sandbox.bzpack("unpack", "all.bzpack", "-o", "victim").status == 73)
    }

    /// A pack of files under names of the test's choice.
    private func archive(_ files: [(String, [UInt8])], format: BackupFormat = .bzpack) throws -> [UInt8] {
        try BackupArchive.bytes(
            files.map { BackupFile($0.0, content: .bytes($0.1)) },
            manifest: BackupManifest(format: format),
            packing: .zip
        )
    }

    @Test(
        "Names that lead elsewhere are refused before anything is written",
        arguments: ["sub/0001.bztimer", ".bztimer", "-o.bztimer", "0001.sh", "../evil.bztimer", "/tmp/evil.bztimer"]
    )
    func names(_ name: String) async throws {
        // The writer takes no hostile name; one of the same length is put in its place.
        let tame = String(name.map { $0 == "/" || $0 == "." ? "x" : $0 })
        let isRefusedByArchive = name.hasPrefix("../") || name.hasPrefix("/")
        let content = try Fixtures.bytes("bztimer/v3/leg-day.json")
        var bytes = try archive([(isRefusedByArchive ? tame : name, content)])
        if isRefusedByArchive { bytes = replacing(tame, with: name, in: bytes) }
        try sandbox.write("hostile.bzpack", bytes)
        for arguments in [
            ["unpack", "hostile.bzpack", "-o", "out"], ["import", "hostile.bzpack"], ["validate", "hostile.bzpack"],
        ] {
            let outcome = try await sandbox.bzpack(arguments)
            #expect(outcome.status == 65, "\(outcome.errors)")
            #expect(
                outcome.errors.contains(
                    "hostile.bzpack: error[" + (isRefusedByArchive ? "archive.name-" : "bzpack.name]")
                )
            )
        }
        #expect(try sandbox.names() == ["hostile.bzpack"])
    }

    private func replacing(_ old: String, with new: String, in bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        let (old, new) = (Array(old.utf8), Array(new.utf8))
        for start in 0...(bytes.count - old.count) where bytes[start...].starts(with: old) {
            bytes.replaceSubrange(start..<start + old.count, with: new)
        }
        return bytes
    }

    @Test("What is no whole pack is refused by its own code")
    func hostile() async throws {
        let content = try Fixtures.bytes("bztimer/v3/leg-day.json")
        let good = try archive([("0001.bztimer", content)])
        var bomb: [UInt8] = []
        let writer = try ArchiveWriter(.zip) { bomb.append(contentsOf: $0) }
        try writer.add("0001.bztimer", bytes: Array(repeating: 0, count: 70 << 20))
        try writer.finish()
        var loose: [UInt8] = []
        let plain = try ArchiveWriter(.zip) { loose.append(contentsOf: $0) }
        try plain.add("0001.bztimer", bytes: content)
        try plain.finish()
        let cases: [(code: String, bytes: [UInt8])] = [
            ("archive.truncated", Array(good.dropLast(30))),
            ("archive.trailing", good + [0]),
            ("archive.ratio", bomb),
            ("manifest.missing", loose),
            ("manifest.format", try archive([("a.json", content)], format: .slatebackup)),
            ("manifest.newer", try archive([("a", content)], format: BackupFormat(name: "bzpack", version: 2))),
        ]
        for (code, bytes) in cases {
            try sandbox.write("x.bzpack", bytes)
            for command in ["validate", "inspect", "import"] {
                let outcome = try await sandbox.bzpack(command, "x.bzpack")
                #expect(outcome.status == 65, "\(command) \(code)")
                #expect(outcome.errors.contains("x.bzpack: error[\(code)]: "), "\(code): \(outcome.errors)")
            }
            #expect(try await sandbox.bzpack("unpack", "x.bzpack", "-o", "out").status == 65)
        }
        try sandbox.write("loose.zip", loose)
        let zip = try await sandbox.bzpack("import", "loose.zip")
        #expect(zip.errors.contains("unpack it first, with unzip loose.zip"), "\(zip.errors)")
        #expect(try await sandbox.bzpack("unpack", Fixtures.path("bztimer/v3/leg-day.json"), "--list").status == 65)
        try sandbox.write("empty.bzpack", try archive([]))
        #expect(try await sandbox.bzpack("validate", "empty.bzpack").status == 3)
        #expect(try await sandbox.bzpack("import", "empty.bzpack").errors.contains("warning[bzpack.empty]"))
        let unpacked = try await sandbox.bzpack("unpack", "empty.bzpack", "-o", "none")
        #expect(unpacked.status == 3 && unpacked.errors.contains("warning[bzpack.empty]"))
    }

    @Test("All faults of a pack are told, a folder around it is named, and other commands name unpack")
    func allFaults() async throws {
        let content = try Fixtures.bytes("bztimer/v3/leg-day.json")
        let names = ["0001.bztimer", "0002.bztimer", "0003.bztimer"]
        let good = try archive(names.map { ($0, content) })
        let manifest = try ArchiveReader(.bytes(good, name: "good"))
        var entries: [(name: String, bytes: [UInt8])] = []
        while let entry = try manifest.next() {
            var bytes: [UInt8] = []
            try manifest.read { bytes.append(contentsOf: $0) }
            entries.append((entry.name, bytes))
        }
        func zip(_ change: (String, [UInt8]) -> (String, [UInt8]), and more: [String] = []) throws -> [UInt8] {
            var bytes: [UInt8] = []
            let writer = try ArchiveWriter(.zip) { bytes.append(contentsOf: $0) }
            for entry in entries {
                let (name, content) = change(entry.name, entry.bytes)
                try writer.add(name, bytes: content)
            }
            for name in more { try writer.add(name, bytes: []) }
            try writer.finish()
            return bytes
        }
        let isEdited = ["0001.bztimer", "0003.bztimer"]
        try sandbox.write(
            "edited.bzpack",
            try zip({ ($0, isEdited.contains($0) ? $1 + [0x0A] : $1) }, and: [".DS_Store", "x"])
        )
        let edited = try await sandbox.bzpack("validate", "edited.bzpack")
        #expect(edited.status == 65 && edited.output.contains("3 findings"), "\(edited.output)")
        for part in isEdited.map({ "(in entry \"\($0)\")" }) + ["\".DS_Store\", \"x\""] {
            #expect(edited.errors.contains(part), "\(edited.errors)")
        }
        try sandbox.write("folder.bzpack", try zip({ ("w/\($0)", $1) }))
        let folder = try await sandbox.bzpack("validate", "folder.bzpack")
        #expect(folder.errors.contains("in the folder \"w\"") && folder.errors.contains("pack of sessions"))
        try sandbox.write("good.bzpack", good)
        for arguments in [["page", "--file"], ["timeline", "--file"], ["convert"]] {
            let refused = try await sandbox.bzpack(arguments + ["good.bzpack"])
            #expect(refused.errors.contains("bzpack unpack good.bzpack --output FOLDER"), "\(refused.errors)")
        }
    }
}
