public import CivilTime
internal import FormatKit

/// The use of a local day: its activities, their sums, and the time that no activity accounts for.
///
/// Only the time before now counts. What lies ahead is ``planned``, and in no sum. All of it is exact to the nanosecond,
/// and always ``tracked`` + ``unaccounted`` = ``length``.
///
/// ```swift
/// let summary = DaySummary(of: day, clock: clock, now: now, activities: activities)
/// print(summary.tracked, summary.unaccounted)
/// ```
public struct DaySummary: Sendable, Hashable {
    /// The part of an activity that lies in the day.
    public struct Piece: Sendable, Hashable {
        /// The activity.
        public var activity: TrackerActivity
        /// The start of the part: that of the activity or of the day.
        public var start: Timestamp
        /// The end of the part: that of the activity, of the day, or now where the activity is running.
        public var end: Timestamp
        /// True if the activity goes on behind the part: it is running and the part ends now.
        public var isRunning: Bool

        /// The length of the part.
        public var duration: Duration { .nanoseconds(end.nanoseconds(since: start)) }
        /// True if the activity began before the day.
        public var beganBefore: Bool { activity.start.moment < start }

        /// Returns a detail of the activity; its amount only where the activity begins, as it counts there alone.
        package func detail(_ detail: ActivityDetail) -> String? {
            detail == .amount && beganBefore ? nil : activity.detail(detail)
        }
    }

    /// The sum of the parts of one name.
    public struct Total: Sendable, Hashable {
        /// The name of the activities.
        public var name: String
        /// The colour of the last of them that has one.
        public var color: String?
        /// The sum of the parts, time that overlaps counted in each.
        public var duration: Duration
        /// The number of parts.
        public var count: Int
    }

    /// The day.
    public let day: CivilDay
    /// The moment at which the day begins.
    public let start: Timestamp
    /// The moment at which the day ends, which is when the next one begins: 23, 24 or 25 hours later, say.
    public let end: Timestamp
    /// The moment up to which the summary goes: the end of the day, now for today, the start of a day to come.
    public let until: Timestamp
    /// The parts of activities, in the order of their starts; without those of no length, except where the activity has
    /// none itself.
    public let pieces: [Piece]
    /// The time in which there was an activity; time with several counts once.
    public let tracked: Duration
    /// The time in which there was none.
    public let unaccounted: Duration
    /// The sums by name, the longest first.
    public let totals: [Total]
    /// The parts of activities that lie ahead of now, in the order of their starts; what is running has none.
    public let planned: [Piece]
    /// True if the day has begun and is not over.
    public let isToday: Bool

    /// The length of the day, of today until now; zero where the day has not begun.
    public var length: Duration { .nanoseconds(until.nanoseconds(since: start)) }
    /// The length of the whole day.
    public var fullLength: Duration { .nanoseconds(end.nanoseconds(since: start)) }
    /// The time ahead of now in which an activity is planned; time with several counts once.
    public var plannedLength: Duration { Self.coverage(of: planned, from: start, until: end).tracked }
    /// The time by which the sum of all parts is longer than the time tracked, because of overlaps.
    public var overlapping: Duration { totals.reduce(.zero) { $0 + $1.duration } - tracked }

    /// Sums up a day.
    ///
    /// - Parameters:
    ///   - day: The day.
    ///   - clock: The time zone in which it is a day.
    ///   - now: The present moment; what is running ends then. Only the time before it counts.
    ///   - activities: All activities, or at least those that touch the day, in any order.
    public init(of day: CivilDay, clock: LocalClock, now: Timestamp, activities: some Sequence<TrackerActivity>) {
        let start = clock.startOfDay(day)
        let end = max(clock.startOfDay(day.adding(days: 1)), start)
        let until = min(max(now, start), end)
        let activities = Array(activities)
        func parts(from first: Timestamp, until last: Timestamp) -> [Piece] {
            activities.compactMap { Self.piece(of: $0, from: first, until: last, now: now) }
                .sorted { ($0.start, $0.activity.id) < ($1.start, $1.activity.id) }
        }
        let past = start < until ? parts(from: start, until: until) : []
        isToday = start <= now && now < end
        planned = until < end ? parts(from: until, until: end).filter { !$0.activity.isRunning } : []
        self.day = day
        self.start = start
        self.end = end
        self.until = until
        pieces = past
        let (tracked, gaps) = Self.coverage(of: past, from: start, until: until)
        self.tracked = tracked
        unaccounted = gaps.reduce(.zero) { $0 + .nanoseconds($1.end.nanoseconds(since: $1.start)) }
        totals = Self.totals(of: past.map { ($0, true) })
    }

    /// A stretch of time without an activity.
    public struct Gap: Sendable, Hashable {
        /// The start of the gap.
        public var start: Timestamp
        /// The end of the gap.
        public var end: Timestamp
    }

    /// The stretches of time without an activity.
    public var gaps: [Gap] { Self.coverage(of: pieces, from: start, until: until).gaps }

    /// Returns the part of an activity between two moments.
    private static func piece(
        of activity: TrackerActivity,
        from start: Timestamp,
        until: Timestamp,
        now: Timestamp
    ) -> Piece? {
        let began = activity.start.moment
        let ended = activity.end?.moment ?? now
        // What ends before it begins has no length, wherever it is.
        guard began <= ended, began < until, ended > start || began == ended && began >= start else { return nil }
        let (first, last) = (max(began, start), min(ended, until))
        return Piece(
            activity: activity,
            start: first,
            end: last,
            isRunning: activity.isRunning && last == now && now <= until
        )
    }

    /// Returns the time that pieces cover, in the order of their starts, and the gaps.
    private static func coverage(
        of pieces: [Piece],
        from start: Timestamp,
        until: Timestamp
    ) -> (tracked: Duration, gaps: [Gap]) {
        var tracked = Duration.zero
        var gaps: [Gap] = []
        var covered = start
        for piece in pieces where piece.end > covered {
            if piece.start > covered { gaps.append(Gap(start: covered, end: piece.start)) }
            tracked += .nanoseconds(piece.end.nanoseconds(since: max(piece.start, covered)))
            covered = piece.end
        }
        if covered < until { gaps.append(Gap(start: covered, end: until)) }
        return (tracked, gaps)
    }

    /// Returns the sums by name, the longest first.
    ///
    /// - Parameter pieces: Parts of activities, each with whether its activity is to be counted.
    static func totals(of pieces: [(piece: Piece, isFirst: Bool)]) -> [Total] {
        var totals: [String: Total] = [:]
        for (piece, isFirst) in pieces {
            let name = piece.activity.name
            var total = totals[name] ?? Total(name: name, color: nil, duration: .zero, count: 0)
            total.duration += piece.duration
            if isFirst { total.count += 1 }
            total.color = piece.activity.color ?? total.color
            totals[name] = total
        }
        return totals.values.sorted { left, right in
            left.duration == right.duration
                ? NaturalOrder.precedes(left.name, right.name) : left.duration > right.duration
        }
    }
}
