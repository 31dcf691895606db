import CivilTime
import Foundation
import TestSupport
import Testing

@Suite struct LocalClockTests {
    private func clock(_ zone: String) -> LocalClock { LocalClock(TimeZone(identifier: zone) ?? .gmt) }

    private func time(_ day: String, _ hour: Int, _ minute: Int = 0) throws -> LocalTime {
        LocalTime(day: try #require(CivilDay(day)), seconds: hour * 3600 + minute * 60)
    }

    private func at(_ text: String) -> Timestamp { moment(text).moment }

    @Test func timesOfAnOrdinaryDayAreExact() throws {
        let berlin = clock("Europe/Berlin")
        #expect(berlin.resolve(try time("2026-07-01", 12)) == .exact(at("2026-07-01T10:00:00Z")))
        #expect(berlin.resolve(try time("2026-01-01", 0)) == .exact(at("2025-12-31T23:00:00Z")))
        #expect(berlin.resolve(try time("2026-01-01", 24)) == .exact(at("2026-01-01T23:00:00Z")))
    }

    @Test func gapsAndFoldsAreTold() throws {
        let berlin = clock("Europe/Berlin")
        let gap = LocalResolution.gap(before: at("2026-03-29T01:30:00Z"), after: at("2026-03-29T00:30:00Z"))
        #expect(berlin.resolve(try time("2026-03-29", 2, 30)) == gap)
        #expect(berlin.resolve(try time("2026-03-29", 1, 59)) == .exact(at("2026-03-29T00:59:00Z")))
        #expect(berlin.resolve(try time("2026-03-29", 3)) == .exact(at("2026-03-29T01:00:00Z")))
        let fold = LocalResolution.fold(earlier: at("2026-10-25T00:30:00Z"), later: at("2026-10-25T01:30:00Z"))
        #expect(berlin.resolve(try time("2026-10-25", 2, 30)) == fold)
        #expect(berlin.resolve(try time("2026-10-25", 3)) == .exact(at("2026-10-25T02:00:00Z")))
    }

    @Test(
        arguments: [
            ("Europe/Berlin", "2026-03-29", "2026-03-28T23:00:00Z"),
            // 00:00 did not exist.
            ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00Z"),
            // 00:00 came twice.
            ("America/Havana", "2026-11-01", "2026-11-01T04:00:00Z"),
            // At 00:01 the clock was put back into the day before.
            ("America/St_Johns", "2010-11-07", "2010-11-07T02:30:00Z"),
            // The day did not exist.
            ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
            ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
        ]
    )
    func daysBegin(zone: String, day: String, start: String) throws {
        #expect(clock(zone).startOfDay(try #require(CivilDay(day))) == at(start))
    }

    /// Every moment of a year is found again from what the clock shows.
    @Test(arguments: ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca"])
    func everyMomentIsFoundAgain(zone: String) {
        let clock = clock(zone)
        let start = at("2011-01-01T00:00:00Z").seconds
        var random = SeededGenerator(seed: 3)
        for _ in 0..<3000 {
            let moment = Timestamp(seconds: start + Int.random(in: 0..<2 * 365 * 86_400, using: &random))
            let day = clock.day(of: moment)
            let local = moment.seconds + clock.offsetMinutes(at: moment) * 60
            let seconds = local - day.number * 86_400
            switch clock.resolve(LocalTime(day: day, seconds: seconds)) {
            case .exact(let found): #expect(found == moment)
            case .fold(let earlier, let later): #expect(earlier == moment || later == moment)
            case .gap: Issue.record("\(moment) is in no gap")
            }
            #expect(clock.zoned(moment).moment == moment)
        }
    }

    @Test(
        arguments: [
            ("2026-03-01T07:30:00+01:00", "2026-03-01T07:30:00+01:00"),
            ("2026-03-01t07:30:00.50z", "2026-03-01T07:30:00.500Z"),
            ("2026-03-01T07:30:00.123456789-09:30", "2026-03-01T07:30:00.123456789-09:30"),
            ("2026-03-01T07:30:00.000001000+00:00", "2026-03-01T07:30:00.000001+00:00"),
            ("2026-03-01T07:30:00-00:00", "2026-03-01T07:30:00Z"), ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z"),
        ]
    )
    func zonedTimesAreWrittenInOneWay(text: String, written: String) {
        #expect(ZonedTimestamp(text)?.description == written)
        #expect(ZonedTimestamp(written) == ZonedTimestamp(text))
    }

    @Test(arguments: ["2026-02-30T00:00:00Z", "0000-01-01T00:00:00+10:00", "9999-12-31T23:59:60Z", "2026-01-01", ""])
    func whatIsNoMomentIsNone(text: String) { #expect(ZonedTimestamp(text) == nil) }

    @Test func millisecondsAreRoundedDown() {
        #expect(at("1969-12-31T23:59:59.9995Z").milliseconds == -1)
        #expect(at("1969-12-31T23:59:59.9995Z").submilliseconds == 500_000)
        #expect(Timestamp(milliseconds: -1, nanoseconds: 500_000) == at("1969-12-31T23:59:59.9995Z"))
        #expect(Timestamp(milliseconds: .max) == nil)
        #expect(at("2026-01-01T00:00:00.0005Z").milliseconds(since: at("2026-01-01T00:00:00.001Z")) == -1)
        #expect(Timestamp(seconds: .max).nanoseconds(since: Timestamp(seconds: .min)) == .max)
    }
}
