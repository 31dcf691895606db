/// The events that wake a watcher.
package enum Wakeup: Equatable {
    /// Something changed.
    case changed
    /// The time is up.
    case timeUp
    /// The program is to end.
    case stopped
}

/// Tells when something in folders changed.
package protocol FileEvents: AnyObject {
    /// Watches these folders, and no others any more.
    ///
    /// - Returns: The folders of which it cannot tell, with the reason.
    func watch(_ folders: [WatchedFolder]) -> [String: String]
    /// Waits until something changed, or so long.
    func wait(atMost duration: Duration) -> Wakeup
}

/// A folder, and what in it matters.
package struct WatchedFolder: Hashable {
    package let path: String
    /// The names of files whose changes matter; nil where all do that neither transports nor this program hide.
    package var names: Set<String>?

    /// Tells whether a change of the file with that name matters.
    package func concerns(_ name: String) -> Bool {
        guard let names else {
            // A store may lie there as well, and each synchronisation makes the log of what it knows and removes it.
            return !name.hasPrefix(".") && !name.hasPrefix("~") && name != "tmp" && !name.hasSuffix(".foldersync-wal")
        }
        return names.contains(name)
    }
}
