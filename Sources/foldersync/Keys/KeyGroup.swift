internal import AgeFile
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FileSystem
internal import FolderEncryption
internal import StrictJSON

extension FolderSyncTool {
    struct KeyGroup: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "key",
            abstract: "See and change how an encrypted folder is opened.",
            discussion: """
                An encrypted folder has a key, which this device keeps in a file that only you can read. The passphrase and the \
                recovery code open it on a new device. docs/security.md says what is protected.
                """,
            subcommands: [Status.self, Passphrase.self, Recovery.self, Rotate.self, Unlock.self, Keep.self],
            defaultSubcommand: Status.self
        )
    }
}

extension FolderSyncTool.KeyGroup {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Say which ways open the folder, and which devices have its key."
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var output: FormatOption

        func run() throws {
            let (registry, folder, keys) = try target.keys()
            let status = try keys.status()
            let known = (try? KeyRotation.devices(of: folder, registry)) ?? nil
            let devices = known?.today(status.devices) ?? status.devices
            func count(_ kind: Slot.Kind) -> Int { status.slots[kind] ?? 0 }
            let ways = [
                count(.passphrase) > 0 ? "a passphrase" : nil, count(.recovery) > 0 ? "a recovery code" : nil,
            ]
            .compactMap(\.self)
            var lines = [
                "\(folder.path) is encrypted, with its key number \(status.number).",
                ways.isEmpty
                    ? "No passphrase and no recovery code opens it: foldersync key passphrase sets one."
                    : "It is opened by \(ways.joined(separator: " and ")).",
                "Devices that get later keys: \(KeyRotation.names(devices, none: "none")).",
            ]
            let plain = (try? keys.plainFileCount()) ?? 0
            if plain > 0 { lines.append(Messages.plainFiles(plain)) }
            if !status.removed.isEmpty { lines.append("Removed: \(Words.count(status.removed.count, "device")).") }
            if status.requests > 0 {
                lines.append("\(Words.count(status.requests, "device")) asked to take part: foldersync devices admit.")
            }
            let place = try KeyStore(target.config.file()).place()
            if place == .keyring {
                lines.append("This device's keys are sealed with a secret of \(SystemKeyring().title).")
            }
            lines += status.faults
            try output.print(
                lines.map { TerminalText.safe($0) + "\n" }.joined(),
                [
                    "folder": .string(folder.path), "number": .number(status.number), "plainFiles": .number(plain),
                    "epoch": .string(status.epoch), "passphrase": .bool(count(.passphrase) > 0),
                    "recovery": .bool(count(.recovery) > 0), "devices": .array(devices.map { .object($0.json) }),
                    "removed": .array(status.removed.sorted().map { .string($0) }),
                    "requests": .number(status.requests), "place": .string(place.rawValue),
                    "faults": .array(status.faults.map { .string($0) }),
                ]
            )
            if !status.faults.isEmpty { throw ExitStatus.findings.exitCode }
        }
    }

    struct Passphrase: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "passphrase",
            abstract: "Set another passphrase.",
            discussion: """
                The folder's key stays the same: who knew the old passphrase and has a copy of the folder from before can still \
                read everything. foldersync key rotate replaces the key.
                """
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var output: FormatOption

        @Option(
            help: ArgumentHelp("Take the new passphrase from this file.", valueName: "file"),
            completion: .file()
        )
        var passphraseFile: String?

        func run() throws {
            let (_, folder, keys) = try target.keys()
            var passphrase = try passphraseFile.map { file throws(CommandFailure) in
                try SecretInput.passphrase(file: file)
            }
            if passphrase == nil { passphrase = try SecretInput.askNew() }
            guard let passphrase else {
                throw CommandFailure(.usage, "no terminal to ask at: use --passphrase-file; nothing was changed")
            }
            // A command that was ended between two slots is run again with the same one.
            let (opened, all) = try keys.slotCount(openedBy: passphrase)
            if opened > 0, opened == all { throw CommandFailure(.usage, Messages.samePassphrase(orWithout: false)) }
            try keys.setPassphrase(passphrase)
            let text = "\(folder.path) has another passphrase from now on. Its key is the same: key rotate replaces it."
            try output.print(TerminalText.safe(text) + "\n", ["folder": .string(folder.path)])
        }
    }

    struct Recovery: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "recovery",
            abstract: "Make another recovery code; the old one opens nothing any more.",
            discussion: "The code is shown once, at the terminal, or written to a new file."
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var output: FormatOption

        @Option(
            help: ArgumentHelp("Write the recovery code to this new file.", valueName: "file"),
            completion: .file()
        )
        var recoveryFile: String?

        func run() throws {
            let (_, folder, keys) = try target.keys()
            var locks = LockOptions()
            (locks.passphraseFile, locks.recoveryFile) = (nil, recoveryFile)
            let code = try locks.newRecoveryCode(of: folder.path)
            do {
                try keys.setRecoveryCode(code)
            } catch {
                locks.takeBack()
                throw error
            }
            let text = "\(folder.path) has another recovery code from now on."
            try output.print(TerminalText.safe(text) + "\n", ["folder": .string(folder.path)])
        }
    }

    struct Rotate: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the folder's key.",
            discussion: """
                What is written from now on needs the new key. The other devices get it by themselves, also those that have left, \
                which are named. The passphrase stays, unless --new-passphrase sets another one; there is a new recovery code.
                """
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var locks: LockOptions
        @OptionGroup var output: FormatOption

        @Flag(help: "Set another passphrase as well: the one that is asked for, or in --passphrase-file.")
        var newPassphrase = false

        func run() throws {
            let (registry, folder, keys) = try target.keys()
            let known = try KeyRotation.devices(of: folder, registry)
            let devices = try KeyRotation(keys, locks, isNew: newPassphrase).run(removing: [])
            try KeyRotation.print(folder, known?.today(devices) ?? devices, known, output)
        }
    }

    struct Unlock: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "unlock",
            abstract: "Open the folder again with the passphrase or the recovery code.",
            discussion: """
                For a device whose file of keys is gone, or that has not got the newest key. What it could not publish is \
                published by the next sync.
                """
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var options: JoinKeyOptions
        @OptionGroup var output: FormatOption

        func run() throws {
            let (registry, folder, keys) = try target.keys()
            try options.unlock(keys)
            if let error = try keys.closedKey() { throw error }
            if let device = registry.device { try keys.announce(device) }
            let text = "\(folder.path) is open on this device."
            try output.print(TerminalText.safe(text) + "\n", ["folder": .string(folder.path)])
        }
    }

    struct Keep: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "keep",
            abstract: "Keep this device's keys in files, or sealed with a secret of the system's keyring.",
            discussion: """
                Anyone who can read your files can read files of keys. With keyring, a secret in the Secret Service (through \
                secret-tool) or the Keychain seals them. Sync then needs the unlocked keyring, so a service cannot run while you \
                are logged out. The choice applies to all folders of this device, also to later ones.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Give up keys that a lost keyring sealed. key unlock opens each folder again.")
        var lost = false

        @Argument(help: "Where: \(KeyPlace.allCases.map(\.rawValue).joined(separator: " or ")).")
        var place: KeyPlace

        func run() throws {
            let file = try config.file()
            let store = KeyStore(file)
            guard place == .file || !lost else { throw CommandFailure(.usage, "--lost goes with file") }
            let closed = try store.move(to: place, isLost: lost)
            var text =
                switch place {
                case .file: "The keys lie in files that only you can read: \(store.folder)."
                case .keyring: "The keys are sealed with a secret of \(SystemKeyring().title)."
                }
            let folders = try file.read().folders
            for space in closed {
                let folder = folders.first { $0.space == space }?.path
                text += "\nThose of \(folder ?? "the space \(space)") cannot be opened"
                text += folder.map { ": foldersync key unlock \(ShellText.quoted($0)) makes new ones." } ?? "."
            }
            try output.print(
                text.split(separator: "\n").map { TerminalText.safe(String($0)) + "\n" }.joined(),
                ["place": .string(place.rawValue), "closed": .array(closed.map { .string($0) })]
            )
            if !closed.isEmpty { throw ExitStatus.findings.exitCode }
        }
    }
}

extension KeyPlace: ExpressibleByArgument {}
