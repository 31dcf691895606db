internal import ArchiveIO
internal import CivilTime
internal import CommandSupport
internal import JSONSchemaValidation
internal import Slate
internal import StrictJSON

/// A folder with backups in it.
struct BackupFolder {
    /// A file whose name is that of a backup.
    struct Backup {
        let name: SlateFileName
        let size: Int
    }

    let listing: FolderListing
    /// The backups, the newest first.
    let backups: [Backup]

    /// - Throws: 66 where the folder cannot be read.
    init(_ path: String) throws(CommandFailure) {
        guard !path.isEmpty else { throw CommandFailure(.usage, Messages.folderNeedsName) }
        listing = try FolderListing(path)
        backups = listing.files.compactMap { file in
            guard file.isOrdinary, let name = SlateFileName(file.name) else { return nil }
            return Backup(name: name, size: file.size)
        }.sorted { $0.name > $1.name }
    }

    /// Returns the moments of the exports, by which it is told which backup is the newest.
    ///
    /// Another program, such as the app itself, may have named one. They are those of the newest dates, as the date
    /// goes back where somebody crosses the date line, and of all days that have several. A day with one that cannot
    /// be read has none.
    ///
    /// - Parameters:
    ///   - today: The last day that counts; nil for all.
    ///   - isNewestOnly: Whether to leave out all but the newest dates.
    func moments(until today: CivilDay? = nil, isNewestOnly: Bool = false) -> [String: Timestamp] {
        var moments: [String: Timestamp] = [:]
        let eligible = backups.filter { backup in today.map { backup.name.day <= $0 } ?? true }
        guard let newest = eligible.first?.name.day else { return [:] }
        for (day, ofDay) in Dictionary(grouping: eligible, by: \.name.day) {
            // One that was made later can have a date that is two days earlier, and no more.
            let isNew = newest.number - day.number <= 2
            guard isNew || !isNewestOnly && ofDay.count > 1 else { continue }
            // Nobody is asked for a passphrase only to rule out a journey.
            let asks = ofDay.count > 1
            let found = ofDay.compactMap { backup in
                BackupOutline.moment(of: path(of: backup.name), asks: asks).map { (backup.name.description, $0) }
            }
            if found.count == ofDay.count { moments.merge(found) { first, _ in first } }
        }
        return moments
    }

    /// The backups, the one that was exported last first.
    var newestFirst: [Backup] { SlateRetention.newestFirst(backups, moments(), name: \.name) }

    /// The most older backups that are counted to find one that holds far more: an encrypted one takes a second.
    private static let mostCompared = 5

    /// Returns the path of a backup.
    func path(of name: SlateFileName) -> String { listing.path(of: name.description) }

    /// Returns the paths of the backups up to today, the newest first, and warnings about those after it.
    ///
    /// A clock that was wrong once made those, and they would be the newest for years.
    ///
    /// - Throws: 66 where there is none up to today.
    func paths(until today: CivilDay) throws(CommandFailure) -> (paths: [String], warnings: [Diagnostic]) {
        let eligible = backups.map(\.name).filter { $0.day <= today }
        let moments = moments(until: today, isNewestOnly: true)
        let paths = SlateRetention.newestFirst(eligible, moments) { $0 }.map(path)
        let warnings = backups.filter { $0.name.day > today }
            .map { backup in
                let message = Messages.futureBackup
                return Diagnostic(.warning, code: "slate.future-backup", message: message, file: path(of: backup.name))
            }
        if !paths.isEmpty { return (paths, warnings) }
        let message = Messages.noBackup(in: listing.path, isFuture: !warnings.isEmpty)
        throw CommandFailure(.noInput, message, diagnostics: warnings)
    }

    /// Returns the backups of the database, the newest first, and the newest of each other one.
    ///
    /// - Throws: 64 where there are several databases and none is known to be the one.
    private func ofOneDatabase(
        _ paths: [String],
        _ identity: SlateIdentity
    ) throws(CommandFailure) -> (own: [String], others: [String]) {
        var databases: [(identity: SlateIdentity, newest: String)] = []
        let owners = paths.map { path -> Int? in
            guard let found = BackupOutline.identity(of: path), !found.isEmpty else { return nil }
            if let known = databases.firstIndex(where: { !$0.identity.isForeign(to: found) }) {
                databases[known].identity.formUnion(found)
                return known
            }
            databases.append((found, path))
            return databases.count - 1
        }
        guard databases.count > 1 else { return (paths, []) }
        let own =
            identity.isEmpty
            ? isNewest(databases.map(\.newest)) ? 0 : nil
            : databases.firstIndex { !$0.identity.isForeign(to: identity) }
        guard let own else {
            throw CommandFailure(.usage, Messages.severalDatabases(listing.path, databases.map(\.newest)))
        }
        let kept = zip(paths, owners).filter { $0.1 == nil || $0.1 == own }.map(\.0)
        return (kept, databases.indices.filter { $0 != own }.map { databases[$0].newest })
    }

    /// Tells whether the first of several databases alone is still backed up: the last backups of the others are more than
    /// a month older.
    private func isNewest(_ paths: [String]) -> Bool {
        let days = paths.compactMap { path in backups.first { self.path(of: $0.name) == path }?.name.day.number }
        guard let first = days.first, days.count == paths.count else { return false }
        return days.dropFirst().allSatisfy { first - $0 > 31 }
    }

