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
    package static func size(of path: String) throws(StoreError) -> Int? {
        guard let status = try? FileStatus(path) else { return nil }
        switch status.kind {
        case .file: return status.size
        case .folder: throw StoreError(.cannotOpen, "it is a folder", path: path)
        default: throw StoreError(.cannotOpen, "it is no ordinary file", path: path)
        }
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
