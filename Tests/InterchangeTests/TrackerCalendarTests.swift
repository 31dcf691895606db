import CivilTime
import Foundation
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct TrackerCalendarTests {
    private let stamp = Timestamp(seconds: 1_772_000_000)

    private func write(_ export: TrackerExport) throws -> (bytes: [UInt8], losses: [InterchangeLoss]) {
        var losses: [InterchangeLoss] = []
        let bytes = try Samples.bytes { sink in
            losses = try TrackerCalendar.write(export, stamp: stamp, generator: "test 1.0", to: sink)
        }
        return (bytes, losses)
    }

    private func read(
        _ bytes: [UInt8],
        clock: LocalClock? = nil,
        piece: Int = .max
    ) throws -> (items: [TrackerItem], summary: EntrySummary) {
        var items: [TrackerItem] = []
        let options = TrackerCalendar.ReadOptions(clock: clock)
        let summary = try TrackerCalendar.read(JSONByteSource(bytes, piece: piece), options: options) {
            items.append($0)
        }
        return (items, summary)
    }

    private func calendar(_ lines: String...) -> [UInt8] {
        Array((["BEGIN:VCALENDAR", "VERSION:2.0"] + lines + ["END:VCALENDAR", ""]).joined(separator: "\r\n").utf8)
    }

    private func event(_ lines: String...) -> String {
        (["BEGIN:VEVENT"] + lines + ["END:VEVENT"]).joined(separator: "\r\n")
    }

    private func entries(_ bytes: [UInt8], clock: LocalClock? = nil) throws -> [String] {
        try read(bytes, clock: clock).items.compactMap { item in
            guard case .entry(let entry) = item else { return nil }
            return "\(entry.name) \(entry.start) \(entry.end.map { "\($0)" } ?? "running")"
        }
    }

    private func error(_ bytes: [UInt8], clock: LocalClock? = nil) -> String {
        do {
            _ = try read(bytes, clock: clock)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Our own

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func everythingSurvives(seed: UInt64) throws {
        let export = Samples.export(seed: seed)
        let (bytes, losses) = try write(export)
        #expect(!losses.isEmpty)
        let text = try #require(String(validating: bytes, as: UTF8.self))
        for line in text.components(separatedBy: "\r\n") {
            #expect(
                line.utf8.count <= 75 && !line.utf8.contains { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F },
                "seed \(seed)"
            )
        }
        let (items, summary) = try read(bytes, piece: 99)
        #expect(summary.findings.total == 0, "seed \(seed): \(summary.lines)")
        let back = TrackerExport(items)
        #expect(back.activities.map(\.json) == export.activities.map(\.json), "seed \(seed)")
        #expect(back.buttons.map(\.json) == export.buttons.map(\.json), "seed \(seed)")
        #expect(back.exportedAt == export.exportedAt && back.timeZone == export.timeZone)
        #expect(back.unknownMembers == export.unknownMembers)
        #expect(try write(back).bytes == bytes, "seed \(seed)")
    }

    @Test func anActivityIsAnEvent() throws {
        let activity = TrackerActivity(
            id: "a1",
            name: "Work; deep",
            buttonID: "b",
            start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600)),
            end: ZonedTimestamp(Timestamp(seconds: 1_772_350_200), offsetMinutes: 60),
            color: "#1E90FF"
        )
        let (bytes, losses) = try write(TrackerExport(activities: [activity]))
        #expect(losses.map(\.description) == ["colours of activities (1)"])
        let expected = [
            "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Satchel//test 1.0//EN", "CALSCALE:GREGORIAN", "BEGIN:VEVENT",
            "UID:a1@satchel-tracker", "DTSTAMP:20260225T061320Z", "DTSTART:20260301T063000Z", "DTEND:20260301T073000Z",
            "SUMMARY:Work\\; deep", "X-SATCHEL-BUTTON-ID:b", "X-SATCHEL-COLOR:#1E90FF",
            "X-SATCHEL-END:2026-03-01T08:30:00+01:00", "END:VEVENT", "END:VCALENDAR", "",
        ]
        #expect(String(decoding: bytes, as: UTF8.self) == expected.joined(separator: "\r\n"))
    }

    @Test(
        arguments: [
            ("", nil), ("DTEND:20260301T063000Z\r\n", nil), ("DTEND:20260301T060000Z\r\n", nil),
            ("DTEND:20260301T073000Z\r\n", "2026-03-01T07:30:00Z"), ("DURATION:PT1H\r\n", "2026-03-01T07:30:00Z"),
        ] as [(String, String?)]
    )
    func anEndThatARunningActivityGetsInACalendarProgramCounts(line: String, end: String?) throws {
        let activity = TrackerActivity(
            id: "a",
            name: "Work",
            start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600)),
            end: nil
        )
        let text = String(decoding: try write(TrackerExport(activities: [activity])).bytes, as: UTF8.self)
        let edited = text.replacing("SUMMARY:", with: "\(line)SUMMARY:")
        #expect(TrackerExport(try read(Array(edited.utf8)).items).activities.map(\.end?.description) == [end])
        // So it does where the event is no longer known as this program's.
        let other = edited.replacing("UID:a@satchel-tracker", with: "UID:a@example.org")
        guard case .entry(let entry)? = try read(Array(other.utf8)).items.last else {
            Issue.record("expected an entry")
            return
        }
        #expect(entry.end?.description == end)
    }

    /// Somebody moves, renames or stretches an event in a calendar program: that counts, what is untouched stays.
    @Test func changesInACalendarProgramCount() throws {
        let activity = TrackerActivity(
            id: "a\u{1}b",
            name: "Work\u{2}",
            start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600, nanoseconds: 5), offsetMinutes: 60),
            end: ZonedTimestamp(Timestamp(seconds: 1_772_350_200), offsetMinutes: 60),
            unknownMembers: ["k": 1]
        )
        let text = String(decoding: try write(TrackerExport(activities: [activity])).bytes, as: UTF8.self)
        #expect(text.contains("SUMMARY:Work\r\n"))
        let moved = text.replacing("DTSTART:20260301T063000Z", with: "DTSTART:20260301T060000Z")
            .replacing("SUMMARY:Work", with: "SUMMARY:Sleep")
        let back = TrackerExport(try read(Array(moved.utf8)).items).activities
        #expect(back.map(\.name) == ["Sleep"])
        #expect(back.map(\.id) == ["a\u{1}b"])
        #expect(back.map(\.start.description) == ["2026-03-01T06:00:00Z"])
        #expect(back.map(\.end?.description) == ["2026-03-01T08:30:00+01:00"])
        #expect(back[0].unknownMembers == ["k": 1])
    }

    /// Many calendar programs drop the properties of others: an event without ours says nothing of what they hold.
    @Test func anEventWithoutOurPropertiesSaysNothingOfThem() throws {
        let activity = TrackerActivity(
            id: "a",
            name: "Work",
            buttonID: "b",
            start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600), offsetMinutes: 60),
            end: ZonedTimestamp(Timestamp(seconds: 1_772_350_200)),
            unknownMembers: ["client": "Acme", "description": "Cards"]
        )
        let text = String(decoding: try write(TrackerExport(activities: [activity])).bytes, as: UTF8.self)
        let other = text.replacing("PRODID:-//Satchel//", with: "X-WR-CALNAME:Mine\r\nPRODID:-//Other//")
        // Another program may keep them.
        #expect(TrackerExport(try read(Array(other.utf8)).items).activities.map(\.json) == [activity.json])
        let lines = other.components(separatedBy: "\r\n").filter { !$0.hasPrefix("X-SATCHEL-") }
        let items = try read(Array(lines.joined(separator: "\r\n").utf8)).items
        guard case .entry(let entry)? = items.first, items.count == 1 else {
            Issue.record("expected an entry, found \(items)")
            return
        }
        #expect(entry.identity == "a")
        #expect(entry.preserved == ["description": "Cards"])
        #expect(entry.places.members == ["description"] && entry.places.isInSeconds)
        // In a calendar of ours an activity may have none.
        let start = ZonedTimestamp(Timestamp(seconds: 1_772_346_600))
        let bare = TrackerExport(activities: [TrackerActivity(id: "a", name: "Work", start: start)])
        let own = String(decoding: try write(bare).bytes, as: UTF8.self)
            .replacing("X-SATCHEL-RUNNING:TRUE\r\n", with: "DURATION:PT1H\r\n")
        #expect(TrackerExport(try read(Array(own.utf8)).items).activities.map(\.id) == ["a"])
    }

    /// Calendars show other line ends as line feeds; the exact text comes back while nobody changes what is shown.
    @Test func aDescriptionWithOtherLineEndsIsShown() throws {
        let start = ZonedTimestamp(Timestamp(seconds: 1_772_346_600))
        let exact = "Login page\r\nTests\rmore"
        let activity = TrackerActivity(
            id: "a",
            name: "Work",
            start: start,
            end: ZonedTimestamp(Timestamp(seconds: 1_772_350_200)),
            unknownMembers: ["client": "Acme", "description": .string(exact), "task": "T"]
        )
        let (bytes, losses) = try write(TrackerExport(activities: [activity]))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("DESCRIPTION:Login page\\nTests\\nmore\r\n"))
        #expect(!losses.contains { $0.what.contains("control characters") })
        let back = TrackerExport(try read(bytes).items)
        #expect(back.activities == [activity])
        #expect(try write(back).bytes == bytes)
        let edited = text.replacing("DESCRIPTION:Login page", with: "DESCRIPTION:Logout page")
        let changed = TrackerExport(try read(Array(edited.utf8)).items).activities
        #expect(changed.map { $0.detail(.description) } == ["Logout page\nTests\nmore"])
        // A calendar of an earlier version has the text with the other members alone.
        let earlier = text.replacing("DESCRIPTION:Login page\\nTests\\nmore\r\n", with: "")
        #expect(TrackerExport(try read(Array(earlier.utf8)).items).activities == [activity])
        var bell = activity
        bell.unknownMembers = ["description": "a\u{7}b"]
        #expect(try write(TrackerExport(activities: [bell])).losses.contains { $0.what.contains("control characters") })
    }

    // MARK: Others'

    @Test func timesOfAllKindsAreRead() throws {
        let bytes = calendar(
            event("UID:1", "SUMMARY:utc", "DTSTART:20260301T063000Z", "DTEND:20260301T073000Z"),
            event(
                "SUMMARY:zone",
                "DTSTART;TZID=Europe/Berlin:20260701T080000",
                "DTEND;TZID=\"America/New_York\":20260701T033000"
            ),
            event("SUMMARY:length", "DTSTART:20260301T063000Z", "DURATION:P1DT1H30M"),
            event("SUMMARY:weeks", "DTSTART;TZID=Europe/Berlin:20260328T120000", "DURATION:P1W"),
            event("SUMMARY:at once", "DTSTART:20260301T063000Z"),
            event("SUMMARY:floating", "DTSTART:20260701T080000", "DTEND:20260701T090000"),
            event("SUMMARY:day", "DTSTART;VALUE=DATE:20260329"),
            event("SUMMARY:days", "DTSTART;VALUE=DATE:20260701", "DTEND;VALUE=DATE:20260703")
        )
        #expect(
            try entries(bytes, clock: Samples.berlin) == [
                "utc 2026-03-01T06:30:00Z 2026-03-01T07:30:00Z",
                "zone 2026-07-01T08:00:00+02:00 2026-07-01T03:30:00-04:00",
                "length 2026-03-01T06:30:00Z 2026-03-02T08:00:00Z",
                "weeks 2026-03-28T12:00:00+01:00 2026-04-04T12:00:00+02:00",
                "at once 2026-03-01T06:30:00Z 2026-03-01T06:30:00Z",
                "floating 2026-07-01T08:00:00+02:00 2026-07-01T09:00:00+02:00",
                "day 2026-03-29T00:00:00+01:00 2026-03-30T00:00:00+02:00",
                "days 2026-07-01T00:00:00+02:00 2026-07-03T00:00:00+02:00",
            ]
        )
        #expect(error(bytes).contains("error[entries.time-zone]"))
        #expect(error(bytes).contains("--time-zone"))
        #expect(
            try entries(calendar("X-WR-TIMEZONE:Asia/Tokyo", event("DTSTART:20260701T080000"))) == [
                "Untitled 2026-07-01T08:00:00+09:00 2026-07-01T08:00:00+09:00"
            ]
        )
    }

    /// The zone of somebody else's calendar is not the person's.
    @Test func onlyOurCalendarsHaveAHeading() throws {
        let items = try read(
            calendar("PRODID:-//Other//EN", "X-WR-TIMEZONE:Asia/Tokyo", event("DTSTART:20260701T080000Z"))
        ).items
        #expect(items.count == 1)
        let ours = try read(calendar("PRODID:-//Satchel//x//EN", "X-WR-TIMEZONE:Asia/Tokyo")).items
        #expect(ours == [.heading(TrackerHeading(timeZone: "Asia/Tokyo"))])
    }

    /// A description of a zone, with the rules that Outlook writes, before the events that need it or behind them.
    @Test(arguments: [true, false])
    func describedZonesAreUsed(isFirst: Bool) throws {
        let zone = """
            BEGIN:VTIMEZONE\r\nTZID:W. Europe Standard Time\r\nBEGIN:STANDARD\r\nDTSTART:16010101T030000\r
            TZOFFSETFROM:+0200\r\nTZOFFSETTO:+0100\r\nRRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=10\r\nEND:STANDARD\r
            BEGIN:DAYLIGHT\r\nDTSTART:16010101T020000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0200\r
            RRULE:FREQ=YEARLY;INTERVAL=1;BYDAY=-1SU;BYMONTH=3\r\nEND:DAYLIGHT\r\nEND:VTIMEZONE
            """
        func at(_ name: String, _ time: String) -> String {
            event("SUMMARY:\(name)", "DTSTART;TZID=W. Europe Standard Time:\(time)", "DURATION:PT30M")
        }
        let events = [
            at("winter", "20260201T080000"), at("summer", "20260701T080000"), at("fold", "20261025T021500"),
            at("gap", "20260329T021500"), at("before", "20260329T015959"),
        ]
        let bytes = calendar((isFirst ? [zone] + events : events + [zone]).joined(separator: "\r\n"))
        let expected = [
            "winter 2026-02-01T08:00:00+01:00 2026-02-01T08:30:00+01:00",
            "summer 2026-07-01T08:00:00+02:00 2026-07-01T08:30:00+02:00",
            "fold 2026-10-25T02:15:00+02:00 2026-10-25T02:45:00+02:00",
            "gap 2026-03-29T03:15:00+02:00 2026-03-29T03:45:00+02:00",
            "before 2026-03-29T01:59:59+01:00 2026-03-29T03:29:59+02:00",
        ]
        #expect(try entries(bytes) == expected)
        let summary = try read(bytes).summary
        #expect((summary.entries, summary.folds, summary.gaps, summary.refused) == (5, 1, 1, 0))
    }

    /// What a calendar says of a name counts more than what the name is taken for elsewhere.
    @Test(arguments: ["Eastern Standard Time", "EST", "CET", "/example.org/Europe/Berlin", "Western/Central Europe"])
    func aZoneThatIsDescribedBehindItsEventsIsUsed(name: String) throws {
        let zone = """
            BEGIN:VTIMEZONE\r\nTZID:\(name)\r\nBEGIN:STANDARD\r\nDTSTART:16010101T000000\r
            TZOFFSETFROM:-0530\r\nTZOFFSETTO:-0530\r\nEND:STANDARD\r\nEND:VTIMEZONE
            """
        let events = [
            event("SUMMARY:a", "DTSTART;TZID=\(name):20260701T090000", "DURATION:PT1H"),
            event("SUMMARY:b", "DTSTART:20260701T090000", "DURATION:PT1H"),
        ]
        let bytes = calendar((["X-WR-TIMEZONE:\(name)"] + events + [zone]).joined(separator: "\r\n"))
        let times = "2026-07-01T09:00:00-05:30 2026-07-01T10:00:00-05:30"
        #expect(try entries(bytes) == ["a \(times)", "b \(times)"])
        #expect(try read(bytes).summary.lines == [])
        // Without a description the names mean what they mean elsewhere.
        let plain = calendar((["X-WR-TIMEZONE:\(name)"] + events).joined(separator: "\r\n"))
        let found = try entries(plain)
        #expect(found.count == 2 && found.allSatisfy { !$0.contains("-05:30") })
    }

    @Test func whatCannotBeUsedIsTold() throws {
        let bytes = calendar(
            event("SUMMARY:weekly", "DTSTART:20260301T063000Z", "RRULE:FREQ=WEEKLY"),
            event("SUMMARY:off", "DTSTART:20260301T063000Z", "STATUS:CANCELLED"),
            event("SUMMARY:no start"),
            event("SUMMARY:bad", "DTSTART:20260230T000000Z"),
            event("SUMMARY:back", "DTSTART:20260301T063000Z", "DTEND:20260301T053000Z"),
            event("SUMMARY:where", "DTSTART;TZID=Mars/Base:20260301T063000"),
            event("SUMMARY:shrinks", "DTSTART:20260301T063000Z", "DURATION:-PT1H"),
            event("SUMMARY:a", "SUMMARY:b", "DTSTART:20260301T063000Z"),
            event(
                "SUMMARY:good",
                "DTSTART:20260301T063000Z",
                "DESCRIPTION:x",
                "RECURRENCE-ID:20260301T063000Z",
                "UID:u"
            ),
            "BEGIN:VTODO\r\nSUMMARY:task\r\nEND:VTODO",
            "no property"
        )
        let (items, summary) = try read(bytes)
        guard case .entry(let entry) = items.first, items.count == 1 else {
            Issue.record("expected one entry")
            return
        }
        #expect(entry.identity == "u/20260301T063000Z")
        #expect((summary.entries, summary.refused, summary.passedOver) == (1, 7, 2))
        #expect(
            summary.codes == [
                "calendar.recurrence", "calendar.value", "calendar.value", "entries.end-before-start", "calendar.value",
                "calendar.value", "calendar.time-zone", "calendar.line", "entries.not-carried", "calendar.cancelled",
            ]
        )
        #expect(
            summary.lines.first?.hasPrefix("6:1: error[calendar.recurrence]: event 1, \"weekly\", comes back (RRULE)")
                == true
        )
    }

    @Test func nothingIsDroppedWithoutAName() throws {
        let (items, summary) = try read(Fixtures.bytes("interchange/mixed.ics"))
        let entries = items.compactMap { item in if case .entry(let entry) = item { entry } else { nil } }
        #expect(
            entries.map { "\($0.name) \($0.start) \($0.end.map { "\($0)" } ?? "")" } == [
                "Rehearsal 2026-07-16T09:00:00+02:00 2026-07-16T10:30:00+02:00",
                "Concert 2026-01-17T09:00:00+01:00 2026-01-17T10:00:00+01:00",
            ]
        )
        #expect(
            entries.first?.preserved == [
                "description": "Second movement, from bar 40", "location": "Hall", "tags": ["music", "strings, low"],
            ]
        )
        #expect(
            summary.lines == [
                "49:1: warning[calendar.structure]: X-COMMENT stands behind the end of the calendar; it is left out",
                "36:1: warning[calendar.line]: event 2: DTSTART has an empty parameter, or one without a name; the rest is read",
                "warning[entries.not-carried]: not imported, as they are no events: journal entries (VJOURNAL) (1), "
                    + "tasks (VTODO) (1)",
                "warning[entries.not-carried]: not imported, of so many records: alarms (1), attendees (1)",
                "note[calendar.time-zone]: the calendar does not describe the time zone \"/Europe/Stockholm\"; it is taken "
                    + "for Europe/Stockholm",
                "note[calendar.time-zone]: the calendar does not describe the time zone \"Western/Central Europe\"; it is "
                    + "taken for Europe/Berlin",
                "note[entries.not-carried]: not imported, of so many records: X-ALT-DESC (1)",
            ]
        )
    }

    @Test func anEventWithoutADescriptionSaysThatThereIsNone() throws {
        let lines = ["UID:1", "DTSTART:20260301T100000Z", "DTEND:20260301T110000Z", "SUMMARY:Call"]
        let bytes = calendar((["BEGIN:VEVENT"] + lines + ["END:VEVENT"]).joined(separator: "\r\n"))
        let entries = try read(bytes).items.compactMap { item in
            if case .entry(let entry) = item { entry } else { nil }
        }
        #expect(entries.map(\.places.members) == [["description", "location", "url", "comment", "tags"]])
        #expect(entries.map(\.places.columns) == [[]])
    }

    @Test func componentsMayStandAlone() throws {
        let bytes = Array(
            "BEGIN:VEVENT\nSUMMARY:a\nDTSTART:20260301T063000Z\nEND:VEVENT\nBEGIN:VTODO\nEND:VTODO\n".utf8
        )
        #expect(InterchangeFormat.detect(bytes) == .calendar)
        let (items, summary) = try read(bytes)
        #expect(items.count == 1 && summary.codes == ["calendar.structure", "entries.not-carried"])
        // A card is none of a calendar's.
        #expect(throws: InterchangeError.self) { try read(Array("BEGIN:VCARD\nFN:Ada\nEND:VCARD\n".utf8)) }
        #expect(throws: InterchangeError.self) { try read(Array("BEGIN:VEVENT\nSUMMARY:a\n".utf8)) }
    }

    @Test func linesAreUnfoldedAndUnescaped() throws {
        let bytes =
            Array(
                "\u{FEFF}begin:vcalendar\nBEGIN:VEVENT\nSUMM\n ARY;X=\"a:b\":one\\, two\\; \\\\n \\N\\x c\u{C3}".utf8
                    .dropLast(2)
            )
            + [0xC3, 0x0A, 0x09, 0xA9] + Array("!\rDTSTART:20260301T063000Z\r\n\r\nEND:VEVENT\nEND:VCALENDAR".utf8)
        #expect(try entries(bytes) == ["one, two; \\n \n\\x cé! 2026-03-01T06:30:00Z 2026-03-01T06:30:00Z"])
    }

    @Test func brokenCalendarsAreRefused() {
        func refused(_ text: String) -> String { error(Array(text.utf8)) }
        #expect(refused("BEGIN:VCARD\n").hasPrefix("1:1: error[calendar.unrecognized]"))
        #expect(refused("hello\n").hasPrefix("1:1: error[calendar.unrecognized]"))
        #expect(refused("BEGIN:VCALENDAR\nVERSION:1.0\n").contains("vCalendar 1.0"))
        #expect(refused("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:x").hasPrefix("3:10: error[calendar.truncated]"))
        #expect(refused("BEGIN:VCALENDAR\nBEGIN:VEVENT\nEND:VALARM\n").hasPrefix("3:1: error[calendar.structure]"))
        #expect(
            refused(String(repeating: "BEGIN:VCALENDAR\n", count: 300)).hasPrefix("17:1: error[calendar.structure]")
        )
        #expect(refused("BEGIN:VCALENDAR\nX:\u{0}\n").contains("error[text.nul"))
        #expect(error([0xFE, 0xFF, 0, 0x42]).contains("UTF-16"))
        #expect(refused("").contains("text.empty"))
    }

    /// A picture in a line of many megabytes is dropped; a title of that size keeps its event out.
    @Test func hugeLinesAreSurvived() throws {
        let huge = String(repeating: "x", count: 3 << 20)
        let bytes = calendar(
            event("ATTACH:\(huge)", "SUMMARY:a", "DTSTART:20260301T063000Z"),
            event("SUMMARY:\(huge)", "DTSTART:20260301T063000Z")
        )
        let (items, summary) = try read(bytes)
        #expect(items.count == 1)
        #expect(summary.codes == ["calendar.line", "entries.not-carried"])
    }

    @Test(arguments: 0..<10)
    func noiseIsSurvived(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let lines = [
            "BEGIN:VEVENT", "END:VEVENT", "BEGIN:VTIMEZONE", "END:VTIMEZONE", "TZID:A/B", "BEGIN:STANDARD",
            "END:STANDARD",
            "DTSTART:19700101T000000", "DTSTART;TZID=A/B:20260101T000000", "DTSTART:99991231T235959Z",
            "DURATION:P9999999W",
            "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU", "TZOFFSETFROM:+2359", "TZOFFSETTO:-2359", "SUMMARY:\\", ";:", ":",
            " x",
            "UID:@satchel-tracker", "X-SATCHEL-EXTRA:{\"id\":1}", "X-SATCHEL-END:2026-01-01T00:00:00Z",
            "DTEND;VALUE=DATE:00000101",
        ]
        for _ in 0..<300 {
            let count = Int.random(in: 0...25, using: &generator)
            let body = (0..<count).map { _ in lines.randomElement(using: &generator) ?? "" }
            _ = error(calendar(body.joined(separator: "\r\n")), clock: Samples.berlin)
        }
    }
}
