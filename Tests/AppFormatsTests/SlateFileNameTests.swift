import CivilTime
import Slate
import TestSupport
import Testing

@Suite struct SlateFileNameTests {
    @Test(
        arguments: [
            ("2025-09-22T15:04:05-07:00", "Slate-20250922.json"), ("2026-01-07T23:30:00-07:00", "Slate-20260107.json"),
            ("2026-01-07T00:30:00+14:00", "Slate-20260107.json"), ("2024-02-29T12:00:00.5Z", "Slate-20240229.json"),
            ("2026-02-29T12:00:00Z", nil), ("2026-01-07", nil), ("2026-01-07T12:00:00", nil), ("", nil),
        ]
    )
    func theDateIsThatOfItsOwnOffset(exportedAt: String, expected: String?) {
        #expect(SlateFileName(exportedAt: exportedAt, kind: .json)?.description == expected)
    }

    @Test(
        arguments: [
            "Slate-20260107.json", "Slate-20260107.slatebackup", "Slate-20260107-2.json",
            "Slate-20260107-10.slatebackup",
            "Slate-20240229-999999999.slatebackup", "Slate-20260107.json.age", "Slate-20260107-2.slatebackup.age",
            "Slate-20240229-999999999.slatebackup.age", "Slate-00000101.json", "Slate-99991231.json",
        ]
    )
    func namesThereAndBack(name: String) throws {
        let parsed = try #require(SlateFileName(name))
        #expect(parsed.description == name)
        #expect(SlateFileName(day: parsed.day, number: parsed.number, kind: parsed.kind) == parsed)
    }

    @Test(
        arguments: [
            "", "Slate-", "Slate-20260107", "Slate-20260107.", "Slate-20260107.JSON", "slate-20260107.json",
            "SLATE-20260107.json", "Slate_20260107.json", "Slate-20260229.json", "Slate-20261301.json",
            "Slate-20260100.json", "Slate-2026017.json", "Slate-020260107.json", "Slate-2026-01-07.json",
            "Slate-20260107-1.json", "Slate-20260107-0.json", "Slate-20260107-02.json", "Slate-20260107-.json",
            "Slate-20260107--2.json", "Slate-20260107-+2.json", "Slate-20260107-2x.json", "Slate-20260107-2-2.json",
            "Slate-20260107-1000000000.json", "Slate-20260107-99999999999999999999.json", "Slate-20260107.json.json",
            "Slate-20260107.age", "Slate-20260107.age.json", "Slate-20260107.json.age.age",
            "Slate-20260107.json~", "Slate-20260107.json.tmp", ".Slate-20260107.json", "Slate-20260107 .json",
            "Slate-20260107.json ", "Slate-20260107.json\n", "Slate-２0260107.json", "Slate-20260107.jsón",
            "Slate-20260107.zip", "Slate-20260107 (1).json", "backups/Slate-20260107.json", "Slate-20260107.json\u{0}",
            "Slate-.20260107.json", "Slate-2026010.7.json", "Slate-20260107\u{301}.json", ".json", "Slate-.json",
        ]
    )
    func whatIsNoName(name: String) { #expect(SlateFileName(name) == nil) }

    /// Each text differs from a name in one place.
    @Test func damagedNamesAreNoneOrOther() throws {
        let alphabet = Array("Slate-0123456789.jsonbackup \u{0}é")
        for seed in UInt64(1)...2_000 {
            var random = SeededGenerator(seed: seed)
            var characters = Array(random.pick(["Slate-20260107.json", "Slate-20260107-12.slatebackup"]))
            let place = Int.random(in: 0..<characters.count, using: &random)
            switch Int.random(in: 0..<3, using: &random) {
            case 0: characters.remove(at: place)
            case 1: characters.insert(random.pick(alphabet), at: place)
            default: characters[place] = random.pick(alphabet)
            }
            let name = String(characters)
            if let parsed = SlateFileName(name) { #expect(parsed.description == name, "seed \(seed)") }
        }
    }

    @Test func theLargestIsTheNewest() throws {
        let names = [
            "Slate-20251231-3.slatebackup", "Slate-20260107.json", "Slate-20260107.slatebackup",
            "Slate-20260107-2.json",
            "Slate-20260107-10.json", "Slate-20260108.json",
        ]
        let parsed = try names.map { try #require(SlateFileName($0)) }
        #expect(parsed.reversed().sorted().map(\.description) == names)
    }

    @Test func theNextOfTheDay() throws {
        let name = try #require(SlateFileName("Slate-20260107.slatebackup"))
        #expect(name.next?.description == "Slate-20260107-2.slatebackup")
        #expect(name.next?.next?.description == "Slate-20260107-3.slatebackup")
        #expect(SlateFileName("Slate-20260107-999999999.json")?.next == nil)
        #expect(SlateFileName(day: name.day, number: .max, kind: .json) == nil)
        #expect(SlateFileName(day: name.day, number: 0, kind: .json) == nil)
        #expect(SlateFileName(day: CivilDay(number: .max), kind: .json) == nil)
        #expect(SlateFileName(day: CivilDay(number: .min), kind: .json) == nil)
    }
}
