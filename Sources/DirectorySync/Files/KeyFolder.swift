internal import AgeFile
internal import FolderEncryption
internal import StrictJSON

/// The folder `keys` of an encrypted folder, whose files are written once and named after their bytes.
struct KeyFolder {
    /// The file of an epoch.
    struct EpochFile: Hashable {
        let id: EpochID
        let hash: String
        /// The path in the shared folder, as it is spelled there.
        let path: String
    }

    /// The file of a slot or a request.
    struct NamedFile: Hashable {
        let hash: String
        let path: String
    }

    struct Listing {
        var epochs: [EpochFile] = []
        var slots: [NamedFile] = []
        var requests: [NamedFile] = []
    }

    /// The results of reading an epoch's file.
    enum Fate {
        case adopted
        case refused
        /// It is whole, but no slot opens it here.
        case unopened
        case incomplete(DirectoryError)
    }

    let root: String
    let space: String

    init(_ root: String, _ space: String) { (self.root, self.space) = (root, space) }

    func absolute(_ path: String) -> String { root.hasSuffix("/") ? root + path : "\(root)/\(path)" }

    func listing() throws(DirectoryError) -> Listing {
        var listing = Listing()
        let names: [String]
        do throws(DirectoryError) {
            names = try FolderCalls.names(in: absolute(StoredName.keys)).names
        } catch {
            guard error.code == .gone || error.isNoFolder else { throw error }
            return listing
        }
        for name in names.sorted() {
            let path = "\(StoredName.keys)/\(name)"
            switch StoredName.key(name) {
            case .epoch(let id, let hash): listing.epochs.append(EpochFile(id: id, hash: hash, path: path))
            case .slot(let hash): listing.slots.append(NamedFile(hash: hash, path: path))
            case .request(let hash): listing.requests.append(NamedFile(hash: hash, path: path))
            case nil: break
            }
        }
        return listing
    }

    // MARK: Reading

    /// Reads a file and compares it with its name.
    ///
    /// - Throws: `incomplete` where it has not arrived yet or is damaged; the errors of reading.
    func bytes(_ path: String, hash: String, limit: Int) throws(DirectoryError) -> [UInt8] {
        let file = try SharedFile(reading: absolute(path))
        let bytes = try file.bytes(limit: limit)
        guard Hex.hash(bytes) == hash else {
            throw try file.isHollow()
                ? SharedFile.notDownloaded(file.path) : SharedFile.incomplete(file.path, size: bytes.count)
        }
        return bytes
    }

    func slot(_ file: NamedFile) throws -> Slot {
        try Slot(reading: try bytes(file.path, hash: file.hash, limit: Slot.mostBytes), space: space)
    }

    /// Opens the file of an epoch with its key.
    func record(_ file: EpochFile, _ key: EpochKey) throws -> EpochRecord {
        let stored = try bytes(file.path, hash: file.hash, limit: 2 * EpochRecord.mostBytes)
        let (identity, content) = try FileOpener.open(stored) { $0 == key.id ? key : nil }
        guard identity.space == space, identity.path == EpochRecord.path(key.id) else {
            throw EncryptionError(.damaged, "the file of an epoch is another one")
        }
        return try EpochRecord(reading: content, space: space)
    }

    /// Takes in epochs for which this device has a slot.
    func adopt(
        _ unknown: [EpochFile],
        _ slots: [NamedFile],
        into ring: inout KeyRing
    ) throws(DirectoryError) -> [(EpochFile, Fate)] {
        var fates: [(EpochFile, Fate)] = []
        let own = slots.compactMap { try? slot($0) }.filter { $0.kind == .device && $0.device == ring.device.name }
        var opened: [(EpochFile, EpochKey, EpochRecord)] = []
        for file in unknown {
            do {
                _ = try bytes(file.path, hash: file.hash, limit: 2 * EpochRecord.mostBytes)
                var key: EpochKey?
                for slot in own where slot.epoch == file.id && key == nil { key = try slot.open(with: ring.device) }
                guard let key else {
                    fates.append((file, .unopened))
                    continue
                }
                opened.append((file, key, try record(file, key)))
            } catch let error as DirectoryError {
                if error.code != .gone { fates.append((file, .incomplete(error))) }
            } catch {
                let message = "the file of an epoch cannot be used: \(error)"
                fates.append((file, .incomplete(DirectoryError(.corrupt, message, path: absolute(file.path)))))
            }
        }
        // The oldest first, so that each finds the one that it follows.
        for (file, key, record) in opened.sorted(by: { $0.2.number < $1.2.number }) {
            fates.append((file, ring.adopt(key, record) == .refused ? .refused : .adopted))
        }
        return fates.filter { file, fate in
            if case .unopened = fate { return ring.key(file.id) == nil }
            return true
        }
    }

    /// Returns whether the file of an epoch is there, whole; nil where the folder cannot be listed, or a file of the epoch
    /// cannot be read.
    func hasEpoch(_ key: EpochKey) -> Bool? {
        guard let found = try? listing().epochs.filter({ $0.id == key.id }) else { return nil }
        if found.isEmpty { return false }
        return found.contains { (try? record($0, key)) != nil } ? true : nil
    }

    /// Removes the slots of an epoch that came to nothing, as far as they can be removed.
    func removeSlots(of epoch: EpochID) {
        for file in (try? listing().slots) ?? [] where (try? slot(file))?.epoch == epoch {
            _ = try? FolderCalls.remove(absolute(file.path))
        }
    }

    // MARK: Writing

    /// Writes a file under the name of its bytes.
    func write(_ bytes: [UInt8], _ name: (String) -> StoredName.Key) throws(DirectoryError) {
        let path = StoredName.path(name(Hex.hash(bytes)))
        let directory = SyncDirectory(listing: root)
        try directory.makeFolder(StoredName.keys)
        _ = try directory.publish(bytes, as: path, by: "keys") { path throws(DirectoryError) in
            try directory.files.open(path).bytes(limit: 2 * EpochRecord.mostBytes) == bytes
        }
    }

    func write(_ slot: Slot) throws(DirectoryError) { try write(slot.encoded()) { .slot(hash: $0) } }

    func write(_ record: EpochRecord, _ key: EpochKey) throws(DirectoryError) {
        let sealed: [UInt8]
        do {
            let content = record.encoded(space: space)
            sealed = try FileSealer.seal(content, path: EpochRecord.path(key.id), space: space, key)
        } catch {
            throw DirectoryError(.inputOutput, "the file of the new key cannot be made: \(error)", path: root)
        }
        try write(sealed) { .epoch(key.id, hash: $0) }
    }
}
