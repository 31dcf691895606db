/// A JSON text, found wherever somebody keeps it: as it is, in a backup, or in any zip, tar or compressed file.
///
/// What a file is goes by its content, never by its name.
///
/// ```swift
/// let found = try JSONContainer(.file(path))
/// let document = try JSONDocument(parsing: found.bytes)
/// ```
public struct JSONContainer: Sendable {
    /// The places where a JSON text can be found.
    public enum Origin: Sendable, Hashable {
        /// The source itself is the text, or at least no archive.
        case plain
        /// The one JSON entry of an archive; the name is empty for a compressed file.
        case entry(String, ArchiveContainer)
        /// The data of a backup that has been checked against its manifest.
        case backup(BackupManifest, path: String, ArchiveContainer)
    }

    /// The text.
    public let bytes: [UInt8]
    /// The place where the text was found.
    public let origin: Origin

    /// Tells whether a file that begins with these bytes is an archive; at least 512 are needed to know a plain tar.
    public static func isArchive(_ head: some Collection<UInt8>) -> Bool {
        let block = Array(head.prefix(Magic.length))
        return Magic.isZip(block) || Magic.compression(block) != .none || Magic.foreign(block) != nil
            || Magic.isTar(block) || Magic.isDamagedTar(block)
    }

    /// Finds the text.
    ///
    /// - Parameters:
    ///   - source: A JSON text or an archive.
    ///   - formats: The formats of backups that are known; a backup of another one is refused.
    ///   - limits: How much an archive may hold.
    /// - Throws: `archive.no-json` or `archive.several-json` where an archive does not hold exactly one; `archive.not-text` at
    ///   the first NUL byte of one; whatever is wrong with the archive.
    public init(
        _ source: ArchiveSource,
        formats: [BackupFormat] = [.slatebackup],
        limits: ArchiveLimits = .json
    ) throws {
        do {
            self = try Self.find(source, formats, limits)
        } catch let error as ArchiveError {
            throw error.located(file: source.name)
        }
    }

    private init(bytes: [UInt8], origin: Origin) {
        self.bytes = bytes
        self.origin = origin
    }

    static let noJSON = ArchiveError(.noJSON, "what is compressed is no JSON; give a JSON file")

    static let nested = ArchiveError(
        .nested,
        "what is compressed is an archive itself; expand it once and give the result"
    )

    private static func find(
        _ source: ArchiveSource,
        _ formats: [BackupFormat],
        _ limits: ArchiveLimits
    ) throws -> JSONContainer {
        let opened = try ByteSource(source)
        guard isArchive(try opened.bytes(at: 0, count: Magic.length)) else {
            try limits.check(entryBytes: opened.size, of: "")
            if case .bytes(let bytes) = source.storage { return JSONContainer(bytes: bytes, origin: .plain) }
            return JSONContainer(bytes: try opened.bytes(at: 0, count: opened.size), origin: .plain)
        }
        let reader = try ArchiveReader(source, limits: limits)
        var candidates: [String] = []
        var bytes: [UInt8]? = []
        var manifest: [UInt8]?
        while let entry = try reader.next() {
            guard !entry.isFolder, entry.name.isEmpty || EntryName.isFile(entry.name, endingWith: ["json"]) else {
                continue
            }
            let content: [UInt8]?
            if entry.name == BackupManifest.entryName {
                let found = try reader.manifestBytes()
                if let format = BackupManifest.claimedFormat(found), isBackup(format, formats) {
                    return try backup(source, formats, limits)
                }
                (manifest, content) = (found, found)
            } else {
                content = candidates.isEmpty ? try reader.json(keeping: entry.size ?? keptUnchecked) : []
            }
            if candidates.isEmpty { bytes = content }
            candidates.append(entry.name)
        }
        guard let name = candidates.first else {
            throw ArchiveError(.noJSON, "the archive holds no JSON file; give the file itself")
        }
        guard candidates.count == 1 else {
            if let manifest, let fault = BackupManifest.fault(in: manifest, as: formats) { throw fault }
            let message =
                "the archive holds \(candidates.count) JSON files, \(listed(candidates)); unpack it and give one"
            throw ArchiveError(.severalJSON, message)
        }
        let found = try bytes ?? content(of: name, in: source, limits)
        guard !name.isEmpty || Magic.isPerhapsJSON(found) else {
            throw noJSON
        }
        return JSONContainer(bytes: found, origin: .entry(name, reader.container))
    }

    /// The bytes of a compressed file that are kept before all of it was found sound; it does not say its size.
    private static let keptUnchecked = 1 << 26

    /// Reads an entry of an archive that was read once and found sound.
    private static func content(
        of name: String,
        in source: ArchiveSource,
        _ limits: ArchiveLimits
    ) throws -> [UInt8] {
        let reader = try ArchiveReader(source, limits: limits)
        while let entry = try reader.next() {
            if entry.name == name { return try reader.bytes() }
        }
        throw ArchiveError(.fileChanged, "the archive has changed while it was read; read it again", entry: name)
    }

    private static func isBackup(_ format: String, _ formats: [BackupFormat]) -> Bool {
        (formats + [.slatebackup, .bzpack]).contains { $0.name == format }
    }

    private static func backup(
        _ source: ArchiveSource,
        _ formats: [BackupFormat],
        _ limits: ArchiveLimits
    ) throws -> JSONContainer {
        let backup = try BackupArchive(source, as: formats, limits: limits, keeping: [BackupManifest.dataRole])
        let files = backup.manifest.files.filter { $0.role == BackupManifest.dataRole }
        guard let file = files.first else { throw ArchiveError(.noJSON, "the backup holds no data") }
        guard files.count == 1 else {
            throw ArchiveError(.severalJSON, "the backup holds several files of data, \(listed(files.map(\.path)))")
        }
        return JSONContainer(
            bytes: try backup.takeBytes(of: file.path),
            origin: .backup(backup.manifest, path: file.path, backup.container)
        )
    }
}
