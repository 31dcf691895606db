import CivilTime
import Foundation
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct CalendarSeriesTests {
    private func read(_ lines: [String]) throws -> (entries: [TimeEntry], summary: EntrySummary) {
        var entries: [TimeEntry] = []
        let text = (["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n")
        let options = TrackerCalendar.ReadOptions(clock: Samples.berlin)
        let summary = try TrackerCalendar.read(JSONByteSource(Array(text.utf8)), options: options) { item in
            if case .entry(let entry) = item { entries.append(entry) }
        }
        return (entries, summary)
    }

    private func event(_ lines: String...) -> [String] { ["BEGIN:VEVENT"] + lines + ["END:VEVENT"] }

    /// The days on which an event takes place, as month and day.
    private func days(_ start: String, _ rule: String) throws -> [String] {
        let (entries, summary) = try read(event("UID:u", "DTSTART:\(start)", "DURATION:PT1H", "RRULE:\(rule)"))
        #expect(summary.refused == 0, "\(summary.lines)")
        return entries.map { String($0.start.description.prefix(10).suffix(5)) }
    }

    /// Google and Outlook write the title behind the rule.
    @Test func whatIsRefusedIsNamedWhereverItsTitleStands() throws {
        let refused = event("DTSTART:20260301T100000Z", "DURATION:PT1H", "RRULE:FREQ=HOURLY", "SUMMARY:Stand-up")
        let backward = event("DTSTART:20260301T100000Z", "DTEND:20260301T090000Z", "SUMMARY:Retro")
        let summary = try read(refused + backward).summary
        for text in ["event 1, \"Stand-up\", comes back (RRULE)", "event 2, \"Retro\" ends before it begins"] {
            #expect(summary.lines.contains { $0.contains(text) }, "\(summary.lines)")
        }
    }

    /// Examples of RFC 5545, section 3.8.5.3, and their like.
    @Test func rulesAreExpanded() throws {
        let start = "19970902T090000"
        #expect(
            try days(start, "FREQ=DAILY;COUNT=10")
                == (2...11).map { "09-\($0 < 10 ? "0" : "")\($0)" }
        )
        #expect(try days(start, "FREQ=DAILY;INTERVAL=10;COUNT=5") == ["09-02", "09-12", "09-22", "10-02", "10-12"])
        #expect(
            try days(start, "FREQ=WEEKLY;UNTIL=19971007T000000Z;WKST=SU;BYDAY=TU,TH") == [
                "09-02", "09-04", "09-09", "09-11", "09-16", "09-18", "09-23", "09-25", "09-30", "10-02",
            ]
        )
        #expect(
            try days(start, "FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH") == [
                "09-02", "09-04", "09-16", "09-18", "09-30", "10-02", "10-14", "10-16",
            ]
        )
        // The day that a week begins with decides which weeks are left out.
        #expect(
            try days("19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO") == [
                "08-05", "08-10", "08-19", "08-24",
            ]
        )
        #expect(
            try days("19970805T090000", "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU") == [
                "08-05", "08-17", "08-19", "08-31",
            ]
        )
        #expect(
            try days("19970905T090000", "FREQ=MONTHLY;COUNT=4;BYDAY=1FR") == ["09-05", "10-03", "11-07", "12-05"]
        )
        #expect(try days("19970922T090000", "FREQ=MONTHLY;COUNT=3;BYDAY=-2MO") == ["09-22", "10-20", "11-17"])
        #expect(try days("19970928T090000", "FREQ=MONTHLY;COUNT=3;BYMONTHDAY=-3") == ["09-28", "10-29", "11-28"])
        // A month that has no such day is left out.
        #expect(try days("19970131T090000", "FREQ=MONTHLY;COUNT=4") == ["01-31", "03-31", "05-31", "07-31"])
        #expect(
            try days("19970904T090000", "FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3") == [
                "09-04", "10-07", "11-06",
            ]
        )
        #expect(try days("19970610T090000", "FREQ=YEARLY;COUNT=4;BYMONTH=6,7") == ["06-10", "07-10", "06-10", "07-10"])
        #expect(try days("19970519T090000", "FREQ=YEARLY;COUNT=3;BYDAY=20MO") == ["05-19", "05-18", "05-17"])
        #expect(
            try days("19970313T090000", "FREQ=YEARLY;UNTIL=19971231;BYMONTH=3;BYDAY=TH") == ["03-13", "03-20", "03-27"]
        )
        #expect(try days(start, "FREQ=DAILY;UNTIL=19970903T065959Z") == ["09-02"])
        #expect(try days(start, "FREQ=DAILY;UNTIL=19970903T070000Z") == ["09-02", "09-03"])
    }

    /// A series keeps the time on the clock, and each event of it has an identity of its own.
    @Test func aSeriesKeepsItsTimeOverAChangeOfTheClocks() throws {
        let (entries, summary) = try read(
            event(
                "UID:u",
                "SUMMARY:Sleep",
                "DTSTART;TZID=Europe/Berlin:20260328T230000",
                "DTEND;TZID=Europe/Berlin:20260329T070000",
                "RRULE:FREQ=DAILY;COUNT=2"
            )
        )
        #expect(
            entries.map { "\($0.identity ?? "") \($0.start) \($0.end.map { "\($0)" } ?? "")" } == [
                "u/20260328T230000 2026-03-28T23:00:00+01:00 2026-03-29T07:00:00+02:00",
                "u/20260329T230000 2026-03-29T23:00:00+02:00 2026-03-30T07:00:00+02:00",
            ]
        )
        #expect(summary.lines == ["note[calendar.recurrence]: 1 event that comes back: 2 single events of it"])
    }

    /// What was called off or moved does not come in at its old time, wherever that stands.
    @Test(arguments: [true, false])
    func exceptionsCount(areFirst: Bool) throws {
        let exceptions =
            event(
                "UID:u",
                "SUMMARY:moved",
                "RECURRENCE-ID:20260303T080000Z",
                "DTSTART:20260303T120000Z",
                "DURATION:PT1H"
            )
            + event("UID:u", "RECURRENCE-ID:20260304T080000Z", "DTSTART:20260304T080000Z", "STATUS:CANCELLED")
        let series = event(
            "UID:u",
            "SUMMARY:class",
            "DTSTART;TZID=Europe/Berlin:20260301T090000",
            "DURATION:PT1H",
            "RRULE:FREQ=DAILY;COUNT=6",
            "EXDATE;TZID=Europe/Berlin:20260302T090000",
            "EXDATE;VALUE=DATE:20260306",
            "RDATE;TZID=Europe/Berlin:20260310T100000",
            "RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260311T100000/20260311T103000,20260312T100000/PT5M"
        )
        let (entries, summary) = try read(areFirst ? exceptions + series : series + exceptions)
        #expect(
            entries.map { "\($0.name) \($0.start) \($0.end.map { "\($0)".dropFirst(11).prefix(5) } ?? "")" }.sorted()
                == [
                    "class 2026-03-01T09:00:00+01:00 10:00", "class 2026-03-05T09:00:00+01:00 10:00",
                    "class 2026-03-10T10:00:00+01:00 11:00", "class 2026-03-11T10:00:00+01:00 10:30",
                    "class 2026-03-12T10:00:00+01:00 10:05", "moved 2026-03-03T12:00:00Z 13:00",
                ]
        )
        #expect((summary.entries, summary.refused, summary.passedOver) == (6, 0, 1))
    }

    /// A moved event is the one that the series had, in whichever zone and place it names that.
    @Test(arguments: ["20260303T080000Z", ";TZID=Europe/Berlin:20260303T090000", ";TZID=Europe/London:20260303T080000"])
    func aMovedEventHasTheIdentityOfTheSeries(occurrence: String) throws {
        let name = "RECURRENCE-ID" + (occurrence.hasPrefix(";") ? "" : ":") + occurrence
        let moved = event("UID:u", name, "DTSTART;TZID=Europe/Berlin:20260303T110000", "DURATION:PT1H")
        let series = event(
            "UID:u",
            "DTSTART;TZID=Europe/Berlin:20260302T090000",
            "DURATION:PT1H",
            "RRULE:FREQ=DAILY;COUNT=3"
        )
        for calendar in [series + moved, moved + series] {
            let entries = try read(calendar).entries
            #expect(
                entries.map { "\($0.identity ?? "") \($0.start.description.prefix(13))" }.sorted() == [
                    "u/20260302T090000 2026-03-02T09", "u/20260303T090000 2026-03-03T11",
                    "u/20260304T090000 2026-03-04T09",
                ]
            )
            // The store may have it as it calls itself.
            let own = "u/\(occurrence.split(separator: ":").last ?? "")"
            #expect(entries.compactMap(\.formerIdentity) == (own == "u/20260303T090000" ? [] : [own]))
        }
        // Without its series it is called as it calls itself.
        let alone = try read(moved).entries
        #expect(alone.map(\.identity) == ["u/" + (occurrence.split(separator: ":").last.map(String.init) ?? "")])
        #expect(alone.map(\.formerIdentity) == [nil])
    }

    @Test func aMovedEventOfASeriesInUTCIsWrittenInUTC() throws {
        let series = event("UID:u", "DTSTART:20260302T080000Z", "DURATION:PT1H", "RRULE:FREQ=DAILY;COUNT=2")
        let moved = event("UID:u", "RECURRENCE-ID;TZID=Europe/Berlin:20260303T090000", "DTSTART:20260303T100000Z")
        #expect(try read(series + moved).entries.map(\.identity) == ["u/20260302T080000Z", "u/20260303T080000Z"])
    }

    @Test func oneEventWithoutASeriesCanBeCalledOff() throws {
        let (entries, _) = try read(
            event("UID:a", "DTSTART:20260301T080000Z", "EXDATE:20260301T080000Z")
                + event("UID:b", "DTSTART:20260301T080000Z", "EXDATE:20260302T080000Z")
        )
        #expect(entries.map(\.identity) == ["b"])
    }

    /// Google and Outlook split a series; where the second half has no rule, nobody knows when it takes place.
    @Test func laterEventsOfASeriesAreReplaced() throws {
        let series = event("UID:u", "SUMMARY:old", "DTSTART:20260301T080000Z", "RRULE:FREQ=DAILY;COUNT=5")
        let changed = "RECURRENCE-ID;RANGE=THISANDFUTURE:20260303T080000Z"
        let (entries, summary) = try read(
            series + event("UID:u", "SUMMARY:new", changed, "DTSTART:20260303T100000Z", "RRULE:FREQ=DAILY;COUNT=3")
        )
        #expect(
            entries.map { "\($0.name) \($0.start.description.prefix(13))" } == [
                "old 2026-03-01T08", "old 2026-03-02T08", "new 2026-03-03T10", "new 2026-03-04T10", "new 2026-03-05T10",
            ]
        )
        #expect(summary.refused == 0)
        let half = try read(series + event("UID:u", "SUMMARY:new", changed, "DTSTART:20260303T100000Z"))
        #expect(half.entries.count == 2 && half.summary.refused == 1)
        let alone = try read(event("UID:u", changed, "DTSTART:20260303T100000Z"))
        #expect(alone.entries.count == 1 && alone.summary.lines.contains { $0.contains("later events of series") })
    }

    @Test(arguments: [
        ("RRULE:FREQ=DAILY", "without an end"), ("RRULE:FREQ=HOURLY;COUNT=3", "FREQ=HOURLY"),
        ("RRULE:FREQ=YEARLY;BYWEEKNO=20;COUNT=3", "BYWEEKNO=20"), ("RRULE:COUNT=3", "without FREQ"),
        ("RRULE:FREQ=DAILY;COUNT=99999", "more than 10000 times"),
        ("RRULE:FREQ=DAILY;UNTIL=99991231", "more than 10000"),
        ("RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=5", "finds no more days"),
        ("RRULE:FREQ=DAILY;COUNT=0", "COUNT=0"),
        ("RRULE:FREQ=WEEKLY;BYDAY=1MO;COUNT=2", "numbered weekday"), ("RRULE:FREQ=DAILY;BYHOUR=9;COUNT=2", "BYHOUR=9"),
        ("EXRULE:FREQ=DAILY;COUNT=2", "EXRULE"), ("RRULE:FREQ=DAILY;INTERVAL=-1;COUNT=2", "INTERVAL=-1"),
    ])
    func whatIsNotExpandedIsRefusedByName(line: String, reason: String) throws {
        let (entries, summary) = try read(event("SUMMARY:s", "DTSTART:20260301T080000Z", line))
        #expect(entries.isEmpty && summary.refused == 1)
        #expect(summary.codes == ["calendar.recurrence"])
        #expect(summary.lines.first?.contains(reason) == true, "\(summary.lines)")
        #expect(summary.lines.first?.contains("export its single events") == true)
    }

    @Test func aLengthThatContradictsTheEndIsNamed() throws {
        let (entries, summary) = try read(
            event("DTSTART:20260301T080000Z", "DTEND:20260301T090000Z", "DURATION:PT1H", "SUMMARY:a")
                + event("DTSTART:20260301T080000Z", "DTEND:20260301T090000Z", "DURATION:PT2H", "SUMMARY:b")
        )
        #expect(entries.map { $0.end?.description } == ["2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"])
        #expect(summary.lines.count == 1 && summary.lines[0].contains("event 2: DTEND and DURATION contradict"))
    }

    @Test func aZoneWithAColonNeedsNoQuotes() throws {
        let (entries, summary) = try read(
            [
                "BEGIN:VTIMEZONE", "TZID:(UTC+01:00) Amsterdam", "BEGIN:STANDARD", "DTSTART:16010101T000000",
                "TZOFFSETFROM:+0100", "TZOFFSETTO:+0100", "END:STANDARD", "END:VTIMEZONE",
            ] + event("SUMMARY:a", "DTSTART;TZID=(UTC+01:00) Amsterdam:20260701T080000", "DURATION:PT1H")
        )
        #expect(entries.map(\.start.description) == ["2026-07-01T08:00:00+01:00"])
        #expect(summary.lines.count == 1 && summary.lines[0].contains("a time zone with a colon and no quotes"))
    }

    @Test func encodedTextsAreRead() throws {
        let (entries, summary) = try read(
            event(
                "DTSTART:20260701T080000Z",
                "SUMMARY;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:Caf=C3=A9 =\r\nau lait",
                "LOCATION;CHARSET=ISO-8859-1;ENCODING=QUOTED-PRINTABLE:M=FCnchen",
                "DESCRIPTION;ENCODING=BASE64:SGVsbG8sIHdvcmxk"
            ) + event("DTSTART:20260701T080000Z", "SUMMARY;ENCODING=QUOTED-PRINTABLE:=ZZ")
                + event("DTSTART:20260701T080000Z", "SUMMARY;ENCODING=X-UUENCODE:abc")
        )
        #expect(entries.map(\.name) == ["Café au lait"])
        #expect(entries.first?.preserved == ["location": "München", "description": "Hello, world"])
        #expect(summary.codes == ["calendar.value", "calendar.value"])
    }

    /// What a calendar says of itself is kept, acted on or named.
    @Test func whatTheCalendarSaysIsKeptOrNamed() throws {
        let one = event("SUMMARY:a", "DTSTART:20260701T080000Z")
        let (entries, summary) = try read(["X-WR-CALNAME:Work", "X-WR-CALDESC:Ours", "METHOD:PUBLISH"] + one)
        #expect(entries.map(\.preserved) == [["calendar": "Work"]])
        #expect(summary.lines == ["note[entries.not-carried]: not imported, of so many records: X-WR-CALDESC (1)"])
        let cancelled = try read(["METHOD:CANCEL"] + one)
        #expect(cancelled.entries.isEmpty && cancelled.summary.codes == ["calendar.cancelled"])
        #expect(throws: InterchangeError.self) { try read(["CALSCALE:HEBREW"] + one) }
    }
}
