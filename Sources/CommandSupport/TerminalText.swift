/// Text from files, made fit for a terminal.
package enum TerminalText {
    /// Returns the text with unsafe characters shown as `\u{…}`.
    ///
    /// They are control characters, characters that turn the writing direction, and those that cannot be seen.
    ///
    /// A session's name must not be able to move the cursor, recolour the screen, break a table's row, or look like another.
    package static func safe(_ text: String) -> String { safe(text, keeping: []) }

    /// Returns the same, but with some characters as they are, such as line ends where they are wanted.
    package static func safe(_ text: String, keeping kept: Set<Unicode.Scalar>) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.indices.contains(where: { isUnsafe(scalars, $0) }) else { return text }
        var result = ""
        for index in scalars.indices {
            if isUnsafe(scalars, index), !kept.contains(scalars[index]) {
                result += "\\u{\(String(scalars[index].value, radix: 16))}"
            } else {
                result.unicodeScalars.append(scalars[index])
            }
        }
        return result
    }

    private static func isUnsafe(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        let scalar = scalars[index]
        switch scalar.value {
        case 0x20..<0x7F: return false
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: return true
        // What joins letters of some scripts, and the parts of an emoji, and chooses how a character looks.
        case 0x200C, 0x200D: return !isJoinable(scalars, index - 1) || !isJoinable(scalars, index + 1)
        case 0xFE00...0xFE0F: return index == 0 || isInvisible(scalars[index - 1])
        default: return isInvisible(scalar)
        }
    }

    private static func isJoinable(_ scalars: [Unicode.Scalar], _ index: Int) -> Bool {
        scalars.indices.contains(index) && scalars[index].value > 0x7F
            && (!isInvisible(scalars[index]) || scalars[index].value == 0xFE0F)
    }

    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        return properties.generalCategory == .format || properties.isDefaultIgnorableCodePoint
            || scalar.value == 0x2800
    }

    /// Returns the number of columns that the text takes on a terminal.
    package static func width(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

    /// Returns the text, cut where it takes more columns, with … at its end.
    package static func cut(_ text: String, to columns: Int) -> String {
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

    /// Returns the text in lines that take no more columns, broken at spaces where there are some.
    package static func wrap(_ text: String, to columns: Int) -> [String] {
        var lines: [String] = []
        var rest = Array(safe(text))[...]
        while !rest.isEmpty {
            var used = 0
            let fitting = rest.prefix { character in
                used += width(character)
                return used <= columns
            }
            var count = max(fitting.count, 1)
            if count < rest.count, rest[rest.startIndex + count] != " ", let space = fitting.lastIndex(of: " "),
                space > rest.startIndex
            {
                count = space - rest.startIndex
            }
            lines.append(String(rest.prefix(count)))
            rest = rest.dropFirst(count).drop { $0 == " " }
        }
        return lines
    }

    /// Returns the lines of a text, with those that take more columns broken at spaces; a word is not broken.
    ///
    /// Indents the rest of a broken line by two spaces more than its beginning. Counts no columns for colours.
    package static func broken(_ text: String, to columns: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            broken(line: String(line), to: columns)
        }.joined(separator: "\n")
    }

    private static func broken(line: String, to columns: Int) -> String {
        guard line.utf8.count > columns, visibleWidth(line[...]) > columns else { return line }
        let margin = String(line.prefix { $0 == " " })
        let hanging = margin + "  "
        var result = margin
        var used = margin.count
        var isFirst = true
        var pending = ""
        for part in line.dropFirst(margin.count).split(separator: " ", omittingEmptySubsequences: false) {
            let length = visibleWidth(part)
            if isFirst {
                isFirst = false
            } else if used + pending.count + 1 + length > columns, used > hanging.count, length > 0 {
                result += "\n" + hanging
                used = hanging.count
                pending = ""
            } else {
                pending += " "
            }
            guard length > 0 || !part.isEmpty else { continue }
            result += pending + part
            used += pending.count + length
            pending = ""
        }
        // A question ends with a space.
        return result + pending
    }

    /// Returns the number of columns that a text takes, which colours do not.
    private static func visibleWidth(_ text: Substring) -> Int {
        guard text.utf8.contains(0x1B) else { return text.reduce(0) { $0 + width($1) } }
        var columns = 0
        var isEscape = false
        for character in text {
            if character == "\u{1B}" {
                isEscape = true
            } else if isEscape {
                if character == "m" { isEscape = false }
            } else {
                columns += width(character)
            }
        }
        return columns
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

    /// Tells whether a character is of East Asian width W or F (UAX #11), by blocks.
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
