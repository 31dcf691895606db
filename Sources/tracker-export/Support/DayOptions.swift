internal import ArgumentParser
internal import CivilTime
internal import CommandSupport
internal import Foundation

/// Which day, where and when.
struct DayOptions: ParsableArguments {
    @OptionGroup var clock: NowOption
    @OptionGroup var zone: TimeZoneOption

    @Option(
        help: ArgumentHelp("The day, as YYYY-MM-DD; today unless told.", valueName: "day"),
        transform: CivilDay.argument
    )
    var date: CivilDay?

    /// The present moment.
    var now: Timestamp { clock.moment }

    /// The clock by which days are reckoned: that of `--time-zone`, else the store's, else that of this machine.
    func localClock(stored: String?) throws(CommandFailure) -> LocalClock { try zone.clock(stored: stored) }

    /// The day that was named, else today.
    func day(_ clock: LocalClock) -> CivilDay { date ?? clock.day(of: now) }
}

extension CivilDay {
    /// A day as `YYYY-MM-DD`, from the command line.
    static func argument(_ text: String) throws -> CivilDay {
        guard let day = CivilDay(text) else {
            throw ValidationError("expected a day that exists, such as 2026-03-01")
        }
        return day
    }
}

extension TimeZoneOption {
    /// The clock of `--time-zone`, else of the zone that a store names, where this system knows it, else of this machine.
    func clock(stored: String?) throws(CommandFailure) -> LocalClock {
        guard timeZone == nil, let zone = stored.flatMap({ TimeZone(identifier: $0) }) else { return try clock() }
        return LocalClock(zone)
    }

    /// A moment with the offset that those clocks show then.
    func zoned(_ moment: Timestamp, stored: String?) throws(CommandFailure) -> ZonedTimestamp {
        ZonedTimestamp(moment, offsetMinutes: try clock(stored: stored).offsetMinutes(at: moment))
    }
}
