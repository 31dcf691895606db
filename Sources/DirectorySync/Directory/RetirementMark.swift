internal import RecordMerge

/// The name of an empty file, by which a device says that it does not wait for another one any more.
///
/// ```
/// seen/<device>.<device that retired it>.retired
/// ```
struct RetirementMark: Sendable, Hashable {
    private static let ending = "retired"

    /// The path in the shared directory, as it is spelled there.
    let path: String
    /// The identifier of the retired device.
    let device: String
    /// The identifier of the device that retired it.
    let author: String

    /// Makes a mark; nil where an identifier cannot be in a file's name.
    init?(_ device: String, by author: String) {
        guard FileName.isPlain(device), FileName.isPlain(author) else { return nil }
        (self.device, self.author) = (device, author)
        path = "\(SeenMark.folder)/\(device).\(author).\(Self.ending)"
    }

    /// Reads a name; one that a transport has changed is none.
    init?(name: String, in folder: String) {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false).map { $0.lowercased() }
        guard parts.count == 3, parts[2] == Self.ending, FileName.isPlain(parts[0]), FileName.isPlain(parts[1]) else {
            return nil
        }
        (device, author) = (parts[0], parts[1])
        path = "\(folder)/\(name)"
    }
}

extension SyncDirectory {
    /// Writes a mark, unless it is there.
    func publish(_ mark: RetirementMark) throws(DirectoryError) {
        if try files.exists(mark.path) { return }
        try files.makeFolder(SeenMark.folder)
        try files.makeEmpty(mark.path)
    }

    /// Removes a mark.
    func remove(_ mark: RetirementMark) throws(DirectoryError) { try files.remove(mark.path) }
}

extension Replica {
    /// Tells a device that it is retired, or that it is not after all; its own sync says so.
    ///
    /// A device that takes no part in the folder is told nothing.
    ///
    /// - Throws: `DirectoryError` where the folder is not there or takes no file; ``SyncError`` where the replica's own
    ///   file cannot be used.
    package func retire(_ device: SyncDevice, isUndone: Bool) throws {
        try directory.check(space)
        let isMember = try devices().contains { $0.device.id == device.id }
        let marks = try directory.listing().retirements.filter { $0.device == device.id }
        if isUndone {
            for mark in marks { try directory.remove(mark) }
        } else if isMember, let mark = RetirementMark(device.id, by: environment.device.id) {
            try directory.publish(mark)
        }
    }
}

extension Replica {
    /// Returns the name of a device that retired another one; nil where none did.
    func retirer(of device: SyncDevice) throws -> String? {
        guard let mark = try directory.listing().retirements.first(where: { $0.device == device.id }) else {
            return nil
        }
        return try devices().first { $0.device.id == mark.author }?.device.name ?? "the device that did so"
    }

    /// Returns the devices that retired a device and still take part.
    ///
    /// - Throws: As ``retire(_:isUndone:)``.
    package func retirers(of device: SyncDevice) throws -> [SyncDevice] {
        let authors = Set(try directory.listing().retirements.filter { $0.device == device.id }.map(\.author))
        return try devices().filter { authors.contains($0.device.id) && !$0.isRetired && !$0.hasLeft }.map(\.device)
    }
}

extension SyncSession {
    /// Returns the issue of being retired by another device, which does not stop the sync.
    func retirement() throws -> [SyncIssue] {
        let this = replica.environment.device
        guard let mark = listing.retirements.first(where: { $0.device == this.id }) else { return [] }
        let author = try state.devices().first { $0.device.id == mark.author }?.device
        let message =
            "\(author?.name ?? "another device") does not wait for it any more; foldersync devices retire --undo "
            + "\"\(this.name)\" there takes that back, foldersync leave ends its part here"
        return [SyncIssue(kind: .retired, path: "", device: nil, message: message)]
    }
}
