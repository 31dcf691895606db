import CivilTime
@testable import RecordStore
@testable import Slate
import Foundation
import SQLiteDatabase
import TestSupport
import Testing

/// A file system of a given size, for what happens where it is full.
final class SmallDisk {
    let folder: URL

    /// - Throws: Where this system or user cannot mount one.
    init(kilobytes: Int) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "satchel-disk-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        guard Self.run("/usr/bin/mount", ["-t", "tmpfs", "-o", "size=\(kilobytes)k", "tmpfs", folder.path]) else {
            try? FileManager.default.removeItem(at: folder)
            throw CocoaError(.featureUnsupported)
        }
    }

    deinit {
        _ = Self.run("/usr/bin/umount", [folder.path])
        try? FileManager.default.removeItem(at: folder)
    }

    private static func run(_ program: String, _ arguments: [String]) -> Bool {
        #if os(Linux)
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        #else
            return false
        #endif
    }

    static let isAvailable = (try? SmallDisk(kilobytes: 64)) != nil

    /// Fills what is left but for some bytes.
    func fill(leaving bytes: Int) throws {
        let path = folder.appending(path: "filling").path
        empty()
        let free = try FileManager.default.attributesOfFileSystem(forPath: folder.path)[.systemFreeSize] as? NSNumber
        let size = max(0, (free?.intValue ?? 0) - bytes)
        try Data(count: size).write(to: URL(filePath: path))
    }

    /// A program that another test started meanwhile may hold the file open: cut first, it takes no room even so.
    func empty() {
        let path = folder.appending(path: "filling").path
        _ = truncate(path, 0)
        try? FileManager.default.removeItem(atPath: path)
    }
}

@Suite(
    "A full disk",
    .enabled(if: SmallDisk.isAvailable, "this machine lacks the right to mount a small disk"),
    .serialized
)
struct SlateDiskFullTests {
    let disk: SmallDisk
    let path: String

    init() throws {
        disk = try SmallDisk(kilobytes: 16_384)
        path = disk.folder.appending(path: "slate.db").path
    }

    private func content(_ count: Int) throws -> SlateContent {
        try SlateContent.made([.tasks: (0..<count).map { SlateRow.task("task-\($0)-of-\(count)") }])
    }

    private func exported() throws -> [UInt8] { try SlateDatabase(path: path, for: .reading).exported() }

    private func names() throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: disk.folder.path).filter { $0 != "filling" }.sorted()
    }

    /// Wherever the room ends, in the copy, the journal or the database, it is as before, or all is done.
    @Test func anImport() throws {
        let database = try SlateDatabase(path: path, for: .writing(mustExist: false, upgrading: true))
        _ = try database.importing(try content(800), .test(.replace))
        let before = try exported()
        let new = try content(1500)
        var failures = 0
        for kilobytes in stride(from: 0, through: 1600, by: 64) {
            try disk.fill(leaving: kilobytes * 1024)
            let names = try names()
            let writer = try SlateDatabase(path: path, for: .writing(mustExist: true, upgrading: true))
            let error = try storeError { _ = try writer.importing(new, .test(.replace, second: kilobytes)) }
            guard error != nil else {
                #expect(try exported() == new.encoded())
                disk.empty()
                _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_009_000))
                continue
            }
            failures += 1
            #expect(error?.code == .inputOutput || error?.code == .cannotOpen, "\(error?.description ?? "")")
            #expect(try exported() == before)
            // No copy is left of an import that was not done.
            let left = try self.names().filter { !names.contains($0) }
            #expect(left.filter { $0 != "slate.db.safety" } == [], "\(kilobytes)")
        }
        #expect(failures > 3)
        disk.empty()
        _ = try SlateDatabase(path: path, for: .writing(mustExist: true, upgrading: true))
            .importing(new, .test(.replace, second: 9_999))
        #expect(try exported() == new.encoded())
        _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_010_000))
        #expect(try exported() == before)
    }

    /// A dry run names its copy, not the database, which lies on another disk.
    @Test func aDryRun() throws {
        let sandbox = try Sandbox()
        try sandbox.database(holding: try content(800))
        try disk.fill(leaving: 32 * 1024)
        let new = try content(900)
        let error = try storeError {
            _ = try SlateDatabase.dryRun(sandbox.path("slate.db"), at: path, new, .test(.replace))
        }
        #expect(error?.code == .inputOutput && error?.path == path, "\(error?.description ?? "")")
    }

    @Test func anUndo() throws {
        let writing = SlateDatabase.Purpose.writing(mustExist: false, upgrading: true)
        _ = try SlateDatabase(path: path, for: writing).importing(try content(1500), .test(.replace))
        let old = try exported()
        _ = try SlateDatabase(path: path, for: writing).importing(try content(200), .test(.replace, second: 1))
        // The database is as small as its content.
        try DatabaseQueue(path: path).writeWithoutTransaction { try $0.execute(sql: "VACUUM") }
        let before = try exported()
        var failures = 0
        for kilobytes in stride(from: 0, through: 1600, by: 64) {
            try disk.fill(leaving: kilobytes * 1024)
            let error = try storeError {
                _ = try SlateSafetyBackups.undo(path, moment: Timestamp(seconds: 1_800_000_100 + kilobytes))
            }
            guard error != nil else { break }
            failures += 1
            #expect(error?.code == .inputOutput || error?.code == .cannotOpen, "\(error?.description ?? "")")
            #expect(try exported() == before)
        }
        #expect(failures > 3)
        #expect(try exported() == old)
    }
}
