internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Slate
internal import StrictJSON

/// The options that say what of a backup is imported, and how.
struct ImportExtent: ParsableArguments {
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption

    @Option(
        help: "Replace what the database holds, or merge: add what is new, and of rows that differ keep the newer."
    )
    var mode = SlateImportMode.replace

    @Option(
        parsing: .singleValue,
        help: ArgumentHelp("Import this table, or meta, alone; may be repeated.", valueName: "table")
    )
    var only: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            Compute the flag perfect_day anew: for so many days up to today, all or none. Without it, a merge of day_plan \
            marks the days that the completions of both make perfect.
            """,
            valueName: "number|all|none"
        )
    )
    var recomputePerfectDays: String?

    /// Checks the options before anything is read.
    ///
    /// - Throws: 64 where one has no meaning.
    func check() throws(CommandFailure) {
        _ = try perfectDays()
        _ = try PartArgument.parts(only)
    }

    /// Returns the local day.
    func today() throws(CommandFailure) -> CivilDay { try clock.today(in: zone.clock()) }

    /// Returns the options with which content is imported.
    func options(for content: SlateContent, into database: DatabaseOption) throws -> SlateImportOptions {
        let parts = try PartArgument.parts(only)
        let perfectDays = try perfectDays()
        let localClock = try zone.clock()
        let now = try clock.moment(in: localClock)
        var today = localClock.day(of: now)
        if case .last? = perfectDays {
            let dayStart = try dayStart(content, parts, database)
            today = SlateDays.localToday(dayStart: dayStart, now: now, clock: localClock)
        }
        return SlateImportOptions(
            mode: mode,
            parts: parts,
            perfectDays: perfectDays,
            today: today,
            moment: now
        )
    }

    /// Returns the day start that the database will have.
    private func dayStart(
        _ content: SlateContent,
        _ parts: Set<SlatePart>,
        _ database: DatabaseOption
    ) throws -> SlateDayStart {
        let stored = try database.readingIfPresent()?.read { try $0.metaTexts()["day_start"] }
        let given = parts.contains(.meta) ? content.meta["day_start"]?.string : nil
        let text = mode == .replace && parts.contains(.meta) ? given : stored ?? given
        return text.flatMap { SlateDayStart($0) } ?? .standard
    }

    private func perfectDays() throws(CommandFailure) -> SlateDays.Recomputation? {
        guard let recomputePerfectDays else { return nil }
        guard let perfectDays = SlateDays.Recomputation(recomputePerfectDays) else {
            throw CommandFailure(.usage, Messages.recomputeExpected)
        }
        return perfectDays
    }
}
