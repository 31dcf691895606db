import BZTimer
import CivilTime
import Foundation
import GymPulse
import Testing

@Suite struct TimelineOutputTests {
    private let start = Timestamp(seconds: 1_772_346_600)
    private let stamp = Timestamp(seconds: 1_772_000_000, nanoseconds: 5)

    private func session(_ name: String, _ labels: [String]) throws -> Timeline {
        let items = labels.enumerated().map { index, label in
            BlockInstance(id: "\(index)", label: label, kind: .activity, timing: .duration(seconds: 90))
        }
        return try Timeline(SessionTemplate(id: "s", name: name, items: items))
    }

    private func calendar(_ timeline: Timeline, _ start: Timestamp? = nil) -> String {
        String(
            decoding: TimelineCalendar.encode(
                timeline,
                start: start ?? self.start,
                stamp: stamp,
                generator: "test 1.0"
            ),
            as: UTF8.self
        )
    }

    // MARK: iCalendar

    @Test func aCalendarHasAnEventForEachPhase() {
        let preset = Preset(id: "p", name: "HIIT; hard", getReadySeconds: 10, sets: 2, rounds: 1)
        let text = calendar(Timeline(preset))
        let lines = text.components(separatedBy: "\r\n")
        #expect(
            Array(lines.prefix(13)) == [
                "BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Satchel//test 1.0//EN", "CALSCALE:GREGORIAN",
                "METHOD:PUBLISH", "BEGIN:VEVENT", lines[6], "DTSTAMP:20260225T061320Z", "DTSTART:20260301T063000Z",
                "DTEND:20260301T063010Z", "SUMMARY:Get Ready", "DESCRIPTION:HIIT\\; hard", "END:VEVENT",
            ]
        )
        #expect(lines.suffix(2) == ["END:VCALENDAR", ""])
        #expect(lines.filter { $0 == "BEGIN:VEVENT" }.count == 5)
        #expect(lines.contains("SUMMARY:Rest (set 2 of 2)"))
        #expect(lines.contains("DTEND:20260301T063410Z"))
        #expect(!text.replacing("\r\n", with: "").contains { $0.isNewline })
    }

    /// The same preset and start give the same identifiers, whenever the calendar is made; all in it are distinct.
    @Test func identifiersAreStable() {
        func ids(_ preset: Preset, _ start: Timestamp) -> [String] {
            calendar(Timeline(preset), start).components(separatedBy: "\r\n").filter { $0.hasPrefix("UID:") }
        }
        let preset = Preset(id: "p")
        var renamed = preset
        renamed.name = "Other"
        #expect(Set(ids(preset, start)).count == 9)
        #expect(ids(renamed, start) == ids(preset, start))
        #expect(Set(ids(preset, start.adding(seconds: 1))).isDisjoint(with: ids(preset, start)))
        #expect(Set(ids(Preset(id: "q"), start)).isDisjoint(with: ids(preset, start)))
        #expect(ids(preset, start).allSatisfy { $0.hasSuffix("@satchel") && $0.utf8.count <= 75 })
    }

    @Test func textsAreEscaped() throws {
        let timeline = try session("a", ["back\\slash, semi;colon\nline\r\nfeed\rreturn\ttab\u{0}\u{7}bell"])
        #expect(
            calendar(timeline).contains(
                "SUMMARY:back\\\\slash\\, semi\\;colon\\nline\\nfeed\\nreturn\ttabbell\r\n"
            )
        )
        #expect(try calendar(session("a", ["x\nEND:VEVENT"])).contains("SUMMARY:x\\nEND:VEVENT\r\n"))
    }

    /// Lines have at most 75 octets and are cut between characters; unfolded they are what they were.
    @Test(arguments: ["x", "é", "漢", "🏋️", "a🏋️é,"])
    func longLinesAreFolded(character: String) throws {
        for count in [1, 20, 66, 67, 68, 75, 300] {
            let label = String(repeating: character, count: count)
            let bytes = TimelineCalendar.encode(
                try session("n", [label]),
                start: start,
                stamp: stamp,
                generator: "test"
            )
            let text = try #require(String(validating: bytes, as: UTF8.self))
            for line in text.components(separatedBy: "\r\n") {
                #expect(line.utf8.count <= 75)
                #expect(String(validating: Array(line.utf8), as: UTF8.self) != nil)
            }
            let unfolded = text.replacingOccurrences(of: "\r\n ", with: "", options: .literal)
            #expect(unfolded.utf8.contains("SUMMARY:\(label.replacing(",", with: "\\,"))\r\n".utf8))
        }
    }

    // MARK: CSV

    @Test func aTableHasARowForEachPhase() {
        let preset = Preset(id: "p", getReadySeconds: 10, workSeconds: 20, restSeconds: 5, rounds: 1)
        #expect(
            TimelineTable.csv(Timeline(preset))
                == "number,phase,label,set,round,start_seconds,duration_seconds\r\n1,getReady,Get Ready,,,0,10\r\n"
                + "2,work,Work,1,1,10,20\r\n3,rest,Rest,1,1,30,5\r\n"
        )
    }

    @Test func cellsAreQuotedWhereTheyMustBe() throws {
        let timeline = try session("n", ["plain", "a,b", "say \"go\"", "two\nlines", "two\r\nmore"])
        let text = TimelineTable.csv(timeline, start: start)
        #expect(text.contains("1,activity,plain,,,0,90,2026-03-01T06:30:00Z,2026-03-01T06:31:30Z\r\n"))
        for cell in ["\"a,b\"", "\"say \"\"go\"\"\"", "\"two\nlines\"", "\"two\r\nmore\""] {
            #expect(text.contains(",activity,\(cell),,,"))
        }
    }

    @Test func noCellIsAFormula() throws {
        let accent = TimelineTable.csv(try session("n", ["a\"\u{301},b"]))
        #expect(Array(accent.utf8).contains(Array("\"a\"\"\u{301},b\"".utf8)))
        let text = TimelineTable.csv(try session("n", ["=cmd|' /C calc'!A0", "+1,2", "'quoted'", "a=b"]))
        for cell in ["'=cmd|' /C calc'!A0", "\"'+1,2\"", "'quoted'", "a=b"] {
            #expect(text.contains(",activity,\(cell),,,"), "\(text)")
        }
    }
}
