internal import CivilTime
internal import FileSystem
internal import RecordStore
internal import StrictJSON

extension InboxPass {
    /// Writes the merged state for the device, where it is not what was written last.
    ///
    /// Only for apps of which the device has given an export: of others nobody knows whether it has them.
    ///
    /// - Parameter stores: The stores that were synchronised, and whether anything changed in each.
    package func writeForDevice(_ stores: [(store: JoinedStore, didSomething: Bool)]) {
        guard !isDryRun, failure == nil else { return }
        catching {
            let known = try known()
            guard known.written.isEmpty || retirement == nil else { return }
            let formats = formats(declarations)
            for (app, digest) in known.written {
                guard let app = AppID(rawValue: app), let store = store(of: app, among: stores.map(\.store)),
                    let format = formats.first(where: { $0.app == app })
                else { continue }
                let name = InboxOutput.name(format, from: environment.device)
                let file = "\(inbox.path)/\(name)"
                let exists = (try? FileStatus(file, followsLinks: false))?.kind == .file
                let isChanged = stores.contains { $0.store.path == store.path && $0.didSomething }
                // An interrupted run may have changed the store without writing this file.
                let heads = try replica(store).knownHeads()
                guard
                    isChanged || digest.isEmpty || !exists || known.heads[app.rawValue] != heads
                        || taken.contains(where: { $0.store.app == app })
                else { continue }
                // Should it fail, it is tried again though nothing changes any more.
                try note(app, "", heads)
                let digest = exists ? digest : ""
                try note(app, try write(format, store, file, known.own[app.rawValue], unless: digest), heads)
            }
        }
    }

    /// Returns the files in the inbox that the device's exports do not show to be imported.
    ///
    /// - Throws: The fault where the state of a device or the memory of inboxes cannot be read.
    package func filesToImport() throws -> [Written] {
        guard retirement == nil else { return [] }
        let formats = formats(declarations)
        return try known().written.keys.sorted().compactMap { app in
            guard let app = AppID(rawValue: app), let store = store(of: app, among: folder.stores),
                let format = formats.first(where: { $0.app == app }), !format.renames
            else { return nil }
            let name = InboxOutput.name(format, from: environment.device)
            let isThere = (try? FileStatus("\(inbox.path)/\(name)", followsLinks: false))?.kind == .file
            guard isThere, try replica(store).awaitsImport(by: inbox.device) else { return nil }
            return Written(file: name, app: app)
        }
    }

    /// Writes the merged state of one app, and returns the digest of what the device has now.
    ///
    /// - Parameter own: What stays the device's own, as its last export has it.
    private func write(
        _ format: any InboxFormat,
        _ joined: JoinedStore,
        _ file: String,
        _ own: String?,
        unless digest: String
    ) throws -> String {
        let store = try environment.apps.open(joined.path)
        let generator = environment.program
        func document(_ exportedAt: String) throws -> JSONValue {
            var document = try StoreDocument.read(store, as: format, generator: generator, exportedAt: exportedAt)
            format.keep(own, in: &document)
            return document
        }
        let content = InboxScan.hash(try document("").encoded(.compact))
        let output = try InboxOutput(format, try document(moment))
        // As it will be read when it comes back with an export.
        if case .document(let given) = try InboxReading(output.bytes, name: file, [format]) {
            guard try replica(joined).offer(given.value, to: inbox.device) else { return "" }
        }
        guard content != digest else { return content }
        var known = try self.known()
        known.remember(output: InboxScan.hash(output.bytes))
        try memory.update(inbox.path, known)
        try Files.write(output.bytes, to: file)
        written.append(Written(file: String(file.dropFirst(inbox.path.count + 1)), app: format.app))
        return content
    }

    private func note(_ app: AppID, _ digest: String, _ heads: String) throws {
        var known = try self.known()
        known.written[app.rawValue] = digest
        known.heads[app.rawValue] = heads
        try memory.update(inbox.path, known)
    }

    private var moment: String { Timestamp(seconds: environment.now() / 1_000).description }
}
