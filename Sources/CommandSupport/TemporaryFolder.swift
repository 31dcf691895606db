internal import FileSystem
internal import Synchronization
#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif
internal import SystemPackage

/// A folder of the command's own, which goes with it.
///
/// It may hold what is encrypted elsewhere. So it also goes where SIGINT, SIGTERM or SIGHUP ends the program, and where
/// SIGKILL or a crash left it, the next program removes it.
package final class TemporaryFolder {
    /// The folder for temporary files: `$TMPDIR`, else `/tmp`.
    package static var root: String { FileManager.default.temporaryDirectory.path }

    private static let prefix = "satchel-trial-"

    /// The folder.
    package let path: String
    /// Locked while the folder is in use.
    private let handle: OpenFile?

    /// Makes a folder that only this person may read.
    ///
    /// - Throws: 73 where it cannot be made.
    package init() throws(CommandFailure) {
        Self.removeLeftovers()
        let name = UUID().uuidString
        path = "\(Self.root)/\(Self.prefix)\(name)"
        // It gets its name once it is locked, so that nobody takes it for a leftover.
        let unlocked = "\(Self.root)/.\(Self.prefix)\(name)"
        RemovalAtSignal.add([path, unlocked])
        do {
            try FileManager.default.createDirectory(
                atPath: unlocked,
                withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700]
            )
            handle = try? OpenFile(reading: unlocked)
            _ = try? handle?.lock(waits: false)
            try FileManager.default.moveItem(atPath: unlocked, toPath: path)
        } catch {
            throw CommandFailure(.cannotCreate, "cannot create a folder in \(Self.root), which TMPDIR names")
        }
    }

    /// Returns the path of a new database in the folder.
    package func database(_ name: String) -> String {
        let path = "\(path)/\(name)"
        RemovalAtSignal.add(["", "-wal", "-shm", "-journal"].map { path + $0 })
        return path
    }

    private static func removeLeftovers() {
        for name in (try? Files.names(in: root).names) ?? [] where name.hasPrefix(prefix) {
            let path = "\(root)/\(name)"
            var status = stat()
            guard UUID(uuidString: String(name.dropFirst(prefix.count))) != nil,
                let file = try? OpenFile(reading: path, followsLinks: false),
                fstat(file.descriptor.rawValue, &status) == 0, status.st_uid == geteuid(),
                (try? file.lock(waits: false)) == true
            else { continue }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

/// The files that a signal removes before it ends the program.
private enum RemovalAtSignal {
    private struct Entry {
        let path: UnsafeMutablePointer<CChar>?
        let next: UnsafeMutablePointer<Entry>?
    }

    /// The address of the entry that was added last; a handler can take no lock, so entries stay.
    private static let last = Atomic<UInt>(0)

    /// Adds files, and folders that are empty once the files that are added later are gone.
    static func add(_ paths: [String]) {
        for path in paths {
            let entry = UnsafeMutablePointer<Entry>.allocate(capacity: 1)
            var (isAdded, next) = (false, last.load(ordering: .acquiring))
            while !isAdded {
                entry.initialize(to: Entry(path: strdup(path), next: UnsafeMutablePointer(bitPattern: next)))
                (isAdded, next) = last.compareExchange(
                    expected: next,
                    desired: UInt(bitPattern: entry),
                    ordering: .acquiringAndReleasing
                )
            }
        }
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number, handler)
            // A program that ignores or takes a signal goes on doing so.
            if unsafeBitCast(before, to: UInt.self) != unsafeBitCast(SIG_DFL, to: UInt.self) { signal(number, before) }
        }
    }

    private static let handler: @convention(c) (Int32) -> Void = { number in
        var entry = UnsafeMutablePointer<Entry>(bitPattern: last.load(ordering: .acquiring))
        while let found = entry {
            if let path = found.pointee.path { _ = unlink(path) == 0 || rmdir(path) == 0 }
            entry = found.pointee.next
        }
        signal(number, SIG_DFL)
        raise(number)
    }
}
