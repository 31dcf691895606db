public import AppFormats
public import ArgumentParser
internal import CommandSupport
internal import Foundation

/// The option `--now`.
struct NowOption: ParsableArguments {
    @Option(help: ArgumentHelp("Take this moment (RFC 3339) for the present one.", valueName: "time"))
    var now: Timestamp?

    /// The present moment, in whole seconds.
    var moment: Timestamp { now ?? Timestamp(seconds: Int(Date().timeIntervalSince1970.rounded(.down))) }
}

/// The option `--time-zone`.
struct TimeZoneOption: ParsableArguments {
    @Option(help: ArgumentHelp("Reckon days in this time zone, such as Europe/Berlin.", valueName: "name"))
    var timeZone: String?

    /// The clock of the time zone, by default that of this machine.
    func clock() throws(CommandFailure) -> LocalClock {
        guard let timeZone else { return LocalClock(TimeZone.current) }
        guard let zone = TimeZone(identifier: timeZone) else {
            throw CommandFailure(.usage, "there is no time zone \"\(timeZone)\"; expected a name such as Europe/Berlin")
        }
        return LocalClock(zone)
    }
}

extension Timestamp: ExpressibleByArgument {
    /// A moment as RFC 3339 writes it.
    public init?(argument: String) { self.init(argument) }
}
