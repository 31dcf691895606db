internal import AppFormats
internal import ArgumentParser
internal import CommandSupport

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
    func localClock(stored: String?) throws(CommandFailure) -> LocalClock {
        guard zone.timeZone == nil, let stored else { return try zone.clock() }
        var zone = zone
        zone.timeZone = stored
        do throws(CommandFailure) {
            return try zone.clock()
        } catch {
            return try self.zone.clock()
        }
    }

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
