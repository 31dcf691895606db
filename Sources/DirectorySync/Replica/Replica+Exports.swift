internal import FileSystem
public import FormatKit
internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
public import StrictJSON

/// The result of reading an export.
public enum TakenExport: Sendable, Hashable {
    /// A later export was read before; its time in milliseconds since 1970.
    case older(than: Int)
    /// The device's changes are published as its own.
    case taken(SyncOutcome)
}

extension Replica {
    /// Reads an export: the differences from the device's last one become its edits.
    ///
    /// The device has a replica and a writer of its own. Its state is in a file beside this replica's, and its store is
    /// the last export. It has not seen the changes of others since, unless the export has them.
    ///
    /// - Parameters:
    ///   - document: The export in the current version of its format.
    ///   - isWhole: Whether a missing record was deleted on the device.
    ///   - exportedAt: The time of the export, in milliseconds since 1970; an older export than the last has no effect.
    ///   - version: The version of the export; nil where its format has one version.
    ///   - unsaid: The collections that the export cannot contain.
    ///   - columns: The columns that its rows name, by table; empty where the version tells what it can contain.
    ///   - device: The device.
    ///   - decision: A person's decision where an export lacks most of the last one.
    /// - Throws: As ``sync(_:)``; `sync.document` for a document that is not this app's.
    public func take(
        _ document: JSONValue,
        isWhole: Bool,
        exportedAt: Int?,
        version: DocumentVersion? = nil,
        unsaid: Set<String> = [],
        columns: [String: Set<String>] = [:],
        from device: SyncDevice,
        _ decision: SyncDecision = .none
    ) throws -> TakenExport {
        try directory.check(space)
        func source(_ document: JSONValue) throws -> DocumentStore {
            let parts = UnsaidParts(document, version, unsaid, columns, isWhole: isWhole)
            return try DocumentStore(document, info, parts, path: storePath)
        }
        let given = try source(document)
        guard let declaration = info.declaration, declaration.hasNaturalKeys else {
            return try take(given, exportedAt, device, decision)
        }
        let known = try withExportState(device, given) { replica, state in
            try SyncSession(replica, state).catchUp()
            return try ExportedKeys(declaration, state).document(document)
        }
        return try take(source(known), exportedAt, device, decision)
    }

    private func take(
        _ source: DocumentStore,
        _ exportedAt: Int?,
        _ device: SyncDevice,
        _ decision: SyncDecision
    ) throws -> TakenExport {
        try withExportState(device, source) { replica, state in
            // Ignore a future time: all exports until then would count as older.
            let exportedAt = exportedAt.flatMap { $0 > environment.now() + 86_400_000 ? nil : $0 }
            if let last = try state.property(.exportedAt).flatMap(Int.init), let exportedAt, exportedAt < last {
                return .older(than: last)
            }
            let session = SyncSession(replica, state, decision)
            try session.takeExport()
            if let exportedAt {
                try state.transaction { try state.setProperty(.exportedAt, String(exportedAt)) }
            }
            try session.compactIfDue()
            return .taken(session.outcome)
        }
    }

    /// Notes that a device gets a file of this store; whoever imports the file has seen all of it.
    ///
    /// It may import the file at any time, or never. Its exports show which file it imported
    /// (``take(_:isWhole:exportedAt:version:unsaid:from:_:)``).
    ///
    /// - Parameter document: The content of the file, in the current version of its format.
    /// - Returns: Whether the file can be handed out; false if this replica knows more by now. Then nothing could show
    ///   its import, and its gaps would look like deletions.
    /// - Throws: As ``sync(_:)``; `sync.document` for a document that is not this app's.
    public func offer(_ document: JSONValue, to device: SyncDevice) throws -> Bool {
        try directory.check(space)
        let offered = try DocumentStore(document, info, UnsaidParts(document, isWhole: true), path: storePath)
        let seen = try withState { try $0.heads().map(\.dot) }
        return try withExportState(device, offered) { replica, state in
            let session = SyncSession(replica, state)
            try session.catchUp()
            guard try state.heads().map(\.dot) == seen else { return false }
            let isNew = try state.transaction { try offered.read { try state.offer($0, replica.info) } }
            // The device has what its export shows.
            if !isNew { try session.confirm() }
            return true
        }
    }

    /// Returns whether a device has not imported the last file for it, as its exports show.
    package func awaitsImport(by device: SyncDevice) throws -> Bool {
        try withLastExport(of: device) { try $0.awaitsImport(isReplacing: info.importReplaces) } ?? false
    }

    /// Notes that no export of a device waits any more for the decision that a copied or restored device needs.
    package func endRestoring(of device: SyncDevice) throws {
        _ = try withLastExport(of: device) { state in
            if try state.property(.restored) != nil {
                try state.transaction { try state.setProperty(.restored, nil) }
            }
        }
    }

