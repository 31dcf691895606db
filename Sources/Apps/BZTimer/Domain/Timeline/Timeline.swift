public import FormatKit
public import GymPulse

/// The course of a preset or a session, second by second.
public struct Timeline: Sendable, Hashable {
    /// The phases of a timeline.
    public enum Phase: String, Sendable, Hashable, CaseIterable {
        /// The app counts down before a session.
        case countdown
        /// The time before the first work phase of a preset.
        case getReady
        /// A work phase of a preset.
        case work
        /// A rest, of a preset or a session.
        case rest
        /// An activity of a session.
        case activity
        /// A transition of a session.
        case transition
    }

    /// One phase of a preset, or one block of a session.
    public struct Entry: Sendable, Hashable {
        /// The phase.
        public var phase: Phase
        /// The label that the app shows.
        public var label: String
        /// The set of a preset, from 1; nil outside of sets.
        public var set: Int?
        /// The round of the set, from 1; nil outside of rounds.
        public var round: Int?
        /// The start, in seconds from the beginning of the timeline.
        public var start: Int
        /// The length in seconds.
        public var duration: Int

        /// The end, in seconds from the beginning of the timeline.
        public var end: Int { start + duration }
    }

    /// The identifier of the preset or session.
    public let id: String
    /// Its name.
    public let name: String
    /// True if the timeline is that of a preset.
    public let isPreset: Bool
    /// The number of sets of a preset; nil for a session.
    public let sets: Int?
    /// The number of rounds in each set; nil for a session.
    public let rounds: Int?
    /// The entries, in order; each begins where the one before ends.
    public private(set) var entries: [Entry] = []
    /// The length of the whole timeline, in seconds.
    public private(set) var total = 0

    /// Makes the timeline of a preset: getting ready, if that takes time, then work and rest in each round of each set.
    public init(_ preset: Preset) {
        let phases = PresetPhases(preset)
        (id, name, isPreset, sets, rounds) = (preset.id, preset.name, true, phases.sets, phases.rounds)
        var position = PresetPosition(startOf: phases)
        while let (phase, label) = Self.phase(position.phase) {
            let isInRound = phase != .getReady
            let entry = Entry(
                phase: phase,
                label: label,
                set: isInRound ? position.set : nil,
                round: isInRound ? position.round : nil,
                start: total,
                duration: position.seconds(in: phases)
            )
            entries.append(entry)
            total = entry.end
            position = position.next(in: phases)
        }
    }

    /// Makes the timeline of a session: its blocks in order.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - preCountdownSeconds: How long the app counts down before, as its settings say; 0 for not at all.
    /// - Throws: `bztimer.session-length` where the session is longer than history can hold.
    public init(_ session: SessionTemplate, preCountdownSeconds: Int = 0) throws(AppFormatError) {
        (id, name, isPreset, sets, rounds) = (session.id, session.name, false, nil, nil)
        if preCountdownSeconds > 0 {
            try append(.countdown, "Countdown", preCountdownSeconds)
        }
        for block in session.items { try append(Self.phase(block.kind), block.label, block.timing.totalSeconds) }
    }

    private mutating func append(_ phase: Phase, _ label: String, _ seconds: Int?) throws(AppFormatError) {
        let limit = SessionHistoryEntry.longestDuration
        guard let seconds, seconds <= limit - total else {
            throw AppFormatError(.sessionLength, "the session \"\(name)\" lasts longer than \(limit) s")
        }
        entries.append(Entry(phase: phase, label: label, set: nil, round: nil, start: total, duration: seconds))
        total += seconds
    }

    private static func phase(_ phase: PresetPosition.Phase) -> (Phase, String)? {
        switch phase {
        case .getReady: (.getReady, "Get Ready")
        case .work: (.work, "Work")
        case .rest: (.rest, "Rest")
        case .complete: nil
        }
    }

    private static func phase(_ kind: BlockKind) -> Phase {
        switch kind {
        case .activity: .activity
        case .rest: .rest
        case .transition: .transition
        }
    }
}
