public import CivilTime

extension SlateDays {
    /// For which days the flag `perfect_day` is computed anew.
    public enum Recomputation: Sendable, Hashable {
        /// For none: the flags stay as they were provided.
        case asProvided
        /// For today and the days before it, so many together.
        case last(Int)
        /// For all days, also those to come.
        case all

        /// What `none`, `all` or a number from 1 on asks for, or nil where the text is anything else.
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
        /// Whether it is marked as perfect.
        public var isPerfect: Bool

        /// A row.
        public init(day: CivilDay, isPerfect: Bool) {
            self.day = day
            self.isPerfect = isPerfect
        }
    }

    /// The rows of `day_plan` whose flag is to be changed, with the new flag, in order of their days.
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
