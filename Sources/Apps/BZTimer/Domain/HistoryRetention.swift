public import CivilTime
import GymPulse

/// The rules for how long history entries are kept.
public enum HistoryRetention {
    /// Returns the moment before which entries are removed; nil where all are kept.
    ///
    /// Months are calendar months in UTC: three months before 31 May 12:00 is 28 (or 29) February 12:00. The Free plan
    /// keeps 30 days of 86,400 seconds whatever the setting says.
    public static func cutoff(_ retention: TimerSettings.Retention, plan: Plan, now: Timestamp) -> Timestamp? {
        if let days = plan.historyDays { return now.adding(seconds: -days * CivilDay.seconds) }
        return retention.months.map { now.subtracting(months: $0) }
    }

    /// Splits history into the entries that stay and those that go, both in their order.
    ///
    /// An entry goes when it ended before the cutoff; one that ended at that very moment stays, and so does one whose
    /// time cannot be read.
    public static func split(
        _ entries: [SessionHistoryEntry],
        _ retention: TimerSettings.Retention,
        plan: Plan,
        now: Timestamp
    ) -> (kept: [SessionHistoryEntry], removed: [SessionHistoryEntry]) {
        guard let cutoff = cutoff(retention, plan: plan, now: now) else { return (entries, []) }
        var kept: [SessionHistoryEntry] = []
        var removed: [SessionHistoryEntry] = []
        for entry in entries {
            if let completed = entry.completed, completed < cutoff { removed.append(entry) } else { kept.append(entry) }
        }
        return (kept, removed)
    }
}
