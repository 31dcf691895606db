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
        var summary = try writer.summary(of: read.change, segment.device)
        try nameDeleted(in: &summary)
        return summary
    }

    /// Gives deleted records, which the state has no more, the titles of their last versions that are at hand.
    private func nameDeleted(in summary: inout SyncedChange) throws {
        var places: [RecordKey: Int] = [:]
        for (index, touched) in summary.records.enumerated() where touched.isNameless {
            places[RecordKey(touched.name.collection, touched.name.key)] = index
        }
        guard !places.isEmpty else { return }
        var reader = RecordReader(replica, state, of: Array(places.keys))
        for segment in try state.segments("WHERE state = 1 ORDER BY clock DESC, writer, sequence DESC LIMIT 1000") {
            guard !places.isEmpty else { return }
            for (key, changed) in try reader.records(of: segment)?.records ?? [:] {
                guard let version = changed.version, let index = places.removeValue(forKey: key) else { continue }
                let rules = replica.info.schema.record(in: key.collection)
                let object = ResolvedRecord(key, RecordState(version), rules).object
                let name = RecordName(key, title: replica.info.title(key, object))
                let owner = try writer.owner(of: key, object)
                summary.records[index] =
                    SyncedChange.RecordChange(name: name, action: .deleted, members: [], owner: owner)
            }
        }
    }
}
