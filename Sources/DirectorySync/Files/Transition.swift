internal import FileSystem
internal import FolderEncryption
internal import RecordMerge

/// A folder that was plain and is encrypted now, while its devices go over to the key one by one.
///
/// Whoever has the key seals each plain file again under its path. So nothing that a device without the key has written
/// is lost, however late it arrives. When all devices have gone over, or are retired, nothing plain is taken in any
/// more but what this device itself read while the folder was plain, and the plain files go.
enum Transition {
    /// The folder of its marks, which are empty sealed files.
    static let folder = "plain"
    /// Says that plain files are taken in.
    static let begun = "\(folder)/begun"
    /// Says that none are taken in any more.
    static let ended = "\(folder)/ended"

    /// Says that a device has gone over.
    static func over(_ device: String) -> String { "\(folder)/\(device).over" }

    /// The folders of a plain folder; that of unfinished files is the same in both.
    static let plainFolders = [FileName.writers, FileName.checkpoints, SeenMark.folder, SyncDirectory.declarations]

    /// The result of sealing the plain files.
    struct Findings {
        /// The number of files that are sealed under their paths.
        var sealed = 0
        /// The plain files that do not count, or cannot be read yet.
        var left: [String] = []
        /// The devices that have not gone over, by name.
        var waiting: [String] = []
        /// The error of writing.
        var error: DirectoryError?
    }
}

extension SealedFiles {
    /// Says that plain files are taken in.
    func beginTransition() throws(DirectoryError) {
        if try !exists(Transition.begun) { try makeEmpty(Transition.begun) }
    }

    /// True if plain files of all devices are taken in.
    fileprivate var takesPlainFiles: Bool { isHeld(Transition.begun) && !hasEnded }

    fileprivate var hasEnded: Bool { keys.hasEnded(space) || isHeld(Transition.ended) }

    /// True if the folder has folders that only a plain one has.
    fileprivate var hasPlainFolders: Bool {
        Transition.plainFolders.contains { (try? FolderCalls.isFolder(absolute($0))) == true }
    }

    fileprivate func isOver(_ device: String) -> Bool {
        isHeld(Transition.over(device)) || ring.removed.contains(device)
    }

    fileprivate func endTransition() throws(DirectoryError) {
        if !isHeld(Transition.ended) { try makeEmpty(Transition.ended) }
        try rememberEnd()
    }

    /// Remembers the end beside the keys, as who carries the folder can hide the mark; and removes the other one, so that
    /// the next key does not count it.
    fileprivate func rememberEnd() throws(DirectoryError) {
        guard try exists(Transition.ended) else { return }
        if !keys.hasEnded(space) { try keys.noteEnd(of: space) }
        if try exists(Transition.begun) { _ = try remove(Transition.begun) }
    }

    /// Removes the plain files whose content is sealed.
    fileprivate func removePlainFiles(_ listing: DirectoryListing, _ plain: SyncDirectory) {
        let files = listing.segments + listing.packs + listing.checkpoints + listing.doubtful
        for file in files where isHeld(file.properPath) { _ = try? plain.files.remove(file.path) }
        // Marks are made anew by each sync.
        for path in listing.marks.map(\.path) + listing.retirements.map(\.path) { _ = try? plain.files.remove(path) }
        for name in (try? plain.files.names(in: SyncDirectory.declarations).names) ?? [] {
            let path = "\(SyncDirectory.declarations)/\(name)"
            if isHeld(path) { _ = try? plain.files.remove(path) }
        }
        let writers = Set((listing.marks.map(\.writer) + files.map(\.writer)).map { "\($0)." })
        for name in (try? plain.files.names(in: FileName.unfinished).names) ?? []
        where writers.contains(where: name.hasPrefix) {
            _ = try? plain.files.remove("\(FileName.unfinished)/\(name)")
        }
        // The system removes empty folders only.
        for name in (try? plain.files.names(in: FileName.writers).names) ?? [] {
            Files.removeFolder(absolute("\(FileName.writers)/\(name)"))
        }
        for folder in Transition.plainFolders { Files.removeFolder(absolute(folder)) }
    }
}

extension SyncDirectory {
    /// Seals the plain files of an encrypted folder that count, and removes them once no device waits for them.
    ///
    /// - Parameter isKnown: Returns whether this device read all that the file of a path holds, while the folder was plain.
    func takeInPlainFiles(_ isKnown: (String) throws -> Bool) throws -> Transition.Findings {
        var found = Transition.Findings()
        guard let sealed = files.sealed, sealed.hasPlainFolders else { return found }
        try sealed.refresh()
        let plain = self.plain
        let listing = try plain.listing()
        // In a folder that never was a plain one, plain files are nobody's.
        guard sealed.lock == nil, sealed.takesPlainFiles || sealed.hasEnded else {
            if sealed.lock == nil { found.left = (listing.segments + listing.packs + listing.checkpoints).map(\.path) }
            return found
        }
        let isOpen = sealed.takesPlainFiles
        for file in listing.segments + listing.packs + listing.checkpoints + listing.doubtful {
            // While the folder is open for plain files, each is compared once more when it goes.
            guard try !(isOpen ? sealed.exists(file.properPath) : sealed.isHeld(file.properPath)) else {
                found.sealed += 1
                continue
            }
            guard try isOpen || isKnown(file.properPath) else {
                found.left.append(file.path)
                continue
            }
            try found.take(file.properPath, from: file.path, plain, sealed)
        }
        guard isOpen else {
            if sealed.hasEnded { sealed.removePlainFiles(listing, plain) }
            return found
        }
        for name in (try? plain.files.names(in: Self.declarations).names) ?? [] {
            let path = "\(Self.declarations)/\(name)"
            if !sealed.isHeld(path) { try found.take(path, from: path, plain, sealed) }
        }
        for path in listing.marks.map(\.path) + listing.retirements.map(\.path) where found.error == nil {
            do throws(DirectoryError) {
                if try !sealed.exists(path) { try sealed.makeEmpty(path) }
            } catch {
                found.error = error
            }
        }
        found.waiting = plain.devicesToGoOver(listing, sealed)
        guard found.error == nil, found.waiting.isEmpty, found.left.isEmpty, listing.placeholders.isEmpty else {
            return found
        }
        do throws(DirectoryError) {
            try sealed.endTransition()
            sealed.removePlainFiles(listing, plain)
        } catch {
            found.error = error
        }
        return found
    }

