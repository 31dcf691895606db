import CivilTime
import FormatKit
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

@Suite struct TrackerXMLTests {
    private func write(_ export: TrackerExport) throws -> [UInt8] {
        try Samples.bytes { sink in _ = try TrackerXML.write(export, to: sink) }
    }

    private func read(_ bytes: [UInt8], piece: Int = .max) throws -> (items: [TrackerItem], summary: EntrySummary) {
        var items: [TrackerItem] = []
        let summary = try TrackerXML.read(JSONByteSource(bytes, piece: piece)) { items.append($0) }
        return (items, summary)
    }

    private func document(_ activities: String, attributes: String = "version=\"2\"", buttons: String = "") -> [UInt8] {
        let text =
            "<tracker-export \(attributes)>\n<buttons>\(buttons)</buttons>\n<activities>\n\(activities)\n</activities>\n"
            + "</tracker-export>\n"
        return Array(text.utf8)
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func everythingSurvives(seed: UInt64) throws {
        var export = Samples.export(seed: seed)
        if seed == 3 { export.timeZone = "\u{1}" }
        let bytes = try write(export)
        let (items, summary) = try read(bytes, piece: 99)
        #expect(summary.findings.total == 0, "seed \(seed): \(summary.lines)")
        let back = TrackerExport(items)
        #expect(back.activities.map(\.json) == export.activities.map(\.json), "seed \(seed)")
        #expect(back.buttons.map(\.json) == export.buttons.map(\.json), "seed \(seed)")
        #expect(back.exportedAt == export.exportedAt && back.timeZone == export.timeZone)
        #expect(back.unknownMembers == export.unknownMembers)
        #expect(try write(back) == bytes, "seed \(seed)")
    }

    /// An accent behind one of them makes one character with it.
    @Test func noncharactersWithAccents() throws {
        var export = Samples.export(seed: 1)
        export.unknownMembers["x-note"] = .string("a\u{FFFE}\u{301}\u{FFFF}\u{301}")
        let (items, summary) = try read(try write(export))
        #expect(summary.findings.total == 0, "\(summary.lines)")
        #expect(TrackerExport(items).unknownMembers == export.unknownMembers)
    }

    /// The schema's times have no year 0000.
    @Test func theYearZeroIsNotWritten() throws {
        let early = try #require(ZonedTimestamp("0000-12-31T23:59:59Z"))
        let first = try #require(ZonedTimestamp("0001-01-01T00:00:00Z"))
        let error = #expect(throws: InterchangeError.self) {
            try write(TrackerExport(activities: [TrackerActivity(id: "a", name: "Old", start: early, end: first)]))
        }
        #expect(error?.message.contains("\"Old\" begins in the year 0000") == true)
        let bytes = try write(TrackerExport(activities: [TrackerActivity(id: "a", name: "Old", start: first)]))
        #expect(try read(bytes).summary.findings.total == 0)
    }

