public import CivilTime

extension SlateDays {
    /// The days for which the flag `perfect_day` is computed anew.
    public enum Recomputation: Sendable, Hashable {
        /// No days: the flags stay as they were provided.
        case asProvided
        /// Today and the days before it, so many together.
        case last(Int)
        /// All days, also those to come.
        case all

        /// Makes the scope that `none`, `all` or a number from 1 on asks for; nil for any other text.
        public init?(_ text: String) {
            switch text {
            case "none": self = .asProvided
            case "all": self = .all
            default:
                guard let days = Int(text), days > 0, String(days) == text else { return nil }
                self = .last(days)
            }
        }

        fileprivate func includes(_ day: CivilDay, today: CivilDay) -> Bool {
            switch self {
            case .asProvided: false
            case .last(let days): day <= today && today.number - day.number < days
            case .all: true
            }
        }
    }

    /// A row of `day_plan`: a day and whether it is marked as perfect.
    public struct PlannedDay: Sendable, Hashable {
        /// The day.
        public var day: CivilDay
        /// True if the day is marked as perfect.
        public var isPerfect: Bool

        /// Makes a row.
        public init(day: CivilDay, isPerfect: Bool) {
            self.day = day
            self.isPerfect = isPerfect
        }
    }

    /// Returns the rows of `day_plan` whose flag must change, with the new flag, in order of their days.
    ///
    /// Only rows that exist are looked at; a perfect day without a row gets none. A day of which no habit is known any more
    /// keeps its flag, as nothing is left to compute it from. Once they are changed, a second run finds nothing.
    ///
    /// - Parameters:
    ///   - scope: For which days.
    ///   - plannedDays: The rows as they are.
    ///   - habits: The habits; those count for a day that existed on it.
    ///   - completions: All completions of those days.
    ///   - today: What counts as today.
    public static func recomputePerfectDays(
        _ scope: Recomputation,
        of plannedDays: some Sequence<PlannedDay>,
        habits: SlateHabits,
        completions: SlateCompletions,
        today: CivilDay
    ) -> [PlannedDay] {
        plannedDays.filter { scope.includes($0.day, today: today) }
            .compactMap { row in
                let active = habits.existing(on: row.day)
                guard !active.isEmpty else { return nil }
                let isPerfect = isPerfectDay(row.day, activeHabits: active, completions: completions)
                return isPerfect == row.isPerfect ? nil : PlannedDay(day: row.day, isPerfect: isPerfect)
            }
            .sorted { $0.day < $1.day }
    }
}
