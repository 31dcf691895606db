internal import CivilTime
public import GymPulse

/// Something that the app lets a person hear or feel at a second of a timeline.
public struct TimelineCue: Sendable, Hashable {
    /// The kind of the cue.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A preset beeps as a phase begins.
        case beep
        /// A preset speaks: "Go", "Rest", "Workout complete".
        case voice
        /// A block of a session ends soon.
        case almostDone
        /// A block of a session is over; the next one is named.
        case blockComplete
        /// A session is over.
        case sessionComplete
    }

    /// The seconds from the start.
    public let second: Int
    /// The kind of the cue.
    public let kind: Kind
    /// The text that the app says or shows.
    public let text: String
}

extension TimelineCue {
    /// Returns the cues of a preset.
    ///
    /// There is a beep as a phase changes, and the voice as work, rest and the end begin, as its switches say.
    public static func cues(of preset: Preset) -> [TimelineCue] {
        let start = Timestamp(seconds: 0)
        var timer = PresetTimer(preset, startingAt: start)
        var transitions = [timer.lastTransition]
        while let end = timer.phaseEnd { transitions += timer.advance(to: end) }
        return transitions.flatMap { transition in
            let second = transition.moment.seconds
            let beep = transition.beeps ? [TimelineCue(second: second, kind: .beep, text: "Beep")] : []
            return beep + (transition.voice.map { [TimelineCue(second: second, kind: .voice, text: $0)] } ?? [])
        }
    }

    /// Returns the cues of a session: "Almost done" before a block ends, and the ends of blocks and of the session.
    ///
    /// A block that is not longer than the warning has none. There are no cues where sounds and vibration are both off.
    ///
    /// - Parameters:
    ///   - timeline: The session's timeline.
    ///   - settings: The switches, and how long before the end the warning comes.
    public static func cues(of timeline: Timeline, settings: TimerSettings) -> [TimelineCue] {
        guard settings.enableSounds || settings.enableVibration else { return [] }
        let blocks = timeline.entries.filter { $0.phase != .countdown }
        let warning = settings.warningSecondsBeforeEnd
        return blocks.enumerated().flatMap { index, block in
            var cues: [TimelineCue] = []
            if warning > 0, block.duration > warning {
                cues.append(
                    TimelineCue(second: block.end - warning, kind: .almostDone, text: "Almost done: \(block.label)")
                )
            }
            if index + 1 < blocks.count {
                let text = "\(block.label) complete, next: \(blocks[index + 1].label)"
                cues.append(TimelineCue(second: block.end, kind: .blockComplete, text: text))
            } else {
                cues.append(TimelineCue(second: block.end, kind: .sessionComplete, text: "Session complete"))
            }
            return cues
        }
    }
}

extension Timeline {
    /// The place in a timeline at a second.
    public struct Place: Sendable, Hashable {
        /// The number of the phase or block, from 1.
        public let number: Int
        /// The phase or block.
        public let entry: Entry
        /// The number of the entry among those with that label, from 1.
        public let occurrence: Int
        /// The number of entries with that label.
        public let occurrences: Int
        /// The seconds until it ends.
        public let remaining: Int
        /// The next entry; nil for the last one.
        public let next: Entry?
    }

    /// Returns where the timeline is at a second from the start; nil once it is over.
    public func place(at second: Int) -> Place? {
        guard let index = entries.firstIndex(where: { $0.start <= second && second < $0.end }) else { return nil }
        let entry = entries[index]
        let same = { (other: Entry) in other.phase == entry.phase && other.label == entry.label }
        return Place(
            number: index + 1,
            entry: entry,
            occurrence: entries[...index].count(where: same),
            occurrences: entries.count(where: same),
            remaining: entry.end - second,
            next: index + 1 < entries.count ? entries[index + 1] : nil
        )
    }
}
