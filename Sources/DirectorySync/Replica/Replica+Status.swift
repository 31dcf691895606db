internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension Replica {
    /// Returns the state of the replica and of the other devices, and changes nothing.
    ///
    /// - Parameter isThorough: Whether the store is compared where only that tells what the next sync would do; else
    ///   that stays unknown.
    /// - Throws: ``SyncError`` where the replica's own file cannot be used; `StoreError` where the store cannot be
    ///   read. A fault of the folder is in ``ReplicaStatus/folderFault``.
    public func status(isThorough: Bool = true) throws -> ReplicaStatus {
        try withState { state in
            let session = SyncSession(self, state)
            var status = ReplicaStatus(
                app: app,
                store: storePath,
                folder: folder,
                space: space,
                records: try state.recordCount(),
                unpublished: try unpublished(state),
                outbox: try state.unpublishedSegments().count,
                conflicts: try state.conflictCount(),
                peers: [],
                issues: [],
                folderFault: nil
            )
            do {
                try directory.check(space)
                session.listing = try directory.listing()
                status.issues = try session.unusableFiles()
                status.issues += try session.lostChangesOfOthers()
            } catch let error as DirectoryError {
                status.folderFault = error.message
                status.folderError = error
            }
            // Fewer records need no decision, except on a copied or restored device.
            let isMuch = status.unpublished.map { $0 >= StoreChangeDetection.fewestGone } ?? isThorough
            let isRestored = try status.unpublished != 0 && (state.property(.restored) != nil || session.isCopied())
            status.massChange = isMuch || isRestored ? try session.massChange() : nil
            status.unsynced = try unsynced()
            status.heldBack = try heldBack(state).count
            status.issues += try session.issues()
            status.clockFault = try session.clockFault(isBeforeSync: true)
            status.peers = try peers(session)
            return status
        }
    }

    /// Returns the store's tables, and columns as `table.column`, that this program does not know and does not sync.
    ///
    /// - Throws: `StoreError`, when the store cannot be read.
    public func unsynced() throws -> [String] { try store.read { try $0.unsynced } }

    private func unpublished(_ state: ReplicaState) throws -> Int? {
        guard try !state.isFresh, try state.property(.full) == nil else { return nil }
        let (link, journal) = try store.read { (try $0.link, try $0.journal) }
        let isOurs = try link?.replica == state.required(.replica) && link?.generation == state.integer(.generation)
        return isOurs && journal.isIntact ? journal.keys.count : nil
    }

    func peers(_ session: SyncSession) throws -> [ReplicaStatus.Peer] {
        let waiting = try session.state.waitingSegments()
        // The next sync names the branches of a fork: numbers mean the same changes only then.
        return try session.dryRunReading { try peers(session, waiting, session.unreadChanges(besides: waiting)) }
    }

    private func peers(
        _ session: SyncSession,
        _ waiting: [KnownSegment],
        _ unread: UnreadChanges
    ) throws -> [ReplicaStatus.Peer] {
        let state = session.state
        let confirmations = try Confirmations(session)
        let waiting = Dictionary(grouping: waiting, by: \.device.id).mapValues(\.count)
        let own = try state.segments("WHERE is_own AND state = 1")
        let missing = try missing(session, confirmations, unread)
        let counts = try unreadCounts(session, confirmations, unread)
        let news = Dictionary(grouping: unread.authored, by: \.device.id)
        var known = try state.devices()
        // A change and a note have the whole name of a device, a mark has not.
        let named = news.sorted { $0.key < $1.key }.compactMap(\.value.first?.device)
        let counted = (missing + counts).map(\.device)
        let notes = directory.files.sealed?.members.map(\.device) ?? []
        let late = lateDevices(notes)
        let others = (named + confirmations.devices + counted + late).filter { other in
            !known.contains { $0.device.id == other.id }
        }
        let whole = Set((known.map(\.device) + named + notes).map(\.id))
        for device in others where !known.contains(where: { $0.device.id == device.id }) {
            let name = named.first { $0.id == device.id } ?? notes.first { $0.id == device.id }
            known.append((name ?? device, HybridClock(bits: 0), []))
        }
        let this = environment.device
        let retired = Set(session.listing.retirements.map(\.device))
        var peers: [ReplicaStatus.Peer] = []
        for (device, clock, heads) in known where device.id != this.id {
            let seen = VersionVector((heads + (news[device.id] ?? []).flatMap(\.heads)).map(\.dot))
            let confirms = confirmations.confirms(device)
            let unconfirmed = own.filter { !seen.covers($0.dot) && !confirms($0.dot) }
            let lastChange = clock.bits == 0 ? nil : clock.milliseconds
            let marked = confirmations.marks(of: device).compactMap { directory.moment(of: $0) }
            var peer = ReplicaStatus.Peer(
                device: device,
                isThis: false,
                lastChange: lastChange,
                lastSeen: (marked + [lastChange].compactMap(\.self)).max().map { min($0, environment.now()) },
                waiting: waiting[device.id] ?? 0
            )
            peer.isNameCut = !whole.contains(device.id)
            peer.unread = count(counts, of: device)
            peer.missing = count(missing, of: device)
            peer.unconfirmed = try unconfirmed.count + lacking(device, seen, confirmations, state)
            peer.unconfirmedSince = unconfirmed.map(\.clock.milliseconds).min()
            peer.hasLeft = confirmations.hasLeft(device)
            peer.isRetired = retired.contains(device.id)
            peers.append(peer)
        }
        let clock = known.first { $0.device.id == this.id && $0.clock.bits != 0 }?.clock
        var me = ReplicaStatus.Peer(device: this, isThis: true, lastChange: clock?.milliseconds, waiting: 0)
        me.unread = count(counts, of: this)
        me.missing = count(missing, of: this)
        return [me] + peers
    }

    /// Returns the devices whose marks do not count, as a new key came before them: they take part and confirm nothing.
    private func lateDevices(_ members: [SyncDevice]) -> [SyncDevice] {
        let scope = seenScope
        let marks = (directory.files.sealed?.uncountedPaths ?? []).compactMap { path in
            path.hasPrefix("\(SeenMark.folder)/")
                ? SeenMark(name: String(path.dropFirst(SeenMark.folder.utf8.count + 1)), in: SeenMark.folder) : nil
        }
        let named = Set(marks.filter { $0.token == scope.token($0.writer) && !$0.hasLeft }.map(\.device.id))
        return members.filter { named.contains($0.id) }
    }

    /// Returns the sum of a device's numbers.
    private func count(_ numbers: [(device: SyncDevice, count: Int)], of device: SyncDevice) -> Int {
        numbers.filter { $0.device.id == device.id }.reduce(0) { $0 + $1.count }
    }

    /// Returns the number of changes of others that this device has and another one lacks.
    private func lacking(
        _ device: SyncDevice,
        _ published: VersionVector,
        _ confirmations: Confirmations,
        _ state: ReplicaState
    ) throws -> Int {
        let forked = "SELECT EXISTS (SELECT 1 FROM fork WHERE writer = ? OR branch = ?)"
        return try state.seen.entries.reduce(0) { sum, last in
            // A device without a mark, such as one with an inbox elsewhere, has what its changes say.
            let confirmed = confirmations.marks(of: device).isEmpty ? 0 : confirmations.lacks(device, last)
            guard !published.covers(last), let has = confirmed,
                let author = try state.device(of: last)?.id, author != device.id, author != environment.device.id,
                try state.count(forked, [last.writer.description, last.writer.description]) == 0
            else { return sum }
            return sum + last.sequence - max(has, published[last.writer])
        }
    }

    /// Returns the numbers of changes that lie in the folder and that the next sync takes in, by author.
    private func unreadCounts(
        _ session: SyncSession,
        _ confirmations: Confirmations,
        _ unread: UnreadChanges
    ) throws -> [(device: SyncDevice, count: Int)] {
        let state = session.state
        let marked = Dictionary(confirmations.writers) { first, _ in first }
        let devices = unread.holders.merging(unread.authors) { $1 }
        return try devices.sorted { $0.key < $1.key }.compactMap { writer, device in
            // A branch begins behind the changes that it shares.
            let seen = max(state.seen[writer], (WriterFork.number(of: writer) ?? 1) - 1)
            let reach = unread.reach[writer]
            let numbers = unread.numbers[writer, default: []].filter { $0 > reach }
            // Peer.waiting counts the changes that wait here.
            let waiting = unread.waiting[writer, default: []].filter { $0 > seen && $0 <= reach }
            let count = max(0, reach - seen - waiting.count) + numbers.count
            guard count > 0 else { return nil }
            let known = try unread.authors[writer] ?? state.device(of: Dot(writer, reach))
            return (try known ?? marked[session.root(of: writer)] ?? device, count)
        }
    }

    /// Returns the numbers of changes that some device has and that have not arrived here, by author.
    private func missing(
        _ session: SyncSession,
        _ confirmations: Confirmations,
        _ unread: UnreadChanges
    ) throws -> [(device: SyncDevice, count: Int)] {
        let state = session.state
        let forked = "SELECT EXISTS (SELECT 1 FROM fork WHERE writer = ? OR branch = ?)"
        let found = try confirmations.missing { writer in
            try state.count(forked, [writer.description, writer.description]) == 0
        }
        return try found.compactMap { last, marked in
            let start = max(state.seen[last.writer], unread.reach[last.writer])
            let here = unread.waiting[last.writer, default: []].union(unread.numbers[last.writer, default: []])
            let count = last.sequence - start - here.count { $0 > start && $0 <= last.sequence }
            guard count > 0 else { return nil }
            return (try state.device(of: last) ?? marked, count)
        }
    }

    /// Returns the devices that have written in the folder, as this replica knows them.
    ///
    /// - Throws: ``SyncError`` `sync.busy`, `sync.state` or `sync.io`, when the replica's own file cannot be used.
    public func devices() throws -> [ReplicaStatus.Peer] {
        try withState { state in
            let session = SyncSession(self, state)
            session.listing = (try? directory.listing()) ?? DirectoryListing()
            return try peers(session)
        }
    }
}

