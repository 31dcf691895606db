import StrictJSON
import TestSupport
import Testing

@testable import ArchiveIO

/// Manifests, and archives that are not what theirs says.
@Suite struct ManifestTests {
    static let payload = utf8(#"{"schema_version":2}"#)
    static let hash = String(repeating: "0a", count: 32)

    /// A manifest that says what a function makes of the right one; its digest fits unless the function set one.
    private func manifest(_ change: (inout JSONObject) -> Void) throws -> [UInt8] {
        var manifest = BackupManifest(format: .slatebackup, createdAt: "2026-01-07T21:30:00+01:00", generator: "test 1")
        let bytes = try BackupArchive.bytes(Self.files, manifest: manifest, packing: .zip)
        manifest = try BackupArchive(.bytes(bytes), as: [.slatebackup]).manifest
        var object = try #require(try JSONDocument(parsing: manifest.encoded).root.value.object)
        object["digest"] = nil
        change(&object)
        if object["digest"] == nil { object["digest"] = .string(BackupManifest.digest(of: object)) }
        return JSONValue.object(object).encoded(.indented)
    }

    private static let files = [
        BackupFile("Slate-20260107.json", content: .bytes(payload), counts: [.init(table: "tasks", records: 3)])
    ]

    private func opening(_ manifest: [UInt8]?, _ files: [(String, [UInt8])]) throws -> String? {
        let entries = (manifest.map { [("manifest.json", $0)] } ?? []) + files
        let codes = try Set(
            ArchivePacking.allCases.map { packing in
                let bytes = try archive(packing, entries)
                return code { _ = try BackupArchive(.bytes(bytes), as: [.slatebackup]) }
            }
        )
        #expect(codes.count == 1)
        return codes.first ?? nil
    }

    private func opening(changing change: (inout JSONObject) -> Void) throws -> String? {
        try opening(manifest(change), [("Slate-20260107.json", Self.payload)])
    }

    private func json(_ text: String) throws -> JSONValue { try JSONDocument(parsing: text).root.value }

    @Test(arguments: ArchivePacking.allCases) func roundTrip(_ packing: ArchivePacking) throws {
        var manifest = BackupManifest(format: .slatebackup, createdAt: "2026-01-07T21:30:00+01:00")
        manifest.extra["note"] = ["nested": [1, nil, "x"]]
        let bytes = try BackupArchive.bytes(Self.files, manifest: manifest, packing: packing)
        #expect(try BackupArchive.bytes(Self.files, manifest: manifest, packing: packing) == bytes)
        for roles in [[], ["data"]] as [Set<String>] {
            let backup = try BackupArchive(.bytes(bytes), as: [.bzpack, .slatebackup], keeping: roles)
            #expect(backup.manifest.format == .slatebackup)
            #expect(backup.manifest.extra == manifest.extra)
            #expect(backup.manifest.file("Slate-20260107.json")?.count(of: "tasks") == 3)
            #expect(try backup.bytes(of: "Slate-20260107.json") == Self.payload)
            #expect(try backup.takeBytes(of: "Slate-20260107.json") == Self.payload)
            #expect(code { _ = try backup.bytes(of: "other") } == "manifest.file-missing")
        }
    }

    /// The encoded form, as the specification gives it.
    @Test func text() throws {
        var manifest = BackupManifest(format: .slatebackup, createdAt: "2026-01-07T21:30:00+01:00", generator: "g")
        manifest.files = [
            .init(path: "a.json", role: "data", size: 2, sha256: Self.hash, counts: [.init(table: "tasks", records: 0)])
        ]
        let text = String(decoding: manifest.encoded, as: UTF8.self)
        #expect(text.hasPrefix("{\n  \"format\": \"slatebackup\",\n  \"version\": 1,\n  \"createdAt\": "))
        #expect(try BackupManifest(parsing: manifest.encoded, as: [.slatebackup]) == manifest)
        let compact = try JSONDocument(parsing: manifest.encoded).root.encoded(.compact)
        #expect(try BackupManifest(parsing: compact, as: [.slatebackup]) == manifest)
    }

    @Test func unknownMembersSurvive() throws {
        let bytes = try manifest {
            $0["futureThing"] = ["a": 1, "b": [true, nil]]
            $0["files"] = .array(
                ($0["files"]?.array ?? []).map { file in
                    var file = file
                    file["compression"] = "none"
                    return file
                }
            )
        }
        let manifest = try BackupManifest(parsing: bytes, as: [.slatebackup])
        #expect(manifest.extra["futureThing"] == ["a": 1, "b": [true, nil]])
        #expect(manifest.files[0].extra["compression"] == "none")
        #expect(try BackupManifest(parsing: manifest.encoded, as: [.slatebackup]) == manifest)
    }

    @Test func unchanged() throws {
        #expect(try opening { _ in } == nil)
        // The manifest may come last, as where somebody packed the folder again.
        let files = [("Slate-20260107.json", Self.payload), ("manifest.json", try manifest { _ in })]
        #expect(try opening(nil, files) == nil)
    }

    @Test func missing() throws {
        #expect(try opening(nil, [("a.json", [])]) == "manifest.missing")
    }

    @Test func members() throws {
        for (member, value) in [
            ("format", nil), ("format", 1), ("files", nil), ("files", 1), ("createdAt", 1), ("generator", .null),
        ] as [(String, JSONValue?)] {
            #expect(try opening { $0[member] = value } == "manifest.member", "\(member)")
        }
        for (member, value) in [
            ("path", 1), ("role", 1), ("size", -1), ("size", try json("1.5")), ("size", "20"), ("sha256", "abc"),
            ("sha256", .string(Self.hash.uppercased())), ("counts", 1), ("counts", ["tasks": -1]),
            ("counts", ["tasks": "x"]),
        ] as [(String, JSONValue)] {
            let found = try opening {
                var file = $0["files"]?.array?.first ?? .null
                file[member] = value
                $0["files"] = .array([file])
            }
            #expect(found == "manifest.member", "\(member)")
        }
        #expect(try opening(utf8("[]"), []) == "manifest.member")
        #expect(try opening { $0["digest"] = 1 } == "manifest.member")
    }

    @Test func syntax() throws {
        #expect(try opening(utf8("{"), []) == "manifest.syntax")
        #expect(try opening([], []) == "manifest.syntax")
        #expect(try opening(utf8(#"{"format":"slatebackup","format":"x"}"#), []) == "manifest.syntax")
    }

    @Test func formatAndVersion() throws {
        #expect(try opening { $0["format"] = "bzpack" } == "manifest.format")
        for version in [0, -1, "1", try json("1.5"), nil] as [JSONValue] {
            #expect(try opening { $0["version"] = version } == "manifest.version")
        }
        let bytes = try archive(.zip, [("manifest.json", manifest { $0["version"] = 7 })])
        let error = #expect(throws: ArchiveError.self) { try BackupArchive(.bytes(bytes), as: [.slatebackup]) }
        #expect(error?.code == .manifestNewer)
        #expect(error?.message.contains("version 7") == true)
        #expect(error?.message.contains("up to 1") == true)
    }

    @Test func digest() throws {
        #expect(try opening { $0["digest"] = .string(Self.hash) } == "manifest.digest")
        let right = try manifest { _ in }
        let changed = String(decoding: right, as: UTF8.self).replacing("\"tasks\": 3", with: "\"tasks\": 4")
        #expect(try opening(utf8(changed), [("Slate-20260107.json", Self.payload)]) == "manifest.digest")
    }

    @Test(arguments: ["../a", "/a", "a//b", "", "manifest.json", "a\\b"]) func path(_ path: String) throws {
        let found = try opening {
            var file = $0["files"]?.array?.first ?? .null
            file["path"] = .string(path)
            $0["files"] = .array([file])
        }
        #expect(found == "manifest.path")
    }

    @Test func pathTwice() throws {
        #expect(
            try opening { $0["files"] = .array(($0["files"]?.array ?? []) + ($0["files"]?.array ?? [])) }
                == "manifest.path"
        )
    }

