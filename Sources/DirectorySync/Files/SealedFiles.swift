internal import FileSystem
internal import FolderEncryption
internal import RecordMerge
internal import Synchronization

/// The files of an encrypted folder: stored under names that tell nothing, and opened with this device's keys.
///
/// What a stored file is, its first bytes say. It is looked at once and then remembered beside the keys, by its name,
/// which has the hash of its bytes.
final class SealedFiles: FolderFiles {
    /// A stored file that is known.
    struct Stored: Sendable, Hashable {
        /// The name in the folder of sealed files, as it is spelled there.
        var name: String
        /// The hash in the name.
        var hash: String
        /// The epoch of its key.
        var epoch: EpochID
    }

    private struct State {
        var ring: KeyRing
        /// The fingerprint of the file that the ring was read from.
        var fingerprint: FileFingerprint?
        var isListed = false
        /// The stored files of each path, those of the current epoch first.
        var files: [String: [Stored]] = [:]
        /// Files that were read before their epoch was closed, and that the new epoch does not count.
        var uncounted: [String: [Stored]] = [:]
        /// Files of closed epochs that were never read here, or of which that is not remembered.
        var closed: [(path: String, stored: Stored)] = []
        var placeholders: [String] = []
        var unreadable = 0
        var problems: [DirectoryError] = []
        /// An epoch that this device cannot open; nothing is written until it can.
        var lock: DirectoryError?
        var cache: [String: SealedIndex.Entry]?
    }

    /// The path of the shared folder.
    let root: String
    /// The space.
    let space: String
    let keys: KeyStore
    private let state: Mutex<State>

    init(_ root: String, _ ring: KeyRing, _ keys: KeyStore) {
        self.root = root
        space = ring.space
        self.keys = keys
        state = Mutex(State(ring: ring))
    }

    var isSealed: Bool { true }
    var sealed: SealedFiles? { self }
    var problems: [DirectoryError] { state.withLock(\.problems) }
    /// This device's keys, as of the last ``refresh()``.
    var ring: KeyRing { state.withLock(\.ring) }
    /// The reason for which nothing is written; nil where there is none.
    var lock: DirectoryError? { state.withLock(\.lock) }

    func absolute(_ path: String) -> String { root.hasSuffix("/") ? root + path : "\(root)/\(path)" }

    private func place(_ name: String) -> String { absolute("\(StoredName.files)/\(name)") }

    // MARK: Looking

    func refresh() throws(DirectoryError) {
        try refreshKeys()
        let found: (names: [String], unreadable: Int)
        do throws(DirectoryError) {
            found = try FolderCalls.names(in: absolute(StoredName.files))
        } catch {
            guard error.code == .gone || error.isNoFolder else { throw error }
            // A transport may not have brought the folder yet.
            found = ([], 0)
        }
        var next = state.withLock { $0 }
        var index = SealedIndex(keys.cachePath(space), next.cache)
        next.isListed = true
        (next.files, next.uncounted, next.placeholders) = ([:], [:], [])
        next.unreadable = found.unreadable
        var closed: [(path: String, stored: Stored)] = []
        var files: [(name: String, stored: SealedName)] = []
        var copies: [(name: String, stored: SealedName)] = []
        for name in found.names {
            switch StoredName.read(name) {
            case .ignored: next.unreadable += 1
            case .placeholder: next.placeholders.append("\(StoredName.files)/\(name)")
            case .file(let stored, let isCopy):
                if isCopy { copies.append((name, stored)) } else { files.append((name, stored)) }
            }
        }
        for (name, stored) in files { identify(name, stored, &next, &index, &closed) }
        for (stem, copies) in Dictionary(grouping: copies, by: \.stored.stem).sorted(by: { $0.key < $1.key }) {
            identify(copies: copies.sorted { $0.name < $1.name }, &next, &index, &closed)
            guard index.entries[stem] != nil else { continue }
            let cut = files.filter { $0.stored.stem == stem }.map { place($0.name) }
            next.problems.removeAll { cut.contains($0.path) }
        }
        let listed = Set((files + copies).map(\.stored.stem))
        // What was written again since is in a file that counts.
        next.closed = closed.filter { next.files[$0.path] == nil }
        Self.gather(&next.problems, isLocked: next.lock != nil, root)
        for path in next.files.keys {
            next.files[path]?.sort { left, right in
                let current = next.ring.current.key.id
                if (left.epoch == current) != (right.epoch == current) { return left.epoch == current }
                return left.name < right.name
            }
        }
        index.keep(listed)
        next.cache = index.entries
        state.withLock { $0 = next }
    }

