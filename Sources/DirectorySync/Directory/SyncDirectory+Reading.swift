extension SyncDirectory {
    /// The most bytes of a segment or pack.
    static let mostBytes = 16 << 20

    /// Reads a segment or a pack, and checks that it matches its name.
    ///
    /// - Throws: `incomplete` for a truncated, empty or damaged file, which may still arrive; `notDownloaded`; `gone`
    ///   for a missing file; `limit`; `inputOutput`. None of them means that data are lost.
    package func read(_ file: ListedFile) throws(DirectoryError) -> [UInt8] {
        let open = try files.open(file.path)
        let bytes = try open.bytes(limit: Self.mostBytes)
        guard ContentHash.of(bytes) == file.hash else { throw try incomplete(open, size: bytes.count) }
        return bytes
    }

    /// Checks that a file of any size matches its name, in constant memory.
    ///
    /// - Throws: As `read`.
    package func verify(_ file: ListedFile) throws(DirectoryError) {
        let open = try files.open(file.path)
        let size = try open.size(atMost: file.kind == .checkpoint ? Self.mostCheckpointBytes : Self.mostBytes)
        guard try open.hash() == file.hash else { throw try incomplete(open, size: size) }
    }

    /// Reads a file without checking its name, such as a conflict copy.
    ///
    /// - Returns: Its bytes and their hash.
    package func contents(of file: ListedFile) throws(DirectoryError) -> (bytes: [UInt8], hash: String) {
        let bytes = try files.open(file.path).bytes(limit: Self.mostBytes)
        return (bytes, ContentHash.of(bytes))
    }

    /// Returns the error for a file that does not match its name.
    func incomplete(_ file: SharedFile, size: Int) throws(DirectoryError) -> DirectoryError {
        try file.isHollow() ? SharedFile.notDownloaded(file.path) : SharedFile.incomplete(file.path, size: size)
    }

    /// Removes a file of the layout.
    package func remove(_ file: ListedFile) throws(DirectoryError) {
        let place = file.path.split(separator: "/", omittingEmptySubsequences: false)
        let folder = place.dropLast().joined(separator: "/")
        let writer = place.count == 3 ? FileName.writer(ofFolder: String(place[1])) : nil
        guard place.count == 3 ? writer != nil : place.count == 2, let name = place.last,
            FileName.isFolder(String(place[0]), place.count == 3 ? FileName.writers : FileName.checkpoints),
            case .file = FileName.read(String(name), in: folder, of: writer)
        else {
            throw DirectoryError(.usage, "the file is none of the shared directory's", path: absolute(file.path))
        }
        try files.remove(file.path)
    }
}