    /// Returns the newest backup up to today that can be used, as it was read, and warnings about newer ones.
    ///
    /// - Parameters:
    ///   - today: The last day that counts.
    ///   - identity: What the database holds now.
    ///   - repair: Whether a backup counts that can be repaired.
    /// - Throws: 64 where it has backups of several databases, none of which is known to be this one; 66 where there is
    ///   none; 77 where no key opens the newest; 65 where it is of a newer version.
    func newestVerified(
        until today: CivilDay,
        of identity: SlateIdentity,
        repair: Bool
    ) throws(CommandFailure) -> (read: (report: FileReport, input: SlateInput?), warnings: [Diagnostic]) {
        var (paths, warnings) = try paths(until: today)
        var others: [String] = []
        (paths, others) = try ofOneDatabase(paths, identity)
        func warning(_ message: String, _ path: String) -> Diagnostic {
            Diagnostic(.warning, code: "slate.passed-over", message: message, file: path)
        }
        warnings += others.map { warning(Messages.ofOtherDatabase, $0) }
        for (index, path) in paths.enumerated() {
            let read = SlateInput.read(path, repair: repair)
            if read.report.isUsable {
                StandardError.detail("taking \(path): the newest backup of the folder that verifies")
                let counts = BackupOutline.counts(of: path)
                let fuller = paths[(index + 1)...].prefix(Self.mostCompared).first { older in
                    counts.map { BackupOutline.outweighs(older, $0) } ?? false
                }
                if let fuller { warnings.append(warning(Messages.holdsFarMore, fuller)) }
                return (read, warnings)
            }
            // An older backup in its place would be a surprise.
            if read.report.status == .noKey {
                throw CommandFailure(.noKey, diagnostics: warnings + read.report.diagnostics)
            }
            if read.report.isNewer {
                let diagnostics = warnings + read.report.diagnostics
                throw CommandFailure(.badData, Messages.newestIsNewer, diagnostics: diagnostics)
            }
            let isMendable = !repair && read.input?.isMendable == true
            let message =
                isMendable
                ? Messages.skipped
                : Messages.passedOver
            warnings.append(Diagnostic(.warning, code: "slate.unusable-backup", message: message, file: path))
        }
        let count = Words.count(paths.count, "backup")
        let message = Messages.noneVerifies("\(count)", listing.path)
        throw CommandFailure(.noInput, message, diagnostics: warnings)
    }
}

/// The number of records in a backup, told without reading all of it into memory.
enum BackupOutline {
    /// Returns the rows of each table of a file; nil where it is no valid export of Slate that can be read.
    static func counts(of path: String) -> [(table: String, rows: Int)]? {
        do {
            if let counts = try manifestCounts(path) { return counts }
            let input = try InputSource(opening: path, asks: false)
            return try withExtendedLifetime(input) {
                let outline = try SlateStream.outline(input.source)
                guard let version = outline.version else { return nil }
                try input.source.rewind()
                guard try SlateStream.validate(input.source, version: version).isValid else { return nil }
                return outline.rows
            }
        } catch {
            return nil
        }
    }

    /// Returns the moment of the export; nil where the file cannot be read.
    static func moment(of path: String, asks: Bool = true) -> Timestamp? {
        read(path, asks: asks, SlateStream.exportedAt)?.flatMap { Timestamp($0) }
    }

    /// Returns the tasks and habits that tell the database; nil where the file cannot be read.
    static func identity(of path: String) -> SlateIdentity? { read(path, asks: false, SlateStream.identity) }

    private static func read<Result>(
        _ path: String,
        asks: Bool,
        _ body: (JSONByteSource) throws -> Result
    ) -> Result? {
        guard let head = try? InputFile.head(of: path) else { return nil }
        if !InputFile.isEncrypted(head), !JSONContainer.isArchive(head) {
            // Need not read the rest: the answer stands near the beginning.
            guard let input = try? InputSource(opening: path, asks: false) else { return nil }
            return withExtendedLifetime(input) { try? body(input.source) }
        }
        guard let file = try? InputFile(reading: path, asks: asks),
            let found = try? JSONContainer(.bytes(file.bytes, name: path))
        else { return nil }
        return try? body(JSONByteSource(found.bytes))
    }

    /// Tells whether a backup holds so much more than another that the other looks as if something was lost.
    static func outweighs(_ path: String, _ other: String) -> Bool {
        counts(of: other).map { outweighs(path, $0) } ?? false
    }

    /// Tells the same of a backup with these rows.
    static func outweighs(_ path: String, _ others: [(table: String, rows: Int)]) -> Bool {
        counts(of: path).map { SlateShrink.warning(previous: $0, current: others) != nil } ?? false
    }

    /// Returns the counts in the manifest of an archive, or of its JSON; nil where the file is no archive.
    private static func manifestCounts(_ path: String) throws -> [(table: String, rows: Int)]? {
        var source = ArchiveSource.file(path)
        var head = try InputFile.head(of: path)
        if InputFile.isEncrypted(head) {
            let file = try InputFile(reading: path, asks: false)
            source = .bytes(file.bytes)
            head = Array(file.bytes.prefix(512))
        }
        guard JSONContainer.isArchive(head) else { return nil }
        let found = try JSONContainer(source)
        if case .backup(let manifest, let entry, _) = found.origin, let counts = manifest.file(entry)?.counts {
            return counts.map { ($0.table, $0.records) }
        }
        return try SlateStream.outline(JSONByteSource(found.bytes)).rows
    }
}

extension SlateStream.Outline {
    /// The rows of each table, in the order of the export.
    var rows: [(table: String, rows: Int)] { SlateTable.allCases.map { ($0.name, counts[$0] ?? 0) } }
}
