internal import FileSystem

/// What is done with names in the shared directory, with its errors.
enum FolderCalls {
    /// The names in a folder, without `.` and `..`, in no order; those that are no UTF-8 are counted only.
    static func names(in path: String) throws(DirectoryError) -> (names: [String], unreadable: Int) {
        try run { () throws(FileError) in try Files.names(in: path) }
    }

    /// Whether there is anything of that name, a link that leads nowhere included.
    static func exists(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.exists(path) }
    }

    /// Whether there is a folder of that name itself, and no link to one.
    static func isFolder(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try FileStatus(path, followsLinks: false)?.kind == .folder }
    }

    /// The size of a file; nil where there is none.
    static func size(of path: String) throws(DirectoryError) -> Int? {
        do throws(FileError) {
            return try FileStatus(path)?.size
        } catch {
            if error.isGone { return nil }
            throw DirectoryError(error)
        }
    }

    /// When a file was written last, in milliseconds since 1970; nil where it cannot be told.
    static func modified(_ path: String) -> Int? {
        (try? FileStatus(path, followsLinks: false)).map { $0.modified / 1_000_000 }
    }

    /// Makes an empty file, unless it is there.
    static func makeEmpty(_ path: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.makeEmpty(path) }
    }

    /// Makes a folder durably, unless it is there; whether others may write to it is for the user's umask to say.
    static func makeFolder(_ path: String) throws(DirectoryError) {
        _ = try run { () throws(FileError) in try Files.makeFolder(path) }
    }

    /// Gives a file its name unless there is one of that name.
    ///
    /// - Returns: Whether it has the name now; where not, it has its old one.
    static func name(_ old: String, as new: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.name(old, as: new) }
    }

    /// Gives a file a name that another may have had.
    static func replace(_ new: String, with old: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.rename(old, to: new) }
    }

    /// Removes a file; gives whether there was one.
    @discardableResult
    static func remove(_ path: String) throws(DirectoryError) -> Bool {
        try run { () throws(FileError) in try Files.remove(path) }
    }

    /// Forces the names in the folder of a file to the disk.
    static func force(folderOf path: String) throws(DirectoryError) {
        try run { () throws(FileError) in try Files.force(folderOf: path) }
    }

    /// Calls the system, and says what that means for the shared directory.
    static func run<Result>(_ call: () throws(FileError) -> Result) throws(DirectoryError) -> Result {
        do throws(FileError) {
            return try call()
        } catch {
            throw DirectoryError(error)
        }
    }
}
