internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

/// Compares what checkpoints say of other writers with these writers' own files.
extension SyncSession {
    /// Finds a writer of whom a checkpoint has more changes than the writer's own files.
    ///
    /// Whoever merges a checkpoint counts all its changes as seen, and would never read later ones under these numbers.
    ///
    /// So a checkpoint waits until the other writer's own files reach as far: its segments without a gap, after a
    /// checkpoint of its own device. Where a file in between was lost, the last one says that the writer got there. If a
    /// writer has no files at all, somebody deleted them, and the checkpoint counts; so it does for a device that somebody
    /// retired, as nobody waits for its files.
    ///
    /// - Parameters:
    ///   - file: The checkpoint's file.
    ///   - candidates: The headers of all checkpoints that are not known yet.
    ///   - unread: The writers with unread files of their own, of whom nothing is known yet.
    /// - Returns: The first such head, and the last number in the writer's own files; nil where there is none.
    func unshownHead(
        of header: CheckpointHeader,
        in file: ListedFile,
        among candidates: [CheckpointHeader],
        unread: Set<WriterID>
    ) throws -> (head: WriterHead, shown: Int)? {
        for head in header.segment.heads where try !unread.contains(head.dot.writer) && !covers(head, in: header) {
            let writer = head.dot.writer
            if writer == header.segment.writer { continue }
            // An author that names another change of that number has not seen this one.
            if try hasAnother(head) { return (head, state.seen[writer]) }
            let owner =
                try state.device(of: head.dot) ?? candidates.first { $0.segment.writer == writer }?.segment.device
            if owner?.id == header.segment.device.id { continue }
            let own = candidates.filter { $0.segment.writer == writer }.compactMap { checkpoint in
                checkpoint.segment.heads.first { $0.dot.writer == writer }?.dot.sequence
            }
            let start = max(state.seen[writer], own.max() ?? 0)
            let shown = try lastShown(of: writer, after: start, upTo: head.dot.sequence)
            if try shown >= head.dot.sequence || hasOwnFile(of: head) || start == 0 && !hasFiles(writer) { continue }
            if let owner, listing.retirements.contains(where: { $0.device == owner.id }) { continue }
            if try takesOwnPast && isOwnPast(writer, in: file) { continue }
            return (head, shown)
        }
        return nil
    }

    /// Takes in what other devices' checkpoints have of this device's own changes, lost when it was set back.
    ///
    /// It comes before new changes, and these get a new writer's name: nobody may give the lost numbers again.
    func takeOwnPast() throws {
        guard let name = WriterID(try state.required(.writer)) else { return }
        takesOwnPast = true
        let last = try state.integer(.sequence)
        let isTold = try listing.checkpoints.contains { file in
            guard try !knowsFile(file.path), let header = try? directory.checkpointHeader(of: file).segment else {
                return false
            }
            return header.space == replica.space && header.app == replica.store.app
                && header.heads.contains { $0.dot.writer == name && $0.dot.sequence > last }
        }
        guard isTold else { return }
        try ingest()
        try joinWithoutStore()
        // Also where they cannot be taken in yet: the next change must not get one of their numbers.
        try state.transaction { try renewRestored() }
        guard state.seen[name] > last else { return }
        let known = try Set(
            listing.checkpoints.filter { try knowsFile($0.path) }.map { directory.files.stored($0.path) }
        )
        outcome.issues.removeAll { $0.kind == .unshown && known.contains($0.path) }
        outcome.notes.append(
            "this device was set back: it has its lost changes from other devices again, and a new name now"
        )
    }

    /// Returns whether a checkpoint has this device's last change under a name, and not another one of that number.
    ///
    /// So what it has of later numbers went on from there.
    private func isOwnPast(_ writer: WriterID, in file: ListedFile) throws -> Bool {
        let sql = "WHERE writer = ?1 AND branch = ?1 AND is_own AND state = 1 ORDER BY sequence DESC LIMIT 1"
        guard let last = try state.segments(sql, [writer.description]).first, last.sequence == state.seen[writer] else {
            return false
        }
        var clocks: [Int: HybridClock] = [:]
        readClocks(of: writer, in: file, &clocks)
        return clocks[last.sequence] == last.clock
    }

    /// Returns whether the writer's own files have a different change of that number.
    private func hasAnother(_ head: WriterHead) throws -> Bool {
        let hashes = try state.segments(
            "WHERE (branch = ?1 OR writer = ?1) AND sequence = ?2 AND state <> 2",
            [head.dot.writer.description, head.dot.sequence]
        ).map(\.hash)
        return !hashes.isEmpty && !hashes.contains(where: head.names)
    }

    /// Returns whether a file of the writer itself has the change of a head.
    private func hasOwnFile(of head: WriterHead) throws -> Bool {
        let sql = "WHERE (branch = ?1 OR writer = ?1) AND sequence = ?2 AND state <> 2"
        return try state.segments(sql, [head.dot.writer.description, head.dot.sequence])
            .contains { head.names($0.hash) }
    }

    /// Returns the last number up to which the writer's segments are here without a gap.
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

    /// Returns whether a writer has any file, or had one when the folder was listed.
    private func hasFiles(_ writer: WriterID) throws -> Bool {
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        return try files.contains { $0.writer == writer }
            || state.count(
                "SELECT EXISTS (SELECT 1 FROM segment WHERE (branch = ?1 OR writer = ?1) AND state <> 2)",
                [writer.description]
            ) > 0
    }

    /// Notes that a checkpoint waits for another writer's files.
    func noteUnshown(_ head: WriterHead, shown: Int, _ file: ListedFile, _ header: CheckpointHeader) throws {
        let author = header.segment.device
        let device = try state.device(of: head.dot)
        let isThis = device?.id == replica.environment.device.id
        let owner = isThis ? "this device" : device?.name ?? "the writer \(head.dot.writer)"
        let isOther = shown >= head.dot.sequence
        let message =
            "it tells of changes up to \(head.dot.sequence) of \(owner), whose own files show "
            + (isOther ? "others" : shown == 0 ? "none" : "them up to \(shown)")
            + "; it waits for them. "
            + (isThis
                ? "If this device was set back, run foldersync repair here; if it still waits then, let \(author.name)"
                    + " retire this device (foldersync devices retire), synchronise all devices, and take that back"
                    + " with --undo"
                : "If \(owner) was set back, run foldersync repair there; if it is lost, run foldersync devices retire"
                    + " on a device that has them")
            + "; if no device wrote this file, delete it"
        let path = directory.files.stored(file.path)
        let issue = SyncIssue(kind: .unshown, path: path, device: author, message: message)
        if !outcome.issues.contains(issue) { outcome.issues.append(issue) }
    }
}
