internal import RecordStore
internal import GRDB
internal import RecordMerge
public import StrictJSON

/// What became of an export.
public enum TakenExport: Sendable, Hashable {
    /// A later one of the device was taken before; its moment, in milliseconds since 1970.
    case older(than: Int)
    /// What the device changed is published as its own.
    case taken(SyncOutcome)
}

extension Replica {
    /// Takes an export of a device that can do no more than that: what changed since its last one are that device's edits.
    ///
    /// The device is a replica of its own, with a writer of its own; what it knows lies in a file beside this one's, and its
    /// store is the last export. What others changed meanwhile it has not seen, unless the export has it.
    ///
    /// - Parameters:
    ///   - document: The export in the current version of its format.
    ///   - isWhole: Whether what is missing was deleted on the device.
    ///   - exportedAt: When it was made, in milliseconds since 1970; an older one than the last changes nothing.
    ///   - device: The device.
    ///   - decision: What a person decided where an export lacks most of what the last one had.
    /// - Throws: As ``sync(_:)``; `sync.document` where it is none of this app's.
    public func take(
        _ document: JSONValue,
        isWhole: Bool,
        exportedAt: Int?,
        from device: SyncDevice,
        _ decision: SyncDecision = .none
    ) throws -> TakenExport {
        try directory.check(space)
        let source = try DocumentStore(document, info, isWhole: isWhole, path: storePath)
        return try withExportState(device, source) { replica, state in
            // A moment to come is none: all that the device exports until then would be taken for older.
            let exportedAt = exportedAt.flatMap { $0 > environment.now() + 86_400_000 ? nil : $0 }
            if let last = try state.property("exported-at").flatMap(Int.init), let exportedAt, exportedAt < last {
                return .older(than: last)
            }
            let session = SyncSession(replica, state, decision)
            try session.takeExport()
            if let exportedAt {
                try state.transaction { try state.setProperty("exported-at", String(exportedAt)) }
            }
            return .taken(session.outcome)
        }
    }

    /// Notes that a device is given a file with what this store has: whoever imports it has seen all of that.
    ///
    /// It may import the file at any time, or never; its exports show which file it had (``take(_:isWhole:exportedAt:from:_:)``).
    ///
    /// - Parameter document: What is in the file, in the current version of its format.
    /// - Returns: Whether the file can be handed out. It cannot where more is known by now: its import could not be told, and
    ///   what it lacks would seem to be deleted.
    /// - Throws: As ``sync(_:)``; `sync.document` where it is none of this app's.
    public func offer(_ document: JSONValue, to device: SyncDevice) throws -> Bool {
        try directory.check(space)
        let gift = try DocumentStore(document, info, isWhole: true, path: storePath)
        let seen = try withState { try $0.heads().map(\.dot) }
        return try withExportState(device, gift) { replica, state in
            let session = SyncSession(replica, state)
            try session.catchUp()
            guard try state.heads().map(\.dot) == seen else { return false }
            let isNew = try state.transaction { try gift.read { try state.offer($0, replica.info) } }
            // What its export shows is what it has.
            if !isNew { try session.confirm() }
            return true
        }
    }

    /// Opens what is known of a device that exports; makes it where it is new.
    private func withExportState<Result>(
        _ device: SyncDevice,
        _ source: DocumentStore,
        _ body: (Replica, ReplicaState) throws -> Result
    ) throws -> Result {
        let file = StateFile(path: StateFile.path(ofStore: storePath) + "." + device.id)
        var environment = environment
        environment.device = device
        let replica = try Replica(of: self, source, file, environment)
        return try replica.withState { state in
            if try state.property("space") != space {
                try state.transaction {
                    for table in [
                        "property", "head", "record", "touched", "link", "segment", "fork", "checkpoint", "device",
                        "gift",
                        "offered",
                    ] {
                        try state.database.execute(sql: "DELETE FROM \(table)")
                    }
                    try replica.setUp(state, replica: environment.makeName(16))
                }
            }
            return try body(replica, state)
        }
    }
}

extension SyncSession {
    /// Reads what others wrote, without a store to write.
    func catchUp() throws {
        try renewOrList()
        try ingest()
        try state.transaction { _ = try applyAll() }
    }

    private func renewOrList() throws {
        listing = try directory.listing()
        try renewWriter()
    }

    /// Makes the edits of a device that exported, and publishes them.
    func takeExport() throws {
        try catchUp()
        try state.transaction {
            try noteImport()
            _ = try detectChanges()
        }
        try publish()
    }

    /// Finds which of the files that it was given the device imported, and notes that it has what is in there.
    private func noteImport() throws {
        try store.read { records in
            func exported(_ key: RecordKey) throws -> JSONObject? {
                try records.record(key.inStore).map { replica.info.sent(key, $0) }
            }
            guard let number = try state.importedGift(exported) else { return }
            // A collection that the app never exports lost nothing.
            let sql = "SELECT count(*) FROM record WHERE collection = ? AND place IN (1, 2)"
            let collections = try store.collections.filter { try records.count($0) > 0 || state.count(sql, [$0]) > 0 }
            // Where an import adds to what there is, what an export has as before stayed so.
            try state.noteImport(of: number) { key, before in
                guard collections.contains(key.collection) else { return false }
                return try replica.info.importReplaces || exported(key) != before
            }
        }
    }
}
