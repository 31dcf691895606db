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
                Without --choose, --value and --all it asks at the terminal, one conflict after the other. There you can also type \
                a value of your own. A record is named by any part of a title that fits no other: the present one, or one that \
                a choice has. A value is read as the member's kind: a text, a day, a moment, a number, a length, yes or no; of \
                a reference the title or number of its row; anything else as JSON. A decision is an edit like any other: all devices get it, and two different decisions at \
                once conflict again. For a change that sync corrected, such as tasks that wait for each other, and for a \
                moved record, "shown" is the only choice.
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

        @Option(help: ArgumentHelp("Take this value, read as the member's kind.", valueName: "value"))
        var value: String?

        @Option(
            help: ArgumentHelp(
                "Decide all: shown, mine, theirs, or the name of a device; of what was deleted, what that device did.",
                valueName: "side"
            ),
            completion: .devices
        )
        var all: String?

        @Flag(help: "Say what would be decided, and do nothing.")
        var dryRun = false

        @Argument(
            help:
                "The shared folder, and the record: its key, collection/key or a part of its title. Either may be left out."
        )
        var words: [String] = []

        func run() throws {
            var taking = try self.taking()
            guard taking != nil || (StandardInput.isTerminal && StandardError.isTerminal) else {
                throw CommandFailure(.usage, Messages.noTerminal)
            }
            let file = try config.file()
            let registry = try file.read()
            let (folders, record) = try registry.foldersAndRecord(words)
            var targets = try TargetOptions.targets(folders, app)
            let environment = try ThisDevice.environment(registry, now: clock.given())
            var filter = ConflictFilter(record: nil, member: member)
            if let record {
                guard let found = try Self.record(record, targets, environment) else {
                    try output.print(Messages.noConflictsNamed, ["dryRun": .bool(dryRun), "stores": []])
                    throw ExitStatus.noInput.exitCode
                }
                (targets, filter.record) = ([found.target], found.name)
            }
            if case .device(let name) = taking { taking = .device(try device(name, targets, registry, environment)) }
            let local = try zone.clock()
            let now = try clock.moment(in: local)
            let asker = taking == nil ? ConflictAsker(clock: local) : nil
            let results = try TargetResults(targets) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                return try Resolving(
                    replica: replica,
                    filter: filter,
                    typed: TypedValue(target.app, local, now: now, store: target.store.path),
                    words: ValueWords(target, local),
                    this: environment.device.id,
                    isDryRun: dryRun,
                    notes: DecisionNotes(beside: file)
                )
                .run(taking, asker, isAll: all != nil)
            }
            try ResolveReport(results: results, filter: filter, isDryRun: dryRun).finish(output)
        }

        /// Returns the record in conflict that a name means; nil where there are no conflicts.
        private static func record(
            _ name: String,
            _ targets: [Target],
            _ environment: SyncEnvironment
        ) throws -> ConflictChoice.Candidate? {
            func open(_ target: Target) throws -> Replica {
                try Replica(folder: target.folder.path, store: target.store.path, environment)
            }
            let results = try TargetResults(targets) { try open($0).conflicts() }
            let choice = ConflictChoice(results.values)
            if results.values.count < targets.count {
                // It may be in a store that cannot be looked at.
                StandardError.write(results.errors)
                if choice.isEmpty, case .failure(let failure)? = results.entries.first?.result { throw failure }
            }
            guard !choice.isEmpty else { return nil }
            return try choice.find(name) { candidate in
                // A decided title has given the record another one.
                let log = try open(candidate.target).log(
                    limit: 20,
                    record: (candidate.name.collection, candidate.name.key)
                )
                return log.flatMap(\.records).filter { $0.name.key == candidate.name.key }.flatMap { touched in
                    let titles = touched.values.filter { ConflictChoice.titleMembers.contains($0.name) }
                    return [touched.name.title].compactMap(\.self)
                        + titles.flatMap { [$0.old?.string, $0.new?.string] }.compactMap(\.self)
                }
            }
        }

        /// Returns the choice to make; nil where the person is asked.
        private func taking() throws(CommandFailure) -> Taking? {
            guard [choose, value, all].compactMap(\.self).count <= 1 else {
                throw CommandFailure(.usage, Messages.contradictingChoices)
            }
            if let all { return Taking(all: all) }
            if let value { return .typed(value) }
            guard let choose else { return nil }
            guard let taking = Taking(choose) else {
                throw CommandFailure(.usage, Messages.choiceExpected(found: choose))
            }
            return taking
        }

        /// Returns the identifier of a device that takes part.
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
    }
}
