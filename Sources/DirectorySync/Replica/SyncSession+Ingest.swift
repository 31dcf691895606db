internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension SyncSession {
    /// Reads the new files of the folder; unreadable ones are tried again next time.
    func ingest() throws {
        try state.transaction {
            try dropUnreadable()
            var forks = try readNewFiles()
            forks.formUnion(try noteSetBack())
            if !forks.isEmpty { try applyForks(of: Set(forks.map(\.writer))) }
            if readsAgain { try applyForks(of: Set(readNewFiles().map(\.writer))) }
            try forgetQuarantined()
            try forgetWithdrawn()
        }
        notePlaceholders()
    }

    /// Reads files that are not known yet, and keeps their segments.
    ///
    /// - Returns: The changes of writers that are forked, or fork there.
    private func readNewFiles() throws -> Set<Dot> {
        var forks: Set<Dot> = []
        var next: CheckedAhead?
        for (index, file) in listing.segments.enumerated() {
            guard try !state.knows(file.writer, file.sequence, file.hash) else { continue }
            try report(.reading, index, of: listing.segments.count)
            try reading(file) {
                if let ahead = next, ahead.file.path == file.path {
                    next = nil
                    return forks.formUnion(try keep(ahead.bytes, hash: file.hash, checked: ahead.check.take()))
                }
                next = try checkNext(after: index)
                forks.formUnion(try keep(directory.read(file), hash: file.hash))
            }
        }
        for (index, file) in listing.packs.enumerated() where try !knowsFile(file.path) {
            try report(.reading, index, of: listing.packs.count)
            try reading(file) {
                try directory.forEachSegment(of: file) { segment in
                    guard try !state.knows(file.writer, segment.sequence, segment.hash) else { return }
                    forks.formUnion(try keep(segment.bytes, hash: segment.hash))
                }
                try noteFile(file, clock: 0)
            }
        }
        // A transport's name may mean another file next time.
        for file in listing.doubtful where try file.kind == .segment || !knowsFile(file.path) {
            // The content of a read file is known, whatever became of its copy; verify reports that.
            try reading(file, isSilent: hasRead(file)) { forks.formUnion(try keepCopy(file)) }
        }
        return forks
    }

    /// A segment that another thread checks while this one checks the segment before it.
    private struct CheckedAhead {
        let file: ListedFile
        let bytes: [UInt8]
        let check: Ahead<Result<Void, any Error>>
    }

    /// Begins to check the next new segment of the listing; nil where there is none, or it cannot be read.
    private func checkNext(after index: Int) throws -> CheckedAhead? {
        let file = try listing.segments[(index + 1)...].first {
            try !state.knows($0.writer, $0.sequence, $0.hash) && state.quarantined($0.path) == nil
        }
        // The error is told when its turn comes.
        guard let file, let bytes = try? directory.read(file) else { return nil }
        let check = Ahead { [coder = directory.coder] in Result { try coder.read(bytes) } }
        return CheckedAhead(file: file, bytes: bytes, check: check)
    }

    /// Forgets waiting segments that cannot be used, which an earlier version kept unread.
    ///
    /// Sync reads their files again as new ones.
    private func dropUnreadable() throws {
        for var segment in try state.segments("WHERE state = 0 AND NOT is_checked") {
            let isTooNew = segment.minimumReader > SegmentHeader.version
            if try isTooNew || state.bytes(of: segment).map(directory.coder.isSound) ?? false {
                segment.isChecked = true
                try state.update(segment)
            } else {
                try state.remove(segment)
            }
        }
    }

    /// Forgets waiting changes whose files are gone: they may wait for ever.
    ///
    /// A file that is only missing in this listing is read again later.
    private func forgetWithdrawn() throws {
        let listed = Set(listing.segments.map(\.hash))
        // The content of a pack or a transport's copy has no name of its own.
        let others = Dictionary(grouping: listing.packs + listing.doubtful, by: \.writer)
        for segment in try state.waitingSegments() where !segment.isOwn && !listed.contains(segment.hash) {
            let isHeld = others[segment.writer]?.contains { ($0.sequence...$0.last).contains(segment.sequence) }
            if isHeld != true { try state.remove(segment) }
        }
    }

    func notePlaceholders() {
        // What an old key's holder wrote later is none of this folder's; verify names it.
        for problem in listing.problems where problem.code != .closed {
            outcome.issues.append(
                SyncIssue(kind: SyncIssue.Kind(problem), path: problem.path, device: nil, message: problem.message)
            )
        }
        outcome.issues += listing.placeholders.map(SyncIssue.init(placeholder:))
    }

    /// Keeps the content of a conflict copy: that of another file, or another continuation.
    private func keepCopy(_ file: ListedFile) throws -> [Dot] {
        var forks: [Dot] = []
        switch file.kind {
        case .segment:
            let (bytes, hash) = try directory.contents(of: file)
            if try !state.knows(file.writer, file.sequence, hash) { forks = try keep(bytes, hash: hash) }
        case .pack:
            try directory.forEachSegment(of: file) { segment in
                guard try !state.knows(file.writer, segment.sequence, segment.hash) else { return }
                forks += try keep(segment.bytes, hash: segment.hash)
            }
        // A copy of a checkpoint is a damaged file of that name: its content is elsewhere.
        case .checkpoint: break
        }
        try noteFile(file, clock: 0)
        return forks
    }

    /// Returns whether the file that a copy is named after is known.
    func hasRead(_ copy: ListedFile) throws -> Bool {
        switch copy.kind {
        case .segment: try state.knows(copy.writer, copy.sequence, copy.hash)
        case .pack: try knowsFile(copy.properPath)
        case .checkpoint: true
        }
    }

    /// Keeps a segment until all that it builds on is there; it reads and checks the whole segment first.
    ///
    /// - Parameter checked: The result of the check; nil to check it now.
    /// - Returns: Its dot, if the writer's history forks there.
    private func keep(_ bytes: [UInt8], hash: String, checked: Result<Void, any Error>? = nil) throws -> [Dot] {
        var minimumReader = 1
        let header: SegmentHeader
        do {
            header = try directory.coder.header(of: bytes)
        } catch {
            switch error.code {
            case .tooNew(let version, let found?): (minimumReader, header) = (version, found)
            case .unknownFlag(_, let found?): (minimumReader, header) = (.max, found)
            default: throw error
            }
        }
        if minimumReader <= SegmentHeader.version { try checked?.get() ?? directory.coder.read(bytes) }
        guard header.space == replica.space || listing.spaces.known.contains(header.space) else {
            throw SegmentError.corrupt(1, "found a segment of the space \(header.space), expected \(replica.space)")
        }
        // Changes of a space that was merged into this one came with the stores.
        let isForeign = header.app != replica.store.app || header.space != replica.space
        let segment = KnownSegment(
            writer: header.writer,
            sequence: header.sequence,
            hash: hash,
            previous: header.previous,
            branch: header.writer,
            state: isForeign ? .foreign : .waiting,
            isOwn: false,
            isPublished: true,
            clock: header.clock,
            device: header.device,
            heads: header.heads,
            minimumReader: minimumReader,
            size: bytes.count,
            isChecked: minimumReader <= SegmentHeader.version
        )
        try state.insert(segment, bytes: isForeign ? nil : bytes)
        guard !isForeign else { return [] }
        let same = "SELECT count(*) FROM segment WHERE writer = ? AND sequence = ? AND state <> 2"
        let dot = Dot(header.writer, header.sequence)
        if try state.count(same, [dot.writer.description, dot.sequence]) > 1 { return [dot] }
        // A change after a fork belongs to one of its branches.
        let forked = "SELECT EXISTS (SELECT 1 FROM fork WHERE writer = ? OR branch = ?)"
        return try state.count(forked, [dot.writer.description, dot.writer.description]) > 0 ? [dot] : []
    }

    func knowsFile(_ name: String) throws -> Bool {
        try state.count("SELECT count(*) FROM checkpoint WHERE name = ? AND is_covered", [name]) > 0
    }

    /// Notes that a file is completely known.
    ///
    /// - Parameter heads: What a checkpoint of this device holds, by which it can be removed later.
    func noteFile(_ file: ListedFile, clock: Int, size: Int = 0, own heads: [WriterHead]? = nil) throws {
        try state.execute(
            "INSERT OR REPLACE INTO checkpoint (name, is_own, is_covered, size, clock, heads) VALUES (?, ?, 1, ?, ?, ?)",
            [file.path, heads != nil, size, clock, heads.map(ReplicaState.text)]
        )
    }

    // MARK: Bringing together

    /// Merges checkpoints that reach further than the state, and all segments that can be applied.
    func applyAll() throws -> [SyncedChange] {
        try joinCheckpoints()
        var received: [SyncedChange] = []
        var hasProgress = true
        var applied = 0
        let total = try state.waitingKeys().count
        while hasProgress {
            hasProgress = false
            for key in try state.waitingKeys() {
                guard let segment = try state.segment(key), segment.minimumReader <= SegmentHeader.version,
                    let change = try applying(segment)
                else { continue }
                hasProgress = true
                applied += 1
                try report(.merging, applied, of: max(total, applied))
                if change.device.id != replica.environment.device.id { received.append(change) }
            }
        }
        return received
    }

    /// Applies a segment; returns nil if it lacks a change that it builds on, or was applied before.
    private func applying(_ segment: KnownSegment) throws -> SyncedChange? {
        do {
            return try state.transaction { try apply(segment) }
        } catch let error as SegmentError {
            // It was complete when it was kept. Nothing of it was applied, and its file is read again next time.
            try state.remove(segment)
            let message = "the change was damaged where it was kept (\(error)); its file is read again next time"
            outcome.issues.append(
                SyncIssue(kind: .damaged, path: segment.file.path, device: segment.device, message: message)
            )
            return nil
        }
    }

    /// Notes the author of an applied change.
    ///
    /// A waiting change leaves no trace: anybody may have written it.
    func noteAuthor(_ device: SyncDevice, writer: WriterID, clock: HybridClock, heads: [WriterHead]) throws {
        // A clock that is wrong by years must not date all later changes.
        if clock <= ReplicaState.latest(replica.environment.now()) { try state.advance(clock) }
        try state.note(device, writer: writer, clock: clock, heads: heads)
    }

    /// Applies a segment; returns nil if it lacks a change that it builds on.
    private func apply(_ segment: KnownSegment) throws -> SyncedChange? {
        var segment = segment
        if try adoptNames(segment.heads) {
            let key = (writer: segment.writer.description, sequence: segment.sequence, hash: segment.hash)
            segment = try state.segment(key) ?? segment
        }
        guard let renames = try renames(for: segment) else { return nil }
        var summary: ChangeSummary?
        if state.seen.covers(segment.dot) {
            if isAfterSetBack(segment) { return nil }
        } else {
            guard let bytes = try state.bytes(of: segment) else { throw SegmentError.corrupt(0, "its bytes are gone") }
            guard try applyRecords(of: bytes, segment, renames, &summary) else { return nil }
            try state.setHead(segment.dot, hash: segment.hash)
            try noteAuthor(segment.device, writer: segment.writer, clock: segment.clock, heads: segment.heads)
        }
        segment.state = .applied
        try state.update(segment)
        return summary?.change
    }

    /// Applies the records of a segment, one after the other.
    ///
    /// - Returns: Whether all that it builds on is there.
    private func applyRecords(
        of bytes: [UInt8],
        _ segment: KnownSegment,
        _ renames: [WriterFork],
        _ summary: inout ChangeSummary?
    ) throws -> Bool {
        struct Missing: Error {}
        var storage = state
        var context = VersionVector()
        var found: ChangeSummary?
        var deletions = ChangeDeletions(state, at: segment.clock.milliseconds)
        // The last row of each collection: the records of a change come in order, so that later ones are new.
        var lastRows: [String: String?] = [:]
        /// Keeps a new record without decoding it; returns false where it has to be joined.
        func keepPlain(_ key: RecordKey, _ line: UnsafeRawBufferPointer) throws -> Bool {
            guard renames.isEmpty, found?.namesMore == false else { return false }
            let last = try lastRows[key.collection] ?? state.lastRow(in: key.collection)
            lastRows[key.collection] = .some(last)
            guard last.map({ precedes($0, key.key) }) ?? true,
                try state.appendWaiting(key, stateLine(ofCreated: line))
            else { return false }
            state.lastRead = nil
            found?.count(key.collection, .added)
            return true
        }
        do {
            try directory.coder.read(
                bytes,
                header: { header in
                    let head = renames.reduce(Change(header.stamp, base: header.base, records: [])) { $0.renamed($1) }
                    guard head.missing(in: state.seen) == nil else { throw Missing() }
                    context = head.context
                    found = ChangeSummary(writer, head.stamp, segment.device)
                },
                isChecked: segment.isChecked && ContentHash.of(bytes) == segment.hash,
                plain: keepPlain
            ) { record in
                let version = record.version.map { version in renames.reduce(version) { $1.renamed($0) } }
                let changed = ChangedRecord(record.key, version)
                try found?.add(changed)
                try deletions.note(changed)
                try storage.apply(changed, context: context)
            }
            try deletions.mark(beside: &self.deletions[segment.branch, default: []])
        } catch is Missing {
            return false
        }
        summary = found
        return true
    }

    // MARK: What waits

    /// The issue of several spaces in the folder: anybody can write a marker, so it stops nobody who has joined one.
    var severalSpaces: [SyncIssue] {
        let spaces = listing.spaces.current
        guard spaces.count > 1 else { return [] }
        let message =
            "\(listed("space", spaces)) are in this folder, and their devices do not get each other's changes; let foldersync"
            + " merge-spaces join them, or delete the satchel-….root that is not yours"
        return [SyncIssue(kind: .severalSpaces, path: "", device: nil, message: message)]
    }

    /// Returns the issues.
    ///
    /// - Parameter isAfterSync: Whether a sync has just tried to take in what waits.
    func issues(isAfterSync: Bool = false) throws -> [SyncIssue] {
        var found = try severalSpaces + retirement() + keyIssues() + lostChanges()
        found += try refusedRecords() + tooLargeRecords()
        for key in try state.waitingKeys() {
            guard let segment = try state.segment(key) else { continue }
            let path = segment.file.path
            if segment.minimumReader > SegmentHeader.version {
                let message = "\(segment.device.name) has a newer program: update this one to take in its changes"
                found.append(SyncIssue(kind: .tooNew, path: path, device: segment.device, message: message))
                continue
            }
            if state.seen.covers(segment.dot), isAfterSetBack(segment) {
                let message =
                    "\(segment.device.name) was set back, and gave the number \(segment.sequence) twice: this change waits"
                    + " until \(segment.device.name) synchronises again"
                found.append(SyncIssue(kind: .missing, path: path, device: segment.device, message: message))
                continue
            }
            guard let missing = try segment.heads.first(where: { try branch(of: $0, beside: segment.heads) == nil })
            else {
                // Its content was checked when it came.
                let isWhole = !isAfterSync && segment.isChecked
                let message =
                    isWhole
                    ? "the last sync could not store it here, as there was no room or it was ended: the next one does"
                    : "a change of \(segment.device.name) cannot be read"
                let kind = isWhole ? SyncIssue.Kind.missing : .damaged
                found.append(SyncIssue(kind: kind, path: path, device: segment.device, message: message))
                continue
            }
            let writer = missing.dot.writer
            let owner = try state.device(of: missing.dot)?.name ?? "a device that nothing has come from yet"
            let first = state.seen[writer] + 1
            let isOther = first > missing.dot.sequence
            let isOne = isOther || first == missing.dot.sequence
            let which =
                isOther
                ? "another change \(missing.dot.sequence)"
                : isOne ? "change \(first)" : "changes \(first) to \(missing.dot.sequence)"
            let message =
                "\(which) of \(owner) (\(writer)) \(isOne ? "is" : "are") not here yet"
                + (isOther ? ". \(Self.ifItStays)" : "")
            found.append(SyncIssue(kind: .missing, path: path, device: segment.device, message: message))
        }
        return found
    }
}

extension SyncIssue {
    /// Makes the issue of a file that a cloud drive did not fetch.
    init(placeholder path: String) {
        let message = "\(path) is only a placeholder here: let the cloud drive download it"
        self.init(kind: .notDownloaded, path: path, device: nil, message: message)
    }
}

extension SyncIssue.Kind {
    /// Makes the kind of the problem that an error of a stored file means.
    init(_ error: DirectoryError) {
        switch error.code {
        case .newer: self = .tooNew
        case .noKey: self = .noKey
        case .notDownloaded: self = .notDownloaded
        default: self = .damaged
        }
    }
}

extension Error {
    /// True if the error means a damaged file.
    var isDamage: Bool {
        if let error = self as? DirectoryError { return error.code == .incomplete || error.code == .corrupt }
        guard let error = self as? SegmentError, case .corrupt = error.code else { return false }
        return true
    }
}