/// The changes of this store's app that lie in the folder, that no sync has read yet, and that the next one takes in.
///
/// The branches of a fork have the names that the next sync gives them.
struct UnreadChanges {
    /// The devices that wrote changes and checkpoints, with what they had seen.
    fileprivate(set) var authored: [(device: SyncDevice, heads: [WriterHead])] = []
    /// The numbers of the changes with files of their own.
    fileprivate(set) var numbers: [WriterID: Set<Int>] = [:]
    /// The numbers of the changes that a sync has read, and that wait here.
    fileprivate(set) var waiting: [WriterID: Set<Int>] = [:]
    /// The last changes that the checkpoints have.
    fileprivate(set) var reach = VersionVector()
    /// The writers' devices, as far as the files tell.
    fileprivate(set) var authors: [WriterID: SyncDevice] = [:]
    /// The devices that have checkpoints with a writer's changes.
    fileprivate(set) var holders: [WriterID: SyncDevice] = [:]

    fileprivate mutating func insert(_ segment: KnownSegment) {
        authored.append((segment.device, segment.heads))
        numbers[segment.branch, default: []].insert(segment.sequence)
        authors[segment.branch] = segment.device
    }

    fileprivate mutating func insert(checkpoint header: SegmentHeader, _ renames: [WriterFork]) {
        authored.append((header.device, header.heads))
        let base = renames.reduce(header.base) { $1.renamed($0) }
        reach.formUnion(base)
        authors[header.writer] = header.device
        for dot in base.entries { holders[dot.writer] = header.device }
    }
}