    /// Returns the names of the devices that use the plain files still.
    private func devicesToGoOver(_ listing: DirectoryListing, _ sealed: SealedFiles) -> [String] {
        let marks = ((try? sealed.names(in: SeenMark.folder).names) ?? []).compactMap {
            RetirementMark(name: $0, in: SeenMark.folder)
        }
        let retired = Set((listing.retirements + marks).map(\.device))
        var waiting: [String: String] = [:]
        func look(_ device: SyncDevice) {
            if !retired.contains(device.id), !sealed.isOver(device.id) { waiting[device.id] = device.name }
        }
        for mark in listing.marks where !mark.hasLeft { look(mark.device) }
        let marked = Set(listing.marks.map(\.writer))
        // A device has a mark of the name that it writes under now.
        for (writer, files) in Dictionary(
            grouping: listing.segments + listing.packs + listing.checkpoints,
            by: \.writer
        )
        where !marked.contains(writer) {
            guard let file = files.last, let device = try? author(of: file) else { continue }
            // It has left, or goes on under another name.
            let hasMark = listing.marks.contains { $0.device.id == device.id }
            if !hasMark { look(device) }
        }
        return waiting.values.sorted()
    }

    /// Returns the device that wrote a file.
    private func author(of file: ListedFile) throws -> SyncDevice? {
        switch file.kind {
        case .segment: try coder.header(of: read(file)).device
        case .pack: try segments(of: file).first.map { try coder.header(of: $0.bytes).device }
        case .checkpoint: try checkpointHeader(of: file).segment.device
        }
    }
}

extension Transition.Findings {
    /// Seals a plain file; one that cannot be read, or is not what its name says, stays as it is.
    fileprivate mutating func take(
        _ path: String,
        from place: String,
        _ plain: SyncDirectory,
        _ sealed: SealedFiles
    ) throws {
        guard error == nil else { return }
        let file: SharedFile
        do throws(DirectoryError) {
            file = try plain.files.open(place)
        } catch {
            if error.code != .gone { left.append(place) }
            return
        }
        do throws(DirectoryError) {
            if try sealed.seal(file, as: path) { self.sealed += 1 } else { left.append(place) }
        } catch {
            self.error = error
        }
    }
}

extension SyncSession {
    /// Takes in what devices without the folder's key have written, where the folder was plain before.
    func takeInPlainFiles() throws -> Transition.Findings {
        do {
            var found = try directory.takeInPlainFiles(hasRead)
            // This device wrote what a checkpoint of its own has with the key as well, when it went over.
            if try state.property(.sealed) != nil { found.left.removeAll(where: removeOwnPlainCheckpoint) }
            return found
        } catch let error as DirectoryError {
            var found = Transition.Findings()
            found.error = error
            return found
        }
    }

    /// Removes a plain checkpoint of this device; returns whether it did.
    private func removeOwnPlainCheckpoint(_ path: String) -> Bool {
        let plain = directory.plain
        guard let file = try? plain.listing().checkpoints.first(where: { $0.path == path }),
            let device = try? plain.checkpointHeader(of: file).segment.device,
            device.id == replica.environment.device.id
        else { return false }
        return (try? plain.files.remove(path)) != nil
    }

    /// Publishes all that this device knows with the key, the first time, and says that it uses the plain files no more.
    ///
    /// - Returns: Whether it did.
    func goOver() throws -> Bool {
        guard let sealed = directory.files.sealed else { return false }
        try sealed.rememberEnd()
        guard outcome.outbox == nil else { return false }
        let mark = Transition.over(replica.environment.device.id)
        let isFirst = try state.property(.sealed) == nil
        guard isFirst || sealed.takesPlainFiles && !sealed.isHeld(mark) else { return false }
        do {
            if isFirst { try writeCheckpoint() }
            if !sealed.isHeld(mark) { try sealed.makeEmpty(mark) }
        } catch let error as DirectoryError {
            outcome.notes.append(
                "the folder takes no files, so that this device has not gone over yet: \(error.message)"
            )
            return false
        }
        try state.setProperty(.sealed, "1")
        return true
    }

    /// Says what the folder waits for, and which files do not count.
    func note(_ found: Transition.Findings) {
        if let error = found.error {
            outcome.notes.append("files that are not encrypted could not be taken in: \(error.message)")
        }
        if !found.waiting.isEmpty {
            let names = found.waiting.joined(separator: ", ")
            outcome.notes.append(
                "the folder is encrypted; its plain files stay until these devices have opened it or are retired: \(names)"
            )
        }
        guard let first = found.left.first else { return }
        let count = found.left.count == 1 ? "a file in the folder is" : "\(found.left.count) files in the folder are"
        outcome.notes.append(
            "\(count) not encrypted, such as \(first), and not taken in; whoever has the folder can read it. A device that has not"
                + " opened the folder wrote it: open it there with foldersync join, and delete what is still here afterwards"
        )
    }
}
