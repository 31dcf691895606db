internal import Crypto

/// A file to put into an archive with a manifest.
public struct BackupFile: Sendable {
    /// The entry's name.
    public var path: String
    /// The purpose of the file: `data`, or a word of the format's.
    public var role: String
    /// Its records by table, nil where nobody counted.
    public var counts: [BackupManifest.Count]?
    /// The source of its content.
    public var content: ArchiveSource

    /// Makes a file.
    public init(
        _ path: String,
        role: String = BackupManifest.dataRole,
        content: ArchiveSource,
        counts: [BackupManifest.Count]? = nil
    ) {
        self.path = path
        self.role = role
        self.content = content
        self.counts = counts
    }
}

extension BackupArchive {
    /// Writes an archive: the manifest, then the files in the order given.
    ///
    /// Each file is read twice, for its size and hash and to write it, in memory that does not grow with it. Same
    /// manifest, same files, same bytes.
    ///
    /// - Parameters:
    ///   - files: The files.
    ///   - manifest: The manifest without its files, which are filled in.
    ///   - packing: The kind of archive.
    ///   - limits: Those of the reader.
    ///   - sink: Takes the bytes.
    /// - Returns: The manifest that was written.
    /// - Throws: `manifest.file-changed` where a file is not the same both times; what the sink throws; a limit's code
    ///   where reading with these limits would refuse the archive.
    @discardableResult
    public static func write(
        _ files: [BackupFile],
        manifest: BackupManifest,
        packing: ArchivePacking,
        limits: ArchiveLimits = ArchiveLimits(),
        to sink: @escaping ArchiveWriter.Sink
    ) throws -> BackupManifest {
        var manifest = manifest
        let sources = try files.map { try ByteSource($0.content) }
        for (file, source) in zip(files, sources) { try limits.check(entryBytes: source.size, of: file.path) }
        manifest.files = try zip(files, sources).map { try describe($0, $1) }
        var written = 0
        let writer = try ArchiveWriter(packing) { piece in
            written += piece.count
            try sink(piece)
        }
        try writer.add(BackupManifest.entryName, bytes: manifest.encoded)
        for (file, source) in zip(manifest.files, sources) {
            var hash = SHA256()
            try writer.add(file.path, size: file.size) { put in
                try source.forEachPiece { piece in
                    hash.update(bufferPointer: piece)
                    try put(piece)
                }
            }
            guard hash.finalize().hexadecimal == file.sha256 else {
                let message = "the file changed while it was being written; write the archive again"
                throw ArchiveError(.fileChanged, message, entry: file.path)
            }
        }
        try writer.finish()
        // Better to know now than on the day of the restoration.
        let total = manifest.files.reduce(manifest.encoded.count) { $0 + $1.size }
        try limits.check(total: total, from: written)
        return manifest
    }

    /// Writes an archive to an open file, which the caller forces to the disk and closes.
    ///
    /// - Throws: The errors of ``write(_:manifest:packing:limits:to:)``; `archive.io` where the file cannot be written.
    @discardableResult
    public static func write(
        _ files: [BackupFile],
        manifest: BackupManifest,
        packing: ArchivePacking,
        toDescriptor descriptor: Int32
    ) throws -> BackupManifest {
        try write(files, manifest: manifest, packing: packing) { try ArchiveWriter.write($0, to: descriptor) }
    }

    /// Returns the bytes of an archive; see ``write(_:manifest:packing:limits:to:)``.
    ///
    /// - Throws: The errors of ``write(_:manifest:packing:limits:to:)``.
    public static func bytes(
        _ files: [BackupFile],
        manifest: BackupManifest,
        packing: ArchivePacking
    ) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            _ = try write(files, manifest: manifest, packing: packing, to: sink)
        }
        return bytes
    }

    private static func describe(_ file: BackupFile, _ source: ByteSource) throws -> BackupManifest.File {
        var hash = SHA256()
        var size = 0
        try source.forEachPiece { piece in
            hash.update(bufferPointer: piece)
            size += piece.count
        }
        return BackupManifest.File(
            path: file.path,
            role: file.role,
            size: size,
            sha256: hash.finalize().hexadecimal,
            counts: file.counts
        )
    }
}
