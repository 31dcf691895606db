internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Repair: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "repair",
            abstract: "Write again what this device knows and the folder has lost.",
            discussion: """
                For a folder in which files were deleted or damaged: all that this device has read is published once more. The \
                store is compared as a whole, should changes in it have gone unnoticed. A device that was set back to an \
                older state also takes in what others have of its own lost changes.

                Changes that a device sealed with a key while another device replaced that key are not counted until the first \
                device syncs. If it is lost or was set back, --accept-old-key takes them in: with --app those of that \
                app, else those of all apps in the folder. Whoever had the old key could have written them; where a \
                device was removed since, they stay out.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be written and removed, and do nothing.")
        var dryRun = false

        @Flag(help: "Take in old-key changes of a lost or set-back device.")
        var acceptOldKey = false

        func run() throws {
            let isDryRun = dryRun
            if acceptOldKey { try acceptLate() }
            try MaintenanceRun(options, clock, output, isDryRun) { try isDryRun ? $0.previewRepair() : $0.repair() }
                .run()
        }

        private func acceptLate() throws {
            let file = try options.config.file()
            var done: Set<String> = []
            let registry = try file.read()
            let folders = try options.targets(of: registry).map(\.folder)
            let compression = try ThisDevice.environment(registry).compression
            // A plain folder among several has no key that was replaced.
            for folder in folders where done.insert(folder.path).inserted {
                if folders.count > 1, !FolderKeys.isEncrypted(folder.path, space: folder.space) { continue }
                let keys = try KeyTarget.keys(file, folder.path).keys
                let count =
                    if let app = options.app {
                        try keys.acceptLate(of: app, compression, isPreview: dryRun)
                    } else {
                        try keys.acceptLate(isPreview: dryRun)
                    }
                StandardError.note(
                    TerminalText.safe(Messages.acceptedOldKey(count, folder.path, isDryRun: dryRun)) + "\n"
                )
            }
        }
    }

    struct Compact: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "compact",
            abstract: "Put many small files of this device together, and remove those that nobody needs.",
            discussion: """
                Each synchronisation does so when it is due; this does it now. Each device removes only files of its own, seven \
                days after a state that has them was written and read again, so that nothing is lost for who comes late.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Flag(help: "Say what would be written and removed, and do nothing.")
        var dryRun = false

        func run() throws {
            let isDryRun = dryRun
            try MaintenanceRun(options, clock, output, isDryRun) { try isDryRun ? $0.previewCompact() : $0.compact() }
                .run()
        }
    }
}

/// Work on each store that ends as a synchronisation does.
struct MaintenanceRun {
    private let options: TargetOptions
    private let clock: NowOption
    private let output: FormatOption
    private let isDryRun: Bool
    private let work: (Replica) throws -> SyncOutcome

    init(
        _ options: TargetOptions,
        _ clock: NowOption,
        _ output: FormatOption,
        _ isDryRun: Bool,
        _ work: @escaping (Replica) throws -> SyncOutcome
    ) {
        self.options = options
        self.clock = clock
        self.output = output
        self.isDryRun = isDryRun
        self.work = work
    }

    func run() throws {
        let registry = try options.config.file().read()
        let environment = try ThisDevice.environment(registry, now: clock.given())
        let results = try TargetResults(options.targets(of: registry)) { target in
            SyncReport(
                try work(Replica(folder: target.folder.path, store: target.store.path, environment)),
                isDryRun: isDryRun
            )
        }
        StandardError.write(results.errors)
        let text = results.values.map { $0.value.text($0.target) }.joined()
        try output.print(text, ["dryRun": .bool(isDryRun), "stores": results.json(\.json)])
        try results.status(\.status).finish()
    }
}
