internal import FileSystem
internal import SystemPackage

/// Files of a phone's storage, opened for reading and never through a link that lies in it.
package enum StorageFile {
    /// The reason why a file cannot be used.
    package struct Fault: Error {
        package let reason: String
        package var code = StoreError.Code.unreadable
    }

    /// Returns whether nothing exists at a path, not even a link.
    package static func isMissing(_ path: String) -> Bool { (try? Files.exists(path)) == false }

    /// Reads an ordinary file.
    ///
    /// - Returns: The bytes, nil where there is none.
    package static func bytes(_ path: String, limit: Int) throws(Fault) -> [UInt8]? {
        guard let (file, size) = try open(path, limit) else { return nil }
        do throws(FileError) {
            return try file.bytes(atMost: size)
        } catch {
            throw Fault(reason: "reading fails: \(error.reason)")
        }
    }

    /// Copies an ordinary file.
    ///
    /// - Returns: The number of bytes, nil where there is none.
    package static func copy(_ path: String, to copy: String, limit: Int) throws(Fault) -> Int? {
        guard let (file, size) = try open(path, limit) else { return nil }
        do throws(FileError) {
            try file.copy(to: copy, mode: 0o600, atMost: size)
        } catch {
            if error.step.isReading { throw Fault(reason: "reading fails: \(error.reason)") }
            throw Fault(reason: "a copy cannot be made: \(error.reason)", code: .inputOutput)
        }
        return size
    }

    /// Opens an ordinary file; nil where there is none.
    private static func open(_ path: String, _ limit: Int) throws(Fault) -> (file: OpenFile, size: Int)? {
        let (file, status): (OpenFile, FileStatus)
        do throws(FileError) {
            file = try OpenFile(reading: path, followsLinks: false)
            status = try file.status()
        } catch {
            if error.errno == .noSuchFileOrDirectory { return nil }
            throw Fault(reason: error.errno == .tooManySymbolicLinkLevels ? "it is a symbolic link" : error.reason)
        }
        guard status.kind == .file else { throw Fault(reason: "it is no ordinary file") }
        guard status.size <= limit else {
            throw Fault(reason: "it has more than \(limit) bytes, which is the limit", code: .limit)
        }
        return (file, status.size)
    }
}
