/// Reads a binary property list (`bplist00`) where a key leads.
///
/// Every offset, size and count is held against the file before it is used. What several places share is read, and
/// counted, once for each; what contains itself is found out.
struct BinaryPropertyList {
    private let bytes: [UInt8]
    /// The offset at which the table of offsets begins, and the objects end.
    private let table: Int
    private let offsetSize: Int
    private let referenceSize: Int
    private let count: Int
    private let top: Int
    private var budget = PropertyListBudget()
    /// The objects that are being read, each in the one before it.
    private var open: [Int] = []

    private static let trailerSize = 32

    static func isOne(_ bytes: [UInt8]) -> Bool { bytes.starts(with: Array("bplist".utf8)) }

    /// Reads the value of a key in the outermost dictionary.
    static func read(_ bytes: [UInt8], key: String) throws(PropertyListError) -> PropertyList {
        var reader = try BinaryPropertyList(bytes)
        return try reader.file(key: key)
    }

    private init(_ bytes: [UInt8]) throws(PropertyListError) {
        guard bytes.starts(with: Array("bplist00".utf8)) else {
            throw PropertyListError(
                .structure,
                "a binary property list of another version than 00, which is the one that is read"
            )
        }
        guard bytes.count >= 8 + 1 + 1 + Self.trailerSize else {
            throw PropertyListError(.truncated, "the property list was cut off; get a complete copy")
        }
        self.bytes = bytes
        let trailer = bytes.count - Self.trailerSize
        offsetSize = Int(bytes[trailer + 6])
        referenceSize = Int(bytes[trailer + 7])
        let numbers = [8, 16, 24].map { Self.number(bytes, at: trailer + $0, size: 8) }
        guard (1...8).contains(offsetSize), (1...8).contains(referenceSize), let count = numbers[0],
            let top = numbers[1], let table = numbers[2], count > 0, top < count, table > 8, table < trailer,
            count <= (trailer - table) / offsetSize
        else {
            let message = "its last 32 bytes contradict the file, as where it was cut off; get a complete copy"
            throw PropertyListError(.truncated, message)
        }
        (self.count, self.top, self.table) = (count, top, table)
    }

    private mutating func file(key: String) throws(PropertyListError) -> PropertyList {
        let place = try place(of: top)
        guard bytes[place] >> 4 == 0xD else {
            throw PropertyListError(
                .presets,
                "the outermost value is no dictionary; expected one with the key \"\(key)\""
            )
        }
        var keys: [String] = []
        var value: PropertyList.Node?
        open = [top]
        for entry in try entries(at: place) {
            let name = try self.key(entry.key)
            keys.append(name)
            guard name == key else { continue }
            guard value == nil else { throw Self.duplicate(name) }
            value = try node(entry.value)
        }
        return PropertyList(form: .binary, keys: keys, value: value)
    }

    // MARK: Objects

    /// Returns the offset at which an object begins.
    private func place(of object: Int) throws(PropertyListError) -> Int {
        guard object < count,
            let place = Self.number(bytes, at: table + object * offsetSize, size: offsetSize),
            (8..<table).contains(place)
        else { throw PropertyListError(.structure, "the object \(object) lies outside of the file") }
        return place
    }

    private mutating func node(_ object: Int) throws(PropertyListError) -> PropertyList.Node {
        guard !open.contains(object) else {
            throw PropertyListError(.cycle, "the object \(object) contains itself")
        }
        guard open.count < PropertyList.depthLimit else {
            throw PropertyListError(.limit, "nested deeper than \(PropertyList.depthLimit) levels")
        }
        open.append(object)
        defer { open.removeLast() }
        return PropertyList.Node(kind: try kind(at: place(of: object)))
    }

    private mutating func kind(at place: Int) throws(PropertyListError) -> PropertyList.Kind {
        let marker = bytes[place]
        switch marker {
        case 0x00: return try leaf(.null)
        case 0x08, 0x09: return try leaf(.bool(marker == 0x09))
        case 0x10...0x14: return try leaf(.number(try integer(at: place)))
        case 0x22, 0x23: return try leaf(real(at: place))
        case 0x33: return try leaf(.other("a date"))
        case 0x80...0x8F: return try leaf(.other("a UID"))
        case 0x40...0x4F:
            let data = try content(at: place, unit: 1)
            try budget.take(bytes: data.count)
            return .data(Array(bytes[data]))
        case 0x50...0x6F:
            let text = try text(at: place)
            try budget.take(bytes: text.utf8.count)
            return .string(text)
        case 0xA0...0xAF:
            try budget.take()
            var elements: [PropertyList.Node] = []
            for object in try references(in: content(at: place, unit: referenceSize)) {
                elements.append(try node(object))
            }
            return .array(elements)
        case 0xB0...0xCF: return try leaf(.other("a set"))
        case 0xD0...0xDF: return try dictionary(at: place)
        default: throw Self.unknown(at: place)
        }
    }

