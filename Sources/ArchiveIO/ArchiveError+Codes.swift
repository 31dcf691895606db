extension ArchiveError.Code {
    /// The file cannot be opened or reading it failed.
    public static let inputOutput = Self("archive.io")
    /// The bytes are no archive and no compressed file that is read here.
    public static let unrecognized = Self("archive.unrecognized")
    /// The archive uses a format or a method that is not read here.
    public static let unsupported = Self("archive.unsupported")
    /// The archive ends before its end.
    public static let truncated = Self("archive.truncated")
    /// The archive contradicts itself or its check sums.
    public static let corrupted = Self("archive.corrupted")
    /// Something follows the end of the archive.
    public static let trailing = Self("archive.trailing")
    /// An entry, or the directory, is encrypted.
    public static let encrypted = Self("archive.encrypted")
    /// Two entries of a zip share bytes of the file.
    public static let overlap = Self("archive.overlap")
    /// An entry has more or fewer bytes than the archive declares.
    public static let sizeMismatch = Self("archive.size-mismatch")
    /// A compressed file lies inside another one.
    public static let nested = Self("archive.nested")
    /// The library could not be set up.
    public static let library = Self("archive.library")
    /// The caller used the writer or reader in a way that gives no archive.
    public static let usage = Self("archive.usage")

    /// A name without a character.
    public static let nameEmpty = Self("archive.name-empty")
    /// A name longer than the limit.
    public static let nameLength = Self("archive.name-length")
    /// A name that is not UTF-8.
    public static let nameEncoding = Self("archive.name-encoding")
    /// A name with control characters, or such as reverse the direction of text.
    public static let nameControl = Self("archive.name-control")
    /// A name that begins at the root.
    public static let nameAbsolute = Self("archive.name-absolute")
    /// A name with `..` in it.
    public static let nameTraversal = Self("archive.name-traversal")
    /// A name with a backslash.
    public static let nameBackslash = Self("archive.name-backslash")
    /// A name that begins with a drive letter.
    public static let nameDrive = Self("archive.name-drive")
    /// A name that is not in its plainest form, where one is written.
    public static let nameForm = Self("archive.name-form")
    /// Two entries with one name.
    public static let duplicateName = Self("archive.duplicate-name")
    /// Two entries whose names differ in case or normalisation only.
    public static let similarName = Self("archive.similar-name")

    /// An entry that is a symbolic link.
    public static let symbolicLink = Self("archive.symbolic-link")
    /// An entry that is a hard link.
    public static let hardLink = Self("archive.hard-link")
    /// An entry that is a device, a FIFO, a socket, or a file with holes.
    public static let specialFile = Self("archive.special-file")

    /// More entries than the limit.
    public static let entryCount = Self("archive.entry-count")
    /// An entry larger than the limit.
    public static let entrySize = Self("archive.entry-size")
    /// A sum of entries larger than the limit.
    public static let totalSize = Self("archive.total-size")
    /// An expansion beyond the ratio that is allowed.
    public static let ratio = Self("archive.ratio")

    /// Compressed data that take more memory to expand than the limit.
    public static let window = Self("archive.window")

    /// No entry that is JSON.
    public static let noJSON = Self("archive.no-json")
    /// Several entries that are JSON.
    public static let severalJSON = Self("archive.several-json")

    /// No entry that is a text of a kind that is read.
    public static let noText = Self("archive.no-text")
    /// Several entries that are texts.
    public static let severalTexts = Self("archive.several-texts")
    /// A text with NUL bytes.
    public static let notText = Self("archive.not-text")

    /// The archive has no `manifest.json`.
    public static let manifestMissing = Self("manifest.missing")
    /// The manifest is larger than any manifest.
    public static let manifestSize = Self("manifest.size")
    /// The manifest is no JSON.
    public static let manifestSyntax = Self("manifest.syntax")
    /// A member of the manifest is missing or not what it should be.
    public static let manifestMember = Self("manifest.member")
    /// The manifest is that of another format.
    public static let manifestFormat = Self("manifest.format")
    /// The manifest's version is no positive integer.
    public static let manifestVersion = Self("manifest.version")
    /// A newer version of the format.
    public static let manifestNewer = Self("manifest.newer")
    /// The manifest is not the one that its digest was taken of.
    public static let manifestDigest = Self("manifest.digest")
    /// The manifest lists a path that may not be, or lists it twice.
    public static let manifestPath = Self("manifest.path")
    /// A file that the manifest lists is not in the archive.
    public static let fileMissing = Self("manifest.file-missing")
    /// A file is in the archive that the manifest does not list.
    public static let fileUnlisted = Self("manifest.file-unlisted")
    /// A file has another size than the manifest says.
    public static let fileSize = Self("manifest.file-size")
    /// A file has another SHA-256 than the manifest says.
    public static let fileHash = Self("manifest.file-hash")
    /// A file changed while it was being written to an archive.
    public static let fileChanged = Self("manifest.file-changed")
}
