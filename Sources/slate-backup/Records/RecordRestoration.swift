internal import CivilTime
internal import CommandSupport
internal import FormatKit
internal import RecordStore
internal import Slate
internal import StrictJSON

/// One task or habit of a backup on its way back into a database, with what belongs to it.
struct RecordRestoration {
    let record: FoundRecord
    /// The time at which the record was as it comes back, RFC 3339; nil where nobody knows.
    let asOf: String?
    /// True if the database has a version of the record that was changed after this one.
    private let isOlder: Bool
    /// True if the database has an older version of Slate's tables, so that a change upgrades it.
    let isIntoOlder: Bool
    private let content: SlateContent
    private let options: SlateImportOptions
    private let database: any DatabaseAccess

    /// Takes a record out of a file.
    ///
    /// - Parameters:
    ///   - file: A backup, or a copy of a database.
    ///   - database: The database that it comes back into; it must exist.
    ///   - now: The moment of the change.
    ///   - clock: The clock of local times.
    ///   - output: Where a file that cannot be used is reported as well; nil to report nothing.
    ///   - asks: Whether the person may be asked for a passphrase.
    ///   - choose: Finds the record among those of the file, given those of the database as well.
    /// - Throws: 65 or 66 where the file cannot be used; what opening the database throws, and `choose`.
    init(
        from file: String,
        into database: any DatabaseAccess,
        now: Timestamp,
        clock: LocalClock,
        output: FormatOption?,
        asks: Bool = true,
        choose: ([FoundRecord], _ stored: [FoundRecord]) throws -> FoundRecord
    ) throws {
        let path = try database.resolvedPath()
        isIntoOlder = try database.reading().version < SlateFormat.currentVersion
        let stored = try RecordSource.open(path, excluding: database.excluded, output) { try $0.found() }
        let (record, asOf, export) = try RecordSource.open(file, excluding: database.excluded, output, asks: asks) {
            let record = try choose(try $0.found(), stored)
            let extract = RecordExtract(record, of: $0, into: stored)
            return (record, $0.asOf, try extract.export(now: clock.text(of: now)))
        }
        let reading = SlateFormat.read(export.document.encoded(.compact), name: file)
        guard let content = reading.content else {
            throw CommandFailure(.badData, "the record cannot be used", diagnostics: reading.diagnostics)
        }
        (self.record, self.asOf, self.content, self.database) = (record, asOf, content, database)
        let known = stored.first { $0.table == record.table && $0.id == record.id }
        isOlder = known.map { Self.isNewer($0, than: record) } ?? false
        var options = SlateImportOptions(
            mode: .merge,
            parts: RecordExtract.parts,
            today: clock.day(of: now),
            moment: now
        )
        options.reason = .beforeRestore
        // One habit's completions do not tell what else was done on their days.
        options.marksCompletedDays = false
        options.replacements = export.replacements
        self.options = options
    }

    private static func isNewer(_ known: FoundRecord, than record: FoundRecord) -> Bool {
        let times = [known, record].map { $0.row["updated_at"]?.string.flatMap { Timestamp($0) } }
        guard known.text != record.text, let time = times[0], let then = times[1] else { return false }
        return then < time
    }

    /// Tells whether a plan puts the record in place of a version that was changed after it.
    func overwritesNewer(_ plan: SlateImportPlan) -> Bool {
        plan.parts.contains { part in part.actions.contains { overwritesNewer($0, part) } }
    }

    private func overwritesNewer(_ action: SlateImportPlan.Action, _ part: SlateImportPlan.Part) -> Bool {
        isOlder && action.verb == .update && action.key == record.id && part.part == .table(record.table)
    }

    /// Returns the reason why a row is written, in words.
    ///
    /// For the record itself it compares the row as the file has it, before it gets its new time of change.
    func reason(of action: SlateImportPlan.Action, in part: SlateImportPlan.Part) -> String {
        guard overwritesNewer(action, part) else { return action.reason }
        // The import compares the row with its new time of change, so that its last words are not about the file's.
        let names = action.reason.split(separator: " (").first ?? ""
        return "\(names) (the database's row is newer, and is overwritten)"
    }

    /// Does it in a copy of the database, for what it would do.
    ///
    /// - Throws: What the import throws; 73 and 74 where there is no room for the copy.
    func dryRun() throws -> SlateImportResult { try content.dryRun(into: database, options) }

    /// Does it.
    ///
    /// - Parameter confirm: Called with the plan; what it throws stops the import.
    /// - Throws: What the import throws; nothing was changed then.
    func apply(confirm: (SlateImportPlan) throws -> Void) throws -> SlateImportResult {
        try database.writing(mustExist: true).database.importing(content, options, confirm: confirm)
    }
}

extension SlateContent {
    /// Imports it into a copy of a database, for what the import would do.
    ///
    /// - Throws: What the import throws; 73 and 74 where there is no room for the copy.
    func dryRun(into database: any DatabaseAccess, _ options: SlateImportOptions) throws -> SlateImportResult {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        do {
            return try SlateDatabase.dryRun(
                try database.resolvedPath(),
                at: folder.database("slate.db"),
                self,
                options,
                excluding: Set(database.excluded)
            )
        } catch let error as StoreError where error.code == .inputOutput && error.path.hasPrefix(folder.path) {
            let message = Messages.trialCopyFails(error.message)
            let fault = Diagnostic(code: error.code.description, message: message, file: TemporaryFolder.root)
            throw CommandFailure(.inputOutput, diagnostics: [fault])
        }
    }
}
