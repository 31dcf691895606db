internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import TimeTracker

/// The options for days, with the time zone and the present moment.
struct DayOptions: ParsableArguments {
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take this day, such as yesterday or 2026-11-21 (default: today).", valueName: "day"),
        transform: TimeExpression.day
    )
    var date: TimeExpression?

    @Flag(help: "Take the week of that day, Monday to Sunday.")
    var week = false

    @Flag(help: "Take the calendar month of that day.")
    var month = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take all days from this one on.", valueName: "day"),
        transform: TimeExpression.day
    )
    var from: TimeExpression?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Take the days up to this one (default: today).", valueName: "day"),
        transform: TimeExpression.day
    )
    var to: TimeExpression?

    func validate() throws {
        let given = [week ? "--week" : nil, month ? "--month" : nil, from == nil ? nil : "--from"].compactMap { $0 }
        guard given.count < 2 else { throw ValidationError(Messages.exclude(given[0], given[1])) }
        if from != nil, date != nil { throw ValidationError(Messages.exclude("--from", "--date")) }
        if to != nil, from == nil { throw ValidationError(Messages.toNeedsFrom) }
    }

    /// True if any days were named.
    var isGiven: Bool { date != nil || week || month || from != nil }

    /// Returns the present moment.
    func now(_ clock: LocalClock) throws(CommandFailure) -> Timestamp { try self.clock.moment(in: clock) }

    /// Returns the clock by which days are reckoned: that of `--time-zone`, else the store's, else that of this
    /// machine.
    func localClock(stored: String?) throws(CommandFailure) -> LocalClock { try zone.clock(stored: stored) }

    /// Returns the name of that clock's zone.
    func zoneName(stored: String?) -> String { zone.timeZone ?? stored ?? ZoneInfo.current.identifier }

    /// Returns the days that were named, else today.
    ///
    /// - Parameter output: Where days are shown as they were understood; nil to say nothing.
    /// - Throws: 64 where `--to` is before `--from`, or the days are more than ``DaySpan/most``.
    func span(_ clock: LocalClock, echo output: OutputFormat?) throws(CommandFailure) -> DaySpan {
        let today = clock.day(of: try now(clock))
        guard let from else {
            let day = try date.map { date throws(CommandFailure) in
                try date.day("--date", today: today, echo: output)
            }
            return DaySpan(of: day ?? today, week ? .week : month ? .month : .day)
        }
        let first = try from.day("--from", today: today, echo: output)
        let last = try to.map { to throws(CommandFailure) in try to.day("--to", today: today, echo: output) } ?? today
        guard first <= last else {
            let what = to == nil ? "today, \(last)" : "--to, \(last)"
            throw CommandFailure(.usage, Messages.fromAfter("\(first)", what))
        }
        guard last.number - first.number < DaySpan.most else {
            throw CommandFailure(.usage, Messages.tooManyDays("\(first)", "\(last)", DaySpan.most))
        }
        return DaySpan(days: first...last, kind: .range)
    }
}

/// Consecutive days, and what they are called.
struct DaySpan {
    /// The kinds of span.
    enum Kind { case day, week, month, range }

    /// The most days of a span: over a hundred years.
    static let most = 40_000

    let days: ClosedRange<CivilDay>
    let kind: Kind

    init(days: ClosedRange<CivilDay>, kind: Kind) { (self.days, self.kind) = (days, kind) }

    /// Makes a day, or the week or month that it is in.
    init(of day: CivilDay, _ kind: Kind) {
        self.kind = kind
        switch kind {
        case .day, .range: days = day...day
        case .week: days = day.week
        case .month: days = day.month
        }
    }

    /// Returns the range from the first moment of the days to the last.
    func moments(_ clock: LocalClock) -> Range<Timestamp> {
        let start = clock.startOfDay(days.lowerBound)
        return start..<max(clock.startOfDay(days.upperBound.adding(days: 1)), start)
    }

    /// The name that files get: `2026-03-05`, `2026-W10`, `2026-03`, `2026-03-05_2026-03-20`.
    var fileName: String {
        switch kind {
        case .day: days.lowerBound.description
        case .week: days.lowerBound.weekName
        case .month: String(days.lowerBound.description.prefix(7))
        case .range: "\(days.lowerBound)_\(days.upperBound)"
        }
    }

    /// The days in words: `2026-03-05`, `2026-03-02 to 2026-03-08 (2026-W10)`.
    var words: String {
        switch kind {
        case .day: days.lowerBound.description
        case .week, .month: "\(days.lowerBound) to \(days.upperBound) (\(fileName))"
        case .range: "\(days.lowerBound) to \(days.upperBound)"
        }
    }
}

extension CivilDay {
    /// The ISO 8601 week: `2026-W10`.
    var weekName: String {
        let (year, week) = isoWeek
        return "\(padded(year, 4))-W\(padded(week, 2))"
    }
}

extension TimeZoneOption {
    /// Returns the clock of `--time-zone`, else of the store's zone if this system knows it, else of this machine.
    func clock(stored: String?) throws(CommandFailure) -> LocalClock {
        guard timeZone == nil, let zone = stored.flatMap(ZoneInfo.init(identifier:)) else { return try clock() }
        return LocalClock(zone)
    }

    /// Returns the present moment with the offset that those clocks show then.
    func zoned(_ now: NowOption, stored: String?) throws(CommandFailure) -> ZonedTimestamp {
        let clock = try clock(stored: stored)
        return clock.zoned(try now.moment(in: clock))
    }
}
