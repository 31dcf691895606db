internal import AppStores
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension FolderSyncTool {
    struct Leave: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take part in a folder no more.",
            discussion: """
                The stores keep their records, and the folder its files; the other devices go on. What was changed here and not \
                published yet stays here alone: foldersync sync publishes it first. --app leaves with the store of one app.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var confirmation: ConfirmationOption
        @OptionGroup var output: FormatOption

        @Option(help: "Only with the store of this app.")
        var app: SyncApp?

        @Argument(help: "The shared folder.", completion: .directory)
        var folder: String

        func run() throws {
            let file = try config.file()
            let registry = try file.read()
            let joined = try registry.joined(folder)
            let targets = app == nil && joined.stores.isEmpty ? [] : try TargetOptions.targets([joined], app)
            let names = targets.map(\.store.path).joined(separator: ", ")
            try confirmation.require("Leave \(joined.path) with \(targets.isEmpty ? "no store" : names)?")
            let environment = try ThisDevice.environment(registry)
            let results = try TargetResults(targets) { target in
                try Self.unlink(target, environment)
                try file.update { $0.remove(target) }
            }
            if app == nil, results.values.count == targets.count {
                try file.update { $0.folders.removeAll { $0.path == joined.path } }
            }
            StandardError.write(results.errors)
            let text = results.values.map {
                "Left \(joined.path) with \($0.target.store.path), which keeps its records."
            }
            try output.print(
                text.map { TerminalText.safe($0) + "\n" }.joined(),
                ["folder": .string(joined.path), "stores": results.json { _ in [:] }]
            )
            try results.status { _ in .success }.finish()
        }

        /// Ends the store's part; one that is gone, or was never linked, has none.
        private static func unlink(_ target: Target, _ environment: SyncEnvironment) throws {
            do {
                try Replica(folder: target.folder.path, store: target.store.path, environment).leave()
            } catch let error as SyncError where error.code == .notJoined {
                return
            } catch let error as StoreError where error.code == .notFound {
                try putAside(target.store)
            } catch let error as SyncError where error.code == .state {
                try SyncStores.open(target.store.path).removeLink()
                try putAside(target.store)
            }
        }

        /// Keeps what a store knew of the others under another name, so that the store can join anew.
        private static func putAside(_ store: JoinedStore) throws(CommandFailure) {
            let file = "\(store.path).foldersync"
            guard rename(file, "\(file)-left") != 0, errno != ENOENT else { return }
            let reason = String(cString: strerror(errno))
            throw CommandFailure(.inputOutput, "cannot rename \(file): \(reason); remove it, to join anew")
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
