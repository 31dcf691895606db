internal import DirectorySync
internal import RecordStore
internal import StrictJSON

/// What this device has joined: folders, the stores that take part in each, and folders of exports.
struct Registry: Equatable {
    /// The version of the file that this program writes.
    static let version = 1

    /// This device, nil before it has joined anything.
    var device: SyncDevice?
    var folders: [JoinedFolder] = []
    /// What the person said of other devices, by their identifiers.
    var devices: [String: OtherDevice] = [:]
    /// Members that this program does not know, which stay as they are.
    var others: [Level: JSONObject] = [:]

    /// Where members stand that this program does not know.
    enum Level: Hashable { case file, device }

    /// The folder at a path, however it is written.
    func folder(at path: String) -> JoinedFolder? { folders.first { $0.path == path } }

    /// Every inbox with the folder that it belongs to.
    var inboxes: [(folder: JoinedFolder, inbox: Inbox)] {
        folders.flatMap { folder in folder.inboxes.map { (folder, $0) } }
    }
}

/// What the person said of another device.
struct OtherDevice: Equatable {
    /// What it is called on this device.
    var name: String?
    /// Whether it is gone for good.
    var isRetired = false
    var others = JSONObject()
}

/// A shared directory that this device has joined.
struct JoinedFolder: Equatable {
    /// Its absolute path, links followed.
    var path: String
    /// The identifier of the space that lay there when it was joined.
    var space: String
    var stores: [JoinedStore] = []
    var inboxes: [Inbox] = []
    var others = JSONObject()

    /// The store of an app.
    func store(of app: AppID) -> JoinedStore? { stores.first { $0.app == app } }
}

/// A store that takes part in a folder.
struct JoinedStore: Equatable {
    let app: AppID
    /// Its absolute path, links followed.
    var path: String
    var others = JSONObject()
}

/// A folder in which a device that cannot do more leaves its exports.
struct Inbox: Equatable {
    /// Its absolute path, links followed.
    var path: String
    /// Whose exports they are.
    var device: SyncDevice
    /// The only store that takes them; nil where each app's does.
    var store: String?
    var others = JSONObject()
}
