import FormatKit
package import StrictJSON

/// Goes through the rows of a table of a document.
package final class SlateCursor: SlateRowStream {
    /// The value of a row in a column.
    package enum Cell {
        case null
        /// UTF-8; good while the content lives.
        case text(UnsafeBufferPointer<UInt8>)
        case flag(Bool)
        /// Compact JSON, an array or an object; good while the content lives.
        case json(UnsafeBufferPointer<UInt8>)
    }

    /// The table.
    package var table: SlateTable { rows.table }
    /// The position of the row, from 0; -1 before the first.
    @exclusivity(unchecked) package private(set) var position = -1

    private let rows: SlateRows
    private let columns: [SlateColumn]
    private let exportedAt: UnsafeBufferPointer<UInt8>
    @exclusivity(unchecked) private var cells: [Int]
    @exclusivity(unchecked) private var json: SlateJSONText
    /// True if the row has members that the format does not know.
    @exclusivity(unchecked) package private(set) var hasUnknownMembers = false

    init(_ rows: SlateRows, exportedAt: UnsafeBufferPointer<UInt8>) {
        self.rows = rows
        self.exportedAt = exportedAt
        json = SlateJSONText(rows.table)
        columns = rows.table.columns
        cells = Array(repeating: -1, count: columns.count)
    }

    /// Goes to the next row; false behind the last.
    package func next() -> Bool { go(to: position + 1) }

    /// Goes to the row at a position; false where there is none.
    package func go(to position: Int) -> Bool {
        self.position = position
        guard rows.places.indices.contains(position) else { return false }
        hasUnknownMembers = rows.find(rows.places[position], into: &cells)
        return true
    }

    /// The primary key of the row.
    package var key: UnsafeBufferPointer<UInt8> {
        rows.string(cells[0]) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Returns the row's value in a column; the default where the member is absent.
    @inline(__always)
    package func cell(_ column: Int) -> Cell {
        let place = cells[column]
        let kind = columns[column].kind
        if place >= 0 {
            switch kind {
            case .text:
                if let text = rows.string(place) { return .text(text) }
            case .flag:
                if let flag = rows.flag(place) { return .flag(flag) }
            case .json:
                if let json = rows.json(place) { return .json(json) }
                // The text of a column that holds no JSON of its kind.
                if let text = rows.string(place) { return .text(text) }
            }
            return .null
        }
        switch columns[column].whenAbsent {
        case .none, .null: return .null
        case .flag(let flag): return .flag(flag)
        case .exportedAt: return .text(exportedAt)
        }
    }

    /// The members that the format does not know, in order.
    package var unknownMembers: JSONObject {
        hasUnknownMembers ? rows.unknownMembers(rows.places[position]) : JSONObject()
    }

    /// The row as compact JSON.
    var encoded: [UInt8] {
        let texts = SlateRowTexts(self)
        return (try? texts.text) ?? []
    }

    /// Writes the row as an object: all known members in order, then the others.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for index in columns.indices {
            writer.name(plain: columns[index].name)
            switch cell(index) {
            case .null: writer.null()
            case .text(let text) where columns[index].kind == .json: json.write(text, to: &writer)
            case .text(let text): writer.string(utf8: text)
            case .flag(let flag): writer.flag(flag, columns[index].kind)
            case .json(let text): json.copy(text, to: &writer)
            }
        }
        for member in unknownMembers {
            writer.name(member.name)
            writer.value(member.value)
        }
        writer.endObject()
    }
}

extension JSONWriter {
    /// Writes a flag as its column has it.
    package mutating func flag(_ flag: Bool, _ kind: SlateColumn.Kind) {
        if kind == .flag(isNumber: true) { literalDigit(flag) } else { bool(flag) }
    }

    private mutating func literalDigit(_ flag: Bool) { number(flag ? 1 : 0) }
}

/// The members that the format knows.
package enum SlateLayout {
    private static let names = Dictionary(
        uniqueKeysWithValues: SlateTable.allCases.map { table in
            (table, Set(table.columns.map { ScalarKey($0.text) }))
        }
    )

    package static func isKnown(_ name: String, in table: SlateTable) -> Bool {
        names[table]?.contains(ScalarKey(name)) ?? false
    }
}
