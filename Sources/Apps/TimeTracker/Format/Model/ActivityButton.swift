import FormatKit
public import StrictJSON

/// A button that starts an activity.
public struct ActivityButton: Sendable, Hashable {
    /// Identifies the button.
    public var id: String
    /// The name on the button.
    public var name: String
    /// Its colour as `#RRGGBB`.
    public var color: String
    /// An emoji, or the name of an icon.
    public var icon: String
    /// True if it is one of the app's own.
    public var isDefault: Bool
    /// Its place on the grid, from 0.
    public var position: Int
    /// True if it is shown; a button that a person deletes is hidden, for its activities stay.
    public var isVisible: Bool
    /// Members that the format does not know, in their order, `x-preserved` among them.
    public var unknownMembers: JSONObject

    /// Makes a button.
    public init(
        id: String,
        name: String,
        color: String,
        icon: String,
        isDefault: Bool = false,
        position: Int,
        isVisible: Bool = true,
        unknownMembers: JSONObject = JSONObject()
    ) {
        self.id = id
        self.name = name
        self.color = color
        self.icon = icon
        self.isDefault = isDefault
        self.position = position
        self.isVisible = isVisible
        self.unknownMembers = unknownMembers
    }
}

extension ActivityButton {
    /// The last place on the grid.
    private static let lastPosition = 2_147_483_647

    /// Makes a new button behind others.
    ///
    /// It has the colour and the icon of the app's own of that name, or a colour that no other has as long as there is
    /// one.
    public init(new name: String, id: String, among others: [ActivityButton]) {
        let preset = TrackerPresets.button(named: name)
        self.init(
            id: id,
            name: name,
            color: preset?.color ?? TrackerPresets.color(of: name, besides: Set(others.map(\.color))),
            icon: preset?.icon ?? "",
            position: Self.position(after: others)
        )
    }

    /// Returns the place behind other buttons.
    package static func position(after others: [ActivityButton]) -> Int {
        min(max(others.map(\.position).max() ?? -1, -1), lastPosition - 1) + 1
    }

    /// Tells whether a text is a colour as buttons and activities have it: `#RRGGBB`.
    public static func isColor(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 7 && bytes[0] == UInt8(ascii: "#")
            && bytes.dropFirst().allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
            }
    }
}
