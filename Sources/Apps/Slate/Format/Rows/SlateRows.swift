import FormatKit
import RecordStore
import StrictJSON

/// The rows of a table of a document, in the order of their keys' bytes.
///
/// Each is kept as its number in the document and the values of its columns, without names and white space: half of the
/// text of an export. A byte tells what a value is, or how long a short text; texts are unescaped, and JSON is compact.
final class SlateRows {
    let table: SlateTable
    /// The places of the rows.
    @exclusivity(unchecked) private(set) var places: [Int] = []
    /// The number of the columns.
    let columnCount: Int
    private let columns: [SlateColumn]
    /// The keys of the rows, made when one is looked for.
    @exclusivity(unchecked) private var keys: [UnsafeBufferPointer<UInt8>] = []
    /// Values that a repair replaced, by their places; nil stands for null.
    @exclusivity(unchecked) private var replaced: [Int: UnsafeMutableBufferPointer<UInt8>?] = [:]

    /// The memory of the rows: words of a tape, taken as bytes.
    @exclusivity(unchecked) private var memory = Tape(capacity: 512)
    /// Its first byte, which stays where it is once all rows are added.
    @exclusivity(unchecked) private var bytes: UnsafeMutablePointer<UInt8>
    @exclusivity(unchecked) private var count = 0

    /// The column of each name of the document, -1 for names that the table has no column for.
    @exclusivity(unchecked) private var columnOfName: [Int8] = []
    /// The index on the tape of each column's value in the row that is added.
    @exclusivity(unchecked) private var indices: [Int]
    private let compact = CompactJSON()

    /// The kinds of value that a first byte tells; from `shortText` on it is the length of a text as well.
    private enum Mark {
        static let absent: UInt8 = 0
        static let null: UInt8 = 1
        static let `false`: UInt8 = 2
        static let `true`: UInt8 = 3
        /// Four bytes of length follow.
        static let longText: UInt8 = 4
        static let json: UInt8 = 5
        static let shortText: UInt8 = 6
    }

    /// Makes a table without rows.
    init(_ table: SlateTable) {
        self.table = table
        columns = table.columns
        columnCount = columns.count
        indices = Array(repeating: -1, count: columns.count)
        bytes = UnsafeMutableRawPointer(memory.words).assumingMemoryBound(to: UInt8.self)
    }

    deinit { for case let text? in replaced.values { text.deallocate() } }

    // MARK: Adding rows

    /// Adds the elements of an array of a document.
    convenience init(_ table: SlateTable, in document: JSONDocument, at array: JSONNode?) {
        self.init(table)
        guard let array, array.kind == .array else { return }
        document.bytes.withUnsafeBufferPointer { text in
            for row in array.elements { append(document.tape.words, row.index, text: text, names: document.names) }
        }
    }

    /// Adds the row at a word of a tape; what is no object has no values.
    func append(
        _ words: UnsafeMutablePointer<UInt64>,
        _ row: Int,
        text: UnsafeBufferPointer<UInt8>,
        names: borrowing NameTable
    ) {
        if columnOfName.count < names.count { learn(names) }
        for column in indices.indices { indices[column] = -1 }
        var others: [Int] = []
        if TapeWord(bits: words[row]).tag == .object {
            var index = row + 2
            let end = Int(words[row + 1])
            while index < end {
                let column = Int(columnOfName[TapeWord(bits: words[index]).payload])
                if column >= 0 { indices[column] = index + 1 } else { others.append(index) }
                let isContainer = TapeWord(bits: words[index + 1]).isContainer
                index = isContainer ? Int(words[index + 2]) : index + 2
            }
        }
        places.append(count)
        reserve(4)
        UnsafeMutableRawPointer(bytes + count).storeBytes(of: UInt32(places.count - 1), as: UInt32.self)
        count += 4
        for column in indices.indices {
            let index = indices[column]
            if index >= 0 {
                add(words, index, as: columns[column].kind, text: text, names: names)
            } else {
                add(Mark.absent)
            }
        }
        guard !others.isEmpty else { return add(Mark.absent) }
        let members = compact.text { writer in
            writer.beginObject()
            for index in others {
                writer.name(names.string(TapeWord(bits: words[index]).payload))
                writer.write(words, index + 1, text: text, names: names)
            }
            writer.endObject()
        }
        members.withUnsafeBufferPointer { add($0, as: Mark.json) }
    }

