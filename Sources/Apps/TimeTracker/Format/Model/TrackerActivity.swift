public import CivilTime
public import StrictJSON

/// What somebody did from one moment to another, or is doing.
public struct TrackerActivity: Sendable, Hashable {
    /// Identifies the activity.
    public var id: String
    /// What was done, as the button was called at that time.
    public var name: String
    /// The button that it was started with, if any.
    public var buttonID: String?
    /// When it began.
    public var start: ZonedTimestamp
    /// When it ended; nil for the one that is running.
    public var end: ZonedTimestamp?
    /// Its colour as `#RRGGBB`, if it has one.
    public var color: String?
    /// Members that the format does not know, in their order, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// An activity.
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

    /// Whether it has not ended.
    public var isRunning: Bool { end == nil }

    /// The whole milliseconds from the start to the end, rounded down; nil while it is running.
    public var durationMilliseconds: Int? { end.map { $0.moment.milliseconds(since: start.moment) } }
}