    /// Adds transports' copies of one file: beside it each may serve where it is cut; alone, one whose bytes are those of
    /// their name is the file.
    private func identify(
        copies: [(name: String, stored: SealedName)],
        _ next: inout State,
        _ index: inout SealedIndex,
        _ closed: inout [(path: String, stored: Stored)]
    ) {
        var failure: DirectoryError?
        for (name, stored) in copies {
            do throws(DirectoryError) {
                if index.entries[stored.stem] == nil {
                    let file = try SharedFile(reading: place(name))
                    guard try file.storedHash() == stored.hash else {
                        throw SharedFile.incomplete(file.path, size: try file.storedSize())
                    }
                }
                identify(name, stored, &next, &index, &closed)
                failure = nil
            } catch {
                if error.code != .gone { failure = error }
            }
        }
        if let failure { next.problems.append(failure) }
    }

    /// Finds out which file a stored one is.
    private func identify(
        _ name: String,
        _ stored: SealedName,
        _ next: inout State,
        _ index: inout SealedIndex,
        _ closed: inout [(path: String, stored: Stored)]
    ) {
        let ring = next.ring
        if let known = index.entries[stored.stem] {
            let file = Stored(name: name, hash: stored.hash, epoch: known.epoch)
            if ring.counts(known.epoch, hash: stored.hash) {
                next.files[known.path, default: []].append(file)
            } else {
                next.uncounted[known.path, default: []].append(file)
            }
            return
        }
        do throws(DirectoryError) {
            let file = try opened(name, stored.hash, ring) { path, epoch in
                closed.append((path, Stored(name: name, hash: stored.hash, epoch: epoch)))
            }
            guard let file, let identity = file.identity, let epoch = file.epoch, let key = ring.key(epoch)
            else { return }
            guard SealedName(identity, key, hash: stored.hash) == stored else {
                // A torn file may have any beginning.
                if try file.storedHash() != stored.hash {
                    throw SharedFile.incomplete(file.path, size: try file.storedSize())
                }
                throw DirectoryError(.corrupt, "the file has the name of another one; it was renamed", path: file.path)
            }
            let entry = SealedIndex.Entry(epoch: epoch, path: identity.path)
            index.add(stored.stem, entry)
            next.files[identity.path, default: []].append(Stored(name: name, hash: stored.hash, epoch: epoch))
        } catch {
            if error.code != .gone { next.problems.append(error) }
        }
    }

    /// Says once that files lack a key, as there may be many.
    private static func gather(_ problems: inout [DirectoryError], isLocked: Bool, _ root: String) {
        let files = problems.filter { $0.code == .noKey && !$0.path.hasSuffix(".epoch") }
        guard let first = files.first, files.count > 1 || isLocked else { return }
        problems.removeAll { $0.code == .noKey && !$0.path.hasSuffix(".epoch") }
        guard !isLocked else { return }
        let message =
            "\(files.count) files are sealed with a key that this device does not have: either it has not arrived yet, or this"
            + " device was removed"
        problems.append(DirectoryError(.noKey, message, path: first.path))
    }

    private static func closed(_ path: String) -> DirectoryError {
        let message =
            "the file is sealed with an old key, and was not there when that key was replaced; a device that has read it"
            + " writes it again"
        return DirectoryError(.closed, message, path: path)
    }

    var closedCount: Int { late.count }
    /// The paths of all files that do not count, as they are sealed with a key that was replaced.
    var uncountedPaths: [String] { state.withLock { $0.closed.map(\.path) + $0.uncounted.keys.sorted() } }

    /// A file with changes that does not count: it was sealed with a key that was replaced before anybody here knew of it.
    struct LateFile: Sendable {
        /// The path that it would have.
        let path: String
        /// The path of the stored file.
        let stored: String
        /// True if no device was removed since its key was made, so that a person can decide to take it in.
        let canBeTakenIn: Bool
        fileprivate let hash: String
    }

