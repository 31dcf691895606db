internal import FormatKit
internal import RecordStore
internal import StrictJSON

extension Registry {
    /// Reads a registry; anything that it should not have is an error with its place, not a guess.
    ///
    /// - Parameter file: The name for messages.
    /// - Throws: ``RegistryError`` with the place.
    package init(reading bytes: [UInt8], file: String) throws(RegistryError) {
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument(parsing: bytes)
        } catch {
            throw RegistryError(error.diagnostic(file: file))
        }
        let root = RegistryNode(document.root, file)
        try root.check(is: .object, "an object, the registry of foldersync")
        let format = try root.member("format")
        guard format.node.string == Self.format else { throw format.unexpected("\"\(Self.format)\"") }
        let version = try root.member("version")
        guard let number = version.node.int, number >= 1 else { throw version.unexpected("a version from 1 on") }
        guard number <= Self.version else {
            var newer = version.failure(
                "found version \(number), expected at most \(Self.version); a newer foldersync wrote it: update this one"
            )
            newer.isNewer = true
            throw newer
        }
        device = try root.optional("device")?.device()
        folders = try (root.optional("folders")?.array() ?? []).map(JoinedFolder.init)
        for (id, node) in try root.optional("devices")?.members() ?? [] {
            guard Identifier.isValid(id, count: 16) else {
                throw node.failure("found the device \"\(id)\", expected 16 characters of 0-9 and a-z")
            }
            devices[id] = try OtherDevice(node)
        }
        if let first = try root.optional("device") { others[.device] = first.others(than: ["id", "name"]) }
        others[.file] = root.others(than: ["format", "version", "device", "folders", "devices"])
        if device == nil, let folders = try root.optional("folders"), folders.node.count > 0 {
            throw root.failure("found folders and no device, expected a member \"device\" with \"id\" and \"name\"")
        }
        try Self.checkUnique(try root.optional("folders")?.array() ?? [], "folder")
    }

    package static let format = "satchel-foldersync"

    /// Checks that no two of them have one path.
    static func checkUnique(_ nodes: [RegistryNode], _ what: String) throws(RegistryError) {
        var paths: Set<String> = []
        for node in nodes {
            let path = try node.member("path")
            guard paths.insert(try path.path()).inserted else {
                throw path.failure("found the \(what) \(try path.path()) a second time, expected each once")
            }
        }
    }
}

extension OtherDevice {
    fileprivate init(_ node: RegistryNode) throws(RegistryError) {
        try node.check(is: .object, "an object, a device")
        let given = try node.optional("name")
        if let given {
            guard let text = given.node.string, !text.isBlank else { throw given.unexpected("a name") }
            name = text
        }
        if let retired = try node.optional("retired") {
            guard let flag = retired.node.bool else { throw retired.unexpected("true or false") }
            isRetired = flag
        }
        others = node.others(than: ["name", "retired"])
    }
}

extension JoinedFolder {
    init(_ node: RegistryNode) throws(RegistryError) {
        try node.check(is: .object, "an object, a folder that was joined")
        path = try node.member("path").path()
        let space = try node.member("space")
        self.space = try space.space()
        let storeNodes = try node.optional("stores")?.array() ?? []
        stores = try storeNodes.map(JoinedStore.init)
        for (index, store) in stores.enumerated() where stores[..<index].contains(where: { $0.app == store.app }) {
            throw storeNodes[index].failure(
                "found a second store of \(store.app.rawValue), expected at most one of each app in a folder"
            )
        }
        let inboxNodes = try node.optional("inboxes")?.array() ?? []
        inboxes = try inboxNodes.map(Inbox.init)
        try Registry.checkUnique(inboxNodes, "inbox")
        others = node.others(than: ["path", "space", "stores", "inboxes"])
    }
}

extension JoinedStore {
    init(_ node: RegistryNode) throws(RegistryError) {
        try node.check(is: .object, "an object, a store")
        let name = try node.member("app")
        guard let app = name.node.string.flatMap(AppID.init(rawValue:)) else {
            throw name.unexpected("one of \(AppID.reserved.map(\.rawValue).joined(separator: ", "))")
        }
        self.app = app
        path = try node.member("path").path()
        others = node.others(than: ["app", "path"])
    }
}

extension Inbox {
    init(_ node: RegistryNode) throws(RegistryError) {
        try node.check(is: .object, "an object, an inbox")
        path = try node.member("path").path()
        device = try node.member("device").device()
        let store = try node.optional("store")
        self.store = try store?.path()
        others = node.others(than: ["path", "device", "store"])
    }
}
