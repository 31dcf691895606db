internal import CommandSupport
internal import FileSystem
internal import RecordStore
internal import StrictJSON

/// The file that remembers what this device has joined.
struct RegistryFile {
    let path: String

    /// Reads what is there; a file that is not there is an empty registry.
    ///
    /// - Throws: 65 where it is damaged or newer, 66 where it cannot be read.
    func read() throws(CommandFailure) -> Registry {
        if (try? Files.exists(path)) == false { return Registry() }
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
        if registry != before || (try? Files.exists(path)) != true {
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
