public import CivilTime
public import StrictJSON

/// An activity from one moment to another, or still running.
public struct TrackerActivity: Sendable, Hashable {
    /// Identifies the activity.
    public var id: String
    /// The name of the activity, as its button was called at that time.
    public var name: String
    /// The button that it was started with, if any.
    public var buttonID: String?
    /// The time at which it began.
    public var start: ZonedTimestamp
    /// The time at which it ended; nil for the one that is running.
    public var end: ZonedTimestamp?
    /// Its colour as `#RRGGBB`, if it has one.
    public var color: String?
    /// Members that the format does not know, in their order, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes an activity.
    public init(
        id: String,
        name: String,
        buttonID: String? = nil,
        start: ZonedTimestamp,
        end: ZonedTimestamp? = nil,
        color: String? = nil,
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.id = id
        self.name = name
        self.buttonID = buttonID
        self.start = start
        self.end = end
        self.color = color
        self.unknownMembers = unknownMembers
    }

    /// True if it has not ended.
    public var isRunning: Bool { end == nil }

    /// The whole milliseconds from the start to the end, rounded down; nil while it is running.
    public var durationMilliseconds: Int? { end.map { $0.moment.milliseconds(since: start.moment) } }
}
