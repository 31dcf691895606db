import BZTimer
import FormatKit
import GymPulse
import StrictJSON
import Testing

@Suite struct ConversionTests {
    private func block(
        _ kind: BlockKind,
        _ seconds: Int,
        label: String? = nil,
        category: String? = nil
    ) -> BlockInstance {
        let labels: [BlockKind: String] = [.transition: "Get Ready", .activity: "Work", .rest: "Rest"]
        return BlockInstance(
            id: "b",
            label: label ?? labels[kind] ?? "",
            kind: kind,
            timing: .duration(seconds: seconds),
            category: category ?? (kind == .activity ? "Exercise" : nil)
        )
    }

    private func session(_ items: [BlockInstance], name: String = "HIIT") -> SessionTemplate {
        SessionTemplate(id: "s", name: name, items: items)
    }

    private func pairs(_ count: Int, _ work: Int = 20, _ rest: Int = 10) -> [BlockInstance] {
        Array(repeating: [block(.activity, work), block(.rest, rest)], count: count).flatMap(\.self)
    }

    // MARK: Preset to session

    @Test func aPresetBecomesItsBlocks() throws {
        let preset = Preset(id: "p", name: "HIIT", getReadySeconds: 10, workSeconds: 20, restSeconds: 5, rounds: 2)
        let conversion = SessionTemplate.converting(preset)
        let blocks = conversion.result.items
        #expect(blocks.map(\.label) == ["Get Ready", "Work", "Rest", "Work", "Rest"])
        #expect(blocks.map(\.kind) == [.transition, .activity, .rest, .activity, .rest])
        #expect(blocks.map(\.category) == [nil, "Exercise", nil, "Exercise", nil])
        #expect(blocks.map(\.timing.totalSeconds) == [10, 20, 5, 20, 5])
        #expect(Set(blocks.map(\.id)).count == 5)
        #expect(conversion.result.totalSeconds == preset.totalSeconds)
        #expect(conversion.losses.isEmpty)
    }

    @Test func whatASessionCannotHoldIsNamed() {
        let preset = Preset(id: "p", sets: 3, rounds: 4, soundEnabled: false, voiceEnabled: false, extra: ["x": 1])
        #expect(
            SessionTemplate.converting(preset).losses.map(\.description) == [
                "3 sets of 4 rounds become 12 rounds one after another (at /sets)",
                "sound is off, which a session cannot say (at /soundEnabled)",
                "voice is off, which a session cannot say (at /voiceEnabled)", "the member \"x\" is left out (at /x)",
            ]
        )
    }

    @Test func phasesOfNoTimeAreNoBlocks() {
        let preset = Preset(id: "p", getReadySeconds: 0, workSeconds: 0, restSeconds: 5, rounds: 3)
        #expect(SessionTemplate.converting(preset).result.items.map(\.kind) == [.rest, .rest, .rest])
    }

    /// There and back gives the same preset where it has one set, or more rounds than one set can have.
    @Test(arguments: [
        (0, 1, 1, 1, 1), (10, 60, 60, 1, 4), (1800, 1800, 1800, 1, 99), (5, 20, 10, 2, 50), (0, 7, 3, 99, 99),
    ])
    func thereAndBack(_ numbers: (Int, Int, Int, Int, Int)) throws {
        let preset = Preset(
            id: "p",
            name: "HIIT",
            getReadySeconds: numbers.0,
            workSeconds: numbers.1,
            restSeconds: numbers.2,
            sets: numbers.3,
            rounds: numbers.4
        )
        let back = try Preset.converting(SessionTemplate.converting(preset).result)
        #expect(back.result == preset)
        #expect(back.losses.isEmpty)
    }

    // MARK: Session to preset

    @Test func theFirstBlockThatBreaksThePatternIsNamed() {
        let cases: [([BlockInstance], String, String)] = [
            ([], "has no activity and no rest", "/items"),
            ([block(.transition, 5)], "has no activity and no rest", "/items"),
            ([block(.activity, 5)], "block 1, \"Work\", is the last one; expected a rest after it", "/items/0"),
            (pairs(2) + [block(.activity, 20)], "block 5, \"Work\", is the last one", "/items/4"),
            ([block(.rest, 5)] + pairs(1), "block 1, \"Rest\", is a rest; expected an activity", "/items/0"),
            (pairs(1) + [block(.transition, 5)] + pairs(1), "block 3, \"Get Ready\", is a transition", "/items/2"),
            (
                pairs(1) + pairs(1, 21), "block 3, \"Work\", takes 21 s; expected 20 s like the activity before it",
                "/items/2"
            ),
            (
                pairs(1) + pairs(1, 20, 11), "block 4, \"Rest\", takes 11 s; expected 10 s like the rest before it",
                "/items/3"
            ),
            (pairs(1, 1801), "block 1, \"Work\", takes 1801 s; expected 1 to 1800 s", "/items/0"),
            (
                [block(.transition, 1801)] + pairs(1), "block 1, \"Get Ready\", takes 1801 s; expected 0 to 1800 s",
                "/items/0"
            ),
            (pairs(101), "block 199, \"Work\", begins round 100, and 101 rounds make no sets", "/items/198"),
            (pairs(99 * 99 + 1), "begins round 100", "/items/198"),
        ]
        for (items, message, place) in cases {
            let error = #expect(throws: AppFormatError.self) { try Preset.converting(session(items)) }
            #expect(error?.code == .conversionPattern)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.pointer?.description == place)
        }
    }

    @Test func manyRoundsAreFewSets() throws {
        for (count, sets, rounds) in [(99, 1, 99), (100, 2, 50), (121, 11, 11), (9801, 99, 99)] {
            let preset = try Preset.converting(session(pairs(count))).result
            #expect([preset.sets, preset.rounds] == [sets, rounds])
        }
    }

    @Test func whatAPresetCannotHoldIsNamedOnce() throws {
        var squats = block(.activity, 36, label: "Squats", category: "Legs")
        squats.timing = .reps(count: 12, secondsEach: 3)
        squats.color = "#fff"
        squats.templateId = "t"
        var legs = session(
            [squats, block(.rest, 10), squats, block(.rest, 10)],
            name: " A name of more than thirty letters "
        )
        legs.tags = ["a"]
        legs.scheduledDaysOfWeek = [1]
        legs.extra = ["coach": "Ann"]
        let conversion = try Preset.converting(legs)
        #expect(conversion.result.name == "A name of more than thirty let")
        #expect(conversion.result.workSeconds == 36)
        #expect(
            conversion.losses.map(\.description) == [
                "the name \" A name of more than thirty letters \" becomes \"A name of more than thirty let\" (at /name)",
                "the label \"Squats\" becomes \"Work\" (at /items/0/label)",
                "the category \"Legs\" is left out (at /items/0/category)",
                "12 repetitions of 3 s become 36 s (at /items/0/reps)",
                "references to saved activities are left out (at /items/0/templateId)",
                "the color \"#fff\" is left out (at /items/0/color)", "the tags are left out (at /tags)",
                "the days of the week are left out (at /scheduledDaysOfWeek)",
                "the member \"coach\" is left out (at /coach)",
            ]
        )
    }
}
