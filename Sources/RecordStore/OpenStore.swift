package import SQLiteDatabase

/// The purposes for which a store is opened.
public enum StorePurpose: Sendable, Hashable {
    /// Reading; the file is not changed, and may lie where nothing can be written.
    case reading
    /// Reading and writing; where there is no store, the first writing makes one unless it must exist.
    case writing(mustExist: Bool)
    /// A store in memory, which is gone with the object: what a dry run of an import without a store writes to.
    case nothing
}

/// An open store file, which makes its tables at the first writing.
package final class OpenStore: Sendable {
    package var path: String { file.path }
    private let file: StoreFile
    private let queue: DatabaseQueue
    /// Tells that opening made the file.
    package let isNew: Bool

    /// Opens a store.
    package init(path: String, _ identity: StoreFile.Identity, for purpose: StorePurpose) throws(StoreError) {
        file = StoreFile(path: path, identity: identity)
        isNew = purpose == .writing(mustExist: false) && !StorePath.exists(path)
        switch purpose {
        case .reading: queue = try file.openForReading()
        case .writing(let mustExist): queue = try file.openForWriting(mustExist: mustExist)
        case .nothing: queue = try file.openInMemory()
        }
    }

    deinit { if isNew { file.removeIfUnused(queue) } }

    /// Reads, all from the same state of the store.
    package func read<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) { try queue.read(body) }
    }

    /// Reads with statements that write to temporary tables only.
    package func dryRun<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try StorePath.rethrowing(path) { try queue.writeWithoutTransaction(body) }
    }

    /// Changes the store in one transaction, which is given up where `body` throws.
    package func write<Result>(_ body: (Database) throws -> Result) throws -> Result {
        try change { (try body($0), isKept: true) }
    }

    /// Changes the store in one transaction, which is given up where `body` throws or says so.
    package func change<Result>(_ body: (Database) throws -> (Result, isKept: Bool)) throws -> Result {
        try StorePath.rethrowing(path) {
            try queue.writeWithoutTransaction { database in
                var result: Result?
                try database.inTransaction(.immediate) {
                    try file.makeTables(database)
                    let (value, isKept) = try body(database)
                    result = value
                    return isKept ? .commit : .rollback
                }
                guard let result else { throw StoreError(.inputOutput, "the transaction gave no result", path: path) }
                return result
            }
        }
    }

    /// Copies all of the store, as the last transaction left it, to a new file, which is on the disk with its name.
    package func copy(to target: String) throws(StoreError) {
        let temporary = "\(target).tmp"
        do throws(StoreError) {
            try StorePath.translating(path) {
                let copy = try DatabaseQueue(path: temporary)
                try file.openForReading().backup(to: copy)
                try copy.close()
                try DurableFile.rename(temporary, to: target)
            }
        } catch {
            StorePath.remove(temporary)
            throw error
        }
    }
}
