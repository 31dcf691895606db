package import RecordStore
package import StrictJSON

/// The folders and stores that this device has joined, and its folders of exports.
package struct Registry: Equatable {
    /// The version of the file that this program writes.
    package static let version = 1

    /// This device, nil before it has joined anything.
    package var device: SyncDevice?
    package var folders: [JoinedFolder] = []
    /// The names and retirements of other devices that the user set, by the devices' identifiers.
    package var devices: [String: OtherDevice] = [:]
    /// Members that this program does not know, which stay as they are.
    package var others: [Level: JSONObject] = [:]

    /// The places of members that this program does not know.
    package enum Level: Hashable { case file, device }

    package init(device: SyncDevice? = nil, folders: [JoinedFolder] = []) {
        self.device = device
        self.folders = folders
    }

    /// Returns the folder at a path, however it is written.
    package func folder(at path: String) -> JoinedFolder? { folders.first { $0.path == path } }

    /// Every inbox with the folder that it belongs to.
    package var inboxes: [(folder: JoinedFolder, inbox: Inbox)] {
        folders.flatMap { folder in folder.inboxes.map { (folder, $0) } }
    }
}

/// The name and the retirement of another device, as the user set them.
package struct OtherDevice: Equatable {
    /// The name of the device on this one.
    package var name: String?
    /// True if the device is gone for good.
    package var isRetired = false
    package var others = JSONObject()

    package init(name: String? = nil, isRetired: Bool = false) {
        self.name = name
        self.isRetired = isRetired
    }
}

/// A shared directory that this device has joined.
package struct JoinedFolder: Equatable {
    /// Its absolute path, links followed.
    package var path: String
    /// The identifier of the space that lay there when it was joined.
    package var space: String
    package var stores: [JoinedStore] = []
    package var inboxes: [Inbox] = []
    package var others = JSONObject()

    package init(path: String, space: String, stores: [JoinedStore] = [], inboxes: [Inbox] = []) {
        self.path = path
        self.space = space
        self.stores = stores
        self.inboxes = inboxes
    }

    /// Returns the store of an app.
    package func store(of app: AppID) -> JoinedStore? { stores.first { $0.app == app } }
}

/// A store that takes part in a folder.
package struct JoinedStore: Equatable {
    package let app: AppID
    /// Its absolute path, links followed.
    package var path: String
    package var others = JSONObject()

    package init(app: AppID, path: String) {
        self.app = app
        self.path = path
    }
}

/// A folder in which a device that cannot do more leaves its exports.
package struct Inbox: Equatable {
    /// Its absolute path, links followed.
    package var path: String
    /// The device whose exports these are.
    package var device: SyncDevice
    /// The only store that takes them; nil where each app's does.
    package var store: String?
    package var others = JSONObject()

    package init(path: String, device: SyncDevice, store: String? = nil) {
        self.path = path
        self.device = device
        self.store = store
    }
}
