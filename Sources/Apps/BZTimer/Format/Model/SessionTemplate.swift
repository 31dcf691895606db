public import StrictJSON

/// A session that the app can run: the app's SessionTemplate.
public struct SessionTemplate: Sendable, Hashable {
    /// Identifies the session.
    public var id: String
    /// The name that the list of sessions shows.
    public var name: String
    /// The blocks, in the order in which they run.
    public var items: [BlockInstance]
    /// Free words, or nil where the session has no such member.
    public var tags: [String]?
    /// ISO weekdays (1 is Monday, 7 is Sunday) without repetition, or nil where the session has no such member.
    public var scheduledDaysOfWeek: [Int]?
    /// Members that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes a session.
    public init(
        id: String,
        name: String,
        items: [BlockInstance],
        tags: [String]? = nil,
        scheduledDaysOfWeek: [Int]? = nil,
        extra: JSONObject = [:]
    ) {
        self.id = id
        self.name = name
        self.items = items
        self.tags = tags
        self.scheduledDaysOfWeek = scheduledDaysOfWeek
        self.extra = extra
    }

    /// The length of all blocks together in seconds, or nil where it does not fit 64 bits.
    public var totalSeconds: Int? {
        var total = 0
        for item in items {
            guard let seconds = item.timing.totalSeconds else { return nil }
            let (sum, overflow) = total.addingReportingOverflow(seconds)
            guard !overflow else { return nil }
            total = sum
        }
        return total
    }
}
