import CivilTime
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct FormatTests {
    @Test(arguments: [
        ("id,name,buttonId,startTime,endTime,durationSeconds,color,extra\n", InterchangeFormat.trackerCSV),
        ("\u{FEFF}name;startTime;endTime\n", .trackerCSV),
        ("<?xml version=\"1.0\"?>\n<!-- x -->\n<tracker-export version=\"2\">", .trackerXML),
        ("\r\nbegin:vcalendar\r\n", .calendar),
        ("User,Email,Project,Start date,Start time,End date,End time,Duration\n", .toggl),
        ("\"Project\",\"Start Date\",\"Start Time\",\"End Date\",\"End Time\",\"Duration (h)\"\n", .clockify),
        ("<?xml version=\"1.0\"?><!DOCTYPE HealthData [", .appleHealth),
        ("<HealthData locale=\"en_US\">", .appleHealth),
        ("id,accumulated_seconds\n", .study), ("id,session_id,event_type\n", .study),
        ("{\"format\":\"tracker-export\"}", nil), ("", nil), ("<a/>", nil), ("a,b\n", nil), ("\u{0}\u{0}", nil),
        ("\"a", nil),
    ])
    func filesAreToldByTheirContent(text: String, expected: InterchangeFormat?) {
        #expect(InterchangeFormat.detect(Array(text.utf8)) == expected)
    }

    /// What the writers gave when these files were made; other programs read them as well (scripts/check-calendar.py).
    @Test(arguments: ["tracker.csv", "tracker.ics", "tracker.xml"])
    func theFixturesAreWrittenAgainByteByByte(name: String) throws {
        let fixture = try Fixtures.bytes("interchange/\(name)")
        var items: [TrackerItem] = []
        let source = JSONByteSource(fixture)
        let format = try #require(InterchangeFormat.detect(fixture))
        let summary =
            switch format {
            case .trackerCSV: try TrackerCSV.read(source) { items.append($0) }
            case .trackerXML: try TrackerXML.read(source) { items.append($0) }
            default: try TrackerCalendar.read(source) { items.append($0) }
            }
        #expect(summary.findings.total == 0, "\(summary.lines)")
        let export = TrackerExport(items)
        #expect(export.activities.count == 4)
        let written = try Samples.bytes { sink in
            _ =
                switch format {
                case .trackerCSV: try TrackerCSV.write(export, to: sink)
                case .trackerXML: try TrackerXML.write(export, to: sink)
                default:
                    try TrackerCalendar.write(
                        export,
                        stamp: Timestamp(seconds: 1_772_346_600),
                        generator: "tracker-export 1.0",
                        to: sink
                    )
                }
        }
        #expect(written == fixture)
    }
}
