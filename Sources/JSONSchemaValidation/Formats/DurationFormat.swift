/// Durations by the grammar of RFC 3339, appendix A.
///
/// The units follow one another without a gap (`P1Y2D` is not a duration), weeks stand alone, numbers are whole. As
/// strings of ABNF match in any case, so do the designators, like `T` and `Z` of a date-time.
enum DurationFormat {
    /// Tells whether the bytes are a duration.
    static func isValid(_ utf8: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = utf8.first, first | 0x20 == UInt8(ascii: "p") else { return false }
        var index = 1
        if let unit = readComponent(utf8, at: &index) {
            if unit == UInt8(ascii: "w") { return index == utf8.count }
            guard readUnits(utf8, after: rankInDate(unit), at: &index, rank: rankInDate) else { return false }
            if index == utf8.count { return true }
        }
        guard index < utf8.count, utf8[index] | 0x20 == UInt8(ascii: "t") else { return false }
        index += 1
        guard let unit = readComponent(utf8, at: &index) else { return false }
        return readUnits(utf8, after: rankInTime(unit), at: &index, rank: rankInTime) && index == utf8.count
    }

    /// Reads the components that follow one of rank `first`, each of the next rank; false on any other.
    private static func readUnits(
        _ utf8: UnsafeBufferPointer<UInt8>,
        after first: Int?,
        at index: inout Int,
        rank: (UInt8) -> Int?
    ) -> Bool {
        guard var last = first else { return false }
        while index < utf8.count, ByteSet.isDigit(utf8[index]) {
            guard let unit = readComponent(utf8, at: &index), rank(unit) == last + 1 else { return false }
            last += 1
        }
        return true
    }

    /// Reads digits and the letter after them, which it gives in lower case; nil moves the index nowhere useful.
    private static func readComponent(_ utf8: UnsafeBufferPointer<UInt8>, at index: inout Int) -> UInt8? {
        let start = index
        while index < utf8.count, ByteSet.isDigit(utf8[index]) { index += 1 }
        guard index > start, index < utf8.count, ByteSet.isLetter(utf8[index]) else { return nil }
        defer { index += 1 }
        return utf8[index] | 0x20
    }

    private static func rankInDate(_ unit: UInt8) -> Int? {
        switch unit {
        case UInt8(ascii: "y"): 0
        case UInt8(ascii: "m"): 1
        case UInt8(ascii: "d"): 2
        default: nil
        }
    }

    private static func rankInTime(_ unit: UInt8) -> Int? {
        switch unit {
        case UInt8(ascii: "h"): 0
        case UInt8(ascii: "m"): 1
        case UInt8(ascii: "s"): 2
        default: nil
        }
    }
}
