package import RecordStore
internal import RecordMerge
internal import StrictJSON

/// Declarations of apps, which travel in the shared folder.
extension Replica {
    /// Returns the declarations in a shared folder, the newest of each app.
    ///
    /// - Parameter keys: Where this device keeps the keys of encrypted folders.
    package static func declarations(in folder: String, _ keys: KeyStore? = nil) -> [AppDeclaration] {
        guard let keys, let space = try? space(of: folder),
            let directory = try? SyncDirectory.opening(folder, space: space, NoCompression(), keys)
        else { return SyncDirectory(listing: folder).declarations() }
        return directory.declarations()
    }

    /// Returns the columns of the app's declaration that an earlier revision did not send.
    ///
    /// It knows none where the folder has that revision no more, or two of it.
    func columns(newSince revision: Int) -> [String: Set<String>] {
        guard let own = info.declaration, revision < own.revision else { return [:] }
        let earlier = directory.declarations(of: own.app, revision: revision)
        guard earlier.count == 1 else { return [:] }
        return own.columns(newSince: earlier[0])
    }

    /// Publishes the app's declaration if the folder lacks it, and switches to a newer one that fits the store.
    ///
    /// A store whose database is older continues as before: new parts stay beside its tables.
    ///
    /// - Throws: `store.foreign` where an update of the app took away what is declared.
    func updateDeclaration(_ decision: SyncDecision) throws {
        guard let own = info.declaration else { return }
        try completeTakeOver()
        let newest = directory.declarations().first { $0.app == own.app }
        if let newest, newest.revision > own.revision, try DeclaredStores.misfit(newest, storePath) == nil {
            return try takeOver(newest, decision)
        }
        try DeclaredStores.check(own, storePath)
        if newest.map({ $0.revision < own.revision }) ?? true {
            // The next publishing reports a folder that accepts no files.
            try? directory.publish(own)
        }
    }

    /// Switches to a changed declaration, which a person wrote.
    ///
    /// - Throws: `sync.declaration` where it differs without a greater revision; `store.foreign` where the database
    ///   lacks a part of it.
    package func change(to declaration: AppDeclaration) throws {
        guard let own = info.declaration, own.app == declaration.app, own.json != declaration.json else { return }
        guard declaration.revision > own.revision else {
            let message =
                "the declaration has revision \(declaration.revision) and differs from the one in use, of revision "
                + "\(own.revision); give a changed declaration a greater one"
            throw SyncError(.declaration, message, path: storePath)
        }
        if let misfit = try DeclaredStores.misfit(declaration, storePath) {
            throw StoreError(.foreign, "\(misfit), which the declaration names", path: storePath)
        }
        try completeTakeOver()
        try takeOver(declaration, .none)
    }

    /// Switches to another declaration.
    private func takeOver(_ declaration: AppDeclaration, _ decision: SyncDecision) throws {
        guard let own = info.declaration else { return }
        // The sync that follows drops this device's changes where a person decided so.
        if decision != .discard { try noteEdits() }
        let current = try currentLink()
        // An earlier run may have written a revision without noting that.
        guard try store.read({ try $0.link }) == current else { return }
        try setDeclaration(declaration)
        do {
            try takeExtras(from: own, current)
        } catch {
            try? setDeclaration(own)
            throw error
        }
        try declare(declaration, current)
    }

    /// Lets the store follow the declaration in use, where its database holds another one.
    ///
    /// An earlier run ended before that, or the database is back from a backup.
    func completeTakeOver() throws {
        guard let own = info.declaration, try !DeclaredStores.holds(own, storePath),
            try DeclaredStores.misfit(own, storePath) == nil
        else { return }
        let current = try currentLink()
        guard let link = try store.read({ try $0.link }), link.space == current.space, link.replica == current.replica,
            link.generation <= current.generation
        else { return }
        // A backup has other parts than those that were taken.
        let isTaken = try withState { state in
            try link == current && state.property(.takenExtras) == String(current.generation)
        }
        try takeExtras(from: DeclaredStores.declaration(in: storePath) ?? own, link, isAgain: isTaken)
        try declare(own, link)
    }

