package import RecordMerge

extension SyncDirectory {
    /// Writes a segment durably, unless it exists; its name appears with the complete content.
    ///
    /// - Parameters:
    ///   - bytes: The whole segment, as `SegmentCoder.encode(_:)` returns it.
    ///   - writer: This device's own writer: nobody else writes into its folder.
    /// - Returns: The hash in its name, and the number of bytes written: 0 where it existed.
    /// - Throws: `readOnly`, `noSpace`, `inputOutput`, `gone`; the file is missing or complete then.
    @discardableResult
    package func publish(
        segment bytes: [UInt8],
        writer: WriterID,
        sequence: Int
    ) throws(DirectoryError) -> (hash: String, written: Int) {
        let hash = ContentHash.of(bytes)
        let written = try publish(bytes, as: ListedFile(.segment, writer: writer, sequence: sequence, hash: hash))
        return (hash, written)
    }

    /// Writes a file of the layout; returns the number of bytes written.
    func publish(_ bytes: [UInt8], as file: ListedFile) throws(DirectoryError) -> Int {
        try checkNames(file)
        try makeFolders(for: file)
        return try publish(bytes, as: file.path, by: file.writer.description) { path throws(DirectoryError) in
            try ContentHash.of(files.open(path).bytes(limit: Self.mostBytes)) == file.hash
        }
    }

    /// Removes the unfinished files of a writer whose device stopped; nobody else changes them.
    package func removeUnfinished(of writer: WriterID) throws(DirectoryError) {
        guard try files.isFolder(FileName.unfinished) else { return }
        let prefix = files.unfinishedPrefix(of: writer.description)
        for name in try files.names(in: FileName.unfinished).names where name.hasPrefix(prefix) {
            try files.remove("\(FileName.unfinished)/\(name)")
        }
    }

    /// Checks that the folder would take a writer's files, and writes nothing.
    ///
    /// - Throws: `readOnly`, `noSpace`, `inputOutput`, `gone`, as publishing would.
    func checkPublishing(by writer: String) throws(DirectoryError) {
        try checkFolder(FileName.unfinished)
        try checkFolder("\(FileName.writers)/\(writer)", in: FileName.writers)
    }

    private func checkFolder(_ name: String, in parent: String? = nil) throws(DirectoryError) {
        if try files.isFolder(name) { return try files.checkWritable(name) }
        guard try !FolderCalls.exists(absolute(name)) else { throw Self.noFolder(absolute(name)) }
        if let parent { return try checkFolder(parent) }
        try files.checkWritable("")
    }

    private static func noFolder(_ path: String) -> DirectoryError {
        let message =
            "it is a link or a file where the shared directory has a folder; remove it: nothing is written there"
        return DirectoryError(.inputOutput, message, path: path)
    }

    /// Rejects a file that no listing would find.
    func checkNames(_ file: ListedFile) throws(DirectoryError) {
        guard FileName.isPlain(file.writer.description), file.sequence >= 1, file.sequence <= file.last,
            file.last <= 1 << 53
        else {
            throw DirectoryError(.usage, "a file of the shared directory cannot have that name", path: file.path)
        }
    }

    /// Makes the folders of a file, as a transport may not bring empty ones.
    func makeFolders(for file: ListedFile) throws(DirectoryError) {
        switch file.kind {
        case .segment, .pack:
            try makeFolder(FileName.writers)
            try makeFolder("\(FileName.writers)/\(file.writer)")
        case .checkpoint: try makeFolder(FileName.checkpoints)
        }
    }

    /// Makes a folder of the layout, unless it exists; it never follows a link of that name.
    func makeFolder(_ name: String) throws(DirectoryError) {
        if try files.isFolder(name) { return }
        try files.makeFolder(name)
        guard try files.isFolder(name) else { throw Self.noFolder(absolute(name)) }
    }

    /// Writes a file under another name, and renames it when all of it is on the disk.
    ///
    /// - Parameters:
    ///   - owner: The writer, for the name of the unfinished file.
    ///   - isGood: Returns whether the existing file of that name is right.
    func publish(
        _ bytes: [UInt8],
        as name: String,
        by owner: String,
        _ isGood: (String) throws(DirectoryError) -> Bool
    ) throws(DirectoryError) -> Int {
        // Mostly it does not exist, and one call tells.
        if try files.exists(name), try isComplete(name, isGood) { return 0 }
        let unfinished = try unfinishedFile(of: owner)
        do throws(DirectoryError) {
            try unfinished.write(bytes)
            try files.complete(unfinished, as: name)
            return try files.commit(unfinished, as: name, isGood) ? bytes.count : 0
        } catch {
            _ = try? FolderCalls.remove(unfinished.path)
            throw error
        }
    }

    /// Begins a new unfinished file.
    func unfinishedFile(of owner: String) throws(DirectoryError) -> SharedFile {
        try makeFolder(FileName.unfinished)
        return try files.create(by: owner)
    }
}
