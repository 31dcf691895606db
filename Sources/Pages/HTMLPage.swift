package import StrictJSON

/// The parts that all HTML pages of the programs share.
package enum HTMLPage {
    /// The mark near the beginning of each such page.
    package static let mark = "<meta name=\"generator\" content=\"Satchel\">"

    /// Returns the text as content of an element or an attribute: ``visible(_:keepsLines:)`` with markup escaped.
    package static func escaped(_ text: String, keepsLines: Bool = false) -> String {
        verbatim(visible(text, keepsLines: keepsLines))
    }

    /// Returns the text with the characters of markup escaped.
    ///
    /// All others stay as they are, but for U+0000, which HTML cannot hold.
    package static func verbatim(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\0": result += "\u{FFFD}"
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// Returns the text with invisible characters made visible.
    ///
    /// Control characters, and those that turn the writing direction, are shown as `\u{…}`. Line ends and tabs become
    /// spaces, unless they stay.
    package static func visible(_ text: String, keepsLines: Bool = false) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where keepsLines, "\t" where keepsLines: result.unicodeScalars.append(scalar)
            case "\n", "\t", "\r": result += " "
            case _ where isUnsafe(scalar): result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0xFFFE, 0xFFFF: true
        case 0x200E, 0x200F, 0x061C, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// Returns a value as the content of `<script type="application/json">`.
    ///
    /// Nothing in it ends the element or begins a comment.
    package static func data(_ value: JSONValue) -> String {
        var result = ""
        for scalar in String(decoding: value.encoded(.compact), as: UTF8.self).unicodeScalars {
            switch scalar {
            case "<", ">", "&", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
