internal import FileSystem

/// Works with names in the shared directory, and throws its errors.
enum FolderCalls {
    /// Returns the names in a folder without `.` and `..`, in no order; it only counts those that are not UTF-8.
    static func names(in path: String) throws(DirectoryError) -> (names: [String], unreadable: Int) {
        try run { () throws(FileError) in try Files.names(in: path) }
    }

    /// Returns whether a name exists, even as a link that leads nowhere.
    static func exists(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.exists(path) }
    }

    /// Returns whether a folder has that name, not a link to one.
    static func isFolder(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try FileStatus(path, followsLinks: false)?.kind == .folder }
    }

    /// Returns the size of a file; nil where there is none.
    static func size(of path: String) throws(DirectoryError) -> Int? {
        do throws(FileError) {
            return try FileStatus(path)?.size
        } catch {
            if error.isGone { return nil }
            throw DirectoryError(error)
        }
    }

    /// Returns the time of a file's last write, in milliseconds since 1970; nil where it is unknown.
    static func modified(_ path: String) -> Int? {
        (try? FileStatus(path, followsLinks: false)).map { $0.modified / 1_000_000 }
    }

    /// Makes an empty file, unless it exists.
    static func makeEmpty(_ path: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.makeEmpty(path) }
    }

    /// Makes a folder durably, unless it exists; the user's umask decides who may write to it.
    static func makeFolder(_ path: String) throws(DirectoryError) {
        _ = try run { () throws(FileError) in try Files.makeFolder(path) }
    }

    /// Checks that a folder takes files, and writes nothing.
    static func checkWritable(_ path: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.checkWritable(path) }
    }

    /// Renames a file, unless another file has the new name.
    ///
    /// - Returns: Whether it has the new name; else it keeps its old one.
    static func name(_ old: String, as new: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.name(old, as: new) }
    }

    /// Renames a file in place of another one.
    static func replace(_ new: String, with old: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.rename(old, to: new) }
    }

    /// Removes a file; returns whether it existed.
    @discardableResult
    static func remove(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.remove(path) }
    }

    /// Forces the names in the folder of a file to the disk.
    static func force(folderOf path: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.force(folderOf: path) }
    }

    /// Calls the system, and throws its errors as the shared directory's.
    static func run<Result>(_ call: () throws(FileError) -> Result) throws(DirectoryError) -> Result {
        do throws(FileError) {
            return try call()
        } catch {
            throw DirectoryError(error)
        }
    }
}
