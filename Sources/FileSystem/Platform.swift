internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The calls that swift-system lacks; each throws what the system says.
enum Platform {
    static let noControllingTerminal = FileDescriptor.OpenOptions(rawValue: O_NOCTTY)

    /// Forces what was written to the disk itself: on Apple's systems `fsync` leaves it in the disk's cache.
    static func force(_ descriptor: FileDescriptor) throws(Errno) {
        #if canImport(Darwin)
            if fcntl(descriptor.rawValue, F_FULLFSYNC) == 0 { return }
            // File systems of others have no such call.
            guard [ENOTSUP, EINVAL, ENOTTY].contains(errno) else { throw Errno(rawValue: errno) }
        #endif
        try check { fsync(descriptor.rawValue) }
    }

    static func rename(_ old: String, to new: String) throws(Errno) {
        #if canImport(Glibc)
            try check { Glibc.rename(old, new) }
        #elseif canImport(Musl)
            try check { Musl.rename(old, new) }
        #else
            try check { Darwin.rename(old, new) }
        #endif
    }

    /// Gives a file a second name, which nothing may have.
    static func addName(_ new: String, to old: String) throws(Errno) { try check { link(old, new) } }

    static func removeFile(_ path: String) throws(Errno) { try check { unlink(path) } }

    static func removeFolder(_ path: String) throws(Errno) { try check { rmdir(path) } }

    /// Checks that this process may make files in a folder, and that there is room for some.
    static func checkWritable(_ folder: String) throws(Errno) {
        try check { access(folder, W_OK | X_OK) }
        var room = statvfs()
        try check { statvfs(folder, &room) }
        let free = geteuid() == 0 ? room.f_bfree : room.f_bavail
        // Some drives do not know their size.
        if room.f_blocks > 0, free == 0 { throw .noSpace }
    }

    static func makeFolder(_ path: String, mode: CInterop.Mode) throws(Errno) { try check { mkdir(path, mode) } }

    static func setPermissions(_ mode: CInterop.Mode, of descriptor: FileDescriptor) throws(Errno) {
        try check { fchmod(descriptor.rawValue, mode) }
    }

    /// Locks a file for this process.
    ///
    /// - Returns: False where another has it and nobody waits.
    static func lock(_ descriptor: FileDescriptor, waits: Bool) throws(Errno) -> Bool {
        do {
            try check { flock(descriptor.rawValue, waits ? LOCK_EX : LOCK_EX | LOCK_NB) }
            return true
        } catch  where !waits && error == .wouldBlock {
            return false
        }
    }

    /// Gives each name in a folder to a function, `nil` for one that is no UTF-8; `.` and `..` are left out.
    static func forEachName(in folder: String, _ body: (String?) -> Void) throws(Errno) {
        guard let stream = opendir(folder) else { throw Errno(rawValue: errno) }
        defer { closedir(stream) }
        while true {
            errno = 0
            guard let entry = readdir(stream) else { break }
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: 1) { String(validatingCString: $0) }
            }
            if name != ".", name != ".." { body(name) }
        }
        // A listing that breaks off must not look like one of fewer files.
        guard errno == 0 else { throw Errno(rawValue: errno) }
    }

    /// Returns a path with all symbolic links resolved; nil if nothing is there.
    static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Makes a folder by a template that ends with XXXXXX; nil where none can be made.
    static func makeTemporaryFolder(_ template: String) -> String? {
        var template = Array(template.utf8CString)
        return template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, mkdtemp(base) != nil else { return nil }
            return String(cString: base)
        }
    }

    static func isTerminal(_ descriptor: FileDescriptor) -> Bool { isatty(descriptor.rawValue) == 1 }

    static var process: Int32 { getpid() }

    /// Nanoseconds since 1970 by the system's clock.
    static var now: Int {
        var clock = timespec()
        clock_gettime(CLOCK_REALTIME, &clock)
        return nanoseconds(clock)
    }

    /// Nanoseconds since 1970; 0 where they do not fit.
    static func nanoseconds(_ time: timespec) -> Int {
        let (seconds, overflow) = Int(time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? 0 : seconds &+ Int(time.tv_nsec)
    }

    /// The number of times that an interrupted call is tried.
    private static let mostInterruptions = 1000

    private static func check(_ call: () -> Int32) throws(Errno) {
        for _ in 0..<mostInterruptions {
            if call() >= 0 { return }
            guard errno == EINTR else { break }
        }
        throw Errno(rawValue: errno)
    }
}
