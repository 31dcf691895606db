/// The properties Script and Script_Extensions.
enum UnicodeScripts {
    /// Returns the code points whose script has this long or short name.
    static func script(_ name: String) -> ScalarSet? {
        if name == "Unknown" || name == "Zzzz" { return unknown }
        return canonicalName(name).flatMap { sets[$0] }
    }

    /// Returns the code points that are used with the script of this long or short name.
    static func scriptExtensions(_ name: String) -> ScalarSet? {
        guard let own = script(name) else { return nil }
        guard let canonical = canonicalName(name) else { return own }
        if canonical == "Common" || canonical == "Inherited" {
            return own.subtracting(ScalarSet(gains.values.flatMap(\.ranges)))
        }
        return gains[canonical].map { own.union($0) } ?? own
    }

    private static func canonicalName(_ name: String) -> String? {
        sets[name] != nil ? name : longNames[name]
    }

    /// The code points that no script has: unassigned, for private use, or surrogates.
    private static let unknown = ScalarSet(sets.values.flatMap(\.ranges)).inverted

    private static let sets = table(ranges)
    private static let gains = table(extensions)

    private static let longNames: [String: String] = {
        // Two scripts have an older short name besides their own.
        var names = ["Qaac": "Coptic", "Qaai": "Inherited"]
        for entry in ranges.split(separator: ";") {
            let words = entry.prefix { $0 != ":" }.split(separator: " ")
            if let long = words.first, let short = words.last { names[String(short)] = String(long) }
        }
        return names
    }()

    private static func table(_ text: String) -> [String: ScalarSet] {
        var result: [String: ScalarSet] = [:]
        for entry in text.split(separator: ";") {
            let halves = entry.split(separator: ":")
            guard halves.count == 2, let name = halves[0].split(separator: " ").first else { continue }
            result[String(name)] = UnicodeProperty.set(fromList: halves[1])
        }
        return result
    }
}