    /// Returns whether a device's exports have records in collections that a document does not name.
    func hasExports(of device: SyncDevice, besides document: JSONValue) throws -> Bool {
        try withLastExport(of: device) { state in
            try info.schema.document.members.contains { member in
                try document[member.name] == nil && state.inStoreCount(in: member.name) > 0
            }
        } ?? false
    }

    /// Calls `body` with the state of an exporting device; the result is nil where there is none.
    private func withLastExport<Result>(
        of device: SyncDevice,
        _ body: (ReplicaState) throws -> Result
    ) throws -> Result? {
        let file = stateFile(of: device)
        guard try Files.exists(file.path) else { return nil }
        let nothing = JSONValue.object([:])
        let source = try DocumentStore(nothing, info, UnsaidParts(nothing, isWhole: false), path: storePath)
        return try Replica(of: self, source, file, environment).withState { state in
            try state.property(.space) == space ? body(state) : nil
        }
    }

    /// Returns the devices whose exports this store took: their states are beside it.
    package func exportingDevices() throws -> [SyncDevice] {
        try withState { try $0.devices() }.map(\.device).filter { try Files.exists(stateFile(of: $0).path) }
    }

    private func stateFile(of device: SyncDevice) -> StateFile {
        StateFile(path: StateFile.path(ofStore: storePath) + "." + device.id)
    }

    /// Returns the changes that this replica knows, as text.
    func knownHeads() throws -> String { try withState { try $0.headsText() } }

    /// Opens the state of an exporting device, or makes it for a new one.
    private func withExportState<Result>(
        _ device: SyncDevice,
        _ source: DocumentStore,
        _ body: (Replica, ReplicaState) throws -> Result
    ) throws -> Result {
        let file = stateFile(of: device)
        var environment = environment
        environment.device = device
        let replica = try Replica(of: self, source, file, environment)
        return try replica.withState { state in
            if try state.property(.space) != space {
                try state.transaction {
                    for table in [
                        "property", "head", "record", "touched", "link", "segment", "fork", "checkpoint", "device",
                        "gift",
                        "offered", "restored",
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
    /// Reads the changes of others, without writing a store.
    func catchUp() throws {
        try renewOrList()
        try ingest()
        try state.transaction { _ = try applyAll() }
    }

    private func renewOrList() throws {
        listing = try directory.listing()
        try renewWriter()
    }

    /// Makes the edits of an exporting device, and publishes them.
    func takeExport() throws {
        try catchUp()
        try state.transaction {
            let document = store as? DocumentStore
            let identifiers = ExportedIdentifiers(state)
            try document?.change(identifiers.replaceKnown)
            try document?.complete(by: state)
            if try noteImport() { try document?.complete(by: state) }
            if try noteImportedRecords() { try document?.complete(by: state) }
            if try document?.change(identifiers.replaceNew) == true { try document?.complete(by: state) }
            _ = try detectChanges()
            try restoreDependents()
            try document?.noteVersion(in: state)
        }
        try publish()
    }

    /// Finds which of its files the device imported, and notes that the device has its content.
    ///
    /// - Returns: Whether it imported one.
    private func noteImport() throws -> Bool {
        try store.read { records in
            let isReplacing = replica.info.importReplaces
            let exported = exported(records)
            guard let number = try state.importedOffer(isReplacing: isReplacing, exported) else { return false }
            let collections = try store.collections.filter(canLack)
            // An import that only adds has kept what the export has unchanged, and removed nothing.
            try state.noteImport(of: number) { key, before, given in
                guard collections.contains(key.collection), given != nil || isReplacing else { return false }
                return try isReplacing || exported(key) != before
            }
            return true
        }
    }

    /// Notes each record that the device has from a file, though nothing shows that it imported the whole file.
    ///
    /// - Returns: Whether there is one.
    private func noteImportedRecords() throws -> Bool {
        try store.read { records in
            // An import that only adds removes no record, so the person removed what the export lacks.
            try state.noteImportedRecords(
                canRemove: { try replica.info.importReplaces && canLack($0) },
                exported(records)
            )
        }
    }

    private func exported(_ records: any SyncRecords) -> (RecordKey) throws -> JSONObject? {
        { [info = replica.info] key in try records.record(key.inStore).map { info.sent(key, $0) } }
    }

    /// Returns whether the export can lack records of a collection.
    ///
    /// A collection that the app neither exports nor exported has lost nothing.
    private func canLack(_ collection: String) throws -> Bool {
        let document = store as? DocumentStore
        let named = document?.named ?? Set(store.collections)
        let isKnown = store.collections.contains(collection) && document?.unsaid.contains(collection) != true
        guard isKnown else { return false }
        return try named.contains(collection) || state.inStoreCount(in: collection) > 0
    }
}
