import Synchronization

/// The properties that `\p{…}` names (ECMA-262, 22.2.1 and its tables 67 to 69).
///
/// Members come from the standard library's Unicode data. A set is computed by asking about each code point, which
/// takes milliseconds, so that each is computed once for the process.
enum UnicodeProperty {
    private static let cache = Mutex<[String: ScalarSet]>([:])

    /// Returns the set that the text between the braces names; nil when ECMA-262 has no such property.
    ///
    /// `Lu`, `gc=Lu`, `General_Category=Uppercase_Letter`, `Alphabetic`, `Script=Latin` and `scx=Latn` are examples.
    /// Names are case-sensitive, and there is no loose matching.
    static func set(named text: String) -> ScalarSet? {
        if let known = cache.withLock({ $0[text] }) { return known }
        guard let set = resolve(text) else { return nil }
        // A second thread may have done the same work meanwhile; both sets are equal.
        cache.withLock { $0[text] = set }
        return set
    }

    private static func resolve(_ text: String) -> ScalarSet? {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            return generalCategory(text) ?? binary(text)
        }
        let value = String(parts[1])
        switch parts[0] {
        case "General_Category", "gc": return generalCategory(value)
        case "Script", "sc": return UnicodeScripts.script(value)
        case "Script_Extensions", "scx": return UnicodeScripts.scriptExtensions(value)
        default: return nil
        }
    }

    /// The code points to ask about one by one.
    ///
    /// Planes 4 to 13 have no characters and planes 15 and 16 are for private use; there only the last two code points
    /// of a plane, which are noncharacters, differ from the rest.
    private static let probed: [ClosedRange<UInt32>] = {
        var ranges: [ClosedRange<UInt32>] = [0...0xD7FF, 0xE000...0x3FFFF]
        for plane in UInt32(4)...16 {
            let first = plane << 16
            ranges += [first...(plane == 14 ? 0xE2000 : first), (first + 0xFFFE)...(first + 0xFFFF)]
        }
        return ranges
    }()

    /// Returns the largest run of code points that are alike to `value`, the start of a probed range or a part of one.
    private static func extent(of value: UInt32) -> ClosedRange<UInt32> {
        if value >= 0x40000, value & 0xFFFF == 0, value >> 16 != 14 { return value...(value + 0xFFFD) }
        if value == 0xE2000 { return value...0xEFFFD }
        return value...value
    }

    /// Calls `visit` for every code point that is not a surrogate, in order, with the run it stands for.
    static func forEachScalar(_ visit: (Unicode.Scalar, ClosedRange<UInt32>) -> Void) {
        for range in probed {
            for value in range {
                if let scalar = Unicode.Scalar(value) { visit(scalar, extent(of: value)) }
            }
        }
    }

    /// Returns the set of the code points whose properties pass a test.
    static func scan(_ test: (Unicode.Scalar.Properties) -> Bool) -> ScalarSet {
        var ranges: [ClosedRange<UInt32>] = []
        forEachScalar { scalar, run in
            if test(scalar.properties) { append(run, to: &ranges) }
        }
        return ScalarSet(ranges)
    }

    /// Adds a run that lies after the others, joining it to the last when they touch.
    static func append(_ run: ClosedRange<UInt32>, to ranges: inout [ClosedRange<UInt32>]) {
        if let last = ranges.last, last.upperBound + 1 == run.lowerBound {
            ranges[ranges.count - 1] = last.lowerBound...run.upperBound
        } else {
            ranges.append(run)
        }
    }

    /// Returns the set that a list such as `41-5A AA` in hexadecimal describes.
    static func set(fromList text: some StringProtocol) -> ScalarSet {
        var ranges: [ClosedRange<UInt32>] = []
        for item in text.split(separator: " ") {
            let ends = item.split(separator: "-").compactMap { UInt32($0, radix: 16) }
            if let low = ends.first, let high = ends.last, low <= high { ranges.append(low...high) }
        }
        return ScalarSet(ranges)
    }
}
