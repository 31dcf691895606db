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
                Nothing is changed. Devices that show the same print the same digest. Ends with 3 where a file is \
                damaged or a record is not what it should be: foldersync repair corrects what this device can.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var output: FormatOption

        func run() throws {
            let registry = try options.config.file().read()
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

        private static func text(_ found: FolderVerification, _ target: Target) -> String {
            var lines = IssueWords.lines(found.faults)
            lines += found.differing.prefix(20).map { Messages.notAsGiven(RecordWords.name($0)) }
            if found.differing.count > 20 { lines.append(Messages.more(found.differing.count - 20)) }
            if !found.unsynced.isEmpty { lines.append(RecordWords.unsynced(found.unsynced)) }
            if found.evicted > 0 { lines.append(Messages.evicted(found.evicted)) }
            lines.append(Messages.verified(found.sound, found.faults.count, found.digest))
            return lines.map { "\(target.app.title): \(TerminalText.safe($0))\n" }.joined()
        }

        private static func json(_ found: FolderVerification) -> JSONObject {
            [
                "sound": .number(JSONNumber(found.sound)),
                "digest": .string(found.digest),
                "state": .string(found.stateDigest),
                "evicted": .number(JSONNumber(found.evicted)),
                "faults": .array(found.faults.map(IssueWords.json)),
                "differing": .array(found.differing.map { .object(RecordWords.json($0)) }),
                "unsynced": .array(found.unsynced.map { .string($0) }),
            ]
        }
    }
}
