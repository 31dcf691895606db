import BZTimer
import CivilTime
import Foundation
import Testing

@Suite struct HistoryTests {
    private static let now = Samples.moment("2026-05-31T12:00:00Z")

    @Test(
        arguments: [
            (TimerSettings.Retention.unlimited, Plan.pro, nil), (.threeMonths, .pro, "2026-02-28T12:00:00Z"),
            (.sixMonths, .pro, "2025-11-30T12:00:00Z"), (.twelveMonths, .pro, "2025-05-31T12:00:00Z"),
            (.unlimited, .free, "2026-05-01T12:00:00Z"), (.threeMonths, .free, "2026-05-01T12:00:00Z"),
        ] as [(TimerSettings.Retention, Plan, String?)]
    )
    func cutoffs(retention: TimerSettings.Retention, plan: Plan, expected: String?) {
        #expect(HistoryRetention.cutoff(retention, plan: plan, now: Self.now)?.description == expected)
    }

    @Test(
        arguments: [
            ("2024-05-31T00:00:00Z", "2024-02-29T00:00:00Z"), ("2026-03-31T23:59:59.5Z", "2025-12-31T23:59:59.500Z"),
            ("2026-01-15T00:00:00Z", "2025-10-15T00:00:00Z"), ("2000-05-30T00:00:00Z", "2000-02-29T00:00:00Z"),
            ("1900-05-30T00:00:00Z", "1900-02-28T00:00:00Z"), ("0000-02-01T00:00:00Z", "0000-01-01T00:00:00Z"),
        ]
    )
    func monthsAreCalendarMonths(now: String, expected: String) {
        #expect(Samples.moment(now).subtracting(months: 3).description == expected)
    }

    @Test func onlyOlderEntriesGo() {
        let times = [
            "2026-02-28T11:59:59.999Z", "2026-02-28T12:00:00Z", "2026-02-28T12:00:01+00:00", "2099-01-01T00:00:00Z",
            "not a time", "2026-02-28T13:59:59+02:00",
        ]
        let entries = times.map { Samples.entry($0) }
        let (kept, removed) = HistoryRetention.split(entries, .threeMonths, plan: .pro, now: Self.now)
        #expect(removed.map(\.completedAt) == [times[0], times[5]])
        #expect(kept.map(\.completedAt) == [times[1], times[2], times[3], times[4]])
        #expect(HistoryRetention.split(entries, .unlimited, plan: .pro, now: Self.now).removed.isEmpty)
    }

    // MARK: Statistics

    private func statistics(
        _ times: [String],
        now: String,
        zone: String = "GMT",
        plan: Plan = .pro
    ) -> SessionStatistics {
        SessionStatistics(
            history: times.map { Samples.entry($0) },
            sessions: [],
            plan: plan,
            now: Samples.moment(now),
            clock: TimeZone(identifier: zone).map { LocalClock($0) } ?? .utc
        )
    }

    @Test(
        arguments: [
            ([], 0, 0), (["2026-03-10T01:00:00Z"], 1, 1), (["2026-03-09T23:59:59Z"], 0, 1),
            (["2026-03-10T01:00:00Z", "2026-03-09T01:00:00Z", "2026-03-09T20:00:00Z", "2026-03-07T01:00:00Z"], 2, 2),
            (["2026-03-05T01:00:00Z", "2026-03-04T01:00:00Z", "2026-03-03T01:00:00Z", "2026-03-10T01:00:00Z"], 1, 3),
            (["2026-03-11T01:00:00Z", "2026-03-10T01:00:00Z"], 1, 2), (["nonsense"], 0, 0),
        ] as [([String], Int, Int)]
    )
    func streaks(times: [String], current: Int, longest: Int) {
        let statistics = statistics(times, now: "2026-03-10T12:00:00Z")
        #expect(statistics.currentStreak == current)
        #expect(statistics.longestStreak == longest)
    }

