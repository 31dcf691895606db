internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Foundation

/// Which day, where and when.
struct DayOptions: ParsableArguments {
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Show this day, such as yesterday or 2026-11-21 (default: today).", valueName: "day"),
        transform: TimeExpression.day
    )
    var date: TimeExpression?

    /// The present moment.
    func now(_ clock: LocalClock) throws(CommandFailure) -> Timestamp { try self.clock.moment(in: clock) }

    /// The clock by which days are reckoned: that of `--time-zone`, else the store's, else that of this machine.
    func localClock(stored: String?) throws(CommandFailure) -> LocalClock { try zone.clock(stored: stored) }

    /// The day that was named, else today.
    ///
    /// - Parameter output: Where the day is shown as it was understood; nil to say nothing.
    func day(_ clock: LocalClock, echo output: OutputFormat?) throws(CommandFailure) -> CivilDay {
        let today = clock.day(of: try now(clock))
        guard let date else { return today }
        return try date.day("--date", today: today, echo: output)
    }
}

extension TimeZoneOption {
    /// The clock of `--time-zone`, else of the zone that a store names, where this system knows it, else of this machine.
    func clock(stored: String?) throws(CommandFailure) -> LocalClock {
        guard timeZone == nil, let zone = stored.flatMap({ TimeZone(identifier: $0) }) else { return try clock() }
        return LocalClock(zone)
    }

    /// The present moment with the offset that those clocks show then.
    func zoned(_ now: NowOption, stored: String?) throws(CommandFailure) -> ZonedTimestamp {
        let clock = try clock(stored: stored)
        return clock.zoned(try now.moment(in: clock))
    }
}
