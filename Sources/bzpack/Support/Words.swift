internal import AppFormats

/// Numbers and lengths in words.
enum Words {
    /// `1 session`, `2 sessions`; `entry` becomes `entries`.
    static func count(_ number: Int, _ noun: String) -> String {
        guard number != 1 else { return "1 \(noun)" }
        return noun.hasSuffix("y") && !noun.hasSuffix("ay") ? "\(number) \(noun.dropLast())ies" : "\(number) \(noun)s"
    }

    /// The most columns that a name takes in a table; `show` and JSON have all of it.
    static let nameColumns = 60

    /// Whether a name has nothing that can be seen.
    static func isBlank(_ name: String) -> Bool { name.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// A length as `m:ss` or `h:mm:ss`.
    static func length(_ seconds: Int?) -> String {
        guard let seconds else { return "?" }
        let (minutes, rest) = (seconds / 60, twoDigits(seconds % 60))
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(twoDigits(minutes % 60)):\(rest)"
    }

    /// What a block counts: `45 s`, or `12 × 3 s`.
    static func timing(_ timing: BlockTiming) -> String {
        switch timing {
        case .duration(let seconds): "\(seconds) s"
        case .reps(let count, let secondsEach): "\(count) × \(secondsEach) s"
        }
    }

    /// ISO weekdays as `Mon Thu`.
    static func weekdays(_ days: [Int]?) -> String {
        let names = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
        return (days ?? []).sorted().compactMap { names.indices.contains($0 - 1) ? names[$0 - 1] : nil }
            .joined(separator: " ")
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