extension SyncSession {
    /// Returns the changes of this store's app that no sync has read yet, where the folder's files were read.
    ///
    /// - Parameter before: The changes that waited here before.
    func unreadChanges(besides before: [KnownSegment]) throws -> UnreadChanges {
        var unread = UnreadChanges()
        for header in try noteCheckpoints(unread: []) {
            unread.insert(checkpoint: header.segment, try applyForks(of: header))
        }
        let read = Set(before.map(\.hash))
        for segment in before {
            let key = (writer: segment.writer.description, sequence: segment.sequence, hash: segment.hash)
            let now = try state.segment(key) ?? segment
            unread.waiting[now.branch, default: []].insert(now.sequence)
        }
        for segment in try state.waitingSegments() where !read.contains(segment.hash) {
            let isKnown = state.seen.covers(segment.dot) && !isAfterSetBack(segment)
            guard !isKnown, segment.minimumReader <= SegmentHeader.version else { continue }
            unread.insert(segment)
        }
        return unread
    }

    /// Returns the reason why a person must decide before sync publishes the store; nil where there is none.
    func massChange() throws -> String? {
        do {
            try dryRunDetection()
            return nil
        } catch let error as SyncError where error.code == .massChange {
            return error.message
        }
    }

    /// Returns issues for listed files that are new and cannot be used.
    func unusableFiles() throws -> [SyncIssue] {
        let before = outcome.issues
        defer { outcome.issues = before }
        outcome.issues = []
        var unread: Set<WriterID> = []
        for file in listing.segments {
            guard try !state.knows(file.writer, file.sequence, file.hash), try !noteQuarantined(file) else { continue }
            try reading(file) {
                try directory.coder.read(directory.read(file))
                unread.insert(file.writer)
            }
        }
        for file in listing.packs where try !knowsFile(file.path) && !noteQuarantined(file) {
            try reading(file) {
                try directory.forEachSegment(of: file) { try directory.coder.read($0.bytes) }
                unread.insert(file.writer)
            }
        }
        for file in listing.doubtful where try file.kind == .segment && !hasRead(file) && !noteQuarantined(file) {
            try reading(file) {
                try directory.coder.read(directory.contents(of: file).bytes)
                unread.insert(file.writer)
            }
        }
        _ = try noteCheckpoints(unread: unread)
        notePlaceholders()
        return outcome.issues
    }

    /// Notes checkpoints that the next sync will not read.
    ///
    /// It only notes damage that shows at once, or showed at an earlier reading.
    ///
    /// - Returns: The headers of those that the next sync takes in, or finds that nothing in them is new.
    private func noteCheckpoints(unread: Set<WriterID>) throws -> [CheckpointHeader] {
        var unread = unread
        var readable: [CheckpointHeader] = []
        var candidates: [(file: ListedFile, header: CheckpointHeader)] = []
        for file in listing.checkpoints where try !knowsFile(file.path) && !noteQuarantined(file) {
            try reading(file) {
                let header = try directory.checkpointHeader(of: file)
                guard header.segment.space == replica.space, header.segment.app == replica.store.app else { return }
                candidates.append((file, header))
            }
        }
        let headers = candidates.map(\.header)
        for (file, header) in candidates.sorted(by: { $0.header.segment.clock > $1.header.segment.clock }) {
            guard try !noteWaiting(file, header, among: headers, unread: unread) else { continue }
            readable.append(header)
            // The next sync reads it, and then knows more of these writers.
            unread.formUnion(header.segment.heads.map(\.dot.writer))
        }
        return readable
    }
}
