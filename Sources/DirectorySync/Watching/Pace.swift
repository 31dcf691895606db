/// The times at which a watcher looks: soon after a change, later while more come, but not later than a limit.
struct Pace {
    typealias Instant = ContinuousClock.Instant

    /// The time without a change after which the watcher looks.
    static let quiet: Duration = .seconds(1)
    /// The longest time that changes which go on can delay a look.
    static let longest: Duration = .seconds(10)
    /// The longest wait after a failure.
    static let longestRetry: Duration = .seconds(300)

    /// The time between two looks if nothing seems to change.
    let interval: Duration
    private var first: Instant?
    private var last: Instant?
    private var looked: Instant
    private var failures = 0
    private var idle = 0

    init(interval: Duration, now: Instant) {
        self.interval = interval
        looked = now
    }

    /// True if something changed since the last look.
    var isChanged: Bool { first != nil }

    /// Notes a change.
    mutating func change(at now: Instant) {
        first = first ?? now
        last = now
    }

    /// Notes a look.
    ///
    /// - Parameters:
    ///   - didSomething: Whether there was something to do. Changes that come to nothing, such as those that looking
    ///     itself makes, are waited for longer and longer.
    ///   - failed: Whether it failed, so that it is tried again sooner than after the interval, and then more and more
    ///     seldom.
    mutating func look(at now: Instant, didSomething: Bool, failed: Bool) {
        idle = didSomething || !isChanged ? 0 : idle + 1
        failures = failed ? failures + 1 : 0
        (first, last, looked) = (nil, nil, now)
    }

    /// The time of the next look.
    var due: Instant {
        let regular = looked + (failures > 0 ? min(interval, retry) : interval)
        guard let first, let last else { return regular }
        return min(regular, min(last + quiet, first + Self.longest))
    }

    private var quiet: Duration { min(Self.quiet * (1 << min(idle, 4)), Self.longest) }
    private var retry: Duration { min(.seconds(2) * (1 << min(failures - 1, 8)), Self.longestRetry) }
}
