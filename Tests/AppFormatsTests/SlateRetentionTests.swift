import CivilTime
import FormatKit
import Foundation
import GymPulse
import Slate
import TestSupport
import Testing

@Suite struct SlateRetentionTests {
    private static let today = CivilDay("2026-01-07") ?? CivilDay(number: 0)

    private func decide(
        _ rules: SlateRetention,
        _ names: [String],
        verifies: (String) -> Bool = { _ in true }
    ) -> [String: [String]] {
        let decisions = rules.decide(names, today: Self.today, verifies: verifies)
        #expect(decisions.map(\.name) == names)
        return Dictionary(
            decisions.map { ($0.name, [$0.isKept ? "keep" : "remove"] + $0.reasons) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test func eachRuleSaysWhy() throws {
        let decisions = decide(
            try SlateRetention(last: 2, daily: 2, weekly: 2, monthly: 2, yearly: 2),
            [
                "Slate-20260107-2.json", "Slate-20260107.json", "Slate-20260105.json", "Slate-20260104.json",
                "Slate-20251229.json", "Slate-20251228.json", "Slate-20241231.slatebackup",
            ]
        )
        #expect(
            decisions == [
                "Slate-20260107-2.json": [
                    "keep", "last 1 of 2", "daily 2026-01-07", "weekly 2026-W02", "monthly 2026-01", "yearly 2026",
                    "the newest that verifies",
                ], "Slate-20260107.json": ["keep", "last 2 of 2"], "Slate-20260105.json": ["keep", "daily 2026-01-05"],
                "Slate-20260104.json": ["keep", "weekly 2026-W01"],
                "Slate-20251229.json": ["keep", "monthly 2025-12", "yearly 2025"],
                "Slate-20251228.json": ["remove", "no rule keeps it"],
                "Slate-20241231.slatebackup": ["remove", "no rule keeps it"],
            ]
        )
    }

    /// From Auckland to Honolulu, over the date line.
    @Test func theOneThatWasExportedLastIsTheNewestWhateverItsDate() throws {
        let names = ["Slate-20260105.json", "Slate-20260106.json", "Slate-20260106-2.json", "Slate-20260107.json"]
        let texts = [
            "2026-01-05T08:00:00+13:00", "2026-01-06T08:00:00+13:00", "2026-01-06T20:00:00-10:00",
            "2026-01-07T08:00:00+13:00",
        ]
        func decide(_ rules: SlateRetention, _ moments: [String: Timestamp]) -> [Bool] {
            rules.decide(names, moments: moments, today: Self.today) { _ in true }.map(\.isKept)
        }
        let moments = Dictionary(uniqueKeysWithValues: zip(names, texts.map { Timestamp($0) ?? Timestamp(seconds: 0) }))
        #expect(try decide(SlateRetention(last: 1), moments) == [false, false, true, false])
        #expect(try decide(SlateRetention(last: 1), [:]) == [false, false, false, true])
        // A day counts once, also where it comes before and after another.
        #expect(try decide(SlateRetention(daily: 2), moments) == [false, false, true, true])
        // A moment that does not go with the date does not count, and the others do.
        var wrong = moments
        wrong[names[0]] = Timestamp("2026-03-01T08:00:00+13:00")
        #expect(try decide(SlateRetention(last: 1), wrong) == [false, false, true, false])
        wrong[names[2]] = nil
        #expect(try decide(SlateRetention(last: 1), wrong) == [false, false, false, true])
    }

    /// Days without a backup do not count: the last two daily ones may be years old.
    @Test func periodsWithoutABackupDoNotCount() throws {
        let names = ["Slate-20160301.json", "Slate-20190301.json", "Slate-20220301.json"]
        let decisions = try SlateRetention(daily: 2).decide(names, today: Self.today) { _ in true }
        #expect(decisions.map(\.isKept) == [false, true, true])
    }

    @Test func whatIsNoBackupOrOfTheFutureStaysAndDoesNotCount() throws {
        let names = [
            "Slate-20260108.json", "Slate-20260107.json", "Slate-20260106.json", "Slate-20260231.json", "notes.txt",
            "slate-20200101.json", "Slate-20200101-1.json",
        ]
        let decisions = decide(try SlateRetention(last: 1), names)
        #expect(decisions["Slate-20260108.json"] == ["keep", "dated in the future: left alone"])
        #expect(decisions["Slate-20260107.json"] == ["keep", "last 1 of 1", "the newest that verifies"])
        #expect(decisions["Slate-20260106.json"] == ["remove", "no rule keeps it"])
        for name in names.suffix(4) { #expect(decisions[name] == ["keep", "not a backup name: left alone"]) }
    }

    @Test func whatDoesNotVerifyTakesNoRulesPlace() throws {
        let names = (1...6).map { "Slate-2026010\($0).json" }
        var asked: [String] = []
        let decisions = decide(try SlateRetention(last: 1), names) {
            asked.append($0)
            return $0 == names[2] || $0 == names[0]
        }
        #expect(asked == [names[5], names[4], names[3], names[2]])
        #expect(decisions[names[2]] == ["keep", "last 1 of 1", "the newest that verifies"])
        for index in 3...5 { #expect(decisions[names[index]] == ["keep", Self.unsound]) }
        for index in 0...1 { #expect(decisions[names[index]]?.first == "remove") }
    }

    /// A good backup of the same day is not removed in favour of one that no device can read.
    @Test func aSoundOneOfTheSameDayStays() throws {
        let names = ["Slate-20260106.json", "Slate-20260106-2.json", "Slate-20260107.json"]
        let decisions = decide(try SlateRetention(daily: 2), names) { $0 != names[1] }
        #expect(decisions[names[0]] == ["keep", "daily 2026-01-06"])
        #expect(decisions[names[1]] == ["keep", Self.unsound])
    }

    private static let unsound = "does not verify: left alone, and takes no other's place"

    @Test func whereNoneVerifiesNoneIsRemoved() throws {
        let names = ["Slate-20260107.json", "Slate-20260106.json", "Slate-20270101.json"]
        let decisions = decide(try SlateRetention(last: 1), names) { $0 == "Slate-20270101.json" }
        for name in names.dropLast() { #expect(decisions[name] == ["keep", Self.unsound]) }
    }

    /// What was lost and not noticed yet does not age out, and one of those backups is enough.
    @Test func theNewestThatOutweighsTheNewestStays() throws {
        let names = (1...6).map { "Slate-2026010\($0).json" }
        let rules = try SlateRetention(last: 2)
        for (full, kept) in [(0...1, [1, 4, 5]), (0...4, [4, 5]), (0...5, [4, 5])] {
            let decisions = rules.decide(
                names,
                today: Self.today,
                verifies: { _ in true },
                outweighs: { name, newest in
                    #expect(newest == names[5])
                    return full.contains(names.firstIndex(of: name) ?? -1) && !full.contains(5)
                }
            )
            #expect(decisions.indices.filter { decisions[$0].isKept } == kept)
            let reason = decisions.first { $0.name == names[1] }?.reasons
            #expect(reason == [kept.contains(1) ? "holds far more than the newest that verifies" : "no rule keeps it"])
        }
    }

    /// An older one that a rule keeps lacks what came after it.
    @Test func theNewestThatOutweighsStaysThoughAnOlderOneDoes() throws {
        let names = ["Slate-20251201.json", "Slate-20260103.json", "Slate-20260104.json", "Slate-20260107.json"]
        let decisions = try SlateRetention(monthly: 2).decide(
            names,
            today: Self.today,
            verifies: { _ in true },
            outweighs: { name, _ in name < names[2] }
        )
        #expect(decisions.map(\.isKept) == [true, true, false, true])
    }

    @Test func nothingIsVerifiedWhereNothingIsRemoved() throws {
        var asked = 0
        let decisions = decide(try SlateRetention(yearly: .max), ["Slate-20260107.json", "Slate-20250107.json", "x"]) {
            _ in
            asked += 1
            return true
        }
        #expect(asked == 0)
        #expect(decisions.values.allSatisfy { $0.first == "keep" })
        #expect(try SlateRetention(last: 1).decide([], today: Self.today, verifies: { _ in false }).isEmpty)
    }

    @Test func rulesThatKeepNothingAreAnError() {
        for make in [{ try SlateRetention() }, { try SlateRetention(last: 3, weekly: -1) }] {
            #expect { try make() } throws: { ($0 as? AppFormatError)?.code == .retention }
        }
    }

    /// Against every rule spelled out over the whole list, with Foundation's calendar for weeks.
    @Test func asSpelledOut() throws {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        for seed in UInt64(1)...400 {
            var random = SeededGenerator(seed: seed)
            let number = { (chance: Int) in random.chance(chance) ? Int.random(in: 1...6, using: &random) : 0 }
            let counts = [number(90), number(50), number(50), number(50), number(50)]
            guard counts.contains(where: { $0 > 0 }) else { continue }
            let rules = try SlateRetention(
                last: counts[0],
                daily: counts[1],
                weekly: counts[2],
                monthly: counts[3],
                yearly: counts[4]
            )
            let span = random.pick([5, 40, 400, 3_000])
            let drawn = Set((0..<random.pick([1, 10, 60])).map { _ in Self.name(span, &random) })
            let names = drawn.sorted().shuffled(using: &random)
            let sound = Set(names.filter { _ in random.chance(40) })
            let decisions = rules.decide(names, today: Self.today, verifies: sound.contains)
            let removed = Set(decisions.filter { !$0.isKept }.map(\.name))
            #expect(removed == Self.oracle(names, counts, sound, calendar), "seed \(seed)")
            #expect(decisions.allSatisfy { !$0.reasons.isEmpty }, "seed \(seed)")
        }
    }

    private static func name(_ span: Int, _ random: inout SeededGenerator) -> String {
        if random.chance(5) { return "other-\(Int.random(in: 0..<9, using: &random))" }
        let date = today.adding(days: Int.random(in: -span...3, using: &random)).description
        let digits = date.split(separator: "-").joined()
        return "Slate-\(digits)\(random.pick(["", "", "-2", "-10"])).\(random.pick(["json", "slatebackup"]))"
    }

    /// The names to remove, one rule after the other, by text and sets.
    private static func oracle(
        _ names: [String],
        _ counts: [Int],
        _ sound: Set<String>,
        _ calendar: Calendar
    ) -> Set<String> {
        let present = today.description.split(separator: "-").joined()
        let backups = names.filter { $0.hasPrefix("Slate-") && $0.dropFirst(6).prefix(8) <= present }
            .sorted { sortKey($0) > sortKey($1) }
        let periods: [(String) -> String] = [
            { String($0.dropFirst(6).prefix(8)) }, { week($0, calendar) }, { String($0.dropFirst(6).prefix(6)) },
            { String($0.dropFirst(6).prefix(4)) },
        ]
        func ruled(_ backups: [String]) -> Set<String> {
            var kept = Set(backups.prefix(counts[0]))
            for (count, period) in zip(counts.dropFirst(), periods) {
                let groups = Dictionary(grouping: backups, by: period)
                for key in groups.keys.sorted(by: >).prefix(count) {
                    if let first = groups[key]?.first { kept.insert(first) }
                }
            }
            return kept
        }
        guard let newest = backups.first(where: sound.contains), ruled(backups).count < backups.count else { return [] }
        let good = backups.filter(sound.contains)
        // A damaged one stays where it would have been kept, and counts for nothing.
        let damaged = backups.filter { name in
            !sound.contains(name) && ruled(backups.filter { sound.contains($0) || $0 == name }).contains(name)
        }
        return Set(backups).subtracting(ruled(good)).subtracting(damaged).subtracting([newest])
    }

    private static func sortKey(_ name: String) -> String {
        let number = name.contains("-10.") ? "10" : name.contains("-2.") ? "02" : "01"
        return name.dropFirst(6).prefix(8) + number + (name.hasSuffix("json") ? "a" : "b")
    }

    private static func week(_ name: String, _ calendar: Calendar) -> String {
        let digits = Int(name.dropFirst(6).prefix(8)) ?? 0
        let day = CivilDay(year: digits / 10_000, month: digits / 100 % 100, day: digits % 100) ?? today
        let date = Date(timeIntervalSince1970: Double(day.number) * 86_400)
        let week = calendar.component(.weekOfYear, from: date)
        return "\(calendar.component(.yearForWeekOfYear, from: date))-\(week < 10 ? "0" : "")\(week)"
    }

    /// Weeks at the turn of the year, as ISO 8601 has them.
    @Test(
        arguments: [
            ("20260105", "2026-W02"), ("20260104", "2026-W01"), ("20251229", "2026-W01"), ("20251228", "2025-W52"),
            ("20210103", "2020-W53"), ("20210104", "2021-W01"), ("20161231", "2016-W52"), ("20160101", "2015-W53"),
            ("00000103", "0000-W01"),
        ]
    )
    func weeks(date: String, week: String) throws {
        let decisions = try SlateRetention(weekly: 1).decide(["Slate-\(date).json"], today: Self.today) { _ in true }
        #expect(decisions.map(\.reasons) == [["weekly \(week)"]])
    }
}
