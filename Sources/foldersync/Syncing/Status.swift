internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Status: ParsableCommand, ListingCommand {
        static let configuration = CommandConfiguration(
            commandName: "status",
            abstract: "Show whether all devices are up to date, and what is missing where.",
            discussion: """
                Each device confirms the changes that it has taken in, by the name of an empty file in the folder. Nothing is changed. Ends with 3 where something waits for a person: conflicts, files or exports that cannot be used yet, \
                a mass change; with 4 where changes wait for a folder that takes nothing, with 75 where a folder is not there.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        func run() throws {
            let file = try options.config.file()
            let registry = try file.read()
            let targets = try options.targets(of: registry)
            let environment = try ThisDevice.environment(registry)
            let clock = try zone.clock()
            let results = try TargetResults(targets) { target in
                let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
                return StatusReport(try replica.status(), registry)
            }
            // A damaged memory of inboxes hides only what inboxes hold: the report tells all else, and ends with the error.
            let memory = Result { try InboxMemoryFile(beside: file).read() }
            let inboxes = HeldExports(targets.map(\.folder), (try? memory.get()) ?? InboxMemory())
            let awaited = FilesToImport(targets.map(\.folder), environment, file)
            StandardError.write(results.errors)
            let failed = results.entries.filter { (try? $0.result.get()) == nil }.map(\.target)
            let summary = StatusSummary(results.values, failed: failed, now: environment.now())
            let stores = results.values.map { $0.value.text($0.target, clock) }
            let first = ([summary.sentence] + awaited.lines).map { TerminalText.safe($0) + "\n" }.joined()
            let text = ([first] + stores).joined(separator: "\n")
            try output.print(
                text + (inboxes.text.isEmpty || text.isEmpty ? "" : "\n") + inboxes.text,
                [
                    "summary": .string(summary.sentence), "upToDate": .bool(summary.isUpToDate),
                    "device": registry.device.map { .object($0.json) } ?? .null, "inboxes": inboxes.json,
                    "toImport": awaited.json,
                    "stores": results.json(\.json),
                ]
            )
            _ = try memory.get()
            try ExitStatus.mostSevere([results.status(\.exitStatus), inboxes.status]).finish()
        }
    }
}
