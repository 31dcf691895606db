import BZTimer
import FormatKit
import RecordStore
import StrictJSON
import TestSupport
import Testing
import TimeTracker

@Suite struct ReadingTests {
    @Test(arguments: Fixtures.released)
    func releasedFilesAreRead(path: String) throws {
        let reading = BztimerFormat.read(try Fixtures.bytes(path), name: path)
        #expect(reading.diagnostics.filter { $0.severity == .error } == [])
        #expect(reading.version == Fixtures.version(path))
        #expect(reading.isValid)
    }

    /// What was read and written again is the same file, to the byte, where it was of the current version.
    @Test(arguments: Fixtures.released.filter { Fixtures.version($0) == BztimerFormat.currentVersion })
    func currentFilesAreWrittenAsTheyWere(path: String) throws {
        let bytes = try Fixtures.bytes(path)
        let file = try #require(BztimerFormat.read(bytes).content)
        #expect(try file.encoded().bytes == bytes)
    }

    /// What is said of a file is in the one beside it; those in `invalid` have one fault and those in `findings` are valid.
    @Test(arguments: ["invalid", "findings"].flatMap { folder in Fixtures.names(folder).map { "\(folder)/\($0)" } })
    func findingsAreExact(path: String) throws {
        let reading = BztimerFormat.read(try Fixtures.bytes(path + ".json"))
        let lines = reading.diagnostics.map { "\($0)\n" }.joined()
        #expect(lines == BztimerFormat.versions.expected { try Fixtures.text(path + ".expected.txt") })
        #expect(reading.isValid == path.hasPrefix("findings"))
    }

    @Test func fixturesAreThere() {
        #expect(Fixtures.released.count { Fixtures.version($0) <= 3 } == 16)
        #expect(Fixtures.names("invalid").count == 73)
        #expect(Fixtures.names("findings").count == 8)
    }

    /// The schemas and the settings have one idea of what is blank.
    @Test func blankCategoriesAreRefused() throws {
        let blank = (0...0x3000).compactMap(Unicode.Scalar.init).filter { $0.properties.isWhitespace } + ["\u{FEFF}"]
        #expect(blank.count == 26)
        for scalar in blank + ["\u{200B}", "\u{2800}", "\u{180E}", "a"] {
            let name = String(scalar) + String(scalar)
            let block: JSONValue = [
                "id": "b", "label": "Run", "type": "activity", "mode": "duration", "durationSeconds": 60, "reps": 0,
                "perRepSeconds": 0, "category": .string(name),
            ]
            let reading = BztimerFormat.read(
                JSONValue.object(["id": "s", "name": "One", "items": [block]]).encoded(.compact)
            )
            var settings = TimerSettings()
            let isSettable = (try? settings.set("customCategories", to: [.string(name)])) != nil
            #expect(reading.isValid == !blank.contains(scalar), "U+\(String(scalar.value, radix: 16))")
            #expect(isSettable == reading.isValid)
        }
        let spaced = try Fixtures.text("v3/leg-day.json").replacing("PT – Knee Mobility", with: " PT ")
        #expect(BztimerFormat.read(Array(spaced.utf8)).content?.categories == [" PT "])
    }

    /// The envelope that a migration adds does not count against the depth of the file.
    @Test func aFileOfTheGreatestDepthIsRead() {
        func read(_ depth: Int) -> ParseResult<BztimerFile> {
            let nested = String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
            return BztimerFormat.read(Array("{\"id\":\"s\",\"name\":\"A\",\"items\":[],\"x\":\(nested)}".utf8))
        }
        #expect(read(128).isValid, "\(read(128).diagnostics)")
        #expect(read(129).diagnostics.map(\.code) == ["json.depth"])
    }

    // MARK: Unknown members

