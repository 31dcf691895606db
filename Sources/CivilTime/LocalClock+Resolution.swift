/// A time without a zone: what calendar and clock on a wall showed.
public struct LocalTime: Sendable, Hashable {
    /// The day of the calendar.
    public var day: CivilDay
    /// Seconds since 00:00 as the clock has them, 0 to 86,399; 86,400 is 24:00.
    public var seconds: Int

    /// Makes a local time.
    public init(day: CivilDay, seconds: Int) {
        self.day = day
        self.seconds = seconds
    }

    /// Seconds since 1970-01-01T00:00:00 of the same clock, held within two days of the day.
    package var number: Int {
        day.number * CivilDay.seconds + min(max(seconds, -CivilDay.seconds), 2 * CivilDay.seconds)
    }
}

/// The moments at which a clock showed a local time.
public enum LocalResolution: Sendable, Hashable {
    /// There is one, as nearly always.
    case exact(Timestamp)
    /// There are two, as the clock was put back in between.
    case fold(earlier: Timestamp, later: Timestamp)
    /// There is none, as the clock was put forward over that time.
    ///
    /// `before` is the moment if the clock had gone on as before the change: it shows a time behind the gap. `after` is the
    /// moment if it had gone as after the change all the time: it shows a time in front of the gap.
    case gap(before: Timestamp, after: Timestamp)
}

extension LocalClock {
    /// Returns the moments at which the clock showed a time.
    ///
    /// ```swift
    /// let clock = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    /// let spring = CivilDay(year: 2026, month: 3, day: 29) ?? CivilDay(number: 0)
    /// clock.resolve(LocalTime(day: spring, seconds: 2 * 3600 + 1800))  // gap: there was no half past two
    /// ```
    public func resolve(_ time: LocalTime) -> LocalResolution {
        let number = time.number
        let before = offset(Timestamp(seconds: number - CivilDay.seconds))
        let after = offset(Timestamp(seconds: number + CivilDay.seconds))
        if before == after, offset(Timestamp(seconds: number - before)) == before {
            return .exact(Timestamp(seconds: number - before))
        }
        // A change is near: offsets that the clock had around that time.
        var offsets = [before, after]
        for sample in stride(from: number - CivilDay.seconds, through: number + CivilDay.seconds, by: 1800) {
            let offset = offset(Timestamp(seconds: sample))
            if !offsets.contains(offset) { offsets.append(offset) }
        }
        let moments = offsets.map { (moment: number - $0, offset: $0) }
            .filter { offset(Timestamp(seconds: $0.moment)) == $0.offset }
            .map(\.moment).sorted()
        guard let first = moments.first, let last = moments.last else {
            return .gap(before: Timestamp(seconds: number - before), after: Timestamp(seconds: number - after))
        }
        if first == last { return .exact(Timestamp(seconds: first)) }
        return .fold(earlier: Timestamp(seconds: first), later: Timestamp(seconds: last))
    }

    /// Returns the first moment of a local day.
    ///
    /// Where there is no 00:00 it is the moment when the clock was put forward; where there are two it is the earlier one.
    /// A day that the clock left out as a whole begins when the next one does.
    public func startOfDay(_ day: CivilDay) -> Timestamp {
        switch resolve(LocalTime(day: day, seconds: 0)) {
        case .exact(let moment), .fold(let moment, _): return moment
        case .gap(let before, let after):
            var (low, high) = (min(before, after).seconds, max(before, after).seconds)
            while high - low > 1 {
                let middle = low + (high - low) / 2
                if self.day(of: Timestamp(seconds: middle)) < day { low = middle } else { high = middle }
            }
            return Timestamp(seconds: high)
        }
    }

    /// Minutes by which the clock is ahead of UTC at a moment; seconds of an offset, which zones had a century ago, are
    /// left out.
    public func offsetMinutes(at moment: Timestamp) -> Int { offset(moment) / 60 }

    /// Returns a moment with the clock's offset.
    public func zoned(_ moment: Timestamp) -> ZonedTimestamp {
        ZonedTimestamp(moment, offsetMinutes: offsetMinutes(at: moment))
    }
}
