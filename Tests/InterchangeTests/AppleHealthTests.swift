import TimeTracker
import ArchiveIO
import Interchange
import StrictJSON
import Testing
import TestSupport

@Suite struct AppleHealthTests {
    private func read(
        _ bytes: [UInt8],
        _ options: AppleHealth.Options = .init(),
        piece: Int = .max
    ) throws -> (entries: [String], summary: EntrySummary) {
        var entries: [String] = []
        let summary = try AppleHealth.read(JSONByteSource(bytes, piece: piece), options: options) { entry in
            entries.append("\(entry.name) \(entry.start) \(entry.end.map { "\($0)" } ?? "running")")
        }
        return (entries, summary)
    }

    private func sleep(_ value: String, _ start: String, _ end: String) -> String {
        "<Record type=\"HKCategoryTypeIdentifierSleepAnalysis\" sourceName=\"Watch\" "
            + "startDate=\"2026-03-\(start):00 +0100\" endDate=\"2026-03-\(end):00 +0100\" "
            + "value=\"HKCategoryValueSleepAnalysis\(value)\"/>\n"
    }

    private func document(_ records: String...) -> [UInt8] {
        Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<HealthData>\n\(records.joined())</HealthData>\n".utf8)
    }

    @Test(.enabled(if: SharedFolder.exists, "this machine lacks ../shared with the samples"))
    func theSample() throws {
        let bytes = try SharedFolder.bytes("samples/apple-health/export.xml")
        let (entries, summary) = try read(bytes, piece: 13)
        #expect(entries == ["Exercise 2016-11-14T07:25:41-07:00 2016-11-14T07:30:52-07:00"])
        #expect(summary.passedOver == 6)
        #expect(
            summary.lines == [
                "note[entries.not-carried]: the kinds of 1 workout are not taken over (Running 1); each is called Exercise"
            ]
        )
        #expect(
            try read(bytes, .init(naming: .kind)).entries == [
                "Running 2016-11-14T07:25:41-07:00 2016-11-14T07:30:52-07:00"
            ]
        )
    }

    /// Stages of a night are one sleep, however many devices recorded it; time in bed counts only where nothing else does.
    @Test func noTimeCountsTwice() throws {
        let bytes = document(
            sleep("InBed", "01 22:30", "02 07:00"),
            sleep("AsleepCore", "01 23:00", "02 01:00"),
            sleep("AsleepDeep", "02 01:00", "02 02:00"),
            sleep("Awake", "02 02:00", "02 02:20"),
            sleep("AsleepREM", "02 02:20", "02 06:00"),
            sleep("AsleepUnspecified", "01 23:30", "02 06:30"),
            sleep("AsleepCore", "02 14:00", "02 14:20"),
            sleep("InBed", "03 23:00", "04 06:00"),
            sleep("InBed", "03 22:50", "04 05:00"),
            sleep("Dreaming", "05 01:00", "05 02:00")
        )
        let (entries, summary) = try read(bytes)
        #expect(
            entries == [
                "Sleep 2026-03-01T23:00:00+01:00 2026-03-02T06:30:00+01:00",
                "Sleep 2026-03-02T14:00:00+01:00 2026-03-02T14:20:00+01:00",
                "Sleep 2026-03-03T22:50:00+01:00 2026-03-04T06:00:00+01:00",
            ]
        )
        #expect(
            summary.lines == [
                "warning[health.sleep]: 1 sleep record with the value \"HKCategoryValueSleepAnalysisDreaming\", which is not known, "
                    + "passed over",
                "note[health.sleep]: 10 sleep records became 3 sleeps, 1 of them from time in bed alone",
            ]
        )
        #expect(try read(bytes, .init(sleepGap: 0)).entries.count == 3)
        let backward = document(
            sleep("AsleepCore", "01 23:00", "02 01:00"),
            sleep("AsleepCore", "03 05:00", "03 04:00")
        )
        let ofOne = try read(backward).summary
        #expect(ofOne.refused == 1 && ofOne.lines.contains { $0.hasSuffix(": 1 sleep record became 1 sleep") })
        #expect(try read(bytes, .init(takesTimeInBed: false)).entries.count == 2)
        let pieces = document(sleep("AsleepCore", "01 23:00", "02 01:00"), sleep("AsleepCore", "02 01:10", "02 02:00"))
        #expect(try read(pieces, .init(sleepGap: 599)).entries.count == 2)
        #expect(try read(pieces, .init(sleepGap: 600)).entries.count == 1)
    }

    /// A watch records a run, and another app copies it.
    @Test func workoutsOfSeveralSourcesAndPausesAreTold() throws {
        func workout(_ source: String, _ start: String, _ end: String, _ duration: String) -> String {
            "<Workout workoutActivityType=\"HKWorkoutActivityTypeRunning\" sourceName=\"\(source)\" "
                + "duration=\"\(duration)\" durationUnit=\"min\" startDate=\"2026-03-28 \(start) +0100\" "
                + "endDate=\"2026-03-28 \(end) +0100\"/>\n"
        }
        let bytes = document(
            workout("Watch", "09:00:00", "09:40:00", "31.5"),
            workout("Watch", "09:10:00", "09:20:00", "10"),
            workout("Strava", "09:00:02", "09:40:00", "39.97"),
            workout("Strava", "09:40:00", "09:50:00", "10")
        )
        let (entries, summary) = try read(bytes, .init(naming: .kind))
        #expect(entries.count == 4)
        #expect(
            summary.lines == [
                "note[entries.not-carried]: the pauses of 1 workout are not taken over (0:08:30); each lasts from its "
                    + "start to its end",
                "note[health.workout]: 2 workouts at the time of one of another source, such as Workout 1 of \"Watch\" "
                    + "and Workout 3 of \"Strava\": if it is the same one, delete one of the entries, as both count",
            ]
        )
        let apart = document(
            workout("Watch", "09:00:00", "09:40:00", "40"),
            workout("Strava", "09:40:00", "10:00:00", "20")
        )
        #expect(try read(apart, .init(naming: .kind)).summary.lines == [])
    }

    /// The order of the records makes no difference.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func anyOrderGivesTheSameSleep(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        var records = (0..<6000).map { _ in
            let day = Int.random(in: 1...27, using: &generator)
            let start = Int.random(in: 0...1300, using: &generator)
            let end = start + Int.random(in: 0...60, using: &generator)
            let kind = ["AsleepCore", "AsleepDeep", "InBed"].randomElement(using: &generator) ?? ""
            func at(_ minutes: Int) -> String { "\(two(day)) \(two(minutes / 60)):\(two(minutes % 60))" }
            return sleep(kind, at(start), at(end))
        }
        records += (1...27).map { sleep("AsleepCore", "\(two($0)) 23:50", "\(two($0)) 23:59") }
        let expected = try read(document(records.joined())).entries
        records.shuffle(using: &generator)
        #expect(try read(document(records.joined())).entries == expected, "seed \(seed)")
        #expect(!expected.isEmpty)
    }

    /// The declaration that Apple writes is not well-formed, and values hold control characters.
    @Test func whatAppleWritesIsSurvived() throws {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE HealthData [
            <!-- HealthKit Export Version: 12 -->
            <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation|Workout)*)>
            <!ATTLIST Record
              device        CDATA #IMPLIED
            >
              startDate     CDATA #REQUIRED
            <!ATTLIST Workout>
            ]>
            <HealthData locale="de_DE">
             <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Uhr\u{B}" value="1"/>
             <Correlation><Record type="HKCategoryTypeIdentifierSleepAnalysis" value="x"/></Correlation>
             <Workout workoutActivityType="HKWorkoutActivityTypeTraditionalStrengthTraining" startDate="2026-03-01 07:30:00 +0100" endDate="2026-03-01 08:00:00 +0100"/>
            </HealthData>
            """
        let (entries, summary) = try read(Array(text.utf8), .init(naming: .kind), piece: 5)
        #expect(entries == ["Traditional Strength Training 2026-03-01T07:30:00+01:00 2026-03-01T08:00:00+01:00"])
        #expect(summary.passedOver == 2)
        #expect(
            summary.lines == [
                "12:66: note[xml.control-characters]: 1 control character became spaces, as XML cannot hold them"
            ]
        )
    }

    @Test func badRecordsAreToldAndTheOthersRead() throws {
        let good =
            "<Workout workoutActivityType='x' startDate='2026-03-01 07:30:00 +0100' endDate='2026-03-01 08:00:00 +0100'/>\n"
        let bytes = document(
            good,
            "<Workout endDate='2026-03-01 08:00:00 +0100'/>\n",
            "<Workout startDate='2026-02-30 07:30:00 +0100' endDate='2026-03-01 08:00:00 +0100'/>\n",
            "<Workout startDate='2026-03-01 07:30:00 +0100' endDate='2026-03-01 07:00:00 +0100'/>\n",
            good
        )
        let (entries, summary) = try read(bytes)
        #expect(entries.count == 2)
        #expect(
            summary.lines.prefix(3) == [
                "4:1: error[health.record]: this Workout has no startDate",
                "5:1: error[health.record]: this Workout has \"2026-02-30 07:30:00 +0100\" as startDate; expected a time such as "
                    + "2026-03-01 07:30:00 +0100",
                "6:1: error[health.record]: this Workout ends before it begins",
            ]
        )
    }

    @Test func otherFilesAreRefused() {
        for (text, code) in [
            ("<a/>", "xml.other"), ("", "xml.empty"), ("<HealthData>", "xml.truncated"),
            ("<HealthData><a></HealthData>", "xml."),
            ("<HealthData>&xxe;</HealthData>", "xml.entity"), ("{}", "xml."),
            ("<HealthData>" + String(repeating: "<a>", count: 300), "xml.depth"),
        ] {
            do {
                _ = try read(Array(text.utf8))
                Issue.record("\(text) was read")
            } catch {
                #expect("\(error)".contains(code), "\(text.prefix(40)): \(error)")
            }
        }
    }

    // MARK: Archives

    private func archive(_ files: [(name: String, bytes: [UInt8])]) throws -> [UInt8] {
        try Samples.bytes { sink in
            let writer = try ArchiveWriter(.zip, to: sink)
            for file in files { try writer.add(file.name, bytes: file.bytes) }
            try writer.finish()
        }
    }

    private func read(archive bytes: [UInt8]) throws -> (count: Int, summary: EntrySummary) {
        var count = 0
        let summary = try AppleHealth.read(archive: .bytes(bytes, name: "export.zip")) { _ in count += 1 }
        return (count, summary)
    }

    /// The entry is found by what it is, as its name goes by the language of the phone.
    @Test(arguments: ["apple_health_export/export.xml", "apple_health_export/Exportación.xml", "导出.xml"])
    func archivesAreReadAsTheyAreUnpacked(name: String) throws {
        let workout = "<Workout startDate='2026-03-01 07:30:00 +0100' endDate='2026-03-01 08:00:00 +0100'/>\n"
        let export = document(String(repeating: workout, count: 5000))
        let other = Array("<?xml version=\"1.0\"?><ClinicalDocument/>".utf8)
        let bytes = try archive([
            ("apple_health_export/export_cda.xml", other), ("apple_health_export/workout-routes/route.gpx", other),
            (name, export),
        ])
        let (count, summary) = try read(archive: bytes)
        #expect(count == 5000)
        #expect(summary.source == "Apple Health, \(name) in an archive")
    }

    @Test func archivesWithoutAnExportAreRefused() throws {
        let bytes = try archive([("export.xml", Array("<a/>".utf8))])
        #expect(throws: InterchangeError.self) { try read(archive: bytes) }
        let whole = try archive([("export.xml", document(String(repeating: " ", count: 200_000)))])
        #expect(throws: ArchiveError.self) { try read(archive: Array(whole.dropLast(100))) }
        #expect(throws: ArchiveError.self) { try read(archive: Array("<HealthData/>".utf8)) }
    }
}
