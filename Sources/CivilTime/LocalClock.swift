#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A time zone as the distance between local time and UTC at any moment.
///
/// Local days are computed from that distance alone. Foundation's calendar is not asked, because it silently shifts
/// times that fall into the gap of a daylight-saving change.
public struct LocalClock: Sendable {
    private let secondsFromUTC: @Sendable (_ seconds: Int) -> Int

    /// Coordinated universal time.
    public static let utc = LocalClock { _ in 0 }

    /// Makes a clock from a function that returns its seconds ahead of UTC at a number of seconds since 1970.
    public init(_ secondsFromUTC: @escaping @Sendable (_ seconds: Int) -> Int) { self.secondsFromUTC = secondsFromUTC }

    /// Makes the clock of a time zone.
    public init(_ timeZone: TimeZone) {
        self.init { timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
    }

    /// Returns the local day of a moment.
    public func day(of moment: Timestamp) -> CivilDay { local(moment).day }

    /// Returns the local day and time at a moment: the day, and the seconds since 00:00 as the clock shows them.
    package func local(_ moment: Timestamp) -> (day: CivilDay, seconds: Int) {
        let offset = offset(moment)
        let day = CivilDay(containing: moment.seconds + offset)
        return (day, moment.seconds + offset - day.number * CivilDay.seconds)
    }

    /// Returns the moment as RFC 3339 with the offset from UTC, in whole seconds: `2026-01-07T21:30:00+01:00`.
    ///
    /// Seconds of an offset, which zones had a century ago, are left out of both the offset and the time.
    public func text(of moment: Timestamp) -> String {
        let minutes = offset(moment) / 60
        let local = Timestamp(seconds: moment.seconds).adding(seconds: minutes * 60).description.dropLast()
        let (hours, rest) = (abs(minutes) / 60, abs(minutes) % 60)
        return "\(local)\(minutes < 0 ? "-" : "+")\(padded(hours, 2)):\(padded(rest, 2))"
    }

    /// Seconds by which the clock is ahead of UTC, held within a day.
    package func offset(_ moment: Timestamp) -> Int {
        min(max(secondsFromUTC(moment.seconds), 1 - CivilDay.seconds), CivilDay.seconds - 1)
    }
}
