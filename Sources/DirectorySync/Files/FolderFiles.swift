internal import FileSystem

/// The files of a shared folder, by the paths that docs/sync.md gives them, however they are stored.
///
/// All that lists, reads and writes files of the folder goes through here. Merging and replicas do not know whether
/// the folder is encrypted.
protocol FolderFiles: Sendable {
    /// True if the files are encrypted.
    var isSealed: Bool { get }
    /// The errors of stored files of which it cannot be told what they are, as of the last ``refresh()``.
    var problems: [DirectoryError] { get }
    /// The placeholders of stored files that cloud drives did not fetch, of which it cannot be told what they are.
    var placeholders: [String] { get }

    /// Looks anew which files there are; for a folder whose names say that, it does nothing.
    func refresh() throws(DirectoryError)
    /// The number of stored files that do not count, as their key was replaced before anybody knew of them.
    var closedCount: Int { get }
    /// Writes again what this device has read and nobody counts any more, as its key was replaced.
    ///
    /// - Parameter isKnown: Returns whether this device has read all that the file of a path holds.
    func bringForward(_ isKnown: (String) throws -> Bool) rethrows
    /// The files where they are encrypted; nil for a plain folder.
    var sealed: SealedFiles? { get }

    /// Returns what is wrong with the files of the folder's keys.
    func keyFaults() throws(DirectoryError) -> [DirectoryError]
    /// Writes files of keys again that are lost or damaged, as far as this device can.
    ///
    /// - Parameter isPreview: Whether nothing is written.
    /// - Returns: Sentences about what was done, or would be.
    func repairKeys(isPreview: Bool) throws(DirectoryError) -> [String]

    /// Returns the names in a folder, "" for the shared folder itself; it only counts those that are not UTF-8.
    func names(in folder: String) throws(DirectoryError) -> (names: [String], unreadable: Int)
    /// Returns whether a file exists.
    func exists(_ path: String) throws(DirectoryError) -> Bool
    /// Returns whether a folder has that name, not a link to one.
    func isFolder(_ path: String) throws(DirectoryError) -> Bool
    /// Makes a folder durably, unless it exists.
    func makeFolder(_ path: String) throws(DirectoryError)
    /// Checks that a folder takes files, and writes nothing.
    func checkWritable(_ folder: String) throws(DirectoryError)
    /// Returns the size of a file; nil where there is none.
    func size(of path: String) throws(DirectoryError) -> Int?
    /// Returns the time of a file's last write, in milliseconds since 1970; nil where it is unknown.
    func modified(_ path: String) -> Int?
    /// Returns a fingerprint of a stored file; nil where there is none.
    func fingerprint(_ path: String) -> FileFingerprint?
    /// Returns the path under which a file is stored, for messages.
    func stored(_ path: String) -> String
    /// Opens a file for reading.
    func open(_ path: String) throws(DirectoryError) -> SharedFile
    /// Removes a file; returns whether it existed.
    @discardableResult
    func remove(_ path: String) throws(DirectoryError) -> Bool
    /// Makes an empty file, unless it exists; it need not be durable.
    func makeEmpty(_ path: String) throws(DirectoryError)

    /// Returns the beginning of the names of an owner's unfinished files.
    func unfinishedPrefix(of owner: String) -> String
    /// Makes an unfinished file.
    func create(by owner: String) throws(DirectoryError) -> SharedFile
    /// Ends the content of an unfinished file, which can be read back then.
    func complete(_ file: SharedFile, as path: String) throws(DirectoryError)
    /// Forces a complete file to the disk and gives it its path, unless a good file has it.
    ///
    /// - Returns: Whether it was needed.
    func commit(
        _ file: SharedFile,
        as path: String,
        _ isGood: (String) throws(DirectoryError) -> Bool
    ) throws(DirectoryError) -> Bool
}

extension FolderFiles {
    func keyFaults() throws(DirectoryError) -> [DirectoryError] { [] }
    func repairKeys(isPreview: Bool) throws(DirectoryError) -> [String] { [] }
}

/// Files stored under their own paths, as they are.
struct PlainFiles: FolderFiles {
    /// The path of the shared folder.
    let root: String

    var isSealed: Bool { false }
    var sealed: SealedFiles? { nil }
    var problems: [DirectoryError] { [] }
    var placeholders: [String] { [] }

    func refresh() {}
    var closedCount: Int { 0 }
    func bringForward(_ isKnown: (String) throws -> Bool) {}

    func absolute(_ path: String) -> String { root.hasSuffix("/") ? root + path : "\(root)/\(path)" }

    func names(in folder: String) throws(DirectoryError) -> (names: [String], unreadable: Int) {
        try FolderCalls.names(in: folder.isEmpty ? root : absolute(folder))
    }

    func exists(_ path: String) throws(DirectoryError) -> Bool { try FolderCalls.exists(absolute(path)) }
    func isFolder(_ path: String) throws(DirectoryError) -> Bool { try FolderCalls.isFolder(absolute(path)) }
    func makeFolder(_ path: String) throws(DirectoryError) { try FolderCalls.makeFolder(absolute(path)) }
    func checkWritable(_ folder: String) throws(DirectoryError) {
        try FolderCalls.checkWritable(folder.isEmpty ? root : absolute(folder))
    }
    func size(of path: String) throws(DirectoryError) -> Int? { try FolderCalls.size(of: absolute(path)) }
    func modified(_ path: String) -> Int? { FolderCalls.modified(absolute(path)) }
    func fingerprint(_ path: String) -> FileFingerprint? { FileFingerprint(absolute(path)) }
    func stored(_ path: String) -> String { path }
    func open(_ path: String) throws(DirectoryError) -> SharedFile { try SharedFile(reading: absolute(path)) }
    func remove(_ path: String) throws(DirectoryError) -> Bool { try FolderCalls.remove(absolute(path)) }
    func makeEmpty(_ path: String) throws(DirectoryError) { try FolderCalls.makeEmpty(absolute(path)) }
    func unfinishedPrefix(of owner: String) -> String { "\(owner)." }

    func create(by owner: String) throws(DirectoryError) -> SharedFile {
        let name = "\(owner).\(UInt64.random(in: 0 ... .max))"
        return try SharedFile(creating: absolute("\(FileName.unfinished)/\(name)"))
    }

    func complete(_ file: SharedFile, as path: String) {}

    func commit(
        _ file: SharedFile,
        as path: String,
        _ isGood: (String) throws(DirectoryError) -> Bool
    ) throws(DirectoryError) -> Bool {
        try file.finish()
        let place = absolute(path)
        var isNew = try FolderCalls.name(file.path, as: place)
        if !isNew, try !isComplete(path, isGood) {
            // This file has the content of its name; a transport truncated the other one.
            try FolderCalls.replace(place, with: file.path)
            isNew = true
        }
        if !isNew { try FolderCalls.remove(file.path) }
        try FolderCalls.force(folderOf: place)
        return isNew
    }
}

/// Returns whether an existing file is complete; throws only where the system cannot read it.
func isComplete(
    _ path: String,
    _ isGood: (String) throws(DirectoryError) -> Bool
) throws(DirectoryError) -> Bool {
    do throws(DirectoryError) {
        return try isGood(path)
    } catch {
        guard error.code != .inputOutput || error.errno == nil else { throw error }
        return false
    }
}
