/// When a watcher looks next: soon after a change, but not while more of them come, and at the latest after a while.
struct Pace {
    typealias Instant = ContinuousClock.Instant

    /// How long nothing must have changed.
    static let quiet: Duration = .seconds(1)
    /// How long changes that go on may keep it waiting.
    static let longest: Duration = .seconds(10)
    /// The longest wait after a failure.
    static let longestRetry: Duration = .seconds(300)

    /// How often it looks though nothing seems to have changed.
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

    /// Whether something changed since it looked.
    var isChanged: Bool { first != nil }

    /// Something changed.
    mutating func change(at now: Instant) {
        first = first ?? now
        last = now
    }

    /// It looked.
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

    /// When it looks next.
    var due: Instant {
        let regular = looked + (failures > 0 ? min(interval, retry) : interval)
        guard let first, let last else { return regular }
        return min(regular, min(last + quiet, first + Self.longest))
    }

    private var quiet: Duration { min(Self.quiet * (1 << min(idle, 4)), Self.longest) }
    private var retry: Duration { min(.seconds(2) * (1 << min(failures - 1, 8)), Self.longestRetry) }
}
