internal import FileSystem
internal import RecordStore
internal import StrictJSON

/// The file that remembers what this device has joined.
package struct RegistryFile {
    package let path: String

    /// Makes a registry at a path.
    package init(path: String) { self.path = path }

    /// Reads what is there; a file that is not there is an empty registry.
    ///
    /// - Throws: ``RegistryError`` where it is damaged or newer, `FileError` where it cannot be read.
    package func read() throws -> Registry {
        if (try? Files.exists(path)) == false { return Registry() }
        return try Registry(reading: Files.read(path, limit: 1 << 24), file: path)
    }

    /// Changes the registry; of two programs that do so at once, the second sees what the first wrote.
    ///
    /// - Throws: What the change throws, in which case nothing is written; `FileError` or `StoreError` where it cannot be
    ///   written.
    @discardableResult
    package func update<Result>(_ change: (inout Registry) throws -> Result) throws -> Result {
        try StoreLocation.createFolder(of: path)
        let lock = try FileLock(path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        let before = try read()
        var registry = before
        let result = try change(&registry)
        if registry != before || (try? Files.exists(path)) != true {
            try Files.write(registry.json.encoded(.indented), to: path)
        }
        return result
    }
}