    @Test func filesThatDiffer() throws {
        let right = try manifest { _ in }
        let name = "Slate-20260107.json"
        #expect(try opening(right, []) == "manifest.file-missing")
        #expect(try opening(right, [(name, Self.payload + [0x20])]) == "manifest.file-size")
        #expect(try opening(right, [(name, Self.payload.dropLast() + [0x20])]) == "manifest.file-hash")
        #expect(try opening(right, [(name, Self.payload), ("extra", [])]) == "manifest.file-unlisted")
        #expect(
            try opening(nil, [("extra", []), ("manifest.json", right), (name, Self.payload)])
                == "manifest.file-unlisted"
        )
        #expect(try opening(nil, [(name, []), ("manifest.json", right)]) == "manifest.file-size")
    }

    @Test func archiveThatChanges() throws {
        let file = try TemporaryFile()
        try file.write(BackupArchive.bytes(Self.files, manifest: .init(format: .slatebackup), packing: .zip))
        let backup = try BackupArchive(.file(file.path), as: [.slatebackup])
        #expect(try backup.bytes(of: "Slate-20260107.json") == Self.payload)
        try file.write(archive(.zip, [("Slate-20260107.json", Self.payload + [0x20])]))
        #expect(code { _ = try backup.bytes(of: "Slate-20260107.json") } == "manifest.file-changed")
        try file.write(archive(.zip, [("other.json", [])]))
        #expect(code { _ = try backup.bytes(of: "Slate-20260107.json") } == "manifest.file-changed")
    }

    /// The hash is taken first; then the first bytes of the archive come out, and the file changes under them.
    @Test func fileThatChanges() throws {
        var random = SeededGenerator(seed: 1)
        let words = (0..<100_000).map { _ in random.next() }
        let noise = words.withUnsafeBytes { [UInt8]($0) }
        let file = try TemporaryFile()
        try file.write(noise)
        let entry = BackupFile("a.json", content: .file(file.path))
        let found = code {
            try BackupArchive.write([entry], manifest: .init(format: .slatebackup), packing: .zip) { _ in
                try file.write([UInt8](repeating: 0, count: noise.count))
            }
        }
        #expect(found == "manifest.file-changed")
    }

    /// The example of the specification is one.
    @Test func specification() throws {
        let text = String(
            decoding: try #require(SpecificationFile.bytes("slatebackup.md")),
            as: UTF8.self
        )
        let example = try #require(text.split(separator: "```json\n").last?.split(separator: "```").first)
        let manifest = try BackupManifest(parsing: utf8(String(example)), as: [.slatebackup])
        #expect(manifest.encoded == utf8(String(example)))
        let bytes = try archive(.zip, [("manifest.json", manifest.encoded), ("Slate-20260107.json", Self.payload)])
        #expect(try JSONContainer(.bytes(bytes)).bytes == Self.payload)
    }

    @Test func size() throws {
        var limits = ArchiveLimits()
        limits.manifestBytes = 100
        let bytes = try archive(.zip, [("manifest.json", manifest { _ in })])
        #expect(code { _ = try BackupArchive(.bytes(bytes), as: [.slatebackup], limits: limits) } == "manifest.size")
    }
}
