internal import ArgumentParser
internal import CommandSupport
internal import DirectorySync
internal import FolderEncryption
internal import StrictJSON

/// The folder whose keys a command works on.
struct KeyTarget: ParsableArguments {
    @Argument(help: "The shared folder; needed where several were joined.", completion: .directory)
    var folder: String?

    @OptionGroup var config: ConfigOption

    /// Returns the folder and its keys.
    ///
    /// - Throws: 64 where several folders were joined and none is named; 66 where it was not joined; 65 where it is not
    ///   encrypted.
    func keys() throws -> (registry: Registry, folder: JoinedFolder, keys: FolderKeys) {
        try Self.keys(config.file(), folder)
    }

    static func keys(
        _ file: RegistryFile,
        _ path: String?
    ) throws -> (registry: Registry, folder: JoinedFolder, keys: FolderKeys) {
        let registry = try file.read()
        let folder = try registry.onlyFolder(named: path)
        let keys = FolderKeys(folder.path, space: folder.space, KeyStore(file))
        guard keys.isUnlocked || FolderKeys.isEncrypted(folder.path, space: folder.space) else {
            throw CommandFailure(.badData, "\(folder.path) is not encrypted, so that it has no key")
        }
        return (registry, folder, keys)
    }
}

/// Replaces the key of a folder.
struct KeyRotation {
    private let keys: FolderKeys
    private let locks: LockOptions
    private let isNew: Bool

    init(_ keys: FolderKeys, _ locks: LockOptions, isNew: Bool) {
        (self.keys, self.locks, self.isNew) = (keys, locks, isNew)
    }

    /// Makes a new key, and returns the devices that get it.
    func run(removing removed: Set<String>) throws -> [SyncDevice] {
        guard keys.isUnlocked else {
            throw CommandFailure(.noKey, "this device has no key of \(keys.folder): foldersync key unlock")
        }
        let passphrase = try isNew ? locks.newPassphrase() : locks.presentPassphrase(keys)
        // A removal that was ended after the key was made is run again with the same one.
        let isAgain = try !removed.isEmpty && removed.isSubset(of: keys.status().removed)
        if isNew, !isAgain, try keys.slotCount(openedBy: passphrase).opened > 0 {
            throw CommandFailure(.usage, Messages.samePassphrase(orWithout: true))
        }
        let code = try locks.newRecoveryCode(of: keys.folder)
        do {
            return try keys.rotate(removing: removed, NewFolderLocks(passphrase, code))
        } catch {
            locks.takeBack()
            throw error
        }
    }

    /// Returns the devices of a folder's stores; nil where a store's cannot be read.
    static func devices(of folder: JoinedFolder, _ registry: Registry) throws -> KnownDevices? {
        let environment = try ThisDevice.environment(registry)
        let results = try TargetResults(folder.targets) { target in
            try Replica(folder: folder.path, store: target.store.path, environment).devices()
        }
        guard results.firstFailure == nil else { return nil }
        return KnownDevices(results.values.flatMap(\.value), registry, [folder])
    }

    /// - Parameters:
    ///   - devices: The devices that get the new key, as ``KnownDevices/today(_:)`` names them.
    ///   - known: The devices of the folder's stores; nil where they cannot be read.
    static func print(
        _ folder: JoinedFolder,
        _ devices: [SyncDevice],
        _ known: KnownDevices?,
        _ output: FormatOption
    ) throws {
        let left = devices.filter { known?.hasLeft($0) == true }
        let without = known?.withoutKey(devices) ?? []
        let text = "\(folder.path) has a new key. It is there for: \(names(devices))."
        let retired = devices.filter { known?.isRetired($0) == true && !left.contains($0) }
        let lines =
            [text] + left.map { Messages.withKey($0.name, "has left") }
            + retired.map { Messages.withKey($0.name, "is retired") }
        StandardError.write(without.map { TerminalText.safe(Messages.withoutKey($0.name)) + "\n" }.joined())
        try output.print(
            lines.map { TerminalText.safe($0) + "\n" }.joined(),
            [
                "folder": .string(folder.path), "devices": .array(devices.map { .object($0.json) }),
                "left": .array(left.map { .object($0.json) }),
                "retired": .array(retired.map { .object($0.json) }),
                "withoutKey": .array(without.map { .object($0.json) }),
            ]
        )
    }

    /// The names of the devices that get a key, with their identifiers where several have one name.
    static func names(_ devices: [SyncDevice], none: String = "this device") -> String {
        let names = devices.map { device in
            let isOne = devices.count { $0.name == device.name } == 1
            return isOne ? device.name : "\(device.name) (\(device.id))"
        }
        return names.isEmpty ? none : names.joined(separator: ", ")
    }
}
