internal import RecordMerge

extension SyncSession {
    /// Publishes the outbox, which stays if the folder accepts no files.
    func publish() throws {
        let waiting = try state.unpublishedSegments()
        guard !waiting.isEmpty else { return }
        // Publishing again is harmless: it finds the file there.
        try state.mayLoseCommits(true)
        defer { try? state.mayLoseCommits(false) }
        try state.transaction {
            let made = outcome.published + outcome.waiting
            let dots = Set(made.map(\.dot))
            do {
                if let own = waiting.last?.writer { try directory.removeUnfinished(of: own) }
                for segment in waiting { try publish(segment, isLate: !dots.contains(segment.dot)) }
                outcome.outbox = nil
                (outcome.published, outcome.waiting) = (made, [])
            } catch let error as DirectoryError {
                let left = try state.unpublishedSegments()
                let kept = Set(left.map(\.dot))
                outcome.outbox = (left.count, error.description)
                outcome.published = made.filter { !kept.contains($0.dot) }
                outcome.waiting = made.filter { kept.contains($0.dot) }
            }
        }
    }

    /// - Parameter isLate: Whether an earlier sync made it.
    private func publish(_ segment: KnownSegment, isLate: Bool) throws {
        var segment = segment
        guard let bytes = try state.bytes(of: segment) else { throw state.damaged("segment", segment.hash) }
        let (_, written) = try directory.publish(segment: bytes, writer: segment.writer, sequence: segment.sequence)
        if isLate { outcome.late.append(try summary(of: segment)) }
        outcome.publishedBytes += written
        segment.isPublished = true
        try state.update(segment)
    }

    /// Returns the summary of a segment in the outbox.
    func summary(of segment: KnownSegment) throws -> SyncedChange {
        guard let bytes = try state.bytes(of: segment), let read = try? directory.coder.decode(bytes) else {
            throw state.damaged("segment", segment.hash)
        }
        return try writer.summary(of: read.change, segment.device)
    }
}
