internal import AppList
internal import CivilTime
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

extension InboxPass {
    /// Writes the merged state for the device, where it is not what was written last.
    ///
    /// Only for apps of which the device has given an export: of others nobody knows whether it has them.
    ///
    /// - Parameter reports: What became of the stores; one in which nothing changed is not read.
    func give(_ reports: [(target: Target, value: SyncReport)]) throws {
        guard !pass.isDryRun, failure == nil else { return }
        try catching {
            let known = memory.read().folders[inbox.path] ?? .init()
            for (app, digest) in known.written {
                guard let app = AppID(rawValue: app), let target = target(for: app, among: reports.map(\.target))
                else { continue }
                let file = OutputFile("\(inbox.path)/\(InboxOutput.name(app, from: pass.environment.device.name))")
                let isChanged = reports.contains { $0.target.store.path == target.store.path && $0.value.didSomething }
                guard isChanged || digest.isEmpty || !file.exists || taken.contains(where: { $0.target.app == app })
                else { continue }
                // Should it fail, it is tried again though nothing changes any more.
                try note(app, "")
                try note(app, try give(app, target, file, known.lastOpen, unless: file.exists ? digest : ""))
            }
        }
    }

    /// Gives the digest of what the device has now.
    ///
    /// - Parameter lastOpen: When the device's Slate was last opened, which no other device's day may replace.
    private func give(
        _ app: AppID,
        _ target: Target,
        _ file: OutputFile,
        _ lastOpen: String?,
        unless digest: String
    ) throws -> String {
        let store = try SyncStores.open(target.store.path)
        func document(_ exportedAt: String) throws -> JSONValue {
            var document = try StoreDocument.read(store, exportedAt: exportedAt)
            if app == .slate { document["meta"]?["last_open_date"] = lastOpen.map { .string($0) } }
            return document
        }
        let content = InboxScan.hash(try document("").encoded(.compact))
        let output = try InboxOutput(app, try document(moment))
        // As it will be read when it comes back with an export.
        if case .document(let given) = try InboxReading(output.bytes, name: file.path) {
            guard try pass.replica(target).offer(given.value, to: inbox.device) else { return "" }
        }
        guard content != digest else { return content }
        try file.write(output.bytes)
        written.append(Written(file: String(file.path.dropFirst(file.folder.count)), app: app))
        return content
    }

    private func note(_ app: AppID, _ digest: String) throws {
        var known = memory.read().folders[inbox.path] ?? .init()
        known.written[app.rawValue] = digest
        try memory.update(inbox.path, known)
    }

    private var moment: String { Timestamp(seconds: pass.environment.now() / 1_000).description }
}