    @Test func unknownMembersAreCountedAndInStrictModeReported() throws {
        let bytes = try Fixtures.bytes("v3/unknown-members.json")
        let reading = BztimerFormat.read(bytes)
        let places = [
            "/locale", "/session", "/sessions/0/coach", "/sessions/0/items/0/intensity", "/sessions/0/items/0/zones",
            "/activities/0/popularity",
        ]
        #expect(reading.unknownMembers().map(\.description) == places)
        #expect(reading.diagnostics.isEmpty)
        let strict = BztimerFormat.read(bytes, strict: true)
        #expect(strict.isValid)
        #expect(Set(strict.diagnostics.compactMap { $0.pointer?.description }) == Set(places))
        #expect(strict.diagnostics.allSatisfy { $0.severity == .warning && $0.position != nil })
    }

    @Test(arguments: ["v1/leg-day.json", "v2/leg-day.json", "v3/leg-day.json"])
    func parkedMembersAreNotUnknown(path: String) throws {
        let reading = BztimerFormat.read(try Fixtures.bytes(path), strict: true)
        #expect(reading.unknownMembers().isEmpty)
        #expect(reading.diagnostics.isEmpty)
    }

    @Test func ofAMemberThatMustNotBeThereNothingElseIsSaid() throws {
        let text = String(decoding: try Fixtures.bytes("invalid/duration-with-reps.json"), as: UTF8.self)
        let reading = BztimerFormat.read(Array(text.replacing("\"reps\": 5", with: "\"reps\": 0").utf8))
        #expect(reading.diagnostics.map(\.code) == ["schema.false"] && reading.findingCount == 1)
    }

    @Test func aMisspeltMemberIsGuessed() throws {
        let text = try Fixtures.text("v3/leg-day.json").replacing("\"notes\"", with: "\"note\"")
        let reading = BztimerFormat.read(Array(text.utf8), strict: true)
        #expect(reading.diagnostics.count == 1)
        #expect(reading.diagnostics[0].message.contains("\"notes\""))
    }

    // MARK: Many faults

    @Test func allFaultsAreCountedAndTheFirstHundredKept() throws {
        let block: JSONValue = ["id": "b", "label": "", "type": "nap", "mode": "duration", "durationSeconds": 0]
        let session: JSONValue = ["id": "s", "name": "One", "items": .array(Array(repeating: block, count: 500))]
        let document: JSONValue = ["format": "bztimer", "version": 3, "categories": [], "sessions": [session]]
        let reading = BztimerFormat.read(document.encoded(.indented))
        #expect(!reading.isValid)
        #expect(reading.diagnostics.count == 100)
        // Four faults in each block, and every id but the first is a repetition.
        #expect(reading.findingCount == 4 * 500 + 499)
        let offsets = reading.diagnostics.compactMap(\.position?.offset)
        #expect(offsets.count == 100)
        #expect(offsets == offsets.sorted())
    }

