internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import StrictJSON

/// Inboxes for programs.
enum InboxReport {
    /// Returns an inbox with the files that cannot be used.
    static func json(_ folder: JoinedFolder, _ inbox: Inbox, _ memory: InboxMemory.Folder? = nil) -> JSONValue {
        [
            "folder": .string(folder.path),
            "inbox": .string(inbox.path),
            "device": .object(inbox.device.json),
            "store": inbox.store.map { .string($0) } ?? .null,
            "held": .array(held(inbox, memory).map(json)),
        ]
    }

    /// Returns the files that cannot be used, or the folder itself.
    static func held(_ inbox: Inbox, _ memory: InboxMemory.Folder?) -> [InboxScan.Held] {
        guard (try? Files.exists(inbox.path)) != false else {
            return [InboxScan.Held(name: inbox.path, outcome: .unusable, message: Messages.inboxGone(inbox.path))]
        }
        return (memory?.files ?? [:]).sorted { $0.key < $1.key }.compactMap { name, file in
            file.message.map { InboxScan.Held(name: name, outcome: file.outcome, message: $0) }
        }
    }

    static func json(_ held: InboxScan.Held) -> JSONValue {
        [
            "file": .string(held.name), "outcome": .string(held.outcome.rawValue), "message": .string(held.message),
        ]
    }
}
