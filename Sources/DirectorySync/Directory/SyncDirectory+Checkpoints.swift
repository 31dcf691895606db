internal import ArchiveIO
package import RecordMerge

extension SyncDirectory {
    /// Writes a checkpoint, in memory that does not grow with it.
    ///
    /// - Parameters:
    ///   - sequence: The last of the writer's own changes that is in the state.
    ///   - write: Writes the header and the state.
    /// - Returns: The hash that names it, and its size.
    /// - Throws: As for a segment; `ArchiveError` where the library cannot be used; what `write` throws.
    @discardableResult
    package func publishCheckpoint(
        writer: WriterID,
        sequence: Int,
        _ write: (CheckpointSink) throws -> Void
    ) throws -> (hash: String, bytes: Int) {
        let folder = ListedFile(.checkpoint, writer: writer, sequence: sequence, hash: "")
        try checkNames(folder)
        try makeFolders(for: folder)
        let unfinished = try unfinishedFile(of: writer.description)
        do {
            let sink = try CheckpointSink(unfinished)
            try write(sink)
            let hash = try sink.finish()
            let file = ListedFile(.checkpoint, writer: writer, sequence: sequence, hash: hash)
            _ = try give(unfinished, absolute(file.path)) { path throws(DirectoryError) in
                try OpenFile(reading: path).hash() == hash
            }
            return (hash, sink.written)
        } catch {
            _ = try? FolderCalls.remove(unfinished.path)
            throw error
        }
    }

    /// Reads a checkpoint, in memory that does not grow with it: all of it is checked before anything is handed on.
    ///
    /// - Parameters:
    ///   - header: Takes the header; what it throws ends the reading.
    ///   - line: Takes each line of the state without its line feed, that of the state's own header first.
    /// - Throws: As `read`; `SegmentError` for a header that this program cannot use; `corrupt` where the rest is not what
    ///   the header says; what the functions throw.
    package func readCheckpoint(
        _ file: ListedFile,
        header: (CheckpointHeader) throws -> Void,
        line: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let open = try OpenFile(reading: absolute(file.path))
        let size = try open.size()
        guard try open.hash() == file.hash else { throw try incomplete(open, size: size) }
        var expected = 0
        var count = 0
        do {
            let lines = LineStream(try ZstdReader(.descriptor(open.descriptor, name: open.path), limits: Self.limits))
            try lines.forEach { text in
                if count == 0 {
                    let found = try HeaderReader(Array(text)).checkpoint()
                    guard found.segment.writer == file.writer, found.segment.sequence == file.sequence else {
                        throw SegmentError.corrupt(1, "the header is that of another checkpoint than the name")
                    }
                    expected = found.segment.records + 2
                    try header(found)
                } else {
                    try line(text)
                }
                count += 1
            }
        } catch let error as ArchiveError {
            throw corrupt(error.message, open.path)
        }
        guard count == expected else { throw corrupt("it has \(count) lines, expected \(expected)", open.path) }
    }

    /// The header of a checkpoint, read without the rest of it.
    ///
    /// - Throws: As `readCheckpoint`. A file that is cut off may still give its header; one that does not is `incomplete`.
    package func checkpointHeader(of file: ListedFile) throws -> CheckpointHeader {
        let open = try OpenFile(reading: absolute(file.path))
        do {
            return try firstLine(of: open)
        } catch {
            // Only of a file that is what its name says can it be said that its writer was wrong.
            let size = try open.size()
            guard try open.hash() == file.hash else { throw try incomplete(open, size: size) }
            throw error
        }
    }

    private func firstLine(of open: OpenFile) throws -> CheckpointHeader {
        do {
            var found: CheckpointHeader?
            let lines = LineStream(try ZstdReader(.descriptor(open.descriptor, name: open.path), limits: Self.limits))
            try lines.forEach(first: 1) { found = try HeaderReader(Array($0)).checkpoint() }
            guard let found else { throw corrupt("it is empty", open.path) }
            return found
        } catch let error as ArchiveError {
            throw corrupt(error.message, open.path)
        }
    }

    private static let limits: ArchiveLimits = {
        var limits = ArchiveLimits()
        limits.totalBytes = 1 << 40
        return limits
    }()

    private func corrupt(_ reason: String, _ path: String) -> DirectoryError {
        DirectoryError(.corrupt, "the checkpoint cannot be used: \(reason)", path: path)
    }
}

extension OpenFile {
    /// The hash of all of it.
    func hash() throws(DirectoryError) -> String {
        var hash = ContentHash()
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { block.deallocate() }
        var offset = 0
        while true {
            let count = try read(at: offset, into: block)
            guard count > 0 else { return hash.value() }
            hash.update(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += count
        }
    }
}
