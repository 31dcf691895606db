internal import ArchiveIO
internal import BZTimer
internal import CommandSupport
internal import FileSystem
internal import FormatKit
internal import StrictJSON

/// A `.bzpack` that was read and held against its manifest.
struct PackInput {
    /// The limits of a pack: 256 MiB, as for a `.bztimer` file, as all of it is held in memory.
    static let limits: ArchiveLimits = {
        var limits = ArchiveLimits()
        limits.entryBytes = BztimerInput.largest
        limits.totalBytes = BztimerInput.largest
        return limits
    }()

    /// The pack as the person named it.
    let name: String
    private let archive: BackupArchive

    var manifest: BackupManifest { archive.manifest }

    /// The sessions' files; those of other roles are checked and left alone.
    var files: [BackupManifest.File] { manifest.files.filter { $0.role == BackupManifest.dataRole } }

    /// Tells whether a file is a zip, which no JSON begins like.
    static func isPack(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x50, 0x4B]) }

    /// Opens a pack and checks all of it.
    ///
    /// - Throws: An `ArchiveError`; `bzpack.name` and 65 for a name that a file cannot be given.
    init(_ input: InputFile) throws {
        name = input.name
        do {
            archive = try BackupArchive(
                .bytes(input.bytes, name: input.name),
                as: [.bzpack],
                limits: Self.limits,
                keeping: [BackupManifest.dataRole]
            )
        } catch let error as ArchiveError where error.code == .manifestMissing {
            throw error.advising("unpack it first, with unzip \(ShellText.quoted(input.name))")
        }
        for file in files where !Self.isPlain(file.path) {
            let message =
                "\"\(file.path)\" is no name for a session's file: it must end in .bztimer, have no /, and "
                + "begin with neither . nor -"
            throw AppFormatError(.packName, message)
        }
    }

    /// Opens a pack that the command cannot do without.
    ///
    /// - Throws: 65 for what is no pack, 66 for what cannot be read.
    static func require(_ path: String) throws -> PackInput {
        let input = try InputFile(reading: path, limit: BztimerInput.largest)
        do {
            guard isPack(input.bytes) else {
                let reading = BztimerFormat.read(input.bytes)
                let what = reading.identity == .bztimer ? "this is a BZ Timer session" : "this is no zip archive"
                throw AppFormatError(.otherFormat, "\(what), and no .bzpack")
            }
            return try PackInput(input)
        } catch let error as AppFormatError {
            throw CommandFailure(.badData, diagnostics: [error.diagnostic(file: input.name)])
        }
    }

    /// Returns the bytes of a file of the pack.
    func bytes(of file: BackupManifest.File) throws -> [UInt8] { try archive.bytes(of: file.path) }

    /// Reads the files of the pack; each is named after the pack and its entry.
    func read(strict: Bool) throws -> [(report: FileReport, reading: ParseResult<BztimerFile>?)] {
        guard !files.isEmpty else { return [(emptyReport, nil)] }
        return try files.map { file in
            let entry = "\(name)/\(file.path)"
            let reading = BztimerFormat.read(try archive.takeBytes(of: file.path), name: entry, strict: strict)
            return (FileReport(reading, file: entry), reading)
        }
    }

    /// The report of a pack without a session's file.
    var emptyReport: FileReport {
        let message = "the pack holds no session's file"
        let warning = Diagnostic(.warning, code: "bzpack.empty", message: message, file: name)
        return FileReport(file: name, diagnostics: [warning], total: 1)
    }

    /// Tells whether a file can be given the name wherever it is unpacked.
    private static func isPlain(_ path: String) -> Bool {
        guard let first = path.utf8.first, first != UInt8(ascii: "."), first != UInt8(ascii: "-") else { return false }
        return !path.utf8.contains(UInt8(ascii: "/")) && path.hasSuffix(".bztimer")
    }
}
