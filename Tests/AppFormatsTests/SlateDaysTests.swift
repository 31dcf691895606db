import CivilTime
import GymPulse
import Slate
import StrictJSON
import TestSupport
import Testing

/// Streaks, perfect days and rollover against the seed's pseudo-code, written down as it stands there.
@Suite struct SlateDaysTests {
    private static let today = CivilDay(number: 20_460)
    private static let seeds: [UInt64] = Array(1...500)

    // MARK: Streaks

    @Test func streaksAsThePseudoCodeHasThem() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let density = random.pick([10, 50, 90])
            let days = Set((-20...2).filter { _ in random.chance(density) }.map { Self.today.adding(days: $0) })
            var streak = 0
            var day = Self.today
            while days.contains(day) {
                streak += 1
                day = CivilDay(number: day.number - 1)
            }
            #expect(SlateDays.streak(completedDays: days, today: Self.today) == streak, "seed \(seed)")
            var (longest, run) = (0, 0)
            for offset in -21...3 {
                run = days.contains(Self.today.adding(days: offset)) ? run + 1 : 0
                longest = max(longest, run)
            }
            #expect(SlateDays.longestStreak(completedDays: days) == longest, "seed \(seed)")
        }
    }

    /// Days are those of the calendar, so the day that Apia left out ends a streak unless something was completed on it.
    @Test func aStreakIsOfCalendarDays() throws {
        let days = Set(try ["2011-12-28", "2011-12-29", "2011-12-31"].map { try #require(CivilDay($0)) })
        let today = try #require(CivilDay("2011-12-31"))
        #expect(SlateDays.streak(completedDays: days, today: today) == 1)
        #expect(SlateDays.longestStreak(completedDays: days) == 2)
        #expect(SlateDays.longestStreak(completedDays: []) == 0)
    }

    @Test func theEndsOfTheCalendarEndAStreak() {
        for number in [Int.min, Int.max] {
            let end = CivilDay(number: number)
            #expect(SlateDays.streak(completedDays: [end], today: end) == 1)
            #expect(SlateDays.longestStreak(completedDays: [end]) == 1)
        }
    }

    // MARK: Perfect days

    @Test func perfectDaysAsThePseudoCodeHasThem() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            let habits = ["a", "b", "c", "\u{e9}", "e\u{301}"].filter { _ in random.chance(60) }
            let made = completions(&random)
            let rows = (-12...3).filter { _ in random.chance(70) }
                .map { SlateDays.PlannedDay(day: Self.today.adding(days: $0), isPerfect: random.chance(50)) }
                .shuffled(using: &random)
            let scope = random.pick([.all, .asProvided, .last(1), .last(5), .last(.max)] as [SlateDays.Recomputation])
            var known = SlateHabits(dayStart: .standard)
            for habit in habits { known.insert(habit, createdAt: nil) }
            let changes = SlateDays.recomputePerfectDays(
                scope,
                of: rows,
                habits: known,
                completions: made.index,
                today: Self.today
            )
            var expected: [SlateDays.PlannedDay] = []
            for offset in -12...3 {
                let day = Self.today.adding(days: offset)
                let isPerfect = habits.isEmpty ? false : habits.allSatisfy { made.contains($0, day) }
                #expect(
                    SlateDays.isPerfectDay(day, activeHabits: habits, completions: made.index) == isPerfect,
                    "seed \(seed)"
                )
                let isInScope =
                    switch scope {
                    case .all: true
                    case .asProvided: false
                    case .last(let count): offset <= 0 && -offset < count
                    }
                // Without a habit there is nothing to tell by.
                if isInScope, !habits.isEmpty, rows.contains(where: { $0.day == day && $0.isPerfect != isPerfect }) {
                    expected.append(SlateDays.PlannedDay(day: day, isPerfect: isPerfect))
                }
            }
            #expect(changes == expected, "seed \(seed)")
        }
    }

    @Test func habitsCountFromTheDayOfTheirCreation() throws {
        func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }
        var habits = SlateHabits(dayStart: .standard)
        habits.insert("old", createdAt: "2026-01-01T08:00:00+01:00")
        habits.insert("night", createdAt: "2026-01-03T03:59:00-07:00")
        habits.insert("new", createdAt: "2026-01-03T04:00:00-07:00")
        habits.insert("unknown", createdAt: "some day")
        #expect(habits.existing(on: try day("2025-12-31")) == ["unknown"])
        #expect(habits.existing(on: try day("2026-01-02")) == ["old", "night", "unknown"])
        #expect(habits.existing(on: try day("2026-01-03")) == ["old", "night", "new", "unknown"])
        habits.insert(snapshot: [["id": "gone"], "old"], of: try day("2026-01-02"))
        habits.insert(snapshot: .string("no list"), of: try day("2026-01-03"))
        // The app took it on the day after, when there was another habit.
        habits.insert(
            snapshot: [["id": "old"], ["id": "later", "created_at": "2026-01-06T09:00:00Z"]],
            of: try day("2026-01-05")
        )
        #expect(habits.existing(on: try day("2026-01-05")) == ["old"])
        #expect(habits.existing(on: try day("2026-01-02")) == ["gone", "old"])
        #expect(habits.existing(on: try day("2026-01-03")).count == 4)
    }

    @Test func aDayIsShownWithTheHabitsThatWerePausedOrDeletedSince() throws {
        func day(_ text: String) throws -> CivilDay { try #require(CivilDay(text)) }
        var habits = SlateHabits(dayStart: .standard)
        let created = "2026-01-01T08:00:00Z"
        habits.insert("active", createdAt: created, updatedAt: created)
        habits.insert("paused", createdAt: created, updatedAt: "2026-11-01T08:00:00Z", isActive: false)
        habits.insert("asleep", createdAt: created, updatedAt: "2026-01-02T08:00:00Z", isActive: false)
        var completions = SlateCompletions()
        completions.insert("paused", on: try day("2026-01-04"))
        completions.insert("deleted", on: try day("2026-01-05"))
        completions.insert("asleep", on: try day("2026-01-05"))
        completions.insert("active", on: try day("2026-11-02"))
        let expected = [
            ("2025-12-31", 0, 0), ("2026-01-01", 0, 3), ("2026-01-03", 0, 2), ("2026-01-04", 1, 2),
            ("2026-01-05", 2, 4), ("2026-11-02", 1, 1),
        ]
        for (date, done, all) in expected {
            #expect(habits.counts(on: try day(date), completions: completions) == (done, all), "\(date)")
        }
        habits.insert(snapshot: ["active", "gone"], of: try day("2026-01-04"))
        #expect(habits.counts(on: try day("2026-01-04"), completions: completions) == (1, 3))
        #expect(completions.days.count == 3)
    }

    private struct Completions {
        var list: [(habit: String, day: CivilDay)] = []
        var index = SlateCompletions()

        func contains(_ habit: String, _ day: CivilDay) -> Bool {
            list.contains { $0.day == day && Array($0.habit.utf8) == Array(habit.utf8) }
        }
    }

    private func completions(_ random: inout SeededGenerator) -> Completions {
        var completions = Completions()
        for offset in -12...3 {
            for habit in ["a", "b", "c", "\u{e9}", "e\u{301}", "deleted"] where random.chance(75) {
                let day = Self.today.adding(days: offset)
                completions.list.append((habit, day))
                completions.index.insert(habit, on: day)
                if random.chance(20) { completions.index.insert(habit, on: day) }
            }
        }
        return completions
    }

    @Test func habitsCompareByCodePoints() {
        var completions = SlateCompletions()
        completions.insert("\u{e9}", on: Self.today)
        #expect(completions.contains("\u{e9}", on: Self.today))
        #expect(!completions.contains("e\u{301}", on: Self.today))
        #expect(completions.days(of: "\u{e9}") == [Self.today])
        #expect(completions.days(of: "e\u{301}").isEmpty)
    }

    @Test(
        arguments: [
            ("none", .asProvided), ("all", .all), ("1", .last(1)), ("30", .last(30)), ("0", nil), ("-1", nil),
            ("+1", nil),
            ("01", nil), ("All", nil), ("", nil), ("٣", nil), ("99999999999999999999", nil), ("1 ", nil),
        ] as [(String, SlateDays.Recomputation?)]
    )
    func recomputations(text: String, expected: SlateDays.Recomputation?) {
        #expect(SlateDays.Recomputation(text) == expected)
    }

    // MARK: Rollover

    /// As much of a database as the pseudo-code touches.
    private struct Plans: Equatable {
        var lastOpen: CivilDay?
        var days: Set<CivilDay> = []
        var tasks: [CivilDay: [String]] = [:]
        var done: Set<String> = []

        /// The seed's rolloverIfNeeded.
        mutating func rolloverIfNeeded(today: CivilDay, autoCarryover: Bool) {
            guard let lastOpen, lastOpen != today else { return }
            let unfinished = (tasks[lastOpen] ?? []).filter { !done.contains($0) }
            if autoCarryover {
                days.insert(today)
                for id in unfinished where !(tasks[today] ?? []).contains(id) { tasks[today, default: []].append(id) }
            }
            self.lastOpen = today
        }

        func rollover(today: CivilDay, autoCarryover: Bool, newID: () -> String) -> SlateDays.Rollover? {
            SlateDays.rollover(
                lastOpen: lastOpen,
                today: today,
                autoCarryover: autoCarryover,
                planned: (lastOpen.flatMap { tasks[$0] } ?? [])
                    .map { SlateDays.PlannedTask(id: $0, isDone: done.contains($0)) },
                alreadyPlanned: tasks[today] ?? [],
                newID: newID
            )
        }

        mutating func apply(_ rollover: SlateDays.Rollover) {
            if rollover.needsDayPlan { days.insert(rollover.today) }
            for item in rollover.items { tasks[rollover.today, default: []].append(item.taskID) }
            lastOpen = rollover.today
        }
    }

    @Test func rolloverAsThePseudoCodeHasIt() {
        for seed in Self.seeds {
            var random = SeededGenerator(seed: seed)
            var plans = Plans()
            plans.lastOpen = random.chance(10) ? nil : Self.today.adding(days: -Int.random(in: 0...4, using: &random))
            for offset in -4...0 {
                plans.tasks[Self.today.adding(days: offset)] = ["1", "2", "3", "4"].filter { _ in random.chance(50) }
            }
            plans.done = Set(["1", "2", "3", "4"].filter { _ in random.chance(40) })
            let autoCarryover = random.chance(70)
            var expected = plans
            expected.rolloverIfNeeded(today: Self.today, autoCarryover: autoCarryover)

            var calls = 0
            let newID = {
                calls += 1
                return "new-\(calls)"
            }
            let rollover = plans.rollover(today: Self.today, autoCarryover: autoCarryover, newID: newID)
            if let rollover { plans.apply(rollover) }
            #expect(plans == expected, "seed \(seed)")
            #expect(rollover?.items.map(\.id) ?? [] == (0..<calls).map { "new-\($0 + 1)" }, "seed \(seed)")
            let again = plans.rollover(today: Self.today, autoCarryover: autoCarryover, newID: newID)
            #expect(again == nil || plans.lastOpen == nil, "seed \(seed)")
        }
    }

    @Test func nothingWhereTheLastOpeningLiesAhead() {
        var plans = Plans(lastOpen: Self.today.adding(days: 1))
        plans.tasks[Self.today.adding(days: 1)] = ["1"]
        #expect(plans.rollover(today: Self.today, autoCarryover: true, newID: { "" }) == nil)
    }

    @Test func aTaskIsCarriedOverOnceAndByCodePoints() {
        let planned = ["\u{e9}", "e\u{301}", "\u{e9}", "x"].map { SlateDays.PlannedTask(id: $0, isDone: false) }
        let rollover = SlateDays.rollover(
            lastOpen: Self.today.adding(days: -30),
            today: Self.today,
            autoCarryover: true,
            planned: planned,
            alreadyPlanned: ["x"],
            newID: { "new" }
        )
        #expect(rollover?.items.map { Array($0.taskID.utf8) } == [Array("\u{e9}".utf8), Array("e\u{301}".utf8)])
        #expect(rollover?.needsDayPlan == true)
    }
}
