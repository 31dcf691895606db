internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a folder a shared one, and put this device's stores in step with it.",
            discussion: """
                The folder may be new, or hold other files. Once it has arrived on another device, by Syncthing, a network drive \
                or whatever carries files, foldersync join takes part there.
                """
        )

        @OptionGroup var arguments: StoreArguments
        @OptionGroup var config: ConfigOption
        @OptionGroup var clock: NowOption
        @OptionGroup var output: FormatOption

        @Argument(help: "The folder to share.", completion: .directory)
        var folder: String

        func run() throws {
            guard !arguments.isEmpty else {
                throw CommandFailure(.usage, "name the stores that take part with --store, or make some with --make")
            }
            let file = try config.file()
            let place = ResolvedPath(folder)
            let registry = try file.read()
            if registry.folders.contains(where: { ResolvedPath($0.path).isSame(as: place) }) {
                throw CommandFailure(.usage, "this device has joined \(place.text) already: join adds stores")
            }
            let stores = try arguments.resolved(joining: nil)
            let joining = try Joining(file, name: arguments.name, now: clock.now)
            let space = try Replica.makeSpace(in: place.text, joining.environment)
            let path = ResolvedPath(place.text).text
            let targets = try joining.join(stores, to: path, space: space)
            let results = try joining.synchronise(targets)
            try JoinReport(verb: "Made", path: path, space: space, device: joining.environment.device, results: results)
                .finish(output)
        }
    }
}
