/// Keeps folders in step until it is told to stop: looks after each change, and every so often.
package struct WatchLoop {
    /// The result of one look.
    package struct Round {
        /// True if there was something to do.
        package var didSomething = false
        /// True if something could not be done.
        package var failed = false

        package init(didSomething: Bool = false, failed: Bool = false) {
            self.didSomething = didSomething
            self.failed = failed
        }
    }

    let interval: Duration
    /// True if the loop ends as soon as there is nothing left to do.
    let untilSettled: Bool
    let events: any FileEvents
    /// The folders to watch, as they are now.
    let folders: () throws -> [WatchedFolder]
    /// Looks once.
    let look: () throws -> Round
    /// Is told which folders cannot be watched, with the reason, whenever that is found out anew.
    let unwatched: ([String: String]) -> Void
    let now: () -> ContinuousClock.Instant

    /// Makes a loop that has not begun.
    package init(
        interval: Duration,
        untilSettled: Bool = false,
        events: any FileEvents,
        folders: @escaping () throws -> [WatchedFolder],
        look: @escaping () throws -> Round,
        unwatched: @escaping ([String: String]) -> Void = { _ in },
        now: @escaping () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.interval = interval
        self.untilSettled = untilSettled
        self.events = events
        self.folders = folders
        self.look = look
        self.unwatched = unwatched
        self.now = now
    }

    /// Runs until a signal comes, or until there is nothing left to do.
    package func run() throws {
        var pace = Pace(interval: interval, now: now())
        var watched: [WatchedFolder]?
        while true {
            // Before it looks, so that no change falls between the two. A folder that came anew under its old name is
            // another one for the kernel, which this finds as well.
            let folders = try folders()
            let failures = events.watch(folders)
            if folders != watched { unwatched(failures) }
            watched = folders
            let round = try look()
            pace.look(at: now(), didSomething: round.didSomething, failed: round.failed)
            if untilSettled, !round.didSomething { return }
            guard waits(&pace) else { return }
        }
    }

    /// Waits until it is time to look; false where it is time to end.
    private func waits(_ pace: inout Pace) -> Bool {
        while true {
            let left = pace.due - now()
            guard left > .zero else { return true }
            switch events.wait(atMost: left) {
            case .stopped: return false
            case .changed: pace.change(at: now())
            case .timeUp: continue
            }
        }
    }
}
