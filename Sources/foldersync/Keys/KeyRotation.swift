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

    /// The folder and its keys.
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

    /// - Returns: The devices that get the new key.
    func run(removing removed: Set<String>) throws -> [SyncDevice] {
        guard keys.isUnlocked else {
            throw CommandFailure(.noKey, "this device has no key of \(keys.folder): foldersync key unlock")
        }
        let passphrase = try isNew ? locks.newPassphrase() : locks.presentPassphrase(keys)
        let code = try locks.newRecoveryCode(of: keys.folder)
        do {
            return try keys.rotate(removing: removed, NewFolderLocks(passphrase, code))
        } catch {
            locks.takeBack()
            throw error
        }
    }

    static func print(_ folder: JoinedFolder, _ devices: [SyncDevice], _ output: FormatOption) throws {
        let names = devices.map(\.name).joined(separator: ", ")
        let text = "\(folder.path) has a new key. It is there for: \(names.isEmpty ? "this device" : names)."
        try output.print(
            TerminalText.safe(text) + "\n",
            ["folder": .string(folder.path), "devices": .array(devices.map { .object($0.json) })]
        )
    }
}
