/// Texts for a shell.
package enum ShellText {
    /// Returns a word that a shell reads as it is, for commands that messages suggest.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            byte >= 0x80
                || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@".utf8.contains(byte)
        }
        let inner = word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
        return isPlain && !word.isEmpty ? word : "'\(inner)'"
    }
}
