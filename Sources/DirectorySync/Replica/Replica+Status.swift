internal import AppStores
internal import GRDB
internal import RecordMerge

extension Replica {
    /// How the replica stands, and what is known of the other devices; nothing is changed.
    public func status() throws -> ReplicaStatus {
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
                hindrances: [],
                folderFault: nil
            )
            do {
                try directory.check(space)
                session.listing = try directory.listing()
                status.hindrances = try session.damagedFiles()
            } catch let error as DirectoryError {
                status.folderFault = error.message
                status.folderError = error
            }
            // Of fewer nobody has to decide.
            let isMuch = status.unpublished.map { $0 >= StoreCapture.fewestGone } ?? true
            status.massChange = isMuch ? try session.massChange() : nil
            status.unsynced = try unsynced()
            status.hindrances += try session.hindrances()
            status.peers = try peers(state)
            return status
        }
    }

    /// Tables, and columns as `table.column`, of the store that are not synchronised, as this program does not know them.
    public func unsynced() throws -> [String] { try store.read { try $0.unsynced } }

    private func unpublished(_ state: ReplicaState) throws -> Int? {
        guard try state.property("fresh") == nil, try state.property("full") == nil else { return nil }
        let (link, journal) = try store.read { (try $0.link, try $0.journal) }
        let isOurs = try link?.replica == state.required("replica") && link?.generation == state.integer("generation")
        return isOurs && journal.isIntact ? journal.keys.count : nil
    }

    private func peers(_ state: ReplicaState) throws -> [ReplicaStatus.Peer] {
        let waiting = Dictionary(grouping: try state.waitingSegments(), by: \.device.id).mapValues(\.count)
        let own = try state.segments("WHERE is_own AND state = 1")
        let this = environment.device
        var peers: [ReplicaStatus.Peer] = []
        var isListed = false
        for (device, clock, heads) in try state.devices() {
            let seen = VersionVector(heads.map(\.dot))
            isListed = isListed || device.id == this.id
            peers.append(
                ReplicaStatus.Peer(
                    device: device.id == this.id ? this : device,
                    isThis: device.id == this.id,
                    lastChange: clock.milliseconds,
                    waiting: waiting[device.id] ?? 0,
                    unseenByIt: device.id == this.id ? nil : own.count { !seen.covers($0.dot) }
                )
            )
        }
        if !isListed {
            peers.append(
                ReplicaStatus.Peer(device: this, isThis: true, lastChange: nil, waiting: 0, unseenByIt: nil)
            )
        }
        return peers.sorted { $0.isThis && !$1.isThis }
    }

    /// The devices that have written in the folder, as this replica knows them.
    public func devices() throws -> [ReplicaStatus.Peer] { try withState { try peers($0) } }
}

extension SyncSession {
    /// Why a person has to decide before anything of the store is published; nil where that is not so.
    func massChange() throws -> String? {
        do {
            try rehearseCapture()
            return nil
        } catch let error as SyncError where error.code == .massChange {
            return error.message
        }
    }

    /// Files that were listed, are not known yet, and cannot be used.
    func damagedFiles() throws -> [SyncHindrance] {
        let before = outcome.hindrances
        defer { outcome.hindrances = before }
        outcome.hindrances = []
        for file in listing.segments {
            guard try !state.knows(file.writer, file.sequence, file.hash), try !noteSetAside(file) else { continue }
            try reading(file) { try Segment.read(directory.read(file)) }
        }
        for file in listing.packs where try !knowsFile(file.path) && !noteSetAside(file) {
            try reading(file) { try directory.forEachSegment(of: file) { try Segment.read($0.bytes) } }
        }
        for file in listing.doubtful where try file.kind == .segment && !hasRead(file) && !noteSetAside(file) {
            try reading(file) { try Segment.read(directory.contents(of: file).bytes) }
        }
        // Of checkpoints only what is seen at once, or was seen when they were read.
        for file in listing.checkpoints where try !knowsFile(file.path) && !noteSetAside(file) {
            try reading(file) { _ = try directory.checkpointHeader(of: file) }
        }
        notePlaceholders()
        return outcome.hindrances
    }
}
