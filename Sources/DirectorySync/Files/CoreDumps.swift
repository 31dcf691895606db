#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Keeps keys out of core dumps.
enum CoreDumps {
    /// Keeps this process from leaving a core dump, which would hold its keys.
    static func prevent() {
        // With a limit of one byte Linux writes none, also where a program takes them; with 0 that program gets it.
        var limit = rlimit(rlim_cur: 1, rlim_max: 1)
        #if canImport(Glibc)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
        #else
            _ = setrlimit(RLIMIT_CORE, &limit)
        #endif
    }
}