    private func currentLink() throws -> SyncLink {
        try withState { state in
            SyncLink(
                space: space,
                replica: try state.required(.replica),
                generation: try state.integer(.generation)
            )
        }
    }

    /// Notes the declaration in use, and what the store has of records of which it kept parts beside its tables, or of
    /// which others have values for its new columns.
    ///
    /// The store still has these parts afterwards, so it is safe to interrupt: ``declare(_:_:)`` removes them.
    ///
    /// - Parameters:
    ///   - earlier: The declaration under which the store kept these parts.
    ///   - link: The store's link.
    ///   - isAgain: Whether an earlier run did so already; only what the app wrote since is noted.
    private func takeExtras(from earlier: AppDeclaration, _ link: SyncLink, isAgain: Bool = false) throws {
        guard let own = info.declaration else { return }
        let before = try ReplicaApp(store.app, earlier, environment.apps)
        let isCurrent = try link == currentLink()
        let columns = own.columns(newSince: earlier)
        try withState { state in
            let known = try isAgain ? [:] : values(of: columns, state)
            let extras = try DeclaredStores.extras(for: own, storePath, known: known)
            try state.transaction {
                let changed = own.tables.filter { $0.references != earlier.table($0.name)?.references }
                if !changed.isEmpty { try state.relink(Set(changed.map(\.name)), from: before.domain) }
                // All must be compared, as the triggers and the journal are made again. An older store is anyway.
                if isCurrent, try state.property(.full) == nil {
                    try state.setProperty(.full, FullComparison.journal.rawValue)
                }
                try state.setProperty(.declaration, own.json.text(.compact))
                try state.setProperty(.storeStamp, nil)
                try state.setProperty(.takenExtras, String(link.generation))
                for part in extras {
                    let isNew = earlier.table(part.key.collection) == nil
                    if try !isAgain || isWritten(part, isNew: isNew, state) { try take(part, isNew: isNew, state) }
                }
            }
        }
    }

    /// Returns what the devices have in columns that are new here, of each record that has a row in the store.
    ///
    /// A record that somebody deleted, and that still has its row, has none.
    private func values(
        of columns: [String: Set<String>],
        _ state: ReplicaState
    ) throws -> [StoreRecordKey: JSONObject] {
        var found: [StoreRecordKey: JSONObject] = [:]
        for (table, names) in columns {
            try state.forEachRecord(in: table) { key, held in
                guard held.isInStore else { return }
                let shown = held.resolved(key, info.schema).map { info.sent(key, $0) }
                var values = JSONObject()
                for member in shown ?? [:] where names.contains(member.name) { values[member.name] = member.value }
                if shown == nil || !values.isEmpty { found[key.inStore] = values }
            }
        }
        return found
    }

    /// Writes the declaration into the store, which removes the parts that it has columns for, and makes the triggers.
    private func declare(_ declaration: AppDeclaration, _ link: SyncLink) throws {
        try DeclaredStores.declare(declaration, storePath)
        // Change detection links an older store, after it has seen that it is one.
        if try link == currentLink() { try store.setLink(link) }
    }

    /// Makes changes of what the app wrote, under the declaration in use.
    ///
    /// Whoever wrote that had seen all that the store shows; only what the app wrote into new columns had not.
    private func noteEdits() throws {
        guard let own = info.declaration, try DeclaredStores.misfit(own, storePath) == nil else { return }
        try withState { state in
            guard try !state.isFresh, try state.property(.full) == nil else { return }
            let session = SyncSession(self, state)
            do {
                try session.recover()
                guard try !session.isBehind() else { return }
                session.listing = try directory.listing()
                try session.renewWriter()
                _ = try session.detectChanges()
            } catch let error as SyncError where error.code == .massChange {
                // The sync that follows asks about it.
            }
        }
    }

    /// Returns whether the app wrote something of a part, which no change detection has found yet.
    private func isWritten(_ part: DeclaredStores.Extras, isNew: Bool, _ state: ReplicaState) throws -> Bool {
        let key = RecordKey(part.key)
        guard let object = part.object.map({ info.sent(key, $0) }) else { return false }
        let noted = try state.held(key)?.inStore(key, info.schema)
        return isNew ? noted == nil : part.written.contains { noted?[$0] != object[$0] }
    }

