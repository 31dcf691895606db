public import StrictJSON

/// One block of a session: the app's BlockInstance.
public struct BlockInstance: Sendable, Hashable {
    /// Identifies the block within its session.
    public var id: String
    /// The saved activity that it was made from, if any.
    public var templateId: String?
    /// The label that the app shows while the block runs.
    public var label: String
    /// The kind of the block.
    public var kind: BlockKind
    /// The length of the block.
    public var timing: BlockTiming
    /// A built-in or custom category; nil for none, and always nil for rest and transition.
    public var category: String?
    /// Display color, as the app wrote it.
    public var color: String?
    /// Display icon, as the app wrote it.
    public var icon: String?
    /// Free text.
    public var notes: String?
    /// Members that this version does not know, in their order, `x-preserved` among them.
    public var extra: JSONObject

    /// Makes a block.
    public init(
        id: String,
        templateId: String? = nil,
        label: String,
        kind: BlockKind,
        timing: BlockTiming,
        category: String? = nil,
        color: String? = nil,
        icon: String? = nil,
        notes: String? = nil,
        extra: JSONObject = [:]
    ) {
        self.id = id
        self.templateId = templateId
        self.label = label
        self.kind = kind
        self.timing = timing
        self.category = category
        self.color = color
        self.icon = icon
        self.notes = notes
        self.extra = extra
    }
}
