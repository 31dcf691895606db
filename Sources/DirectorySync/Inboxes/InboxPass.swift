internal import CivilTime
internal import FileSystem
internal import FormatKit
package import RecordStore
package import StrictJSON

/// Takes the exports of one inbox, and writes there what the device can import.
package final class InboxPass {
    /// An export that was read.
    package struct Taken {
        package enum Outcome: String { case taken, older, unchanged }

        package let file: String
        package let store: JoinedStore
        package let outcome: Outcome
        /// Records that it changed.
        package let records: Int
        package let warnings: [Diagnostic]
    }

    /// A file that was written for the device.
    package struct Written {
        package let file: String
        package let app: AppID
    }

    package let folder: JoinedFolder
    package let inbox: Inbox
    package private(set) var taken: [Taken] = []
    package var held: [InboxScan.Held] = []
    package var written: [Written] = []
    /// The error that ended the work on this inbox.
    package private(set) var failure: (any Error)?
    /// Exports that a person has to decide about, as they lack most of what the device had; others go on.
    package private(set) var undecided: [(file: String, error: SyncError)] = []
    let environment: SyncEnvironment
    let memory: InboxMemoryFile
    private let decision: SyncDecision
    let isDryRun: Bool

    /// Makes a pass over an inbox of a folder.
    package init(
        _ folder: JoinedFolder,
        _ inbox: Inbox,
        _ environment: SyncEnvironment,
        registry: RegistryFile,
        _ decision: SyncDecision,
        isDryRun: Bool
    ) {
        self.folder = folder
        self.inbox = inbox
        self.environment = environment
        self.decision = decision
        self.isDryRun = isDryRun
        memory = InboxMemoryFile(beside: registry)
    }

    /// Takes what is new; the store of its app takes each export.
    ///
    /// - Parameter stores: The stores that this synchronisation is about.
    package func take(into stores: [JoinedStore]) {
        catching {
            let declarations = declarations
            // Declaring an app makes exports readable that were nobody's before: they are read again.
            if let retirement = retirement {
                held.append(InboxScan.Held(name: "", outcome: .foreign, message: retirement))
                return
            }
            let readers = [environment.program] + declarations.map { "\($0.app).\($0.revision)" }
            var scan = try InboxScan(
                inbox.path,
                try known(),
                formats(declarations),
                now: environment.now() * 1_000_000,
                program: readers.joined(separator: " ")
            )
            held = scan.held
            defer { if !isDryRun { catching { try memory.update(inbox.path, scan.memory) } } }
            for found in scan.found {
                do {
                    try take(found, stores, &scan)
                } catch let error as SyncError where error.code == .massChange {
                    undecided.append((found.name, error))
                    scan.note(found.name, .waiting, error.message)
                } catch let error as AppFormatError {
                    held.append(InboxScan.Held(name: found.name, outcome: .unusable, message: error.message))
                    scan.note(found.name, .unusable, error.message)
                }
            }
            // Only all of them together show what the device had published before it was restored.
            guard undecided.isEmpty, !isDryRun else { return }
            for store in stores where taken.contains(where: { $0.store.path == store.path }) {
                try replica(store).endRestoring(of: inbox.device)
            }
        }
    }

    private func take(_ found: InboxScan.Found, _ stores: [JoinedStore], _ scan: inout InboxScan) throws {
        let app = found.document.app
        guard let store = store(of: app, among: stores) else {
            // A store that others are to be worked on does not come in here; one that is not there at all is told.
            guard self.store(of: app, among: folder.stores) == nil else { return }
            let title = environment.apps.definition(of: app)?.title ?? app.rawValue
            let message = "\(found.name) is an export of \(title), and no store of it takes part in \(folder.path)"
            held.append(InboxScan.Held(name: found.name, outcome: .foreign, message: message))
            return scan.note(found.name, .waiting, message)
        }
        guard !isDryRun else {
            let warnings = found.document.warnings
            taken.append(Taken(file: found.name, store: store, outcome: .taken, records: 0, warnings: warnings))
            return
        }
        let result = try replica(store).take(
            found.document.value,
            isWhole: found.document.isWhole,
            exportedAt: found.madeAt,
            version: found.document.version,
            unsaid: found.document.unsaid,
            columns: found.document.columns,
            from: inbox.device,
            // Discards the store's own changes only: an export is work on another device.
            decision == .discard ? .none : decision
        )
        var records = 0
        var outcome = Taken.Outcome.older
        if case .taken(let sync) = result {
            records = (sync.published + sync.waiting).reduce(0) { $0 + $1.recordCount }
            outcome = records > 0 ? .taken : .unchanged
            let document = found.document
            let hasOthers =
                try !document.isAnswered
                && replica(store).hasExports(of: inbox.device, besides: document.value)
            scan.noteApp(of: document, hasOthers: hasOthers)
        }
        scan.note(found.name, outcome == .older ? .older : .taken)
        let warnings = found.document.warnings
        taken.append(Taken(file: found.name, store: store, outcome: outcome, records: records, warnings: warnings))
    }

    /// Returns the memory of the inbox; it is empty if it belongs to another device or another folder.
    func known() throws -> InboxMemory.Folder {
        let owner = "\(folder.space) \(inbox.device.id)"
        var known = try memory.read().folders[inbox.path] ?? .init()
        if known.owner != nil, known.owner != owner { known = .init() }
        known.owner = owner
        return known
    }

    /// The reason why nothing is taken from the device and nothing written for it: somebody retired it.
    ///
    /// It may be a thief's by now. Nil where nobody did, or no store can be opened, which could take nothing either.
    private(set) lazy var retirement: String? = {
        // One store that can be opened tells it for all.
        let stores = folder.stores.lazy.compactMap { [self] store in try? replica(store) }
        guard let author = try? stores.first?.retirer(of: inbox.device) else { return nil }
        let name = inbox.device.name
        return
            "\(inbox.path): \(name) is retired, so nothing is taken or written there; foldersync devices retire --undo "
            + "\(ShellText.quoted(name)) on \(author) takes that back, foldersync inbox remove "
            + "\(ShellText.quoted(inbox.path)) ends it"
    }()

    func replica(_ store: JoinedStore) throws -> Replica {
        try Replica(folder: folder.path, store: store.path, environment, opensStoreLate: true)
    }

    /// The declarations of the folder's declared apps.
    var declarations: [AppDeclaration] {
        folder.stores.filter { environment.apps.definition(of: $0.app) == nil }.compactMap { store in
            // Synchronising the store tells that it cannot be opened; its exports wait until then.
            try? DeclaredStores.declaration(in: store.path)
        }
    }

    /// Returns the formats of exports: of all known apps, and of those that are only declared.
    func formats(_ declarations: [AppDeclaration]) -> [any InboxFormat] {
        let apps = environment.apps
        return apps.inboxes + declarations.compactMap { apps.inbox(of: $0.id, $0) }
    }

    /// Returns the store that takes the exports of an app.
    func store(of app: AppID, among stores: [JoinedStore]) -> JoinedStore? {
        stores.first { $0.app == app && (inbox.store == nil || inbox.store == $0.path) }
    }

    /// Notes a failure here, so that it keeps no store from being synchronised.
    func catching(_ body: () throws -> Void) {
        do {
            try body()
        } catch {
            failure = error
        }
    }
}
