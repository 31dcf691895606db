/// What the person has paid for, and what that allows.
public enum Plan: String, Sendable, Hashable, CaseIterable {
    /// The free plan, with limits.
    case free
    /// The paid plan, without.
    case pro

    /// The most sessions that may be stored for another one to be added, or nil without limit.
    public var sessionLimit: Int? { self == .free ? 5 : nil }
    /// The most saved activities that may be stored for another one to be added, or nil without limit.
    public var activityLimit: Int? { self == .free ? 20 : nil }
    /// How many days of history are kept whatever the settings say, or nil.
    public var historyDays: Int? { self == .free ? 30 : nil }

    /// What a person on the Free plan reads when a sixth session is to be added.
    public static let sessionLimitMessage = "Free plan allows up to 5 sessions."
    /// What a person on the Free plan reads when a 21st activity is to be added.
    public static let activityLimitMessage = "Free plan allows up to 20 saved activities."
    /// What a person on the Free plan reads when a custom category is to be added, renamed or deleted.
    public static let categoryMessage = "Custom categories are a Pro feature."
    /// What a person on the Free plan reads when a session is to be exported.
    public static let exportMessage = "Exporting sessions is a Pro feature; importing them is free."

    /// Why a session cannot be added to so many, or nil where it can.
    public func refusalToAddSession(to count: Int) -> String? {
        sessionLimit.flatMap { count >= $0 ? Self.sessionLimitMessage : nil }
    }

    /// Why a saved activity cannot be added to so many, or nil where it can.
    public func refusalToAddActivity(to count: Int) -> String? {
        activityLimit.flatMap { count >= $0 ? Self.activityLimitMessage : nil }
    }

    /// Why sessions cannot be exported, or nil where they can.
    public var refusalToExport: String? { self == .free ? Self.exportMessage : nil }
}
