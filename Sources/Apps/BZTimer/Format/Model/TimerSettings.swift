public import StrictJSON

/// The app's Settings, with the app's defaults.
public struct TimerSettings: Sendable, Hashable {
    /// The retentions of history on the Pro plan; the Free plan keeps 30 days whatever this says.
    public enum Retention: String, Sendable, Hashable, CaseIterable {
        /// No limit.
        case unlimited
        /// Three calendar months.
        case threeMonths = "3months"
        /// Six calendar months.
        case sixMonths = "6months"
        /// Twelve calendar months.
        case twelveMonths = "12months"

        /// The number of calendar months, or nil for unlimited.
        public var months: Int? {
            switch self {
            case .unlimited: nil
            case .threeMonths: 3
            case .sixMonths: 6
            case .twelveMonths: 12
            }
        }
    }

    /// Countdown before a session starts, in seconds: 0, 3 or 5.
    public var preCountdownSeconds = 3
    /// The time of the warning before the end of a block, in seconds: 0 to 3,600.
    public var warningSecondsBeforeEnd = 10
    /// True if cues are heard.
    public var enableSounds = true
    /// True if cues are felt.
    public var enableVibration = true
    /// True if the screen stays on while a session runs.
    public var keepScreenAwakeDuringSession = true
    /// The time for which history is kept.
    public var historyRetention = Retention.unlimited
    /// The person's own categories, in the order in which they were added.
    public var customCategories: [String] = []
    /// True if the plan is Pro.
    public var isProUser = false
    /// Members that this version does not know, in their order.
    public var extra: JSONObject = [:]

    /// Makes the app's defaults.
    public init() {}

    /// The plan that the settings stand for.
    public var plan: Plan { isProUser ? .pro : .free }
}
