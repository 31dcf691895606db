public import CivilTime
public import TimeTracker

extension StudyLog {
    /// Sums up the study time of consecutive days, by subject.
    public func summary(of days: ClosedRange<CivilDay>, clock: LocalClock, now: Timestamp) -> PeriodSummary {
        let (first, last) = (clock.startOfDay(days.lowerBound), clock.startOfDay(days.upperBound.adding(days: 1)))
        let names = subjectNames
        let all = activities.map { activity in
            var activity = activity
            activity.name = names[activity.name] ?? activity.name
            return activity
        }
        .filter { $0.start.moment < last && $0.end?.moment ?? now >= first }
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
