internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Status: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show how each store stands: what is not published, which device is behind, what waits for what.",
            discussion: """
                Nothing is changed. Ends with 3 where there are conflicts or files that cannot be used yet, with 4 where changes wait \
                for a folder that takes nothing, with 75 where a folder is not there.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let registry = try options.config.file().read()
            let targets = try options.targets(of: registry)
            let environment = try ThisDevice.environment(registry)
            let clock = try zone.clock()
            let results = try TargetResults(targets) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                return StatusReport(try replica.status(), registry)
            }
            StandardError.write(results.errors)
            try output.print(
                results.values.map { $0.value.text($0.target, clock) }.joined(separator: "\n"),
                ["device": registry.device.map { .object($0.json) } ?? .null, "stores": results.json(\.json)]
            )
            try results.status(\.exitStatus).finish()
        }
    }
}
