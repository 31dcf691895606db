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

    /// Publishes the app's declaration if the folder lacks it, and switches to a newer one that fits the store.
    ///
    /// A store whose database is older continues as before: new parts stay beside its tables.
    func updateDeclaration() throws {
        guard let own = info.declaration else { return }
        let newest = directory.declarations().first { $0.app == own.app }
        if let newest, newest.revision > own.revision {
            if try DeclaredStores.misfit(newest, storePath) == nil { try takeOver(newest) }
        } else if newest.map({ $0.revision < own.revision }) ?? true {
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
        try takeOver(declaration)
    }

    /// Switches to another declaration.
    private func takeOver(_ declaration: AppDeclaration) throws {
        let current = try withState { state in
            SyncLink(
                space: space,
                replica: try state.required("replica"),
                generation: try state.integer("generation")
            )
        }
        // An earlier run may have written a revision without noting that.
        guard try store.read({ try $0.link }) == current else { return }
        // First note that all must be compared: the triggers and the journal are made again.
        try withState { state in
            try state.transaction {
                if try state.property("full") == nil {
                    try state.setProperty("full", FullComparison.journal.rawValue)
                }
                try state.setProperty("declaration", declaration.json.text(.compact))
                try state.setProperty("store-stamp", nil)
            }
        }
        try DeclaredStores.declare(declaration, storePath)
        try setDeclaration(declaration)
        let kept = try DeclaredStores.takeExtras(storePath)
        try withState { state in
            try state.transaction {
                for (key, object) in kept {
                    let key = RecordKey(key)
                    guard let held = try state.held(key) else { continue }
                    let rules = info.schema.record(in: key.collection)
                    let shown = held.record.map { ResolvedRecord(key, $0, rules).object }
                    try state.setInStore(key, object.map { info.sent(key, $0) }, shown: shown)
                    try state.markUnknown(key)
                }
                try store.setLink(current)
            }
        }
    }
}
