public import CivilTime
internal import RecordStore
internal import SQLiteDatabase

/// The options of an import.
public struct SlateImportOptions: Sendable {
    /// The way in which the export is imported: the database is replaced or added to.
    public var mode: SlateImportMode
    /// The parts that are imported.
    public var parts: Set<SlatePart>
    /// The keys of the file's rows that replace the database's in a merge, whichever is newer.
    package var replacements: [SlateTable: Set<[UInt8]>] = [:]
    /// The days for which the flag `perfect_day` is computed anew afterwards.
    ///
    /// Nil means none in a replacement, and in a merge to mark the days that the completions of both make perfect.
    public var perfectDays: SlateDays.Recomputation?
    /// True if a merge marks days that the completions of both make perfect; else it marks only those that the file calls
    /// perfect, as where the file is a part of what was backed up.
    public var marksCompletedDays = true
    /// True if the import ends circles of tasks that it would make, instead of being refused for them.
    public var endsCircles = false
    /// The day that counts as today; only that computation asks.
    public var today: CivilDay
    /// The moment by which the safety copy is named.
    public var moment: Timestamp
    /// True if a safety backup is kept; a dry run needs none.
    public var keepsCopy = true
    /// The reason in the name of the safety backup.
    public var reason = SlateSafetyBackup.Reason.beforeImport

    /// Makes the options; by default the whole database is replaced.
    public init(
        mode: SlateImportMode = .replace,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        perfectDays: SlateDays.Recomputation? = nil,
        today: CivilDay,
        moment: Timestamp
    ) {
        self.mode = mode
        self.parts = parts
        self.perfectDays = perfectDays
        self.today = today
        self.moment = moment
    }
}

/// The result of an import.
public struct SlateImportResult: Sendable {
    /// The plan, which was carried out.
    public let plan: SlateImportPlan
    /// The copy of the database as it was before; nil where nothing had to be changed, or there was no database.
    public internal(set) var safetyBackup: SlateSafetyBackup?
    /// The days whose flags `perfect_day` were changed, with the new ones, in order; where the file is a part of what was
    /// backed up, also the perfect days that it added.
    public let changedPerfectDays: [SlateDays.PlannedDay]
    /// The dependencies that were ended, as tasks would have depended on each other in a circle.
    public var endedDependencies: [SlateEndedDependency] = []
    /// True if anything was changed.
    public var isChange: Bool { !plan.isEmpty || !changedPerfectDays.isEmpty }
}

/// The progress of an import.
public struct SlateProgress: Sendable, Hashable {
    /// The steps of an import.
    public enum Step: String, Sendable, Hashable {
        /// The database is held against the file.
        case compare
        /// The database is copied.
        case copy
        /// Rows are written.
        case write
        /// Verification: the written rows are read again and compared with the file.
        case verify
    }

    /// The present step.
    public let step: Step
    /// Rows so far.
    public let rows: Int
}

extension SlateDatabase {
    /// Imports an export in one transaction: plans, asks, copies the database, writes, reads all of it again, commits.
    ///
    /// Until the commit nothing of the database is changed, and after it everything is; between there is nothing that an
    /// interruption could leave. Nobody else can write from the plan to the commit, so that what was confirmed is done.
    ///
    /// - Parameters:
    ///   - content: What is imported.
    ///   - options: How.
    ///   - confirm: Called with the plan; what it throws stops the import with nothing changed.
    ///   - progress: Called now and then.
    /// - Throws: `slate.reference` where references would lead nowhere afterwards, `slate.not-as-planned` where what was
    ///   read again is not what was planned; what opening and SQLite throw.
    public func importing(
        _ content: SlateContent,
        _ options: SlateImportOptions,
        confirm: (SlateImportPlan) throws -> Void = { _ in },
        progress: @escaping (SlateProgress) -> Void = { _ in }
    ) throws -> SlateImportResult {
        let (result, copy) = try changing(options.reason, moment: options.moment) { database, keepCopy in
            let writer = SlateImportWriter(
                database: database,
                file: file,
                content: content,
                options: options,
                progress: progress,
                keepCopy: { if options.keepsCopy { try keepCopy() } }
            )
            return try writer.run(confirm: confirm)
        }
        var imported = result
        imported.safetyBackup = copy
        return imported
    }

    /// Does an import in a copy of a database, for what it would do: nothing is left out, and nothing of it stays.
    ///
    /// - Parameters:
    ///   - path: The database; where there is none, a new one is taken.
    ///   - scratch: A path at which the copy is made; who calls removes it.
    ///   - content: What is imported.
    ///   - options: How.
    ///   - excluded: What may be there and is not exported.
    /// - Throws: The errors of opening the database and of ``importing(_:_:confirm:progress:)``, with the database's path;
    ///   `store.io` with that of the copy where it cannot be written.
    public static func dryRun(
        _ path: String,
        at scratch: String,
        _ content: SlateContent,
        _ options: SlateImportOptions,
        excluding excluded: Set<String> = []
    ) throws -> SlateImportResult {
        var options = options
        options.keepsCopy = false
        if try StorePath.size(of: path) ?? 0 > 0 {
            let source = try SlateDatabase(path: path, for: .reading, excluding: excluded)
            do {
                try SlateSafetyBackups.backUp(source.queue, toFile: scratch)
                if let settings = try SlateStorage.file(beside: path) {
                    try SlateSafetyBackups.duplicate(settings, asIs: true, to: SlateStorage.place(beside: scratch))
                }
            } catch let error as DatabaseError {
                // The disk that is full is the copy's.
                throw StoreError(error, path: error.resultCode == .SQLITE_FULL ? scratch : path)
            }
        }
        let purpose = SlateDatabase.Purpose.writing(mustExist: false, upgrading: true)
        do {
            return try SlateDatabase(path: scratch, for: purpose, excluding: excluded).importing(content, options)
        } catch let error as StoreError where error.path == scratch && error.code != .inputOutput {
            // The import refuses content of the database, so the error names that. A fault of the disk names the copy.
            throw StoreError(error.code, error.message.replacing(scratch, with: path), path: path)
        }
    }
}
