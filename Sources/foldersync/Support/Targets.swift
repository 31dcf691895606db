internal import AppList
public import ArgumentParser
internal import CommandSupport
internal import DirectorySync
public import RecordStore
internal import StrictJSON

extension AppID: ExpressibleByArgument {}

extension AppID {
    /// The name of the app for people.
    var title: String { AppStores.all.definition(of: self)?.title ?? rawValue }
}

/// A store in a folder that this device has joined.
struct Target {
    let folder: JoinedFolder
    let store: JoinedStore

    var app: AppID { store.app }

    /// The way to get a lost store back, in words.
    var creation: String { Messages.lostStore(folder.path, app.rawValue, store.path) }

    /// The members by which each result says what it is about.
    var json: JSONObject {
        ["folder": .string(folder.path), "app": .string(app.rawValue), "store": .string(store.path)]
    }
}

extension JoinedFolder {
    /// All stores that take part.
    var targets: [Target] { stores.map { Target(folder: self, store: $0) } }
}

/// The argument and options that say which stores a command works on.
struct TargetOptions: ParsableArguments {
    @OptionGroup var folder: FolderArgument
    @OptionGroup var config: ConfigOption

    @Option(help: "Only the store of this app.")
    var app: AppID?

    /// Returns the stores that are meant.
    ///
    /// - Throws: 66 where nothing was joined that is meant.
    func targets() throws(CommandFailure) -> [Target] { try targets(of: config.file().readOrFail()) }

    func targets(of registry: Registry) throws(CommandFailure) -> [Target] {
        let folders = try folder.folders(of: registry)
        return try Self.targets(folders, app)
    }

    static func targets(_ folders: [JoinedFolder], _ app: AppID?) throws(CommandFailure) -> [Target] {
        let targets = folders.flatMap { folder in
            folder.stores.filter { app == nil || $0.app == app }.map { Target(folder: folder, store: $0) }
        }
        guard targets.isEmpty else { return targets }
        let place = folders.map(\.path).joined(separator: ", ")
        throw CommandFailure(
            .noInput,
            Messages.noStore(of: app?.title, in: place)
        )
    }

    /// Returns the one store that is meant.
    ///
    /// - Throws: 64 where several are.
    func only() throws(CommandFailure) -> Target { try Self.only(of: targets()) }

    /// Returns the one of several stores that is meant.
    ///
    /// - Throws: 64 where there are several.
    static func only(of targets: [Target]) throws(CommandFailure) -> Target {
        guard let target = targets.first, targets.count == 1 else {
            let names = targets.map { "\($0.app.rawValue) in \($0.folder.path)" }.joined(separator: ", ")
            throw CommandFailure(.usage, Messages.severalStores(names))
        }
        return target
    }
}
