internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase

extension Replica {
    /// Returns the device that a store's own file names; nil where there is no file, or the device never wrote.
    ///
    /// It serves a device that lost its list of joined folders: the store has its link, and the file beside it the
    /// rest.
    ///
    /// - Throws: `StoreError` where the store cannot be opened; ``SyncError`` where the replica's own file cannot be
    ///   used.
    public static func device(
        ofStore path: String,
        space: String,
        _ environment: SyncEnvironment
    ) throws -> SyncDevice? {
        let file = StateFile(path: StateFile.path(ofStore: path))
        guard file.exists else { return nil }
        let store = try environment.apps.open(path)
        let link = try store.read { try $0.link }
        let info = try ReplicaApp(store, environment.apps)
        let queue = try file.open(making: false, lockTimeout: environment.lockTimeout)
        return try file.translating {
            try queue.writeWithoutTransaction { database in
                let state = ReplicaState(database, path: file.path, info, environment)
                // A store without a link replaces a lost one.
                guard try state.property(.space) == space, try state.property(.app) == store.app.rawValue,
                    try link == nil || link?.replica == state.property(.replica)
                else { return nil }
                guard let own = try state.segments("WHERE is_own ORDER BY clock DESC LIMIT 1").first else {
                    let parts = try state.property(.device)?.split(separator: " ", maxSplits: 1).map(String.init) ?? []
                    return parts.count == 2 ? SyncDevice(id: parts[0], name: parts[1]) : nil
                }
                return try state.devices().map(\.device).first { $0.id == own.device.id } ?? own.device
            }
        }
    }

    /// Gives a writer of its own to a store that is a copy of another device's.
    ///
    /// - Throws: ``SyncError`` where the replica cannot be opened or its own file cannot be written; `StoreError`.
    public static func separate(store path: String, folder: String, _ environment: SyncEnvironment) throws {
        let replica = try Replica(folder: folder, store: path, environment)
        try replica.withState { state in
            let session = SyncSession(replica, state)
            try state.transaction { try session.renewRestored() }
        }
    }

    /// Returns the devices that have written into a folder, as the last files of each writer name them.
    ///
    /// It ignores files that cannot be read.
    ///
    /// - Throws: `DirectoryError`, when the folder cannot be listed.
    public static func devices(
        in folder: String,
        space: String,
        _ compression: any Compression,
        _ keys: KeyStore?
    ) throws -> [SyncDevice] {
        let directory = try SyncDirectory.opening(folder, space: space, compression, keys)
        let listing = try directory.listing()
        var last: [String: ListedFile] = [:]
        for file in listing.segments + listing.packs {
            let writer = file.writer.description
            if last[writer].map({ $0.last < file.last }) ?? true { last[writer] = file }
        }
        var devices: [SyncDevice] = []
        func note(_ device: SyncDevice?) {
            if let device, !devices.contains(where: { $0.id == device.id }) { devices.append(device) }
        }
        for file in last.values.sorted(by: { $0.path < $1.path }) {
            switch file.kind {
            case .segment: note(try? directory.coder.header(of: directory.read(file)).device)
            case .pack:
                note(
                    (try? directory.segments(of: file))?.last.flatMap {
                        try? directory.coder.header(of: $0.bytes).device
                    }
                )
            case .checkpoint: break
            }
        }
        for mark in listing.marks { note(mark.device) }
        for file in listing.checkpoints { note((try? directory.checkpointHeader(of: file))?.segment.device) }
        return devices
    }
}
