import CivilTime
import Foundation
import Slate
import TestSupport
import Testing

@Suite struct SlateTodayTests {
    private static let zones = [
        "Europe/Berlin", "America/New_York", "Pacific/Apia", "Australia/Lord_Howe", "Asia/Kathmandu", "GMT",
    ]

    private func today(_ zone: String, _ dayStart: String, _ now: String) throws -> String {
        let zone = try #require(TimeZone(identifier: zone))
        let start = try #require(SlateDayStart(dayStart))
        let now = try #require(Timestamp(now))
        return SlateDays.localToday(dayStart: start, now: now, clock: LocalClock(zone)).description
    }

    /// 2026-03-29 02:00 became 03:00 in Berlin, 2026-03-08 02:00 became 03:00 in New York, 2026-10-04 02:00 became 02:30
    /// on Lord Howe, and 2011-12-30 was left out in Apia.
    @Test(
        arguments: [
            ("Europe/Berlin", "04:00", "2026-03-29T01:59:59Z", "2026-03-28"),
            ("Europe/Berlin", "04:00", "2026-03-29T02:00:00Z", "2026-03-29"),
            ("Europe/Berlin", "02:30", "2026-03-29T00:59:59.999Z", "2026-03-28"),
            ("Europe/Berlin", "02:30", "2026-03-29T01:00:00Z", "2026-03-29"),
            ("Europe/Berlin", "00:00", "2026-03-28T22:59:59Z", "2026-03-28"),
            ("Europe/Berlin", "00:00", "2026-03-28T23:00:00Z", "2026-03-29"),
            ("Europe/Berlin", "23:59", "2026-03-29T21:58:59Z", "2026-03-28"),
            ("Europe/Berlin", "23:59", "2026-03-29T21:59:00Z", "2026-03-29"),
            ("America/New_York", "04:00", "2026-03-08T07:59:59Z", "2026-03-07"),
            ("America/New_York", "04:00", "2026-03-08T08:00:00Z", "2026-03-08"),
            ("America/New_York", "02:30", "2026-03-08T06:59:59Z", "2026-03-07"),
            ("America/New_York", "02:30", "2026-03-08T07:00:00Z", "2026-03-08"),
            ("Australia/Lord_Howe", "02:15", "2026-10-03T15:29:59Z", "2026-10-03"),
            ("Australia/Lord_Howe", "02:15", "2026-10-03T15:30:00Z", "2026-10-04"),
            ("Australia/Lord_Howe", "02:30", "2026-10-03T15:30:00Z", "2026-10-04"),
            ("Australia/Lord_Howe", "04:00", "2026-10-03T16:59:59Z", "2026-10-03"),
            ("Australia/Lord_Howe", "04:00", "2026-10-03T17:00:00Z", "2026-10-04"),
            ("Pacific/Apia", "00:00", "2011-12-30T09:59:59Z", "2011-12-29"),
            ("Pacific/Apia", "00:00", "2011-12-30T10:00:00Z", "2011-12-31"),
            ("Pacific/Apia", "04:00", "2011-12-30T10:00:00Z", "2011-12-30"),
            ("Pacific/Apia", "04:00", "2011-12-30T13:59:59Z", "2011-12-30"),
            ("Pacific/Apia", "04:00", "2011-12-30T14:00:00Z", "2011-12-31"),
        ]
    )
    func whenClocksGoForward(zone: String, dayStart: String, now: String, expected: String) throws {
        #expect(try today(zone, dayStart, now) == expected)
    }

