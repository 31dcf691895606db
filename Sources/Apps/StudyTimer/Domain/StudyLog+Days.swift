public import CivilTime
public import TimeTracker

extension StudyLog {
    /// Sums up the study time of consecutive days, by subject.
    public func summary(of days: ClosedRange<CivilDay>, clock: LocalClock, now: Timestamp) -> PeriodSummary {
        let (first, last) = (clock.startOfDay(days.lowerBound), clock.startOfDay(days.upperBound.adding(days: 1)))
        let all = activities.filter { $0.start.moment < last && $0.end?.moment ?? now >= first }
            .sorted { $0.start.moment < $1.start.moment }
        return PeriodSummary(of: days, clock: clock, now: now) { day in
            let (start, end) = (clock.startOfDay(day), clock.startOfDay(day.adding(days: 1)))
            return all.lazy.filter { $0.start.moment < end && $0.end?.moment ?? now >= start }
        }
    }

    /// Returns the sessions that begin in a stretch of time, with their events.
    public func sessions(startingIn range: Range<Timestamp>) -> StudyLog {
        var log = self
        log.sessions.removeAll { !range.contains($0.start.moment) }
        let ids = Set(log.sessions.map(\.id))
        log.events.removeAll { !ids.contains($0.sessionID) }
        return log
    }
}

extension StudySession {
    /// Returns the seconds of the session without its pauses, up to the last pause or stop.
    ///
    /// A session that is over and has neither events nor seconds has those from its start to its end.
    ///
    /// - Parameter events: The session's events, in any order.
    public func settledSeconds(_ events: [StudyEvent]) -> Int {
        guard status == .completed, let end else { return accumulatedSeconds }
        return seconds(events, until: end.moment)
    }

    /// Returns the seconds of the session without its pauses, of one that runs up to a moment.
    ///
    /// - Parameter events: The session's events, in any order.
    public func seconds(_ events: [StudyEvent], until moment: Timestamp) -> Int {
        func since(_ start: ZonedTimestamp) -> Int { max(moment.seconds - start.moment.seconds, 0) }
        let clock = StudyClock(events)
        guard status == .active else {
            guard clock.stretches.isEmpty else { return accumulatedSeconds }
            return clock.corrected(accumulatedSeconds, from: start, to: end)
        }
        guard let running = clock.stretches.last, running.end == nil else {
            // Without events nothing tells when it went on after a pause.
            return clock.stretches.isEmpty && accumulatedSeconds == 0 ? since(start) : accumulatedSeconds
        }
        return accumulatedSeconds + since(running.start)
    }
}
