internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Join: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Take part in a shared folder, with this device's stores.",
            discussion: """
                What a store holds and what the folder holds come together; records that are the same are one. A folder that this \
                device has joined and that was moved is found again: join it where it is now. --store adds a store to a \
                folder that was joined before.

                Where the list of what this device has joined was lost, join with --store goes on where the store was. Where the \
                file beside the store was lost, it begins anew with what the folder has, and nothing of the store is lost.
                """
        )

        @OptionGroup var arguments: StoreArguments
        @OptionGroup var config: ConfigOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Argument(help: "The shared folder.", completion: .directory)
        var folder: String

        func run() throws {
            let file = try config.file()
            let path = ResolvedPath(folder).text
            let space = try Replica.space(of: path)
            let known = try relocated(file, to: path, space)
            guard known != nil || !arguments.isEmpty else {
                throw CommandFailure(.usage, Messages.noStoreNamed)
            }
            let (joining, targets) = try arguments.withStores(in: ResolvedPath(folder), joining: known) { stores in
                var joining = try Joining(
                    file,
                    name: arguments.name,
                    now: clock.given(),
                    stores: stores,
                    space: space,
                    folder: path
                )
                let targets = try joining.join(stores, to: path, space: space, former: known?.path)
                return (joining, targets)
            }
            try JoinReport(
                verb: "Joined",
                path: path,
                space: space,
                device: joining.environment.device,
                results: joining.synchronise(targets, arguments.changed())
            )
            .finish(output)
        }

        /// The folder as it was joined before, also where it was moved.
        ///
        /// - Throws: 65 where another space lies there than before, 64 where it was joined elsewhere and is there still.
        private func relocated(_ file: RegistryFile, to path: String, _ space: String) throws -> JoinedFolder? {
            let place = ResolvedPath(path)
            let registry = try file.read()
            if let there = registry.folders.first(where: { ResolvedPath($0.path).isSame(as: place) }) {
                guard there.space == space else {
                    throw CommandFailure(
                        .badData,
                        Messages.otherSpace(path, space, there.space)
                    )
                }
                return there
            }
            guard let before = registry.folders.first(where: { $0.space == space }) else { return nil }
            guard (try? Replica.space(of: before.path)) != space else {
                throw CommandFailure(
                    .usage,
                    Messages.copyOfFolder(path, before.path)
                )
            }
            return before
        }
    }
}
