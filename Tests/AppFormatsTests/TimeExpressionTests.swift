import CivilTime
import Foundation
import TestSupport
import Testing

@Suite struct TimeExpressionTests {
    private let berlin = LocalClock(TimeZone(identifier: "Europe/Berlin") ?? .gmt)
    /// A Sunday, 15:00:20 in Berlin.
    private let now = moment("2026-11-22T14:00:20Z").moment

    private func day(_ text: String, now: Timestamp? = nil) throws -> String {
        try TimeExpression(text).day(now: now ?? self.now, clock: berlin).description
    }

    private func time(_ text: String, now: String? = nil) throws -> String {
        let now = now.map { moment($0).moment } ?? self.now
        return try TimeExpression(text).moment(now: now, clock: berlin).description
    }

    @Test(
        arguments: [
            ("today", "2026-11-22"), ("Yesterday", "2026-11-21"), ("  tomorrow ", "2026-11-23"),
            ("sunday", "2026-11-22"), ("last sunday", "2026-11-15"), ("next sunday", "2026-11-29"),
            ("monday", "2026-11-16"), ("last Monday", "2026-11-16"), ("next mon", "2026-11-23"),
            ("thurs", "2026-11-19"), ("SAT", "2026-11-21"), ("-7d", "2026-11-15"), ("+2d", "2026-11-24"),
            ("-3w", "2026-11-01"), ("+0d", "2026-11-22"), ("2026-11-21", "2026-11-21"), ("21 Nov", "2026-11-21"),
            ("nov 21", "2026-11-21"), ("1 sept", "2026-09-01"), ("29 February 2028", "2028-02-29"),
            ("Dec 31 1999", "1999-12-31"),
        ]
    )
    func daysAreRead(text: String, expected: String) throws { #expect(try day(text) == expected) }

    @Test(
        arguments: [
            ("now", "2026-11-22T14:00:20Z"), ("today", "2026-11-21T23:00:00Z"), ("monday", "2026-11-15T23:00:00Z"),
            ("14:30", "2026-11-22T13:30:00Z"), ("9:05", "2026-11-22T08:05:00Z"), ("14:30:05", "2026-11-22T13:30:05Z"),
            ("yesterday 14:30", "2026-11-21T13:30:00Z"), ("last monday 8:00", "2026-11-16T07:00:00Z"),
            ("21 nov 2025 00:00", "2025-11-20T23:00:00Z"), ("-7d 14:30", "2026-11-15T13:30:00Z"),
            ("2026-11-21 14:30", "2026-11-21T13:30:00Z"), ("2026-11-21T14:30", "2026-11-21T13:30:00Z"),
            ("2026-11-21T14:30:00Z", "2026-11-21T14:30:00Z"), ("2026-07-21", "2026-07-20T22:00:00Z"),
            ("-2h", "2026-11-22T12:00:20Z"), ("-30m", "2026-11-22T13:30:20Z"), ("+90m", "2026-11-22T15:30:20Z"),
            ("-7d", "2026-11-15T14:00:20Z"), ("-5w", "2026-10-18T13:00:20Z"),
        ]
    )
    func momentsAreRead(text: String, expected: String) throws { #expect(try time(text) == expected) }

    @Test(
        arguments: [
            "", " ", "yes", "mo", "someday", "next week", "last", "last yesterday", "7d", "-d", "-7x", "- 7d", "-7",
            "1430",
            "14:3", "14:30pm", "14:30 yesterday", "today today", "21", "21 No", "Nov", "21 Nov 26", "21.11.2026",
            "-2h 14:30", "now 14:30", "2026-11-21T", "T14:30", "2026-11-21T14:30+25:00", "٣ Nov",
            "yesterday 14:30 15:30",
        ]
    )
    func otherTextsAreUnknown(text: String) {
        #expect { try TimeExpression(text) } throws: { ($0 as? TimeExpressionError)?.reason == .unknown }
    }

    /// An app whose days begin at 04:00 is asked at 01:30 and at noon on Friday, 27 November.
    @Test(
        arguments: [
            ("yesterday", "2026-11-25T03:00:00Z", "2026-11-26T03:00:00Z"),
            ("today", "2026-11-26T03:00:00Z", "2026-11-27T03:00:00Z"),
            ("2026-11-24", "2026-11-24T03:00:00Z", "2026-11-24T03:00:00Z"),
            ("23:50", "2026-11-26T22:50:00Z", "2026-11-27T22:50:00Z"),
            ("01:00", "2026-11-27T00:00:00Z", "2026-11-27T00:00:00Z"),
            ("yesterday 23:50", "2026-11-26T22:50:00Z", "2026-11-26T22:50:00Z"),
            ("-2h", "2026-11-26T22:30:00Z", "2026-11-27T09:00:00Z"),
        ]
    )
    func daysOfAnAppBeginAtItsStart(text: String, night: String, noon: String) throws {
        for (now, expected) in [("2026-11-27T00:30:00Z", night), ("2026-11-27T11:00:00Z", noon)] {
            let found = try TimeExpression(text).moment(now: moment(now).moment, clock: berlin, dayStart: 4 * 3600)
            #expect(found.description == expected, "at \(now)")
        }
    }

    @Test func datesAndTimesThatDoNotExistAreNamedAsSuch() throws {
        for text in ["2026-02-30", "30 Feb", "31 Nov 2026", "0 Jan", "2026-13-01"] {
            #expect { try TimeExpression(text) } throws: { ($0 as? TimeExpressionError)?.reason == .noSuchDate }
        }
        for text in ["24:00", "12:60", "yesterday 25:00"] {
            #expect { try TimeExpression(text) } throws: { ($0 as? TimeExpressionError)?.reason == .noSuchTime }
        }
        // Whether a year has it is known only when the year is.
        #expect { try day("29 Feb") } throws: { ($0 as? TimeExpressionError)?.reason == .noSuchDate }
        #expect(try day("29 Feb", now: moment("2028-01-01T12:00:00Z").moment) == "2028-02-29")
    }

    @Test func timesAreNoDays() {
        for text in ["now", "14:30", "yesterday 14:30", "-2h", "2026-11-21T14:30:00Z"] {
            #expect { try day(text) } throws: {
                ($0 as? TimeExpressionError)?.reason == .timeWhereDayIsExpected
            }
        }
    }

    @Test func whatTheClockSkippedOrShowedTwiceIsRefused() {
        #expect { try time("2026-03-29 02:30") } throws: {
            ($0 as? TimeExpressionError)?.reason == .skipped("2026-03-29T03:30:00+02:00")
        }
        #expect { try time("25 Oct 2:30") } throws: {
            ($0 as? TimeExpressionError)?.reason
                == .shownTwice("2026-10-25T02:30:00+02:00", "2026-10-25T02:30:00+01:00")
        }
    }

    @Test func aCountOfDaysKeepsTheTimeWhereThatDayHasIt() throws {
        #expect(try time("-1d", now: "2026-03-30T00:30:00Z") == "2026-03-29T01:30:00Z")
        #expect(try time("-1d", now: "2026-10-26T01:30:00Z") == "2026-10-25T00:30:00Z")
    }

    @Test func theEndsOfTimeAreRefused() {
        for text in ["-9999999d", "-9999999w", "+99999999d", "9999-12-31T23:59:59Z", "0000-01-01"] {
            #expect { try time(text) } throws: { ($0 as? TimeExpressionError)?.reason == .outOfRange }
        }
        #expect { try day("-9999999d") } throws: { ($0 as? TimeExpressionError)?.reason == .outOfRange }
    }

    @Test func daysAndMomentsHaveWords() throws {
        #expect(CivilDay("2026-11-21")?.words == "Sat 21 Nov 2026")
        #expect(berlin.words(of: now) == "Sun 22 Nov 2026 15:00:20 +01:00")
        #expect(LocalClock { _ in -12_600 }.words(of: Timestamp(seconds: 0)) == "Wed 31 Dec 1969 20:30 -03:30")
    }

    @Test(
        "Of something to come, a weekday and a date without a year are those that come",
        arguments: [
            ("friday", "2026-11-27"), ("monday", "2026-11-23"), ("sun", "2026-11-29"), ("21 Jan", "2027-01-21"),
            ("23 Nov", "2026-11-23"), ("22 nov", "2027-11-22"), ("last friday", "2026-11-20"), ("-1d", "2026-11-22"),
            ("2020-01-01", "2020-01-01"), ("29 Feb", "2028-02-29"),
        ]
    )
    func ahead(_ text: String, _ day: String) throws {
        let today = try #require(CivilDay("2026-11-23"))
        #expect(try TimeExpression(text).ahead.day(today: today).description == day)
    }
}
