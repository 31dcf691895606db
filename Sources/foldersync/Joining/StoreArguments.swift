internal import AppStores
internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The options of `init` and `join` that name stores and this device.
struct StoreArguments: ParsableArguments {
    @Option(
        name: .customLong("store"),
        parsing: .singleValue,
        help: ArgumentHelp("A store that takes part; may be repeated, one for each app.", valueName: "path"),
        completion: .file()
    )
    var stores: [String] = []

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp(
            "Make an empty store that takes part, of bztimer, slate, tracker or study; may be repeated.",
            valueName: "app=path"
        ),
        transform: NewStore.init(argument:)
    )
    var make: [NewStore] = []

    @Option(help: ArgumentHelp("What this device is called; by default as the machine.", valueName: "device"))
    var name: String?

    /// A store to make.
    struct NewStore {
        let app: SyncApp
        let path: String

        init(argument: String) throws {
            let parts = argument.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let app = SyncApp(rawValue: String(parts[0])) else {
                let names = SyncApp.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("expected APP=PATH with one of \(names), found \"\(argument)\"")
            }
            self.app = app
            path = String(parts[1])
        }
    }

    /// Whether any store is named.
    var isEmpty: Bool { stores.isEmpty && make.isEmpty }

    /// Gives a body the stores, made where they are to be made; where it fails, what was made and is not noted goes again.
    ///
    /// - Parameters:
    ///   - folder: Where they take part, with the stores that do so already.
    ///   - file: Where those are noted that take part.
    /// - Throws: 64 for two stores of one app, 65 and 66 where one is no store, 73 where one cannot be made, and what the
    ///   body throws.
    func withStores<Result>(
        joining folder: JoinedFolder?,
        _ file: RegistryFile,
        _ body: ([JoinedStore]) throws -> Result
    ) throws -> Result {
        let stores = try resolved(joining: folder)
        var made: [String] = []
        do {
            for store in make {
                let path = ResolvedPath(store.path).text
                if FileStamp(path) == nil { made.append(path) }
                try SyncStores.make(store.app, at: path)
            }
            return try body(stores)
        } catch {
            if let registry = try? file.read() {
                let noted = registry.folders.flatMap { $0.stores.map(\.path) }
                let files = ["", ".foldersync"].flatMap { name in ["", "-wal", "-shm", "-journal"].map { name + $0 } }
                for path in made where !noted.contains(path) { for file in files { unlink(path + file) } }
            }
            throw error
        }
    }

    /// The stores that are named, of which none is made.
    private func resolved(joining folder: JoinedFolder?) throws -> [JoinedStore] {
        var found: [JoinedStore] = []
        for path in stores {
            let path = ResolvedPath(path).text
            guard let app = try SyncStores.app(of: path) else {
                let message = "the file is no store of BZ Timer, Slate, Time Tracker or Study Timer"
                throw StoreError(.foreign, message, path: path)
            }
            found.append(JoinedStore(app: app, path: path))
        }
        found += make.map { JoinedStore(app: $0.app, path: ResolvedPath($0.path).text) }
        for (index, store) in found.enumerated() {
            // One that is there no more was moved.
            let there = (folder?.stores ?? []).filter { FileStamp($0.path) != nil && $0.path != store.path }
            let others = found[..<index] + there
            guard let other = others.first(where: { $0.app == store.app }) else { continue }
            throw CommandFailure(
                .usage,
                "\(store.path) and \(other.path) are both stores of \(store.app.title): one of each app can take part in a "
                    + "folder; nothing was changed"
            )
        }
        return found
    }
}
