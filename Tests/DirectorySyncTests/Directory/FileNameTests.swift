import RecordMerge
import Testing
import TestSupport

@testable import DirectorySync

@Suite("Names of files")
struct FileNameTests {
    private static let hash = "0123456789abcdef0123456789abcdef"
    private static let stem = "0000000042-\(hash)"

    private func read(_ name: String, _ folder: String = "w/anna") throws -> FileName.Found {
        FileName.read(name, in: folder, of: folder == "ckpt" ? nil : try Sample.writer("anna"))
    }

    private func file(_ name: String, _ folder: String = "w/anna") throws -> ListedFile? {
        guard case .file(let file) = try read(name, folder) else { return nil }
        return file
    }

    @Test("What is written is read", arguments: [1, 42, 9_999_999_999, 10_000_000_000, 1 << 53])
    func roundTrip(_ sequence: Int) throws {
        let anna = try Sample.writer("anna")
        for kind in ListedFile.Kind.allCases {
            let last = kind == .pack ? (sequence == 1 << 53 ? sequence : sequence + 1) : nil
            let file = ListedFile(kind, writer: anna, sequence: sequence, last: last, hash: Self.hash)
            let parts = file.path.split(separator: "/").map(String.init)
            let folder = parts.dropLast().joined(separator: "/")
            #expect(try read(parts[parts.count - 1], folder) == .file(file))
            #expect(file.path.utf8.allSatisfy { FileName.isPlain($0) || "/-.".utf8.contains($0) })
        }
    }

    @Test("Names come in any case")
    func upperCase() throws {
        let name = "\(Self.stem).seg".uppercased()
        let file = try #require(try file(name, "W/ANNA"))
        #expect(file.hash == Self.hash)
        #expect(!file.isConflictCopy)
        #expect(file.path == "W/ANNA/\(name)")
        #expect(file.properPath == "w/anna/\(Self.stem).seg")
    }

    static let conflictMarks = [
        ".sync-conflict-20260101-120000-ABCDEFG", " (conflicted copy 2026-01-01)",
        " (Anna's conflicted copy 2026-01-01)",
        " (Zoë Müller’s conflicted copy 2026-01-01 (1))", " (conflicted copy 2026-01-01 120000)", " (1)", " (2)", "(1)",
        "-LAPTOP-7F3K", "-annas-MacBook-Pro-2", "_conflict-20260101-120000",
        " (SFConflict anna@example.org 2026-01-01-12-00-00)",
        " - Copy", " - Kopie (2)", " copy", " copy 2", "~1", ".Conflict", " [conflict]", " (Case Conflict)",
    ]

    @Test("Conflict copies of every kind of transport are found", arguments: conflictMarks)
    func conflictCopies(_ mark: String) throws {
        let segment = try #require(try file("\(Self.stem)\(mark).seg"))
        #expect(segment.isConflictCopy)
        #expect(segment.sequence == 42)
        #expect(segment.hash == Self.hash)
        #expect(segment.path == "w/anna/\(Self.stem)\(mark).seg")
        #expect(try file("0000000001-\(Self.stem)\(mark).pack")?.isConflictCopy == true)
        #expect(try file("bob-\(Self.stem)\(mark).ck", "ckpt")?.isConflictCopy == true)
    }

    @Test(
        "So are those that have their mark behind the ending",
        arguments: ["~", ".bak", " (1)", ".orig", ".sync-conflict-1"]
    )
    func marksBehind(_ mark: String) throws {
        #expect(try file("\(Self.stem).seg\(mark)")?.isConflictCopy == true)
    }

    @Test("What a cloud drive has not fetched is a placeholder")
    func placeholders() throws {
        for name in [".\(Self.stem).seg.icloud", "\(Self.stem).seg.nextcloud", "\(Self.stem).seg.owncloud"] {
            #expect(try read(name) == .placeholder, "\(name)")
        }
        #expect(try read(".bob-\(Self.stem).ck.icloud", "ckpt") == .placeholder)
    }

    @Test(
        "All else is passed over",
        arguments: [
            "", ".", "seg", "\(stem)", "\(stem).", "\(stem).sag", "\(stem).pack", "\(stem).ck", "\(stem)0.seg",
            "0\(stem).ck",
            "42-\(hash).seg", "000000042-\(hash).seg", "00000000042-\(hash).seg", "0000000000-\(hash).seg",
            "99999999999999999-\(hash).seg", "0000000042-\(hash.dropLast()).seg", "0000000042_\(hash).seg",
            "0000000042-\(hash.dropLast())g.seg", "0000000042-0000000041-\(hash).pack", "0000000042-\(hash)",
            ".\(stem).seg.X8sK2a", ".\(stem).seg.swp", ".syncthing.\(stem).seg.tmp", "~syncthing~\(stem).seg.tmp",
            "\(stem).seg.tmp", "\(stem).seg.part", "\(stem).seg.partial", "\(stem).seg.crdownload",
            "\(stem).seg.filepart",
            ".nfs000000000001", ".DS_Store", "desktop.ini", "Thumbs.db", "._\(stem).seg", "Icon\r", "١٢-\(hash).seg",
        ]
    )
    func others(_ name: String) throws {
        #expect(try read(name) == .ignored)
    }

    @Test("Folders that a transport renamed are still the writers'")
    func folders() throws {
        let anna = try Sample.writer("anna")
        for name in ["anna", "ANNA", "anna (1)", "anna (conflicted copy 2026-01-01)", "anna~1"] {
            #expect(FileName.writer(ofFolder: name) == anna, "\(name)")
        }
        for name in ["", ".anna", "@eaDir", "anna-2", ".stversions", "$RECYCLE.BIN", "anna.old"] {
            #expect(FileName.writer(ofFolder: name) == nil, "\(name)")
        }
    }

    @Test("Any text can be read as a name")
    func property() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "0000000042", Self.hash, "-", ".", "seg", "pack", "ck", " (1)", "0", "é", "\u{0}", ".icloud", "~", "anna",
        ]
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...7, using: &random)
            let name = (0..<count).map { _ in pieces[Int.random(in: 0..<pieces.count, using: &random)] }.joined()
            for folder in ["w/anna", "ckpt"] {
                guard let file = try file(name, folder), !file.isConflictCopy else { continue }
                #expect(file.properPath == file.path, "seed \(seed): \(name)")
            }
            _ = FileName.writer(ofFolder: name)
            _ = Spaces.marker("satchel-" + name)
        }
    }
}
