internal import FileSystem
internal import SystemPackage

/// An open file of the shared directory.
final class SharedFile {
    private let file: OpenFile
    var path: String { file.path }
    var descriptor: Int32 { file.descriptor.rawValue }

    /// Opens an ordinary file for reading.
    ///
    /// It neither reads nor waits for a pipe or a device of that name.
    init(reading path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(reading: path) }
    }

    /// Makes a new file.
    init(creating path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(creating: path) }
    }

    /// The size in bytes.
    func size() throws(DirectoryError) -> Int { try status().size }

    /// Returns whether it has a size but no content on the disk, as files that cloud drives did not fetch.
    func isHollow() throws(DirectoryError) -> Bool {
        let status = try status()
        return status.size > 0 && status.blocks == 0
    }

    private func status() throws(DirectoryError) -> FileStatus {
        let status = try FolderCalls.run { () throws(FileError) in try file.status() }
        guard status.kind == .file else {
            throw DirectoryError(.incomplete, "it is no ordinary file; remove it", path: path)
        }
        return status
    }

    /// Reads from an offset on as much as there is and fits.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DirectoryError) -> Int {
        try FolderCalls.run { () throws(FileError) in try file.read(at: offset, into: buffer) }
    }

    /// Returns the size in bytes; throws for a size above the limit.
    func size(atMost limit: Int) throws(DirectoryError) -> Int {
        let size = try size()
        guard size <= limit else {
            let message = "the file has \(size) bytes, but the limit is \(limit)"
            throw DirectoryError(.limit, message, path: path)
        }
        return size
    }

    /// Reads the whole file.
    func bytes(limit: Int) throws(DirectoryError) -> [UInt8] {
        let size = try size(atMost: limit)
        return try FolderCalls.run { () throws(FileError) in try file.bytes(atMost: size) }
    }

    /// Writes all bytes.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
        try FolderCalls.run { () throws(FileError) in try file.write(bytes) }
    }

    /// Forces the file to the disk and closes it; network file systems only report earlier errors now.
    func finish() throws(DirectoryError) {
        try FolderCalls.run { () throws(FileError) in
            try file.force()
            try file.close()
        }
    }
}
