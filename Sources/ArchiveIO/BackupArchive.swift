internal import Crypto

/// An archive with a manifest whose every file has been checked against it.
///
/// Opening reads all of the archive once and keeps to the manifest: each listed file is there with its size and SHA-256,
/// nothing else is, and the manifest is what its digest was taken of. The files can then be read by path.
///
/// ```swift
/// let backup = try BackupArchive(.file("Slate-20260107.slatebackup"), as: [.slatebackup])
/// let json = try backup.bytes(of: "Slate-20260107.json")
/// ```
public final class BackupArchive {
    /// The manifest of the archive.
    public let manifest: BackupManifest
    /// The kind of the archive.
    public let container: ArchiveContainer

    private let source: ArchiveSource
    private let limits: ArchiveLimits
    private var kept: [String: [UInt8]]

    /// Opens an archive and checks all of it.
    ///
    /// - Parameters:
    ///   - source: The archive; it must stay as it is while it is used.
    ///   - formats: The formats that will do, and the versions that are known.
    ///   - limits: How much it may hold.
    ///   - roles: Files of these roles are kept in memory from the one pass, so that ``bytes(of:)`` need not read the
    ///     archive again. That works where the manifest comes first, as it does in archives that ``write`` made.
    /// - Throws: An ``ArchiveError`` for the first fault, with up to 100 further ones where the files do not fit the
    ///   manifest.
    public init(
        _ source: ArchiveSource,
        as formats: [BackupFormat],
        limits: ArchiveLimits = ArchiveLimits(),
        keeping roles: Set<String> = []
    ) throws {
        let reader = try ArchiveReader(source, limits: limits)
        var check = ManifestCheck(formats: formats, roles: roles)
        do {
            while let entry = try reader.next() { try check.take(entry, from: reader) }
            manifest = try check.finish()
        } catch let error as ArchiveError {
            throw error.located(file: source.name)
        }
        container = reader.container
        kept = check.kept
        self.source = source
        self.limits = limits
    }

    /// Returns the content of a file.
    ///
    /// - Throws: `manifest.file-missing` where the manifest does not list it, `manifest.file-changed` where the archive
    ///   is no longer what was opened.
    public func bytes(of path: String) throws -> [UInt8] {
        if let bytes = kept[path] { return bytes }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(manifest.file(path)?.size ?? 0)
        try read(path) { bytes.append(contentsOf: $0) }
        return bytes
    }

    /// Returns the content of a kept file and stops keeping it, so that it need not be in memory twice.
    ///
    /// - Throws: The errors of ``bytes(of:)``.
    public func takeBytes(of path: String) throws -> [UInt8] {
        defer { kept[path] = nil }
        return try bytes(of: path)
    }

    /// Gives the content of a file to a function, piece by piece, and checks it once more on the way.
    ///
    /// - Throws: As ``bytes(of:)``; the last pieces have been given by then.
    public func read(_ path: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let file = manifest.file(path) else {
            throw ArchiveError(.fileMissing, "the manifest lists no such file", entry: path, file: source.name)
        }
        let reader = try ArchiveReader(source, limits: limits)
        while let entry = try reader.next() {
            guard entry.name == path else { continue }
            var hash = SHA256()
            try reader.read { piece in
                hash.update(bufferPointer: piece)
                try body(piece)
            }
            if hash.finalize().hexadecimal == file.sha256 { return }
            break
        }
        let message = "the archive has changed since it was opened; open it again"
        throw ArchiveError(.fileChanged, message, entry: path, file: source.name)
    }
}

/// Holds entries, as they come, against a manifest that may come anywhere among them.
struct ManifestCheck {
    let formats: [BackupFormat]
    let roles: Set<String>
    private(set) var kept: [String: [UInt8]] = [:]
    private var manifest: BackupManifest?
    private var found: [(path: String, size: Int, sha256: String)] = []

    init(formats: [BackupFormat], roles: Set<String>) {
        self.formats = formats
        self.roles = roles
    }

    mutating func take(_ entry: ArchiveEntry, from reader: ArchiveReader) throws {
        if entry.isFolder { return }
        if entry.name == BackupManifest.entryName {
            manifest = try BackupManifest(parsing: reader.manifestBytes(), as: formats)
            return
        }
        let file = manifest?.file(entry.name)
        if manifest != nil, file == nil { return found.append((entry.name, 0, "")) }
        let keeps = file.map { roles.contains($0.role) } ?? false
        var bytes: [UInt8] = []
        if keeps { bytes.reserveCapacity(reader.expectedSize) }
        var hash = SHA256()
        var size = 0
        var check = file?.role == BackupManifest.dataRole ? TextCheck() : nil
        try reader.read { piece in
            try check?.take(piece)
            hash.update(bufferPointer: piece)
            size += piece.count
            if keeps { bytes.append(contentsOf: piece) }
        }
        found.append((entry.name, size, hash.finalize().hexadecimal))
        if keeps { kept[entry.name] = bytes }
    }

    func finish() throws(ArchiveError) -> BackupManifest {
        guard let manifest else {
            throw ArchiveError(.manifestMissing, withoutManifest)
        }
        var faults: [ArchiveError] = []
        let unlisted = found.filter { manifest.file($0.path) == nil }
        if !unlisted.isEmpty { faults.append(Self.unlisted(unlisted.map(\.path))) }
        let entries = Dictionary(found.map { ($0.path, $0) }) { first, _ in first }
        for file in manifest.files {
            do throws(ArchiveError) {
                guard let entry = entries[file.path] else {
                    let message = "the manifest lists the file, and the archive does not have it; get a complete copy"
                    throw ArchiveError(.fileMissing, message, entry: file.path)
                }
                try Self.compare(file, size: entry.size, sha256: entry.sha256)
            } catch {
                faults.append(error)
            }
        }
        guard var first = faults.first else { return manifest }
        first.others = Array(faults.dropFirst().prefix(100))
        throw first
    }

    /// The message on an archive without a manifest, which a zip of a folder has inside that.
    private var withoutManifest: String {
        let what = formats == [.bzpack] ? "pack of sessions" : "backup of this toolkit's"
        let name = BackupManifest.entryName
        guard let inside = found.first(where: { $0.path.hasSuffix("/\(name)") }) else {
            return "the archive has no \(name), so it is no \(what)"
        }
        let folder = quoted(String(inside.path.dropLast(name.count + 1)))
        return "the archive has its \(name) in the folder \(folder) and none at its top, so it is no \(what)"
    }

    private static func unlisted(_ names: [String]) -> ArchiveError {
        let message = "the archive holds what its manifest does not list: \(listed(names)); remove it"
        return ArchiveError(.fileUnlisted, message, entry: names.first)
    }

    private static func compare(_ file: BackupManifest.File, size: Int, sha256: String) throws(ArchiveError) {
        guard size == file.size else {
            let message = "the file has \(size) bytes, and the manifest says \(file.size); get an undamaged copy"
            throw ArchiveError(.fileSize, message, entry: file.path)
        }
        guard sha256 == file.sha256 else {
            let message = "the file's SHA-256 is \(sha256), and the manifest says \(file.sha256); get an undamaged copy"
            throw ArchiveError(.fileHash, message, entry: file.path)
        }
    }
}

extension ArchiveReader {
    /// Returns the current entry as a manifest's bytes.
    func manifestBytes() throws -> [UInt8] {
        var bytes: [UInt8] = []
        try read { piece in
            guard bytes.count + piece.count <= limits.manifestBytes else {
                let message = "the manifest has more than \(limits.manifestBytes) bytes, which is the limit"
                throw ArchiveError(.manifestSize, message)
            }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }
}
