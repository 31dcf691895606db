internal import SystemPackage

/// Operations on names.
///
/// Each change is on the disk when its function returns, unless the function says otherwise.
package enum Files {
    // MARK: Looking

    /// Tells whether anything exists at the path, a broken symbolic link included.
    package static func exists(_ path: String) throws(FileError) -> Bool {
        try FileStatus(path, followsLinks: false) != nil
    }

    /// Tells whether the path is a folder, or a link to one.
    package static func isFolder(_ path: String) -> Bool { (try? FileStatus(path))?.kind == .folder }

    /// Returns the names in a folder, without `.` and `..` and in no order; names that are not UTF-8 are only counted.
    package static func names(in folder: String) throws(FileError) -> (names: [String], unreadable: Int) {
        var names: [String] = []
        var unreadable = 0
        do throws(Errno) {
            try Platform.forEachName(in: folder) { name in
                if let name { names.append(name) } else { unreadable += 1 }
            }
        } catch {
            throw FileError(.list, folder, error)
        }
        return (names, unreadable)
    }

    /// Returns the path with all symbolic links resolved; nil if nothing is there.
    package static func resolve(_ path: String) -> String? { Platform.resolve(path) }

    /// Returns the folder that contains the path.
    package static func folder(of path: String) -> String {
        let cut = lastSlash(path[...])
        return cut.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
    }

    /// Returns the folder of a file with a slash at its end, so that a name can follow; empty for the current folder.
    package static func folderPrefix(of path: String) -> String {
        lastSlash(path[...]).map { String(path[..<path.utf8.index(after: $0)]) } ?? ""
    }

    /// Returns the name of a file without its folder.
    package static func name(of path: String) -> String {
        lastSlash(path[...]).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    /// Returns the folders that a path leads through, the deepest first, without the root.
    package static func foldersAbove(_ path: String) -> [String] {
        var folders: [String] = []
        var rest = path[...]
        while let cut = lastSlash(rest), cut > rest.startIndex {
            rest = rest[..<cut]
            folders.append(String(rest))
        }
        return folders
    }

    /// Returns where the last slash stands, also one that is one character with an accent after it.
    private static func lastSlash(_ path: Substring) -> String.Index? { path.utf8.lastIndex(of: UInt8(ascii: "/")) }

    // MARK: Folders

    /// Makes a folder, unless it is there.
    ///
    /// - Parameter mode: Who may use it, as far as the user's umask lets them.
    /// - Returns: Whether it was made.
    @discardableResult
    package static func makeFolder(_ path: String, mode: UInt16 = 0o777) throws(FileError) -> Bool {
        do throws(Errno) {
            try Platform.makeFolder(path, mode: .init(mode))
        } catch {
            guard error == .fileExists else { throw FileError(.makeFolder, path, error) }
            return false
        }
        try force(folderOf: path)
        return true
    }

    /// Makes a folder that only this user may use, under a name that nothing has.
    ///
    /// - Returns: Its path; nil where none can be made.
    package static func makeTemporaryFolder(in parent: String) -> String? {
        Platform.makeTemporaryFolder("\(parent)/satchel-XXXXXX")
    }

    /// The number of this process.
    package static var process: Int32 { Platform.process }

    /// Removes a folder that is empty.
    ///
    /// - Returns: False where it stays.
    @discardableResult
    package static func removeFolder(_ path: String) -> Bool { (try? Platform.removeFolder(path)) != nil }

    /// Forces the names in the folder of a file to the disk.
    package static func force(folderOf path: String) throws(FileError) { try force(folder: folder(of: path)) }

    /// Forces the names in a folder to the disk, on file systems that can do so.
    package static func force(folder: String) throws(FileError) {
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(folder, .readOnly, options: [.directory, .closeOnExec])
        } catch {
            let error = error as? Errno ?? .ioError
            // Whoever may write to a folder need not be allowed to list it.
            if error == .permissionDenied { return }
            throw FileError(.forceFolder, folder, error)
        }
        defer { try? descriptor.close() }
        do throws(Errno) {
            try Platform.force(descriptor)
        } catch {
            guard [.invalidArgument, .notSupported, .notSupportedOnSocket, .noFunction].contains(error) else {
                throw FileError(.forceFolder, folder, error)
            }
        }
    }

    // MARK: Names

    /// Gives a file its name unless there is one of that name; the folder is still to be forced to the disk.
    ///
    /// - Returns: Whether it has the name now; where not, it has its old one.
    package static func name(_ old: String, as new: String) throws(FileError) -> Bool {
        do throws(Errno) {
            try Platform.addName(new, to: old)
            try? Platform.removeFile(old)
            return true
        } catch {
            if error == .fileExists { return false }
        }
        // Many file systems have no links, and say so in many ways: rclone calls it an input/output error. Where it is
        // another fault, renaming meets it as well.
        if try exists(new) { return false }
        try rename(old, to: new)
        return true
    }

    /// Gives a file a name that another may have had; the folder is still to be forced to the disk.
    package static func rename(_ old: String, to new: String) throws(FileError) {
        do throws(Errno) {
            try Platform.rename(old, to: new)
        } catch {
            throw FileError(.rename, new, error)
        }
    }

    /// Forces a file to the disk and gives it a name that another may have had.
    package static func replace(_ new: String, with old: String) throws(FileError) {
        let file = try OpenFile(reading: old)
        try file.force()
        try rename(old, to: new)
        try force(folderOf: new)
    }

    /// Removes a file; the folder is still to be forced to the disk.
    ///
    /// - Returns: Whether there was one.
    @discardableResult
    package static func remove(_ path: String) throws(FileError) -> Bool {
        do throws(Errno) {
            try Platform.removeFile(path)
            return true
        } catch {
            guard error == .noSuchFileOrDirectory || error == .staleNFSFileHandle else {
                throw FileError(.remove, path, error)
            }
            return false
        }
    }

    /// Checks that a folder takes files, and writes nothing.
    package static func checkWritable(_ folder: String) throws(FileError) {
        do {
            try Platform.checkWritable(folder)
        } catch {
            throw FileError(.makeFolder, folder, error)
        }
    }

    // MARK: Contents

    /// Makes an empty file, unless it is there.
    ///
    /// - Parameter mode: Who may use a new one, as far as the user's umask lets them.
    package static func makeEmpty(_ path: String, mode: UInt16 = 0o666) throws(FileError) {
        do {
            let options: FileDescriptor.OpenOptions = [.create, .closeOnExec, .noFollow]
            let descriptor = try FileDescriptor.open(
                path,
                .writeOnly,
                options: options,
                permissions: FilePermissions(rawValue: CModeT(mode))
            )
            try descriptor.close()
        } catch {
            throw FileError(.create, path, error as? Errno ?? .ioError)
        }
    }

    /// Copies the bytes of an ordinary file to a new one, which is not forced to the disk.
    ///
    /// - Parameter mode: Who may use it, as far as the user's umask lets them.
    package static func copy(_ path: String, to copy: String, mode: UInt16 = 0o644) throws(FileError) {
        try OpenFile(reading: path).copy(to: copy, mode: mode)
    }
}

