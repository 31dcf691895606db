/// The name of one branch of changes: a device gets a new one each time its history could be continued by another.
///
/// It is 1 to 64 of the characters `0-9 a-z . -`, so that it can be part of a file name everywhere. Names are ordered by
/// their bytes.
public struct WriterID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// A name, or nil where the text is none.
    public init?(_ text: String) {
        guard (1...64).contains(text.utf8.count), text.utf8.allSatisfy(Self.allows) else { return nil }
        description = text
    }

    /// A name that is known to be one.
    init(known text: String) { description = text }

    private static func allows(_ byte: UInt8) -> Bool {
        (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
    }

    /// Whether both are one name; of ASCII alone, equal texts have the same bytes.
    public static func == (left: WriterID, right: WriterID) -> Bool { left.description == right.description }

    /// Whether one name comes before another.
    public static func < (left: WriterID, right: WriterID) -> Bool { precedes(left.description, right.description) }
}
