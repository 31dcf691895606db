import FormatKit

/// The buttons that Time Tracker begins with.
public enum TrackerPresets {
    /// Names, colours and icons, in the order of the grid.
    ///
    /// The app's description names the buttons and leaves colours and icons open. These are told apart in light and
    /// dark, and with the common kinds of colour blindness neighbours differ in brightness.
    private static let table: [(name: String, color: String, icon: String)] = [
        ("Sleep", "#5E5CE6", "😴"),
        ("Work", "#0A84FF", "💼"),
        ("Meal", "#FF9F0A", "🍽️"),
        ("Exercise", "#30D158", "🏃"),
        ("Commute", "#64D2FF", "🚌"),
        ("Study", "#BF5AF2", "📚"),
        ("Break", "#FFD60A", "☕"),
        ("Entertainment", "#FF375F", "🎮"),
    ]

    /// The eight buttons; their ids are `preset-` and the name in lower case.
    public static let buttons: [ActivityButton] = table.enumerated().map { index, preset in
        ActivityButton(
            id: "preset-\(preset.name.lowercased())",
            name: preset.name,
            color: preset.color,
            icon: preset.icon,
            isDefault: true,
            position: index
        )
    }

    /// Returns the preset of that name, in whatever spelling.
    static func button(named name: String) -> ActivityButton? {
        let key = CategoryKey(name)
        return buttons.first { CategoryKey($0.name) == key }
    }

    /// Colours for buttons that have none, for names that are no presets.
    private static let palette = [
        "#AC8E68", "#63E6E2", "#D4799A", "#8E8E93", "#A2845E", "#7A9E3F", "#C26B3A", "#4F7CAC", "#9A6FB0", "#B8A03E",
    ]

    /// Returns a colour for a name: always the same for the same name, in whatever spelling.
    ///
    /// - Parameter taken: Colours to avoid; where all are taken, that does not count.
    static func color(of name: String, besides taken: Set<String> = []) -> String {
        let first = Int(StableHash.of(CategoryKey(name).folded) % UInt64(palette.count))
        let colors = palette[first...] + palette[..<first]
        return colors.first { !taken.contains($0) } ?? palette[first]
    }
}
