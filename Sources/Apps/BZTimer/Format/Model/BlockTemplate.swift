public import StrictJSON

/// A reusable activity of the library: the app's BlockTemplate.
public struct BlockTemplate: Sendable, Hashable {
    /// Identifies the activity in the library.
    public var id: String
    /// The label that the app shows.
    public var label: String
    /// The length of the activity.
    public var timing: BlockTiming
    /// A built-in or custom category, or nil for none.
    public var category: String?
    /// Display color, as the app wrote it.
    public var color: String?
    /// Display icon, as the app wrote it.
    public var icon: String?
    /// Free text.
    public var notes: String?
    /// Members that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes an activity.
    public init(
        id: String,
        label: String,
        timing: BlockTiming,
        category: String? = nil,
        color: String? = nil,
        icon: String? = nil,
        notes: String? = nil,
        extra: JSONObject = [:]
    ) {
        self.id = id
        self.label = label
        self.timing = timing
        self.category = category
        self.color = color
        self.icon = icon
        self.notes = notes
        self.extra = extra
    }
}
