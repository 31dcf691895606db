internal import GRDB
internal import RecordMerge
internal import RecordStore

/// What checkpoints say of other writers, held against these writers' own files.
extension SyncSession {
    /// Finds a writer of whom a checkpoint tells more than this writer's own files show.
    ///
    /// Who takes in a checkpoint counts all that it tells of as seen: changes that come later under these numbers would never
    /// be read. So a checkpoint waits until the other writer's own files reach as far: its segments without a gap, behind a
    /// checkpoint of its own device. A writer who has no files at all is taken from the checkpoint, as somebody deleted them.
    ///
    /// - Parameters:
    ///   - candidates: The headers of all checkpoints that are not known yet.
    ///   - unread: Writers whose own files are not all read yet: of these nothing is said.
    /// - Returns: The first such head, and the last number that the writer's own files show; nil where all is shown.
    func unshownHead(
        of header: CheckpointHeader,
        among candidates: [CheckpointHeader],
        unread: Set<WriterID>
    ) throws -> (head: WriterHead, shown: Int)? {
        for head in header.segment.heads where try !unread.contains(head.dot.writer) && !covers(head) {
            let writer = head.dot.writer
            if writer == header.segment.writer { continue }
            // Who tells of another change of that number has not seen this one.
            if try hasAnother(head) { return (head, state.seen[writer]) }
            let owner = try state.device(of: head.dot)
            if owner?.id == header.segment.device.id { continue }
            let own = candidates.filter { $0.segment.writer == writer }.compactMap { checkpoint in
                checkpoint.segment.heads.first { $0.dot.writer == writer }?.dot.sequence
            }
            let start = max(state.seen[writer], own.max() ?? 0)
            let shown = try lastShown(of: writer, after: start, upTo: head.dot.sequence)
            if try shown >= head.dot.sequence || start == 0 && !hasFiles(writer) { continue }
            return (head, shown)
        }
        return nil
    }

    /// Whether the writer's own files have another change of that number, and not the one that is told of.
    private func hasAnother(_ head: WriterHead) throws -> Bool {
        let hashes = try state.segments(
            "WHERE (branch = ?1 OR writer = ?1) AND sequence = ?2 AND state <> 2",
            [head.dot.writer.description, head.dot.sequence]
        ).map(\.hash)
        return !hashes.isEmpty && !hashes.contains(where: head.names)
    }

    /// The last number up to which the writer's segments are here without a gap.
    private func lastShown(of writer: WriterID, after start: Int, upTo end: Int) throws -> Int {
        let sql = """
            SELECT DISTINCT sequence FROM segment
            WHERE (branch = ?1 OR writer = ?1) AND sequence > ?2 AND sequence <= ?3 AND state <> 2 ORDER BY sequence
            """
        var last = start
        let numbers = try Int.fetchCursor(state.database, sql: sql, arguments: [writer.description, start, end])
        while let number = try numbers.next(), number == last + 1 { last = number }
        return last
    }

    /// Whether there is any file of a writer, or was when the folder was read.
    private func hasFiles(_ writer: WriterID) throws -> Bool {
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        return try files.contains { $0.writer == writer }
            || state.count(
                "SELECT EXISTS (SELECT 1 FROM segment WHERE (branch = ?1 OR writer = ?1) AND state <> 2)",
                [writer.description]
            ) > 0
    }

    /// Says that a checkpoint waits for another writer's files.
    func noteUnshown(_ head: WriterHead, shown: Int, _ file: ListedFile, _ header: CheckpointHeader) throws {
        let author = header.segment.device
        let owner = try state.device(of: head.dot)?.name ?? "the writer \(head.dot.writer)"
        let message =
            "a checkpoint of \(author.name) tells of changes up to \(head.dot.sequence) of \(owner), whose own files show "
            + (shown >= head.dot.sequence ? "others" : shown == 0 ? "none" : "them up to \(shown)")
            + "; it waits for them. If no device wrote this file, delete it"
        let issue = SyncIssue(kind: .unshown, path: file.path, device: author, message: message)
        if !outcome.issues.contains(issue) { outcome.issues.append(issue) }
    }
}
