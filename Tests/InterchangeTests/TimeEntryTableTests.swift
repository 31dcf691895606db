import CivilTime
import FormatKit
import Foundation
import GymPulse
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct TimeEntryTableTests {
    private func read(
        _ text: String,
        _ options: TimeEntryTable.Options = .init(clock: Samples.berlin)
    ) throws -> (entries: [TimeEntry], summary: EntrySummary) {
        try read(Array(text.utf8), options)
    }

    private func read(
        _ bytes: [UInt8],
        _ options: TimeEntryTable.Options
    ) throws -> (entries: [TimeEntry], summary: EntrySummary) {
        var entries: [TimeEntry] = []
        let summary = try TimeEntryTable.read(JSONByteSource(bytes, piece: 7), options: options) { entries.append($0) }
        return (entries, summary)
    }

    private func error(_ text: String, _ options: TimeEntryTable.Options = .init(clock: Samples.berlin)) -> String {
        do {
            _ = try read(text, options)
            return "none"
        } catch {
            return "\(error)"
        }
    }

    private func toggl(_ rows: String...) -> String {
        (["Description,Project,Start date,Start time,End date,End time,Duration"] + rows).joined(separator: "\r\n")
    }

    // MARK: The samples

    @Test(.enabled(if: SharedFolder.exists, "this machine lacks ../shared with the samples"))
    func aReportOfToggl() throws {
        let bytes = try SharedFolder.bytes("samples/time-entries/toggl_time_entries_import_test_1.csv")
        let (entries, summary) = try read(bytes, .init(clock: Samples.berlin))
        #expect(summary.source == "Toggl CSV")
        #expect(entries.map(\.name) == ["Project without Client", "Project for Big Company"])
        #expect(entries.map(\.start.description) == ["2024-03-04T10:23:52+01:00", "2024-03-04T10:23:00+01:00"])
        #expect(entries.map(\.end?.description) == ["2024-03-04T10:23:52+01:00", "2024-03-04T11:23:01+01:00"])
        #expect(entries.map(\.place.description) == ["row 2 (line 2)", "row 3 (line 3)"])
        #expect(summary.lines == [])
        #expect(
            entries[1].preserved == [
                "project": "Project for Big Company", "client": "Big Company", "task": "Task 1",
                "description": "Working hard", "billable": true,
                "columns": [
                    "User": "Peter Tester", "Email": "peter.test@email.test", "Amount (EUR)": "111.11",
                ],
            ]
        )
        #expect(entries[0].preserved["tags"] == ["Development", "Backend"])
        #expect(entries[0].preserved["billable"] == false)
    }

    @Test(.enabled(if: SharedFolder.exists, "this machine lacks ../shared with the samples"))
    func reportsOfClockify() throws {
        func sample(_ number: Int) throws -> [UInt8] {
            try SharedFolder.bytes("samples/time-entries/clockify_time_entries_import_test_\(number).csv")
        }
        // 03/04/2024 can be read in two ways.
        #expect(throws: InterchangeError.self) { try read(sample(1), .init(clock: Samples.berlin)) }
        let american = try read(sample(1), .init(clock: Samples.berlin, dateOrder: .mdy))
        #expect(american.summary.source == "Clockify CSV")
        #expect(
            american.entries.map(\.start.description) == ["2024-03-04T10:23:52+01:00", "2024-03-04T10:23:00+01:00"]
        )
        let european = try read(sample(1), .init(clock: Samples.berlin, dateOrder: .dmy, naming: .both))
        #expect(european.entries[1].start.description == "2024-04-03T10:23:00+02:00")
        #expect(european.entries[1].name == "Project for Big Company: Working hard")
        // 10/15/2024 decides it.
        let second = try read(sample(2), .init(clock: Samples.berlin))
        #expect(second.summary.dateOrder == .mdy)
        #expect(second.entries.map(\.start.description) == ["2024-10-15T11:00:00+02:00"])
        // 13/15/2024 is no date at all, and the row is told.
        let third = try read(sample(3), .init(clock: Samples.berlin))
        #expect(third.entries.isEmpty)
        #expect(third.summary.refused == 1)
        #expect(
            third.summary.lines.first
                == "2:229: error[entries.time]: row 2: \"13/15/2024\" is no date in month/day/year"
        )
    }

    // MARK: Dates

    @Test func theColumnDecidesTheOrderOrContradictsItself() throws {
        let rows = ["a,,03/04/2024,10:00,03/04/2024,11:00,", "b,,25/04/2024,10:00,25/04/2024,11:00,"]
        let decided = try read(toggl(rows[0], rows[1]))
        #expect(decided.summary.dateOrder == .dmy)
        #expect(decided.entries[0].start.description == "2024-04-03T10:00:00+02:00")
        #expect(
            error(toggl(rows[0], rows[1], "c,,04/26/2024,10:00,04/26/2024,11:00,"))
                == "4:4: error[entries.date-order]: the dates contradict each other: \"04/26/2024\" in row 4 is "
                + "month/day/year, \"25/04/2024\" in row 3 is day/month/year; correct one, or name --date-order mdy or dmy "
                + "to leave the other rows out"
        )
        #expect(error(toggl(rows[0])).contains("\"03/04/2024\" of row 2 can be read in two ways"))
        // The same number twice needs no order, the year first neither.
        let plain = try read(toggl("a,,05/05/2024,10:00,2024-05-05,11:00,", "b,,2024/05/06,1:00,2024.05.06,2:00,"))
        #expect(plain.summary.dateOrder == nil)
        #expect(plain.entries.map(\.start.description) == ["2024-05-05T10:00:00+02:00", "2024-05-06T01:00:00+02:00"])
    }

    @Test func aGivenOrderLeavesRowsOutThatDoNotFit() throws {
        let options = TimeEntryTable.Options(clock: Samples.berlin, dateOrder: .mdy)
        let text = toggl("a,,25/04/2024,10:00,25/04/2024,11:00,", "b,,04/25/2024,10:00,04/25/2024,11:00,")
        let (entries, summary) = try read(text, options)
        #expect(entries.map(\.name) == ["b"])
        #expect(summary.lines == ["2:4: error[entries.time]: row 2: \"25/04/2024\" is no date in month/day/year"])
    }

    @Test(arguments: [
        ("9:05", "09:05:00"), ("09:05:30", "09:05:30"), ("9:05 AM", "09:05:00"), ("12:00:01 am", "00:00:01"),
        ("12:30 PM", "12:30:00"), ("11:59:59\u{202F}PM", "23:59:59"), ("1:05 p.m.", "13:05:00"),
        ("9:05:30.250", "09:05:30.250"),
    ])
    func timesOfADay(text: String, expected: String) throws {
        let (entries, summary) = try read(toggl("a,,2024-01-02,\(text),2024-01-03,9:00,"))
        #expect(summary.refused == 0)
        #expect(entries.first?.start.description == "2024-01-02T\(expected)+01:00")
    }

    @Test(arguments: [
        "24:00", "13:00 PM", "0:10 AM", "9.05", "9:5", "9:60", "", "nine", "9:05:61", "-1:00", "9:05:00.0000000001",
    ])
    func whatIsNoTimeIsReported(text: String) throws {
        let (entries, summary) = try read(
            toggl("a,,2024-01-02,\(text),2024-01-03,9:00,", "b,,2024-01-02,8:00,2024-01-02,9:00,")
        )
        #expect(entries.map(\.name) == ["b"])
        #expect(summary.codes == ["entries.time"])
        #expect(summary.lines.first?.contains("row 2") == true)
    }

    // MARK: Zones

    @Test func aZoneIsNeeded() {
        let message = error(toggl("a,,2024-01-02,9:00,2024-01-02,10:00,"), .init())
        #expect(message.hasPrefix("2:4: error[entries.time-zone]"))
        #expect(message.contains("--time-zone"))
    }

    /// In Berlin 2:00 to 3:00 was there twice on 27 October 2024, and not at all on 31 March 2024.
    @Test func changesOfTheClockAreResolvedAndTold() throws {
        let (entries, summary) = try read(
            toggl(
                "earlier,,2024-10-27,02:10:00,2024-10-27,02:40:00,",
                "length,,2024-10-27,01:30:00,2024-10-27,02:30:00,2:00:00",
                "both,,2024-10-27,02:50:00,2024-10-27,02:10:00,0:20:00",
                "gap,,2024-03-31,02:30:00,2024-03-31,04:00:00,0:30:00"
            )
        )
        #expect(
            entries.map { "\($0.name) \($0.start) \($0.end.map { "\($0)" } ?? "")" } == [
                "earlier 2024-10-27T02:10:00+02:00 2024-10-27T02:40:00+02:00",
                "length 2024-10-27T01:30:00+02:00 2024-10-27T02:30:00+01:00",
                "both 2024-10-27T02:50:00+02:00 2024-10-27T02:10:00+01:00",
                "gap 2024-03-31T03:30:00+02:00 2024-03-31T04:00:00+02:00",
            ]
        )
        #expect((summary.folds, summary.gaps, summary.refused) == (5, 1, 0))
        #expect(
            summary.lines.first
                == "2:11: warning[entries.fold]: row 2: the clocks showed \"2024-10-27 02:10:00\" twice; the earlier is taken, "
                + "2024-10-27T02:10:00+02:00" || summary.lines.first?.contains("row 2: the clocks showed") == true
        )
        #expect(
            summary.lines.contains { $0.contains("the later is taken, as the length says, 2024-10-27T02:30:00+01:00") }
        )
        #expect(summary.lines.contains { $0.contains("the clocks skipped \"2024-03-31 02:30:00\"") })
    }

    @Test func timesWithTheirOwnZoneNeedNone() throws {
        let text =
            "Project;Start;End\nWork;2024-03-04T10:00:00Z;2024-03-04 11:00:00+02:00\nWork;2024-03-04T10:00:00Z;\n"
        let (entries, summary) = try read(text, .init())
        #expect(summary.refused == 1)
        #expect(summary.codes == ["entries.end-before-start"])
        #expect(entries.map(\.start.description) == ["2024-03-04T10:00:00Z"])
        #expect(entries[0].end == nil)
    }

    // MARK: Rows

    @Test func aBadRowIsReportedAndTheOthersAreRead() throws {
        let (entries, summary) = try read(
            toggl(
                "a,,2024-01-02,9:00,2024-01-02,10:00,1:00:00",
                "short,row",
                "b,,2024-01-02,11:00,2024-01-02,10:00,",
                "c,,2024-01-02,9:00,2024-01-02,10:00,2:00:00",
                "\"d\"x,,2024-01-02,9:00,2024-01-02,10:00,",
                ",,2024-01-02,9:00,2024-01-02,10:00,1:00",
                "e,P,2024-01-02,9:00,2024-01-02,10:00,,,",
                "f,,,,,,",
                "g,,2024-01-02,9:00,2024-01-02,10:00,long",
                "h,,2024-01-02,9:00,,,long",
                ",,,,,,"
            )
        )
        #expect(entries.map(\.name) == ["a", "c", "Untitled", "P", "g"])
        #expect(summary.refused == 5)
        #expect(
            summary.codes == [
                "csv.ragged", "entries.end-before-start", "csv.quote", "entries.time", "entries.duration",
                "entries.duration", "entries.unnamed", "entries.duration",
            ]
        )
        // Start and end count, whatever the length is.
        #expect(entries.last?.end?.moment.seconds == entries.first?.end?.moment.seconds)
        #expect(summary.lines.contains { $0.contains("row 10: \"long\" is no length") && $0.contains("are taken") })
        #expect(
            summary.lines.contains {
                $0.contains("row 5: the length is \"2:00:00\", but from start to end it is 1:00:00")
            }
        )
    }

    @Test func headingsThatDoNotFitAreRefused() {
        #expect(error("a,b\n1,2\n").contains("error[csv.heading]"))
        #expect(error("Project,Time (h)\nx,1:00\n").contains("export the detailed report"))
        #expect(error("Start date,Start date\n1,2\n").contains("is there twice, as number 1 and 2"))
        #expect(error("").contains("text.empty"))
    }

    @Test func namesGoByWhatIsAskedFor() throws {
        let text = toggl("Desc,Proj,2024-01-02,9:00,2024-01-02,10:00,", ",Proj,2024-01-02,9:00,2024-01-02,10:00,")
        for (naming, expected) in [
            (EntryNaming.project, ["Proj", "Proj"]), (.description, ["Desc", "Proj"]), (.both, ["Proj: Desc", "Proj"]),
        ] {
            #expect(try read(text, .init(clock: Samples.berlin, naming: naming)).entries.map(\.name) == expected)
        }
    }

    // MARK: Reports of other programs

    /// A column for the task that is named otherwise, and a row without its last field.
    @Test func aReportWithOtherColumns() throws {
        let (entries, summary) = try read(Fixtures.bytes("interchange/clockify.csv"), .init(clock: Samples.berlin))
        #expect(summary.source == "Clockify CSV")
        #expect(entries.map { $0.preserved["task"]?.string } == ["Design", "Tests"])
        #expect(entries.map { $0.preserved["client"]?.string } == ["Analytical Ltd", nil])
        #expect(
            entries[0].preserved["columns"] == [
                "User": "Ada Byron", "Email": "ada@example.org", "Billable Rate (EUR)": "80.00",
                "Billable Amount (EUR)": "120.00",
            ]
        )
        #expect(
            summary.lines == [
                "3:1: warning[csv.ragged]: row 3 has no field for \"Client\"; it is read as if that were empty"
            ]
        )
        // Without its times a row is none.
        let short = try read("Project,Start,End,Client\nx,2024-01-02 09:00\ny,2024-01-02 09:00,2024-01-02 10:00\n")
        #expect(short.entries.map(\.name) == ["y"] && short.summary.refused == 1)
    }

    /// An empty cell says that there is nothing, a column that is not there says nothing.
    @Test func aReportSaysWhichColumnsItHas() throws {
        let text = "Project,Client,Start,End,Amount (EUR),User\nx,,2024-01-02 09:00,2024-01-02 10:00,,Ada\n"
        let entry = try #require(try read(text).entries.first)
        #expect(entry.preserved == ["project": "x", "columns": ["User": "Ada"]])
        #expect(entry.places == SourcePlaces(members: ["project", "client"], columns: ["Amount (EUR)", "User"]))
    }

    /// Toggl writes a dash into empty cells.
    @Test func aDashIsAnEmptyCell() throws {
        let heading = "Description,Billable,Member,Email,Project,Client,Task,Tags,Start,End,Amount,Currency"
        let row = ",No,Ada,-,-,-,-,-,2026-09-09 07:00,2026-09-09 07:20,-,-"
        let (entries, summary) = try read("\(heading)\nMeditation\(row)\n-\(row)\n")
        #expect(summary.lines == [])
        #expect(entries.map(\.name) == ["Meditation", "-"])
        #expect(
            entries.first?.preserved == [
                "description": "Meditation", "billable": false, "columns": ["Member": "Ada"],
            ]
        )
        #expect(entries.first?.places.members.contains("project") == true)
    }

    @Test func aReportOfKimai() throws {
        let (entries, summary) = try read(Fixtures.bytes("interchange/kimai.csv"), .init(clock: Samples.berlin))
        #expect(summary.source == "Kimai CSV" && summary.lines == [])
        #expect(
            entries.map { "\($0.start) \($0.end.map { "\($0)" } ?? "")" } == [
                "2026-03-16T09:00:00+01:00 2026-03-16T10:30:00+01:00",
                "2026-03-16T23:30:00+01:00 2026-03-17T00:30:00+01:00",
            ]
        )
        #expect(entries[0].preserved["client"] == "Analytical Ltd" && entries[0].preserved["task"] == "Design")
        // Without the length nothing says that the end lies on the next day.
        let open = try read("Date,From,To,Project\n2026-03-16,23:30,00:30,x\n")
        #expect(open.summary.codes == ["entries.end-before-start"])
        // Of an entry that is running the end is empty; the day is not.
        let running = try read("Date,From,To,Project\n2026-03-16,23:30,,x\n", .init(clock: Samples.berlin))
        #expect(running.entries.map(\.end) == [nil] && running.summary.refused == 0)
    }

    /// Kimai has seconds, and others have minutes.
    @Test(arguments: [("7260", "1800"), ("121", "30"), ("2:01", "0:30")])
    func startAndEndTellTheUnitOfALength(first: String, second: String) throws {
        let rows = "2020-05-04,15:50,17:51,\(first),x\n2020-05-04,23:50,00:20,\(second),x\n"
        let (entries, summary) = try read("Date,From,To,Duration,Project\n\(rows)")
        #expect(summary.lines == [])
        #expect(entries.map { "\($0.end.map { "\($0)" } ?? "")" }.last == "2020-05-05T00:20:00+02:00")
        // Where the heading says that it is in hours, it is.
        let hours = try read("Date,From,To,Hours,Project\n\(rows)").summary
        #expect(hours.refused == (first.contains(":") ? 0 : 1))
    }

    /// A number alone that would be more than a day is no number of hours.
    @Test func aColumnOfSecondsIsRefused() throws {
        let seconds = "Project,Start,Duration\nx,2026-01-05 09:00:00,20\nx,2026-01-05 10:00:00,5400\n"
        let message = "3:23: error[entries.duration]: row 3: the length \"5400\" would be 5400 hours"
        #expect(error(seconds).hasPrefix(message), "\(error(seconds))")
        let day = "Date,Project,Duration\n2026-01-05,x,5400\n"
        #expect(error(day, .init(clock: Samples.berlin, dayStart: 0)).contains("would be 5400 hours"))
        let hours = "Project,Start,Duration (h)\nx,2026-01-05 09:00:00,30\ny,2026-01-05 09:00:00,30.5\n"
        #expect(try read(hours).entries.count == 2)
        #expect(try read(hours.replacing(" (h)", with: "").replacing(",30\n", with: ",30:00\n")).entries.count == 2)
    }

    @Test func timesUnderOtherHeadingsAreReadOrNamed() throws {
        let row = "2026-03-02;09:00;09:05;0:05;Engine\n"
        for (start, end) in [("time_start", "time_end"), ("start_time", "end_time"), ("Time Start", "Time Stop")] {
            let (entries, summary) = try read("date;\(start);\(end);duration;project\n\(row)")
            #expect(entries.map { "\($0.start)" } == ["2026-03-02T09:00:00+01:00"] && summary.lines == [], "\(start)")
        }
        let other = error("date;Beginn;Ende;duration;project\n\(row)")
        #expect(other.contains("the column \"Beginn\" has times: call it \"Start time\""), "\(other)")
    }

    @Test func entriesWithoutTimesFollowEachOtherWhereTheClocksChange() throws {
        for (day, first, after) in [
            ("2026-03-29", "2026-03-29T00:30:00+01:00", "2026-03-29T05:00:00+02:00"),
            ("2026-10-25", "2026-10-25T00:30:00+02:00", "2026-10-25T03:00:00+01:00"),
        ] {
            let table =
                "Date,Client,Project,Task,Notes,Hours\n\(day),C,P,T,a,3.5\n\(day),C,Q,T,b,1.25\n\(day),C,R,T,c,24.5\n"
            let (entries, summary) = try read(table, .init(clock: Samples.berlin, dayStart: 1800))
            #expect(entries.map { "\($0.start)" } == [first, after] && summary.refused == 1)
            #expect(entries.first?.end == entries.last?.start)
        }
        // The day of 25 hours takes as many, the one of 23 no more.
        for (day, hours, taken) in [("2026-10-25", 25, 1), ("2026-03-29", 24, 0), ("2026-03-29", 23, 1)] {
            let table = "Date,Client,Project,Task,Notes,Hours\n\(day),C,P,T,a,\(hours)\n"
            #expect(
                try read(table, .init(clock: Samples.berlin, dayStart: 0)).entries.count == taken,
                "\(day) \(hours)"
            )
        }
    }

    @Test func aReportOfHarvestHasNoTimes() throws {
        let bytes = try Fixtures.bytes("interchange/harvest.csv")
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(error(text).contains("error[entries.time-of-day]") && error(text).contains("--day-start"))
        let options = TimeEntryTable.Options(clock: Samples.berlin, dayStart: 9 * 3600)
        let (entries, summary) = try read(bytes, options)
        #expect(summary.source == "Harvest CSV" && summary.codes == ["entries.time-of-day"])
        #expect(
            entries.map { "\($0.start) \($0.end.map { "\($0)" } ?? "")" } == [
                "2026-03-16T09:00:00+01:00 2026-03-16T10:30:00+01:00",
                "2026-03-16T10:30:00+01:00 2026-03-16T10:45:00+01:00",
                "2026-03-17T09:00:00+01:00 2026-03-17T11:00:00+01:00",
            ]
        )
        #expect(Set(entries.map(\.untimed)).count == 3 && !entries.contains { $0.untimed == nil })
        // What is missing is named alone.
        let start = error(text, .init(dayStart: 9 * 3600))
        #expect(start.contains("error[entries.time-zone]") && !start.contains("--day-start"), "\(start)")
        #expect(!error(text).contains("--time-zone") && error(text, .init()).contains("09:00, and --time-zone"))
        // What was invoiced since is the same entry.
        let later = try read(text.replacing("Yes,No", with: "Yes,Yes"), options)
        #expect(later.entries.map(\.untimed) == entries.map(\.untimed))
        // The id says nothing of the zone.
        let york = try read(bytes, .init(clock: LocalClock { _ in -5 * 3600 }, dayStart: 9 * 3600))
        #expect(york.entries.map(\.untimed?.day) == entries.map(\.untimed?.day))
        #expect(york.entries.map(\.untimed?.words) == entries.map(\.untimed?.words))
        // A day has 24 hours.
        let late = try read(bytes, .init(clock: Samples.berlin, dayStart: 23 * 3600))
        #expect(late.entries.map(\.name) == ["Letters"] && late.summary.refused == 2)
    }

    /// The heading names the currency, or a column beside the amount.
    @Test(
        arguments: [
            ("Billable Amount,Currency", "150,Euro - EUR", "150 EUR", 0), ("Amount,Currency", "$150,EUR", "$150", 1),
            ("Total price,Currency", "150,EUR", "150 EUR", 0), ("Price,Currency", "150,US Dollar - USD", "150 USD", 0),
            ("Rate,Hourly rate,Currency", "150,100,EUR", "150 EUR", 0), ("Rate,Currency", "100,EUR", nil, 0),
            ("Price", "100", nil, 0), ("Amount ()", "-", nil, 0), ("Amount (EUR),Currency", "150,USD", "150 EUR", 0),
            ("Amount (EUR),Amount (USD)", "0.00,20.00", "20.00 USD", 0),
            ("Amount (EUR),Amount (USD)", "0,0", "0 EUR", 0),
            ("Amount (EUR),Amount (USD)", "10.00,20.00", "10.00 EUR", 1),
            ("Billable Amount,Currency", "\"1,234\",Euro - EUR", "1,234 EUR", 1),
            ("Amount (EUR)", "\"100,00 €\"", "100,00 EUR", 0), ("Amount (EUR)", "€100", "100 EUR", 0),
            ("Amount (EUR)", "100.-", "100.- EUR", 0), ("Amount (USD)", "$12.00", "12.00 USD", 0),
            ("Amount (CHF)", "Fr. 100", "100 CHF", 0), ("Amount (EUR)", "$12.00", "$12.00", 1),
            ("Amount (EUR)", "1e3", "1e3", 1), ("Amount (EUR)", "n/a", nil, 1), ("Amount (EUR)", "-", nil, 0),
            ("Amount type", "fixed", nil, 0), ("Amount (EUR)", "(5.00)", "(5.00) EUR", 1),
            ("Amount (EUR)", "12.50%", "12.50% EUR", 1),
        ] as [(String, String, String?, Int)]
    )
    func amountsHaveTheirCurrency(heading: String, cells: String, amount: String?, findings: Int) throws {
        let table = "Project,Start,End,\(heading)\nA,2024-01-02 09:00,2024-01-02 10:00,\(cells)\n"
        let (entries, summary) = try read(table)
        let entry = try #require(entries.first)
        let activity = TrackerActivity(id: "a", name: "A", start: entry.start, unknownMembers: entry.preserved)
        #expect(activity.detail(.amount) == amount)
        #expect(summary.codes == Array(repeating: "entries.amount", count: findings))
        #expect(summary.lines.allSatisfy { $0.contains("row 2") })
    }

    /// Each reason is the right one.
    @Test(arguments: [
        ("\"1,234\"", "can be read in two ways"), ("1e3", "cannot be read"), ("(5.00)", "cannot be read"),
        ("12.50%", "cannot be read"),
        ("n/a", "has no number"), ("$12.00", "names another currency than its column, EUR"),
    ])
    func oddAmountsAreNamedWithTheReason(cell: String, reason: String) throws {
        let summary = try read("Project,Start,End,Amount (EUR)\nA,2024-01-02 09:00,2024-01-02 10:00,\(cell)\n").summary
        #expect(summary.lines.first?.contains(reason) == true, "\(summary.lines)")
    }

    /// A day that begins at midnight begins no earlier.
    @Test(arguments: [(0, false), (3600, true)])
    func noEarlierDayStartIsAdvisedThanMidnight(dayStart: Int, isAdvised: Bool) throws {
        let table = "Date,Project,Hours\n2026-03-02,A,20\n2026-03-02,B,20\n"
        let lines = try read(table, .init(clock: Samples.berlin, dayStart: dayStart)).summary.lines
        let line = try #require(lines.first { $0.contains("no room") })
        #expect(line.contains("an earlier --day-start") == isAdvised, "\(line)")
    }

    @Test func rowsWithoutTimesInATableWithTimes() throws {
        let table = """
            Date,Client,Project,Task,Notes,Hours,Started At,Ended At
            2024-03-01,C,P,T,a,1.5,9:00am,10:30am
            2024-03-02,C,P,T,b,0.25,,
            2024-03-02,C,P,T,c,1,,
            """
        let without = try read(table)
        #expect(without.entries.count == 1 && without.summary.codes == ["entries.time", "entries.time"])
        #expect(without.summary.lines.first?.contains("row 3 has a day and a length, but no times") == true)
        let (entries, summary) = try read(table, .init(clock: Samples.berlin, dayStart: 8 * 3600))
        #expect(
            entries.map { "\($0.start)" } == [
                "2024-03-01T09:00:00+01:00", "2024-03-02T08:00:00+01:00", "2024-03-02T08:15:00+01:00",
            ]
        )
        #expect(entries.map { $0.untimed != nil } == [false, true, true])
        #expect(summary.codes == ["entries.time-of-day"] && summary.refused == 0)
        #expect(summary.lines.first?.contains("2 rows, laid one after the other from 8:00 on") == true)
    }

    /// A row without end and length runs; a number alone says nothing where the other rows have ends.
    @Test func aLengthGivesTheEndOfARowWithoutOne() throws {
        let table = """
            Date,Start time,End time,Duration,Project
            2026-03-05,09:00,09:45,45,Web
            2026-03-05,10:00,,1:30:00,Web
            2026-03-05,12:00,,15,Web
            2026-03-06,,,15,Web
            2026-03-06,,,0:15:00,Web
            2026-03-06,14:00,,0,Web
            2026-03-06,15:00,,,Web

            """
        let (entries, summary) = try read(table, .init(clock: Samples.berlin, dayStart: 9 * 3600))
        #expect(
            entries.map { "\($0.start) \($0.end.map { "\($0)" } ?? "running")" } == [
                "2026-03-05T09:00:00+01:00 2026-03-05T09:45:00+01:00",
                "2026-03-05T10:00:00+01:00 2026-03-05T11:30:00+01:00",
                "2026-03-06T09:00:00+01:00 2026-03-06T09:15:00+01:00",
                "2026-03-06T14:00:00+01:00 running", "2026-03-06T15:00:00+01:00 running",
            ]
        )
        #expect(summary.codes == ["entries.duration", "entries.duration", "entries.time-of-day"])
        #expect(summary.lines.first?.contains("row 4 has no end, and its length \"15\" no unit") == true)
    }

    /// A decimal, or a row whose times fit, shows that the column is in hours, wherever it stands.
    @Test(arguments: [
        (["2026-03-06,,,8,Web", "2026-03-05,09:00,10:30,1.5,Web"], 8),
        (["2026-03-06,,,8,Web", "2026-03-05,,,7.5,Web"], 8),
        (["2026-03-05,09:00,11:00,2,Web", "2026-03-06,14:00,,1,Web"], 1),
        (["2026-03-05,09:00,09:15,15,Web", "2026-03-06,,,8,Web", "2026-03-07,,,7.5,Web"], nil),
        (["2026-03-06,,,8,Web", "2026-03-05,09:00,10:30,1:30,Web"], nil),
        (["2026-03-06,14:00,,30,Web", "2026-03-05,,,7.5,Web"], nil),
    ])
    func aNumberAloneIsInHoursWhereTheTableShowsIt(rows: [String], hours: Int?) throws {
        let table = "Date,Start time,End time,Duration,Project\n" + rows.joined(separator: "\n") + "\n"
        let (entries, summary) = try read(table, .init(clock: Samples.berlin, dayStart: 9 * 3600))
        #expect(summary.refused == (hours == nil ? 1 : 0), "\(summary.lines)")
        let whole = entries.first { $0.start.description.hasPrefix("2026-03-06") }
        let length = whole.flatMap { entry in entry.end.map { $0.moment.seconds - entry.start.moment.seconds } }
        #expect(length == hours.map { $0 * 3600 })
    }

    /// Where the table has no ends, a row without a length is no running entry.
    @Test func aRowWithoutALengthIsRefusedWhereTheTableHasNoEnds() throws {
        let table = "Project,Start,Duration\nA,2026-03-02 09:00,1:00:00\nB,2026-03-02 14:00,\nC,2026-03-03 09:00,0\n"
        let (entries, summary) = try read(table)
        #expect(entries.map(\.name) == ["A", "C"] && entries.allSatisfy { $0.end != nil })
        #expect(summary.codes == ["entries.duration"])
        #expect(summary.lines.first?.contains("row 3 has no length") == true, "\(summary.lines)")
    }

    @Test func windows1252IsReadAndTold() throws {
        let (entries, summary) = try read(
            Fixtures.bytes("interchange/windows-1252.csv"),
            .init(clock: Samples.berlin)
        )
        #expect(entries.map(\.name) == ["Büro"])
        #expect(entries[0].preserved["description"] == "“Café” für Müller")
        #expect(
            summary.lines == [
                "2:1: warning[text.windows-1252]: the file is not UTF-8; it is read as Windows-1252: check names such as "
                    + "\"Büro\", or save it as UTF-8"
            ]
        )
        // UTF-8 with a damaged byte is neither, and so is a byte that stands for nothing.
        for name in [[0xC3, 0xA9, 0xE9], [0x61, 0x81]] as [[UInt8]] {
            let bytes = Array("Project,Start,End\n".utf8) + name + Array(",2024-01-02T09:00:00Z,\n".utf8)
            #expect(throws: InterchangeError.self) { try read(bytes, .init(clock: Samples.berlin)) }
        }
    }

    @Test(arguments: 0..<10)
    func noiseIsSurvived(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let parts = [
            "2024-01-02", "10:00", "9:00 PM", "13/14/2024", "1/2/2024", ",", ",", ",", "\"", "\r\n", "\u{0}", "é", "-",
            "9999999999",
        ]
        for _ in 0..<300 {
            let body = (0..<Int.random(in: 0...30, using: &generator)).map { _ in
                parts.randomElement(using: &generator) ?? ""
            }
            _ = error(toggl(body.joined()))
        }
    }
}
