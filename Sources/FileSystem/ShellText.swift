/// Texts for a shell.
package enum ShellText {
    /// Returns a word that a shell reads as it is, for commands that messages suggest.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            byte >= 0x80
                || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@".utf8.contains(byte)
        }
        // By bytes: a quote and an accent after it are one character.
        let parts = word.utf8.split(separator: UInt8(ascii: "'"), omittingEmptySubsequences: false)
        let inner = parts.map { String(Substring($0)) }.joined(separator: "'\\''")
        return isPlain && !word.isEmpty ? word : "'\(inner)'"
    }
}
