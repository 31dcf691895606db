internal import FileSystem
internal import StrictJSON

/// The shared directory of docs/sync.md, section 9.
///
/// Each file is written once by one device, under a name with the hash of its bytes. So the transport may be late, out
/// of order, or wrong: a complete file proves itself.
package struct SyncDirectory: Sendable {
    /// The path.
    package let path: String

    let coder: SegmentCoder
    /// The files, as they are stored.
    private(set) var files: any FolderFiles
    /// True if this device has joined the folder as an encrypted one.
    var expectsSeal = false

    /// Makes a directory, which need not exist.
    package init(_ path: String, _ compression: any Compression) {
        self.init(path, compression, PlainFiles(root: path))
    }

    init(_ path: String, _ compression: any Compression, _ files: any FolderFiles) {
        self.path = path
        self.files = files
        coder = SegmentCoder(compression)
    }

    /// Makes the directory of a space; it is encrypted where this device has keys of the space.
    ///
    /// - Throws: `noKey` where the file with the keys cannot be used.
    static func opening(
        _ path: String,
        space: String,
        _ compression: any Compression,
        _ keys: KeyStore?
    ) throws(DirectoryError) -> SyncDirectory {
        guard let keys, let ring = try keys.ring(of: space) else { return SyncDirectory(path, compression) }
        return SyncDirectory(path, compression, SealedFiles(path, ring, keys))
    }

    /// Makes a directory for listing names only.
    init(listing path: String) { self.init(path, NoCompression()) }

    /// The same folder with the files as they lie there, whether or not it is encrypted.
    var plain: SyncDirectory {
        var plain = self
        plain.files = PlainFiles(root: path)
        return plain
    }

    /// Returns the absolute path of a path in the directory.
    func absolute(_ relative: String) -> String { path.hasSuffix("/") ? path + relative : "\(path)/\(relative)" }

    // MARK: Spaces

    /// Makes a folder a space; its content stays, and a missing folder is made if its parent exists.
    ///
    /// - Parameters:
    ///   - space: The random name of the space: digits and small letters.
    ///   - now: The time, as RFC 3339 has it.
    ///   - sealing: Writes the keys of an encrypted space; nil for one that is not encrypted.
    /// - Throws: `exists` where it is a space already; the error of `sealing`.
    static func create(
        at path: String,
        space: String,
        device: SyncDevice,
        now: String,
        sealing: (() throws(DirectoryError) -> SealedFiles)? = nil
    ) throws(DirectoryError) {
        var directory = SyncDirectory(listing: path)
        guard FileName.isPlain(space) else {
            throw DirectoryError(.usage, "\"\(space)\" cannot be the name of a space", path: path)
        }
        do throws(DirectoryError) {
            try FolderCalls.makeFolder(path)
        } catch {
            guard error.code == .gone else { throw error }
            let message = "the folder cannot be made, as the one that it would lie in is not there; make that one first"
            throw DirectoryError(.absent, message, path: path, errno: error.errno)
        }
        let spaces = try directory.spaces()
        guard spaces.isEmpty else {
            let message =
                "the folder is shared already (\(listed("space", spaces.roots))); join it, or choose another folder"
            throw DirectoryError(.exists, message, path: path, spaces: spaces.roots)
        }
        try directory.checkUnwritten()
        do throws(DirectoryError) {
            if let sealing {
                for folder in StoredName.folders { try FolderCalls.makeFolder(directory.absolute(folder)) }
                directory = SyncDirectory(path, NoCompression(), try sealing())
            } else {
                for folder in FileName.folders { try FolderCalls.makeFolder(directory.absolute(folder)) }
            }
            try directory.writeReadme()
            try directory.publishRoot(of: space, device, now)
        } catch {
            if let spaces = try? SyncDirectory(listing: path).spaces(), spaces.isEmpty {
                directory.removeBeginnings(isSealed: sealing != nil)
            }
            throw error
        }
    }

    /// Removes what ``create(at:space:device:now:sealing:)`` made before it failed.
    private func removeBeginnings(isSealed: Bool) {
        _ = try? FolderCalls.remove(absolute(FileName.readme))
        if isSealed { removeSealed() }
        for folder in isSealed ? StoredName.folders : FileName.folders { Files.removeFolder(absolute(folder)) }
    }

    /// Removes the keys and the devices' notes of an encrypted folder without changes.
    func removeSealed() {
        for folder in [StoredName.keys, StoredName.files] {
            for name in (try? FolderCalls.names(in: absolute(folder)).names) ?? [] {
                _ = try? FolderCalls.remove(absolute("\(folder)/\(name)"))
            }
        }
    }

    /// Checks that the folder has no files of a space whose marker is gone: nothing would distinguish a new space from
    /// it.
    private func checkUnwritten() throws(DirectoryError) {
        for folder in [StoredName.files, StoredName.keys] {
            let names = (try? FolderCalls.names(in: absolute(folder)).names) ?? []
            guard
                let name = names.sorted().first(where: { name in
                    StoredName.key(name) != nil || StoredName.read(name) != .ignored
                })
            else { continue }
            throw Self.unmarked("\(folder)/\(name)", path)
        }
        let listing = try listing()
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        let placeholders = listing.placeholders.filter { $0.contains("/") }
        guard let file = files.map(\.path).min() ?? placeholders.min() else { return }
        throw Self.unmarked(file, path)
    }

    private static func unmarked(_ file: String, _ path: String) -> DirectoryError {
        let message =
            "the folder holds changes of a shared space, such as \(file), but not its file satchel-….root: if that was deleted,"
            + " \"foldersync repair\" on a device that has joined writes it again, and join takes part; else wait until it has"
            + " arrived, or choose another folder"
        return DirectoryError(.exists, message, path: path)
    }

    /// The version of the marker of an encrypted space, which earlier programs refuse as too new.
    static let sealedVersion = 2

    private func publishRoot(of space: String, _ device: SyncDevice, _ now: String) throws(DirectoryError) {
        guard !files.isSealed else {
            return try publish(marker: Self.sealedMarker(of: space), as: Spaces.rootName(space))
        }
        var marker = JSONObject()
        marker["format"] = "satchel-space"
        marker["version"] = 1
        marker["space"] = .string(space)
        marker["created"] = .string(now)
        marker["device"] = ["id": .string(device.id), "name": .string(device.name)]
        try publish(marker: marker, as: Spaces.rootName(space))
    }

    private static func sealedMarker(of space: String) -> JSONObject {
        var marker = JSONObject()
        marker["format"] = "satchel-space"
        marker["version"] = .number(sealedVersion)
        marker["space"] = .string(space)
        marker["encrypted"] = true
        return marker
    }

    /// Lets the marker of a plain space, and the text for people, say that the folder is encrypted.
    func replaceMarker(of space: String) throws(DirectoryError) {
        let marker = JSONValue.object(Self.sealedMarker(of: space)).encoded(.compact) + [UInt8(ascii: "\n")]
        try replace(FileName.readme, with: Array(Readme.sealedText.utf8))
        try replace(Spaces.rootName(space), with: marker)
    }

    /// Replaces a file that is none of the layout's written-once files.
    private func replace(_ name: String, with bytes: [UInt8]) throws(DirectoryError) {
        try FolderCalls.makeFolder(absolute(FileName.unfinished))
        let new = absolute("\(FileName.unfinished)/marker.\(UInt64.random(in: 0 ... .max))")
        do throws(DirectoryError) {
            let file = try SharedFile(creating: new)
            try file.write(bytes)
            try file.finish()
            try FolderCalls.replace(absolute(name), with: new)
            try FolderCalls.force(folderOf: absolute(name))
        } catch {
            _ = try? FolderCalls.remove(new)
            throw error
        }
    }

    /// Returns whether only the marker of a space is gone: the folder has no marker, but a file of that space.
    package func lacksOnlyMarker(of space: String) throws(DirectoryError) -> Bool {
        guard try spaces().isEmpty else { return false }
        let listing = try listing()
        return listing.checkpoints.contains { (try? checkpointHeader(of: $0))?.segment.space == space }
            || listing.segments.contains { file in
                guard let bytes = try? read(file), let header = try? coder.header(of: bytes) else { return false }
                return header.space == space
            }
            || listing.packs.contains { file in
                guard let bytes = try? segments(of: file).first?.bytes else { return false }
                return (try? coder.header(of: bytes))?.space == space
            }
    }

    /// Writes the marker of a space again.
    package func restoreMarker(of space: String, device: SyncDevice, now: String) throws(DirectoryError) {
        if !files.isSealed, FolderKeys.isEncryptedByKeys(path, space: space) { throw Self.locked(path) }
        try FolderCalls.makeFolder(absolute(FileName.unfinished))
        try publishRoot(of: space, device, now)
    }

    /// Removes what ``create(at:space:device:now:sealing:)`` made, if nothing was added; else does nothing.
    package func removeEmpty(_ space: String) throws(DirectoryError) {
        let listing = try listing()
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        guard listing.spaces.roots == [space], files.isEmpty, listing.placeholders.isEmpty else { return }
        try FolderCalls.remove(absolute(Spaces.rootName(space)))
        guard !self.files.isSealed else { return removeBeginnings(isSealed: true) }
        try FolderCalls.remove(absolute(FileName.readme))
        // A folder with content stays, as the system removes empty ones only.
        for name in (try? FolderCalls.names(in: absolute(Self.declarations)).names) ?? [] {
            _ = try FolderCalls.remove(absolute("\(Self.declarations)/\(name)"))
        }
        for folder in FileName.folders + [SeenMark.folder, Self.declarations] { Files.removeFolder(absolute(folder)) }
    }

    /// Returns the spaces that the markers in the folder name.
    package func spaces() throws(DirectoryError) -> Spaces {
        var spaces = Spaces()
        for name in try rootNames().names {
            switch Spaces.marker(name) {
            case .root(let space): spaces.add(root: space)
            case .adoption(let adoption): spaces.add(adoption)
            case nil: break
            }
        }
        return spaces
    }

    /// Checks that the directory exists and is that of a space, before anything is read or written.
    ///
    /// - Throws: `absent`, `empty`, `otherSpace`, `adopted`, `newer`. The caller may only report them then: a folder
    ///   that looks empty is mostly one that is not mounted.
    package func check(_ space: String) throws(DirectoryError) {
        let spaces = try spaces()
        guard !spaces.isEmpty else {
            var message =
                "the folder has no marker of a shared directory; see whether it is mounted, and whether it has arrived"
            if try rootNames().names.contains(where: { FileName.isFolder($0, FileName.writers) }) {
                message += "; if \(Spaces.rootName(space)) was deleted, \"foldersync repair\" writes it again"
            }
            throw DirectoryError(.empty, message, path: path)
        }
        guard spaces.known.contains(space) else {
            let message =
                "the folder is that of another space (\(listed("space", spaces.current)), but this device joined"
                + " \(space)); see whether the right folder is mounted"
            throw DirectoryError(.otherSpace, message, path: path, spaces: spaces.current)
        }
        // Anybody can write a marker of a merge, and an encrypted space is never merged.
        let current = files.isSealed ? space : spaces.current(of: space)
        guard current == space else {
            let message = "the space \(space) was merged into the space \(current)"
            throw DirectoryError(.adopted, message, path: path, spaces: [current])
        }
        try checkVersion(of: space)
    }

    /// Merges one space of the folder into another, for all devices.
    package func adopt(_ losing: String, into winning: String) throws(DirectoryError) {
        let spaces = try spaces()
        for space in [losing, winning] where !spaces.known.contains(space) {
            let message = "there is no space \(space) here, but \(listed("space", spaces.current))"
            throw DirectoryError(.otherSpace, message, path: path, spaces: spaces.current)
        }
        guard losing != winning, spaces.current(of: winning) == winning else {
            let message = "the space \(losing) cannot be merged into \(winning), which was merged into another one"
            throw DirectoryError(.adopted, message, path: path, spaces: [spaces.current(of: winning)])
        }
        var marker = JSONObject()
        marker["format"] = "satchel-adoption"
        marker["version"] = 1
        marker["space"] = .string(losing)
        marker["into"] = .string(winning)
        try publish(marker: marker, as: Spaces.adoptionName(Spaces.Adoption(losing, into: winning)))
    }

    /// Returns the names in the folder itself; throws `absent` where it is missing.
    func rootNames() throws(DirectoryError) -> (names: [String], unreadable: Int) {
        do throws(DirectoryError) {
            return try files.names(in: "")
        } catch {
            guard error.code == .gone || error.isNoFolder else { throw error }
            let message = "there is no such folder; see whether it is mounted, and whether its name is right"
            throw DirectoryError(.absent, message, path: path, errno: error.errno)
        }
    }

    /// Checks the version in the marker; only its name matters if it is damaged or incomplete.
    private func checkVersion(of space: String) throws(DirectoryError) {
        if expectsSeal, !files.isSealed {
            let message =
                "the folder is encrypted, and this device's keys of it are gone: foldersync key unlock opens it again"
            throw DirectoryError(.noKey, message, path: path)
        }
        let file = absolute(Spaces.rootName(space))
        guard let bytes = try? SharedFile(reading: file).bytes(limit: 1 << 16),
            let marker = try? JSONDocument(parsing: bytes).root, let version = marker["version"]?.int
        else {
            // A marker that has not arrived yet says nothing, but where keys are, the folder is encrypted.
            guard !files.isSealed, FolderKeys.isEncryptedByKeys(path, space: space) else { return }
            throw Self.locked(path)
        }
        if version > (marker["encrypted"]?.bool == true ? Self.sealedVersion : 1) {
            let message = "the space is of version \(version), but this program knows version 1; update it"
            throw DirectoryError(.newer, message, path: file)
        }
        if version == Self.sealedVersion, !files.isSealed {
            throw Self.locked(path)
        }
        if version < Self.sealedVersion, files.isSealed {
            let message =
                "the folder is encrypted, but its marker says that it is not: the new one has not arrived yet, or somebody replaced"
                + " it; nothing is read or written. Wait for it; if it stays so, remove the marker and run foldersync repair"
            throw DirectoryError(.notEncrypted, message, path: file)
        }
    }

    private static func locked(_ path: String) -> DirectoryError {
        let message =
            "the folder is encrypted, and this device has no key of it: foldersync join \(ShellText.quoted(path)) asks for the"
            + " passphrase; nothing is lost meanwhile"
        return DirectoryError(.noKey, message, path: path)
    }

    private func publish(marker: JSONObject, as name: String) throws(DirectoryError) {
        let bytes = JSONValue.object(marker).encoded(.compact) + [UInt8(ascii: "\n")]
        _ = try SyncDirectory(listing: path).publish(bytes, as: name, by: "marker") { _ in true }
    }

    private func writeReadme() throws(DirectoryError) {
        let text = files.isSealed ? Readme.sealedText : Readme.text
        _ = try SyncDirectory(listing: path).publish(Array(text.utf8), as: FileName.readme, by: "marker") { _ in true }
    }
}

