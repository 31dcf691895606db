internal import FileSystem
internal import StrictJSON

/// The file that remembers what became of the files of inboxes, beside the registry.
package struct InboxMemoryFile {
    package let path: String

    package init(beside registry: RegistryFile) {
        let path = registry.path
        self.path = (path.hasSuffix(".json") ? String(path.dropLast(5)) : path) + "-inboxes.json"
    }

    /// Returns the memory; an empty one where the file is missing or damaged.
    package func read() -> InboxMemory {
        guard let bytes = try? Files.read(path, limit: 1 << 28) else { return InboxMemory() }
        return InboxMemory(reading: bytes)
    }

    /// Lets what was held in an inbox be looked at anew, as a person removed it and may add it again.
    ///
    /// - Throws: The fault where the file cannot be written.
    package func reconsider(_ inbox: String) throws {
        guard var folder = read().folders[inbox] else { return }
        folder.reconsider()
        try update(inbox, folder)
    }

    /// Notes one inbox; of two programs at once neither forgets what the other noted of another inbox.
    func update(_ inbox: String, _ folder: InboxMemory.Folder) throws {
        let lock = try FileLock(path + ".lock")
        defer { withExtendedLifetime(lock) {} }
        var memory = read()
        guard memory.folders[inbox] != folder else { return }
        memory.folders[inbox] = folder
        try Files.write(memory.json.encoded(.indented), to: path)
    }
}
