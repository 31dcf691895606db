import CivilTime
import Foundation
import GymPulse
import TestSupport
import Testing
import TimeTracker

@Suite struct DaySummaryTests {
    private let berlin = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    private let late = moment("2030-01-01T00:00:00Z").moment

    private func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }

    private func activity(_ name: String, _ start: String, _ end: String?) -> TrackerActivity {
        TrackerActivity(id: "\(name) \(start)", name: name, start: moment(start), end: end.map(moment))
    }

    private func hours(_ hours: Double) -> Duration { .milliseconds(Int(hours * 3_600_000)) }

    @Test func aNightIsDividedAtMidnight() throws {
        let night = activity("Sleep", "2026-01-05T22:30:00+01:00", "2026-01-06T06:30:00+01:00")
        let first = DaySummary(of: try day("2026-01-05"), clock: berlin, now: late, activities: [night])
        let second = DaySummary(of: try day("2026-01-06"), clock: berlin, now: late, activities: [night])
        #expect(first.tracked == hours(1.5))
        #expect(first.unaccounted == hours(22.5))
        #expect(second.tracked == hours(6.5))
        #expect(second.pieces.first?.beganBefore == true)
        #expect(second.gaps.map(\.start) == [moment("2026-01-06T06:30:00+01:00").moment])
        #expect(second.gaps.map(\.end) == [second.end])
    }

    @Test(arguments: [("2026-03-29", 23.0), ("2026-10-25", 25.0), ("2026-06-01", 24.0)])
    func daysOfAClockChangeAreShortAndLong(text: String, length: Double) throws {
        let summary = DaySummary(of: try day(text), clock: berlin, now: late, activities: [])
        #expect(summary.length == hours(length))
        #expect(summary.unaccounted == hours(length))
        let all = activity("Sleep", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z")
        #expect(DaySummary(of: try day(text), clock: berlin, now: late, activities: [all]).tracked == hours(length))
    }

    /// Someone who flies west has a longer day: the day is one of a time zone, and activities keep their moments.
    @Test func aChangedTimeZoneChangesTheDayAndNotTheActivities() throws {
        let flight = activity("Commute", "2026-01-05T10:00:00+01:00", "2026-01-05T12:00:00-05:00")
        let tokyo = LocalClock(TimeZone(identifier: "Asia/Tokyo") ?? .gmt)
        let inBerlin = DaySummary(of: try day("2026-01-05"), clock: berlin, now: late, activities: [flight])
        #expect(inBerlin.tracked == hours(8))
        let inTokyo = DaySummary(of: try day("2026-01-05"), clock: tokyo, now: late, activities: [flight])
        #expect(inTokyo.tracked == hours(6))
        #expect(
            DaySummary(of: try day("2026-01-06"), clock: tokyo, now: late, activities: [flight]).tracked == hours(2)
        )
    }

    @Test func todayGoesUntilNow() throws {
        let now = moment("2026-01-05T15:00:00+01:00").moment
        let running = activity("Work", "2026-01-05T14:00:00+01:00", nil)
        let planned = activity("Meal", "2026-01-05T14:30:00+01:00", "2026-01-05T19:00:00+01:00")
        let summary = DaySummary(of: try day("2026-01-05"), clock: berlin, now: now, activities: [running, planned])
        #expect(summary.isToday)
        #expect(summary.length == hours(15))
        #expect(summary.fullLength == hours(24))
        #expect(summary.tracked == hours(1))
        #expect(summary.unaccounted == hours(14))
        #expect(summary.overlapping == hours(0.5))
        #expect(summary.pieces.map(\.isRunning) == [true, false])
        let yesterday = DaySummary(of: try day("2026-01-04"), clock: berlin, now: now, activities: [running])
        #expect(yesterday.pieces.isEmpty)
        let tomorrow = DaySummary(of: try day("2026-01-06"), clock: berlin, now: now, activities: [running])
        #expect(tomorrow.pieces.isEmpty)
        #expect(tomorrow.unaccounted == .zero && tomorrow.length == .zero && !tomorrow.isToday)
        #expect(tomorrow.until == tomorrow.start)
    }

    /// What lies ahead of now is told apart, today as on later days, and running activities are not planned.
    @Test func whatLiesAheadIsPlannedAndInNoSum() throws {
        let now = moment("2026-01-05T15:00:00+01:00").moment
        let activities = [
            activity("Work", "2026-01-05T14:00:00+01:00", "2026-01-05T17:00:00+01:00"),
            activity("Meal", "2026-01-05T16:00:00+01:00", "2026-01-05T18:00:00+01:00"),
            activity("Night", "2026-01-05T22:00:00+01:00", "2026-01-06T06:00:00+01:00"),
            activity("Play", "2026-01-05T14:30:00+01:00", nil),
        ]
        let today = DaySummary(of: try day("2026-01-05"), clock: berlin, now: now, activities: activities)
        #expect(today.pieces.map(\.activity.name) == ["Work", "Play"])
        #expect(today.planned.map(\.activity.name) == ["Work", "Meal", "Night"])
        #expect(today.plannedLength == hours(5) && today.tracked == hours(1))
        let tomorrow = DaySummary(of: try day("2026-01-06"), clock: berlin, now: now, activities: activities)
        #expect(tomorrow.tracked == .zero && tomorrow.totals.isEmpty && tomorrow.plannedLength == hours(6))
        let yesterday = DaySummary(of: try day("2026-01-04"), clock: berlin, now: now, activities: activities)
        #expect(yesterday.planned.isEmpty)
        let week = PeriodSummary(of: try day("2026-01-05").week, clock: berlin, now: now) { _ in activities }
        #expect(week.tracked + week.unaccounted == week.length && week.length == hours(15))
        #expect(week.plannedLength == hours(11) && week.plannedCount == 3)
        #expect(week.totals.map(\.name) == ["Work", "Play"])
        #expect(week.activities.map(\.name) == ["Work", "Play"])
        #expect(week.allActivities.map(\.name) == ["Work", "Play", "Meal", "Night"])
    }

    /// Something that was never stopped runs through all days until now, also over midnight.
    @Test func whatRunsFillsTheDaysInBetween() throws {
        let running = activity("Work", "2026-01-05T14:00:00+01:00", nil)
        let now = moment("2026-01-07T01:00:00+01:00").moment
        let lengths = try ["2026-01-05", "2026-01-06", "2026-01-07"].map {
            DaySummary(of: try day($0), clock: berlin, now: now, activities: [running]).tracked
        }
        #expect(lengths == [hours(10), hours(24), hours(1)])
    }

    @Test func overlapsCountOnceAndInEachSum() throws {
        let activities = [
            activity("Work", "2026-01-05T08:00:00Z", "2026-01-05T12:00:00Z"),
            activity("Meal", "2026-01-05T09:00:00Z", "2026-01-05T10:00:00Z"),
            activity("Work", "2026-01-05T11:00:00Z", "2026-01-05T13:00:00Z"),
        ]
        let summary = DaySummary(of: try day("2026-01-05"), clock: .utc, now: late, activities: activities.reversed())
        #expect(summary.tracked == hours(5))
        #expect(summary.totals.map(\.name) == ["Work", "Meal"])
        #expect(summary.totals.map(\.duration) == [hours(6), hours(1)])
        #expect(summary.totals.map(\.count) == [2, 1])
        #expect(summary.overlapping == hours(2))
    }

    @Test func aWeekBeginsOnMonday() throws {
        let week = PeriodSummary(of: try day("2026-01-08").week, clock: berlin, now: late) { _ in
            [activity("Sleep", "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z")]
        }
        #expect(week.days.map(\.day.description).first == "2026-01-05")
        #expect(week.days.count == 7)
        #expect(week.tracked == hours(168))
        #expect(week.unaccounted == .zero)
        #expect(week.totals.map(\.count) == [1])
    }

    // MARK: Properties

    /// tracked + unaccounted is the length of the day, always; and all days together hold all of an activity.
    @Test func everyMomentIsTrackedOrUnaccounted() throws {
        let zones = [
            "Europe/Berlin", "America/St_Johns", "Asia/Tokyo", "Australia/Lord_Howe", "America/Sao_Paulo", "UTC",
        ]
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let clock = LocalClock(TimeZone(identifier: random.pick(zones)) ?? .gmt)
            let base = Int.random(in: 1_000_000_000...1_800_000_000, using: &random)
            let now = Timestamp(seconds: base + Int.random(in: 0...400_000, using: &random), nanoseconds: 7)
            let activities = (0..<Int.random(in: 0...8, using: &random)).map { index in
                let start = Timestamp(
                    seconds: base + Int.random(in: -100_000...300_000, using: &random),
                    nanoseconds: Int.random(in: 0...999_999_999, using: &random)
                )
                let length = Int.random(in: random.chance(10) ? -5000...0 : 0...100_000, using: &random)
                let end = random.chance(15) ? nil : ZonedTimestamp(start.adding(seconds: length))
                return TrackerActivity(
                    id: "\(index)",
                    name: random.pick(["a", "b"]),
                    start: ZonedTimestamp(start),
                    end: end
                )
            }
            let first = clock.day(of: Timestamp(seconds: base - 300_000))
            let days = (0..<12).map {
                DaySummary(of: first.adding(days: $0), clock: clock, now: now, activities: activities)
            }
            for summary in days {
                #expect(summary.tracked + summary.unaccounted == summary.length, "seed \(seed), \(summary.day)")
                #expect(summary.tracked >= .zero && summary.unaccounted >= .zero && summary.overlapping >= .zero)
                #expect(summary.pieces.allSatisfy { summary.start <= $0.start && $0.end <= summary.until })
            }
            #expect(zip(days, days.dropFirst()).allSatisfy { $0.end == $1.start }, "seed \(seed)")
            let sum = days.reduce(Duration.zero) { $0 + $1.totals.reduce(.zero) { $0 + $1.duration } }
            let whole = activities.reduce(Duration.zero) { sum, activity in
                // Only the time before now counts.
                let end = min(activity.end?.moment ?? now, now)
                return sum + .nanoseconds(max(0, end.nanoseconds(since: activity.start.moment)))
            }
            #expect(sum == whole, "seed \(seed)")
        }
    }
}
