internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool.InboxGroup {
    struct Add: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Watch a folder in which a device leaves its exports.",
            discussion: """
                Each new Slate-YYYYMMDD.json, export of Time Tracker or Study Timer, or .bztimer file there is taken as the device's \
                edits: what is different from its last export was changed there. What all devices agree on is written beside \
                them, as Slate-synced-….json for instance, which the app imports. Use one folder for each device.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("What the device is called.", valueName: "name"))
        var device: String

        @Option(
            help: ArgumentHelp("The only store that takes the exports; by default each app's does.", valueName: "path"),
            completion: .file()
        )
        var store: String?

        @Option(
            help: ArgumentHelp(
                "The shared folder whose stores take the exports, where several were joined.",
                valueName: "dir"
            ),
            completion: .directory
        )
        var folder: String?

        @Flag(help: "The device leaves its exports in another inbox as well.")
        var sameDevice = false

        @Argument(help: "The folder in which the exports arrive.", completion: .directory)
        var inbox: String

        func run() throws {
            let place = ResolvedPath(inbox)
            guard FolderListing.isFolder(place.text) else {
                throw CommandFailure(.noInput, Messages.noFolder(place.text))
            }
            let name = try ThisDevice.name(device)
            let added = try config.file().update { registry in
                let index = try Self.index(registry, folder)
                guard registry.device?.name != name else {
                    throw CommandFailure(.usage, Messages.inboxOfThisDevice(name))
                }
                for (other, inbox) in registry.inboxes where ResolvedPath(inbox.path).isSame(as: place) {
                    throw CommandFailure(
                        .usage,
                        Messages.inboxOfOther(inbox.path, inbox.device.name, other.path)
                    )
                }
                if let other = registry.inboxes.first(where: { $0.inbox.device.name == name }), !sameDevice {
                    let names = registry.inboxes.map(\.inbox.device)
                    let free = DeviceNames.free(name, among: names)
                    throw CommandFailure(.usage, Messages.inboxOfSame(other.inbox.path, name, free))
                }
                let shared = registry.folders[index]
                guard !place.isWithin(ResolvedPath(shared.path)) else {
                    throw CommandFailure(.usage, Messages.inboxInFolder(place.text))
                }
                let store = try Self.store(store, in: shared)
                // The same device may leave exports in several places, or have left them before: it is one device.
                let known =
                    try registry.inboxes.first { $0.inbox.device.name == name }?.inbox.device
                    ?? Self.former(shared).first { $0.name == name }
                let members = try Self.members(shared)
                if known == nil, let same = members.first(where: { $0.name == name }) {
                    let free = DeviceNames.free(name, among: members)
                    throw CommandFailure(.usage, Messages.inboxNamedLike(name, same.id, free))
                }
                let inbox = Inbox(
                    path: place.text,
                    device: known ?? SyncDevice(id: Identifier.device(), name: name),
                    store: store
                )
                registry.folders[index].inboxes.append(inbox)
                return (registry.folders[index], inbox)
            }
            try output.print(
                TerminalText.safe(Messages.inboxAdded(name, added.1.path)) + "\n",
                InboxReport.json(added.0, added.1)
            )
        }

        /// Returns the devices whose exports the stores of a folder took.
        private static func former(_ folder: JoinedFolder) throws -> [SyncDevice] {
            try replicas(folder).flatMap { try $0.exportingDevices() }
        }

        /// Returns the devices that take part in a folder, as far as its stores can be read.
        private static func members(_ folder: JoinedFolder) throws -> [SyncDevice] {
            try replicas(folder).flatMap { replica in
                ((try? replica.devices()) ?? []).filter { !$0.hasLeft }.map(\.device)
            }
        }

        private static func replicas(_ folder: JoinedFolder) throws -> [Replica] {
            try folder.stores.map { store in
                try Replica(
                    folder: folder.path,
                    store: store.path,
                    ThisDevice.environment(SyncDevice(id: "", name: "")),
                    opensStoreLate: true
                )
            }
        }

        private static func index(_ registry: Registry, _ folder: String?) throws(CommandFailure) -> Int {
            let only = try registry.onlyFolder(named: folder)
            return registry.folders.firstIndex { $0.path == only.path } ?? 0
        }

        private static func store(_ path: String?, in folder: JoinedFolder) throws(CommandFailure) -> String? {
            guard let path else { return nil }
            let wanted = ResolvedPath(path)
            guard let store = folder.stores.first(where: { ResolvedPath($0.path).isSame(as: wanted) }) else {
                let known = folder.stores.map(\.path).joined(separator: ", ")
                throw CommandFailure(.noInput, Messages.notInFolder(path, folder.path, known))
            }
            return store.path
        }
    }
}