extension Files {
    /// Adds bytes to the end of a file, which is made where there is none; they are not forced to the disk.
    ///
    /// - Parameter mode: Who may use a new file.
    package static func append(_ bytes: [UInt8], to path: String, mode: UInt16) throws(FileError) {
        let options: FileDescriptor.OpenOptions = [.create, .append, .closeOnExec, .noFollow]
        let file = try OpenFile(path, .create, .writeOnly, options, mode)
        try file.write(bytes)
        try file.close()
    }

    /// Writes a file in place of another one, in one step; it is not forced to the disk.
    ///
    /// - Parameter mode: Who may use the file.
    package static func replace(_ path: String, withContent bytes: [UInt8], mode: UInt16) throws(FileError) {
        let new = "\(path).\(UInt64.random(in: 0 ... .max))"
        do throws(FileError) {
            let file = try OpenFile(creating: new, mode: mode)
            try file.write(bytes)
            try file.close()
            try rename(new, to: path)
        } catch {
            _ = try? remove(new)
            throw error
        }
    }
}

extension OpenFile {
    /// Writes all of it where the last write ended.
    package func write(_ bytes: [UInt8]) throws(FileError) {
        var failure: FileError?
        bytes.withUnsafeBytes { bytes in
            do throws(FileError) { try write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
