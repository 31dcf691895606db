/// The name of one branch of changes; a device gets a new one when another device could continue its history.
///
/// A name has 1 to 64 of the characters `0-9 a-z . -`, so that it can be part of a file name on every system. Names are
/// ordered by their bytes.
public struct WriterID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Makes a name of a text; nil for a text that cannot be one.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else { return nil }
        description = text
    }

    /// Makes a name of a text that is known to be valid.
    init(known text: String) { description = text }

    private static func allows(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// Returns whether both are one name; ASCII texts that are equal have the same bytes.
    public static func == (left: WriterID, right: WriterID) -> Bool { left.description == right.description }

    /// Returns whether one name comes before another.
    public static func < (left: WriterID, right: WriterID) -> Bool { precedes(left.description, right.description) }
}
