internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import RecordMerge
internal import RecordStore
internal import StrictJSON

extension FolderSyncTool {
    struct Resolve: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "resolve",
            abstract: "Decide conflicts, one by one or all at once.",
            discussion: """
                Without --choose and --all it asks at the terminal, one conflict after the other. A decision is an edit like any \
                other: all devices get it, and where two decide differently at once, that is a conflict again. Of what was mended, \
                as several tasks that wait for each other, and of what was moved, shown is all that there is to take.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Option(help: "Only the store of this app.")
        var app: AppID?

        @Option(help: ArgumentHelp("Only this member, or place in it as the list names it.", valueName: "name"))
        var member: String?

        @Option(
            help: ArgumentHelp(
                """
                What to take: shown, other where there are two, the number of a choice, removed for what was deleted, or a \
                value as JSON.
                """,
                valueName: "choice"
            )
        )
        var choose: String?

        @Option(help: ArgumentHelp("Take this value, also where it is a number.", valueName: "json"))
        var value: String?

        @Option(
            help: ArgumentHelp(
                "Decide all: shown, mine, theirs, or the name of a device; of what was deleted, what that device did.",
                valueName: "side"
            )
        )
        var all: String?

        @Flag(help: "Say what would be decided, and do nothing.")
        var dryRun = false

        @Argument(help: "The shared folder, and the record: its key, collection/key or title. Either may be left out.")
        var words: [String] = []

        func run() throws {
            var taking = try self.taking()
            guard taking != nil || (StandardInput.isTerminal && StandardError.isTerminal) else {
                throw CommandFailure(
                    .usage,
                    "there is no terminal to ask at: say what to take with --choose or --all; nothing was changed"
                )
            }
            let registry = try config.file().read()
            let (folders, record) = try subject(registry)
            let targets = try TargetOptions.targets(folders, app)
            let environment = try ThisDevice.environment(registry, now: clock.given())
            let filter = ConflictFilter(record: record, member: member)
            if case .device(let name) = taking { taking = .device(try device(name, targets, registry, environment)) }
            let asker = try taking == nil ? ConflictAsker(clock: zone.clock()) : nil
            let results = try TargetResults(targets) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                return try Resolving(
                    replica: replica,
                    filter: filter,
                    this: environment.device.id,
                    isDryRun: dryRun
                )
                .run(taking, asker, isAll: all != nil)
            }
            try ResolveReport(results: results, filter: filter, isDryRun: dryRun).finish(output)
        }

        /// What is to be taken; nil where it is to be asked.
        private func taking() throws(CommandFailure) -> Taking? {
            guard [choose, value, all].compactMap(\.self).count <= 1 else {
                throw CommandFailure(.usage, "--choose, --value and --all exclude each other; nothing was changed")
            }
            if let all { return Taking(all: all) }
            if let value {
                guard let value = try? JSONDocument(parsing: value).root.value else {
                    throw CommandFailure(
                        .usage,
                        "--value is no JSON: \(value); a text stands in quotes; nothing was changed"
                    )
                }
                return .value(value)
            }
            guard let choose else { return nil }
            guard let taking = Taking(choose) else {
                throw CommandFailure(
                    .usage,
                    "expected shown, other, removed, the number of a choice or a value as JSON, found \(choose)"
                )
            }
            return taking
        }

        /// The identifier of a device that takes part.
        private func device(
            _ name: String,
            _ targets: [Target],
            _ registry: Registry,
            _ environment: SyncEnvironment
        ) throws -> String {
            let peers = try TargetResults(targets) { target in
                try Replica(folder: target.folder.path, store: target.store.path, environment).devices()
            }
            // A store that cannot be looked at is told below.
            guard peers.values.count == targets.count else { return name }
            return try KnownDevices(peers.values.flatMap(\.value), registry, targets.map(\.folder)).find(name).id
        }

        /// The folders, and the record where one is named: of two words the first is the folder, one is either.
        private func subject(_ registry: Registry) throws(CommandFailure) -> (folders: [JoinedFolder], record: String?)
        {
            guard words.count <= 2 else {
                throw CommandFailure(.usage, "expected a folder and a record, found \(words.count) arguments")
            }
            if words.count == 2 { return (try registry.folders(named: words[0]), words[1]) }
            if let word = words.first, let joined = try? registry.joined(word) { return ([joined], nil) }
            return (try registry.folders(named: nil), words.first)
        }
    }
}
