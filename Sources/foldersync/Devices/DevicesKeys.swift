internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FolderEncryption
internal import StrictJSON

extension FolderSyncTool.DevicesGroup {
    struct Admit: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "admit",
            abstract: "Give a device that asked for it the key of an encrypted folder.",
            discussion: """
                The device ran foldersync join --request, and shows six words. Only where they are the same here does the request \
                come from it. In scripts, --words names the words that are to be admitted.
                """
        )

        @OptionGroup var target: KeyTarget
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("Admit the device that shows these words.", valueName: "words"))
        var words: String?

        func run() throws {
            let (_, folder, keys) = try target.keys()
            guard keys.isUnlocked else {
                throw CommandFailure(.noKey, "this device has no key of \(folder.path): foldersync key unlock")
            }
            let requests = try keys.requests()
            guard !requests.isEmpty else {
                throw CommandFailure(
                    .noInput,
                    "no device asked to take part in \(folder.path): run foldersync join --request there, and wait until it has"
                        + " arrived here"
                )
            }
            guard let request = try choose(requests) else {
                throw CommandFailure(.usage, "no device was admitted; nothing was changed")
            }
            let answer = try keys.admit(request)
            let text =
                "Admitted. Run the same command again on the other device (join --request, or key unlock --request), which asks for"
                + " these words: \(answer)"
            try output.print(
                TerminalText.safe(text) + "\n",
                ["folder": .string(folder.path), "words": .string(answer)]
            )
        }

        private func choose(_ requests: [FolderKeys.Request]) throws(CommandFailure) -> FolderKeys.Request? {
            if let words {
                if let request = requests.first(where: { PairingWords.areSame($0.words, words) }) { return request }
                let known = requests.map(\.words).joined(separator: "; ")
                throw CommandFailure(.noInput, "no request has these words, but: \(known); nothing was changed")
            }
            guard SecretInput.hasTerminal else {
                let known = requests.map(\.words).joined(separator: "; ")
                throw CommandFailure(.usage, "compare the words, and name those to admit with --words: \(known)")
            }
            for request in requests {
                SecretInput.tell("A device asks to take part. Its words are: \(request.words)")
                let answer = SecretInput.line("Does its screen show the same six words? Type yes or no: ")
                if answer.trimmed.lowercased() == "yes" { return request }
            }
            return nil
        }
    }

    struct Remove: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove",
            abstract: "Retire a device, and replace the key of an encrypted folder.",
            discussion: """
                The device can read what it could read before, and nothing that is written from now on. Its inboxes end. Change \
                the passphrase as well where who has the device knows it: --new-passphrase.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var locks: LockOptions
        @OptionGroup var output: FormatOption

        @Flag(help: "Set another passphrase as well: the one that is asked for, or in --passphrase-file.")
        var newPassphrase = false

        @Option(
            help: ArgumentHelp("The shared folder; needed where several were joined.", valueName: "dir"),
            completion: .directory
        )
        var folder: String?

        @Argument(help: "The device, by its identifier or a part of its name.", completion: .devices)
        var device: String

        func run() throws {
            let file = try config.file()
            let (registry, folder, keys) = try KeyTarget.keys(file, folder)
            let found = try KnownDevices.find(device, file, withKeys: keys)
            guard found.id != registry.device?.id else {
                throw CommandFailure(.usage, "this is that device: foldersync leave ends its part in a folder")
            }
            let known = try KeyRotation.devices(of: folder, registry)
            let rotated = try KeyRotation(keys, locks, isNew: newPassphrase).run(removing: [found.id])
            let devices = known?.today(rotated) ?? rotated
            let without = known?.withoutKey(devices + [found]) ?? []
            // An inbox would take the thief's exports, and give the device everything.
            let inboxes = try file.update { registry in
                registry.devices[found.id, default: .init()].isRetired = true
                var ended: [String] = []
                for index in registry.folders.indices {
                    ended += registry.folders[index].inboxes.filter { $0.device.id == found.id }.map(\.path)
                    registry.folders[index].inboxes.removeAll { $0.device.id == found.id }
                }
                return ended
            }
            let untold = try FolderSyncTool.DevicesGroup.Retire.tell(found, isUndone: false, file)
            let name = DeviceNames.name(of: found)
            var lines = [
                "\"\(name)\" is removed, and \(folder.path) has a new key. It is there for: "
                    + "\(KeyRotation.names(devices))."
            ]
            lines += inboxes.map { Messages.inboxRemoved(name, $0) }
            StandardError.write(untold)
            StandardError.write(without.map { TerminalText.safe(Messages.withoutKey($0.name)) + "\n" }.joined())
            try output.print(
                lines.map { TerminalText.safe($0) + "\n" }.joined(),
                [
                    "device": .object(found.json), "devices": .array(devices.map { .object($0.json) }),
                    "inboxes": .array(inboxes.map { .string($0) }),
                    "withoutKey": .array(without.map { .object($0.json) }),
                ]
            )
            if !untold.isEmpty { throw ExitStatus.findings.exitCode }
        }
    }
}