    @Test func anExportIsReadableAndSmall() throws {
        let export = TrackerExport(
            exportedAt: "2026-03-01T07:30:00+01:00",
            buttons: [
                ActivityButton(id: "b", name: "Work & more", color: "#1E90FF", icon: "💼", position: 2_147_483_647)
            ],
            activities: [
                TrackerActivity(
                    id: "a",
                    name: "Work",
                    buttonID: "b",
                    start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600)),
                    unknownMembers: ["note": "<x>"]
                )
            ]
        )
        #expect(
            String(decoding: try write(export), as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <tracker-export version="2" exportedAt="2026-03-01T07:30:00+01:00">
                  <buttons>
                    <button id="b" name="Work &amp; more" color="#1E90FF" icon="💼" isDefault="false" position="2147483647" isVisible="true"/>
                  </buttons>
                  <activities>
                    <activity id="a" name="Work" buttonId="b" startTime="2026-03-01T06:30:00Z">
                      <json>{"note":"&lt;x&gt;"}</json>
                    </activity>
                  </activities>
                </tracker-export>

                """
        )
    }

    @Test func swappedTimesAreCorrectedOnRequest() throws {
        let activity = TrackerActivity(
            id: "a",
            name: "Work",
            start: ZonedTimestamp(Timestamp(seconds: 1_772_346_600)),
            end: ZonedTimestamp(Timestamp(seconds: 1_772_343_000))
        )
        let bytes = try write(TrackerExport(activities: [activity]))
        var items: [TrackerItem] = []
        let summary = try TrackerXML.read(JSONByteSource(bytes), repair: true) { items.append($0) }
        #expect(summary.codes == ["entries.end-before-start"])
        let read = try #require(TrackerExport(items).activities.first)
        #expect(read.start == activity.end && read.end == activity.start)
    }

    /// What is not valid is told with its place, and what is right beside it is handed on.
    @Test(arguments: [
        (
            "<activity id='b' startTime='2026-03-01T06:30:00Z'/>",
            "4:1: error[xml.element]: activity 1: the name is missing"
        ),
        ("<activity id='b' name='n'/>", "4:1: error[xml.element]: activity 1: the start is missing"),
        ("<activity name='n' startTime='2026-03-01T06:30:00Z'/>", "4:1: error[xml.element]: activity 1 has no id"),
        (
            "<activity id='b' name='n' startTime='2026-02-30T06:30:00Z'/>",
            "4:1: error[xml.element]: activity 1: \"2026-02-30T06:30:00Z\" is no time with its offset from UTC; expected one such "
                + "as 2026-03-01T07:30:00+01:00"
        ),
        (
            "<activity id='b' name='n' startTime='2026-03-01T06:30:00Z' mood='x'/>",
            "4:1: error[xml.element]: found the attribute \"mood\" of <activity>, expected \"id\", \"name\", \"buttonId\", "
        ),
        (
            "<activity id='b' name='n' startTime='2026-03-01T06:30:00Z' color='red'/>",
            "error[xml.element]: activity 1: \"red\" is no colour; expected one such as #1E90FF"
        ),
        ("<session/>", "4:1: error[xml.element]: <session> does not belong here"),
        (
            "<activity id='b' name='n' startTime='2026-03-01T06:30:00Z'><json>[1]</json></activity>",
            "4:1: error[xml.element]: what is in <json> is no JSON object"
        ),
        (
            "<activity id='b' name='n' startTime='2026-03-01T06:30:00Z'><json>{\"name\":\"m\"}</json></activity>",
            "4:1: error[xml.element]: <json> and the element both have \"name\""
        ),
        ("text", "error[xml.invalid]"),
    ])
    func faultsAreTold(text: String, expected: String) throws {
        let good = "<activity id='a' name='good' startTime='2026-03-01T06:30:00Z'/>"
        let (items, summary) = try read(document("\(text)\n\(good)"))
        #expect(summary.findings.count(.error) >= 1)
        #expect(summary.lines.contains { $0.contains(expected) }, "\(summary.lines)")
        if !expected.contains("invalid") { #expect(TrackerExport(items).activities.map(\.name) == ["good"]) }
    }

    @Test func otherFilesAndVersionsAreRefused() {
        func error(_ bytes: [UInt8]) -> String {
            do {
                _ = try read(bytes)
                return "none"
            } catch {
                return "\(error)"
            }
        }
        #expect(error(document("", attributes: "version='3'")).contains("version.newer"))
        #expect(error(document("", attributes: "version='1'")).contains("version.invalid"))
        #expect(error(document("", attributes: "version='x'")).contains("version.invalid"))
        #expect(error(document("", attributes: "")).contains("version.missing"))
        #expect(error(Array("<HealthData/>".utf8)).contains("error[xml.other]"))
        #expect(error(Array("<a xmlns='x'/>".utf8)).contains("error[xml.other]"))
        #expect(error(Array("<tracker-export version='2'><buttons>".utf8)).contains("xml.truncated"))
        #expect(
            error(Array("<!DOCTYPE x [<!ENTITY a 'b'>]><tracker-export version='2'/>".utf8)).contains("xml.doctype")
        )
        #expect(error(document(String(repeating: "<a>", count: 300))).contains("xml.depth"))
        #expect(error([]).contains("xml.empty"))
    }

    @Test func buttonsAreChecked() throws {
        let buttons =
            "<button id='b' name='n' color='red' icon='' isDefault='true' position='0' isVisible='true'/>"
            + "<button id='b' name='n' color='#000000' icon='' isDefault='yes' position='0' isVisible='true'/>"
            + "<button id='b' name='n' color='#000000' icon='' isDefault='true' position='-1' isVisible='true'/>"
            + "<button id='c' name='n' color='#000000' icon='' isDefault='true' position='7' isVisible='false'/>"
            + "<button id='d' name='n' color='#000000' isDefault='true' position='7' isVisible='false'/>"
        let (items, summary) = try read(document("", buttons: buttons))
        #expect(TrackerExport(items).buttons.map(\.id) == ["c"])
        #expect(summary.refused == 4)
        #expect(summary.codes.count == 4, "\(summary.lines)")
    }
}
