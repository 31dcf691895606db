internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import StrictJSON

extension FolderSyncTool {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
            abstract: "Make a folder a shared one, and put this device's stores in step with it.",
            discussion: """
                The folder may be new, or hold other files. Once it has arrived on another device, by Syncthing, a network drive \
                or whatever carries files, foldersync join takes part there.
                """
        )

        @OptionGroup var arguments: StoreArguments
        @OptionGroup var config: ConfigOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(inversion: .prefixedNo, help: "Encrypt the folder; at a terminal it is asked.")
        var encrypt: Bool?

        @OptionGroup var locks: LockOptions

        @Argument(help: "The folder to share.", completion: .directory)
        var folder: String

        func run() throws {
            guard !arguments.isEmpty else {
                throw CommandFailure(.usage, Messages.noStoreNamed)
            }
            let file = try config.file()
            let place = ResolvedPath(folder)
            let registry = try file.read()
            let noted = registry.folders.filter { ResolvedPath($0.path).isSame(as: place) }
            if let folder = noted.first, Self.isLeftover(folder) {
                try file.update { $0.folders.removeAll { $0.path == folder.path } }
            } else if !noted.isEmpty {
                throw CommandFailure(.usage, Messages.joinedAlready(place.text))
            }
            try Self.checkOutside(place)
            var isEncrypted = false
            if try Replica.isSharedIfThere(place.text) == false { isEncrypted = try wantsEncryption() }
            let secrets = try isEncrypted ? locks.newLocks(of: place.text) : nil
            let new = NewFiles([place.text + "/README.txt"])
            let (joining, targets, space): (Joining, [Target], String)
            do {
                (joining, targets, space) = try arguments.withStores(in: place, joining: nil) { stores in
                    var joining = try Joining(file, name: arguments.name, now: clock.given(), confirmation)
                    let space: String
                    if let secrets {
                        space = try Replica.makeSpace(in: place.text, secrets, joining.environment)
                    } else {
                        space = try Replica.makeSpace(in: place.text, joining.environment)
                    }
                    let path = ResolvedPath(place.text).text
                    do {
                        return (joining, try joining.join(stores, to: path, space: space), space)
                    } catch {
                        // Nobody has joined it: the next try begins anew.
                        try? Replica.removeSpace(space, in: path, ThisDevice.keyStore)
                        throw error
                    }
                }
            } catch {
                locks.takeBack()
                new.removeFolders()
                throw error
            }
            if !isEncrypted, encrypt == nil, !Self.hasPerson {
                StandardError.note(
                    "The folder is not encrypted: whoever carries it can read it. --encrypt encrypts one.\n"
                )
            }
            try JoinReport(
                verb: "Made",
                path: ResolvedPath(place.text).text,
                space: space,
                device: joining.environment.device,
                results: joining.synchronise(targets)
            )
            .finish(output)
        }

        /// True if there is a person to ask.
        private static var hasPerson: Bool { StandardInput.isTerminal && SecretInput.hasTerminal }

        /// Tells whether the folder should be encrypted.
        ///
        /// - Throws: 64 where the options contradict each other.
        private func wantsEncryption() throws(CommandFailure) -> Bool {
            if encrypt == false, locks.isGiven {
                throw CommandFailure(.usage, "--no-encrypt has no use for a passphrase or a recovery code")
            }
            if let encrypt { return encrypt }
            if locks.isGiven { return true }
            guard Self.hasPerson else { return false }
            if confirmation.yes { return true }
            SecretInput.tell("Encrypted, only your devices can read the folder, and not who carries it.")
            let answer = SecretInput.line("Encrypt it? [Y/n] ").trimmed.lowercased()
            return !["n", "no"].contains(answer)
        }

        /// Tells whether an init that failed on a full disk noted the folder: no store takes part in it, and it is not there.
        private static func isLeftover(_ folder: JoinedFolder) -> Bool {
            folder.inboxes.isEmpty && (try? Files.exists(folder.path)) == false
                && folder.stores.allSatisfy { (try? Files.exists("\($0.path).foldersync")) == false }
        }

        /// Checks that the folder lies in no shared one: what carries that would carry both, and each would be no layout of
        /// the other's.
        private static func checkOutside(_ place: ResolvedPath) throws(CommandFailure) {
            for folder in Files.foldersAbove(place.text) where (try? Replica.isShared(folder)) == true {
                throw CommandFailure(.usage, Messages.insideSharedFolder(place.text, folder))
            }
        }
    }
}
