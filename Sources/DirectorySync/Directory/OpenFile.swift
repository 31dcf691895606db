#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A file of the shared directory that is open.
final class OpenFile {
    let path: String
    let descriptor: Int32
    private var isOpen = true

    /// Opens an ordinary file for reading.
    ///
    /// A pipe or a device that someone put there neither blocks nor is read.
    init(reading path: String) throws(DirectoryError) {
        self.path = path
        descriptor = FolderCalls.retrying { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) }
        guard descriptor >= 0 else { throw DirectoryError.reading("the file", path, errno) }
    }

    /// Makes a file that nobody else has.
    init(creating path: String) throws(DirectoryError) {
        self.path = path
        descriptor = FolderCalls.retrying { open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666) }
        guard descriptor >= 0 else { throw DirectoryError.writing("the file", path, errno) }
    }

    deinit { if isOpen { _ = FolderCalls.close(descriptor) } }

    /// The size in bytes.
    func size() throws(DirectoryError) -> Int { try status().size }

    /// Whether it has a size and nothing on the disk: cloud drives show so what they did not fetch.
    func isHollow() throws(DirectoryError) -> Bool {
        let status = try status()
        return status.size > 0 && status.blocks == 0
    }

    private func status() throws(DirectoryError) -> (size: Int, blocks: Int) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw DirectoryError.reading("the file", path, errno) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw DirectoryError(.incomplete, "it is no ordinary file; remove it", path: path)
        }
        return (Int(status.st_size), Int(status.st_blocks))
    }

    /// Reads from a place on as much as there is and fits.
    func read(at offset: Int, into buffer: UnsafeMutableRawBufferPointer) throws(DirectoryError) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = FolderCalls.retrying {
                pread(descriptor, start + done, buffer.count - done, off_t(offset + done))
            }
            guard count >= 0 else { throw DirectoryError.reading("the file", path, errno) }
            if count == 0 { break }
            done += count
        }
        return done
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
        var failure: DirectoryError?
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            do throws(DirectoryError) {
                count = try read(at: 0, into: UnsafeMutableRawBufferPointer(buffer))
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// Writes all of it.
    func write(_ bytes: UnsafeRawBufferPointer) throws(DirectoryError) {
        var rest = bytes
        while !rest.isEmpty {
            let count = FolderCalls.retrying { FolderCalls.write(descriptor, rest) }
            guard count >= 0 else { throw DirectoryError.writing("the file", path, errno) }
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
    }

    /// Forces it to the disk and closes it; network file systems say only now what went wrong before.
    func finish() throws(DirectoryError) {
        guard FolderCalls.retrying({ fsync(descriptor) }) == 0 else {
            throw DirectoryError.writing("the file", path, errno)
        }
        isOpen = false
        guard FolderCalls.close(descriptor) == 0 else { throw DirectoryError.writing("the file", path, errno) }
    }
}
