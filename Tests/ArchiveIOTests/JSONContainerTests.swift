import ArchiveIO
import Testing

/// JSON wherever somebody keeps it.
@Suite struct JSONContainerTests {
    static let json = utf8(#"{"schema_version":2}"#)

    private func bytes(_ archive: [UInt8]) throws -> [UInt8] { try JSONContainer(.bytes(archive)).bytes }

    @Test func plain() throws {
        for content in [Self.json, [], utf8("no JSON at all"), [0xFF, 0xFE, 0x7B, 0]] {
            let found = try JSONContainer(.bytes(content))
            #expect(found.bytes == content)
            #expect(found.origin == .plain)
        }
    }

    @Test func compressed() throws {
        let found = try JSONContainer(.bytes(gzip(Self.json)))
        #expect(found.bytes == Self.json)
        #expect(found.origin == .entry("", ArchiveContainer(form: .single, compression: .gzip)))
        #expect(try bytes(zstd(Self.json)) == Self.json)
        #expect(code { _ = try bytes(zstd(ZipBuilder("a.json").bytes)) } == "archive.nested")
    }

    @Test func compressedOtherThings() throws {
        #expect(code { _ = try bytes(gzip(utf8("plain text"))) } == "archive.no-json")
        #expect(code { _ = try bytes(gzip([0x7B, 0])) } == "archive.no-json")
        #expect(code { _ = try bytes(gzip([])) } == "archive.no-json")
        for text in [String(repeating: " ", count: 600) + "{}", "{", "\u{FEFF}[]", "-1", "nothing"] {
            #expect(try bytes(gzip(utf8(text))) == utf8(text))
        }
        var tar = TarBuilder("a.json").bytes
        tar[0] ^= 1
        #expect(code { _ = try bytes(tar) } == "archive.corrupted")
        #expect(code { _ = try bytes(gzip(tar)) } == "archive.corrupted")
    }

    @Test func oneEntry() throws {
        var tar = TarBuilder("__MACOSX/a.json", "data/Slate.JSON", "data/._Slate.JSON", ".DS_Store", "notes.txt")
        tar.entries.append(TarBuilder.Entry("folder.json/", type: "5"))
        tar.entries[1].content = Self.json
        let found = try JSONContainer(.bytes(tar.bytes))
        #expect(found.bytes == Self.json)
        #expect(found.origin == .entry("data/Slate.JSON", ArchiveContainer(form: .tar, compression: .none)))
        #expect(try bytes(gzip(tar.bytes)) == Self.json)
        var zip = ZipBuilder("__MACOSX/a.json", "a.json", "b/")
        zip.entries[1].content = Self.json
        zip.entries[2].content = []
        zip.entries[2].mode = 0o040755
        #expect(try bytes(zip.bytes) == Self.json)
        // A manifest of something else is a file like any other.
        #expect(try bytes(ZipBuilder("manifest.json").bytes) == utf8("{}"))
    }

    @Test func noneOrSeveral() throws {
        #expect(code { _ = try bytes(ZipBuilder("a.txt").bytes) } == "archive.no-json")
        #expect(code { _ = try bytes(ZipBuilder().bytes) } == "archive.no-json")
        let error = #expect(throws: ArchiveError.self) { try bytes(TarBuilder("a.json", "b/c.json", "x").bytes) }
        #expect(error?.code == .severalJSON)
        #expect(error?.message.contains(#"2 JSON files, "a.json", "b/c.json""#) == true)
    }

    /// An archive with a fault anywhere is refused, also behind the entry that is wanted.
    @Test func allOfIt() {
        #expect(code { _ = try bytes(ZipBuilder("a.json", "../b").bytes) } == "archive.name-traversal")
        #expect(code { _ = try bytes(TarBuilder("a.json", "../b").bytes) } == "archive.name-traversal")
    }

    @Test(arguments: ArchivePacking.allCases) func backups(_ packing: ArchivePacking) throws {
        let manifest = BackupManifest(format: .slatebackup)
        let data = BackupFile("Slate-20260107.json", content: .bytes(Self.json))
        let notes = BackupFile("notes.json", role: "notes", content: .bytes([1, 2]))
        let packed = try BackupArchive.bytes([notes, data], manifest: manifest, packing: packing)
        let found = try JSONContainer(.bytes(packed, name: "x"))
        #expect(found.bytes == Self.json)
        guard case .backup(let read, "Slate-20260107.json", _) = found.origin else {
            Issue.record("not seen as a backup")
            return
        }
        #expect(read.files.map(\.path) == ["notes.json", "Slate-20260107.json"])

        let two = BackupFile("b.json", content: .bytes([]))
        #expect(
            code { _ = try bytes(BackupArchive.bytes([data, two], manifest: manifest, packing: packing)) }
                == "archive.several-json"
        )
        #expect(
            code { _ = try bytes(BackupArchive.bytes([notes], manifest: manifest, packing: packing)) }
                == "archive.no-json"
        )
        let foreign = try BackupArchive.bytes([data], manifest: BackupManifest(format: .bzpack), packing: packing)
        #expect(code { _ = try bytes(foreign) } == "manifest.format")
    }

    @Test func isArchive() throws {
        #expect(JSONContainer.isArchive(ZipBuilder("a").bytes))
        #expect(JSONContainer.isArchive(TarBuilder("a").bytes))
        #expect(JSONContainer.isArchive(gzip([])))
        #expect(JSONContainer.isArchive(utf8("Rar!")))
        #expect(!JSONContainer.isArchive(Self.json))
        #expect(!JSONContainer.isArchive([]))
    }
}