    /// Finds the columns of names that the document has got since the last row.
    private func learn(_ names: borrowing NameTable) {
        for symbol in columnOfName.count..<names.count {
            let name = names.bytes(symbol)
            let column = columns.firstIndex { column in
                name.elementsEqual(
                    UnsafeBufferPointer(start: column.name.utf8Start, count: column.name.utf8CodeUnitCount)
                )
            }
            columnOfName.append(Int8(column ?? -1))
        }
    }

    @inline(__always)
    private func add(
        _ words: UnsafeMutablePointer<UInt64>,
        _ index: Int,
        as kind: SlateColumn.Kind,
        text: UnsafeBufferPointer<UInt8>,
        names: borrowing NameTable
    ) {
        let word = TapeWord(bits: words[index])
        switch (word.tag, kind) {
        case (.string, .text), (.string, .json):
            let start = word.offset + 1
            add(UnsafeBufferPointer(rebasing: text[start..<start + word.payload]), as: Mark.longText)
        case (.escapedString, .text), (.escapedString, .json):
            let start = word.offset + 1
            let string = unescaped(UnsafeBufferPointer(rebasing: text[start..<start + word.payload]))
            string.withUnsafeBufferPointer { add($0, as: Mark.longText) }
        case (.array, .json), (.object, .json):
            let value = compact.text { $0.write(words, index, text: text, names: names) }
            value.withUnsafeBufferPointer { add($0, as: Mark.json) }
        case (.true, .flag): add(Mark.true)
        case (.false, .flag): add(Mark.false)
        case (.integer, .flag), (.decimal, .flag):
            let token = text[word.offset..<word.offset + word.payload]
            let number = JSONNumber(validToken: String(decoding: token, as: UTF8.self))
            add(number.int.map { $0 == 0 ? Mark.false : Mark.true } ?? Mark.null)
        default: add(Mark.null)
        }
    }

    @inline(__always)
    private func add(_ value: UnsafeBufferPointer<UInt8>, as mark: UInt8) {
        reserve(value.count + 5)
        var start = bytes + count
        if mark == Mark.longText, value.count <= Int(UInt8.max - Mark.shortText) {
            start[0] = Mark.shortText &+ UInt8(truncatingIfNeeded: value.count)
            start += 1
        } else {
            start[0] = mark
            UnsafeMutableRawPointer(start + 1).storeBytes(of: UInt32(value.count), as: UInt32.self)
            start += 5
        }
        if let base = value.baseAddress { start.update(from: base, count: value.count) }
        count = start + value.count - bytes
    }

    @inline(__always)
    private func add(_ byte: UInt8) {
        reserve(1)
        bytes[count] = byte
        count += 1
    }

    @inline(__always)
    private func reserve(_ more: Int) { if count + more > memory.capacity * 8 { grow(more) } }

    @inline(never)
    private func grow(_ more: Int) {
        while count + more > memory.capacity * 8 { memory.grow() }
        bytes = UnsafeMutableRawPointer(memory.words).assumingMemoryBound(to: UInt8.self)
    }

    // MARK: Values

    /// Finds the values of a row.
    ///
    /// - Parameter cells: Takes the place of each column's value, -1 for what is absent.
    /// - Returns: Whether the row has other members.
    func find(_ row: Int, into cells: inout [Int]) -> Bool {
        var place = row + 4
        for column in cells.indices {
            cells[column] = bytes[place] == Mark.absent ? -1 : place
            place = end(place)
        }
        return bytes[place] != Mark.absent
    }

    /// Returns the place of the value of a column in a row; nil where it is absent.
    func cell(_ row: Int, _ column: Int) -> Int? {
        var place = row + 4
        for _ in 0..<column { place = end(place) }
        return bytes[place] == Mark.absent ? nil : place
    }

    /// Returns the place behind a value.
    @inline(__always)
    private func end(_ place: Int) -> Int {
        let mark = bytes[place]
        if mark >= Mark.shortText { return place + 1 + Int(mark - Mark.shortText) }
        return mark < Mark.longText ? place + 1 : place + 5 + length(place + 1)
    }

