internal import AppFormats
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

/// What `init` and `join` have in common: stores become replicas, and are synchronised for the first time.
struct Joining {
    let file: RegistryFile
    let environment: SyncEnvironment

    /// Gives this device its name and identifier, where it has none yet.
    init(_ file: RegistryFile, name: String?, now: Timestamp?) throws {
        self.file = file
        let wanted = try ThisDevice.name(name)
        let device = try file.update { registry in
            let device = registry.device ?? SyncDevice(id: Identifier.device(), name: wanted)
            registry.device = device
            return device
        }
        if name != nil, device.name != wanted {
            throw CommandFailure(
                .usage,
                "this device is called \"\(device.name)\" already; foldersync devices rename changes that"
            )
        }
        environment = ThisDevice.environment(device, now: now)
    }

    /// Makes stores replicas and notes them.
    ///
    /// - Returns: What they are now, with the folder as it is noted.
    func join(_ stores: [JoinedStore], to path: String, space: String) throws -> [Target] {
        var targets: [Target] = []
        for store in stores {
            try Replica.join(folder: path, space: space, store: store.path, environment)
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

    /// The first synchronisation.
    func synchronise(_ targets: [Target]) throws -> TargetResults<SyncReport> {
        try TargetResults(targets) { target in
            let replica = try Replica(folder: target.folder.path, store: target.store.path, environment)
            return SyncReport(try replica.sync())
        }
    }
}