    /// What calendar and clock show counts, so the day before returns where they go back over the day's start.
    @Test(
        arguments: [
            ("Europe/Berlin", "02:30", "2026-10-25T00:29:59Z", "2026-10-24"),
            ("Europe/Berlin", "02:30", "2026-10-25T00:30:00Z", "2026-10-25"),
            ("Europe/Berlin", "02:30", "2026-10-25T01:00:00Z", "2026-10-24"),
            ("Europe/Berlin", "02:30", "2026-10-25T01:30:00Z", "2026-10-25"),
            ("Europe/Berlin", "04:00", "2026-10-25T02:59:59Z", "2026-10-24"),
            ("Europe/Berlin", "04:00", "2026-10-25T03:00:00Z", "2026-10-25"),
            ("America/New_York", "04:00", "2026-11-01T08:59:59Z", "2026-10-31"),
            ("America/New_York", "04:00", "2026-11-01T09:00:00Z", "2026-11-01"),
            ("Australia/Lord_Howe", "01:45", "2026-04-04T14:45:00Z", "2026-04-05"),
            ("Australia/Lord_Howe", "01:45", "2026-04-04T15:00:00Z", "2026-04-04"),
            ("Australia/Lord_Howe", "01:45", "2026-04-04T15:15:00Z", "2026-04-05"),
        ]
    )
    func whenClocksGoBack(zone: String, dayStart: String, now: String, expected: String) throws {
        #expect(try today(zone, dayStart, now) == expected)
    }

    @Test func theDayStartMayMove() throws {
        #expect(try today("Europe/Berlin", "00:00", "2026-01-07T02:00:00+01:00") == "2026-01-07")
        #expect(try today("Europe/Berlin", "04:00", "2026-01-07T02:00:00+01:00") == "2026-01-06")
        #expect(try today("GMT", "04:00", "2026-03-01T03:59:59Z") == "2026-02-28")
        #expect(try today("GMT", "04:00", "1970-01-01T03:59:59Z") == "1969-12-31")
    }

    /// The seed's pseudo-code, with Foundation's calendar for what the wall shows.
    @Test(arguments: Self.zones)
    func asThePseudoCodeHasIt(name: String) throws {
        let zone = try #require(TimeZone(identifier: name))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let dayStart = random.pick(["04:00", "00:00", "02:30", "02:15", "23:59"])
            let now = moment(near: zone, &random)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second],
                from: Date(timeIntervalSince1970: Double(now.seconds))
            )
            let (hour, minute) = (try #require(parts.hour), try #require(parts.minute))
            let date = try #require(
                CivilDay(year: parts.year ?? 0, month: parts.month ?? 0, day: parts.day ?? 0)
            )
            let wall = [hour, minute].map { $0 < 10 ? "0\($0)" : "\($0)" }.joined(separator: ":")
            let expected = wall >= dayStart ? date : CivilDay(number: date.number - 1)
            let today = try today(name, dayStart, now.description)
            #expect(today == expected.description, "seed \(seed): \(now) \(dayStart) in \(name)")
        }
    }

    /// A moment within two days of a change of the clocks, or in Apia of the day that was left out.
    private func moment(near zone: TimeZone, _ random: inout SeededGenerator) -> Timestamp {
        let start = Date(timeIntervalSince1970: Double(Int.random(in: 315_532_800..<1_893_456_000, using: &random)))
        let change = zone.nextDaylightSavingTimeTransition(after: start) ?? start
        let base = zone.identifier == "Pacific/Apia" && random.chance(50) ? 1_325_239_200 : change.timeIntervalSince1970
        return Timestamp(seconds: Int(base) + Int.random(in: -172_800...172_800, using: &random))
    }

    @Test(arguments: ["00:00", "04:00", "09:05", "19:59", "23:59"])
    func dayStarts(text: String) { #expect(SlateDayStart(text)?.description == text) }

    @Test(
        arguments: [
            "", "4:00", "24:00", "04:60", "04:0", "04:000", "0400", "04-00", " 04:00", "04:00 ", "04:00:00", "-4:00",
            "+4:00",
            "٠٤:٠٠", "04：00", "4 :00", "noon", "04:00\u{301}", "🕓",
        ]
    )
    func whatIsNoDayStart(text: String) { #expect(SlateDayStart(text) == nil) }

    @Test func theStandardDayStartIsFour() { #expect(SlateDayStart.standard == SlateDayStart("04:00")) }
}
