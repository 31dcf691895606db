public import StrictJSON

/// An interval timer of GymPulse: get ready, then in each round of each set work and rest.
public struct Preset: Sendable, Hashable {
    /// The seconds that getting ready may take; 0 is none.
    public static let getReadyRange = 0...1800
    /// The seconds that work may take, and rest.
    public static let phaseRange = 1...1800
    /// The allowed numbers of sets and rounds.
    public static let countRange = 1...99
    /// The most characters that a name may have, as a person counts them: grapheme clusters.
    public static let longestName = 30
    /// The name that the app gives to a preset without one.
    public static let defaultName = "New Timer"

    /// Identifies the preset.
    public var id: String
    /// The name that the list of timers shows.
    public var name: String
    /// Seconds before the first work phase, 0 for none.
    public var getReadySeconds: Int
    /// Seconds of each work phase; 0, which no valid file has, skips it.
    public var workSeconds: Int
    /// Seconds of each rest phase; 0, which no valid file has, skips it.
    public var restSeconds: Int
    /// The number of times that all rounds are run.
    public var sets: Int
    /// The number of times that work and rest are run in a set.
    public var rounds: Int
    /// True if the app beeps when a phase begins.
    public var soundEnabled: Bool
    /// True if the app speaks when a phase begins.
    public var voiceEnabled: Bool
    /// Members that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes a preset, with the app's defaults.
    public init(
        id: String,
        name: String = Preset.defaultName,
        getReadySeconds: Int = 10,
        workSeconds: Int = 60,
        restSeconds: Int = 60,
        sets: Int = 1,
        rounds: Int = 4,
        soundEnabled: Bool = true,
        voiceEnabled: Bool = true,
        extra: JSONObject = [:]
    ) {
        self.id = id
        self.name = name
        self.getReadySeconds = getReadySeconds
        self.workSeconds = workSeconds
        self.restSeconds = restSeconds
        self.sets = sets
        self.rounds = rounds
        self.soundEnabled = soundEnabled
        self.voiceEnabled = voiceEnabled
        self.extra = extra
    }

    /// The length of all phases together in seconds; counts and times out of range are taken as the app takes them.
    public var totalSeconds: Int {
        let phases = PresetPhases(self)
        return phases.getReady + phases.sets * phases.rounds * (phases.work + phases.rest)
    }
}

/// The times and counts of a preset as the app runs it: counts that are out of range are clamped, and no time is
/// negative or longer than it may be.
package struct PresetPhases: Sendable, Hashable {
    package let getReady: Int
    package let work: Int
    package let rest: Int
    package let sets: Int
    package let rounds: Int

    package init(_ preset: Preset) {
        getReady = Self.clamped(preset.getReadySeconds, to: Preset.getReadyRange)
        work = Self.clamped(preset.workSeconds, to: 0...Preset.phaseRange.upperBound)
        rest = Self.clamped(preset.restSeconds, to: 0...Preset.phaseRange.upperBound)
        sets = Self.clamped(preset.sets, to: Preset.countRange)
        rounds = Self.clamped(preset.rounds, to: Preset.countRange)
    }

    private static func clamped(_ value: Int, to range: ClosedRange<Int>) -> Int {
        min(max(value, range.lowerBound), range.upperBound)
    }
}
