import JSONSchemaValidation
import Testing

@Suite struct FormatTimeTests {
    static let dates = FormatCase.vectors(
        .date,
        valid: ["0000-01-01", "0000-02-29", "2000-02-29", "2024-02-29", "9999-12-31", "2023-04-30"],
        invalid: [
            "1900-02-29", "2023-02-29", "2023-04-31", "2023-00-10", "2023-13-10", "2023-10-00", "2023-10-32",
            "2023-10-1", "2023-10-011", "2023/10/01", "2023-1O-01", "202:-10-01", "20é-10-01", "",
        ]
    )

    static let times = FormatCase.vectors(
        .time,
        valid: [
            "00:00:00Z", "23:59:59z", "12:30:00.1Z", "12:30:00.123456789012+00:00", "12:30:00-00:00",
            "12:30:00+23:59", "23:59:60Z", "05:29:60+05:30", "16:59:60-07:00", "23:59:60.999Z",
        ],
        invalid: [
            "24:00:00Z", "12:60:00Z", "12:30:61Z", "12:30:00", "12:30Z", "12:30:00.Z", "12:30:00,5Z", "12:30:00.5",
            "12:30:00+24:00", "12:30:00+01:60", "12:30:00+0100", "12:30:00+1:00", "12:30:00+01", "12:30:00ZZ",
            "12:30:00 Z", "23:58:60Z", "00:59:60Z", "23:59:60+00:01", "12:30:00+01:00Z", "12:30:00é", "12:30:00\u{0}",
        ]
    )

    static let dateTimes = FormatCase.vectors(
        .dateTime,
        valid: [
            "1985-04-12T23:20:50.52Z", "1996-12-19T16:39:57-08:00", "1990-12-31T23:59:60Z",
            "1990-12-31T15:59:60-08:00", "1991-01-01T00:59:60+01:00", "1972-06-30T23:59:60z",
            "2024-02-29t00:00:00-23:59",
        ],
        invalid: [
            "1985-04-12 23:20:50Z", "1985-04-12T23:20:50", "1985-04-12T23:20Z", "1985-04-12", "23:20:50Z",
            "1985-02-29T23:20:50Z", "1985-04-12T25:20:50Z", "1985-04-12T23:20:50.Z",
            "1990-12-30T23:59:60Z", "1990-12-31T00:59:60+01:00", "1991-01-01T15:59:60-08:00",
            "1985-04-12T23:20:50Z1985-04-12T23:20:50Z",
        ]
    )

    static let durations = FormatCase.vectors(
        .duration,
        valid: ["P1D", "PT1S", "PT1M", "P1M", "P3W", "P1Y1M1DT1H1M1S", "P1YT1M1S", "p1dt2h", "P000D"],
        invalid: [
            "", "P", "PT", "P1", "PT1", "P1DT", "1D", "P1W1D", "P1Y1D", "PT1H1S", "P1D1M", "PT1M1H", "P1.5D", "P1H",
            "PT1Y", "P1D ", "P1D1D", "P١D", "PT1H-1M", "P1WT1S",
        ]
    )

    @Test(arguments: dates + times + dateTimes + durations)
    func vector(_ vector: FormatCase) {
        #expect(vector.format.accepts(vector.text) == vector.isValid)
    }

    /// Every day of a leap year, a common year and both kinds of century, against lengths counted here.
    @Test(arguments: [1900, 2000, 2023, 2024])
    func calendar(year: Int) {
        let isLeap = year == 2000 || year == 2024
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        for month in 0...13 {
            for day in 0...32 {
                let text = "\(year)-\(month < 10 ? "0" : "")\(month)-\(day < 10 ? "0" : "")\(day)"
                let isDay = (1...12).contains(month) && (1...lengths[max(0, min(month, 12) - 1)]).contains(day)
                #expect(StringFormat.date.accepts(text) == isDay, "\(text)")
            }
        }
    }

    @Test func parsesValues() throws {
        let value = try #require(RFC3339.parse("2024-02-29T23:05:07.0123456789-03:30"))
        #expect(value.date == RFC3339.parse("2024-02-29T00:00:00Z")?.date)
        #expect((value.year, value.month, value.day) == (2024, 2, 29))
        #expect((value.hour, value.minute, value.second) == (23, 5, 7))
        #expect(value.nanoseconds == 12_345_678)
        #expect(value.offsetMinutes == -210)
        #expect(!value.time.isOffsetUnknown)
        #expect(RFC3339.parse("2024-02-29T23:05:07-00:00")?.time.isOffsetUnknown == true)
        #expect(RFC3339.parse("2024-02-29T23:05:07+00:00")?.time.isOffsetUnknown == false)
        #expect(RFC3339.parse("2016-12-31T23:59:60Z")?.second == 60)
        #expect(RFC3339.parse("2024-02-30T00:00:00Z") == nil)
    }
}
