package import StrictJSON

/// Goes through the activities of a document; a row is good while the content lives.
package final class TrackerCursor: TrackerRowStream {
    /// The position of the activity, from 0; -1 before the first.
    @exclusivity(unchecked) package private(set) var position = -1
    private let rows: TrackerRows
    @exclusivity(unchecked) private var cells: [Int]

    init(_ rows: TrackerRows) {
        self.rows = rows
        cells = Array(repeating: -1, count: TrackerRows.Column.count)
    }

    /// Returns the next activity; nil behind the last.
    package func next() -> TrackerRow? {
        position += 1
        while position < rows.places.count {
            if let row = row() { return row }
            position += 1
        }
        return nil
    }

    @inline(__always)
    private func row() -> TrackerRow? {
        let place = rows.places[position]
        guard let hasOthers = rows.find(place, into: &cells), var span = rows.span(place, cells) else { return nil }
        let unknown = hasOthers || rows.hasOddTimes(cells) ? rows.unknownMembers(place, &span) : JSONObject()
        return TrackerRow(
            id: rows.string(cells[TrackerRows.Column.id]) ?? UnsafeBufferPointer(start: nil, count: 0),
            name: rows.string(cells[TrackerRows.Column.name]) ?? UnsafeBufferPointer(start: nil, count: 0),
            buttonID: rows.string(cells[TrackerRows.Column.buttonID]),
            start: span.start,
            end: span.end,
            color: rows.string(cells[TrackerRows.Column.color]),
            unknownMembers: unknown
        )
    }

    /// The place of the activity in the document.
    package var pointer: JSONPointer { rows.pointer(position) }
}
