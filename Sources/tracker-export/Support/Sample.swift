internal import CivilTime
internal import GymPulse
internal import TimeTracker

/// Two weeks of a person's days until yesterday evening, the same for the same moment and clock.
struct Sample {
    let activities: [TrackerActivity]

    init(now: Timestamp, clock: LocalClock) {
        let buttons = Dictionary(uniqueKeysWithValues: TrackerPresets.buttons.map { ($0.name, $0) })
        let today = clock.day(of: now)
        var activities: [TrackerActivity] = []
        for back in (1...14).reversed() {
            let day = today.adding(days: -back)
            var plan = day.weekday > 5 ? Self.weekend : Self.workday
            // The night to Monday is short.
            if day.weekday == 7 { plan[plan.count - 1].to = 1850 }
            // Not every day begins at the same minute.
            let shift = (back * 7) % 20 - 10
            for (name, from, to) in plan {
                func moment(_ minute: Int) -> ZonedTimestamp {
                    let start = clock.startOfDay(day).adding(seconds: (minute + shift) * 60)
                    return ZonedTimestamp(start, offsetMinutes: clock.offsetMinutes(at: start))
                }
                guard let button = buttons[name] else { continue }
                activities.append(
                    TrackerActivity(
                        id: "sample-\(day)-\(from)",
                        name: name,
                        buttonID: button.id,
                        start: moment(from),
                        end: moment(to),
                        color: button.color
                    )
                )
            }
        }
        self.activities = activities
    }

    /// Name, first and last minute of the day; a night's sleep ends on the next day.
    private typealias Span = (name: String, from: Int, to: Int)

    private static let workday: [Span] = [
        ("Meal", 435, 460), ("Commute", 465, 500), ("Work", 505, 740), ("Meal", 745, 785), ("Work", 790, 1015),
        ("Commute", 1020, 1060), ("Exercise", 1070, 1115), ("Meal", 1140, 1180), ("Study", 1190, 1260),
        ("Entertainment", 1265, 1345), ("Sleep", 1370, 1850),
    ]

    private static let weekend: [Span] = [
        ("Meal", 540, 580), ("Exercise", 620, 700), ("Meal", 760, 810), ("Break", 820, 880), ("Study", 900, 990),
        ("Meal", 1110, 1170), ("Entertainment", 1180, 1360), ("Sleep", 1400, 1920),
    ]
}
