internal import FileSystem
internal import RecordMerge
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// Syncs one store of one device with others through a shared folder.
///
/// ```swift
/// let space = try Replica.makeSpace(in: folder, environment)
/// try Replica.join(folder: folder, space: space, store: "slate.db", environment)
/// let outcome = try Replica(folder: folder, store: "slate.db", environment).sync()
/// ```
///
/// The replica's state is in a file beside the store, which is locked while the replica is in use. Nobody changes a
/// file of the folder: each writer adds files of its own, named after their content. docs/sync.md has the formats.
public final class Replica {
    /// The shared folder.
    public let folder: String
    /// The store's path.
    public let storePath: String
    /// The space's identifier.
    public let space: String

    let directory: SyncDirectory
    /// The store; a test wraps it.
    var store: any SyncStore
    private(set) var info: ReplicaApp
    let environment: SyncEnvironment
    private let file: StateFile
    private let queue: DatabaseQueue

    /// Opens the replica of a store.
    ///
    /// - Parameter opensStoreLate: Whether to open the store only at its first use, which a sync without changes never
    ///   reaches.
    /// - Throws: ``SyncError`` `sync.not-joined`, `sync.busy`, `sync.state`, `sync.newer-version`, `sync.io`, and the
    ///   errors of opening the store.
    public init(
        folder: String,
        store path: String,
        _ environment: SyncEnvironment,
        opensStoreLate: Bool = false
    ) throws {
        file = StateFile(path: StateFile.path(ofStore: path))
        guard file.exists else {
            // Opening throws where there is no store at all.
            if let link = try environment.apps.open(path).read({ try $0.link }) {
                let message =
                    "what this store knew of the other devices is gone: it takes part in the space \(link.space), and the file "
                    + "\(file.path) is not there; put it back, or go on without it: foldersync join "
                    + "\(ShellText.quoted(folder)) --store \(ShellText.quoted(path))"
                throw SyncError(.notJoined, message, path: path)
            }
            throw SyncError(.notJoined, "the store is in no shared folder; use init or join", path: path)
        }
        var store = opensStoreLate ? nil : try Self.opened(path, environment.apps)
        queue = try file.open(making: false, lockTimeout: environment.lockTimeout)
        let app: AppID
        let declaration: AppDeclaration?
        let isSealed: Bool
        (space, app, declaration, isSealed) = try Self.identity(file, queue)
        if declaration != nil { store = nil }
        if let store, app != store.app {
            let message = "the store is one of \(store.app.rawValue), the replica one of \(app.rawValue)"
            throw SyncError(.otherReplica, message, path: path)
        }
        self.store = try store ?? environment.apps.openLate(app, path, declaration)
        info = try ReplicaApp(app, declaration, environment.apps)
        self.folder = folder
        storePath = path
        var directory = try SyncDirectory.opening(folder, space: space, environment.compression, environment.keys)
        directory.expectsSeal = isSealed
        self.directory = directory
        self.environment = environment
    }

    /// Opens a store; nil for one that may belong to a declared app and lost its declaration with an older copy.
    private static func opened(_ path: String, _ apps: AppStores) throws -> (any SyncStore)? {
        do throws(StoreError) {
            return try apps.open(path)
        } catch {
            guard error.code == .foreign else { throw error }
            return nil
        }
    }

    /// Returns the space, the app and the declaration of a replica, and whether its folder is encrypted.
    private static func identity(
        _ file: StateFile,
        _ queue: DatabaseQueue
    ) throws -> (String, AppID, AppDeclaration?, isSealed: Bool) {
        let sql = """
            SELECT name, value FROM property
                WHERE name IN ('app', 'space', 'declaration', 'sealed') AND sum = row_sum(name, value)
            """
        let properties = try file.translating { try queue.read { try Row.fetchAll($0, sql: sql) } }
        let texts = Dictionary(uniqueKeysWithValues: properties.map { ($0[0] as String, $0[1] as String) })
        guard let space = texts["space"], let app = texts["app"].flatMap(AppID.init(rawValue:)) else {
            let message = "the file does not say which space and app it is of; move it away and use join"
            throw SyncError(.state, message, path: file.path)
        }
        let declaration = try texts["declaration"].map { try AppDeclaration(reading: Array($0.utf8), name: file.path) }
        return (space, app, declaration, texts["sealed"] != nil)
    }

