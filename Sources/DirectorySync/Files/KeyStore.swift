internal import AgeFile
internal import FileSystem
internal import FolderEncryption
internal import RecordStore
internal import Synchronization

/// The folder where this device keeps the keys of encrypted folders, in files that only its user can read.
public struct KeyStore: Sendable, Hashable {
    /// The path of the folder.
    public let folder: String

    /// Makes a store, whose folder need not exist.
    public init(folder: String) { self.folder = folder }

    /// Returns whether this device has keys of a space.
    public func hasKeys(of space: String) -> Bool { (try? Files.exists(path(space))) == true }

    /// The spaces of which there are keys.
    var spaces: [String] {
        let names = (try? FolderCalls.names(in: folder).names) ?? []
        return names.filter { $0.hasSuffix(".keys") }.map { String($0.dropLast(".keys".count)) }.sorted()
    }

    private func path(_ space: String) -> String { "\(folder)/\(space).keys" }

    private func pendingPath(_ space: String) -> String { "\(folder)/\(space).request" }

    /// The path of the file that remembers which stored file is which.
    func cachePath(_ space: String) -> String { "\(folder)/\(space).index" }

    /// The path of the file that remembers that a folder takes in no plain files any more.
    private func endedPath(_ space: String) -> String { "\(folder)/\(space).ended" }

    /// Returns whether the folder of a space takes in no plain files any more.
    func hasEnded(_ space: String) -> Bool { (try? Files.exists(endedPath(space))) == true }

    /// Remembers that the folder of a space takes in no plain files any more.
    func noteEnd(of space: String) throws(DirectoryError) {
        if !hasEnded(space) { try write([], to: endedPath(space)) }
    }

    /// The fingerprint of the file with the keys of a space.
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
    func save(_ ring: KeyRing) throws(DirectoryError) {
        var bytes = ring.encoded()
        defer { wipe(&bytes) }
        try write(bytes, to: path(ring.space))
    }

    /// Removes all that this device has of a space.
    ///
    /// - Throws: `DirectoryError` where a file cannot be removed.
    public func remove(_ space: String) throws {
        for path in [path(space), pendingPath(space), cachePath(space), endedPath(space)] {
            try FolderCalls.remove(path)
        }
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
        try write(bytes, to: pendingPath(space))
    }

    private func secret(_ path: String) throws(DirectoryError) -> [UInt8]? {
        guard try FolderCalls.exists(path) else { return nil }
        return try SharedFile(reading: path).bytes(limit: 1 << 28)
    }

    /// Makes the folder, and those that it lies in: on a new account none of them is there.
    private func makeFolder() throws(DirectoryError) {
        do throws(StoreError) {
            try StoreLocation.createFolder(of: "\(folder)/x")
        } catch {
            throw DirectoryError(.inputOutput, error.message, path: folder)
        }
    }

    /// Writes a file that only this user can read, in place of another one.
    private func write(_ bytes: [UInt8], to path: String) throws(DirectoryError) {
        try makeFolder()
        let new = "\(path).\(UInt64.random(in: 0 ... .max))"
        do throws(DirectoryError) {
            let file = try FolderCalls.run { () throws(FileError) in try OpenFile(creating: new, mode: 0o600) }
            try FolderCalls.run { () throws(FileError) in
                try file.write(bytes)
                try file.force()
                try file.close()
            }
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
