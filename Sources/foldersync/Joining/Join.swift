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
                file beside the store was lost, it begins anew with what the folder has, and nothing of the store is lost. \
                So does a device that left and joins again: what the others deleted meanwhile comes back from its store, \
                and where they changed something, the store's older value may be shown, in a conflict. To take all as \
                the others have it, put the store aside and join with --create.

                An encrypted folder is opened with its passphrase, which is asked for at the terminal or read from \
                --passphrase-file or from systemd's credential foldersync.passphrase; with its recovery code; or by a request \
                that another device answers with foldersync devices admit.
                """
        )

        @OptionGroup var arguments: StoreArguments
        @OptionGroup var options: JoinKeyOptions
        @OptionGroup var config: ConfigOption
        @OptionGroup var confirmation: ConfirmationOption
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
            let keys = FolderKeys(path, space: space, KeyStore(file))
            let isUnlocking = try unlock(keys, file)
            do {
                // With keys, nothing is read or written while the marker says that the folder is plain.
                if keys.isUnlocked { _ = try keys.progress() }
                try join(file, path, space, known, keys)
            } catch {
                // An answer to a request serves only once, so its key stays.
                if isUnlocking, !options.request, options.words == nil { forget(keys, file) }
                throw error
            }
        }

        /// Opens an encrypted folder whose keys, or whose newest key, this device does not have.
        ///
        /// - Returns: Whether this device has keys of the folder only now.
        /// - Throws: 77 where the newest key stays closed; a device that has not joined has no keys then.
        private func unlock(_ keys: FolderKeys, _ file: RegistryFile) throws -> Bool {
            if keys.isUnlocked {
                guard options.isGiven, try keys.closedKey() != nil else { return false }
                try options.unlock(keys)
                if let error = try keys.closedKey() { throw error }
                return false
            }
            try FolderKeys.checkMarker(keys.folder, space: keys.space)
            guard FolderKeys.isEncrypted(keys.folder, space: keys.space) else {
                guard !options.isGiven else {
                    throw CommandFailure(
                        .badData,
                        "\(keys.folder) is not encrypted, or its keys have not arrived yet; nothing was changed"
                    )
                }
                return false
            }
            try options.unlock(keys)
            if let error = try keys.closedKey() {
                guard forget(keys, file) else { throw error }
                throw DirectoryError(error.code, "\(error.message); \(Messages.nothingWasChanged)", path: error.path)
            }
            return true
        }

        /// Removes the keys of a folder that this device has not joined, so that the next try begins anew.
        ///
        /// - Returns: Whether it did.
        @discardableResult
        private func forget(_ keys: FolderKeys, _ file: RegistryFile) -> Bool {
            guard (try? file.read().folders.contains { $0.space == keys.space }) == false else { return false }
            return (try? KeyStore(file).remove(keys.space)) != nil
        }

        private func join(
            _ file: RegistryFile,
            _ path: String,
            _ space: String,
            _ known: JoinedFolder?,
            _ keys: FolderKeys
        ) throws {
            let (joining, targets) = try arguments.withStores(in: ResolvedPath(folder), joining: known) { stores in
                var joining = try Joining(
                    file,
                    name: arguments.name,
                    now: clock.given(),
                    confirmation,
                    stores: stores,
                    space: space,
                    folder: path
                )
                let targets = try joining.join(stores, to: path, space: space, former: known?.path)
                return (joining, targets)
            }
            if keys.isUnlocked { try keys.announce(joining.environment.device) }
            try JoinReport(
                verb: "Joined",
                path: path,
                space: space,
                device: joining.environment.device,
                results: joining.synchronise(
                    targets,
                    arguments.changed(),
                    created: arguments.create.map { ResolvedPath($0.path).text }
                )
            )
            .finish(output)
        }

        /// Returns the folder as it was joined before, also where it was moved.
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
