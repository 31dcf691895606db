internal import AppList
internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import StrictJSON
internal import foldersync
internal import slate_backup

extension Satchel {
    struct Status: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show what is set up here, and what to do next.",
            discussion: "Changes nothing. Ends with 3 where something waits for you."
        )

        @OptionGroup var output: FormatOption

        func run() throws {
            let stores = LocalStore.all()
            let folders = try SyncProgram.overview()
            let next = Self.next(stores, folders)
            try output.print(
                Self.text(stores, folders, next),
                [
                    "stores": .array(stores.map(\.json)), "folders": .array(folders.map(\.json)),
                    "next": .array(next.map { .string($0.command) }),
                ]
            )
            let waits =
                stores.contains { $0.fault != nil || $0.backup?.isFine == false } || folders.contains(where: \.waits)
            try (waits ? ExitStatus.findings : .success).finish()
        }

        private static func text(
            _ stores: [LocalStore],
            _ folders: [SyncProgram.FolderOverview],
            _ next: [(command: String, reason: String)]
        ) -> String {
            var lines: [String] = []
            if !stores.isEmpty { lines += ["Stores"] + stores.flatMap { $0.lines.map { "  \($0)" } } }
            if !folders.isEmpty { lines += ["Folders"] + folders.flatMap { $0.lines.map { "  \($0)" } } }
            if lines.isEmpty { lines.append(Messages.nothingSetUp) }
            lines.append("Next")
            var table = TextTable([.fixed(""), .left("")])
            for step in next { table.add([step.command, step.reason]) }
            let painter = Painter.output
            let text = lines.map { line in
                let line = TerminalText.safe(line)
                return (line.hasPrefix(" ") ? line : painter.paint(line, .heading)) + "\n"
            }
            return text.joined() + table.render(indent: 2)
        }

        /// Returns the commands that help most now.
        static func next(
            _ stores: [LocalStore],
            _ folders: [SyncProgram.FolderOverview]
        ) -> [(command: String, reason: String)] {
            var next: [(String, String)] = []
            if stores.contains(where: { $0.fault != nil }) {
                next.append(("satchel doctor", Messages.findFault))
            }
            if stores.contains(where: { $0.app.rawValue == "slate" && $0.backup?.isFine == false }) {
                next.append(("satchel slate backup", Messages.backUpAnew))
            }
            if folders.contains(where: { $0.conflicts > 0 }) {
                next.append(("satchel sync conflicts", Messages.seeConflicts))
            }
            next += folders.compactMap(\.unlocking).map { ($0, Messages.openFolder) }
            if folders.contains(where: { $0.waits && $0.unlocking == nil }) {
                next.append(("satchel sync", Messages.syncNow))
            }
            guard next.isEmpty else { return next }
            if stores.isEmpty {
                return [
                    ("satchel timer import FILE", Messages.importSession),
                    ("satchel slate import FILE", Messages.restoreSlate),
                    ("satchel time import FILE", Messages.importLog),
                    ("satchel sync join FOLDER --store PATH", Messages.joinFolder),
                ]
            }
            if let slate = stores.first(where: { $0.app.rawValue == "slate" }) {
                next.append(
                    slate.backup == nil
                        ? ("satchel slate backup --to FOLDER", Messages.backUpSlate)
                        : ("satchel slate backup status", Messages.seeBackup)
                )
            }
            next.append(
                folders.isEmpty
                    ? ("satchel sync init FOLDER --store PATH", Messages.keepInStep)
                    : ("satchel sync", Messages.syncNow)
            )
            return next
        }
    }
}

/// A store at its usual place.
struct LocalStore {
    let app: AppID
    let title: String
    let path: String
    /// Records by collection; those without any are left out.
    let counts: [(collection: String, count: Int)]
    /// The reason why it cannot be read.
    let fault: String?
    /// The last good backup; nil where none was ever noted.
    let backup: BackupHealth?

    private static let names = [
        "bztimer": "bztimer.db", "slate": "slate.db", "tracker": "tracker.db", "study": "timer.db",
    ]

    /// Returns the stores that exist.
    static func all() -> [LocalStore] {
        AppStores.all.apps.compactMap { app in
            guard let name = names[app.id.rawValue],
                let path = try? StoreArgument.path(nil, option: "--store", default: name), OutputFile(path).isTaken
            else { return nil }
            return LocalStore(app, path)
        }
    }

    private init(_ app: any AppDefinition, _ path: String) {
        self.app = app.id
        title = app.title
        self.path = path
        backup = try? SlateProgram.lastBackup(of: path, isThorough: false)
        do {
            let store = try AppStores.all.open(path)
            counts = try store.read { records in
                try store.collections.filter { !$0.isEmpty }.map { ($0, try records.count($0)) }.filter { $0.1 > 0 }
            }
            fault = nil
        } catch {
            counts = []
            fault = (error as? StoreError)?.message ?? "\(error)"
        }
    }

    var lines: [String] {
        let words = SyncProgram.words(counts)
        let state = fault.map { Messages.unreadable(path, $0) } ?? "\(words.isEmpty ? "empty" : words) (\(path))"
        return ["\(title): \(state)"] + (backup.map { [Messages.lastBackup($0.line)] } ?? [])
    }

    var json: JSONValue {
        var records = JSONObject()
        for entry in counts { records[entry.collection] = .number(entry.count) }
        return [
            "app": .string(app.rawValue), "store": .string(path), "records": .object(records),
            "fault": fault.map { .string($0) } ?? .null, "backup": backup?.json ?? .null,
        ]
    }
}
