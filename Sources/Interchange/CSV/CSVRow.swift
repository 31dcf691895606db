public import StrictJSON

/// A row of a table: its fields, and where they stand.
public struct CSVRow: Sendable {
    /// A field of a row.
    public struct Field: Sendable, Hashable {
        /// The text, without quotes.
        public let text: String
        /// True if the field stood between quotes, which tells an empty text from none.
        public let isQuoted: Bool
        /// The position where the field begins.
        public let position: TextPosition

        /// Makes a field.
        public init(text: String, isQuoted: Bool, position: TextPosition) {
            self.text = text
            self.isQuoted = isQuoted
            self.position = position
        }
    }

    /// The number of the row as spreadsheets count, from 1, blank rows among them.
    public let number: Int
    /// The fields, at least one.
    public internal(set) var fields: [Field] = []
    /// The fault of the row itself, which does not concern the other rows.
    public internal(set) var fault: InterchangeError?

    init(number: Int) { self.number = number }

    /// Adds fields without anything in them.
    mutating func pad(to count: Int) {
        guard let last = fields.last else { return }
        while fields.count < count { fields.append(Field(text: "", isQuoted: false, position: last.position)) }
    }

    /// The position where the row begins.
    public var position: TextPosition? { fields.first?.position }

    /// True if there is nothing in the row, as in an empty line, or nothing but delimiters.
    var isBlank: Bool {
        fault == nil && fields.allSatisfy { $0.text.isEmpty && (!$0.isQuoted || fields.count == 1) }
    }
}

/// Limits of a table.
public struct CSVLimits: Sendable, Hashable {
    /// The most bytes of a field; 16 MiB unless told.
    public var fieldBytes = 1 << 24
    /// The most columns; 1,000 unless told.
    public var columns = 1000

    /// Makes the limits that suit tables which people make.
    public init() {}
}

/// The delimiters of a table's fields.
public enum CSVDelimiter: UInt8, Sendable, Hashable, CaseIterable {
    /// A comma, as RFC 4180 has it.
    case comma = 0x2C
    /// A semicolon, as spreadsheets write it where the comma separates decimals.
    case semicolon = 0x3B
    /// A tab.
    case tab = 0x09

    /// Returns the delimiter of a text: the one that occurs most in its first row outside of quotes, else the comma.
    static func detect(_ head: UnsafeBufferPointer<UInt8>) -> CSVDelimiter {
        var counts: [CSVDelimiter: Int] = [:]
        var isQuoted = false
        for byte in head {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted { continue }
            if byte == 0x0A || byte == 0x0D { break }
            if let delimiter = CSVDelimiter(rawValue: byte) { counts[delimiter, default: 0] += 1 }
        }
        let most = counts.values.max() ?? 0
        return allCases.first { counts[$0, default: 0] == most } ?? .comma
    }
}
