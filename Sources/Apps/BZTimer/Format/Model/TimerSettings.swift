public import StrictJSON

/// The app's Settings, with the app's defaults.
public struct TimerSettings: Sendable, Hashable {
    /// How long history is kept on the Pro plan; the Free plan keeps 30 days whatever this says.
    public enum Retention: String, Sendable, Hashable, CaseIterable {
        /// For ever.
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
    /// How long before the end of a block the warning comes, in seconds: 0 to 3,600.
    public var warningSecondsBeforeEnd = 10
    /// Whether cues are heard.
    public var enableSounds = true
    /// Whether cues are felt.
    public var enableVibration = true
    /// Whether the screen stays on while a session runs.
    public var keepScreenAwakeDuringSession = true
    /// How long history is kept.
    public var historyRetention = Retention.unlimited
    /// The person's own categories, in the order in which they were added.
    public var customCategories: [String] = []
    /// Whether the plan is Pro.
    public var isProUser = false
    /// Members that this version does not know, in their order.
    public var extra: JSONObject = [:]

    /// The app's defaults.
    public init() {}

    /// The plan that the settings stand for.
    public var plan: Plan { isProUser ? .pro : .free }
}
