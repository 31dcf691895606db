/// Returns a text from a file between quotes, as messages name it, cut where it is long.
func quoted(_ text: some StringProtocol) -> String {
    let shown = text.unicodeScalars.prefix(60)
    var result = "\""
    result.unicodeScalars.append(contentsOf: shown)
    return result + (shown.endIndex < text.unicodeScalars.endIndex ? "…\"" : "\"")
}

/// Returns a number with its noun: `1 row`, `2 rows`.
func counted(_ number: Int, _ noun: String) -> String {
    if number == 1 { return "1 \(noun)" }
    return noun.hasSuffix("y") ? "\(number) \(noun.dropLast())ies" : "\(number) \(noun)s"
}
