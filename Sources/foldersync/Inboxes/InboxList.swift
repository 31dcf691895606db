internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool.InboxGroup {
    struct List: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "list",
            abstract: "List the folders in which devices leave exports, and what cannot be used there.",
            discussion: "Ends with 3 where there is something that cannot be used."
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let file = try config.file()
            let inboxes = try file.read().inboxes
            let memory = try InboxMemoryFile(beside: file).read()
            let held = try HeldExports(file.read().folders, memory)
            try output.print(
                inboxes.isEmpty
                    ? ProgramNames.asCalled(Messages.noInboxes)
                    : text(inboxes, memory) + held.text,
                [
                    "inboxes": .array(
                        inboxes.map { InboxReport.json($0.folder, $0.inbox, memory.folders[$0.inbox.path]) }
                    )
                ]
            )
            try held.status.finish()
        }

        private func text(_ inboxes: [(folder: JoinedFolder, inbox: Inbox)], _ memory: InboxMemory) -> String {
            var table = TextTable([.left("DEVICE"), .fixed("INBOX"), .fixed("FOLDER"), .right("TAKEN"), .right("HELD")])
            for (folder, inbox) in inboxes {
                let known = memory.folders[inbox.path]
                let taken = (known?.files ?? [:]).values.count { $0.outcome == .taken }
                let held = InboxReport.held(inbox, known).count
                table.add([inbox.device.name, inbox.path, folder.path, "\(taken)", "\(held)"])
            }
            return table.render()
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Take in a folder's exports no more; the files stay, and so does what was taken."
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        @Argument(help: "The folder in which the exports arrive.", completion: .directory)
        var inbox: String

        func run() throws {
            let place = ResolvedPath(inbox)
            let file = try config.file()
            let removed = try file.update { registry in
                for index in registry.folders.indices {
                    let inboxes = registry.folders[index].inboxes
                    guard let at = inboxes.firstIndex(where: { ResolvedPath($0.path).isSame(as: place) }) else {
                        continue
                    }
                    let inbox = registry.folders[index].inboxes.remove(at: at)
                    return (registry.folders[index], inbox)
                }
                let known = registry.inboxes.map(\.inbox.path).joined(separator: ", ")
                throw CommandFailure(
                    .noInput,
                    Messages.noInbox(inbox, known)
                )
            }
            try InboxMemoryFile(beside: file).reconsider(removed.1.path)
            let device = removed.1.device
            var lines = [Messages.inboxRemoved(device.name, removed.1.path)]
            if !removed.0.inboxes.contains(where: { $0.device.id == device.id }) {
                lines.append(Messages.lastInboxRemoved(device.name))
            }
            try output.print(
                lines.map { TerminalText.safe($0) + "\n" }.joined(),
                InboxReport.json(removed.0, removed.1)
            )
        }
    }
}
