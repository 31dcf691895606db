/// The user's plan, with its limits.
public enum Plan: String, Sendable, Hashable, CaseIterable {
    /// The free plan, with limits.
    case free
    /// The paid plan, without.
    case pro

    /// The most sessions that may be stored for another one to be added, or nil without limit.
    public var sessionLimit: Int? { self == .free ? 5 : nil }
    /// The most saved activities that may be stored for another one to be added, or nil without limit.
    public var activityLimit: Int? { self == .free ? 20 : nil }
    /// The number of days for which history is kept whatever the settings say; nil for no such limit.
    public var historyDays: Int? { self == .free ? 30 : nil }

    /// The message that refuses a sixth session on the Free plan.
    public static let sessionLimitMessage = "Free plan allows up to 5 sessions."
    /// The message that refuses a 21st activity on the Free plan.
    public static let activityLimitMessage = "Free plan allows up to 20 saved activities."
    /// The message that refuses to add, rename or delete a custom category on the Free plan.
    public static let categoryMessage = "Custom categories are a Pro feature."
    /// The message that refuses to export a session on the Free plan.
    public static let exportMessage = "Exporting sessions is a Pro feature; importing them is free."

    /// Returns the message why a session cannot be added to so many; nil where it can.
    public func refusalToAddSession(to count: Int) -> String? {
        sessionLimit.flatMap { count >= $0 ? Self.sessionLimitMessage : nil }
    }

    /// Returns the message why a saved activity cannot be added to so many; nil where it can.
    public func refusalToAddActivity(to count: Int) -> String? {
        activityLimit.flatMap { count >= $0 ? Self.activityLimitMessage : nil }
    }

    /// The message why sessions cannot be exported; nil where they can.
    public var refusalToExport: String? { self == .free ? Self.exportMessage : nil }
}
