internal import AppStores
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

    /// Notes that a device is given all that is known: an export that has it was made by somebody who had seen it.
    ///
    /// - Returns: Whether there is anything that the device does not have.
    public func offer(to device: SyncDevice) throws -> Bool {
        try directory.check(space)
        let nothing = try DocumentStore([:], info, isWhole: false, path: storePath)
        return try withExportState(device, nothing) { replica, state in
            let session = SyncSession(replica, state)
            try session.catchUp()
            let isNew = try state.transaction { try state.offer() }
            // What its export shows is what it has.
            if !isNew { try session.confirm() }
            return isNew
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
        _ = try capture()
        try publish()
    }
}

extension ReplicaState {
    /// Keeps what the device is given of records that it has otherwise.
    fileprivate func offer() throws -> Bool {
        try execute("DELETE FROM offered")
        let keys = try touched(limit: .max)
        var records: [RecordKey: RecordState] = [:]
        for key in try domain.shownTogether(
            Dictionary(uniqueKeysWithValues: keys.map { ($0, RecordLinks()) }),
            in: self
        ) { records[key] = try record(key) }
        for key in keys where records[key] == nil { records[key] = try record(key) }
        let shown = ShownSet(records, schema, domain)
        var isNew = false
        for key in keys {
            let object = shown.records.objects[key]
            let held = try held(key)
            if held?.inStore(key, schema) == object {
                try untouch([key])
                continue
            }
            isNew = true
            let text = object.map { JSONValue.object($0).text(.compact) }
            try execute(
                "INSERT INTO offered (collection, key, object) VALUES (?, ?, ?)",
                [key.collection, key.key, text]
            )
        }
        return isNew
    }

    /// What a device was given of a record last; nil where it was given nothing.
    func offered(_ key: RecordKey) throws -> JSONObject? {
        let sql = "SELECT object FROM offered WHERE collection = ? AND key = ?"
        guard let text = try rows(sql, [key.collection, key.key], { $0.text(0) }).first ?? nil else { return nil }
        return try JSONDocument(parsing: text).root.value.object
    }
}
