internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Verify: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "verify",
            abstract: "Read every file of a shared folder, and compare each store as a whole with what is known.",
            discussion: """
                Nothing is changed. An encrypted folder that this device only carries is compared with its names, which takes no \
                key. Devices that show the same print the same digest. Ends with 3 where a file is \
                damaged or a record is not what it should be: foldersync repair corrects what this device can.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var output: FormatOption

        func run() throws {
            let file = try options.config.file()
            if let path = options.folder.folder, try verifyCarried(ResolvedPath(path).text, file) { return }
            let registry = try file.read()
            let environment = try ThisDevice.environment(registry)
            let results = try TargetResults(options.targets(of: registry)) { target in
                try Replica(folder: target.folder.path, store: target.store.path, environment).verify()
            }
            StandardError.write(results.errors)
            try output.print(
                results.values.map { Self.text($0.value, $0.target) }.joined(),
                ["stores": results.json(Self.json)]
            )
            try results.status { $0.faults.isEmpty && $0.differing.isEmpty ? .success : .findings }.finish()
        }

        /// Compares the files of an encrypted folder, which this device only carries, with their names.
        ///
        /// - Returns: Whether it is one.
        private func verifyCarried(_ path: String, _ file: RegistryFile) throws -> Bool {
            guard let space = try? Replica.space(of: path), !KeyStore(file).hasKeys(of: space),
                FolderKeys.isEncrypted(path, space: space)
            else { return false }
            let found = try FolderKeys.completeness(of: path, space: space)
            var lines = found.faults.map { "\($0.path): \($0.message)" }
            let count = Words.count(found.whole, "file")
            lines.append(
                "\(count) whole, \(Words.count(found.faults.count, "fault")); without a key only that can be told"
            )
            try output.print(
                lines.map { TerminalText.safe($0) + "\n" }.joined(),
                [
                    "folder": .string(path), "whole": .number(found.whole),
                    "faults": .array(
                        found.faults.map { ["path": .string($0.path), "message": .string($0.message)] }
                    ),
                ]
            )
            if !found.faults.isEmpty { throw ExitStatus.findings.exitCode }
            return true
        }

        private static func text(_ found: FolderVerification, _ target: Target) -> String {
            var lines = IssueWords.lines(found.faults)
            lines += found.differing.prefix(20).map { Messages.notAsGiven(RecordWords.name($0)) }
            if found.differing.count > 20 { lines.append(Messages.more(found.differing.count - 20)) }
            if !found.unsynced.isEmpty { lines.append(RecordWords.unsynced(found.unsynced, target.app)) }
            if found.evicted > 0 { lines.append(Messages.evicted(found.evicted)) }
            if found.uncounted > 0 { lines.append(Messages.sealedWithOldKey(found.uncounted)) }
            lines.append(Messages.verified(found.sound, found.faults.count, found.digest))
            return lines.map { "\(target.app.title): \(TerminalText.safe($0))\n" }.joined()
        }

        private static func json(_ found: FolderVerification) -> JSONObject {
            [
                "sound": .number(found.sound),
                "digest": .string(found.digest),
                "state": .string(found.stateDigest),
                "evicted": .number(found.evicted),
                "faults": .array(found.faults.map(IssueWords.json)),
                "differing": .array(found.differing.map { .object(RecordWords.json($0)) }),
                "unsynced": .array(found.unsynced.map { .string($0) }),
            ]
        }
    }
}