    /// Returns the content of a file that does not count; nil where it is not whole.
    func content(of late: LateFile, limit: Int) -> [UInt8]? {
        let ring = self.ring
        guard let file = try? SharedFile(reading: absolute(late.stored)), (try? file.storedHash()) == late.hash,
            (try? file.unseal(hash: late.hash) { ring.key($0) }) != nil, file.identity?.path == late.path
        else { return nil }
        return try? file.bytes(limit: limit)
    }

    /// The files with changes that do not count.
    var late: [LateFile] {
        state.withLock { state in
            state.closed.filter { $0.path.hasPrefix("\(FileName.writers)/") }
                .map { path, stored in
                    LateFile(
                        path: path,
                        stored: "\(StoredName.files)/\(stored.name)",
                        canBeTakenIn: state.ring.hasRemovedNobody(since: stored.epoch),
                        hash: stored.hash
                    )
                }
        }
    }

    /// Opens a stored file and checks what can be checked without an expectation.
    ///
    /// - Parameter closed: Takes path and epoch of a file that does not count.
    /// - Returns: The file; nil where it does not count.
    private func opened(
        _ name: String,
        _ hash: String,
        _ ring: KeyRing,
        closed: (String, EpochID) -> Void
    ) throws(DirectoryError) -> SharedFile? {
        let file = try SharedFile(reading: place(name))
        try file.unseal(hash: hash) { ring.key($0) }
        guard let identity = file.identity, let epoch = file.epoch else { return file }
        guard identity.space == space else {
            throw DirectoryError(.corrupt, "the file is of the space \(identity.space)", path: file.path)
        }
        guard ring.counts(epoch, hash: hash) else {
            // An old file under the name of one that may count is not that one.
            if let key = ring.key(epoch), case .file(let named, _) = StoredName.read(name),
                SealedName(identity, key, hash: hash) != named, try file.storedHash() != hash
            {
                throw SharedFile.incomplete(file.path, size: try file.storedSize())
            }
            closed(identity.path, epoch)
            return nil
        }
        // Who has an old key could put another file under a name that counts.
        if epoch != ring.current.key.id, try file.storedHash() != hash {
            throw SharedFile.incomplete(file.path, size: try file.storedSize())
        }
        return file
    }

    /// The folders that a folder without encryption has.
    private static let folders: Set<String> = [
        FileName.writers, FileName.checkpoints, SeenMark.folder, SyncDirectory.declarations, MemberNote.folder,
        Transition.folder,
    ]

    func names(in folder: String) throws(DirectoryError) -> (names: [String], unreadable: Int) {
        if folder == FileName.unfinished { return try FolderCalls.names(in: absolute(folder)) }
        if folder.isEmpty {
            var found = try FolderCalls.names(in: root)
            // Nobody who has no key can add a folder of the layout.
            found.names.removeAll { name in
                Self.folders.contains { FileName.isFolder(name, $0) }
                    || [StoredName.files, StoredName.keys].contains(name.lowercased())
            }
            found.names += children(of: "")
            return found
        }
        guard Self.isVirtual(folder) else { return ([], 0) }
        if !state.withLock(\.isListed) { try refresh() }
        return (children(of: "\(folder)/"), 0)
    }

    /// Returns the names directly below a folder.
    private func children(of prefix: String) -> [String] {
        state.withLock { state in
            var names: Set<String> = []
            for path in state.files.keys where path.hasPrefix(prefix) {
                names.insert(String(path.dropFirst(prefix.count).prefix { $0 != "/" }))
            }
            return Array(names)
        }
    }

    private func files(_ path: String) -> [Stored] { state.withLock { $0.files[path] ?? [] } }

    func exists(_ path: String) throws(DirectoryError) -> Bool {
        if !state.withLock(\.isListed) { try refresh() }
        for file in files(path) where try FolderCalls.exists(place(file.name)) { return true }
        return false
    }

    func isFolder(_ path: String) throws(DirectoryError) -> Bool {
        Self.isVirtual(path) ? true : try FolderCalls.isFolder(absolute(path))
    }

    func makeFolder(_ path: String) throws(DirectoryError) {
        if !Self.isVirtual(path) { try FolderCalls.makeFolder(absolute(path)) }
    }

