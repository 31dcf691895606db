import CivilTime
import GymPulse
import Testing

@Suite struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2026-03-01T07:30:00+01:00", 1_772_346_600),
            ("2000-02-29T23:59:59z", 951_868_799), ("1969-12-31t23:59:59Z", -1),
            ("0000-01-01T00:00:00Z", -62_167_219_200),
            ("9999-12-31T23:59:59Z", 253_402_300_799), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("2016-12-31T15:59:60-08:00", 1_483_228_800), ("2026-03-01T00:00:00-00:00", 1_772_323_200),
        ]
    )
    func moments(text: String, seconds: Int) { #expect(Timestamp(text)?.seconds == seconds) }

    @Test(
        arguments: [
            "2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
            "2026-00-01T00:00:00Z", "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
            "2026-01-01T00:00:61Z", "2026-01-01T12:00:60Z", "2026-01-01T00:00:00", "2026-01-01T00:00:00+24:00",
            "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00+0100", "2026-01-01 00:00:00Z", "2026-01-01T00:00Z",
            "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Z ", " 2026-01-01T00:00:00Z", "26-01-01T00:00:00Z",
            "+2026-01-01T00:00:00Z", "2026-01-01T00:00:00Zz", "２026-01-01T00:00:00Z", "", "2026-01-01",
        ]
    )
    func whatIsNoMoment(text: String) { #expect(Timestamp(text) == nil) }

    @Test(
        arguments: [
            ("2026-03-01T07:30:00+01:00", "2026-03-01T06:30:00Z"),
            ("1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.250Z"),
            ("2026-01-01T00:00:00.000Z", "2026-01-01T00:00:00Z"),
            ("2026-01-01T00:00:00.1234567899Z", "2026-01-01T00:00:00.123Z"),
        ]
    )
    func writtenInUTC(text: String, written: String) { #expect(Timestamp(text)?.description == written) }

    @Test func everyDayThereAndBack() {
        for number in stride(from: -719_528, through: 2_932_896, by: 97) {
            let day = CivilDay(number: number)
            let text = "\(day)T00:00:00Z"
            #expect(Timestamp(text)?.seconds == number * 86_400)
        }
        #expect(CivilDay(year: 2026, month: 3, day: 10)?.weekday == 2)
        #expect(CivilDay(year: 1969, month: 12, day: 28)?.weekday == 7)
        #expect(CivilDay(year: 2026, month: 2, day: 29) == nil)
        #expect(CivilDay(year: 2026, month: 3, day: 15)?.monday.description == "2026-03-09")
    }

    @Test(
        arguments: [
            "0000-01-01", "1969-12-31", "1970-01-01", "2000-02-29", "2024-02-29", "2026-03-01", "9999-12-31",
        ]
    )
    func days(text: String) { #expect(CivilDay(text)?.description == text) }

    @Test(
        arguments: [
            "", "2026-02-29", "1900-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-04-31", "2026-1-01",
            "20260101",
            "2026/01/01", " 2026-01-01", "2026-01-01 ", "2026-01-01T00:00:00Z", "+2026-01-01", "-026-01-01",
            "２026-01-01",
            "2026-01-0１", "02026-01-01", "2026-01-01\u{0}",
        ]
    )
    func whatIsNoDay(text: String) { #expect(CivilDay(text) == nil) }

    @Test func daysAreAddedAcrossMonthsAndHeldInRange() {
        #expect(CivilDay("2026-02-28")?.adding(days: 1).description == "2026-03-01")
        #expect(CivilDay("2026-01-01")?.adding(days: -1).description == "2025-12-31")
        #expect(CivilDay(number: .max).adding(days: .max) == CivilDay(number: .max))
        #expect(CivilDay(number: .min).adding(days: .min) == CivilDay(number: .min))
    }

    @Test func arithmeticStaysInRange() {
        #expect(Timestamp(seconds: .max).description == "9999-12-31T23:59:59Z")
        #expect(Timestamp(seconds: .min).adding(seconds: .min).description == "0000-01-01T00:00:00Z")
        #expect(Timestamp(seconds: 0).adding(seconds: .max).description == "9999-12-31T23:59:59Z")
        #expect(Timestamp(seconds: 0).subtracting(months: .max).description == "0000-01-01T00:00:00Z")
    }
}
