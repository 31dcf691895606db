/// Runs of consecutive days.
package enum Streak {
    /// Returns the number of consecutive days up to and including today; 0 where today is not among them.
    package static func current(_ days: Set<CivilDay>, today: CivilDay) -> Int {
        var length = 0
        var day = today
        while days.contains(day) {
            length += 1
            let previous = day.adding(days: -1)
            if previous == day { break }
            day = previous
        }
        return length
    }

    /// Returns the length of the longest run.
    package static func longest(_ days: Set<CivilDay>) -> Int {
        var longest = 0
        for day in days where day.adding(days: 1) == day || !days.contains(day.adding(days: 1)) {
            longest = max(longest, current(days, today: day))
        }
        return longest
    }
}
