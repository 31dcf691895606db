package import ArgumentParser
package import CivilTime
internal import GymPulse

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The option `--now`.
package struct NowOption: ParsableArguments {
    /// The moment that was given.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Pretend it is this time.", valueName: "time"),
        transform: TimeExpression.moment
    )
    package var now: TimeExpression?

    /// Makes the default: the clock of this machine.
    package init() {}

    /// Returns the moment that was given; nil where none was.
    ///
    /// - Parameter clock: The clock of local times, by default that of this machine.
    /// - Throws: 64 where the clock skipped a local time, or showed it twice.
    package func given(in clock: LocalClock? = nil) throws(CommandFailure) -> Timestamp? {
        guard let now else { return nil }
        guard let clock else { return try given(in: try TimeZoneOption.local()) }
        return try now.moment(for: "--now", now: Self.present, clock: clock)
    }

    /// Returns the moment that was given, else the present one, in whole seconds.
    ///
    /// - Parameter clock: The clock of local times, by default that of this machine.
    /// - Throws: 64 where the clock skipped a local time, or showed it twice.
    package func moment(in clock: LocalClock? = nil) throws(CommandFailure) -> Timestamp {
        guard let given = try given(in: clock) else { return Self.present }
        return given
    }

    /// Returns the day of that moment.
    ///
    /// - Throws: 64 where the clock skipped a local time that was given, or showed it twice.
    package func today(in clock: LocalClock) throws(CommandFailure) -> CivilDay {
        clock.day(of: try moment(in: clock))
    }

    /// The present moment, in whole seconds.
    package static var present: Timestamp { Timestamp(seconds: Int(Date().timeIntervalSince1970.rounded(.down))) }
}

/// The option `--time-zone`.
package struct TimeZoneOption: ParsableArguments {
    /// The name that was given.
    @Option(help: ArgumentHelp("Read and show times in this zone, such as Europe/Berlin.", valueName: "name"))
    package var timeZone: String?

    /// Makes the default: the time zone of this machine.
    package init() {}

    /// Returns the clock of the time zone, by default that of this machine.
    ///
    /// - Throws: 64 where there is no such time zone.
    package func clock() throws(CommandFailure) -> LocalClock {
        guard let timeZone else { return try Self.local() }
        guard let zone = ZoneInfo(identifier: timeZone) else {
            throw CommandFailure(.usage, "there is no time zone \"\(timeZone)\"; \(Self.hint)")
        }
        return LocalClock(zone)
    }

    /// Tells a person how to name a time zone.
    package static var hint: String {
        ZoneInfo.isInstalled
            ? "expected a name such as Europe/Berlin"
            : "this system has none; install its time zones, which Debian calls tzdata"
    }

    /// Returns the clock of this machine.
    ///
    /// - Throws: 64 where `TZ` names a time zone that there is not.
    package static func local() throws(CommandFailure) -> LocalClock {
        LocalClock(try local(ProcessInfo.processInfo.environment["TZ"]))
    }

    /// Returns the time zone of this machine.
    ///
    /// The C library takes UTC for what it does not know in `TZ`, which would move days.
    private static func local(_ variable: String?) throws(CommandFailure) -> ZoneInfo {
        guard let variable, !variable.isEmpty, variable != ":", !variable.contains("/zoneinfo/"),
            variable != "/etc/localtime", variable != ":/etc/localtime"
        else { return ZoneInfo.current }
        guard let zone = ZoneInfo(identifier: variable.hasPrefix(":") ? String(variable.dropFirst()) : variable) else {
            throw CommandFailure(
                .usage,
                "there is no time zone \"\(variable)\", which TZ names; use --time-zone, with a name such as Europe/Berlin"
            )
        }
        return zone
    }
}
