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
    /// - Parameter isClaimed: Whether somebody called the day perfect. Where no habit of the day is known any more, nothing
    ///   speaks against that as long as the day has a completion.
    public static func isPerfectDay(
        _ day: CivilDay,
        activeHabits: some Collection<String>,
        completions: SlateCompletions,
        isClaimed: Bool = false
    ) -> Bool {
        if activeHabits.isEmpty { return isClaimed && completions.hasAny(on: day) }
        return activeHabits.allSatisfy { completions.contains($0, on: day) }
    }
}
