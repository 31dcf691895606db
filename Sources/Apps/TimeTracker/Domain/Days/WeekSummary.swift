public import CivilTime

/// How the seven days from a Monday on were spent.
public struct WeekSummary: Sendable, Hashable {
    /// The days, Monday first.
    public let days: [DaySummary]
    /// The sums by name over all days, the longest first.
    public let totals: [DaySummary.Total]
    /// The time in which there was an activity; time with several counts once.
    public var tracked: Duration { days.reduce(.zero) { $0 + $1.tracked } }
    /// The time in which there was none, of days before now and of today until now.
    public var unaccounted: Duration { days.reduce(.zero) { $0 + $1.unaccounted } }

    /// Sums up the week that a day is in.
    ///
    /// - Parameters:
    ///   - day: A day of the week.
    ///   - clock: The time zone in which it is a day.
    ///   - now: The present moment; see ``DaySummary``.
    ///   - activities: Those that touch a day, in any order.
    /// - Throws: The error of `activities`.
    public init<Activities: Sequence<TrackerActivity>>(
        containing day: CivilDay,
        clock: LocalClock,
        now: Timestamp,
        activities: (CivilDay) throws -> Activities
    ) rethrows {
        let monday = day.monday
        days = try (0..<7).map { offset in
            let day = monday.adding(days: offset)
            return DaySummary(of: day, clock: clock, now: now, activities: try activities(day))
        }
        var sums: [String: DaySummary.Total] = [:]
        for total in days.flatMap(\.totals) {
            guard var sum = sums[total.name] else {
                sums[total.name] = total
                continue
            }
            sum.duration += total.duration
            sum.count += total.count
            sum.color = total.color ?? sum.color
            sums[total.name] = sum
        }
        totals = sums.values.sorted { left, right in
            left.duration == right.duration ? left.name < right.name : left.duration > right.duration
        }
    }
}