    /// Notes what the store has of a record, parts of which it kept beside the app's tables until now.
    ///
    /// The app filled its new columns without having seen those parts, so its values count as concurrent with them.
    private func take(_ part: DeclaredStores.Extras, isNew: Bool, _ state: ReplicaState) throws {
        let key = RecordKey(part.key)
        guard let held = try state.held(key) else { return }
        let shown = held.resolved(key, info.schema)
        let object = part.object.map { info.sent(key, $0) }
        // Other columns differ from this where the app changed them: an edit like any other.
        var before = isNew ? object : held.inStore(key, info.schema)
        if object != nil || part.isUnreadable {
            for name in part.members.map(\.name) { before?[name] = object?[name] }
            for name in part.counted { before?[name] = part.members[name] }
        }
        guard let record = held.record, isNew ? object != nil && object != shown : !part.written.isEmpty else {
            try state.setInStore(key, before, shown: shown)
            return try state.markOwn(key)
        }
        let rules = info.schema.record(in: key.collection)
        let fields = part.written.map { rules[$0]?.group ?? $0 }
        let (earlier, unseen) = isNew ? (nil, record.changes) : record.without(Set(fields))
        for name in part.written { before?[name] = nil }
        try state.setInStore(key, isNew ? nil : before, shown: shown)
        try state.setApplied(key, earlier, heads: ReplicaState.text(state.heads(before: unseen)))
    }
}

extension AppDeclaration.Table {
    /// The columns that refer to other records.
    fileprivate var references: [String: AppDeclaration.Reference] {
        columns.reduce(into: [:]) { $0[$1.name] = $1.reference }
    }
}

extension RecordState {
    /// The changes that wrote something of the record, the earliest of each writer.
    fileprivate var changes: [WriterID: Int] {
        Self.earliest(versions.map(\.stamp.dot) + versions.flatMap(\.cells).flatMap(\.writes).map(\.stamp.dot))
    }

    private static func earliest(_ dots: [Dot]) -> [WriterID: Int] {
        Dictionary(dots.map { ($0.writer, $0.sequence) }, uniquingKeysWith: min)
    }

    /// Returns the record as whoever does not know of some fields has it, and the earliest change of each writer that
    /// such a one has not seen.
    ///
    /// These are the changes that wrote the fields, all versions that have them, as each version holds the whole record,
    /// and what those writers wrote later: a replica that has seen a change has seen all earlier ones of its writer.
    fileprivate func without(_ fields: Set<String>) -> (record: RecordState?, unseen: [WriterID: Int]) {
        let holders = versions.filter { $0.cells.contains { fields.contains($0.path.field) } }
        let written = holders.flatMap(\.cells).filter { fields.contains($0.path.field) }.flatMap(\.writes)
        let unseen = Self.earliest(holders.map(\.stamp.dot) + written.map(\.stamp.dot))
        func isSeen(_ dot: Dot) -> Bool { unseen[dot.writer].map { dot.sequence < $0 } ?? true }
        let kept = remainingCells.compactMap { cell -> Cell? in
            let writes = fields.contains(cell.path.field) ? [] : cell.writes.filter { isSeen($0.stamp.dot) }
            return writes.isEmpty ? nil : Cell(cell.path, writes)
        }
        let origins = Set(versions.flatMap(\.origins).map(\.dot).filter(isSeen)).sorted().map { Origin($0) }
        guard let stamp = kept.flatMap(\.writes).map(\.stamp).max(by: { $0.dot < $1.dot }), !origins.isEmpty else {
            return (nil, unseen)
        }
        let dots = kept.flatMap(\.writes).map(\.stamp.dot) + origins.map(\.dot)
        let seen = VersionVector(dots.filter { $0.writer != stamp.dot.writer })
        return (RecordState(RecordVersion(stamp, seen: seen, origins: origins, cells: kept)), unseen)
    }
}
