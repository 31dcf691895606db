public import CivilTime
import FormatKit

/// A preset that runs, as the app runs it: a state machine that knows the end of the present phase and no clock.
///
/// Every moment is passed in. A phase ends when its end has come, however long nobody looked, so that a timer that was
/// in the background is where it would be had it been watched.
///
/// ```swift
/// var timer = PresetTimer(preset, startingAt: now)
/// for transition in timer.advance(to: later) { print(transition.phase) }
/// timer.remainingSeconds(at: later)
/// ```
public struct PresetTimer: Sendable, Hashable {
    /// The beginning of a phase, and what is heard then.
    public struct Transition: Sendable, Hashable {
        /// The position of the preset from then on.
        public let position: PresetPosition
        /// The moment at which the phase began.
        public let moment: Timestamp
        /// True if the app beeps, as it does except at the very start, which changes no phase.
        public let beeps: Bool
        /// The text that the app speaks; nil for none.
        public let voice: String?

        /// The phase that begins.
        public var phase: PresetPosition.Phase { position.phase }
    }

    /// True if the app beeps from now on.
    public var soundEnabled: Bool
    /// True if the app speaks from now on.
    public var voiceEnabled: Bool
    /// The position of the preset.
    public private(set) var position: PresetPosition
    /// The moment at which the present phase ends; nil while the timer is paused and after the end.
    public private(set) var phaseEnd: Timestamp?
    /// The last transition: the start itself, or what ``advance(to:)`` gave last.
    public private(set) var lastTransition: Transition

    private let phases: PresetPhases
    /// The rest of the phase at the moment when the timer was paused.
    private var frozen: Duration?

    /// Starts a preset; counts that are out of range are clamped, and phases of no time are skipped.
    public init(_ preset: Preset, startingAt moment: Timestamp) {
        let phases = PresetPhases(preset)
        let position = PresetPosition(startOf: phases)
        self.phases = phases
        self.position = position
        soundEnabled = preset.soundEnabled
        voiceEnabled = preset.voiceEnabled
        phaseEnd = position.phase == .complete ? nil : moment.adding(seconds: position.seconds(in: phases))
        lastTransition = Transition(
            position: position,
            moment: moment,
            beeps: false,
            voice: preset.voiceEnabled ? position.phase.voice : nil
        )
    }

    /// The present phase.
    public var phase: PresetPosition.Phase { position.phase }
    /// The number of sets.
    public var sets: Int { phases.sets }
    /// The number of rounds in each set.
    public var rounds: Int { phases.rounds }
    /// True if the timer is paused.
    public var isPaused: Bool { frozen != nil }

    /// Brings the timer to a moment: every phase that has ended by then is left.
    ///
    /// - Returns: The beginnings of all phases since, each with the moment at which it was due; nothing while the timer is
    ///   paused or after the end. Of several, the app lets the last one be heard.
    public mutating func advance(to moment: Timestamp) -> [Transition] {
        var transitions: [Transition] = []
        while let end = phaseEnd, end <= moment {
            position = position.next(in: phases)
            phaseEnd = phase == .complete ? nil : end.adding(seconds: position.seconds(in: phases))
            lastTransition = Transition(
                position: position,
                moment: end,
                beeps: soundEnabled,
                voice: voiceEnabled ? phase.voice : nil
            )
            transitions.append(lastTransition)
        }
        return transitions
    }

    /// Pauses the timer, after it was brought to that moment: what is left of the phase stays as it is.
    ///
    /// - Returns: What ``advance(to:)`` returns.
    public mutating func pause(at moment: Timestamp) -> [Transition] {
        let transitions = advance(to: moment)
        guard let end = phaseEnd else { return transitions }
        frozen = end.duration(since: moment)
        phaseEnd = nil
        return transitions
    }

    /// Goes on with what was left of the phase; does nothing unless the timer is paused.
    public mutating func resume(at moment: Timestamp) {
        guard let left = frozen else { return }
        frozen = nil
        phaseEnd = moment.adding(left)
    }

    /// Returns the rest of the phase; zero once its end has come, and after the last.
    public func remaining(at moment: Timestamp) -> Duration {
        if let frozen { return frozen }
        guard let phaseEnd, phaseEnd > moment else { return .zero }
        return phaseEnd.duration(since: moment)
    }

    /// Returns the rest of the phase in seconds, of which one that has begun counts.
    public func remainingSeconds(at moment: Timestamp) -> Int {
        let (seconds, fraction) = remaining(at: moment).components
        return Int(seconds) + (fraction > 0 ? 1 : 0)
    }

}

extension PresetPosition.Phase {
    /// The word that the app says when the phase begins; nil for none.
    package var voice: String? {
        switch self {
        case .getReady: nil
        case .work: "Go"
        case .rest: "Rest"
        case .complete: "Workout complete"
        }
    }
}

extension Timestamp {
    /// Returns the time from an earlier moment to this one; negative where that one is later.
    package func duration(since earlier: Timestamp) -> Duration {
        .seconds(seconds - earlier.seconds) + .nanoseconds(nanoseconds - earlier.nanoseconds)
    }

    /// Returns the moment so much later; attoseconds below a nanosecond are dropped.
    package func adding(_ duration: Duration) -> Timestamp {
        let total = duration + .nanoseconds(nanoseconds)
        let (whole, fraction) = total.components
        let carry = fraction < 0 ? 1 : 0
        let rest = Int(fraction / 1_000_000_000) + carry * 1_000_000_000
        let moved = Timestamp(seconds: seconds).adding(seconds: Int(whole) - carry)
        return Timestamp(seconds: moved.seconds, nanoseconds: rest)
    }
}
