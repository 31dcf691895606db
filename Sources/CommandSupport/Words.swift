internal import CivilTime

/// Numbers and lengths in words.
package enum Words {
    /// Returns a number with its noun: `1 session`, `2 sessions`; `entry` becomes `entries`.
    package static func count(_ number: Int, _ noun: String) -> String {
        guard number != 1 else { return "1 \(noun)" }
        if noun.hasSuffix("ch") { return "\(number) \(noun)es" }
        return noun.hasSuffix("y") && !noun.hasSuffix("ay") ? "\(number) \(noun.dropLast())ies" : "\(number) \(noun)s"
    }

    /// The most columns that a name takes in a table; `show` and JSON have all of it.
    package static let nameColumns = 60

    /// Tells whether a name has no visible character.
    package static func isBlank(_ name: String) -> Bool { name.unicodeScalars.allSatisfy(\.properties.isWhitespace) }

    /// Returns a length in words: `4 h 55 min`, `1 min 30 s`, `20 s`.
    package static func length(_ seconds: Int?) -> String {
        seconds.map(DurationText.words) ?? "?"
    }

    /// Returns a point of a session as its clock shows it, `m:ss` or `h:mm:ss`.
    package static func position(_ seconds: Int?) -> String {
        guard let seconds else { return "?" }
        let (minutes, rest) = (seconds / 60, twoDigits(seconds % 60))
        return minutes < 60 ? "\(minutes):\(rest)" : "\(minutes / 60):\(twoDigits(minutes % 60)):\(rest)"
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