    private mutating func leaf(_ kind: PropertyList.Kind) throws(PropertyListError) -> PropertyList.Kind {
        try budget.take()
        return kind
    }

    private mutating func dictionary(at place: Int) throws(PropertyListError) -> PropertyList.Kind {
        try budget.take()
        var members: [(key: String, value: PropertyList.Node)] = []
        var names: Set<[UInt8]> = []
        for entry in try entries(at: place) {
            let name = try key(entry.key)
            try budget.take(bytes: name.utf8.count)
            guard names.insert(Array(name.utf8)).inserted else { throw Self.duplicate(name) }
            members.append((name, try node(entry.value)))
        }
        return .dictionary(members)
    }

    /// Returns the keys and the values of a dictionary, which has all keys before all values.
    private func entries(at place: Int) throws(PropertyListError) -> [(key: Int, value: Int)] {
        let objects = try references(in: content(at: place, unit: 2 * referenceSize))
        return (0..<objects.count / 2).map { (objects[$0], objects[objects.count / 2 + $0]) }
    }

    private func key(_ object: Int) throws(PropertyListError) -> String {
        let place = try place(of: object)
        guard (0x50...0x6F).contains(bytes[place]) else {
            throw PropertyListError(.structure, "the key at byte \(place) is no string")
        }
        return try text(at: place)
    }

    private func references(in range: Range<Int>) throws(PropertyListError) -> [Int] {
        var objects: [Int] = []
        for place in stride(from: range.lowerBound, to: range.upperBound, by: referenceSize) {
            guard let object = Self.number(bytes, at: place, size: referenceSize), object < count else {
                throw PropertyListError(.structure, "the reference at byte \(place) leads to no object")
            }
            objects.append(object)
        }
        return objects
    }

    // MARK: Bytes

    /// Returns the range of an object's content, whose marker gives its length in units of so many bytes.
    private func content(at place: Int, unit: Int) throws(PropertyListError) -> Range<Int> {
        var length = Int(bytes[place] & 0x0F)
        var start = place + 1
        if length == 0x0F {
            guard start < table, (0x10...0x13).contains(bytes[start]) else { throw Self.unknown(at: place) }
            let size = 1 << Int(bytes[start] & 0x0F)
            guard let number = Self.number(bytes, at: start + 1, size: size) else { throw Self.unknown(at: place) }
            (length, start) = (number, start + 1 + size)
        }
        guard start <= table, length <= (table - start) / unit else {
            throw PropertyListError(.structure, "the object at byte \(place) is longer than the file")
        }
        return start..<start + length * unit
    }

    private func text(at place: Int) throws(PropertyListError) -> String {
        let isASCII = bytes[place] < 0x60
        let range = try content(at: place, unit: isASCII ? 1 : 2)
        let text: String? =
            if isASCII {
                bytes[range].allSatisfy { $0 < 0x80 } ? String(decoding: bytes[range], as: UTF8.self) : nil
            } else {
                String(
                    validating: stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                        UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
                    },
                    as: UTF16.self
                )
            }
        guard let text else {
            throw PropertyListError(.text, "the text at byte \(place) is no \(isASCII ? "ASCII" : "UTF-16")")
        }
        return text
    }

    /// Returns an integer of 1, 2, 4, 8 or 16 bytes; those of 8 and 16 have a sign.
    private func integer(at place: Int) throws(PropertyListError) -> String {
        let size = 1 << Int(bytes[place] & 0x0F)
        guard place + 1 + size <= table else { throw Self.unknown(at: place) }
        let value = bytes[place + 1..<place + 1 + size].reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        return size == 8 ? String(Int64(truncatingIfNeeded: value)) : String(Int128(truncatingIfNeeded: value))
    }

    private func real(at place: Int) throws(PropertyListError) -> PropertyList.Kind {
        let size = bytes[place] == 0x22 ? 4 : 8
        guard place + 1 + size <= table else { throw Self.unknown(at: place) }
        let bits = bytes[place + 1..<place + 1 + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return .real(size == 4 ? Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits))) : Double(bitPattern: bits))
    }

    /// Returns an unsigned number; nil where it does not fit.
    private static func number(_ bytes: [UInt8], at place: Int, size: Int) -> Int? {
        guard place >= 0, place <= bytes.count - size else { return nil }
        return Int(exactly: bytes[place..<place + size].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private static func unknown(at place: Int) -> PropertyListError {
        PropertyListError(.structure, "the object at byte \(place) is of no known kind, or longer than the file")
    }

    private static func duplicate(_ key: String) -> PropertyListError {
        PropertyListError(.duplicateKey, "a dictionary has the key \"\(key)\" twice")
    }
}
