extension StringProtocol {
    /// The text without white space at either end.
    var trimmed: String {
        let text = String(self)
        func isDark(_ byte: UInt8?) -> Bool { byte.map { $0 > 0x20 && $0 < 0x7F } ?? true }
        if isDark(text.utf8.first), isDark(text.utf8.last) { return text }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(Substring(scalars[first...last]))
    }
}
