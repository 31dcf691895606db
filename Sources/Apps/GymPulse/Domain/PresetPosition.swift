/// The position of a running preset.
public struct PresetPosition: Sendable, Hashable {
    /// The phases of a running preset.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The time before the first work phase.
        case getReady
        /// Exercise.
        case work
        /// The pause after it.
        case rest
        /// The end.
        case complete
    }

    /// The phase.
    public let phase: Phase
    /// The set, from 1.
    public let set: Int
    /// The round of the set, from 1.
    public let round: Int

    /// Makes the beginning of a preset: getting ready, if that takes time, otherwise the first phase that does.
    package init(startOf phases: PresetPhases) {
        let first = PresetPosition(phase: .getReady, set: 1, round: 1)
        self = phases.getReady > 0 ? first : first.next(in: phases)
    }

    private init(phase: Phase, set: Int, round: Int) {
        self.phase = phase
        self.set = set
        self.round = round
    }

    /// Returns the next position: phases that take no time are skipped, and after the end there is the end.
    package func next(in phases: PresetPhases) -> PresetPosition {
        var position = following(in: phases)
        while position.phase != .complete, position.seconds(in: phases) == 0 {
            position = position.following(in: phases)
        }
        return position
    }

    /// Returns the length of the phase, in seconds.
    package func seconds(in phases: PresetPhases) -> Int {
        switch phase {
        case .getReady: phases.getReady
        case .work: phases.work
        case .rest: phases.rest
        case .complete: 0
        }
    }

    /// Returns the position after the canonical transition.
    ///
    /// A round is over with its rest, a set with its last round, and the last set ends the preset.
    private func following(in phases: PresetPhases) -> PresetPosition {
        switch phase {
        case .getReady: PresetPosition(phase: .work, set: set, round: round)
        case .work: PresetPosition(phase: .rest, set: set, round: round)
        case .rest where round < phases.rounds: PresetPosition(phase: .work, set: set, round: round + 1)
        case .rest where set < phases.sets: PresetPosition(phase: .work, set: set + 1, round: 1)
        case .rest, .complete: PresetPosition(phase: .complete, set: set, round: round)
        }
    }
}
