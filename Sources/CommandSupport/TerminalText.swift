/// Text from files, made fit for a terminal.
public enum TerminalText {
    /// The text with control characters, and characters that turn the writing direction, shown as `\u{…}`.
    ///
    /// A session's name must not be able to move the cursor, recolour the screen or break a table's row.
    public static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            if isUnsafe(scalar) {
                result += "\\u{\(String(scalar.value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The number of columns that the text takes on a terminal.
    public static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// The text, cut where it takes more columns, with … at its end.
    public static func cut(_ text: String, to columns: Int) -> String {
        let text = safe(text)
        guard width(text) > columns else { return text }
        var result = ""
        var used = 1
        for character in text {
            used += width(character)
            guard used <= columns else { break }
            result.append(character)
        }
        return result + "…"
    }

    private static func width(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if scalars.contains("\u{FE0F}") { return 2 }
        if first.properties.isEmojiPresentation || isWide(first) { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format: return scalars.count > 1 ? 1 : 0
        default: return 1
        }
    }

    /// Whether a character is of East Asian width W or F (UAX #11), by blocks.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
            0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
