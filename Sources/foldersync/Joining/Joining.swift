internal import AppFormats
internal import AppStores
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// What `init` and `join` have in common: stores become replicas, and are synchronised for the first time.
struct Joining {
    let file: RegistryFile
    let environment: SyncEnvironment
    /// Whether the stores are copies of another device's, which go on as this one's.
    private let isCopy: Bool

    /// Gives this device its name and identifier, where it has none yet.
    ///
    /// - Parameters:
    ///   - stores: Stores that join; the file beside one may say which device this is, where the registry was lost.
    ///   - space: The space that they join; nil for a new one.
    ///   - folder: The shared folder, whose other devices have names already.
    /// - Throws: 64 for a name that another device has, or where this device has another one.
    init(
        _ file: RegistryFile,
        name: String?,
        now: Timestamp?,
        stores: [JoinedStore] = [],
        space: String? = nil,
        folder: String? = nil
    ) throws {
        self.file = file
        let wanted = try ThisDevice.name(name)
        let own = try file.read().device
        let former = own == nil ? try Self.former(stores, space, now) : nil
        isCopy = former.map { name != nil && $0.name != wanted } ?? false
        let others = try folder.map(Replica.devices) ?? []
        // A device that has a name is one of those in the folder itself, where it joined before.
        let fresh =
            try own == nil && (isCopy || former == nil)
            ? SyncDevice(id: Identifier.device(), name: DeviceNames.free(wanted, isGiven: name != nil, among: others))
            : former
        let device = try file.update { registry in
            let device = registry.device ?? fresh ?? SyncDevice(id: Identifier.device(), name: wanted)
            registry.device = device
            return device
        }
        if own != nil, let other = others.first(where: { $0.id != device.id && $0.name == device.name }) {
            StandardError.write(
                TerminalText.safe(
                    "another device in \(folder ?? "") is called \"\(other.name)\" as well: foldersync devices rename "
                        + "\"\(DeviceNames.free(other.name, among: others))\" tells them apart"
                ) + "\n"
            )
        }
        if name != nil, device.name != wanted {
            throw CommandFailure(
                .usage,
                "this device is called \"\(device.name)\" already; foldersync devices rename changes that"
            )
        }
        environment = ThisDevice.environment(device, now: now)
    }

    /// The device that the stores say this one has been.
    private static func former(
        _ stores: [JoinedStore],
        _ space: String?,
        _ now: Timestamp?
    ) throws -> SyncDevice? {
        guard let space else { return nil }
        let nobody = ThisDevice.environment(SyncDevice(id: "", name: ""), now: now)
        for store in stores {
            if let device = try Replica.device(ofStore: store.path, space: space, nobody) { return device }
        }
        return nil
    }

    /// Makes stores replicas and notes them.
    ///
    /// - Returns: What they are now, with the folder as it is noted.
    func join(_ stores: [JoinedStore], to path: String, space: String) throws -> [Target] {
        var targets: [Target] = []
        for store in stores {
            try Replica.join(folder: path, space: space, store: store.path, environment)
            if isCopy { try Replica.separate(store: store.path, folder: path, environment) }
            let folder = try file.update { registry in
                let index = registry.folders.firstIndex { $0.path == path } ?? registry.folders.endIndex
                if index == registry.folders.endIndex {
                    registry.folders.append(JoinedFolder(path: path, space: space))
                }
                registry.folders[index].stores.removeAll { $0.app == store.app }
                registry.folders[index].stores.append(store)
                return registry.folders[index]
            }
            targets.append(Target(folder: folder, store: store))
        }
        return targets
    }

    /// Takes stores out again of a space that is given up before anybody noted it.
    ///
    /// - Returns: Whether none is in it any more.
    func takeOut(_ stores: [JoinedStore], of space: String, at path: String) -> Bool {
        stores.allSatisfy { store in
            do {
                let replica = try Replica(folder: path, store: store.path, environment)
                if replica.space == space { try replica.leave() }
                return true
            } catch {
                if (error as? SyncError)?.code == .notJoined { return true }
                // It did not come so far where what lies beside the store is none of this program's.
                do {
                    return try SyncStores.open(store.path).read { try $0.link }?.space != space
                } catch {
                    return false
                }
            }
        }
    }

    /// The first synchronisation.
    func synchronise(_ targets: [Target]) throws -> TargetResults<SyncReport> {
        try TargetResults(targets) { target in
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            return SyncReport(try replica.sync(), unsynced: try replica.unsynced())
        }
    }
}
