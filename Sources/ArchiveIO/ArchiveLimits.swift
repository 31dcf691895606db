/// The limits beyond which an archive is refused.
public struct ArchiveLimits: Sendable, Hashable {
    /// The most entries, folders among them; 10,000 unless told.
    public var entryCount = 10_000
    /// The most bytes of one entry; 4 GiB unless told.
    public var entryBytes = 1 << 32
    /// The most bytes of all entries together; 8 GiB unless told.
    public var totalBytes = 1 << 33
    /// The most bytes that come out for each byte of the archive; 1,000 unless told.
    ///
    /// JSON exports come to 10 to 150; a bomb of DEFLATE to 1,030, one of Zstandard to 30,000.
    public var ratio = 1000
    /// The bytes that may come out whatever the ratio; 64 MiB unless told.
    public var bytesBelowRatio = 1 << 26
    /// The most bytes that are kept as the window of xz or Zstandard data; 128 MiB unless told.
    ///
    /// `xz -9` takes 64 MiB, `zstd --ultra -22` takes 128 MiB.
    public var windowBytes = 1 << 27
    /// The longest name in bytes of UTF-8; 1,024 unless told.
    public var nameBytes = 1024
    /// The largest manifest in bytes; 16 MiB unless told.
    public var manifestBytes = 1 << 24

    /// Makes the limits that suit backups on a person's computer.
    public init() {}

    /// The limits of JSON that is kept whole: 512 MiB, whatever the ratio, as rows that are alike compress well.
    public static let json: ArchiveLimits = {
        var limits = ArchiveLimits()
        (limits.entryBytes, limits.totalBytes, limits.ratio) = (1 << 29, 1 << 29, .max)
        return limits
    }()

    /// The limits of a text that is read as it is expanded, however long: it takes time and no memory.
    ///
    /// Tables, calendars and exports of Apple Health come to 5 to 30 bytes for each.
    public static let text: ArchiveLimits = {
        var limits = ArchiveLimits()
        (limits.entryCount, limits.entryBytes, limits.totalBytes) = (1_000_000, 1 << 40, 1 << 40)
        (limits.ratio, limits.bytesBelowRatio) = (50, 1 << 27)
        return limits
    }()

    /// Returns the most bytes that may come out of so many bytes of archive by ratio.
    func allowance(forBytes count: Int) -> Int {
        let (product, overflow) = count.multipliedReportingOverflow(by: ratio)
        return max(bytesBelowRatio, overflow ? .max : product)
    }

    /// Checks what has come out so far, or what an archive declares to come out.
    func check(total: Int, from sourceBytes: Int) throws(ArchiveError) {
        guard total <= totalBytes else {
            throw ArchiveError(.totalSize, "the entries come to more than \(totalBytes) bytes, which is the limit")
        }
        guard total <= allowance(forBytes: sourceBytes) else {
            let message =
                "the archive of \(sourceBytes) bytes expands to more than \(ratio) times its size, as a bomb does"
            throw ArchiveError(.ratio, message)
        }
    }

    /// Checks the size of an entry, declared or counted.
    func check(entryBytes count: Int, of name: String) throws(ArchiveError) {
        guard count <= entryBytes else {
            throw ArchiveError(
                .entrySize,
                "the entry has more than \(entryBytes) bytes, which is the limit",
                entry: name
            )
        }
    }
}
