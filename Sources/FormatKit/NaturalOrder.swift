/// The order of names as people expect it: `Item 2` before `Item 10`, without regard to case.
public enum NaturalOrder {
    /// Tells whether a name comes before another; names that differ in case alone come in the order of their
    /// characters.
    public static func precedes(_ first: String, _ second: String) -> Bool {
        let (left, right) = (parts(first), parts(second))
        for (one, other) in zip(left, right) where one != other {
            switch (one, other) {
            case (.number(let one), .number(let other)):
                return one.count == other.count ? one < other : one.count < other.count
            case (.text(let one), .text(let other)): return one < other
            case (.number, .text): return true
            case (.text, .number): return false
            }
        }
        return left.count == right.count ? first < second : left.count < right.count
    }

    private enum Part: Equatable {
        case text(String)
        /// The digits, without zeros before them.
        case number(String)
    }

    private static func parts(_ name: String) -> [Part] {
        var parts: [Part] = []
        var rest = name.lowercased()[...]
        while let first = rest.first {
            let isNumber = isDigit(first)
            let part = rest.prefix { isDigit($0) == isNumber }
            rest = rest.dropFirst(part.count)
            parts.append(isNumber ? .number(String(part.drop { $0 == "0" })) : .text(String(part)))
        }
        return parts
    }

    private static func isDigit(_ character: Character) -> Bool { ("0"..."9").contains(character) }
}
