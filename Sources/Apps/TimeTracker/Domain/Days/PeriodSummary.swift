public import CivilTime

/// The use of consecutive local days: a week, a month, or any others.
///
/// ```swift
/// let week = PeriodSummary(of: day.week, clock: clock, now: now) { day in activities(of: day) }
/// print(week.tracked, week.totals.map(\.name))
/// ```
public struct PeriodSummary: Sendable, Hashable {
    /// The days, in order; at least one.
    public let days: [DaySummary]
    /// The sums by name over all days, the longest first.
    public let totals: [DaySummary.Total]
    /// The present moment; only the time before it counts.
    private let now: Timestamp

    /// Sums up consecutive days.
    ///
    /// - Parameters:
    ///   - range: The first and the last day.
    ///   - clock: The time zone in which they are days.
    ///   - now: The present moment; see ``DaySummary``.
    ///   - activities: Returns those that touch a day, in any order.
    /// - Throws: The error of `activities`.
    public init<Activities: Sequence<TrackerActivity>>(
        of range: ClosedRange<CivilDay>,
        clock: LocalClock,
        now: Timestamp,
        activities: (CivilDay) throws -> Activities
    ) rethrows {
        self.now = now
        days = try (range.lowerBound.number...range.upperBound.number).map { number in
            let day = CivilDay(number: number)
            return DaySummary(of: day, clock: clock, now: now, activities: try activities(day))
        }
        totals = DaySummary.totals(of: Self.pieces(of: days))
    }

    private init(_ days: [DaySummary], now: Timestamp) {
        self.now = now
        self.days = days
        totals = DaySummary.totals(of: Self.pieces(of: days))
    }

    /// Returns whether a day is not ahead.
    public func hasBegun(_ day: DaySummary) -> Bool { day.start <= now }

    /// The time in which there was an activity; time with several counts once.
    public var tracked: Duration { days.reduce(.zero) { $0 + $1.tracked } }
    /// The time in which there was none, of days before now and of today until now.
    public var unaccounted: Duration { days.reduce(.zero) { $0 + $1.unaccounted } }
    /// The length of the days before now, and of today until now.
    public var length: Duration { days.reduce(.zero) { $0 + $1.length } }
    /// The time ahead of now in which an activity is planned; time with several counts once.
    public var plannedLength: Duration { days.reduce(.zero) { $0 + $1.plannedLength } }
    /// The number of activities that begin or go on ahead of now; one that goes on over midnight is one.
    public var plannedCount: Int { Set(days.lazy.flatMap(\.planned).map(\.activity.id)).count }
    /// The time by which the sum of all parts is longer than the time tracked, because of overlaps.
    public var overlapping: Duration { days.reduce(.zero) { $0 + $1.overlapping } }
    /// The time that is billed; nil where no activity says whether it is.
    public var billable: Duration? {
        let parts = days.compactMap(\.billable)
        return parts.isEmpty ? nil : parts.reduce(.zero, +)
    }

    /// The amounts of the activities that begin in the period, before now.
    public var amounts: MoneySum { days.reduce(into: MoneySum()) { $0.add($1.amounts) } }

    /// The stretches without an activity, of days before now and of today until now; one that goes on over midnight is one.
    public var gaps: [DaySummary.Gap] {
        days.flatMap(\.gaps).reduce(into: []) { gaps, gap in
            if let last = gaps.indices.last, gaps[last].end == gap.start {
                gaps[last].end = gap.end
            } else {
                gaps.append(gap)
            }
        }
    }

    /// The weeks of the period, Monday to Sunday; the first and the last have only their days in the period.
    public var weeks: [PeriodSummary] { split { $0.monday.number } }

    /// The months of the period; the first and the last have only their days in the period.
    public var months: [PeriodSummary] { split { $0.month.lowerBound.number } }

    private func split(by key: (CivilDay) -> Int) -> [PeriodSummary] {
        var parts: [[DaySummary]] = []
        var last: Int?
        for day in days {
            let key = key(day.day)
            if key == last { parts[parts.count - 1].append(day) } else { parts.append([day]) }
            last = key
        }
        return parts.map { PeriodSummary($0, now: now) }
    }

    /// The parts of activities day by day, each with whether its activity has none on the day before.
    var pieces: [(piece: DaySummary.Piece, isFirst: Bool)] { Self.pieces(of: days) }

    /// The activities that have a part in the period, each once, by start, then id.
    package var activities: [TrackerActivity] {
        pieces.filter(\.isFirst).map(\.piece.activity)
            .sorted { ($0.start.moment, $0.id) < ($1.start.moment, $1.id) }
    }

    /// The activities that have a part in the period, and those that are planned in it, each once, by start, then id.
    package var allActivities: [TrackerActivity] {
        var seen: Set<String> = []
        return days.flatMap { $0.pieces + $0.planned }.map(\.activity).filter { seen.insert($0.id).inserted }
            .sorted { ($0.start.moment, $0.id) < ($1.start.moment, $1.id) }
    }

    private static func pieces(of days: [DaySummary]) -> [(piece: DaySummary.Piece, isFirst: Bool)] {
        var before: Set<String> = []
        return days.flatMap { day in
            let pieces = day.pieces.map { (piece: $0, isFirst: !before.contains($0.activity.id)) }
            before = Set(day.pieces.map(\.activity.id))
            return pieces
        }
    }
}
