internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import StrictJSON

extension FolderSyncTool.DevicesGroup {
    struct Rename: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename",
            abstract: "Give this device a name, or call another one by a name of your own.",
            discussion: """
                This device's new name is seen by the others once it has changed something. What another device is called here, \
                only this one knows. No two devices can have one name.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        @Argument(
            help: "The device, by its identifier or a part of its name, and the new name; alone it is for this device.",
            completion: .devices
        )
        var words: [String]

        func run() throws {
            guard let last = words.last, words.count <= 2 else {
                throw CommandFailure(.usage, Messages.renameExpected(words.count))
            }
            let name = try ThisDevice.name(last)
            let file = try config.file()
            let other = try words.count == 2 ? KnownDevices.find(words[0], file) : nil
            let (devices, _) = try KnownDevices.all(file)
            let renamed = try other?.id ?? file.read().device?.id
            if let same = devices.device(called: name), same.id != renamed {
                let free = DeviceNames.free(name, among: devices.devices)
                throw CommandFailure(
                    .usage,
                    Messages.deviceNameTaken(same.id, name, free)
                )
            }
            let device = try file.update { registry in
                guard let own = registry.device else { throw ThisDevice.none }
                guard let other, other.id != own.id else {
                    registry.device?.name = name
                    return SyncDevice(id: own.id, name: name)
                }
                registry.devices[other.id, default: .init()].name = name
                for index in registry.folders.indices {
                    for place in registry.folders[index].inboxes.indices
                    where registry.folders[index].inboxes[place].device.id == other.id {
                        registry.folders[index].inboxes[place].device = SyncDevice(id: other.id, name: name)
                    }
                }
                return SyncDevice(id: other.id, name: name)
            }
            let text = Messages.renamed(device.id, device.name)
            try output.print(TerminalText.safe(text) + "\n", ["device": .object(device.json)])
        }
    }

    struct Retire: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retire",
            abstract: "Say that a device is gone for good.",
            discussion: """
                Nothing waits for a device that is gone: what it wrote stays, and what it never published is lost with it. A mark \
                in the folder tells the other devices: all of them list it as retired, and their status does not count what it \
                has not seen. Should it come back, nothing is lost: its sync says that it was retired and ends with 3. devices \
                retire --undo takes it back.
                """
        )

        @OptionGroup var config: ConfigOption
        @OptionGroup var output: FormatOption

        @Flag(help: "The device is not gone after all.")
        var undo = false

        @Argument(help: "The device, by its identifier or a part of its name.", completion: .devices)
        var device: String

        func run() throws {
            let file = try config.file()
            let found = try KnownDevices.find(device, file)
            if undo { try Self.checkUndo(found, file) }
            try file.update { registry in
                guard found.id != registry.device?.id else {
                    throw CommandFailure(.usage, Messages.ownRetirement)
                }
                registry.devices[found.id, default: .init()].isRetired = !undo
            }
            let registry = try file.read()
            let hasKey = registry.folders.contains { folder in
                guard KeyStore(file).hasKeys(of: folder.space) else { return false }
                // Where that cannot be told, it may have it.
                guard let status = try? KeyTarget.keys(file, folder.path).keys.status() else { return true }
                return status.devices.contains { $0.id == found.id }
            }
            let name = DeviceNames.name(of: found)
            let untold = try Self.tell(found, isUndone: undo, file)
            var text = Messages.retired(name, isUndone: undo)
            if hasKey, !undo { text += Messages.stillHasTheKey(name) }
            StandardError.write(untold)
            try output.print(TerminalText.safe(text) + "\n", ["device": .object(found.json), "retired": .bool(!undo)])
            if !untold.isEmpty { throw ExitStatus.findings.exitCode }
        }

        /// Checks that this device retired another one, or nobody who takes part did: each device notes whom it retired.
        private static func checkUndo(_ device: SyncDevice, _ file: RegistryFile) throws {
            let registry = try file.read()
            let environment = try ThisDevice.environment(registry)
            // A store that cannot be looked at is told afterwards.
            let authors = registry.folders.compactMap(\.targets.first).flatMap { target in
                let replica = try? Replica(folder: target.folder.path, store: target.store.path, environment)
                return (try? replica?.retirers(of: device)) ?? []
            }
            guard let author = authors.first, !authors.contains(where: { $0.id == environment.device.id }) else {
                return
            }
            let names = (DeviceNames.name(of: device), DeviceNames.name(of: author))
            throw CommandFailure(.usage, Messages.retiredElsewhere(names.0, by: names.1))
        }

        /// Leaves word for the device in each folder that it takes part in.
        ///
        /// - Returns: Lines about folders that take nothing now.
        static func tell(_ device: SyncDevice, isUndone: Bool, _ file: RegistryFile) throws -> String {
            let registry = try file.read()
            let environment = try ThisDevice.environment(registry)
            return try registry.folders.compactMap { folder in
                guard let target = folder.targets.first else { return nil }
                let results = try TargetResults([target]) { target in
                    let replica = try Replica(folder: folder.path, store: target.store.path, environment)
                    try replica.retire(device, isUndone: isUndone)
                }
                let untold = Messages.retirementUntold(DeviceNames.name(of: device), folder.path)
                return results.errors.isEmpty ? nil : results.errors + TerminalText.safe(untold) + "\n"
            }.joined()
        }
    }
}

extension CompletionKind {
    /// The names of the devices in all folders that were joined.
    static var devices: CompletionKind {
        .custom { _, _, _ in
            guard let file = try? ConfigOption.usual(), let devices = try? KnownDevices.all(file).0.devices else {
                return []
            }
            return devices.map { DeviceNames.name(of: $0) }
        }
    }
}

extension KnownDevices {
    /// Returns the device of that identifier or name, in any folder that was joined.
    ///
    /// - Parameter keys: The keys of a folder, whose members count as well.
    /// - Throws: As ``find(_:)``; the failure of a store whose devices could not be read, if no other names the device.
    static func find(_ text: String, _ file: RegistryFile, withKeys keys: FolderKeys? = nil) throws -> SyncDevice {
        var (known, failure) = try all(file)
        if let keys, keys.isUnlocked { known.add(try keys.status().devices, try file.read()) }
        do {
            return try known.find(text)
        } catch {
            throw error.status == .noInput ? failure ?? error : error
        }
    }

    /// Returns the devices of all folders that were joined, and the failure why those of a store are missing.
    fileprivate static func all(_ file: RegistryFile) throws -> (KnownDevices, CommandFailure?) {
        let registry = try file.read()
        DeviceNames.use(registry)
        let environment = try ThisDevice.environment(registry)
        let targets = registry.folders.flatMap { folder in folder.stores.map { Target(folder: folder, store: $0) } }
        let results = try TargetResults(targets) { target in
            try Replica(folder: target.folder.path, store: target.store.path, environment).devices()
        }
        return (KnownDevices(results.values.flatMap(\.value), registry, registry.folders), results.firstFailure)
    }
}
