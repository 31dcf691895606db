internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

/// Takes the exports of one inbox.
final class InboxPass {
    /// An export that was looked at.
    struct Taken {
        enum Outcome: String { case taken, older, unchanged }

        let file: String
        let target: Target
        let outcome: Outcome
        /// Records that it changed.
        let records: Int
        let warnings: [Diagnostic]
    }

    /// A file that was written for the device.
    struct Written {
        let file: String
        let app: AppID
    }

    let folder: JoinedFolder
    let inbox: Inbox
    private(set) var taken: [Taken] = []
    private(set) var held: [InboxScan.Held] = []
    var written: [Written] = []
    private(set) var failure: CommandFailure?
    /// Exports that a person has to decide about, as they lack most of what the device had; others go on.
    private(set) var undecided: [(file: String, failure: CommandFailure)] = []
    let pass: SyncPass
    let memory: InboxMemoryFile

    init(_ folder: JoinedFolder, _ inbox: Inbox, _ pass: SyncPass) {
        self.folder = folder
        self.inbox = inbox
        self.pass = pass
        memory = InboxMemoryFile(beside: pass.file)
    }

    /// Takes what is new; each export is taken by the store of its app.
    func take(into targets: [Target]) throws {
        try catching {
            let declarations = declarations
            // What was nobody's export before an app was declared is read again.
            let readers = [SatchelVersion.current] + declarations.map { "\($0.app).\($0.revision)" }
            var scan = try InboxScan(
                inbox.path,
                memory.read().folders[inbox.path] ?? .init(),
                formats(declarations),
                now: pass.environment.now() * 1_000_000,
                program: readers.joined(separator: " ")
            )
            held = scan.held
            defer { if !pass.isDryRun { try? memory.update(inbox.path, scan.memory) } }
            for found in scan.found {
                do {
                    try take(found, targets, &scan)
                } catch let error as SyncError where error.code == .massChange {
                    undecided.append((found.name, CommandFailure(error)))
                    scan.note(found.name, .waiting, error.message)
                }
            }
        }
    }

    private func take(_ found: InboxScan.Found, _ targets: [Target], _ scan: inout InboxScan) throws {
        let app = found.document.app
        guard let target = target(for: app, among: targets) else {
            // A store that others are to be worked on does not come in here; one that is not there at all is told.
            guard target(for: app, among: folder.targets) == nil else { return }
            let message = "\(found.name) is an export of \(app.title), and no store of it takes part in \(folder.path)"
            held.append(InboxScan.Held(name: found.name, outcome: .foreign, message: message))
            return scan.note(found.name, .waiting, message)
        }
        guard !pass.isDryRun else {
            let warnings = found.document.warnings
            return taken.append(
                Taken(file: found.name, target: target, outcome: .taken, records: 0, warnings: warnings)
            )
        }
        let replica = try pass.replica(target)
        let result = try replica.take(
            found.document.value,
            isWhole: found.document.isWhole,
            exportedAt: found.madeAt,
            from: inbox.device,
            pass.decision
        )
        var records = 0
        var outcome = Taken.Outcome.older
        if case .taken(let sync) = result {
            records = (sync.published + sync.waiting).reduce(0) { $0 + $1.recordCount }
            outcome = records > 0 ? .taken : .unchanged
            scan.give(found.document)
        }
        scan.note(found.name, outcome == .older ? .older : .taken)
        taken.append(
            Taken(
                file: found.name,
                target: target,
                outcome: outcome,
                records: records,
                warnings: found.document.warnings
            )
        )
    }

    /// What describes the folder's apps that are only declared.
    var declarations: [AppDeclaration] {
        folder.stores.filter { pass.environment.apps.definition(of: $0.app) == nil }.compactMap { store in
            // A store that cannot be opened is told when it is synchronised; its exports wait until then.
            try? DeclaredStores.declaration(in: store.path)
        }
    }

    /// What exports may be of: all known apps, and those that are only declared.
    func formats(_ declarations: [AppDeclaration]) -> [any InboxFormat] {
        let apps = pass.environment.apps
        return apps.inboxes + declarations.compactMap { apps.inbox(of: $0.id, $0) }
    }

    /// The store that takes the exports of an app.
    func target(for app: AppID, among targets: [Target]) -> Target? {
        targets.first { target in
            target.folder.path == folder.path && target.app == app
                && (inbox.store == nil || inbox.store == target.store.path)
        }
    }

    /// What fails here keeps no store from being synchronised.
    func catching(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch {
            guard let known = foldersync.failure(error) else { throw error }
            failure = known
        }
    }
}
