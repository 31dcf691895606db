#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Tells of no change, so that everything is looked at when the time is up.
package final class PollingEvents: FileEvents {
    private let stop: StopSignal

    package init(stop: StopSignal) { self.stop = stop }

    package func watch(_ folders: [WatchedFolder]) -> [String: String] { [:] }

    package func wait(atMost duration: Duration) -> Wakeup {
        let end = ContinuousClock.now + duration
        while true {
            let left = max(.zero, end - ContinuousClock.now)
            var request = pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0)
            if poll(&request, 1, left.pollTime) > 0 { return .stopped }
            if left == .zero { return .timeUp }
        }
    }
}

extension Duration {
    /// Milliseconds for `poll`, rounded up so that it does not wake before the time.
    var pollTime: Int32 {
        let (seconds, attoseconds) = components
        guard seconds < 86_400 else { return 86_400_000 }
        return Int32(seconds) * 1_000 + Int32((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
