package import RecordMerge

extension SyncDirectory {
    /// Writes a checkpoint, in constant memory.
    ///
    /// - Parameters:
    ///   - sequence: The writer's own last change in the state.
    ///   - write: Writes the header and the state.
    ///   - check: Reads the file back before it gets its final name; an error cancels the writing.
    /// - Returns: The hash in its name, and its size.
    /// - Throws: As for a segment; ``CompressionError`` where the library cannot be used; the error of `write`.
    @discardableResult
    package func publishCheckpoint(
        writer: WriterID,
        sequence: Int,
        _ write: (CheckpointSink) throws -> Void,
        check: (ListedFile) throws -> Void = { _ in }
    ) throws -> (hash: String, bytes: Int) {
        let folder = ListedFile(.checkpoint, writer: writer, sequence: sequence, hash: "")
        try checkNames(folder)
        try makeFolders(for: folder)
        let unfinished = try unfinishedFile(of: writer.description)
        do {
            let sink = try CheckpointSink(unfinished, coder.compression)
            try write(sink)
            let hash = try sink.finish()
            let file = ListedFile(.checkpoint, writer: writer, sequence: sequence, hash: hash)
            try files.complete(unfinished, as: file.path)
            try check(file.lying(at: String(unfinished.path.dropFirst(absolute("").count))))
            _ = try files.commit(unfinished, as: file.path) { path throws(DirectoryError) in
                try files.open(path).hash() == hash
            }
            return (hash, sink.written)
        } catch {
            _ = try? FolderCalls.remove(unfinished.path)
            throw error
        }
    }

    /// Reads a checkpoint in constant memory; it is checked completely only when the function returns.
    ///
    /// - Parameters:
    ///   - header: Takes the header; an error ends the reading.
    ///   - record: Takes each record with its line, ordered by key.
    /// - Throws: As `read`; `SegmentError` for the first fault, with its line; the errors of the functions.
    package func readState(
        of file: ListedFile,
        header: (CheckpointHeader) throws -> Void = { _ in },
        record: (RecordKey, RecordState, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var decoder = LineDecoder()
        var number = 1
        var seen: VersionVector?
        var last: RecordKey?
        do {
            try readCheckpoint(file) { found in
                seen = found.segment.base
                try header(found)
            } line: { line in
                number += 1
                guard number > 2 else {
                    let state = try decoder.stateHeader(line, number: number)
                    guard state.seen == seen else {
                        throw SegmentError.corrupt(2, "the state has seen other changes than the header says")
                    }
                    return
                }
                let found = try decoder.record(line, number: number, in: seen)
                if let last, !(last < found.key) { throw SegmentError.corrupt(number, "found records out of order") }
                last = found.key
                try record(found.key, found.record, line)
            }
        } catch let error as MergeDataError {
            throw SegmentError.corrupt(error.line, error.message)
        }
    }

    /// Reads the lines of a checkpoint, in constant memory.
    ///
    /// - Parameters:
    ///   - header: Takes the header; an error ends the reading.
    ///   - line: Takes each line of the state without its line feed, the header of the state first.
    /// - Throws: As `read`; `SegmentError` for a header that this program cannot use; `corrupt` where the rest does not
    ///   match the header; the errors of the functions.
    package func readCheckpoint(
        _ file: ListedFile,
        header: (CheckpointHeader) throws -> Void,
        line: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let open = try files.open(file.path)
        let size = try open.size(atMost: Self.mostCheckpointBytes)
        guard try open.hash() == file.hash else { throw try incomplete(open, size: size) }
        var expected = 0
        var count = 0
        do {
            let lines = LineStream(try expander(of: open, isBeginningOnly: false))
            try lines.forEach { text in
                if count == 0 {
                    let found = try HeaderReader(Array(text)).checkpoint()
                    guard found.segment.writer == file.writer, found.segment.sequence == file.sequence else {
                        throw SegmentError.corrupt(1, "the header is that of another checkpoint than the name")
                    }
                    expected = found.segment.records + 2
                    try header(found)
                } else if count < expected {
                    try line(text)
                } else {
                    throw corrupt("it has more than \(expected) lines", open.path)
                }
                count += 1
            }
        } catch let error as CompressionError {
            throw corrupt(error.message, open.path)
        }
        guard count == expected else { throw corrupt("it has \(count) lines, expected \(expected)", open.path) }
    }

    /// Returns the header of a checkpoint, without reading the rest.
    ///
    /// - Throws: As `readCheckpoint`. A truncated file may still give its header, or is `incomplete`.
    package func checkpointHeader(of file: ListedFile) throws -> CheckpointHeader {
        let open = try files.open(file.path)
        do {
            return try firstLine(of: open)
        } catch {
            // Only a file that matches its name shows that its writer was wrong.
            let size = try open.size(atMost: Self.mostCheckpointBytes)
            guard size <= Self.mostBytes, try open.hash() == file.hash else { throw try incomplete(open, size: size) }
            throw error
        }
    }

    private func firstLine(of open: SharedFile) throws -> CheckpointHeader {
        do {
            var found: CheckpointHeader?
            let lines = LineStream(try expander(of: open, isBeginningOnly: true), limit: HeaderReader.mostBytes)
            try lines.forEach(first: 1) { found = try HeaderReader(Array($0)).checkpoint() }
            guard let found else { throw corrupt("it is empty", open.path) }
            return found
        } catch let error as CompressionError {
            throw corrupt(error.message, open.path)
        }
    }

    /// The most bytes of a checkpoint, which is never in memory at once.
    static let mostCheckpointBytes = 1 << 32
    private static let mostExpandedBytes = 1 << 36

    private func expander(of file: SharedFile, isBeginningOnly: Bool) throws -> any Expander {
        let data = try data(of: file)
        return try coder.compression.makeExpander(
            of: data,
            limit: Self.mostExpandedBytes,
            isBeginningOnly: isBeginningOnly
        )
    }

    /// Returns the data of an open file; those of a sealed one are decrypted into memory, or into a file without a name.
    private func data(of file: SharedFile) throws -> CompressedData {
        guard file.isSealed else { return .descriptor(file.descriptor, name: file.path) }
        let size = try file.size()
        if size <= Self.mostBytes { return .bytes(try file.bytes(limit: Self.mostBytes)) }
        return .descriptor(try file.decrypted().descriptor, name: file.path)
    }

    private func corrupt(_ reason: String, _ path: String) -> DirectoryError {
        DirectoryError(.corrupt, "the checkpoint cannot be used: \(reason)", path: path)
    }
}

extension SharedFile {
    /// Returns the hash of the whole file.
    func hash() throws(DirectoryError) -> String {
        try checkSeal()
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
