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
            let formats = formats(declarations)
            for (app, digest) in known.written {
                guard let app = AppID(rawValue: app), let target = target(for: app, among: reports.map(\.target)),
                    let format = formats.first(where: { $0.app == app })
                else { continue }
                let name = InboxOutput.name(format, from: pass.environment.device.name)
                let file = OutputFile("\(inbox.path)/\(name)")
                let isChanged = reports.contains { $0.target.store.path == target.store.path && $0.value.didSomething }
                guard isChanged || digest.isEmpty || !file.exists || taken.contains(where: { $0.target.app == app })
                else { continue }
                // Should it fail, it is tried again though nothing changes any more.
                try note(app, "")
                let digest = file.exists ? digest : ""
                try note(app, try give(format, target, file, known.own[app.rawValue], unless: digest))
            }
        }
    }

    /// Gives the digest of what the device has now.
    ///
    /// - Parameter own: What stays the device's own, as its last export has it.
    private func give(
        _ format: any InboxFormat,
        _ target: Target,
        _ file: OutputFile,
        _ own: String?,
        unless digest: String
    ) throws -> String {
        let store = try pass.environment.apps.open(target.store.path)
        let generator = pass.environment.program
        func document(_ exportedAt: String) throws -> JSONValue {
            var document = try StoreDocument.read(store, as: format, generator: generator, exportedAt: exportedAt)
            format.keep(own, in: &document)
            return document
        }
        let content = InboxScan.hash(try document("").encoded(.compact))
        let output = try InboxOutput(format, try document(moment))
        // As it will be read when it comes back with an export.
        if case .document(let given) = try InboxReading(output.bytes, name: file.path, [format]) {
            guard try pass.replica(target).offer(given.value, to: inbox.device) else { return "" }
        }
        guard content != digest else { return content }
        try file.write(output.bytes)
        written.append(Written(file: String(file.path.dropFirst(file.folder.count)), app: format.app))
        return content
    }

    private func note(_ app: AppID, _ digest: String) throws {
        var known = memory.read().folders[inbox.path] ?? .init()
        known.written[app.rawValue] = digest
        try memory.update(inbox.path, known)
    }

    private var moment: String { Timestamp(seconds: pass.environment.now() / 1_000).description }
}