    func checkWritable(_ folder: String) throws(DirectoryError) {
        if let lock { throw lock }
        try FolderCalls.checkWritable(Self.isVirtual(folder) || folder.isEmpty ? root : absolute(folder))
    }

    private static func isVirtual(_ path: String) -> Bool { folders.contains(String(path.prefix { $0 != "/" })) }

    func size(of path: String) throws(DirectoryError) -> Int? {
        guard let file = files(path).first else { return nil }
        return try FolderCalls.size(of: place(file.name))
    }

    func modified(_ path: String) -> Int? { files(path).first.flatMap { FolderCalls.modified(place($0.name)) } }

    func fingerprint(_ path: String) -> FileFingerprint? {
        files(path).first.flatMap { FileFingerprint(place($0.name)) }
    }

    func stored(_ path: String) -> String { files(path).first.map { "\(StoredName.files)/\($0.name)" } ?? path }

    /// The placeholders of files that cloud drives did not fetch.
    var placeholders: [String] { state.withLock(\.placeholders) }

    // MARK: Reading

    func open(_ path: String) throws(DirectoryError) -> SharedFile {
        let ring = self.ring
        if path.hasPrefix("\(FileName.unfinished)/") {
            let file = try SharedFile(reading: absolute(path))
            try file.unseal(hash: nil) { ring.key($0) }
            return file
        }
        guard Self.isVirtual(path) else {
            throw DirectoryError(.usage, "the file is none of an encrypted folder", path: absolute(path))
        }
        var failure = DirectoryError(.gone, "the file is there no more", path: absolute(path))
        for (index, stored) in files(path).enumerated() {
            do throws(DirectoryError) {
                guard let file = try opened(stored.name, stored.hash, ring, closed: { _, _ in }) else {
                    throw Self.closed(place(stored.name))
                }
                guard file.identity?.path == path else {
                    if try file.storedHash() != stored.hash {
                        throw SharedFile.incomplete(file.path, size: try file.storedSize())
                    }
                    throw DirectoryError(.corrupt, "the file has the name of another one", path: file.path)
                }
                // Of several with one content, a later one serves where the first is damaged further on.
                if files(path).count > index + 1 { try file.checkSeal() }
                return file
            } catch {
                if index == 0 || failure.code == .gone { failure = error }
            }
        }
        throw failure
    }

    // MARK: Writing

    func unfinishedPrefix(of owner: String) -> String {
        "\(SealedName.tag(of: "\(FileName.unfinished)/\(owner)", space: space, ring.current.key).prefix(16))."
    }

    func create(by owner: String) throws(DirectoryError) -> SharedFile {
        if let lock { throw lock }
        let name = "\(unfinishedPrefix(of: owner))\(UInt64.random(in: 0 ... .max))"
        let file = try SharedFile(creating: absolute("\(FileName.unfinished)/\(name)"))
        try file.seal(FileSealer(ring.current.key, space: space))
        return file
    }

    func complete(_ file: SharedFile, as path: String) throws(DirectoryError) { try file.completeSealing(path) }

    func commit(
        _ file: SharedFile,
        as path: String,
        _ isGood: (String) throws(DirectoryError) -> Bool
    ) throws(DirectoryError) -> Bool {
        let ring = self.ring
        // Read back as others will, before anybody can.
        let written = try SharedFile(reading: file.path)
        try written.unseal(hash: nil) { ring.key($0) }
        try written.checkSeal()
        guard let identity = written.identity, identity.path == path, let epoch = written.epoch,
            let key = ring.key(epoch)
        else { throw DirectoryError(.inputOutput, "the file is not the one that was written", path: file.path) }
        let name = SealedName(identity, key, hash: try written.storedHash())
        let damaged = files(path).filter { !isWhole($0) }
        try file.finish()
        try FolderCalls.makeFolder(absolute(StoredName.files))
        let place = place(name.stem + SealedName.ending)
        if try !FolderCalls.name(file.path, as: place) { try FolderCalls.remove(file.path) }
        try FolderCalls.force(folderOf: place)
        note(path, name, epoch)
        for old in damaged { try remove(old, of: path) }
        return true
    }

    private func isWhole(_ stored: Stored) -> Bool {
        guard let file = try? SharedFile(reading: place(stored.name)) else { return false }
        return (try? file.storedHash()) == stored.hash
    }

