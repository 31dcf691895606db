internal import FileSystem
internal import SQLiteDatabase

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Functions of all stores for the path of their file.
package enum StorePath {
    /// Returns whether something exists at a path.
    package static func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Returns the target of a symbolic link; other paths unchanged.
    package static func resolved(_ path: String) -> String {
        guard (try? FileStatus(path, followsLinks: false))?.kind == .link else { return path }
        return Files.resolve(path) ?? path
    }

    /// Removes a file, if it is there.
    package static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Returns the first bytes of a file; none where it cannot be read.
    package static func head(of path: String, count: Int) -> [UInt8] {
        (try? OpenFile(reading: path).bytes(atMost: count)) ?? []
    }

    /// Returns the size of a file; nil where there is none.
    ///
    /// - Throws: `store.cannot-open` for what is no file, and where a folder on the way may not be entered: the store may
    ///   be there all the same.
    package static func size(of path: String) throws(StoreError) -> Int? {
        let found: FileStatus?
        do throws(FileError) {
            found = try FileStatus(path)
        } catch {
            let message = "the file cannot be looked at in the folder \(closedFolder(of: path)): \(error.reason)"
            throw StoreError(.cannotOpen, message, path: path)
        }
        guard let status = found else { return nil }
        switch status.kind {
        case .file: return status.size
        case .folder: throw StoreError(.cannotOpen, "it is a folder", path: path)
        default: throw StoreError(.cannotOpen, "it is no ordinary file", path: path)
        }
    }

    /// Returns the folder on the way to a file that may not be entered: the deepest one that can be looked at.
    private static func closedFolder(of path: String) -> String {
        var folder = Files.folder(of: path)
        while folder != "/", folder != ".", (try? FileStatus(folder)) == nil { folder = Files.folder(of: folder) }
        return folder
    }

    /// Tells whether there is a file that may not be read.
    ///
    /// The file is not opened for that: closing it would end the locks of this process.
    static func isUnreadable(_ path: String) -> Bool {
        exists(path) && !FileManager.default.isReadableFile(atPath: path)
    }

    /// Runs a body and throws SQLite's errors as ``StoreError``, all others unchanged.
    package static func rethrowing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        } catch let row as UnreadableRow {
            throw row.error
        }
    }

    /// Runs a body and throws every error as a ``StoreError``.
    package static func translating<Result>(_ path: String, _ body: () throws -> Result) throws(StoreError) -> Result {
        do {
            return try body()
        } catch let error as StoreError {
            throw error
        } catch let error as DatabaseError {
            throw StoreError(error, path: path)
        } catch {
            throw StoreError(.inputOutput, "\(error)", path: path)
        }
    }
}
