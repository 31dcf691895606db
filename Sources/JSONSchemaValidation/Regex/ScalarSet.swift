/// A set of Unicode code points as sorted ranges.
///
/// Surrogates may be members because a pattern may name them; no valid input holds one.
struct ScalarSet: Hashable, Sendable {
    /// The members in ascending order; ranges neither overlap nor touch.
    private(set) var ranges: [ClosedRange<UInt32>]

    /// One bit for each ASCII member, so that the common question needs no search.
    private var lowMask: UInt64 = 0
    private var highMask: UInt64 = 0

    /// Every code point.
    static let all = ScalarSet([0...0x10FFFF])

    /// Makes the set of the given ranges, which may come in any order and overlap.
    init(_ unsorted: [ClosedRange<UInt32>]) {
        ranges = Self.normalized(unsorted)
        for range in ranges where range.lowerBound < 128 {
            for value in range.lowerBound...min(range.upperBound, 127) {
                if value < 64 {
                    lowMask |= 1 << UInt64(value)
                } else {
                    highMask |= 1 << UInt64(value - 64)
                }
            }
        }
    }

    /// Makes the set of one code point.
    init(scalar: UInt32) {
        self.init([scalar...scalar])
    }

    /// Tells whether a code point is a member.
    func contains(_ value: UInt32) -> Bool {
        if value < 64 { return lowMask >> UInt64(value) & 1 == 1 }
        if value < 128 { return highMask >> UInt64(value - 64) & 1 == 1 }
        let index = firstRange(reaching: value)
        return index < ranges.count && ranges[index].lowerBound <= value
    }

    /// Returns the index of the first range whose upper bound is at or above `value`; the count when there is none.
    func firstRange(reaching value: UInt32) -> Int {
        var low = 0
        var high = ranges.count
        while low < high {
            let middle = (low + high) / 2
            if ranges[middle].upperBound < value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }

    /// Every code point that is not a member.
    var inverted: ScalarSet {
        var gaps: [ClosedRange<UInt32>] = []
        var next: UInt32 = 0
        for range in ranges {
            if range.lowerBound > next { gaps.append(next...(range.lowerBound - 1)) }
            next = range.upperBound + 1
        }
        if next <= 0x10FFFF { gaps.append(next...0x10FFFF) }
        return ScalarSet(gaps)
    }

    /// Returns the members of either set.
    func union(_ other: ScalarSet) -> ScalarSet {
        ScalarSet(ranges + other.ranges)
    }

    /// Returns the members that `other` does not have.
    func subtracting(_ other: ScalarSet) -> ScalarSet {
        inverted.union(other).inverted
    }

    private static func normalized(_ unsorted: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        if unsorted.count < 2 { return unsorted }
        var result: [ClosedRange<UInt32>] = []
        for range in unsorted.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            guard let last = result.last, range.lowerBound <= last.upperBound + 1 else {
                result.append(range)
                continue
            }
            result[result.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
        }
        return result
    }
}

extension ScalarSet {
    /// `\d`: the ASCII digits.
    static let digits = ScalarSet([0x30...0x39])

    /// `\w`: the ASCII letters and digits and the low line.
    static let word = ScalarSet([0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A])

    /// `\s`: WhiteSpace and LineTerminator of ECMA-262, which unlike White_Space has U+FEFF and lacks U+0085.
    static let space = ScalarSet([
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF,
    ])

    /// The code points that `.` does not match: LineTerminator of ECMA-262.
    static let lineTerminators = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029])

    /// `.` without the `s` flag.
    static let dot = lineTerminators.inverted
}
