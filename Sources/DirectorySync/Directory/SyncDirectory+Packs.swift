package import RecordMerge

/// A segment in a pack.
package typealias PackedSegment = (sequence: Int, hash: String, bytes: [UInt8])

extension SyncDirectory {
    /// Writes segments of one writer into one file.
    ///
    /// - Parameter segments: The segments by number, then by hash, each with the hash of its bytes.
    /// - Returns: The hash in the pack's name, which also has the first and the last number.
    /// - Throws: As for a segment; `usage` where the segments are out of order, or do not match their hashes.
    @discardableResult
    package func publishPack(
        _ segments: [PackedSegment],
        writer: WriterID
    ) throws(DirectoryError) -> (hash: String, written: Int) {
        let entries = segments.map { PackIndex.Entry(sequence: $0.sequence, hash: $0.hash, bytes: $0.bytes.count) }
        let isOrdered = zip(entries, entries.dropFirst()).allSatisfy { $0.order < $1.order }
        guard let first = entries.first, let last = entries.last, isOrdered,
            segments.allSatisfy({ ContentHash.of($0.bytes) == $0.hash })
        else {
            throw DirectoryError(.usage, "the segments of a pack are not in order, or damaged", path: path)
        }
        let index = PackIndex(entries).encoded()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(entries.reduce(index.count) { $0 + $1.bytes })
        bytes += index
        for segment in segments { bytes += segment.bytes }
        let hash = ContentHash.of(bytes)
        let file = ListedFile(.pack, writer: writer, sequence: first.sequence, last: last.sequence, hash: hash)
        return (hash, try publish(bytes, as: file))
    }

    /// Reads the segments of a pack, each checked by its own hash.
    ///
    /// - Throws: As `read`; `corrupt` where the file matches its name, but is not a pack.
    package func segments(of pack: ListedFile) throws(DirectoryError) -> [PackedSegment] {
        var segments: [PackedSegment] = []
        do {
            try forEachSegment(of: pack) { segments.append($0) }
        } catch let error as DirectoryError {
            throw error
        } catch {
            throw DirectoryError(.corrupt, "\(error)", path: absolute(pack.path))
        }
        return segments
    }

    /// Calls `body` with each segment of a pack, checked by its own hash.
    ///
    /// - Throws: As `read`; `corrupt` where the file matches its name, but is not a pack; the error of `body`.
    func forEachSegment(of pack: ListedFile, _ body: (PackedSegment) throws -> Void) throws {
        let bytes = try read(pack)
        do {
            let (index, start) = try PackIndex.read(bytes)
            guard index.entries.first?.sequence == pack.sequence, index.entries.last?.sequence == pack.last else {
                throw PackIndex.Fault(reason: "its index has other numbers than its name")
            }
            var offset = start
            for entry in index.entries {
                let segment = Array(bytes[offset..<offset + entry.bytes])
                offset += entry.bytes
                guard ContentHash.of(segment) == entry.hash else {
                    throw PackIndex.Fault(reason: "its segment \(entry.sequence) is not what the index says")
                }
                try body((entry.sequence, entry.hash, segment))
            }
        } catch let error as PackIndex.Fault {
            let message = "the pack cannot be used, as \(error.reason); let the device that wrote it pack again"
            throw DirectoryError(error.isNewer ? .newer : .corrupt, message, path: absolute(pack.path))
        }
    }
}
