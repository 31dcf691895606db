import BZTimer
import CivilTime
import FormatKit
import GymPulse
import StrictJSON
import Testing
import TestSupport

@testable import Interchange

struct ZwiftTests {
    private func read(_ bytes: [UInt8]) throws -> ZwiftReading {
        guard case .workout(let reading) = ForeignFile.read(bytes, name: "w.zwo") else { throw NotAWorkout() }
        return reading
    }

    private func read(_ blocks: String, head: String = "<name>N</name>") throws -> ZwiftReading {
        try read(Array("<workout_file>\(head)<workout>\n\(blocks)\n</workout></workout_file>".utf8))
    }

    private struct NotAWorkout: Error {}

    private func lines(_ reading: ZwiftReading) -> [String] {
        (reading.session?.items ?? []).map { block in
            "\(block.kind) \(block.label) \(block.timing.totalSeconds ?? 0)" + (block.notes.map { " (\($0))" } ?? "")
        }
    }

    @Test func blocks() throws {
        let reading = try read(Fixtures.bytes("zwift/intervals.zwo"))
        let session = try #require(reading.session)
        #expect(session.name == "Over the hill" && session.tags == ["INTERVALS"])
        let round = ["activity Interval 30", "rest Recovery 45"]
        #expect(
            lines(reading) == ["activity Warm-up 300", "activity Settle in 120 (Halfway)"] + round + round + round
                + ["rest Rest 90", "activity Free ride 60", "activity Max effort 10", "activity Cool-down 200"]
        )
        #expect(session.items.allSatisfy { ($0.category == "Exercise") == ($0.kind == .activity) })
        #expect(Set(session.items.map(\.id)).count == session.items.count)
        #expect(try read(Fixtures.bytes("zwift/intervals.zwo")).session == session)
        #expect(reading.findingCount == 16 && reading.diagnostics.allSatisfy { $0.code == "conversion.loss" })
        #expect(
            reading.diagnostics.last?.description
                == "w.zwo:21:13: warning[conversion.loss]: the element <gameplayevent> is left out"
        )
    }

    @Test func windows1252IsReadAndTold() throws {
        let reading = try read(Fixtures.bytes("zwift/windows-1252.zwo"))
        #expect(reading.session?.name == "You’ll love it")
        #expect(reading.diagnostics.first?.code == "text.windows-1252")
        #expect(reading.diagnostics.first?.severity == .warning)
    }

    /// Names are written in any case, lengths with a fraction, texts in several ways.
    @Test func spellings() throws {
        let reading = try read(
            """
            <steadystate duration=" 59.5 " power="0.3"/><Freeride Duration="10.0"/>
            <IntervalsT Repeat="1" OnDuration="5" OffDuration="0" OffPower="0.9"><TextEvent TimeOffset="0.0" message="Go"/></IntervalsT>
            <Ramp Duration="7"><TextNotification timeOffset="3" text="later"/></Ramp><SteadyState Duration="0"/>
            """
        )
        #expect(
            lines(reading) == [
                "transition Transition 60", "activity Free ride 10", "activity Go 5", "activity Ramp 7 (later)",
            ]
        )
        #expect(reading.diagnostics.map(\.message).contains("59.5 s become 60 s"))
        #expect(reading.diagnostics.map(\.message).contains("<SteadyState> has no length and is left out"))
    }

    @Test(arguments: [
        ("<SteadyState Power='1'/>", "zwo.length"), ("<SteadyState Duration='abc'/>", "zwo.length"),
        ("<SteadyState Duration='-5'/>", "zwo.length"), ("<SteadyState Duration='inf'/>", "zwo.length"),
        ("<SteadyState Duration='604801'/>", "zwo.length"), ("<SteadyState Duration=''/>", "zwo.length"),
        ("<IntervalsT Repeat='0' OnDuration='1' OffDuration='1'/>", "zwo.length"),
        ("<IntervalsT Repeat='99999999999999999999' OnDuration='1' OffDuration='1'/>", "zwo.length"),
        ("<IntervalsT Repeat='1000000000' OnDuration='1' OffDuration='1'/>", "zwo.size"),
        ("<IntervalsT Repeat='2' OnDuration='1'/>", "zwo.length"), ("<RestDay/>", "zwo.empty"), ("", "zwo.empty"),
    ])
    func errors(_ blocks: String, _ code: String) throws {
        let reading = try read(blocks)
        #expect(reading.session == nil)
        let fault = try #require(reading.diagnostics.first { $0.severity == .error })
        #expect(
            fault.code == code && fault.position?.line == (blocks.isEmpty || code == "zwo.empty" ? 1 : 2),
            "\(fault)"
        )
    }

    /// What a session cannot hold is not written into one.
    @Test func emptyTexts() throws {
        let reading = try read(
            "<SteadyState Duration='60'><textevent timeoffset='0' message=''/></SteadyState>",
            head: "<name>N</name><tags><tag name=''/><tag name='a'/></tags>"
        )
        let session = try #require(reading.session)
        #expect(lines(reading) == ["activity Steady 60"] && session.tags == ["a"])
        #expect(reading.diagnostics.map(\.message) == ["an empty tag is left out", "an empty text is left out"])
        let file = BztimerFile(exporting: [session], generator: "test", exportedAt: Timestamp(seconds: 0))
        #expect(try BztimerFormat.read(file.encoded().bytes).isValid)
    }

    /// Whatever is left out is said: each a head, the blocks, and what is said of them.
    @Test(arguments: [
        ("<name lang='de'>A</name>", "", ["\"lang\" of <name> is left out"]),
        ("<name>A</name><name>B</name>", "", ["another name, \"B\", is left out"]),
        (
            "<name>A</name><tags x='1'>y<tag name='a' z='2'>hidden</tag></tags>", "",
            [
                "\"x\" of <tags> is left out", "the text \"y\" in <tags> is left out", "\"z\" of <tag> is left out",
                "the text \"hidden\" in <tag> is left out",
            ]
        ),
        ("<name>A</name>", "loose", ["the text \"loose\" in <workout> is left out"]),
        (
            "<name>A</name>", "<Ramp Duration='1' duration='2'/>",
            ["\"duration\" of <Ramp> is left out; \"Duration\" comes before it"]
        ),
        (
            "<name>A</name>", "</workout><workout><Ramp Duration='1'/>",
            ["another <workout>: its blocks follow those of the one before"]
        ),
        (
            "<name>A</name>",
            "<z:SteadyState xmlns:z='u' Duration='9'/><Ramp xmlns:z='u' Duration='1' z:Duration='7'/>",
            ["the element <SteadyState> is left out", "\"z:Duration\" of <Ramp> is left out"]
        ),
        (
            "<name>A</name>", "<SteadyState Duration='9' Power='abc'/><SteadyState Duration='9' Power='nan'/>",
            ["abc", "nan"].map { "\"Power\" of <SteadyState> is \"\($0)\"; expected a number, and taken for none" }
        ),
        (
            "<name>A</name>",
            "<Ramp Duration='60'><textevent timeoffset='45' message='m'/>"
                + "<textevent timeoffset='abc' message='q'/></Ramp>",
            [
                "the moments of texts are left out; they become notes of their blocks",
                "\"timeoffset\" of <textevent> is \"abc\"; expected a number of seconds",
            ]
        ),
        ("<name>A</name>", "<Ramp Duration='60'><textevent timeoffset='10' message='where it is written'/></Ramp>", []),
    ])
    func saidLosses(_ head: String, _ blocks: String, _ expected: [String]) throws {
        let reading = try read("<FreeRide Duration='5'/>\(blocks)", head: head)
        #expect(reading.session?.name == "A" && reading.session?.items.first?.timing.totalSeconds == 5)
        #expect(reading.diagnostics.map(\.message) == expected)
    }

    @Test func textsOfIntervals() throws {
        let texts = "<textevent timeoffset='0' message='Go'/><textevent timeoffset='2' message='on'/>"
        let reading = try read("<IntervalsT Repeat='2' OnDuration='0' OffDuration='5'>\(texts)</IntervalsT>")
        #expect(lines(reading) == ["rest Go 5 (on)", "rest Go 5"])
    }

    @Test func distances() throws {
        let head = "<name>Run</name><sportType>run</sportType><durationType>distance</durationType>"
        let reading = try read("<SteadyState Duration='1000'/>", head: head)
        #expect(reading.session == nil && reading.diagnostics.contains { $0.code == "zwo.distance" })
    }

    @Test func manyFindings() throws {
        let reading = try read(String(repeating: "<Unknown/>", count: 500) + "<SteadyState/>")
        #expect(reading.diagnostics.count == ZwiftReading.findingLimit && reading.findingCount == 501)
        #expect(reading.diagnostics.last?.severity == .error)
    }

    @Test func otherFiles() {
        func code(_ text: String) -> String? {
            if case .unusable(let fault) = ForeignFile.read(Array(text.utf8)) { fault.code } else { nil }
        }
        #expect(code("<gpx/>") == "format.other" && code("<workout_file>") == "xml.truncated")
        #expect(code("\u{FEFF} \n<a>&b;</a>") == "xml.entity")
        let wide = "<workout_file/>".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        if case .unusable(let fault) = ForeignFile.read(wide) { #expect(fault.code == "xml.encoding") }
        #expect(ForeignFile.read(wide) != nil && ForeignFile.read([0xFF, 0xFE] + wide) != nil)
        #expect(ForeignFile.read(Array("{}".utf8)) == nil && ForeignFile.read([]) == nil)
        let hostile =
            "<!DOCTYPE workout_file [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><workout_file><name>&x;</name></workout_file>"
        #expect(code(hostile) == "xml.entity")
    }

    // MARK: There and back

    @Test func losses() throws {
        let block = BlockInstance(
            id: "1",
            templateId: "t",
            label: "Push\u{B}ups",
            kind: .activity,
            timing: .reps(count: 10, secondsEach: 3),
            category: "Gym",
            color: "#FFFFFF",
            icon: "x",
            notes: "slowly\n\"and\" low",
            extra: ["device": "mat"]
        )
        let anything = BlockInstance(id: "2", label: "Any", kind: .activity, timing: .duration(seconds: 1))
        let session = SessionTemplate(
            id: "s",
            name: "S",
            items: [block, block, anything],
            tags: ["a & b"],
            scheduledDaysOfWeek: [1],
            extra: ["coach": "Ada"]
        )
        let written = try ZwiftWriter.encode(session)
        #expect(
            written.losses.map(\.description) == [
                "control characters in the label become U+FFFD (at /items/0/label)",
                "10 repetitions of 3 s become 30 s (at /items/0/reps)",
                "the category \"Gym\" is left out (at /items/0/category)",
                "references to saved activities are left out (at /items/0/templateId)",
                "the color \"#FFFFFF\" is left out (at /items/0/color)",
                "the icon \"x\" is left out (at /items/0/icon)",
                "the member \"device\" is left out (at /items/0/device)",
                "activities without a category become those of Exercise (at /items/2)",
                "the days of the week are left out (at /scheduledDaysOfWeek)",
                "the member \"coach\" is left out (at /coach)",
            ]
        )
        let back = try read(written.result)
        #expect(back.findingCount == 0 && back.session?.tags == ["a & b"])
        #expect(back.session?.items.first?.label == "Push\u{FFFD}ups")
        #expect(back.session?.items.first?.notes == "slowly\n\"and\" low")
    }

    /// What could not be read again is refused, with its place in the session.
    @Test func limits() throws {
        func block(_ timing: BlockTiming = .duration(seconds: 5), notes: String? = nil) -> BlockInstance {
            BlockInstance(id: "1", label: "B", kind: .rest, timing: timing, notes: notes)
        }
        func fault(_ items: [BlockInstance], name: String = "S", tags: [String]? = nil) throws -> String? {
            let session = SessionTemplate(id: "s", name: name, items: items, tags: tags)
            do {
                let written = try ZwiftWriter.encode(session)
                #expect(try ContentDigest(of: #require(read(written.result).session)) == ContentDigest(of: session))
                return nil
            } catch let error as AppFormatError {
                return "\(error.code) \(error.pointer?.description ?? "")"
            }
        }
        #expect(try fault([]) == "zwo.empty /items")
        #expect(try fault(Array(repeating: block(), count: 10_001)) == "zwo.size /items/10000")
        #expect(try fault(Array(repeating: block(), count: 10_000)) == nil)
        #expect(try fault([block(), block(.reps(count: 100_000, secondsEach: 86_400))]) == "zwo.length /items/1")
        #expect(try fault([block(notes: String(repeating: "n", count: 1_000_001))]) == "zwo.size /items/0/notes")
        #expect(try fault([block(notes: String(repeating: "\"", count: 166_667))]) == "zwo.size /items/0/notes")
        #expect(try fault([block(notes: String(repeating: "\"", count: 166_666))]) == nil)
        #expect(try fault([block()], name: String(repeating: "é", count: 500_001)) == "zwo.size /name")
        let tag = String(repeating: "t", count: 900_000)
        #expect(try fault([block()], tags: [tag, tag + tag]) == "zwo.size /tags/1")
        #expect(try fault(Array(repeating: block(notes: tag), count: 19)) == "zwo.size /items")
        #expect(try fault([block()], tags: Array(repeating: "t", count: 99_987)) == nil)
        #expect(try fault([block()], tags: Array(repeating: "t", count: 99_988)) == "zwo.size /tags")
    }

    /// A session of what a workout can hold comes back the same.
    @Test(arguments: [1, 2, 3])
    func roundTrip(_ seed: UInt64) throws {
        print("ZwiftTests: seed \(seed)")
        var random = SeededGenerator(seed: seed)
        let texts = [
            "Plank", " ", "a < b & \"c\"", "Zwölf\nfach", "x\t", " blank ", "𝄞", "\n\r", "\u{FEFF}x", "\u{A0}y\r",
        ]
        for _ in 0..<100 {
            let items = (0..<Int.random(in: 1...20, using: &random)).map { index in
                let kind = BlockKind.allCases.randomElement(using: &random) ?? .rest
                return BlockInstance(
                    id: "\(index)",
                    label: texts.randomElement(using: &random) ?? "",
                    kind: kind,
                    timing: .duration(seconds: Int.random(in: 1...BlockTiming.longestDuration, using: &random)),
                    category: kind == .activity ? "Exercise" : nil,
                    notes: Bool.random(using: &random)
                        ? ["", texts.randomElement(using: &random) ?? ""].randomElement(using: &random) : nil
                )
            }
            let session = SessionTemplate(
                id: "s",
                name: texts.randomElement(using: &random) ?? "",
                items: items,
                tags: Bool.random(using: &random) ? texts : nil
            )
            let written = try ZwiftWriter.encode(session)
            let back = try read(written.result)
            #expect(written.losses.isEmpty && back.findingCount == 0)
            #expect(try ContentDigest(of: #require(back.session)) == ContentDigest(of: session))
            #expect(try ZwiftWriter.encode(#require(back.session)).result == written.result)
        }
    }
}
