import CivilTime
import FormatKit
import GymPulse
import TestSupport
import Testing

/// The acceptance criteria of the app that concern timing, each on the timer and none on a clock.
@Suite struct PresetTimerTests {
    private let start = Timestamp(seconds: 1_800_000_000)

    private func preset(
        _ getReady: Int,
        _ work: Int,
        _ rest: Int,
        sets: Int = 1,
        rounds: Int = 1
    ) -> Preset {
        Preset(id: "p", getReadySeconds: getReady, workSeconds: work, restSeconds: rest, sets: sets, rounds: rounds)
    }

    private func at(_ seconds: Int) -> Timestamp { start.adding(seconds: seconds) }

    private func text(_ timer: PresetTimer) -> String {
        "\(timer.phase) \(timer.position.set)/\(timer.sets) \(timer.position.round)/\(timer.rounds)"
    }

    @Test("Work and rest follow the canonical rules for sets and rounds")
    func transitions() {
        var timer = PresetTimer(preset(5, 3, 2, sets: 2, rounds: 2), startingAt: start)
        var seen = ["0 \(text(timer))"]
        for second in 1...100 {
            for transition in timer.advance(to: at(second)) {
                #expect(transition.moment == at(second))
                seen.append("\(second) \(text(timer))")
            }
        }
        #expect(
            seen == [
                "0 getReady 1/2 1/2", "5 work 1/2 1/2", "8 rest 1/2 1/2", "10 work 1/2 2/2", "13 rest 1/2 2/2",
                "15 work 2/2 1/2", "18 rest 2/2 1/2", "20 work 2/2 2/2", "23 rest 2/2 2/2", "25 complete 2/2 2/2",
            ]
        )
    }

    @Test("Get Ready of 0 starts directly in work, and says so at once")
    func noGetReady() {
        #expect(PresetTimer(preset(0, 20, 10), startingAt: start).phase == .work)
        #expect(PresetTimer(preset(0, 20, 10), startingAt: start).lastTransition.voice == "Go")
        let ready = PresetTimer(preset(1, 20, 10), startingAt: start)
        #expect(ready.phase == .getReady)
        #expect(ready.lastTransition.voice == nil)
    }

    @Test("The defaults run for 490 seconds")
    func defaults() {
        var timer = PresetTimer(Preset(id: "p"), startingAt: start)
        #expect(timer.advance(to: at(489)).count == 8)
        #expect(timer.phase == .rest)
        #expect(timer.advance(to: at(490)).map(\.voice) == ["Workout complete"])
        #expect(timer.phaseEnd == nil)
        #expect(timer.advance(to: at(10_000)).isEmpty)
        #expect(timer.remainingSeconds(at: at(10_000)) == 0)
    }

    @Test("Pausing freezes what is left, resuming goes on with it")
    func pause() {
        var timer = PresetTimer(preset(10, 20, 10), startingAt: start)
        let moment = Timestamp(seconds: start.seconds + 3, nanoseconds: 250_000_000)
        #expect(timer.pause(at: moment).isEmpty)
        #expect(timer.isPaused)
        #expect(timer.phaseEnd == nil)
        for second in [4, 500, 100_000] {
            #expect(timer.advance(to: at(second)).isEmpty)
            #expect(timer.remaining(at: at(second)) == .milliseconds(6750))
            #expect(timer.remainingSeconds(at: at(second)) == 7)
        }
        timer.resume(at: at(1000))
        #expect(!timer.isPaused)
        #expect(timer.phaseEnd == Timestamp(seconds: start.seconds + 1006, nanoseconds: 750_000_000))
        #expect(timer.remaining(at: at(1000)) == .milliseconds(6750))
        #expect(timer.advance(to: at(1006)).isEmpty)
        #expect(timer.advance(to: at(1007)).map(\.phase) == [.work])
        #expect(timer.phaseEnd == Timestamp(seconds: start.seconds + 1026, nanoseconds: 750_000_000))
    }

    @Test("Pausing twice, resuming unpaused and pausing after the end change nothing")
    func idlePauses() {
        var timer = PresetTimer(preset(0, 5, 5), startingAt: start)
        timer.resume(at: at(3))
        #expect(timer.phaseEnd == at(5))
        #expect(timer.pause(at: at(1)).isEmpty)
        #expect(timer.pause(at: at(4)).isEmpty)
        #expect(timer.remaining(at: at(9)) == .seconds(4))
        timer.resume(at: at(10))
        #expect(timer.pause(at: at(30)).map(\.phase) == [.rest, .complete])
        #expect(!timer.isPaused)
    }

    @Test("Pausing late counts the phases that ended before")
    func latePause() {
        var timer = PresetTimer(preset(5, 10, 10), startingAt: start)
        #expect(timer.pause(at: at(17)).map(\.phase) == [.work, .rest])
        #expect(timer.remaining(at: at(99)) == .seconds(8))
    }

    @Test("In the background the timer goes on: it is where it would be had it been watched")
    func background() {
        let preset = preset(7, 11, 5, sets: 3, rounds: 4)
        var watched = PresetTimer(preset, startingAt: start)
        var transitions: [PresetTimer.Transition] = []
        for second in 0...250 {
            transitions += watched.advance(to: at(second))
            var returning = PresetTimer(preset, startingAt: start)
            #expect(returning.advance(to: at(second)) == transitions)
            #expect(returning == watched)
            #expect(returning.remaining(at: at(second)) == watched.remaining(at: at(second)))
        }
        #expect(watched.phase == .complete)
        #expect(watched.lastTransition.moment == at(preset.totalSeconds))
    }

    @Test("Looking late does not lengthen anything")
    func noDrift() {
        var timer = PresetTimer(preset(0, 3, 2, sets: 9, rounds: 9), startingAt: start)
        var second = 0
        while timer.phase != .complete {
            second += 4
            _ = timer.advance(to: Timestamp(seconds: start.seconds + second, nanoseconds: 900_000_000))
        }
        #expect(timer.lastTransition.moment == at(9 * 9 * 5))
    }

    @Test("A beep and a voice at each phase, each only where it is on")
    func cues() {
        func heard(_ sound: Bool, _ voice: Bool) -> [String] {
            var preset = preset(1, 1, 1)
            (preset.soundEnabled, preset.voiceEnabled) = (sound, voice)
            var timer = PresetTimer(preset, startingAt: start)
            return timer.advance(to: at(3)).map { "\($0.beeps ? "beep " : "")\($0.voice ?? "-")" }
        }
        #expect(heard(true, true) == ["beep Go", "beep Rest", "beep Workout complete"])
        #expect(heard(true, false) == ["beep -", "beep -", "beep -"])
        #expect(heard(false, true) == ["Go", "Rest", "Workout complete"])
        #expect(heard(false, false) == ["-", "-", "-"])
        #expect(!PresetTimer(preset(1, 1, 1), startingAt: start).lastTransition.beeps)
    }

    @Test("A switch that is turned while the preset runs counts from the next cue on")
    func switches() {
        var timer = PresetTimer(preset(1, 1, 1), startingAt: start)
        timer.soundEnabled = false
        #expect(timer.advance(to: at(1)).map(\.beeps) == [false])
        timer.soundEnabled = true
        timer.voiceEnabled = false
        let rest = timer.advance(to: at(2))
        #expect(rest.map(\.beeps) == [true])
        #expect(rest.map(\.voice) == [nil])
    }

    @Test("A phase of no time is skipped, counts out of range are clamped")
    func corruptData() {
        func phases(_ preset: Preset) -> [PresetPosition.Phase] {
            var timer = PresetTimer(preset, startingAt: start)
            return [timer.phase] + timer.advance(to: at(1_000_000)).map(\.phase)
        }
        #expect(phases(preset(0, 0, 4, rounds: 2)) == [.rest, .rest, .complete])
        #expect(phases(preset(2, 4, 0, rounds: 2)) == [.getReady, .work, .work, .complete])
        #expect(phases(preset(0, 0, 0, sets: 99, rounds: 99)) == [.complete])
        #expect(phases(preset(3, 0, 0, sets: 99, rounds: 99)) == [.getReady, .complete])
        #expect(phases(preset(-5, -1, 1, sets: -7, rounds: 0)) == [.rest, .complete])
        #expect(phases(preset(0, 1, 1, sets: .max, rounds: .max)).count == 99 * 99 * 2 + 1)
        #expect(PresetTimer(preset(0, .max, 1), startingAt: start).phaseEnd == at(1800))
    }

    /// Whatever is done when, the phases that are run take as long as the preset says, plus the pauses.
    @Test(arguments: 1...50 as ClosedRange<UInt64>)
    func pausesAreAllThatIsAdded(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let preset = preset(
            random.pick([0, 3]),
            random.pick([1, 7]),
            random.pick([1, 4]),
            sets: random.pick([1, 3]),
            rounds: random.pick([1, 5])
        )
        var timer = PresetTimer(preset, startingAt: start)
        var (now, paused) = (0, 0)
        while timer.phase != .complete {
            let step = Int.random(in: 0...6, using: &random)
            if timer.isPaused { paused += step }
            now += step
            if timer.isPaused {
                if random.chance(50) { timer.resume(at: at(now)) }
            } else if random.chance(30) {
                _ = timer.pause(at: at(now))
            } else {
                _ = timer.advance(to: at(now))
            }
        }
        #expect(timer.lastTransition.moment == at(preset.totalSeconds + paused), "seed \(seed)")
    }
}
