internal import CommandSupport

/// Text from files, made fit for HTML.
enum HTMLText {
    /// The text with what markup is made of escaped, and control characters and those that turn the writing direction as
    /// ``TerminalText`` shows them; line ends and tabs stay.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in TerminalText.safe(text, keeping: ["\n", "\t"]).unicodeScalars {
            switch scalar {
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
}
