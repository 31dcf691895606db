internal import CivilTime
internal import StudyTimer

/// Four weeks of a student's sessions until yesterday, the same for the same moment and clock.
struct StudySample {
    let log: StudyLog

    init(now: Timestamp, clock: LocalClock) {
        var log = StudyLog()
        let today = clock.day(of: now)
        for back in (1...28).reversed() {
            let day = today.adding(days: -back)
            for (number, plan) in Self.plan.enumerated() where plan.weekdays.contains(day.weekday) {
                // Not every session begins at the same minute.
                let first = plan.minute + (back * 7 + number * 5) % 20
                let moments = [0, plan.pause, plan.pause + 10, plan.length].map { minute in
                    clock.zoned(clock.startOfDay(day).adding(seconds: (first + minute) * 60))
                }
                let id = "sample-\(day)-\(number)"
                log.sessions.append(
                    StudySession(
                        id: id,
                        deviceID: "sample",
                        title: plan.subject,
                        status: .completed,
                        start: moments[0],
                        end: moments[3],
                        accumulatedSeconds: (plan.length - 10) * 60
                    )
                )
                let kinds: [StudyEvent.Kind] = [.started, .paused, .resumed, .stopped]
                for (kind, moment) in zip(kinds, moments) {
                    log.events.append(
                        StudyEvent(id: "\(id)-\(kind.rawValue)", sessionID: id, type: kind.rawValue, createdAt: moment)
                    )
                }
            }
        }
        self.log = log
    }

    /// Subject, ISO weekdays, first minute of the day, minutes until the pause and in all.
    private static let plan: [(subject: String, weekdays: Set<Int>, minute: Int, pause: Int, length: Int)] = [
        ("Algebra", [1, 3, 5], 960, 45, 90), ("Chemistry", [2, 4], 980, 50, 110), ("Latin", [1, 2, 4], 1140, 25, 55),
        ("History", [6], 630, 60, 120),
    ]
}