    /// Remembers a file that this device wrote.
    private func note(_ path: String, _ name: SealedName, _ epoch: EpochID) {
        let stored = Stored(name: name.stem + SealedName.ending, hash: name.hash, epoch: epoch)
        state.withLock { state in
            state.files[path, default: []].insert(stored, at: 0)
            // Taken out, so that the entries have one owner and none is copied.
            var index = SealedIndex(keys.cachePath(space), state.cache.take())
            index.add(name.stem, SealedIndex.Entry(epoch: epoch, path: path))
            state.cache = index.entries
        }
    }

    func makeEmpty(_ path: String) throws(DirectoryError) { try write([], as: path) }

    /// Writes a small file.
    func write(_ bytes: [UInt8], as path: String) throws(DirectoryError) {
        try FolderCalls.makeFolder(absolute(FileName.unfinished))
        let file = try create(by: owner)
        do throws(DirectoryError) {
            try file.write(bytes)
            try complete(file, as: path)
            _ = try commit(file, as: path) { _ in false }
        } catch {
            _ = try? FolderCalls.remove(file.path)
            throw error
        }
    }

    func remove(_ path: String) throws(DirectoryError) -> Bool {
        guard Self.isVirtual(path) else {
            guard path.hasPrefix("\(FileName.unfinished)/") else {
                throw DirectoryError(.usage, "the file is none of an encrypted folder", path: absolute(path))
            }
            return try FolderCalls.remove(absolute(path))
        }
        var existed = false
        for file in files(path) where try remove(file, of: path) { existed = true }
        // What a folder that was plain has under that path would be taken in again.
        _ = try? FolderCalls.remove(absolute(path))
        return existed
    }

    @discardableResult
    private func remove(_ stored: Stored, of path: String) throws(DirectoryError) -> Bool {
        let existed = try FolderCalls.remove(place(stored.name))
        state.withLock { state in
            state.files[path]?.removeAll { $0 == stored }
            if state.files[path]?.isEmpty == true { state.files[path] = nil }
        }
        return existed
    }

    // MARK: Keys

    /// Looks for epochs that this device does not know, and takes them in.
    private func refreshKeys() throws(DirectoryError) {
        let folder = KeyFolder(root, space)
        var next = state.withLock { $0 }
        // Another process of this device may have taken an epoch in.
        let fingerprint = keys.fingerprint(of: space)
        if fingerprint != next.fingerprint {
            if let ring = try keys.ring(of: space) { next.ring = ring }
            next.fingerprint = fingerprint
        }
        (next.problems, next.lock) = ([], nil)
        let listing = try folder.listing()
        let unknown = listing.epochs.filter { next.ring.key($0.id) == nil }
        if !unknown.isEmpty {
            try keys.locked { () throws(DirectoryError) in
                if let ring = try keys.ring(of: space) { next.ring = ring }
                let before = next.ring.current.key.id
                let count = next.ring.beside.count
                let fates = try folder.adopt(unknown, listing.slots, into: &next.ring)
                if next.ring.current.key.id != before || next.ring.beside.count != count { try keys.save(next.ring) }
                for (epoch, fate) in fates { Self.note(fate, epoch, folder, &next) }
            }
        }
        // This device has read or written it there: somebody set the folder back, or removed the file.
        for epoch in [next.ring.current] + next.ring.beside
        where !listing.epochs.contains(where: { $0.id == epoch.key.id }) {
            let message =
                "the file of the folder's key is not there any more: new devices cannot join, or join with an earlier key and"
                + " never meet the others; run foldersync repair"
            let path = folder.absolute(EpochRecord.path(epoch.key.id))
            next.problems.append(DirectoryError(.incomplete, message, path: path))
        }
        state.withLock { $0 = next }
    }

