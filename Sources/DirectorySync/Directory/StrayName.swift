/// Recognises what transports make of file names.
enum StrayName {
    /// The endings that cloud drives add to the name of a file that they did not fetch.
    private static let cloudMarks = [".icloud", ".nextcloud", ".owncloud", ".cloud"]
    /// The endings that programs add to the name of an unfinished file.
    private static let unfinishedMarks = [
        ".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".download", ".!sync", ".bts", ".lock",
    ]

    /// Returns whether the name is that of a placeholder.
    ///
    /// - Parameters:
    ///   - rest: The text after the hash.
    ///   - ending: The file's proper ending.
    static func isPlaceholder(_ rest: String, of ending: String, isHidden: Bool) -> Bool {
        // iCloud hides its placeholders; a visible one is still a placeholder.
        cloudMarks.contains { rest == ending + $0 } && (!isHidden || rest.hasSuffix(".icloud"))
    }

    /// Returns whether the name is that of an unfinished file.
    static func isUnfinished(_ rest: String, of ending: String) -> Bool {
        rest.hasPrefix(ending) && unfinishedMarks.contains { rest.hasSuffix($0) }
    }

    /// Returns whether a text is empty, or a transport's addition to the name of a folder.
    static func isSuffix(_ rest: String) -> Bool {
        guard let first = rest.utf8.first else { return true }
        return " (~_".utf8.contains(first) || rest.hasPrefix(".sync-conflict") || rest.hasPrefix("-conflict")
    }
}
