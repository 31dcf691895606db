internal import AppList
internal import ArgumentParser
internal import CommandSupport
internal import RecordStore
internal import StrictJSON
internal import foldersync

extension Satchel {
    struct Status: ParsableCommand {
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
            let waits = stores.contains { $0.fault != nil } || folders.contains(where: \.waits)
            try (waits ? ExitStatus.findings : .success).finish()
        }

        private static func text(
            _ stores: [LocalStore],
            _ folders: [SyncProgram.FolderOverview],
            _ next: [(command: String, reason: String)]
        ) -> String {
            var lines: [String] = []
            if !stores.isEmpty { lines += ["Stores"] + stores.map { "  \($0.line)" } }
            if !folders.isEmpty { lines += ["Folders"] + folders.flatMap { $0.lines.map { "  \($0)" } } }
            if lines.isEmpty { lines.append("Nothing is set up on this device yet.") }
            let width = next.map(\.command.count).max() ?? 0
            lines += ["Next"] + next.map { "  \($0.command.padding(to: width))  \($0.reason)" }
            return lines.map { TerminalText.safe($0) + "\n" }.joined()
        }

        /// The commands that help most now.
        private static func next(
            _ stores: [LocalStore],
            _ folders: [SyncProgram.FolderOverview]
        ) -> [(command: String, reason: String)] {
            var next: [(String, String)] = []
            if stores.contains(where: { $0.fault != nil }) {
                next.append(("satchel doctor", "Find out what is wrong."))
            }
            if folders.contains(where: { $0.conflicts > 0 }) {
                next.append(("satchel sync conflicts", "See the values to choose between."))
            }
            if folders.contains(where: \.waits) { next.append(("satchel sync", "Sync now.")) }
            guard next.isEmpty else { return next }
            if stores.isEmpty {
                return [
                    ("satchel timer import FILE", "Import a session that you were sent."),
                    ("satchel slate import FILE", "Restore a backup of Slate."),
                    ("satchel time import FILE", "Import a time log, also from other programs."),
                    ("satchel sync join FOLDER --store PATH", "Take part in a shared folder."),
                ]
            }
            if stores.contains(where: { $0.app.rawValue == "slate" }) {
                next.append(("satchel slate export FOLDER", "Back up Slate."))
            }
            next.append(
                folders.isEmpty
                    ? ("satchel sync init FOLDER --store PATH", "Keep another device in step.")
                    : ("satchel sync", "Sync now.")
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

    private static let names = [
        "bztimer": "bztimer.db", "slate": "slate.db", "tracker": "tracker.db", "study": "timer.db",
    ]

    /// The stores that exist.
    static func all() -> [LocalStore] {
        apps.compactMap { app in
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
        do {
            let store = try SyncStores.open(path)
            counts = try store.read { records in
                try store.collections.filter { !$0.isEmpty }.map { ($0, try records.count($0)) }.filter { $0.1 > 0 }
            }
            fault = nil
        } catch {
            counts = []
            fault = (error as? StoreError)?.message ?? "\(error)"
        }
    }

    var line: String {
        if let fault { return "\(title): \(path) cannot be read: \(fault)" }
        let words = SyncProgram.words(counts)
        return "\(title): \(words.isEmpty ? "empty" : words) (\(path))"
    }

    var json: JSONValue {
        var records = JSONObject()
        for entry in counts { records[entry.collection] = .number(JSONNumber(entry.count)) }
        return [
            "app": .string(app.rawValue), "store": .string(path), "records": .object(records),
            "fault": fault.map { .string($0) } ?? .null,
        ]
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
