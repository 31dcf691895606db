public import CivilTime

/// The values that Slate derives from days: today's date, streaks, perfect days and what is carried over.
///
/// The app's own rules (its specification, section 9), as functions of what they are given. Days are local ones; a
/// moment becomes one in ``localToday(dayStart:now:clock:)`` and nowhere else.
public enum SlateDays {
    /// Returns the day that counts as today: that of the calendar, or the one before until the clock shows the day's
    /// start.
    ///
    /// Only what calendar and clock on the wall show is compared, never spans of time. Where clocks jump over the
    /// start, the day begins with the jump. Where they go back over it, the day before returns until they show it again.
    /// After a day that a zone left out, such as 2011-12-30 in Samoa, the day before is that day of the calendar.
    ///
    /// ```swift
    /// SlateDays.localToday(dayStart: .standard, now: now, clock: LocalClock(timeZone))  // yesterday at 03:59
    /// ```
    public static func localToday(dayStart: SlateDayStart, now: Timestamp, clock: LocalClock) -> CivilDay {
        let (day, seconds) = clock.local(now)
        return seconds >= dayStart.minutes * 60 ? day : day.adding(days: -1)
    }

    /// Returns the day that a moment as RFC 3339 writes it belonged to, by calendar and clock of its own offset.
    ///
    /// It stays the same wherever the person travels; nil for what begins with no date.
    static func writtenDay(of moment: String, dayStart: SlateDayStart) -> CivilDay? {
        guard let day = CivilDay(String(moment.prefix(10))) else { return nil }
        guard let time = SlateDayStart(String(moment.dropFirst(11).prefix(5))) else { return day }
        return time.minutes >= dayStart.minutes ? day : day.adding(days: -1)
    }

    /// Returns the number of consecutive days up to and including today on which a habit was completed; 0 without
    /// today.
    public static func streak(completedDays: Set<CivilDay>, today: CivilDay) -> Int {
        Streak.current(completedDays, today: today)
    }

    /// Returns the most consecutive days on which a habit was completed.
    public static func longestStreak(completedDays: Set<CivilDay>) -> Int { Streak.longest(completedDays) }

    /// Tells whether all active habits were completed on a day, and there is at least one.
    ///
    /// - Parameter activeHabits: For today those that are active now, as in the app; for a day that is over those that
    ///   existed on it: ``SlateHabits/existing(on:)``.
    public static func isPerfectDay(
        _ day: CivilDay,
        activeHabits: some Collection<String>,
        completions: SlateCompletions
    ) -> Bool {
        !activeHabits.isEmpty && activeHabits.allSatisfy { completions.contains($0, on: day) }
    }

    /// Tells whether a day that somebody called perfect is so, though somebody else calls it not perfect.
    ///
    /// - Parameter lists: The lists of habits any of which may be that of the day. One is enough of which all are
    ///   completed; where no habit of the day is known, nothing speaks against the day as long as it has a completion.
    static func staysPerfect(_ day: CivilDay, lists: [[String]], completions: SlateCompletions) -> Bool {
        completions.hasAny(on: day)
            && lists.contains { $0.allSatisfy { completions.contains($0, on: day) } }
    }
}
