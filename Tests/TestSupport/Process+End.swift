public import Foundation

extension Process {
    /// Ends the program, and waits until it is gone, at most ten seconds.
    ///
    /// `waitUntilExit` hears of the end by a socket that the program's own children inherit, and may never return where
    /// one of them outlives it, as with a browser.
    public func end() {
        guard processIdentifier > 0 else { return }
        terminate()
        for _ in 0..<500 where isThere { usleep(20_000) }
        if isThere { kill(processIdentifier, SIGKILL) }
    }

    /// Whether the system has the program, and not only what is left of it until its parent asks.
    private var isThere: Bool {
        #if os(Linux)
            guard let data = FileManager.default.contents(atPath: "/proc/\(processIdentifier)/stat") else {
                return false
            }
            // "(name) S …": the name may hold anything.
            let rest = String(decoding: data, as: UTF8.self).split(separator: ")").last ?? ""
            return !rest.hasPrefix(" Z") && !rest.hasPrefix(" X")
        #else
            return isRunning
        #endif
    }
}
