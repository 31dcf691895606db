/// A binary property list made of parts that need not fit together, as hostile files have them.
public struct BinaryPlist {
    /// The objects, each with its marker.
    public var objects: [[UInt8]]
    /// The bytes of a reference, for arrays and dictionaries made by this type and for the trailer.
    public var referenceSize = 1
    /// The bytes of an offset.
    public var offsetSize = 4
    /// The outermost object.
    public var top = 0
    /// The offsets, where they are not those of the objects.
    public var offsets: [Int]?
    /// The number of objects that the trailer gives, where it is not theirs.
    public var count: Int?

    /// A property list of those objects.
    public init(_ objects: [[UInt8]]) { self.objects = objects }

    /// The bytes of the file.
    public var bytes: [UInt8] {
        var bytes = Array("bplist00".utf8)
        var places: [Int] = []
        for object in objects {
            places.append(bytes.count)
            bytes += object
        }
        let table = bytes.count
        for place in offsets ?? places { bytes += Self.number(place, offsetSize) }
        bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
        return bytes + Self.number(count ?? objects.count, 8) + Self.number(top, 8) + Self.number(table, 8)
    }

    /// A number, the most significant byte first.
    public static func number(_ value: Int, _ size: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * (size - 1 - $0))) }
    }

    /// A marker with a count, in the form that the count needs.
    public static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
        count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F, 0x13] + number(count, 8)
    }

    /// A string, in ASCII or in UTF-16.
    public static func string(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(5, text.utf8.count) + text.utf8 }
        return marker(6, text.utf16.count) + text.utf16.flatMap { number(Int($0), 2) }
    }

    /// An array of references to objects.
    public static func array(_ references: [Int], size: Int = 1) -> [UInt8] {
        marker(0xA, references.count) + references.flatMap { number($0, size) }
    }

    /// A dictionary of references to keys and values.
    public static func dictionary(_ members: [(Int, Int)], size: Int = 1) -> [UInt8] {
        marker(0xD, members.count) + (members.map(\.0) + members.map(\.1)).flatMap { number($0, size) }
    }

    /// A property list whose only key has the first of the objects, which count from 2.
    public static func list(key: String, _ objects: [[UInt8]]) -> BinaryPlist {
        BinaryPlist([dictionary([(1, 2)]), string(key)] + objects)
    }
}
