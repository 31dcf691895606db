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

    /// A clock that is so many seconds ahead of UTC at the moment so many seconds after 1970-01-01T00:00:00Z.
    public init(_ secondsFromUTC: @escaping @Sendable (_ seconds: Int) -> Int) { self.secondsFromUTC = secondsFromUTC }

    /// The clock of a time zone.
    public init(_ timeZone: TimeZone) {
        self.init { timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double($0))) }
    }

    /// The local day of a moment.
    public func day(of moment: Timestamp) -> CivilDay { local(moment).day }

    /// What calendar and clock on the wall show at a moment: the day, and seconds since 00:00 as the clock has them.
    package func local(_ moment: Timestamp) -> (day: CivilDay, seconds: Int) {
        let offset = offset(moment)
        let day = CivilDay(containing: moment.seconds + offset)
        return (day, moment.seconds + offset - day.number * CivilDay.seconds)
    }

    /// The moment as RFC 3339 with the offset from UTC, in whole seconds: `2026-01-07T21:30:00+01:00`.
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
