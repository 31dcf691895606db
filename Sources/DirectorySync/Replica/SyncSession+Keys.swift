internal import FolderEncryption
internal import RecordMerge
internal import RecordStore

extension SyncSession {
    /// Writes the note by which this device gets later keys, where a `join` was ended before or the folder lost it.
    ///
    /// While the folder takes nothing it is left for the next sync. A phone whose exports are taken has no keys.
    func announce() {
        guard !(store is DocumentStore), let sealed = directory.files.sealed, sealed.lock == nil else { return }
        try? sealed.announce(replica.environment.device)
    }

    /// Returns issues for two keys side by side, and for changes that an old key sealed and nobody counts.
    func keyIssues() throws -> [SyncIssue] {
        guard !(store is DocumentStore), let sealed = directory.files.sealed else { return [] }
        var found: [SyncIssue] = []
        if sealed.ring.isForked {
            let message =
                "it was replaced on two devices at the same time, perhaps with two passphrases: run foldersync key rotate on one"
                + " of them, so that a new device can join and no removed one has a key"
            found.append(SyncIssue(kind: .twoKeys, path: "", device: nil, message: message))
        }
        for file in sealed.late {
            guard let device = try author(of: file, sealed), !sealed.ring.removed.contains(device.id) else { continue }
            let message = Self.lateMessage(
                device,
                isOwn: device.id == replica.environment.device.id,
                canBeTakenIn: file.canBeTakenIn
            )
            found.append(SyncIssue(kind: .oldKey, path: file.stored, device: device, message: message))
        }
        return found
    }

    /// Returns what to do about a file that an old key sealed.
    private static func lateMessage(_ device: SyncDevice, isOwn: Bool, canBeTakenIn: Bool) -> String {
        let start = "it is sealed with a key that was replaced before it arrived. "
        let accept = "foldersync repair --accept-old-key takes it in"
        let refuse = "nobody can take it in, as a device that was removed since could have written it: delete the file"
        if isOwn {
            return start + "This device was set back, and does not know it any more: "
                + (canBeTakenIn ? accept : "\(refuse), and enter again what is missing")
        }
        return start + "\(device.name) publishes it again with its next sync. If it does not, as it is lost or was set"
            + " back, \(canBeTakenIn ? accept : refuse)"
    }

    /// Returns the author of changes of this app that are not counted; nil where this device has them, or they cannot be
    /// read.
    private func author(of late: SealedFiles.LateFile, _ sealed: SealedFiles) throws -> SyncDevice? {
        guard let file = late.file else { return nil }
        let writer = file.writer
        let isSeen = state.seen[writer] >= file.last
        if file.kind == .segment {
            guard try !state.knows(writer, file.sequence, file.hash) else { return nil }
            // A change that came with a checkpoint has no row; a row of its number belongs to another change, which a set-back
            // device wrote.
            let others = "SELECT count(*) FROM segment WHERE writer = ? AND sequence = ?"
            if isSeen, try state.count(others, [writer.description, file.sequence]) == 0 { return nil }
        } else if isSeen {
            return nil
        }
        guard let header = sealed.header(of: late, directory.coder), header.app == store.app,
            header.space == replica.space
        else { return nil }
        if let known = try state.device(of: Dot(writer, file.sequence)) { return known }
        // A removed device could invent another one.
        let isKnown = listing.marks.contains { $0.writer == writer }
        return isKnown || late.canBeTakenIn ? header.device : nil
    }
}

extension SealedFiles.LateFile {
    /// Its segment or pack; nil where its path is none of these.
    fileprivate var file: ListedFile? {
        let parts = path.split(separator: "/").map(String.init)
        guard parts.count == 3, let writer = FileName.writer(ofFolder: parts[1]),
            case .file(let file) = FileName.read(parts[2], in: "\(parts[0])/\(parts[1])", of: writer)
        else { return nil }
        return file
    }
}

extension SealedFiles {
    /// Returns the header of the first change in a file that does not count; nil where it cannot be read.
    func header(of late: LateFile, _ coder: SegmentCoder) -> SegmentHeader? {
        guard let file = late.file, let bytes = content(of: late, limit: SyncDirectory.mostBytes) else { return nil }
        return try? coder.header(of: Self.firstSegment(of: file, bytes))
    }

    private static func firstSegment(of file: ListedFile, _ bytes: [UInt8]) -> [UInt8] {
        guard file.kind == .pack, let (index, start) = try? PackIndex.read(bytes), let first = index.entries.first,
            first.bytes <= bytes.count - start
        else { return bytes }
        return Array(bytes[start..<start + first.bytes])
    }
}
