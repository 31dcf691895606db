/// A hybrid logical clock: the time of a device, but never behind a change that the device has seen.
///
/// The clock only decides between concurrent values, so a device clock that is wrong by years does no harm.
///
/// The upper 48 bits count milliseconds since 1970, the lower 16 count changes. When the lower bits overflow within a
/// millisecond, they carry into the upper ones. So any number of changes fits. At its end the clock stands still, and
/// the writer's name decides alone.
public struct HybridClock: Sendable, Hashable, Comparable {
    /// Milliseconds and counter in one number.
    public let bits: UInt64

    /// Makes a clock of that number.
    public init(bits: UInt64) { self.bits = bits }

    /// Makes a clock of a device's time in milliseconds since 1970; a time before 1970 becomes 0.
    public init(milliseconds: Int) {
        bits = UInt64(clamping: max(0, milliseconds)).clampedMilliseconds << 16
    }

    /// The whole milliseconds since 1970.
    public var milliseconds: Int { Int(bits >> 16) }

    /// Returns the clock of a device's next change.
    ///
    /// - Parameter now: The device's own time.
    /// - Returns: `now`, or one more than this clock where `now` is not later.
    public func next(now: HybridClock) -> HybridClock {
        if now.bits > bits { return now }
        return HybridClock(bits: bits == .max ? bits : bits + 1)
    }

    /// Returns whether one clock is before another.
    public static func < (left: HybridClock, right: HybridClock) -> Bool { left.bits < right.bits }
}

extension UInt64 {
    fileprivate var clampedMilliseconds: UInt64 { Swift.min(self, 1 << 48 - 1) }
}
