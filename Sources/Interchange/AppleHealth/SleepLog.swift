internal import CivilTime
internal import GymPulse

/// Puts the sleep records of all devices together, so that no time counts twice.
///
/// Pieces that touch, overlap or lie no further apart than a short time awake become one sleep. Memory goes by the number of
/// nights, not of records.
struct SleepLog {
    /// A time asleep, or in bed.
    struct Stretch {
        var start: ZonedTimestamp
        var end: ZonedTimestamp
        /// The line of the record that it begins with.
        var line: Int
    }

    /// The most seconds between two pieces of one sleep.
    private let gap: Int
    private var stretches: [Stretch] = []
    private var sorted = 0

    init(gap: Int) { self.gap = max(0, gap) }

    mutating func add(_ stretch: Stretch) {
        if let last = stretches.indices.last, sorted == stretches.count,
            stretches[last].start.moment <= stretch.start.moment
        {
            // The usual case: the records of a device are in order.
            Self.append(stretch, to: &stretches, gap: gap)
            sorted = stretches.count
            return
        }
        stretches.append(stretch)
        if sorted + 1 == stretches.count, sorted == 0 { sorted = 1 }
        if stretches.count > 2 * sorted + 4096 { merge() }
    }

    /// Returns the sleeps in order.
    mutating func merged() -> [Stretch] {
        merge()
        return stretches
    }

    private mutating func merge() {
        stretches.sort {
            ($0.start.moment, $0.end.moment, $0.line) < ($1.start.moment, $1.end.moment, $1.line)
        }
        var result: [Stretch] = []
        for stretch in stretches { Self.append(stretch, to: &result, gap: gap) }
        stretches = result
        sorted = result.count
    }

    private static func append(_ stretch: Stretch, to result: inout [Stretch], gap: Int) {
        guard let last = result.indices.last, stretch.start.moment <= result[last].end.moment.adding(seconds: gap)
        else {
            result.append(stretch)
            return
        }
        if stretch.end.moment > result[last].end.moment { result[last].end = stretch.end }
    }

    /// Returns those of some stretches that touch none of the others; both are in order.
    static func apart(_ stretches: [Stretch], from others: [Stretch]) -> [Stretch] {
        var next = 0
        return stretches.filter { stretch in
            while next < others.count, others[next].end.moment < stretch.start.moment { next += 1 }
            return next == others.count || others[next].start.moment > stretch.end.moment
        }
    }
}
