internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Watch: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "watch",
            abstract: "Keep stores and shared folders in step until it is stopped.",
            discussion: """
                It says which folders and stores it watches, and since when. It synchronises a second after something \
                changed, in a store, a shared folder or an inbox, and every --interval seconds: changes of other \
                machines on a network drive are not told to this one. Each sync that changes something is one line \
                with the time. A fault is told once, and once more when it is over. SIGTERM and Ctrl-C end it between two synchronisations. For systemd there is \
                foldersync.service.
                """
        )

        @OptionGroup var options: TargetOptions
        @OptionGroup var zone: TimeZoneOption
        @OptionGroup var output: FormatOption

        @Option(help: ArgumentHelp("How often it looks though nothing seems to have changed.", valueName: "seconds"))
        var interval = 60

        @Flag(help: "End as soon as there is nothing left to do.")
        var onceSettled = false

        func validate() throws {
            guard (1...86_400).contains(interval) else {
                throw ValidationError(Messages.badInterval(interval))
            }
        }

        func run() throws {
            let file = try options.config.file()
            // What is wrong with the command line ends it at once; what may be better later does not.
            _ = try options.targets(of: file.read())
            let stop = StopSignal.install()
            let watcher = Watcher(
                options: options,
                file: file,
                output: output,
                interval: interval,
                clock: try zone.clock(),
                stop: stop
            )
            try WatchLoop(
                interval: .seconds(interval),
                untilSettled: onceSettled,
                events: Self.events(stop),
                folders: watcher.watchedFolders,
                look: watcher.look,
                unwatched: watcher.tell
            )
            .run()
            if onceSettled { try watcher.status.finish() }
        }

        private static func events(_ stop: StopSignal) -> any FileEvents {
            #if os(Linux)
                if let events = InotifyEvents(stop: stop) { return events }
            #endif
            return PollingEvents(stop: stop)
        }
    }
}