    /// Switches to another declaration of the app.
    func setDeclaration(_ declaration: AppDeclaration) throws {
        store = try environment.apps.openLate(store.app, storePath, declaration)
        info = try ReplicaApp(store.app, declaration, environment.apps)
    }

    /// Makes the replica of a device whose exports this one reads.
    init(of other: Replica, _ source: DocumentStore, _ file: StateFile, _ environment: SyncEnvironment) throws {
        self.file = file
        store = source
        info = other.info
        queue = try file.open(making: true, lockTimeout: environment.lockTimeout)
        folder = other.folder
        storePath = other.storePath
        space = other.space
        directory = other.directory
        self.environment = environment
    }

    /// The app whose records the store holds, such as `slate`, or the name in its declaration.
    public var app: String { store.app.rawValue }

    /// Reads and changes the replica's state.
    func withState<Result>(_ body: (ReplicaState) throws -> Result) throws -> Result {
        try file.translating {
            try queue.writeWithoutTransaction { database in
                let state = ReplicaState(database, path: file.path, info, environment)
                // Read the seen changes here, as later readers cannot throw.
                _ = try state.heads()
                return try body(state)
            }
        }
    }

    // MARK: Joining

    /// Makes a folder a shared one with a new space.
    ///
    /// - Returns: The space's identifier.
    /// - Throws: `DirectoryError` where the folder is shared already, cannot be made or cannot be written.
    public static func makeSpace(in folder: String, _ environment: SyncEnvironment) throws -> String {
        let space = environment.makeName(16)
        try SyncDirectory.create(
            at: folder,
            space: space,
            device: environment.device,
            now: Moments.text(environment.now())
        )
        return space
    }

    /// Undoes making a shared folder that nobody has joined; one with changes stays.
    ///
    /// - Throws: `DirectoryError`, when the folder cannot be listed or a file cannot be removed.
    public static func removeSpace(_ space: String, in folder: String, _ keys: KeyStore? = nil) throws {
        try SyncDirectory.opening(folder, space: space, NoCompression(), keys).removeEmpty(space)
        try keys?.remove(space)
    }

    /// Returns whether a folder is a shared one.
    ///
    /// - Throws: `DirectoryError`, when the folder is missing or cannot be listed.
    public static func isShared(_ folder: String) throws -> Bool {
        try !SyncDirectory(listing: folder).spaces().isEmpty
    }

    /// Returns whether a folder is a shared one; false where it does not exist.
    ///
    /// - Throws: `DirectoryError`, when the folder cannot be listed.
    package static func isSharedIfThere(_ folder: String) throws -> Bool {
        do throws(DirectoryError) {
            return try !SyncDirectory(listing: folder).spaces().isEmpty
        } catch {
            guard error.code == .absent else { throw error }
            return false
        }
    }

    /// Returns the space of a shared folder.
    ///
    /// - Throws: `sync.folder` where the folder has none, `sync.several-spaces` where it has several to choose from;
    ///   `DirectoryError` where it cannot be listed.
    public static func space(of folder: String) throws -> String {
        let spaces = try SyncDirectory(listing: folder).spaces()
        let left = spaces.current
        switch left.count {
        case 1: return left[0]
        case 0:
            let message =
                "the folder holds no shared space, expected a file satchel-….root; is it mounted, has it arrived? If that file "
                + "was deleted, \"foldersync repair\" on a device that has joined writes it again"
            throw SyncError(.folder, message, path: folder)
        default:
            let message =
                "the folder holds \(left.count) spaces, as devices began apart; run foldersync merge-spaces on each of them"
            throw SyncError(.severalSpaces, message, path: folder)
        }
    }

