/// The program that the system has for pages.
enum Browser {
    #if os(macOS)
        private static let program = "open"
    #else
        private static let program = "xdg-open"
    #endif

    /// Opens a file, and waits until that program has taken it.
    ///
    /// - Returns: Whether it took it.
    static func open(file path: String) -> Bool {
        // A name that begins with a dash is no option.
        let child = try? ChildProcess(program, [path.hasPrefix("/") ? path : "./\(path)"])
        return child?.wait() == 0
    }

    /// Opens an address; that program may stay as long as the browser does, so nobody waits for it.
    ///
    /// - Returns: Whether it could be started.
    static func start(_ address: String) -> Bool { (try? ChildProcess(program, [address])) != nil }
}
