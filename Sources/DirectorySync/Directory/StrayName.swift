/// What transports make of the names of files.
enum StrayName {
    /// What cloud drives put behind the name of a file that they did not fetch.
    private static let cloudMarks = [".icloud", ".nextcloud", ".owncloud", ".cloud"]
    /// What programs put behind the name of a file that they are still writing.
    private static let unfinishedMarks = [
        ".tmp", ".temp", ".part", ".partial", ".filepart", ".crdownload", ".download", ".!sync", ".bts", ".lock",
    ]

    /// Whether the name is that of a placeholder.
    ///
    /// - Parameters:
    ///   - rest: What follows the hash.
    ///   - ending: What would follow it alone.
    static func isPlaceholder(_ rest: String, of ending: String, isHidden: Bool) -> Bool {
        // iCloud hides its placeholders; in the open such a name is a placeholder all the same.
        cloudMarks.contains { rest == ending + $0 } && (!isHidden || rest.hasSuffix(".icloud"))
    }

    /// Whether the name is that of a file that is still being written.
    static func isUnfinished(_ rest: String, of ending: String) -> Bool {
        rest.hasPrefix(ending) && unfinishedMarks.contains { rest.hasSuffix($0) }
    }

    /// Whether a text is nothing, or what a transport puts behind the name of a folder.
    static func isSuffix(_ rest: String) -> Bool {
        guard let first = rest.utf8.first else { return true }
        return " (~_".utf8.contains(first) || rest.hasPrefix(".sync-conflict") || rest.hasPrefix("-conflict")
    }
}