/// Returns names for a message, such as `spaces a, b`.
func listed(_ what: String, _ names: [String]) -> String {
    names.count == 1 ? "\(what) \(names[0])" : "\(what)s \(names.joined(separator: ", "))"
}

/// The text of the file for a person who opens the directory.
enum Readme {
    static let sealedText = """
        This folder keeps the records of some apps in step between devices. The program foldersync made it.

        All that the devices write here is encrypted: only they can read it. Do not rename, change or delete anything in
        here. If a file was deleted by mistake, "foldersync repair" on a device that has read it writes it again. To end
        it all, run "foldersync leave" on each device; then the folder can be deleted. The records themselves are not in
        here but in the stores on the devices.

        satchel-....root   says that this is such a folder, and which
        sealed/            what was changed; a file's name ends with the hash of its bytes
        keys/              the folder's key, locked with the passphrase, the recovery code and the devices' own keys
        tmp/               files that are being written

        """

    static let text = """
        This folder keeps the records of some apps in step between devices. The program foldersync made it.

        Do not rename, change or delete anything in here. If a file was deleted by mistake, "foldersync repair" on a
        device that has read it writes it again. To end it all, run "foldersync leave" on each device; then the folder
        can be deleted. The records themselves are not in here but in the stores on the devices.

        satchel-....root   says that this is such a folder, and which
        w/                 what was changed, a folder for each device; each file is written once and never changed
        ckpt/              all records as they were at some time, so that old changes can go
        app/               what the databases of apps look like that somebody declared
        seen/              what each device has taken in; empty files, as the names say it
        tmp/               files that are being written

        Every .seg, .pack and .ck file is Zstandard-compressed text, a JSON value on each line: zstdcat FILE shows it.

        """
}
