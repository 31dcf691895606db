internal import AgeFile
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Encrypt: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "encrypt",
            abstract: "Encrypt a shared folder that is plain.",
            discussion: """
                The other devices may be away. From the moment they see it, they change nothing in the folder until foldersync \
                join has opened it there, with the passphrase, the recovery code or a request; then they go on where they were. \
                The plain files stay until every device has done so, or is retired, and what a device wrote before it knew is \
                taken in however late it arrives. Whoever has a copy of the folder from before can still read that copy.

                Where the command is ended, the folder is plain as before, and the command goes on when it is given again.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var clock: NowOption
        @OptionGroup var locks: LockOptions
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be encrypted, and do nothing.")
        var dryRun = false

        @Argument(help: "The shared folder; needed where several were joined.", completion: .directory)
        var folder: String?

        func run() throws {
            let file = try config.file()
            let registry = try file.read()
            let joined = try registry.onlyFolder(named: folder)
            let environment = try ThisDevice.environment(registry, now: clock.given())
            let keys = FolderKeys(joined.path, space: joined.space, KeyStore(file))
            let progress = try keys.progress()
            if progress == .encrypted, !keys.isUnlocked {
                throw CommandFailure(.noKey, Messages.encryptedElsewhere(joined.path))
            }
            var count: Int?
            if progress != .encrypted, !dryRun { count = try encrypt(joined.path, keys, progress, environment) }
            let text =
                progress == .encrypted
                ? Messages.encryptedAlready(joined.path)
                : Messages.encrypted(joined.path, try count ?? keys.plainFileCount(), isDryRun: dryRun)
            try output.print(
                text.split(separator: "\n").map { TerminalText.safe(String($0)) + "\n" }.joined(),
                [
                    "folder": .string(joined.path), "encrypted": .bool(progress == .encrypted || !dryRun),
                    "changed": .bool(count != nil), "dryRun": .bool(dryRun),
                ]
            )
        }

        /// Encrypts a folder, and returns the number of files that are sealed.
        private func encrypt(
            _ path: String,
            _ keys: FolderKeys,
            _ progress: FolderKeys.Progress,
            _ environment: SyncEnvironment
        ) throws -> Int {
            if progress == .begun {
                let path = TerminalText.safe(path)
                StandardError.note(
                    "\(path) has the keys of an encryption that was ended. It goes on with that passphrase and recovery code.\n"
                )
                return try keys.encrypt(goingOnWith: locks.givenPassphrase(path), environment.device, environment)
            }
            let new = try locks.newLocks(of: path)
            do {
                return try keys.encrypt(new, environment.device, environment)
            } catch {
                // The keys may be in the folder already, and the recovery code opens them.
                if (try? keys.progress()) == .plain { locks.takeBack() }
                throw error
            }
        }
    }
}
