public import StrictJSON

/// A format of archives with a manifest.
public struct BackupFormat: Sendable, Hashable {
    /// The `format` member.
    public let name: String
    /// The newest version that is known, and the one that is written.
    public let version: Int

    /// Makes a format.
    public init(name: String, version: Int) {
        self.name = name
        self.version = version
    }

    /// Backups of Slate, `.slatebackup`.
    public static let slatebackup = BackupFormat(name: "slatebackup", version: 1)
    /// Sets of BZ Timer sessions, `.bzpack`.
    public static let bzpack = BackupFormat(name: "bzpack", version: 1)
}

/// The contents of an archive: what is in it, with sizes and SHA-256.
public struct BackupManifest: Sendable, Hashable {
    /// The number of records that the file has of a table.
    public struct Count: Sendable, Hashable {
        /// The table.
        public var table: String
        /// Its records.
        public var records: Int

        /// Makes a count.
        public init(table: String, records: Int) {
            self.table = table
            self.records = records
        }
    }

    /// One file of the archive.
    public struct File: Sendable, Hashable {
        /// The entry's name.
        public var path: String
        /// The purpose of the file: `data`, or a word of the format's.
        public var role: String
        /// Its size in bytes.
        public var size: Int
        /// The SHA-256 of its bytes, 64 lower-case hexadecimal digits.
        public var sha256: String
        /// Its records by table, in the order given; nil where nobody counted.
        public var counts: [Count]?
        /// Members that this version does not know, which are kept.
        public var extra = JSONObject()

        /// Returns the number of records of a table; nil where they were not counted.
        public func count(of table: String) -> Int? { counts?.first { $0.table.hasSameScalars(as: table) }?.records }
    }

    /// The format.
    public var format: BackupFormat
    /// The time at which the archive was made, in RFC 3339 form; nothing else in the archive holds a time.
    public var createdAt: String?
    /// The program that made it, such as `slate-backup 1.0`.
    public var generator: String?
    /// The files, in the order of their entries.
    public var files: [File] = []
    /// Members that this version does not know, which are kept.
    public var extra = JSONObject()

    /// Makes a manifest without files; writing an archive fills them in.
    public init(format: BackupFormat, createdAt: String? = nil, generator: String? = nil) {
        self.format = format
        self.createdAt = createdAt
        self.generator = generator
    }

    /// Returns the file of that path, up to Unicode normalisation.
    public func file(_ path: String) -> File? { files.first { $0.path == path } }

    /// The name of the manifest's entry.
    public static let entryName = "manifest.json"
    /// The role of a file that holds the data of a backup.
    public static let dataRole = "data"
}
