internal import FileSystem

extension WatchedFolder {
    /// Returns all folders that a watcher has to look at.
    ///
    /// - Parameters:
    ///   - folders: The folders that are kept in step.
    ///   - registry: The file of the registry, as folders come and go there.
    package static func all(of folders: [JoinedFolder], registry: String) -> [WatchedFolder] {
        var paths: Set<String> = []
        var names: [String: Set<String>] = [:]
        for folder in folders {
            let writers = "\(folder.path)/w"
            paths.formUnion([folder.path, writers, "\(folder.path)/ckpt"])
            // Those of an encrypted folder.
            paths.formUnion(
                ["\(folder.path)/\(StoredName.files)", "\(folder.path)/\(StoredName.keys)"].filter(Files.isFolder)
            )
            // Each writer has a folder of its own, and a folder's events do not tell of what lies below.
            paths.formUnion(((try? Files.names(in: writers).names) ?? []).map { "\(writers)/\($0)" })
            paths.formUnion(folder.inboxes.map(\.path))
            for store in folder.stores { names.add(store.path, with: ["", "-wal"]) }
        }
        names.add(registry, with: [""])
        let whole = paths.map { WatchedFolder(path: $0) }
        let parts = names.map { WatchedFolder(path: $0.key, names: $0.value) }
        return (whole + parts).sorted { $0.path < $1.path }
    }
}

extension [String: Set<String>] {
    /// Adds a file, with what is added to its name, under its folder.
    fileprivate mutating func add(_ path: String, with suffixes: [String]) {
        let name = Files.name(of: path)
        self[Files.folder(of: path), default: []].formUnion(suffixes.map { "\(name)\($0)" })
    }
}
