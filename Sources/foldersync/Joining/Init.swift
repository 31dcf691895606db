internal import AppFormats
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool {
    struct Init: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "init",
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
            try Self.checkOutside(place)
            try arguments.withStores(joining: nil, file) { stores in
                let joining = try Joining(file, name: arguments.name, now: clock.now)
                let space = try Replica.makeSpace(in: place.text, joining.environment)
                let path = ResolvedPath(place.text).text
                let targets: [Target]
                do {
                    targets = try joining.join(stores, to: path, space: space)
                } catch {
                    // Nobody has joined it: the next try begins anew.
                    if try file.read().folder(at: path) == nil, joining.takeOut(stores, of: space, at: path) {
                        try? Replica.removeSpace(space, in: path)
                    }
                    throw error
                }
                let results = try joining.synchronise(targets)
                try JoinReport(
                    verb: "Made",
                    path: path,
                    space: space,
                    device: joining.environment.device,
                    results: results
                )
                .finish(output)
            }
        }

        /// Checks that the folder lies in no shared one: what carries that would carry both, and each would be no layout of
        /// the other's.
        private static func checkOutside(_ place: ResolvedPath) throws(CommandFailure) {
            var folder = place.text[...]
            while let cut = folder.lastIndex(of: "/"), cut > folder.startIndex {
                folder = folder[..<cut]
                guard (try? Replica.isShared(String(folder))) == true else { continue }
                throw CommandFailure(
                    .usage,
                    "\(place.text) lies in the shared folder \(folder): choose a folder outside of it; foldersync join \(folder) "
                        + "takes part in that one"
                )
            }
        }
    }
}
