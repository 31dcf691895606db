internal import FileSystem
internal import SystemPackage

/// A file of the shared directory that is open.
final class SharedFile {
    private let file: OpenFile
    var path: String { file.path }
    var descriptor: Int32 { file.descriptor.rawValue }

    /// Opens an ordinary file for reading.
    ///
    /// A pipe or a device that someone put there neither blocks nor is read.
    init(reading path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(reading: path) }
    }

    /// Makes a file that nobody else has.
    init(creating path: String) throws(DirectoryError) {
        file = try FolderCalls.run { () throws(FileError) in try OpenFile(creating: path) }
    }

    /// The size in bytes.
    func size() throws(DirectoryError) -> Int { try status().size }

    /// Whether it has a size and nothing on the disk: cloud drives show so what they did not fetch.
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

    /// Reads from a place on as much as there is and fits.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DirectoryError) -> Int {
        try FolderCalls.run { () throws(FileError) in try file.read(at: offset, into: buffer) }
    }

    /// The size in bytes, where it is not above a limit.
    func size(atMost limit: Int) throws(DirectoryError) -> Int {
        let size = try size()
        guard size <= limit else {
            let message = "the file has \(size) bytes, but the limit is \(limit)"
            throw DirectoryError(.limit, message, path: path)
        }
        return size
    }

    /// Reads all of it.
    func bytes(limit: Int) throws(DirectoryError) -> [UInt8] {
        let size = try size(atMost: limit)
        return try FolderCalls.run { () throws(FileError) in try file.bytes(atMost: size) }
    }

    /// Writes all of it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
        try FolderCalls.run { () throws(FileError) in try file.write(bytes) }
    }

    /// Forces it to the disk and closes it; network file systems say only now what went wrong before.
    func finish() throws(DirectoryError) {
        try FolderCalls.run { () throws(FileError) in
            try file.force()
            try file.close()
        }
    }
}