    @inline(__always)
    private func length(_ place: Int) -> Int {
        Int(UnsafeRawPointer(bytes + place).loadUnaligned(as: UInt32.self))
    }

    /// Returns the bytes of a text; nil where the value is none, or was replaced by null.
    @inline(__always)
    func string(_ cell: Int) -> UnsafeBufferPointer<UInt8>? {
        if !replaced.isEmpty, let replacement = replaced[cell] { return replacement.map { UnsafeBufferPointer($0) } }
        let mark = bytes[cell]
        if mark >= Mark.shortText {
            return UnsafeBufferPointer(start: bytes + cell + 1, count: Int(mark - Mark.shortText))
        }
        return mark == Mark.longText ? UnsafeBufferPointer(start: bytes + cell + 5, count: length(cell + 1)) : nil
    }

    /// Returns the compact text of a value that is an array or an object; nil where it is none.
    func json(_ cell: Int) -> UnsafeBufferPointer<UInt8>? {
        guard bytes[cell] == Mark.json else { return nil }
        return UnsafeBufferPointer(start: bytes + cell + 5, count: length(cell + 1))
    }

    /// Returns true for `true` and any number but 0, false for `false` and 0; nil for other values.
    func flag(_ cell: Int) -> Bool? {
        switch bytes[cell] {
        case Mark.true: true
        case Mark.false: false
        default: nil
        }
    }

    /// Returns the bytes of a string column in a row; nil where it is absent or null.
    func string(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
        cell(row, column).flatMap { string($0) }
    }

    /// Returns the primary key of a row.
    func key(_ row: Int) -> UnsafeBufferPointer<UInt8> {
        string(row, 0) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Returns the members of a row that the format does not know, in order.
    func unknownMembers(_ row: Int) -> JSONObject {
        var place = row + 4
        for _ in columns { place = end(place) }
        return json(place).flatMap { try? JSONDocument(parsing: Array($0)) }?.root.value.object ?? JSONObject()
    }

    /// Returns the pointer to a row in the document, or to the value of a column.
    func pointer(_ row: Int, _ column: Int? = nil) -> JSONPointer {
        let pointer = JSONPointer.root.appending(table.name).appending(length(row))
        return column.map { pointer.appending(columns[$0].text) } ?? pointer
    }

    /// Replaces a text for all who read it from here.
    func replace(_ cell: Int, by text: String?) {
        guard let text else { return replaced[cell] = .some(nil) }
        let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
        _ = buffer.initialize(fromContentsOf: Array(text.utf8))
        replaced[cell] = buffer
    }

    // MARK: Order

    /// Leaves rows out.
    func remove(_ rows: Set<Int>) {
        guard !rows.isEmpty else { return }
        places.removeAll { rows.contains($0) }
        keys = []
    }

    /// Puts the rows into the order of their keys; takes one look where they are in order.
    ///
    /// - Returns: Whether no two rows have one key.
    @discardableResult
    func sort() -> Bool {
        keys = []
        // Above zero where two rows are out of order, zero where two have one key.
        var highest = zip(places, places.dropFirst()).reduce(-1) { max($0, key($1.0).compare(key($1.1))) }
        if highest > 0 {
            var keyed = places.map { (place: $0, key: key($0)) }
            // Stable, so that of rows with one key the first of the file comes first.
            keyed.sort { left, right in
                let order = left.key.compare(right.key)
                return order < 0 || order == 0 && left.place < right.place
            }
            places = keyed.map(\.place)
            highest = zip(keyed, keyed.dropFirst()).contains { $0.key.compare($1.key) == 0 } ? 0 : -1
        }
        return highest < 0
    }

    /// Returns the position of the row with a key, in rows that are sorted.
    func find(_ key: UnsafeBufferPointer<UInt8>) -> Int? {
        if keys.count != places.count { keys = places.map { self.key($0) } }
        var low = 0
        var high = keys.count
        while low < high {
            let middle = (low + high) / 2
            let order = keys[middle].compare(key)
            if order == 0 { return middle }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return nil
    }
}