    /// Makes a store a replica; the first sync merges its records with those of the folder.
    ///
    /// A store that replaces a lost one continues its replica. If joining fails, nothing is left behind.
    ///
    /// - Returns: Whether the replica is new.
    /// - Throws: `sync.other-replica` where the store has a replica already; the errors of opening the store.
    @discardableResult
    public static func join(
        folder: String,
        space: String,
        store path: String,
        _ environment: SyncEnvironment
    ) throws -> Bool {
        let store = try environment.apps.open(path)
        let info = try ReplicaApp(store, environment.apps)
        let file = StateFile(path: StateFile.path(ofStore: path))
        let isNew = !file.exists
        let queue = try file.open(making: true, lockTimeout: environment.lockTimeout)
        let before = try store.read { try $0.link }
        do {
            return try file.translating {
                try queue.writeWithoutTransaction { database in
                    let state = ReplicaState(database, path: file.path, info, environment)
                    if let other = try state.property(.space) {
                        try resume(state, of: other, store, before, space, path)
                        return false
                    }
                    let replica = environment.makeName(16)
                    try store.setLink(SyncLink(space: space, replica: replica, generation: 0))
                    try state.transaction {
                        try setUp(state, space: space, app: store.app, replica: replica, environment)
                        try state.setProperty(.declaration, store.declaration?.json.text(.compact))
                    }
                    return true
                }
            }
        } catch {
            if isNew {
                if let before { try? store.setLink(before) } else { try? store.removeLink() }
                try? queue.close()
                try? file.remove()
            }
            throw error
        }
    }

    /// Continues a known replica with a store that was moved, or that replaces a lost one.
    private static func resume(
        _ state: ReplicaState,
        of other: String,
        _ store: any SyncStore,
        _ link: SyncLink?,
        _ space: String,
        _ path: String
    ) throws {
        guard other == space else {
            let message = "the store is in the space \(other) already; use leave first"
            throw SyncError(.otherReplica, message, path: path)
        }
        let isOwn = try link?.replica == state.property(.replica)
        if isOwn, try state.property(.full) != FullComparison.replaced.rawValue { return }
        guard isOwn || link == nil, try state.property(.app) == store.app.rawValue else {
            let message = "the file \(state.path) is of another store; move it away, or use leave first"
            throw SyncError(.otherReplica, message, path: path)
        }
        if try !state.isFresh {
            try state.setProperty(.full, FullComparison.rejoined.rawValue)
        }
    }

    /// Writes the state of a replica before its first sync.
    private static func setUp(
        _ state: ReplicaState,
        space: String,
        app: AppID,
        replica: String,
        _ environment: SyncEnvironment
    ) throws {
        try state.setProperty(.space, space)
        try state.setProperty(.app, app.rawValue)
        try state.setProperty(.replica, replica)
        try state.setProperty(.writer, environment.makeName(12))
        try state.setProperty(.sequence, "0")
        try state.setProperty(.generation, "0")
        try state.setProperty(.fresh, "1")
        // Until it has published, nothing else tells whose store it is.
        try state.setProperty(.device, "\(environment.device.id) \(environment.device.name)")
        // From now on a folder that is not encrypted is not this one.
        if environment.keys?.hasKeys(of: space) == true { try state.setProperty(.sealed, "1") }
    }

    func setUp(_ state: ReplicaState, replica: String) throws {
        try Self.setUp(state, space: space, app: store.app, replica: replica, environment)
    }

    /// Stops syncing the store: its records stay, and so do its files in the folder.
    ///
    /// - Throws: ``SyncError`` where the replica's own file cannot be removed; `StoreError` where the store cannot be
    ///   written, after that file is gone.
    public func leave() throws { _ = try leaveTelling() }

    /// Stops syncing the store, as ``leave()`` does.
    ///
    /// - Returns: Whether the others see it; false where the folder is there and takes no mark.
    /// - Throws: As ``leave()``.
    package func leaveTelling() throws -> Bool {
        // Where the folder itself is gone, nobody is to be told.
        let isThere = (try? directory.check(space)) != nil
        // Nobody can write lost files of this device again once it has left.
        let isWhole: Bool
        do {
            _ = isThere ? try publishMissing() : nil
            isWhole = true
        } catch {
            isWhole = false
        }
        let isTold = try? withState { state in
            let session = SyncSession(self, state)
            session.listing = try directory.listing()
            return try session.confirm(leaving: true)
        }
        // A full disk prevents writing the store, but not removing a file. The rest is a link that leads nowhere, which
        // the next join replaces.
        let unlinked = Result { try store.removeLink() }
        defer { try? queue.close() }
        try file.remove()
        try unlinked.get()
        return (isTold ?? true || !isThere) && isWhole
    }
}