    private static func note(
        _ fate: KeyFolder.Fate,
        _ epoch: KeyFolder.EpochFile,
        _ folder: KeyFolder,
        _ next: inout State
    ) {
        switch fate {
        case .adopted: break
        case .incomplete(let error): next.problems.append(error)
        case .unopened:
            let message =
                "the folder's key was replaced, and the new one has not arrived for this device: wait for it, or, where this"
                + " device was removed by mistake or had joined just then, run foldersync key unlock; until then nothing is published"
            let error = DirectoryError(.noKey, message, path: folder.absolute(epoch.path))
            next.problems.append(error)
            next.lock = error
        case .refused:
            let message =
                "a key was made by somebody who did not have the folder's key of today; it is not used. If two people"
                + " removed devices at the same time, run foldersync key unlock with the other person's passphrase or code"
            next.problems.append(DirectoryError(.noKey, message, path: folder.absolute(epoch.path)))
        }
    }

    /// The owner of unfinished files that are no writer's.
    private var owner: String { "device-\(ring.device.name)" }

    func bringForward(_ isKnown: (String) throws -> Bool) rethrows {
        let prefix = unfinishedPrefix(of: owner)
        for name in (try? FolderCalls.names(in: absolute(FileName.unfinished)).names) ?? []
        where name.hasPrefix(prefix) {
            _ = try? FolderCalls.remove(absolute("\(FileName.unfinished)/\(name)"))
        }
        var uncounted = state.withLock(\.uncounted)
        for (path, stored) in state.withLock(\.closed) where try isKnown(path) {
            uncounted[path, default: []].append(stored)
        }
        guard !uncounted.isEmpty, lock == nil else { return }
        let ring = self.ring
        for (path, stored) in uncounted.sorted(by: { $0.key < $1.key }) {
            for old in stored {
                guard let file = try? SharedFile(reading: place(old.name)), (try? file.storedHash()) == old.hash,
                    (try? file.unseal(hash: old.hash) { ring.key($0) }) != nil, file.identity?.path == path,
                    copyForward(file, as: path)
                else { continue }
                // What it held is in a file that counts.
                _ = try? FolderCalls.remove(place(old.name))
            }
            state.withLock { state in
                state.uncounted[path] = nil
                if state.files[path] != nil { state.closed.removeAll { $0.path == path } }
            }
        }
    }

    /// Seals the content of a file with the current key, unless a file that counts has it.
    private func copyForward(_ old: SharedFile, as path: String) -> Bool {
        (try? seal(old, as: path)) == true
    }

    /// Seals the content of a file with the current key, unless a whole file that counts has it.
    ///
    /// - Returns: Whether a file that counts has the content; false where it is not what the path says.
    /// - Throws: `DirectoryError` where it cannot be read or written.
    func seal(_ old: SharedFile, as path: String) throws(DirectoryError) -> Bool {
        if isHeld(path) { return true }
        // Who has only the old key, or none, could have put another content under the path of one that is known.
        let isNamed = [FileName.writers, FileName.checkpoints].contains { path.hasPrefix("\($0)/") }
        if isNamed {
            let hash = try old.hash()
            guard path.contains(hash) else { return false }
        }
        try FolderCalls.makeFolder(absolute(FileName.unfinished))
        let new = try create(by: owner)
        do throws(DirectoryError) {
            try old.forEachPiece { piece throws(DirectoryError) in try new.write(piece) }
            try complete(new, as: path)
            _ = try commit(new, as: path) { _ in false }
        } catch {
            _ = try? FolderCalls.remove(new.path)
            throw error
        }
        return true
    }

    /// Returns whether a whole file that counts has a path.
    func isHeld(_ path: String) -> Bool { files(path).contains(where: isWhole) }

    /// Returns the hashes of all stored files that count, listed or known.
    func counted() -> Set<String> {
        state.withLock { state in
            var hashes = Set(state.files.values.flatMap { $0.map(\.hash) })
            for stem in (state.cache ?? [:]).keys { hashes.insert(String(stem.suffix(SealedName.digits))) }
            for stored in state.uncounted.values.flatMap(\.self) { hashes.remove(stored.hash) }
            return hashes
        }
    }

    /// All paths of files.
    var paths: [String] { state.withLock { $0.files.keys.sorted() } }
}

extension SharedFile {
    /// Calls a function with the content, piece by piece.
    func forEachPiece(
        _ body: (UnsafeRawBufferPointer) throws(DirectoryError) -> Void
    ) throws(DirectoryError) {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
        defer { block.deallocate() }
        var offset = 0
        while true {
            let count = try read(at: offset, into: block)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: block[..<count]))
            offset += count
        }
    }
}
