import JSONSchemaValidation

/// A moment with the offset from UTC that it was written with.
///
/// Moment and offset are kept exactly, down to the nanosecond; the spelling is not: `T` and `Z` are upper case, and a
/// fraction has 3, 6 or 9 digits, as many as it needs. `-00:00` becomes `Z`.
///
/// ```swift
/// ZonedTimestamp("2026-03-01t07:30:00.50+01:00")?.description  // 2026-03-01T07:30:00.500+01:00
/// ```
public struct ZonedTimestamp: Sendable, Hashable {
    /// The moment on the UTC time line.
    public let moment: Timestamp
    /// Minutes by which local time is ahead of UTC, -1439 to 1439; nil where the moment is written with `Z`.
    public let offsetMinutes: Int?

    /// Makes a moment with an offset from UTC.
    ///
    /// An offset of a day or more, or that leads out of the years 0000 to 9999, is left out.
    public init(_ moment: Timestamp, offsetMinutes: Int? = nil) {
        self.moment = moment
        self.offsetMinutes = offsetMinutes.flatMap { minutes in
            guard abs(minutes) < 24 * 60 else { return nil }
            let local = moment.seconds + minutes * 60
            return Timestamp(seconds: local).seconds == local ? minutes : nil
        }
    }

    /// Makes the moment that an RFC 3339 text names.
    ///
    /// It is nil for any other text, and for a moment outside of the years 0000 to 9999 in UTC.
    public init?(_ rfc3339: String) {
        var text = rfc3339
        guard let parsed = text.withUTF8({ ZonedTimestamp(utf8: $0) }) else { return nil }
        self = parsed
    }

    /// Makes the moment that the bytes of an RFC 3339 text name; nil for any other text.
    package init?(utf8: UnsafeBufferPointer<UInt8>) {
        guard let parsed = RFC3339.parse(utf8),
            let day = CivilDay(year: parsed.year, month: parsed.month, day: parsed.day)
        else { return nil }
        let local = day.number * CivilDay.seconds + parsed.hour * 3600 + parsed.minute * 60 + parsed.second
        let seconds = local - parsed.offsetMinutes * 60
        // A leap second means the second after it.
        moment = Timestamp(seconds: seconds, nanoseconds: parsed.second == 60 ? 0 : parsed.nanoseconds)
        guard moment.seconds == seconds else { return nil }
        let isZ = utf8.last.map { $0 | 0x20 == UInt8(ascii: "z") } ?? true
        offsetMinutes = isZ || parsed.time.isOffsetUnknown ? nil : parsed.offsetMinutes
    }
}

extension ZonedTimestamp: CustomStringConvertible {
    /// The longest form: `2026-03-01T07:30:00.123456789+01:00`.
    package static let longest = 35

    /// The moment as RFC 3339 in local time with its offset, or with `Z`.
    public var description: String {
        String(unsafeUninitializedCapacity: Self.longest) { write(to: $0) }
    }

    /// Writes the text of ``description``.
    ///
    /// - Parameter buffer: Space for ``longest`` bytes.
    /// - Returns: The number of bytes.
    package func write(to buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard buffer.count >= Self.longest else { return 0 }
        let local = moment.seconds + (offsetMinutes ?? 0) * 60
        let day = CivilDay(containing: local)
        let time = local - day.number * CivilDay.seconds
        let date = day.components
        var writer = DigitWriter(buffer: buffer)
        writer.put(date.year, digits: 4)
        writer.put(date.month, digits: 2, after: "-")
        writer.put(date.day, digits: 2, after: "-")
        writer.put(time / 3600, digits: 2, after: "T")
        writer.put(time / 60 % 60, digits: 2, after: ":")
        writer.put(time % 60, digits: 2, after: ":")
        let nanoseconds = moment.nanoseconds
        if nanoseconds == 0 {
        } else if nanoseconds % 1_000_000 == 0 {
            writer.put(nanoseconds / 1_000_000, digits: 3, after: ".")
        } else if nanoseconds % 1000 == 0 {
            writer.put(nanoseconds / 1000, digits: 6, after: ".")
        } else {
            writer.put(nanoseconds, digits: 9, after: ".")
        }
        guard let offsetMinutes else {
            writer.put("Z")
            return writer.count
        }
        writer.put(abs(offsetMinutes) / 60, digits: 2, after: offsetMinutes < 0 ? "-" : "+")
        writer.put(abs(offsetMinutes) % 60, digits: 2, after: ":")
        return writer.count
    }
}

/// Writes numbers with leading zeros into a buffer that is large enough.
private struct DigitWriter {
    let buffer: UnsafeMutableBufferPointer<UInt8>
    var count = 0

    mutating func put(_ character: Unicode.Scalar) {
        buffer[count] = UInt8(truncatingIfNeeded: character.value)
        count += 1
    }

    mutating func put(_ number: Int, digits: Int, after character: Unicode.Scalar? = nil) {
        if let character { put(character) }
        var number = number
        for place in (count..<count + digits).reversed() {
            buffer[place] = UInt8(truncatingIfNeeded: 48 + number % 10)
            number /= 10
        }
        count += digits
    }
}

extension Timestamp {
    /// The whole milliseconds since 1970-01-01T00:00:00Z, rounded down.
    package var milliseconds: Int { seconds * 1000 + nanoseconds / 1_000_000 }

    /// Makes the moment so many milliseconds and nanoseconds after 1970-01-01T00:00:00Z.
    ///
    /// It is nil outside of the years 0000 to 9999.
    package init?(milliseconds: Int, nanoseconds: Int = 0) {
        guard (0..<1_000_000).contains(nanoseconds) else { return nil }
        let rest = (milliseconds % 1000 + 1000) % 1000
        let whole = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
        self.init(seconds: whole, nanoseconds: rest * 1_000_000 + nanoseconds)
        guard seconds == whole else { return nil }
    }

    /// The nanoseconds after the whole milliseconds.
    package var submilliseconds: Int { nanoseconds % 1_000_000 }

    /// Nanoseconds from another moment to this one, negative where this one is earlier; held within what an integer can
    /// hold, 292 years.
    public func nanoseconds(since other: Timestamp) -> Int {
        let (whole, overflow) = (seconds - other.seconds).multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, overflowOfSum) = whole.addingReportingOverflow(nanoseconds - other.nanoseconds)
        return overflow || overflowOfSum ? (seconds < other.seconds ? Int.min : Int.max) : sum
    }

    /// Returns the whole milliseconds from another moment to this one, rounded down.
    public func milliseconds(since other: Timestamp) -> Int {
        let difference = nanoseconds - other.nanoseconds
        return (seconds - other.seconds) * 1000 + (difference - (difference % 1_000_000 + 1_000_000) % 1_000_000)
            / 1_000_000
    }
}
