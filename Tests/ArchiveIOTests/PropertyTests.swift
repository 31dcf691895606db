import ArchiveIO
import StrictJSON
import TestSupport
import Testing

/// A damaged backup is refused or gives the very data that it was made of.
@Suite struct PropertyTests {
    static let payload = utf8(
        #"{"schema_version":2,"exported_at":"2026-01-07T21:30:00+01:00","tasks":[{"id":"1","title":"Übung"}]}"#
    )

    private func backup(_ packing: ArchivePacking) throws -> [UInt8] {
        let manifest = BackupManifest(format: .slatebackup, createdAt: "2026-01-07T21:30:00+01:00", generator: "test")
        let file = BackupFile(
            "Slate-20260107.json",
            content: .bytes(Self.payload),
            counts: [.init(table: "tasks", records: 1)]
        )
        return try BackupArchive.bytes([file], manifest: manifest, packing: packing)
    }

    /// Whether bytes are refused, or are a backup with the same manifest and data.
    ///
    /// What is no longer seen as an archive, or as a compressed file of something else, has to be refused by the parser.
    private func isSafe(_ bytes: [UInt8], _ manifest: BackupManifest) -> Bool {
        guard let found = try? JSONContainer(.bytes(bytes)) else { return true }
        guard case .backup(let read, let path, _) = found.origin else {
            return (try? JSONDocument(parsing: found.bytes)) == nil
        }
        return read == manifest && path == "Slate-20260107.json" && found.bytes == Self.payload
    }

    private func manifest(_ bytes: [UInt8]) throws -> BackupManifest {
        try BackupArchive(.bytes(bytes), as: [.slatebackup]).manifest
    }

    @Test(arguments: ArchivePacking.allCases) func truncation(_ packing: ArchivePacking) throws {
        let bytes = try backup(packing)
        for count in 0..<bytes.count {
            let cut = Array(bytes[..<count])
            #expect(code { _ = try BackupArchive(.bytes(cut), as: [.slatebackup]) } != nil, "cut to \(count)")
        }
    }

    @Test(arguments: ArchivePacking.allCases) func flippedBits(_ packing: ArchivePacking) throws {
        let bytes = try backup(packing)
        let manifest = try manifest(bytes)
        var refused = 0
        for index in bytes.indices {
            for bit in 0..<8 {
                var damaged = bytes
                damaged[index] ^= 1 << bit
                if code({ _ = try BackupArchive(.bytes(damaged), as: [.slatebackup]) }) != nil { refused += 1 }
                let safe = isSafe(damaged, manifest)
                #expect(safe, "bit \(bit) of byte \(index)")
            }
        }
        #expect(refused > bytes.count * 8 * 3 / 4)
    }

    /// Bytes set, removed, doubled and moved at random.
    @Test(arguments: ArchivePacking.allCases) func mutations(_ packing: ArchivePacking) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var random = SeededGenerator(seed: seed)
        let bytes = try backup(packing)
        let manifest = try manifest(bytes)
        for round in 0..<1500 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let start = Int.random(in: 0..<damaged.count, using: &random)
                let end = min(damaged.count, start + Int.random(in: 1...40, using: &random))
                switch Int.random(in: 0..<4, using: &random) {
                case 0: damaged[start] = UInt8.random(in: 0...255, using: &random)
                case 1: damaged.insert(contentsOf: damaged[start..<end], at: start)
                case 2: damaged.replaceSubrange(start..<end, with: repeatElement(0, count: end - start))
                default: if damaged.count > 100 { damaged.removeSubrange(start..<end) }
                }
            }
            let safe = isSafe(damaged, manifest)
            if !safe {
                let found = try JSONContainer(.bytes(damaged))
                Issue.record("seed \(seed), round \(round): \(found.bytes.count) bytes, \(found.origin)")
            }
        }
    }
}
