#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The character set that libarchive converts names by, set for the calling thread only.
///
/// Outside of a UTF-8 locale the library gives names that are not ASCII as NULL, and fails on some. The process-wide
/// `setlocale` would change what other threads do.
enum UTF8Locale {
    private struct Handle: @unchecked Sendable {  // a locale object is never changed once it is made
        let locale: locale_t?
    }

    private static let handle: Handle = {
        #if canImport(Darwin)
            let names = ["C.UTF-8", "en_US.UTF-8", "UTF-8"]
        #else
            let names = ["C.UTF-8", "C.utf8", "en_US.UTF-8"]
        #endif
        for name in names {
            // Optional where a platform's header says nothing about NULL.
            let locale: locale_t? = newlocale(mask, name, nil)
            if let locale { return Handle(locale: locale) }
        }
        return Handle(locale: nil)
    }()

    private static var mask: Int32 {
        #if canImport(Darwin)
            Int32(LC_CTYPE_MASK)
        #else
            1 << LC_CTYPE  // the macro LC_CTYPE_MASK is not imported everywhere
        #endif
    }

    /// True if the system has such a locale.
    static var exists: Bool { handle.locale != nil }

    /// Calls into the library.
    static func with<T>(_ call: () -> T) -> T {
        let previous = uselocale(handle.locale)
        defer { uselocale(previous) }
        return call()
    }
}
