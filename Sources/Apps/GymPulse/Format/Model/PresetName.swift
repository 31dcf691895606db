import FormatKit

/// The rules for the name of a preset.
public enum PresetName {
    /// Returns the name without white space at either end, or the app's own name where nothing is left.
    public static func mended(_ name: String) -> String {
        let trimmed = trimmed(name)
        return trimmed.isEmpty ? Preset.defaultName : trimmed
    }

    /// Returns the message why a preset cannot have that name, in one sentence without a final full stop; nil where it
    /// can.
    public static func fault(_ name: String) -> String? {
        if name.isBlank { return "the name is blank; expected 1 to \(Preset.longestName) characters" }
        let trimmed = trimmed(name)
        if trimmed.count > Preset.longestName {
            return "the name has \(trimmed.count) characters; expected at most \(Preset.longestName)"
        }
        return trimmed.unicodeScalars.elementsEqual(name.unicodeScalars) ? nil : "the name has white space around it"
    }

    private static func trimmed(_ name: String) -> String {
        var scalars = name.unicodeScalars[...]
        while let first = scalars.first, String(first).isBlank { scalars.removeFirst() }
        while let last = scalars.last, String(last).isBlank { scalars.removeLast() }
        return String(scalars)
    }
}
