internal import AgeFile
internal import FileSystem
internal import FolderEncryption
internal import RecordStore
internal import StrictJSON
internal import Synchronization

/// The folder where this device keeps the keys of encrypted folders, in files that only its user can read.
public struct KeyStore: Sendable, Hashable {
    /// The path of the folder.
    public let folder: String
    private let vault: (any KeyVault)?

    /// Makes a store, whose folder need not exist.
    ///
    /// - Parameter vault: The system's keyring; nil where there is none.
    public init(folder: String, vault: (any KeyVault)? = nil) {
        self.folder = folder
        self.vault = vault
    }

    /// Compares the folders.
    public static func == (left: KeyStore, right: KeyStore) -> Bool { left.folder == right.folder }

    /// Hashes the folder.
    public func hash(into hasher: inout Hasher) { hasher.combine(folder) }

    /// Returns whether this device has keys of a space.
    public func hasKeys(of space: String) -> Bool { (try? Files.exists(path(space))) == true }

    /// The spaces of which there are keys.
    var spaces: [String] {
        let names = (try? FolderCalls.names(in: folder).names) ?? []
        return names.filter { $0.hasSuffix(".keys") }.map { String($0.dropLast(".keys".count)) }.sorted()
    }

    private func path(_ space: String) -> String { "\(folder)/\(space).keys" }

    private func pendingPath(_ space: String) -> String { "\(folder)/\(space).request" }

    /// Returns the path of the file that remembers which stored file has which path.
    func cachePath(_ space: String) -> String { "\(folder)/\(space).index" }

    /// Returns the path of the file that remembers that a folder takes in no plain files any more.
    private func endedPath(_ space: String) -> String { "\(folder)/\(space).ended" }

    /// Returns whether the folder of a space takes in no plain files any more.
    func hasEnded(_ space: String) -> Bool { (try? Files.exists(endedPath(space))) == true }

    /// Remembers that the folder of a space takes in no plain files any more.
    func noteEnd(of space: String) throws(DirectoryError) {
        if !hasEnded(space) { try write([], to: endedPath(space)) }
    }

    /// Returns the fingerprint of the file with the keys of a space.
    func fingerprint(of space: String) -> FileFingerprint? { FileFingerprint(path(space)) }

    /// Reads the keys of a space; nil where there are none.
    ///
    /// - Throws: `noKey` where the file is damaged; `newer`; `inputOutput`.
    func ring(of space: String) throws(DirectoryError) -> KeyRing? {
        guard FileName.isPlain(space), var bytes = try secret(path(space)) else { return nil }
        defer { wipe(&bytes) }
        CoreDumps.prevent()
        do throws(EncryptionError) {
            return try KeyRing(reading: bytes, space: space)
        } catch {
            throw DirectoryError(error.code == .tooNew ? .newer : .noKey, error.message, path: path(space))
        }
    }

    /// Writes the keys of a space.
    ///
    /// - Parameter last: The last step before the file with the keys gets its name; where it fails, there is no such file.
    func save(_ ring: KeyRing, after last: () throws(DirectoryError) -> Void = {}) throws(DirectoryError) {
        var bytes = ring.encoded()
        defer { wipe(&bytes) }
        try keep(bytes, in: path(ring.space), after: last)
    }

    /// Removes all that this device has of a space.
    ///
    /// - Throws: `DirectoryError` where a file cannot be removed.
    public func remove(_ space: String) throws {
        for path in [path(space), pendingPath(space), cachePath(space), endedPath(space)] {
            try FolderCalls.remove(path)
        }
        try removeUnfinished(of: space)
    }

    /// Reads the key of this device's own request to join; nil where there is none.
    func pendingKey(of space: String) throws(DirectoryError) -> DeviceKey? {
        guard var bytes = try secret(pendingPath(space)) else { return nil }
        defer { wipe(&bytes) }
        do throws(EncryptionError) {
            return try DeviceKey(seed: bytes)
        } catch {
            throw DirectoryError(.noKey, error.message, path: pendingPath(space))
        }
    }

    /// Keeps the key of a request, or forgets it.
    func setPendingKey(_ key: DeviceKey?, of space: String) throws(DirectoryError) {
        guard let key else {
            try FolderCalls.remove(pendingPath(space))
            return
        }
        var bytes = Base64.decode(Array(key.secretText().utf8)) ?? []
        defer { wipe(&bytes) }
        try keep(bytes, in: pendingPath(space))
    }

