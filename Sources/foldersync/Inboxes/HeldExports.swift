internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// Inboxes with the exports in them that cannot be used, as the last synchronisation found them.
struct HeldExports {
    private let inboxes: [(folder: JoinedFolder, inbox: Inbox, memory: InboxMemory.Folder?)]

    /// - Parameter folders: Folders of which each may come several times.
    init(_ folders: [JoinedFolder], _ memory: InboxMemory) {
        var paths: Set<String> = []
        inboxes = folders.filter { paths.insert($0.path).inserted }.flatMap { folder in
            folder.inboxes.map { (folder, $0, memory.folders[$0.path]) }
        }
    }

    /// A line for each export.
    var text: String {
        inboxes.flatMap { entry in
            InboxReport.held(entry.inbox, entry.memory).map { held in
                TerminalText.safe("\(entry.inbox.device.name): \(held.words): \(held.message)") + "\n"
            }
        }.joined()
    }

    var status: ExitStatus {
        inboxes.allSatisfy { InboxReport.held($0.inbox, $0.memory).isEmpty } ? .success : .findings
    }

    var json: JSONValue { .array(inboxes.map { InboxReport.json($0.folder, $0.inbox, $0.memory) }) }
}

/// The files that sync wrote for devices with an inbox, and that these have yet to import.
struct FilesToImport {
    /// A line for each device and file.
    let lines: [String]
    let json: JSONValue

    /// - Parameter folders: Folders of which each may come several times.
    init(_ folders: [JoinedFolder], _ environment: SyncEnvironment, _ registry: RegistryFile) {
        var paths: Set<String> = []
        let found = folders.filter { paths.insert($0.path).inserted }.flatMap { folder in
            folder.inboxes.flatMap { inbox in
                let pass = InboxPass(folder, inbox, environment, registry: registry, .none, isDryRun: true)
                // The report on the store, or on the inboxes, names a fault that keeps these files from being read.
                let files = (try? pass.filesToImport()) ?? []
                return files.map { (device: inbox.device, inbox: inbox.path, file: $0.file) }
            }
        }
        lines = found.map { Messages.toImport($0.device.name, $0.file) }
        json = .array(
            found.map {
                [
                    "device": .object($0.device.json), "inbox": .string($0.inbox), "file": .string($0.file),
                ]
            }
        )
    }
}

extension InboxScan.Held {
    /// The consequence for the file, in words.
    var words: String {
        switch outcome {
        case .newer: Messages.heldForNewer
        case .foreign: Messages.heldForeign
        case .waiting: Messages.heldForYou(name)
        default: Messages.heldUnusable
        }
    }
}
