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
