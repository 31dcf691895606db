public import AppFormats
internal import GRDB

/// How an export is imported.
public struct SlateImportOptions: Sendable {
    /// Whether the database is replaced or added to.
    public var mode: SlateImportMode
    /// The parts that are imported.
    public var parts: Set<SlatePart>
    /// For which days the flag `perfect_day` is computed anew afterwards.
    public var perfectDays: SlateDays.Recomputation
    /// What counts as today; only that computation asks.
    public var today: CivilDay
    /// The moment by which the safety copy is named.
    public var moment: Timestamp

    /// Options; by default the whole database is replaced and flags stay as provided.
    public init(
        mode: SlateImportMode = .replace,
        parts: Set<SlatePart> = Set(SlatePart.allCases),
        perfectDays: SlateDays.Recomputation = .asProvided,
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

/// What an import did.
public struct SlateImportResult: Sendable {
    /// What was planned, and done.
    public let plan: SlateImportPlan
    /// The copy of the database as it was before; nil where nothing had to be changed.
    public let safetyCopy: SlateSafetyCopy?
    /// How many flags `perfect_day` were changed.
    public let changedPerfectDays: Int
}

/// How far an import is.
public struct SlateProgress: Sendable, Hashable {
    /// What is being done.
    public enum Step: String, Sendable, Hashable {
        /// The database is held against the file.
        case compare
        /// The database is copied.
        case copy
        /// Rows are written.
        case write
        /// What was written is read again and held against the file.
        case verify
    }

    /// What is being done.
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
        try translating {
            var result: SlateImportResult?
            defer { if result == nil { removeIfUnused() } }
            try queue.writeWithoutTransaction { database in
                try database.inTransaction(.immediate) {
                    let writer = SlateImportWriter(
                        database: database,
                        file: file,
                        content: content,
                        options: options,
                        progress: progress
                    )
                    let (outcome, isChanged) = try writer.run(confirm: confirm)
                    result = outcome
                    return isChanged ? .commit : .rollback
                }
            }
            guard let result else { throw StoreError(.inputOutput, "the import gave no result", path: path) }
            SlateSafety.removeOldCopies(of: path)
            return result
        }
    }

    /// What an import into a database that does not exist yet would do.
    public static func planIntoNew(
        _ content: SlateContent,
        mode: SlateImportMode,
        parts: Set<SlatePart> = Set(SlatePart.allCases)
    ) throws -> SlateImportPlan {
        let queue = try DatabaseQueue(configuration: SlateFile.configuration(readOnly: false))
        return try queue.write { database in
            try SlateFile(path: "", excluded: []).makeTables(database)
            return try SlateRecords(database, version: SlateSchema.version, path: "")
                .plan(content, mode: mode, parts: parts)
        }
    }
}
