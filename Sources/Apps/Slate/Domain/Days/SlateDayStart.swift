import CivilTime

/// The time on the clock at which Slate's day begins: 04:00, unless the person has set another.
///
/// ```swift
/// SlateDayStart("04:30")?.minutes  // 270
/// ```
public struct SlateDayStart: Sendable, Hashable, CustomStringConvertible {
    /// The start of the day that the app assumes where `meta.day_start` is missing.
    public static let standard = SlateDayStart(hour: 4, minute: 0)

    /// Minutes since 00:00 as the clock on the wall has them, 0 to 1439.
    public let minutes: Int

    private init(hour: Int, minute: Int) { minutes = hour * 60 + minute }

    /// Makes the time that a text names as `HH:mm`, 00:00 to 23:59; nil for any other text.
    public init?(_ text: String) {
        let bytes = Array(text.utf8.prefix(6))
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":"),
            let hour = Self.number(bytes[0], bytes[1]), hour < 24,
            let minute = Self.number(bytes[3], bytes[4]), minute < 60
        else { return nil }
        self.init(hour: hour, minute: minute)
    }

    /// The time as `HH:mm`.
    public var description: String { "\(padded(minutes / 60, 2)):\(padded(minutes % 60, 2))" }

    private static func number(_ tens: UInt8, _ ones: UInt8) -> Int? {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        guard digits.contains(tens), digits.contains(ones) else { return nil }
        return Int(tens - digits.lowerBound) * 10 + Int(ones - digits.lowerBound)
    }
}
