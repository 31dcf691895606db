public import StrictJSON

/// Reads a table as RFC 4180 has it, row by row, in memory that does not grow with it.
///
/// What the RFC leaves open: rows end with CRLF, LF or CR; the delimiter is a comma, a semicolon or a tab, and goes by the
/// first row or by a line `sep=;` before it; blank rows are passed over; a quote inside of a field that does not begin with
/// one is a quote; spaces may follow a quoted field. Rows may differ in length: the caller sees to that.
///
/// ```swift
/// var reader = CSVReader(JSONByteSource(bytes))
/// while let row = try reader.next() { print(row.number, row.fields.map(\.text)) }
/// ```
public struct CSVReader: ~Copyable {
    private enum FieldEnd { case delimiter, row }

    private static let quote = UInt8(ascii: "\"")

    private var feed: TextFeed
    private let limits: CSVLimits
    private var field: [UInt8] = []
    private var rowNumber = 0
    private var hasBegun = false
    /// The delimiter of the fields; known from the first row on.
    public private(set) var delimiter = CSVDelimiter.comma

    /// Makes a reader of the rest of the source.
    public init(_ source: JSONByteSource, limits: CSVLimits = CSVLimits()) {
        feed = TextFeed(source)
        self.limits = limits
    }

    /// Returns the next row that is not blank; nil at the end.
    ///
    /// - Throws: `text.…` for what is no text in UTF-8, `csv.unterminated-quote` with the place of the quote, `csv.size`.
    public mutating func next() throws -> CSVRow? {
        if !hasBegun { try begin() }
        while try feed.peek() != nil {
            rowNumber += 1
            let row = try readRow()
            if !row.isBlank { return row }
        }
        return nil
    }

    private mutating func begin() throws {
        hasBegun = true
        try feed.begin()
        let hint = feed.withHead { head -> CSVDelimiter? in
            guard head.count >= 5, head.starts(with: Array("sep=".utf8)),
                head.count == 5 || head[5] == 0x0A || head[5] == 0x0D
            else { return nil }
            return CSVDelimiter(rawValue: head[4])
        }
        guard let hint else {
            delimiter = feed.withHead(CSVDelimiter.detect)
            return
        }
        rowNumber += 1
        for _ in 0..<5 { feed.take() }
        if try feed.peek() == 0x0D { feed.take() }
        if try feed.peek() == 0x0A { feed.take() }
        delimiter = hint
    }

    private mutating func readRow() throws -> CSVRow {
        var row = CSVRow(number: rowNumber)
        while try readField(into: &row) == .delimiter {
            guard row.fields.count < limits.columns else {
                let message = "row \(rowNumber) has more than \(limits.columns) fields, which is the limit"
                throw InterchangeError(.tableSize, message, at: row.position)
            }
        }
        return row
    }

    private mutating func readField(into row: inout CSVRow) throws -> FieldEnd {
        let start = feed.position
        field.removeAll(keepingCapacity: true)
        let isQuoted = try feed.peek() == Self.quote
        if isQuoted { try readQuoted(from: start) }
        let length = field.count
        while true {
            let byte = try feed.peek()
            switch byte {
            case delimiter.rawValue, 0x0A, 0x0D, nil:
                if byte != nil { feed.take() }
                if byte == 0x0D, try feed.peek() == 0x0A { feed.take() }
                if isQuoted { row.note(extra: field[length...], after: start) }
                if isQuoted { field.removeSubrange(length...) }
                row.fields.append(CSVRow.Field(text: try text(from: start), isQuoted: isQuoted, position: start))
                return byte == delimiter.rawValue ? .delimiter : .row
            case 0: throw feed.nulError()
            default:
                feed.takeRun(until: delimiter.rawValue, into: &field)
                try checkSize(start)
            }
        }
    }

    /// Reads what stands between quotes, from the first to the last.
    private mutating func readQuoted(from start: TextPosition) throws {
        feed.take()
        while let byte = try feed.peek() {
            switch byte {
            case Self.quote:
                feed.take()
                guard try feed.peek() == Self.quote else { return }
                field.append(byte)
                feed.take()
            case 0: throw feed.nulError()
            case 0x0A, 0x0D:
                field.append(byte)
                feed.take()
            default: feed.takeRun(until: Self.quote, into: &field)
            }
            try checkSize(start)
        }
        let message =
            "the quote that begins this field of row \(rowNumber) has no end; add it, or double a quote inside"
        throw InterchangeError(.unterminatedQuote, message, at: start)
    }

    private func checkSize(_ start: TextPosition) throws(InterchangeError) {
        guard field.count > limits.fieldBytes else { return }
        let message =
            "this field of row \(rowNumber) has more than \(limits.fieldBytes) bytes, which is the limit; "
            + "look for a quote without an end"
        throw InterchangeError(.tableSize, message, at: start)
    }

    private func text(from start: TextPosition) throws(InterchangeError) -> String {
        guard let text = String(validating: field, as: UTF8.self) else {
            let message = "this field of row \(rowNumber) is not UTF-8; save the table as UTF-8 (“CSV UTF-8” in Excel)"
            throw InterchangeError(.invalidUTF8, message, at: start)
        }
        return text
    }
}

extension CSVRow {
    /// Notes what stands between the end of a quoted field and the delimiter; spaces do no harm.
    fileprivate mutating func note(extra: ArraySlice<UInt8>, after start: TextPosition) {
        guard fault == nil, extra.contains(where: { $0 != 0x20 }) else { return }
        let found = String(decoding: extra.prefix(20), as: UTF8.self)
        let message =
            "row \(number): \(quoted(found)) follows the end of the quoted field that begins here; expected a delimiter"
        fault = InterchangeError(.quote, message, at: start)
    }
}
