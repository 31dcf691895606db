internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

private let stopEnd = Atomic<Int32>(-1)

/// SIGTERM and SIGINT as something to wait for: the first ends the work where it can be ended, the second at once.
package struct StopSignal {
    /// Can be read from once a signal came.
    let descriptor: Int32

    /// Takes the signals of the process.
    package static func install() -> StopSignal {
        var ends: (Int32, Int32) = (-1, -1)
        let made = withUnsafeMutablePointer(to: &ends) { pointer in
            pointer.withMemoryRebound(to: Int32.self, capacity: 2) { pipe($0) }
        }
        guard made == 0 else { return StopSignal(descriptor: -1) }
        for end in [ends.0, ends.1] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        stopEnd.store(ends.1, ordering: .sequentiallyConsistent)
        // Who started the program may have blocked them, as threads of other runtimes do.
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTERM, SIGINT] {
            sigaddset(&signals, number)
            signal(number) { number in
                let code = errno
                var byte: UInt8 = 0
                _ = write(stopEnd.load(ordering: .sequentiallyConsistent), &byte, 1)
                signal(number, SIG_DFL)
                errno = code
            }
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        return StopSignal(descriptor: ends.0)
    }

    /// True if a signal came.
    package var isRaised: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}