    private func secret(_ path: String) throws(DirectoryError) -> [UInt8]? {
        guard try FolderCalls.exists(path) else { return nil }
        let bytes = try SharedFile(reading: path).bytes(limit: 1 << 28)
        guard let sealed = VaultFile(bytes) else { return bytes }
        var secret = try secret(of: sealed, path)
        defer { wipe(&secret) }
        guard let opened = sealed.open(bytes, secret, file: name(of: path)) else {
            throw DirectoryError(
                .noKey,
                "this device's file of keys was changed; remove it and run foldersync key unlock",
                path: path
            )
        }
        return opened
    }

    /// Writes a file with keys: as it is, or sealed with the keyring's secret.
    private func keep(
        _ bytes: [UInt8],
        in path: String,
        after last: () throws(DirectoryError) -> Void = {}
    ) throws(DirectoryError) {
        guard let name = try vaultName() else { return try write(bytes, to: path, after: last) }
        try seal(bytes, VaultFile(name: name), in: path, after: last)
    }

    private func seal(
        _ bytes: [UInt8],
        _ sealed: VaultFile,
        in path: String,
        after last: () throws(DirectoryError) -> Void = {}
    ) throws(DirectoryError) {
        var secret = try secret(of: sealed, path)
        defer { wipe(&secret) }
        try write(sealed.seal(bytes, secret, file: name(of: path)), to: path, after: last)
    }

    // MARK: The system's keyring

    /// The file that names the secret for new files.
    private var vaultPath: String { "\(folder)/keyring" }

    private func vaultName() throws(DirectoryError) -> String? {
        guard try FolderCalls.exists(vaultPath) else { return nil }
        return String(decoding: try SharedFile(reading: vaultPath).bytes(limit: 1 << 10), as: UTF8.self)
    }

    /// Returns the place where keys are kept.
    ///
    /// - Throws: `DirectoryError` where the folder cannot be read.
    package func place() throws -> KeyPlace { try vaultName() == nil ? .file : .keyring }

    private func name(of path: String) -> String { String(path.dropFirst(folder.count + 1)) }

    private func secret(of sealed: VaultFile, _ path: String) throws(DirectoryError) -> [UInt8] {
        let remedy = "if it is gone for good, run foldersync key keep file --lost, and then foldersync key unlock"
        guard let vault else {
            let message =
                "the keys are sealed with a secret of the system's keyring, and there is none: bring it back; \(remedy)"
            throw DirectoryError(.noKey, message, path: path)
        }
        do throws(KeyVaultError) {
            if let secret = try vault.secret(sealed.name) { return secret }
        } catch {
            let message =
                "the keys are sealed with a secret of \(vault.title), which cannot be read (\(error.message)): unlock it; \(remedy)"
            throw DirectoryError(.noKey, message, path: path)
        }
        let message = "the keys are sealed with a secret that \(vault.title) no longer has: bring it back; \(remedy)"
        throw DirectoryError(.noKey, message, path: path)
    }

    /// Checks that keys can be kept.
    ///
    /// - Throws: `DirectoryError` `noKey` where they are to be sealed, and the keyring cannot be used.
    func checkPlace() throws(DirectoryError) {
        guard let name = try vaultName() else { return }
        var secret = try secret(of: VaultFile(name: name), vaultPath)
        wipe(&secret)
    }

    /// Keeps all keys of this device in another place, those of later folders as well.
    ///
    /// If it is interrupted, call it again. Each file can be read meanwhile.
    ///
    /// - Parameter isLost: Whether files that cannot be opened are given up; they stay as they are.
    /// - Returns: The spaces whose files cannot be opened.
    /// - Throws: `DirectoryError` where the keyring, or a file, cannot be used; nothing was changed then.
    @discardableResult
    package func move(to place: KeyPlace, isLost: Bool = false) throws -> [String] {
        try locked { () throws(DirectoryError) -> [String] in
            try removeUnfinished()
            switch place {
            case .keyring: return try sealAll()
            case .file: return try openAll(isLost: isLost)
            }
        }
    }

    /// Removes temporary files of interrupted writes, which can contain keys.
    private func removeUnfinished(of space: String? = nil) throws(DirectoryError) {
        let names = (try? FolderCalls.names(in: folder).names) ?? []
        for name in names {
            let parts = name.split(separator: ".")
            guard parts.count == 3, parts[1] == "keys" || parts[1] == "request", UInt64(parts[2]) != nil,
                space == nil || parts[0] == space ?? ""
            else { continue }
            try FolderCalls.remove("\(folder)/\(name)")
        }
    }

