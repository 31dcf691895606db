internal import Foundation
internal import GRDB

/// Opens an SQLite file as a store: with checks before anything is written, and clear errors.
///
/// The journal is SQLite's rollback journal with `synchronous = EXTRA`: a commit is on the disk, journal and folder
/// included, when it returns, and a store is one file that can be copied. A writer that was interrupted leaves a journal
/// from which the next opening restores the state before.
struct StoreFile: Sendable {
    /// What a kind of store is recognised by.
    struct Identity: Sendable {
        let name: String
        let applicationID: Int
        let version: Int
        let migrator: DatabaseMigrator
    }

    let path: String
    let identity: Identity

    /// Opens for reading only.
    func openForReading() throws(StoreError) -> DatabaseQueue {
        guard try size() ?? 0 > 0 else { throw notFound }
        do {
            return try open(readOnly: true)
        } catch  where error.code == .readOnly || error.code == .cannotOpen {
            // An interrupted writer left a journal, which only a writer can roll back.
            _ = try open(readOnly: false)
            return try open(readOnly: true)
        }
    }

    /// Opens for writing; makes the tables where the file is new.
    func openForWriting(mustExist: Bool) throws(StoreError) -> DatabaseQueue {
        let size = try size()
        guard !mustExist || size ?? 0 > 0 else { throw notFound }
        let queue = try open(readOnly: false)
        try translating { try identity.migrator.migrate(queue) }
        return queue
    }

    private var notFound: StoreError {
        StoreError(.notFound, "there is no \(identity.name) at this path; make one with init or import", path: path)
    }

    /// The size of the file, nil where there is none.
    private func size() throws(StoreError) -> Int? {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
        guard !isFolder.boolValue else { throw StoreError(.cannotOpen, "it is a folder", path: path) }
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            attributes[.type] as? FileAttributeType == .typeRegular
                || attributes[.type] as? FileAttributeType == .typeSymbolicLink
        else { throw StoreError(.cannotOpen, "it is no ordinary file", path: path) }
        return (attributes[.size] as? NSNumber)?.intValue
    }

    private func open(readOnly: Bool) throws(StoreError) -> DatabaseQueue {
        var configuration = Configuration()
        configuration.readonly = readOnly
        configuration.busyMode = .timeout(10)
        configuration.label = identity.name
        if !readOnly {
            configuration.prepareDatabase { database in
                try database.execute(sql: "PRAGMA synchronous = EXTRA; PRAGMA fullfsync = ON")
            }
        }
        return try translating {
            let queue = try DatabaseQueue(path: path, configuration: configuration)
            try queue.read { try check($0) }
            return queue
        }
    }

    /// Refuses what is no store of this kind and version, before anything is written.
    private func check(_ database: Database) throws {
        let application = try Int.fetchOne(database, sql: "PRAGMA application_id") ?? 0
        let version = try Int.fetchOne(database, sql: "PRAGMA user_version") ?? 0
        let tables = try Int.fetchOne(database, sql: "SELECT count(*) FROM sqlite_master") ?? 0
        if application == 0, version == 0, tables == 0 { return }
        guard application == identity.applicationID else {
            throw StoreError(.foreign, "the file is a database of another program, not a \(identity.name)", path: path)
        }
        guard version <= identity.version else {
            throw StoreError(
                .newerVersion,
                "the store has version \(version) and this program knows versions up to \(identity.version); "
                    + "use a newer program",
                path: path
            )
        }
    }

    /// Runs what may throw SQLite's errors, and throws ours.
    func translating<Result>(_ body: () throws -> Result) throws(StoreError) -> Result {
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
