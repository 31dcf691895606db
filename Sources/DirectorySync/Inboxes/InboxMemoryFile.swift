internal import FileSystem
internal import StrictJSON

/// The file that remembers what became of the files of inboxes, beside the registry.
package struct InboxMemoryFile {
    package let path: String

    package init(beside registry: RegistryFile) {
        let path = registry.path
        self.path = (path.hasSuffix(".json") ? String(path.dropLast(5)) : path) + "-inboxes.json"
    }

    /// Reads what is remembered; nothing where the file is not there.
    ///
    /// - Throws: ``InboxError`` where it is damaged or newer, `FileError` where it cannot be read.
    package func read() throws -> InboxMemory {
        if (try? Files.exists(path)) == false { return InboxMemory() }
        return try InboxMemory(reading: Files.read(path, limit: 1 << 28), file: path)
    }

    /// Lets what was held in an inbox be looked at anew, as a person removed it and may add it again.
    ///
    /// - Throws: As ``read()``; the fault where the file cannot be written.
    package func reconsider(_ inbox: String) throws {
        guard var folder = try read().folders[inbox] else { return }
        folder.reconsider()
        try update(inbox, folder)
    }

    /// Notes one inbox; of two programs at once neither forgets what the other noted of another inbox.
    ///
    /// - Throws: As ``read()``, in which case the file stays as it is; the fault where it cannot be written.
    func update(_ inbox: String, _ folder: InboxMemory.Folder) throws {
        let lock = try FileLock(path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        var memory = try read()
        guard memory.folders[inbox] != folder else { return }
        memory.folders[inbox] = folder
        try Files.write(memory.json.encoded(.indented), to: path)
    }
}
