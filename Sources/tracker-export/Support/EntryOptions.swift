public import ArgumentParser
internal import CivilTime
internal import CommandSupport
public import Interchange

extension DateOrder: ExpressibleByArgument {}
extension EntryNaming: ExpressibleByArgument {}
extension AppleHealth.WorkoutNaming: ExpressibleByArgument {}

/// The options for what files of other programs leave open.
struct EntryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The zone of times that stand without one, such as Europe/Berlin.", valueName: "name")
    )
    var timeZone: String?

    @Option(help: "The order of day and month in the dates of a table, where the dates do not decide it.")
    var dateOrder: DateOrder?

    @Option(
        help: ArgumentHelp(
            "Let a day's entries without times begin here, one after the other.",
            valueName: "hh:mm"
        )
    )
    var dayStart: String?

    @Option(help: "What becomes the name of an entry of another time tracker.")
    var nameFrom: EntryNaming = .project

    @Option(help: "What a workout of Apple Health is called.")
    var workouts: AppleHealth.WorkoutNaming = .exercise

    /// Returns the seconds from midnight to the time that `--day-start` names.
    func dayStartSeconds() throws(CommandFailure) -> Int? {
        guard let dayStart else { return nil }
        let parts = dayStart.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ (1...2).contains($0.count) }), let hour = Int(parts[0]),
            let minute = Int(parts[1]), (0..<24).contains(hour), (0..<60).contains(minute)
        else { throw CommandFailure(.usage, Messages.badDayStart(dayStart)) }
        return hour * 3600 + minute * 60
    }

    /// Returns the zone's clock; nil where none was named.
    func clock() throws(CommandFailure) -> LocalClock? {
        guard let timeZone else { return nil }
        guard let zone = ZoneInfo(identifier: timeZone) else {
            throw CommandFailure(.usage, Messages.noTimeZone(timeZone))
        }
        return LocalClock(zone)
    }
}
