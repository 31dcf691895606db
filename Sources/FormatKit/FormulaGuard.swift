/// Keeps spreadsheets from taking a text for a formula, in a way that can be undone.
///
/// A cell that begins with `=`, `+`, `-`, `@`, one of their full-width forms, a tab or a line end, or with apostrophes and one of
/// those, gets one apostrophe more; a reader takes one away from a cell that begins with apostrophes and one of those. All
/// other cells are as they are, so nothing is lost.
public enum FormulaGuard {
    /// Returns the text with one more `'` before it where a spreadsheet could take it for a formula.
    public static func guarded(_ text: String) -> String { isDangerous(text.unicodeScalars) ? "'" + text : text }

    /// Returns the text that a written one stands for, without the `'` that ``guarded(_:)`` adds.
    public static func unguarded(_ text: String) -> String {
        guard text.unicodeScalars.first == "'", isDangerous(text.unicodeScalars) else { return text }
        return String(text.unicodeScalars.dropFirst())
    }

    private static func isDangerous(_ scalars: String.UnicodeScalarView) -> Bool {
        switch scalars.first(where: { $0 != "'" }) {
        case "=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠": true
        default: false
        }
    }
}