    private var keyFiles: [String] {
        let names = (try? FolderCalls.names(in: folder).names) ?? []
        return names.filter { $0.hasSuffix(".keys") || $0.hasSuffix(".request") }.sorted().map { "\(folder)/\($0)" }
    }

    private func sealAll() throws(DirectoryError) -> [String] {
        try checkPlace()
        if try vaultName() == nil {
            guard let vault else {
                let message = "this system has no keyring that can be used; nothing was changed"
                throw DirectoryError(.noKey, message, path: folder)
            }
            let name = Hex.text((0..<16).map { _ in UInt8.random(in: 0...255) })
            var secret = (0..<32).map { _ in UInt8.random(in: 0...255) }
            defer { wipe(&secret) }
            do throws(KeyVaultError) {
                try vault.keep(secret, as: name)
                guard try vault.secret(name) == secret else {
                    throw KeyVaultError("it returns another secret than the one stored")
                }
            } catch {
                let message = "\(vault.title) cannot be used: \(error.message); nothing was changed"
                throw DirectoryError(.noKey, message, path: folder)
            }
            try write(Array(name.utf8), to: vaultPath)
        }
        guard let name = try vaultName() else { return [] }
        var closed: [String] = []
        for path in keyFiles {
            let sealed = try VaultFile(SharedFile(reading: path).bytes(limit: 1 << 28))
            if sealed?.name == name { continue }
            do throws(DirectoryError) {
                guard var bytes = try secret(path) else { continue }
                defer { wipe(&bytes) }
                try seal(bytes, VaultFile(name: name), in: path)
            } catch {
                // Another secret, which is gone.
                guard sealed != nil, error.code == .noKey else { throw error }
                closed.append(space(of: path))
            }
        }
        return closed
    }

    private func openAll(isLost: Bool) throws(DirectoryError) -> [String] {
        var opened: [(path: String, bytes: [UInt8])] = []
        defer { for index in opened.indices { wipe(&opened[index].bytes) } }
        var closed: [String] = []
        for path in keyFiles {
            do throws(DirectoryError) {
                guard var bytes = try secret(path) else { continue }
                if path.hasSuffix(".keys"), (try? KeyRing(reading: bytes, space: space(of: path))) == nil {
                    wipe(&bytes)
                    let message = "this device's file of keys is damaged: put back a copy, or give it up with --lost"
                    throw DirectoryError(.noKey, "\(message); nothing was changed", path: path)
                }
                opened.append((path, bytes))
            } catch {
                guard isLost else { throw error }
                closed.append(space(of: path))
            }
        }
        // From here on keys are written as they are. The secret stays in the keyring, for files that come back.
        try FolderCalls.remove(vaultPath)
        for (path, bytes) in opened { try write(bytes, to: path) }
        return closed
    }

    private func space(of path: String) -> String { String(name(of: path).prefix { $0 != "." }) }

    /// Makes the folder, and those that it lies in: on a new account none of them is there.
    private func makeFolder() throws(DirectoryError) {
        do throws(StoreError) {
            try StoreLocation.createFolder(of: "\(folder)/x")
        } catch {
            throw DirectoryError(.inputOutput, error.message, path: folder)
        }
    }

    /// Writes a file that only this user can read, in place of another one.
    ///
    /// - Parameter last: The last step before it has its name.
    private func write(
        _ bytes: [UInt8],
        to path: String,
        after last: () throws(DirectoryError) -> Void = {}
    ) throws(DirectoryError) {
        try makeFolder()
        let new = "\(path).\(UInt64.random(in: 0 ... .max))"
        do throws(DirectoryError) {
            let file = try FolderCalls.run { () throws(FileError) in try OpenFile(creating: new, mode: 0o600) }
            try FolderCalls.run { () throws(FileError) in
                try file.write(bytes)
                try file.force()
                try file.close()
            }
            try last()
            try FolderCalls.replace(path, with: new)
            try FolderCalls.force(folderOf: path)
        } catch {
            _ = try? FolderCalls.remove(new)
            throw error
        }
    }

    /// Runs a change of the keys while no other process changes them.
    func locked<Result>(_ body: () throws(DirectoryError) -> Result) throws(DirectoryError) -> Result {
        try makeFolder()
        let lock = try FolderCalls.run { () throws(FileError) in try FileLock("\(folder)/lock") }
        defer { withExtendedLifetime(lock) {} }
        return try body()
    }
}
