import FormatKit
import Foundation
import Interchange
import StrictJSON
import Testing
import TestSupport
import TimeTracker

extension SourcePlaces: CustomStringConvertible {
    /// The places in order, as sets that are equal may be gone through in different ones.
    package var description: String { "\(members.sorted()) \(columns.sorted()) \(hasOthers)" }
}

/// Files with mutations: each reader gives records, findings and errors, the same ones however the file comes in pieces.
@Suite struct HostileFilesTests {
    private typealias Read = @Sendable (JSONByteSource, (TrackerItem) throws -> Void) throws -> EntrySummary

    private static let readers: [(name: String, read: Read)] = [
        ("tracker CSV", { try TrackerCSV.read($0, sink: $1) }),
        ("tracker XML", { try TrackerXML.read($0, sink: $1) }),
        ("calendar", { try TrackerCalendar.read($0, options: .init(clock: Samples.berlin), sink: $1) }),
        (
            "time entries",
            { source, sink in
                let options = TimeEntryTable.Options(clock: Samples.berlin, dateOrder: .mdy, naming: .both)
                return try TimeEntryTable.read(source, options: options) { try sink(.entry($0)) }
            }
        ),
        ("Apple Health", { source, sink in try AppleHealth.read(source) { try sink(.entry($0)) } }),
        ("Study Timer", { source, _ in try StudyTable.read(source) { _, _ in }.summary }),
    ]

    private static let texts: [String] = [
        "\"", ",", ";", "\r\n", "\n", "\0", "\\", "BEGIN:VEVENT\r\n", "END:VEVENT\r\n", "DTSTART:", "99991231T235959Z",
        "00000101",
        "DURATION:P9999999W\r\n", "TZID=", "RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU\r\n", "<json>", "</activity>",
        "&#0;", "]]>",
        "<!DOCTYPE x [", "startDate=\"", "9999-12-31 23:59:59 +2359", "0000-01-01 00:00:00 -2359", "13/13/2024",
        "12:60",
        "\u{FEFF}", "é", "\u{202E}", "-", "X-SATCHEL-EXTRA:{", "{\"id\":1}",
        "<activity id='x' name='y' startTime='2026-03-01T06:30:00Z'/>",
    ]

    private static let tokens = texts.map { Array($0.utf8) }

    private static func files() throws -> [[UInt8]] {
        var files = try ["tracker.csv", "tracker.ics", "tracker.xml"].map { try Fixtures.bytes("interchange/\($0)") }
        let table = [
            "Project,Description,Start Date,Start Time,End Date,End Time,Duration (h)",
            "Work,\"a \"\"b\"\"\",03/31/2024,02:30 AM,03/31/2024,04:00 AM,00:30:00",
            ",,10/27/2024,02:10 AM,10/27/2024,02:40 AM,",
        ]
        let sleep =
            "<Record type='HKCategoryTypeIdentifierSleepAnalysis' startDate='2026-03-01 23:00:00 +0100' "
            + "endDate='2026-03-02 01:00:00 +0100' value='HKCategoryValueSleepAnalysisAsleepCore'/>"
        let workout =
            "<Workout workoutActivityType='HKWorkoutActivityTypeYoga' startDate='2026-03-01 07:30:00 +0100' "
            + "endDate='2026-03-01 08:00:00 +0100'/>"
        let health = [
            "<?xml version=\"1.0\"?>", "<!DOCTYPE HealthData [", "<!ELEMENT a>", "]>", "<HealthData>", sleep, workout,
            "</HealthData>",
        ]
        for lines in [table, health] { files.append(Array(lines.joined(separator: "\n").utf8)) }
        files.append(Array("id,title,accumulated_seconds\n1,\"a, b\",90\n2,,x\n".utf8))
        return files
    }

    private func mutated(_ files: [[UInt8]], _ generator: inout SeededGenerator) -> [UInt8] {
        func random(_ most: Int) -> Int { Int.random(in: 0...max(most, 0), using: &generator) }
        var bytes = files[random(files.count - 1)]
        for _ in 0...random(6) {
            let place = random(bytes.count)
            switch random(5) {
            case 0: if place < bytes.count { bytes[place] = UInt8(random(255)) }
            case 1: bytes.insert(contentsOf: Self.tokens[random(Self.tokens.count - 1)], at: place)
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + random(40)))
            case 3:
                bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random(200))], at: random(bytes.count))
            case 4: bytes.removeSubrange(place...)
            default:
                let other = files[random(files.count - 1)]
                let from = random(other.count)
                bytes.insert(contentsOf: other[from..<min(other.count, from + random(300))], at: place)
            }
        }
        return bytes
    }

    /// All that a reader says about a file.
    private func outcome(
        _ read: Read,
        _ bytes: [UInt8],
        piece: Int
    ) -> [String] {
        var told: [String] = []
        do {
            let summary = try read(JSONByteSource(bytes, piece: piece)) { told.append("\($0)") }
            told += summary.lines + ["\(summary.entries) \(summary.refused) \(summary.passedOver)"]
        } catch {
            told.append("\(error)")
        }
        return told
    }

    @Test(arguments: 0..<12)
    func piecesMakeNoDifference(seed: Int) throws {
        var generator = SeededGenerator(seed: UInt64(seed))
        let files = try Self.files()
        for round in 0..<40 {
            let bytes = mutated(files, &generator)
            let piece = Int.random(in: 1...60, using: &generator)
            for (name, read) in Self.readers {
                let whole = outcome(read, bytes, piece: .max)
                let pieces = outcome(read, bytes, piece: piece)
                #expect(whole == pieces, "\(name), seed \(seed), round \(round), pieces of \(piece)")
                #expect(
                    !whole.contains { $0.contains("xml.library") },
                    "\(name), seed \(seed), round \(round): \(whole)"
                )
            }
            _ = InterchangeFormat.detect(bytes)
        }
    }
}
