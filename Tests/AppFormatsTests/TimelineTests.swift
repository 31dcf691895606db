import BZTimer
import CivilTime
import FormatKit
import GymPulse
import Testing

@Suite struct TimelineTests {
    private func lines(_ timeline: Timeline) -> [String] {
        timeline.entries.map { entry in
            let place = entry.set.flatMap { set in entry.round.map { " \(set)/\($0)" } } ?? ""
            return "\(entry.start)+\(entry.duration) \(entry.phase) \(entry.label)\(place)"
        }
    }

    @Test func aPresetIsSetsOfRounds() {
        let preset = Preset(
            id: "p",
            name: "HIIT",
            getReadySeconds: 10,
            workSeconds: 20,
            restSeconds: 5,
            sets: 2,
            rounds: 2
        )
        let timeline = Timeline(preset)
        #expect(
            lines(timeline) == [
                "0+10 getReady Get Ready", "10+20 work Work 1/1", "30+5 rest Rest 1/1", "35+20 work Work 1/2",
                "55+5 rest Rest 1/2", "60+20 work Work 2/1", "80+5 rest Rest 2/1", "85+20 work Work 2/2",
                "105+5 rest Rest 2/2",
            ]
        )
        #expect(timeline.total == 110)
        #expect(preset.totalSeconds == 110)
        #expect(timeline.sets == 2 && timeline.rounds == 2 && timeline.isPreset)
    }

    @Test func phasesOfNoTimeAreLeftOut() {
        #expect(
            lines(Timeline(Preset(id: "p", getReadySeconds: 0, workSeconds: 5, restSeconds: 0, rounds: 2)))
                == ["0+5 work Work 1/1", "5+5 work Work 1/2"]
        )
        #expect(Timeline(Preset(id: "p", getReadySeconds: 0, workSeconds: 0, restSeconds: 0)).entries.isEmpty)
    }

    @Test func theLongestPresetIsFinite() {
        let preset = Preset(
            id: "p",
            getReadySeconds: 1800,
            workSeconds: 1800,
            restSeconds: 1800,
            sets: 99,
            rounds: 99
        )
        let timeline = Timeline(preset)
        #expect(timeline.entries.count == 1 + 99 * 99 * 2)
        #expect(timeline.total == preset.totalSeconds)
    }

    /// What is printed is what the timer does.
    @Test func timelineAndTimerAgree() {
        let start = Timestamp(seconds: 0)
        let preset = Preset(id: "p", getReadySeconds: 4, workSeconds: 3, restSeconds: 2, sets: 3, rounds: 5)
        var timer = PresetTimer(preset, startingAt: start)
        for entry in Timeline(preset).entries {
            _ = timer.advance(to: start.adding(seconds: entry.start))
            #expect(timer.phase.rawValue == entry.phase.rawValue)
            #expect(timer.phaseEnd == start.adding(seconds: entry.end))
            if entry.phase != .getReady {
                #expect([timer.position.set, timer.position.round] == [entry.set, entry.round])
            }
        }
    }

    @Test func aSessionIsItsBlocks() throws {
        let session = SessionTemplate(
            id: "s",
            name: "Legs",
            items: [
                BlockInstance(id: "1", label: "Set up", kind: .transition, timing: .duration(seconds: 15)),
                BlockInstance(id: "2", label: "Squats", kind: .activity, timing: .reps(count: 12, secondsEach: 3)),
                BlockInstance(id: "3", label: "Breathe", kind: .rest, timing: .duration(seconds: 30)),
            ]
        )
        let timeline = try Timeline(session)
        #expect(lines(timeline) == ["0+15 transition Set up", "15+36 activity Squats", "51+30 rest Breathe"])
        #expect(timeline.total == 81)
        let counted = try Timeline(session, preCountdownSeconds: 3)
        #expect(lines(counted).prefix(2) == ["0+3 countdown Countdown", "3+15 transition Set up"])
        #expect(counted.total == 84)
        #expect(try Timeline(SessionTemplate(id: "s", name: "None", items: [])).entries.isEmpty)
    }

    @Test func aSessionBeyondAllMeasureIsRefused() {
        let block = BlockInstance(id: "1", label: "x", kind: .rest, timing: .duration(seconds: .max))
        let session = SessionTemplate(id: "s", name: "Endless", items: [block, block])
        let error = #expect(throws: AppFormatError.self) { try Timeline(session) }
        #expect(error?.code == .sessionLength)
        let reps = BlockInstance(id: "1", label: "x", kind: .rest, timing: .reps(count: .max, secondsEach: 2))
        #expect(throws: AppFormatError.self) { try Timeline(SessionTemplate(id: "s", name: "x", items: [reps])) }
    }
}
