public import ArgumentParser
public import CivilTime
internal import Foundation
internal import GymPulse

/// The option `--now`.
public struct NowOption: ParsableArguments {
    /// The moment that was given.
    @Option(
        help: ArgumentHelp("Take this moment (RFC 3339) for the present one.", valueName: "time"),
        transform: Timestamp.argument
    )
    public var now: Timestamp?

    /// The default: the clock of this machine.
    public init() {}

    /// The present moment, in whole seconds.
    public var moment: Timestamp { now ?? Timestamp(seconds: Int(Date().timeIntervalSince1970.rounded(.down))) }
}

/// The option `--time-zone`.
public struct TimeZoneOption: ParsableArguments {
    /// The name that was given.
    @Option(help: ArgumentHelp("Reckon days in this time zone, such as Europe/Berlin.", valueName: "name"))
    public var timeZone: String?

    /// The default: the time zone of this machine.
    public init() {}

    /// The clock of the time zone, by default that of this machine.
    ///
    /// - Throws: 64 where there is no such time zone.
    public func clock() throws(CommandFailure) -> LocalClock {
        guard let timeZone else { return LocalClock(try Self.local(ProcessInfo.processInfo.environment["TZ"])) }
        guard let zone = TimeZone(identifier: timeZone) else {
            throw CommandFailure(.usage, "there is no time zone \"\(timeZone)\"; expected a name such as Europe/Berlin")
        }
        return LocalClock(zone)
    }

    /// The time zone of this machine.
    ///
    /// Foundation takes UTC for what it does not know in `TZ`, which would move days.
    private static func local(_ variable: String?) throws(CommandFailure) -> TimeZone {
        guard let variable, !variable.isEmpty, variable != ":", !variable.contains("/zoneinfo/"),
            variable != "/etc/localtime", variable != ":/etc/localtime"
        else { return TimeZone.current }
        guard let zone = TimeZone(identifier: variable.hasPrefix(":") ? String(variable.dropFirst()) : variable) else {
            throw CommandFailure(
                .usage,
                "there is no time zone \"\(variable)\", which TZ names; use --time-zone, with a name such as Europe/Berlin"
            )
        }
        return zone
    }
}

extension Timestamp {
    /// A moment as RFC 3339 writes it, from the command line.
    ///
    /// - Throws: `ValidationError` where the text is no moment, or one at the very end of the years.
    public static func argument(_ text: String) throws -> Timestamp {
        guard let moment = Timestamp(text) else {
            throw ValidationError("expected RFC 3339 with a zone, such as 2026-03-01T07:30:00+01:00 or …T06:30:00Z")
        }
        // In some time zone it would be in a year that cannot be written.
        let day = 86_400
        guard moment.adding(seconds: day).seconds - moment.seconds == day,
            moment.seconds - moment.adding(seconds: -day).seconds == day
        else { throw ValidationError("expected a moment that is not at the very end of the years 0000 to 9999") }
        return moment
    }
}
