import FormatKit
import StrictJSON

/// The buttons of a document, as they lie on its tape, and their identifiers.
final class TrackerButtonChecks {
    /// The places of the buttons on the tape, in the order of the file.
    private(set) var places: [Int] = []
    private var ids: ByteKeyTable
    private var idCells: [Int] = []
    private let text: DocumentTape

    /// - Parameter list: The place of the list, nil where there is none.
    init(_ text: DocumentTape, at list: Int?, _ findings: TapeFindings) {
        self.text = text
        let nodes = list.map { text.node($0).elements.map(\.self) } ?? []
        ids = ByteKeyTable(capacity: nodes.count)
        var fresh = FreshIDs()
        for node in nodes {
            guard let cell = node["id"]?.index, let id = text.string(cell) else { continue }
            let first = ids.insert(id, number: idCells.count, key: key)
            idCells.append(cell)
            guard let first else {
                places.append(node.index)
                continue
            }
            let value = String(decoding: id, as: UTF8.self)
            let isSame = node.value == text.node(places[first]).value
            var fix = "this one is the same, and left out"
            if findings.repair, !isSame {
                let new = fresh.next(for: value) { Set(nodes.compactMap { $0["id"]?.string.map(ScalarKey.init) }) }
                fix = "the second gets the id \"\(new)\""
                text.replace(cell, by: new)
                if let id = text.string(cell) { _ = ids.insert(id, number: idCells.count - 1, key: key) }
            }
            if !isSame { places.append(node.index) }
            findings.addFixable(
                "tracker.duplicate-id",
                at: cell,
                fix: fix,
                "the button id \"\(value)\" is used twice, first at \(findings.pointer(idCells[first]))"
            )
        }
    }

    private func key(_ number: Int) -> UnsafeBufferPointer<UInt8> {
        text.string(idCells[number]) ?? UnsafeBufferPointer(start: nil, count: 0)
    }

    /// Tells whether there is a button with an id.
    @inline(__always)
    func contains(_ id: UnsafeBufferPointer<UInt8>) -> Bool { ids.find(id, key: key) != nil }

    /// Returns the buttons as values.
    ///
    /// - Throws: `tracker.member` where one cannot be made.
    func values() throws(AppFormatError) -> [ActivityButton] {
        var buttons: [ActivityButton] = []
        buttons.reserveCapacity(places.count)
        for place in places {
            let node = text.node(place)
            var button = try ActivityButton(json: node.value, at: node.pointer)
            if let cell = node["id"]?.index, let id = text.string(cell) {
                button.id = String(decoding: id, as: UTF8.self)
            }
            buttons.append(button)
        }
        return buttons
    }
}
