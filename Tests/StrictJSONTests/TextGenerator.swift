@testable import StrictJSON
import TestSupport

/// Makes JSON texts: values with random white space, escapes, numbers, and few names, so that they repeat.
struct TextGenerator {
    var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// Each name with the ways to spell it.
    private static let names = [
        ["a", "\\u0061"], ["b"], [""], ["id"], ["name"], ["a long name that is more than a word"], ["é", "\\u00e9"],
        ["𝄞", "\\ud834\\udd1e"], ["a\\u0062", "ab"], ["\\n"], ["tags"], ["12345678"], ["1234567"], ["\\\""],
    ]
    private static let pieces = [
        "a", "xyz", "é", "€", "𝄞", "\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\ud83d\\ude00", "\\u0000", " ",
        "12345678",
        "\u{7F}", "\u{2028}", "[", "{", ":", ",", "\\t",
    ]

    private mutating func space() -> String {
        random.chance(80) ? "" : (0..<random.below(12)).map { _ in random.pick([" ", "\n", "\t", "\r", " "]) }.joined()
    }

    private mutating func string() -> String {
        "\"" + (0..<random.below(random.chance(90) ? 6 : 40)).map { _ in random.pick(Self.pieces) }.joined() + "\""
    }

    private mutating func number() -> String {
        var token = random.pick(["", "-"])
        token += random.chance(30) ? "0" : String(UInt64.random(in: 1...(.max), using: &random) >> random.below(60) | 1)
        if random.chance(30) { token += "." + String(random.next() >> random.below(60)) }
        if random.chance(20) {
            token += random.pick(["e", "E"]) + random.pick(["", "+", "-"]) + String(random.below(280))
        }
        return token
    }

    mutating func value(depth: Int) -> String {
        space() + bareValue(depth: depth) + space()
    }

    private mutating func bareValue(depth: Int) -> String {
        switch random.below(depth > 0 ? 10 : 6) {
        case 0: return random.pick(["null", "true", "false"])
        case 1, 2: return number()
        case 3...5: return string()
        case 6, 7:
            return "[" + space() + (0..<random.below(5)).map { _ in value(depth: depth - 1) }.joined(separator: ",")
                + "]"
        default:
            let names = Self.names.shuffled(using: &random).prefix(random.below(6))
            let members = names.map { space() + "\"\(random.pick($0))\"" + space() + ":" + value(depth: depth - 1) }
            return "{" + space() + members.joined(separator: ",") + "}"
        }
    }

    private static let insertions: [[UInt8]] = [
        [0], [0x22], [0x5C], [0x2C], [0x5D], [0x7D], [0x80], [0xC3], [0xED, 0xA0, 0x80], [0x0A], [0xF0, 0x9F], [0x65],
        [0x2D], Array("\\ud800".utf8), Array("1e400".utf8), Array("NaN".utf8), Array("\"a\":1,".utf8), Array("[".utf8),
        Array("-Infinity".utf8), [0, 0, 0, 0, 0], Array("tru".utf8), Array("\u{FEFF}".utf8),
    ]

    /// A text with a few faults.
    mutating func broken(_ text: [UInt8]) -> [UInt8] {
        var bytes = text
        for _ in 0...random.below(2) {
            let place = random.below(bytes.count + 1)
            switch random.below(6) {
            case 0 where place < bytes.count: bytes.remove(at: place)
            case 1 where place < bytes.count: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 2: bytes.removeSubrange(place...)
            case 3: bytes.replaceSubrange(place..., with: Array(repeating: 0, count: random.below(60)))
            case 4 where place < bytes.count: bytes.swapAt(place, random.below(bytes.count))
            default: bytes.insert(contentsOf: random.pick(Self.insertions), at: place)
            }
        }
        return bytes
    }
}