    /// The night of the change to summer time in Berlin has 23 hours, that in autumn 25.
    @Test func localDaysKeepStreaksAcrossDaylightSaving() {
        let spring = ["2026-03-28T22:30:00Z", "2026-03-29T21:30:00Z", "2026-03-29T22:30:00Z"]
        #expect(statistics(spring, now: "2026-03-29T22:45:00Z", zone: "Europe/Berlin").currentStreak == 3)
        let autumn = ["2026-10-24T21:30:00Z", "2026-10-25T22:30:00Z", "2026-10-25T23:30:00Z"]
        #expect(statistics(autumn, now: "2026-10-25T23:45:00Z", zone: "Europe/Berlin").currentStreak == 3)
        #expect(
            statistics(["2026-03-10T10:59:59Z"], now: "2026-03-10T11:00:00Z", zone: "Pacific/Auckland").currentStreak
                == 0
        )
    }

    @Test func theWeekIsMondayToSunday() {
        let entries = [
            Samples.entry("2026-03-08T23:59:59Z", seconds: 10_000), Samples.entry("2026-03-09T00:00:00Z", seconds: 90),
            Samples.entry("2026-03-15T23:59:59Z", seconds: 95), Samples.entry("2026-03-16T00:00:00Z", seconds: 10_000),
        ]
        for now in ["2026-03-09T00:00:00Z", "2026-03-11T12:00:00Z", "2026-03-15T23:59:59Z"] {
            let week = SessionStatistics(
                history: entries,
                sessions: [],
                plan: .pro,
                now: Samples.moment(now),
                clock: .utc
            )
            #expect(week.weekCount == 2)
            #expect(week.weekSeconds == 185)
            #expect(week.weekMinutes == 3)
        }
    }

    @Test func onTheFreePlanThirtyDaysCount() {
        let times = ["2026-03-10T10:00:00Z", "2026-02-08T12:00:00Z", "2026-02-08T11:59:59Z", "2026-02-07T10:00:00Z"]
        #expect(statistics(times, now: "2026-03-10T12:00:00Z", plan: .free).longestStreak == 1)
        #expect(statistics(times, now: "2026-03-10T12:00:00Z", plan: .free).recent.count == 2)
        #expect(statistics(times, now: "2026-03-10T12:00:00Z", plan: .pro).longestStreak == 2)
    }

    @Test func recentAreTheLastFive() {
        let times = (1...7).map { "2026-03-0\($0)T12:00:00Z" }.shuffled()
        let recent = statistics(times, now: "2026-03-07T13:00:00Z").recent
        #expect(recent.map(\.daysAgo) == [0, 1, 2, 3, 4])
        #expect(recent.map(\.day.description) == (3...7).reversed().map { "2026-03-0\($0)" })
        #expect(recent.map(\.minutes) == [10, 10, 10, 10, 10])
    }

    @Test("Entries of one moment have one order, in whatever order a store has them")
    func equalMoments() {
        let moment = "2026-05-30T18:30:00Z"
        let entries = ["b", "c", "a"].map { id in
            SessionHistoryEntry(
                id: id,
                sessionId: "session-\(id)",
                sessionName: id,
                completedAt: id == "a" ? "2026-05-30T20:30:00+02:00" : moment,
                totalDurationSeconds: 1
            )
        }
        for entries in [entries, entries.reversed(), entries.sorted { $0.id < $1.id }] {
            #expect(SessionHistoryEntry.latestFirst(entries).map(\.id) == ["c", "b", "a"])
            let sessions = entries.map { Samples.session($0.id) }
            #expect(quickStart(sessions, entries).quickStart.map(\.sessionId) == ["session-c"])
        }
    }

    // MARK: Quick start

    private func quickStart(_ sessions: [SessionTemplate], _ history: [SessionHistoryEntry]) -> SessionStatistics {
        SessionStatistics(
            history: history,
            sessions: sessions,
            plan: .pro,
            now: Samples.moment("2026-03-10T12:00:00Z"),  // a Tuesday
            clock: .utc
        )
    }

    @Test func scheduledSessionsAreOfferedAlphabetically() {
        let sessions = [
            Samples.session("stretch", days: [2, 3]), Samples.session("Run", days: [2]),
            Samples.session("Other", days: [3]),
            Samples.session("Éclair", days: [1, 2]), Samples.session("None"),
        ]
        let history = [Samples.entry("2026-03-10T11:00:00Z", session: "session-Run")]
        let statistics = quickStart(sessions, history)
        #expect(statistics.quickStartReason == .scheduledToday)
        #expect(statistics.quickStart.map(\.name) == ["Run", "stretch", "Éclair"])
    }

    @Test func elseTheLastCompletedThatStillExists() {
        let sessions = [Samples.session("A", days: [3]), Samples.session("B")]
        let history = [
            Samples.entry("2026-03-07T11:00:00Z", session: "session-B"),
            Samples.entry("2026-03-08T11:00:00Z", session: "session-A"),
            Samples.entry("2026-03-09T11:00:00Z", session: "session-deleted"), Samples.entry("2026-03-09T12:00:00Z"),
        ]
        let statistics = quickStart(sessions, history)
        #expect(statistics.quickStartReason == .lastUsed)
        #expect(statistics.quickStart.map(\.sessionId) == ["session-A"])
        #expect(quickStart(sessions, []).quickStartReason == .none)
        #expect(quickStart([], history).quickStart.isEmpty)
    }
}