    @Test func theNameIsInEveryLine() {
        let reading = BztimerFormat.read(Array("[1]".utf8), name: "a b.bztimer")
        #expect(
            reading.diagnostics.map(\.description) == [
                "a b.bztimer:1:1: error[format.other]: found a list whose first element is a number, expected a BZ Timer "
                    + #"session: an object with "format": "bztimer", or with "name" and "items" (at the top level)"#
            ]
        )
    }

    @Test(
        "Content of no format is named, with what was expected",
        arguments: [
            ("null", "null"), ("5", "a number"), ("true", "a boolean"), ("\"a\"", "a string"), ("[]", "an empty list"),
            ("[null]", "a list whose first element is null"), ("[[]]", "a list whose first element is a list"),
            ("[{}]", "a list whose first element is an object of no known format"),
        ]
    )
    func noFormat(_ text: String, _ found: String) {
        let message = BztimerFormat.read(Array(text.utf8)).diagnostics.first?.message ?? ""
        #expect(message.hasPrefix("found \(found), expected a BZ Timer session: an object with "), "\(message)")
    }

    @Test(
        "An export of another time tracker is named, with what to do",
        arguments: [
            (#"[{"id":1,"start":"20260301T090000Z","end":"20260301T103000Z","tags":["mail"]}]"#, "Timewarrior"),
            (#"[{"id":1,"start":"20260301T090000Z"}]"#, "Timewarrior"),
            (#"{"buckets":{"aw-watcher-afk_host":{"type":"afkstatus","events":[]}}}"#, "ActivityWatch"),
            (#"{"id":"aw-watcher-afk_host","client":"a","hostname":"h","events":[]}"#, "ActivityWatch"),
            (#"[{"timestamp":"2026-03-01T09:00:00+00:00","duration":60.5,"data":{"app":"x"}}]"#, "ActivityWatch"),
            (#"[{"start":"2026-03-01"}]"#, nil), (#"{"buckets":[]}"#, nil),
        ] as [(String, String?)]
    )
    func otherTrackers(_ text: String, _ name: String?) {
        let message = TrackerFormat.read(Array(text.utf8)).diagnostics.first?.message ?? ""
        let said = name.map { "this is an export of \($0), which is not read" } ?? "found "
        #expect(message.hasPrefix(said), "\(message)")
        #expect(message.contains("tracker-export import") == (name != nil))
    }

    // MARK: Places

    /// What a migration broke, here because someone tampered with what was parked, is reported at its place in the file.
    @Test func placesAreThoseOfTheOriginal() throws {
        let reading = BztimerFormat.read(try Fixtures.bytes("v1/leg-day.json"))
        let current = try #require(JSONPointer("/sessions/0/items/2/category"))
        #expect(reading.origin(current).description == "/items/2/category")
        #expect(reading.position(of: reading.origin(current)) == reading.document?.root["items"]?[2]?.position)
        let second = BztimerFormat.read(try Fixtures.bytes("v2/leg-day.json"))
        #expect(second.origin(current).description == "/session/items/2/category")
        #expect(second.origin(try #require(JSONPointer("/generator"))).description == "")
        let third = BztimerFormat.read(try Fixtures.bytes("v3/leg-day.json"))
        #expect(third.origin(current) == current)
    }

    @Test(
        arguments: [
            ("{\"format\":\"bztimer\",\"version\":1,\"id\":\"s\",\"name\":\"A\",\"items\":[]}", 1),
            ("{\"format\":\"bztimer\",\"id\":\"s\",\"name\":\"A\",\"items\":[]}", 1),
            ("{\"version\":\"2.1.0\",\"id\":\"s\",\"name\":\"A\",\"items\":[]}", 1),
            ("{\"version\":1,\"id\":\"s\",\"name\":\"A\",\"items\":[]}", 1),
            ("{\"format\":\"bztimer\",\"version\":3.0,\"categories\":[],\"sessions\":[]}", 3),
        ]
    )
    func versionsAreToldByContent(text: String, version: Int) {
        let reading = BztimerFormat.read(Array(text.utf8))
        #expect(reading.version == version)
        #expect(reading.isValid, "\(reading.diagnostics)")
    }

    // MARK: Hostile input

    @Test func noTruncationTraps() throws {
        let bytes = try Fixtures.bytes("v3/unknown-members.json")
        for length in 0..<bytes.count - 1 { #expect(!BztimerFormat.read(Array(bytes[..<length])).isValid) }
    }

    @Test func noSubstitutionTraps() throws {
        var random = SeededGenerator(seed: 7)
        let bytes = try Fixtures.bytes("v1/leg-day.json")
        for _ in 0..<2000 {
            var changed = bytes
            for _ in 0..<3 {
                changed[Int.random(in: 0..<bytes.count, using: &random)] = random.pick(Array("\"{}[]:,0-9eatn\\".utf8))
            }
            let reading = BztimerFormat.read(changed)
            #expect(reading.isValid == reading.diagnostics.allSatisfy { $0.severity != .error })
        }
    }
}
