import GymPulse

/// The ways to give a block's length.
public enum BlockTiming: Sendable, Hashable {
    /// A number of seconds; `mode` is `duration`.
    case duration(seconds: Int)
    /// A number of repetitions of so many seconds each; `mode` is `reps`.
    case reps(count: Int, secondsEach: Int)

    /// The longest duration that a file may give, in seconds: a week.
    public static let longestDuration = 604_800
    /// The most repetitions that a file may give.
    public static let mostReps = 100_000
    /// The longest repetition that a file may give, in seconds: a day.
    public static let longestRep = 86_400

    /// The value of the member `mode`.
    public var mode: String {
        switch self {
        case .duration: "duration"
        case .reps: "reps"
        }
    }

    /// The block's length in seconds, or nil where it does not fit 64 bits.
    public var totalSeconds: Int? {
        switch self {
        case .duration(let seconds): return seconds
        case .reps(let count, let secondsEach):
            let (product, overflow) = count.multipliedReportingOverflow(by: secondsEach)
            return overflow ? nil : product
        }
    }
}

/// The kinds of block in a session.
public enum BlockKind: String, Sendable, Hashable, CaseIterable {
    /// Something to do; may be saved in the library and have a category.
    case activity
    /// A pause.
    case rest
    /// Time to change place or equipment.
    case transition
}
