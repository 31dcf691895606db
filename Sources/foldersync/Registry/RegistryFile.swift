internal import AppStores
internal import CommandSupport
internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The file that remembers what this device has joined.
struct RegistryFile {
    let path: String

    /// Reads what is there; a file that is not there is an empty registry.
    ///
    /// - Throws: 65 where it is damaged or newer, 66 where it cannot be read.
    func read() throws(CommandFailure) -> Registry {
        guard access(path, F_OK) == 0 || errno != ENOENT else { return Registry() }
        return try Registry(reading: InputFile(reading: path, limit: 1 << 24).bytes, file: path)
    }

    /// Changes the registry; of two programs that do so at once, the second sees what the first wrote.
    ///
    /// - Throws: What the change throws, in which case nothing is written; 73 or 74 where it cannot be written.
    @discardableResult
    func update<Result>(_ change: (inout Registry) throws -> Result) throws -> Result {
        try makeFolder()
        let lock = try FileLock(path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        var registry = before
        let result = try change(&registry)
        if registry != before || access(path, F_OK) != 0 {
            try OutputFile(path).write(registry.json.encoded(.indented))
        }
        return result
    }

    private func makeFolder() throws(CommandFailure) {
        do throws(StoreError) {
            try StoreLocation.createFolder(of: path)
        } catch {
            throw CommandFailure(.cannotCreate, "cannot create \(path): \(error.message)")
        }
    }
}

/// A lock on a file, which goes with this object or with the process.
final class FileLock {
    private let descriptor: Int32

    /// Waits until nobody else has it.
    ///
    /// - Throws: 73 where the file cannot be made, 74 where it cannot be locked.
    init(_ path: String) throws(CommandFailure) {
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.cannotCreate, "cannot create \(path): \(String(cString: strerror(errno)))")
        }
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else {
                throw CommandFailure(.inputOutput, "cannot lock \(path): \(String(cString: strerror(errno)))")
            }
        }
    }

    deinit { close(descriptor) }
}
