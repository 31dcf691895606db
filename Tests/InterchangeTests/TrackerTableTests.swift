import CivilTime
import FormatKit
import GymPulse
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct TrackerTableTests {
    private func write(_ export: TrackerExport) throws -> (bytes: [UInt8], losses: [InterchangeLoss]) {
        var losses: [InterchangeLoss] = []
        let bytes = try Samples.bytes { sink in losses = try TrackerCSV.write(export, to: sink) }
        return (bytes, losses)
    }

    private func read(_ bytes: [UInt8], piece: Int = .max) throws -> (items: [TrackerItem], summary: EntrySummary) {
        var items: [TrackerItem] = []
        let summary = try TrackerCSV.read(JSONByteSource(bytes, piece: piece)) { items.append($0) }
        return (items, summary)
    }

    /// Activities survive, whatever is in them, and writing them again gives the same bytes.
    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func activitiesSurvive(seed: UInt64) throws {
        let export = Samples.export(seed: seed)
        let (bytes, losses) = try write(export)
        #expect(losses.count == 4)
        let (items, summary) = try read(bytes, piece: 100)
        #expect(summary.findings.total == 0, "seed \(seed): \(summary.lines)")
        let back = TrackerExport(items)
        #expect(back.activities.map(\.json) == export.activities.map(\.json), "seed \(seed)")
        #expect(try write(back).bytes == bytes, "seed \(seed)")
    }

    @Test func theTableIsOneForSpreadsheets() throws {
        let start = ZonedTimestamp(Timestamp(seconds: 1_772_346_600), offsetMinutes: 60)
        let end = ZonedTimestamp(Timestamp(seconds: 1_772_350_200, nanoseconds: 500_000_000))
        let export = TrackerExport(activities: [
            TrackerActivity(id: "a", name: "Work, \"deep\"", buttonID: "b", start: start, end: end, color: "#1E90FF"),
            TrackerActivity(id: "-1", name: "=SUM(A1)", start: start, unknownMembers: ["note": "x"]),
        ])
        let (bytes, losses) = try write(export)
        #expect(losses.isEmpty)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "id,name,buttonId,startTime,endTime,durationSeconds,color,\(Self.details),extra\r\n"
                + "a,\"Work, \"\"deep\"\"\",b,2026-03-01T07:30:00+01:00,2026-03-01T07:30:00.500Z,3600.5,#1E90FF,,,,,,,,\r\n"
                + "'-1,'=SUM(A1),,2026-03-01T07:30:00+01:00,,,,,,,,,,,\"{\"\"note\"\":\"\"x\"\"}\"\r\n"
        )
    }

    /// Tags, billable and amount are columns that a person can change.
    @Test func tagsAndBillableAreRead() throws {
        let members: JSONObject = [
            "tags": ["a", "b"], "billable": true, "columns": ["Rate": "50", "Billable Amount (EUR)": "50.00"],
        ]
        let start = ZonedTimestamp(Timestamp(seconds: 1_772_346_600))
        let activity = TrackerActivity(id: "a", name: "Work", start: start, unknownMembers: members)
        let text = String(decoding: try write(TrackerExport(activities: [activity])).bytes, as: UTF8.self)
        #expect(text.contains(",color,\(Self.details),extra\r\n"))
        #expect(text.contains(",\"a, b\",yes,50.00 EUR,"))
        #expect(TrackerExport(try read(Array(text.utf8)).items).activities.first?.unknownMembers == members)
        let edited = text.replacing("\"a, b\",yes,50.00 EUR", with: "c,FALSE,60 EUR")
        let back = try #require(TrackerExport(try read(Array(edited.utf8)).items).activities.first)
        #expect(back.unknownMembers["tags"] == ["c"] && back.unknownMembers["billable"] == false)
        #expect(back.detail(.amount) == "60 EUR" && back.unknownMembers["columns"] == members["columns"])
        // Without an amount the one of the report is none either, in the next table as well.
        let emptied = text.replacing("yes,50.00 EUR", with: "yes,")
        let none = try #require(TrackerExport(try read(Array(emptied.utf8)).items).activities.first)
        #expect(none.detail(.amount) == nil && none.unknownMembers["columns"] == members["columns"])
        let again = String(decoding: try write(TrackerExport(activities: [none])).bytes, as: UTF8.self)
        #expect(TrackerExport(try read(Array(again.utf8)).items).activities == [none])
        let given = again.replacing(",yes,,", with: ",yes,70 EUR,")
        let other = try #require(TrackerExport(try read(Array(given.utf8)).items).activities.first)
        #expect(other.detail(.amount) == "70 EUR" && other.unknownMembers["columns"] == members["columns"])
    }

    /// The columns of what an activity may have.
    private static let details = "project,client,task,description,tags,billable,amount"

    @Test func theColumnsDoNotDependOnTheActivities() throws {
        let head = "id,name,buttonId,startTime,endTime,durationSeconds,color,\(Self.details),extra\r\n"
        #expect(String(decoding: try write(TrackerExport(activities: [])).bytes, as: UTF8.self) == head)
    }

    @Test func detailsHaveColumns() throws {
        let start = ZonedTimestamp(Timestamp(seconds: 1_772_346_600))
        let export = TrackerExport(activities: [
            TrackerActivity(
                id: "a",
                name: "Work",
                start: start,
                unknownMembers: ["client": "=Big", "description": "x", "task": 3, "billable": false]
            )
        ])
        let (bytes, _) = try write(export)
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == "id,name,buttonId,startTime,endTime,durationSeconds,color,\(Self.details),extra\r\n"
                + "a,Work,,2026-03-01T06:30:00Z,,,,,'=Big,,x,,no,,\"{\"\"task\"\":3}\"\r\n"
        )
        #expect(try TrackerExport(read(bytes).items).activities == export.activities)
        // What stands in both places is not guessed.
        let both = String(decoding: bytes, as: UTF8.self).replacing("\"\"task\"\"", with: "\"\"client\"\"")
        #expect(try read(Array(both.utf8)).summary.codes == ["csv.cell"])
    }

    /// A cell that somebody fills in counts, where the other members have nothing there or tags that no cell can hold.
    @Test(arguments: [("project", "null", 0), ("tags", "[\"Big Co, Inc.\",\"dev\"]", 0), ("tags", "[\"dev\"]", 1)])
    func aFilledCellCounts(detail: String, extra: String, refused: Int) throws {
        let cell = "\"{\"\"\(detail)\"\":\(extra.replacing("\"", with: "\"\""))}\""
        let times = "2026-03-01T06:30:00Z,2026-03-01T07:30:00Z"
        let table = "id,name,startTime,endTime,\(detail),extra\na,Work,\(times),Right,\(cell)\n"
        let (items, summary) = try read(Array(table.utf8))
        #expect(summary.refused == refused, "\(summary.lines)")
        let expected: JSONValue = detail == "tags" ? ["Right"] : "Right"
        let found = TrackerExport(items).activities.compactMap { $0.unknownMembers[detail] }
        #expect(found == (refused == 0 ? [expected] : []))
    }

    @Test func aDetailThatIsSetToNothingIsGone() throws {
        var activity = TrackerActivity(id: "a", name: "Work", start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600)))
        for detail in ActivityDetail.allCases {
            activity.set(detail, "yes")
            activity.set(detail, "")
        }
        #expect(activity.unknownMembers.isEmpty)
    }

    @Test func rowsOfPeopleAreReadOrReported() throws {
        let text = """
            name;startTime;endTime;id;durationSeconds;color;Mood
            Run;2026-03-01T07:30:00Z;2026-03-01T08:30:00Z;;3600;;good
            Run;2026-03-01T07:30:00Z;2026-03-01T08:30:00Z;x;60;#123456;
            Run;2026-03-01 07:30;;y;;;
            ;2026-03-01T07:30:00Z;;z;;;
            Run;;;z;;;
            Run;2026-03-01T07:30:00Z;;z;;red;
            """
        let (items, summary) = try read(Array(text.utf8))
        // The heading says which columns there are.
        #expect(items.count == 3)
        guard case .entry(let entry) = items.dropFirst().first else {
            Issue.record("a row without an id is an entry")
            return
        }
        #expect((entry.name, entry.identity, entry.place.description) == ("Run", nil, "row 2 (line 2)"))
        #expect(summary.refused == 4)
        #expect(
            summary.lines == [
                "4:5: error[csv.cell]: row 4: \"2026-03-01 07:30\" is no time with its offset from UTC; expected one such as "
                    + "2026-03-01T07:30:00+01:00",
                "5:1: error[csv.cell]: row 5: the name is missing", "6:5: error[csv.cell]: row 6: the start is missing",
                "7:30: error[csv.cell]: row 7: \"red\" is no colour; expected one such as #1E90FF",
                "1:1: warning[csv.unknown-column]: the column \"Mood\" is not read (number 7)",
                "3:49: warning[entries.duration]: row 3: the length is \"60\", but from start to end it is 3600 s; start and "
                    + "end are taken",
            ]
        )
    }

    /// A table that lacks columns says which it has; one with all of them needs no word.
    @Test func missingColumnsAreTold() throws {
        let head = "id,name,startTime,endTime,description,color\n"
        let (items, _) = try read(Array("\(head),Run,2026-03-01T07:30:00Z,2026-03-01T08:30:00Z,,\n".utf8))
        let heading = TrackerHeading(places: SourcePlaces(members: ["description", "color"]))
        #expect(items.first == .heading(heading))
        guard case .entry(let entry) = items.last else {
            Issue.record("a row without an id is an entry")
            return
        }
        #expect(entry.places == SourcePlaces(members: ["description", "color"]))
        #expect(try read(write(TrackerExport()).bytes).items == [])
    }

    @Test func aLengthGivesTheEnd() throws {
        let text = """
            id;name;startTime;endTime;durationSeconds
            ;Work;2026-03-01T07:30:00+01:00;;3600
            a;Work;2026-03-01T07:30:00.75Z;;90,5
            b;Work;2026-03-01T07:30:00Z;;
            c;Work;2026-03-01T07:30:00Z;;1:00:00
            d;Work;2026-03-01T07:30:00Z;;1,800
            """
        let (items, summary) = try read(Array(text.utf8))
        let ends = items.compactMap { item -> String? in
            switch item {
            case .entry(let entry): entry.end.map { "\($0)" } ?? "running"
            case .activity(let activity, _): activity.end.map { "\($0)" } ?? "running"
            default: nil
            }
        }
        #expect(ends == ["2026-03-01T08:30:00+01:00", "2026-03-01T07:31:31.250Z", "running"])
        #expect(
            summary.lines == [
                "5:30: error[entries.duration]: row 5 has no end, and its length is \"1:00:00\"; expected seconds such as "
                    + "3600",
                "6:30: error[entries.duration]: row 6 has no end, and its length is \"1,800\"; expected seconds such as "
                    + "3600",
            ]
        )
    }

    @Test func swappedTimesAreCorrectedOnRequest() throws {
        let rows = [
            "id,name,startTime,endTime,durationSeconds",
            "n1,Work,2026-03-06T19:00:00+01:00,2026-03-06T18:00:00+01:00,-3600",
            ",Meal,2026-03-06T21:00:00Z,2026-03-06T20:00:00Z,",
        ]
        let bytes = Array(rows.joined(separator: "\n").utf8)
        var items: [TrackerItem] = []
        let summary = try TrackerCSV.read(JSONByteSource(bytes), repair: true) { items.append($0) }
        let spans = items.compactMap { item -> String? in
            switch item {
            case .entry(let entry): "\(entry.start) \(entry.end.map { "\($0)" } ?? "")"
            case .activity(let activity, _): "\(activity.start) \(activity.end.map { "\($0)" } ?? "")"
            default: nil
            }
        }
        #expect(
            spans == [
                "2026-03-06T18:00:00+01:00 2026-03-06T19:00:00+01:00", "2026-03-06T20:00:00Z 2026-03-06T21:00:00Z",
            ]
        )
        #expect(summary.codes == ["entries.end-before-start", "entries.end-before-start"])
        #expect(summary.lines.first?.hasSuffix("; repaired: start and end are exchanged") == true)
        #expect(try read(bytes).summary.findings.total == 0)
    }

    @Test func foreignTablesAndBadJSONAreRefused() throws {
        #expect(throws: InterchangeError.self) { try read(Array("a,b\n".utf8)) }
        let head = "id,name,startTime,endTime,extra\n"
        for extra in ["[1]", "{", "{\"\"id\"\":\"\"x\"\"}", "{\"\"name\"\":1}", "{\"\"a\"\":1,\"\"a\"\":2}"] {
            let (items, summary) = try read(Array("\(head)a,b,2026-03-01T07:30:00Z,,\"\(extra)\"\n".utf8))
            #expect(TrackerExport(items).activities.isEmpty)
            #expect(summary.codes == ["csv.cell"], "\(extra)")
        }
        let deep = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let (_, summary) = try read(Array("\(head)a,b,2026-03-01T07:30:00Z,,\"{\"\"a\"\":\(deep)}\"\n".utf8))
        #expect(summary.codes == ["csv.cell"])
    }

    // MARK: Study Timer

    @Test func tablesOfSupabaseBecomeRows() throws {
        let text =
            "id,device_id,title,status,start_time,end_time,accumulated_seconds\n"
            + "1,d,\"Maths, again\",paused,2026-03-01T07:30:00+00:00,,90\n2,d,\"\",active,x,,1.5e1\n3,d,t,active,x,,many\n4,d\n"
        var rows: [JSONObject] = []
        let (table, summary) = try StudyTable.read(JSONByteSource(Array(text.utf8))) { row, _ in rows.append(row) }
        #expect(table == .sessions)
        #expect((summary.entries, summary.refused) == (3, 1))
        #expect(
            rows.map { JSONValue.object($0).text(.compact) } == [
                #"{"id":"1","device_id":"d","title":"Maths, again","status":"paused","start_time":"2026-03-01T07:30:00+00:00","#
                    + #""end_time":null,"accumulated_seconds":90}"#,
                #"{"id":"2","device_id":"d","title":"","status":"active","start_time":"x","end_time":null,"#
                    + #""accumulated_seconds":1.5e1}"#,
                #"{"id":"3","device_id":"d","title":"t","status":"active","start_time":"x","end_time":null,"#
                    + #""accumulated_seconds":"many"}"#,
            ]
        )
        let events = "id,session_id,event_type,created_at\n1,1,started,x\n"
        #expect(try StudyTable.read(JSONByteSource(Array(events.utf8))) { _, _ in }.table == .history)
        #expect(throws: InterchangeError.self) {
            try StudyTable.read(JSONByteSource(Array("a,b\n".utf8))) { _, _ in }
        }
    }
}
