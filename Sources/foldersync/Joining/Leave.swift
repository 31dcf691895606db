internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import RecordStore
internal import StrictJSON

extension FolderSyncTool {
    struct Leave: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "leave",
            abstract: "Take part in a folder no more.",
            discussion: """
                The stores keep their records, and the folder its files; the other devices go on. What was changed here is \
                published first. Where that cannot be, it says what would stay here alone and ends with 4: --unpublished leaves \
                all the same. --app leaves with the store of one app. Where nothing is unpublished and the folder takes nothing, it \
                leaves, says that the others do not see it, and ends with 4.

                Who joins again later begins anew: what the others deleted meanwhile comes back from this store, and where \
                they changed something, the older value of this store stands beside theirs.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Option(help: "Only with the store of this app.")
        var app: AppID?

        @Flag(help: "Leave though changes of this device cannot be published; they stay here alone.")
        var unpublished = false

        @Flag(help: "Say what would be published and what would stay here alone, and do nothing.")
        var dryRun = false

        @Argument(help: "The shared folder.", completion: .directory)
        var folder: String

        func run() throws {
            let file = try config.file()
            let registry = try file.read()
            let joined = try registry.joined(folder)
            let targets = app == nil && joined.stores.isEmpty ? [] : try TargetOptions.targets([joined], app)
            let names = targets.map(\.store.path).joined(separator: ", ")
            if !dryRun {
                try confirmation.require(Messages.leave(joined.path, targets.isEmpty ? Messages.noStoreToLeave : names))
            }
            let leaving = Leaving(
                environment: try ThisDevice.environment(registry),
                isForced: unpublished,
                isDryRun: dryRun
            )
            let results = try TargetResults(targets) { target in
                let result = try leaving.run(target)
                if !dryRun { try file.update { $0.remove(target) } }
                return result
            }
            if app == nil, !dryRun, results.values.count == targets.count {
                try file.update { $0.folders.removeAll { $0.path == joined.path } }
                try KeyStore(file).remove(joined.space)
            }
            StandardError.write(results.errors)
            try output.print(
                results.values.map { $0.value.text($0.target, leaving.environment.device.name) }.joined(),
                ["folder": .string(joined.path), "dryRun": .bool(dryRun), "stores": results.json(\.json)]
            )
            try results.status { $0.isUntold ? .unpublished : .success }.finish()
        }
    }
}

extension Registry {
    /// Notes that a store takes part no more.
    fileprivate mutating func remove(_ target: Target) {
        guard let index = folders.firstIndex(where: { $0.path == target.folder.path }) else { return }
        folders[index].stores.removeAll { $0.app == target.app }
    }
}
