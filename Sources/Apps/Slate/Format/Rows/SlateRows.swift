import FormatKit
import RecordStore
import StrictJSON

/// The rows of a table of a document, in the order of their keys' bytes.
final class SlateRows {
    let table: SlateTable
    let text: DocumentTape
    /// The places of the rows on the tape.
    @exclusivity(unchecked) private(set) var places: [Int]
    /// The keys of the rows, made when one is looked for.
    @exclusivity(unchecked) private var keys: [UnsafeBufferPointer<UInt8>] = []
    /// The column of each name of the document, -1 for names that the table has no column for.
    private let columnOfName: [Int8]
    /// The number of the names of the columns.
    let columnCount: Int

    init(_ table: SlateTable, in text: DocumentTape, at index: Int?) {
        self.table = table
        self.text = text
        let columns = table.columns
        columnCount = columns.count
        var columnOfName = Array(repeating: Int8(-1), count: text.document.names.count)
        for (position, column) in columns.enumerated() {
            let name = UnsafeBufferPointer(start: column.name.utf8Start, count: column.name.utf8CodeUnitCount)
            if let symbol = text.document.names.find(name) { columnOfName[symbol] = Int8(position) }
        }
        self.columnOfName = columnOfName
        places = []
        guard let index, text.word(index).tag == .array else { return }
        places.reserveCapacity(text.word(index).payload)
        var place = index + 2
        let end = text.end(index)
        while place < end {
            places.append(place)
            place = text.end(place)
        }
    }

    /// Finds the values of a row.
    ///
    /// - Parameter cells: Takes the place of each column's value, -1 for what is absent.
    /// - Returns: Whether the row has other members.
    func find(_ row: Int, into cells: inout [Int]) -> Bool {
        for column in cells.indices { cells[column] = -1 }
        var hasOthers = false
        guard text.word(row).tag == .object else { return false }
        var index = row + 2
        let end = text.end(row)
        while index < end {
            let column = Int(columnOfName[text.word(index).payload])
            if column >= 0 { cells[column] = index + 1 } else { hasOthers = true }
            index = text.end(index + 1)
        }
        return hasOthers
    }

    /// Returns the place of the value of a column in a row; nil where it is absent.
    func cell(_ row: Int, _ column: Int) -> Int? {
        guard text.word(row).tag == .object else { return nil }
        var index = row + 2
        let end = text.end(row)
        while index < end {
            if Int(columnOfName[text.word(index).payload]) == column { return index + 1 }
            index = text.end(index + 1)
        }
        return nil
    }

    /// Returns the bytes of a string column in a row; nil where it is absent or null.
    func string(_ row: Int, _ column: Int) -> UnsafeBufferPointer<UInt8>? {
        cell(row, column).flatMap { text.string($0) }
    }

    /// Returns the primary key of a row.
    func key(_ row: Int) -> UnsafeBufferPointer<UInt8> {
        string(row, 0) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

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
        var keyed = places.map { (place: $0, key: key($0)) }
        // Above zero where two rows are out of order, zero where two have one key.
        var highest =
            keyed.isEmpty ? -1 : zip(keyed, keyed.dropFirst()).reduce(-1) { max($0, $1.0.key.compare($1.1.key)) }
        if highest > 0 {
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
