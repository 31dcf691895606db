internal import AppFormats
public import ArgumentParser
internal import CommandSupport
internal import Foundation
public import Interchange

extension DateOrder: ExpressibleByArgument {}
extension EntryNaming: ExpressibleByArgument {}
extension AppleHealth.WorkoutNaming: ExpressibleByArgument {}

/// What files of other programs leave open.
struct EntryOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The zone of times that stand without one, such as Europe/Berlin.", valueName: "name")
    )
    var timeZone: String?

    @Option(help: "The order of day and month in the dates of a table, where the dates do not decide it.")
    var dateOrder: DateOrder?

    @Option(help: "What becomes the name of an entry of Toggl or Clockify.")
    var nameFrom: EntryNaming = .project

    @Option(help: "What a workout of Apple Health is called.")
    var workouts: AppleHealth.WorkoutNaming = .exercise

    /// The zone's clock, nil where none was named.
    func clock() throws(CommandFailure) -> LocalClock? {
        guard let timeZone else { return nil }
        guard let zone = TimeZone(identifier: timeZone) else {
            throw CommandFailure(.usage, "there is no time zone \"\(timeZone)\"; expected a name such as Europe/Berlin")
        }
        return LocalClock(zone)
    }
}
