public import StrictJSON

/// The content of a tracker export as values, for exports that are small; large ones are read and written row by row.
public struct TrackerExport: Sendable, Hashable {
    /// The moment of the export as RFC 3339, if it is known.
    public var exportedAt: String?
    /// The name of the time zone in which the person lives, if it is known: `Europe/Berlin`.
    public var timeZone: String?
    /// The buttons, in the order of the file.
    public var buttons: [ActivityButton]
    /// The activities, in the order of the file.
    public var activities: [TrackerActivity]
    /// Members of the top level that the format does not know, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes the content of an export.
    public init(
        exportedAt: String? = nil,
        timeZone: String? = nil,
        buttons: [ActivityButton] = [],
        activities: [TrackerActivity] = [],
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.exportedAt = exportedAt
        self.timeZone = timeZone
        self.buttons = buttons
        self.activities = activities
        self.unknownMembers = unknownMembers
    }
}
