import CivilTime
import FormatKit
import RecordStore
import StrictJSON

/// The activities of a document of any version, as they lie on its tape.
final class TrackerRows {
    /// The columns in which the members are found.
    enum Column {
        static let id = 0
        static let name = 1
        static let buttonID = 2
        static let start = 3
        static let end = 4
        static let duration = 5
        static let color = 6
        static let count = 7
    }

    let text: DocumentTape
    let version: Int
    /// The places of the activities on the tape, in the order of the file.
    @exclusivity(unchecked) private(set) var places: [Int]
    /// The places of the activities in the list, once some were left out.
    @exclusivity(unchecked) private var indexes: [Int] = []
    /// Times that a repair gave an activity, by its place.
    @exclusivity(unchecked) private var times: [Int: TrackerSpan] = [:]
    /// The column of each name of the document, -1 for names that there is no column for.
    private let columnOfName: [Int8]

    /// - Parameter list: The place of the list, nil where there is none.
    init(_ text: DocumentTape, version: Int, at list: Int?) {
        self.text = text
        self.version = version
        var columnOfName = Array(repeating: Int8(-1), count: text.document.names.count)
        for (column, name) in TrackerLayout.activity.enumerated() {
            let symbol = Array(name.utf8).withUnsafeBufferPointer { text.document.names.find($0) }
            if let symbol { columnOfName[symbol] = Int8(column) }
        }
        self.columnOfName = columnOfName
        places = []
        guard let list, text.word(list).tag == .array else { return }
        places.reserveCapacity(text.word(list).payload)
        var place = list + 2
        let end = text.end(list)
        while place < end {
            places.append(place)
            place = text.end(place)
        }
    }

    /// Finds the values of an activity.
    ///
    /// - Parameter cells: Takes the place of each column's value, -1 for what is absent.
    /// - Returns: Whether the activity has other members; nil where it is no object.
    func find(_ place: Int, into cells: inout [Int]) -> Bool? {
        for column in cells.indices { cells[column] = -1 }
        guard text.word(place).tag == .object else { return nil }
        var hasOthers = false
        var index = place + 2
        let end = text.end(place)
        while index < end {
            let column = Int(columnOfName[text.word(index).payload])
            if column >= 0 { cells[column] = index + 1 } else { hasOthers = true }
            index = text.end(index + 1)
        }
        return hasOthers
    }

    /// The names of the members that the format does not know and that any of the activities has.
    var unknownNames: Set<String> {
        var symbols: Set<Int> = []
        for place in places where text.word(place).tag == .object {
            var index = place + 2
            let end = text.end(place)
            while index < end {
                let symbol = text.word(index).payload
                if columnOfName[symbol] < 0 { symbols.insert(symbol) }
                index = text.end(index + 1)
            }
        }
        return Set(symbols.map { text.document.names.string($0) })
    }

    /// Returns the place of the value of a column; nil where it is absent.
    func cell(_ place: Int, _ column: Int) -> Int? {
        var cells = Array(repeating: -1, count: Column.count)
        guard find(place, into: &cells) != nil, cells[column] >= 0 else { return nil }
        return cells[column]
    }

    /// Returns the moment at a place of the tape as the version has it; nil where there is none.
    @inline(__always)
    func time(_ cell: Int) -> ZonedTimestamp? {
        guard cell >= 0 else { return nil }
        if version > 1 { return text.string(cell).flatMap { ZonedTimestamp(utf8: $0) } }
        guard let number = milliseconds(cell) else { return nil }
        return Timestamp(milliseconds: number).map { ZonedTimestamp($0) }
    }

    /// Returns a whole number, read from its digits where it is written with digits only.
    private func milliseconds(_ cell: Int) -> Int? {
        let word = text.word(cell)
        switch word.tag {
        case .integer:
            guard word.payload <= 18 else { return text.node(cell).int }
            return text.integer(word)
        case .decimal: return text.node(cell).int
        default: return nil
        }
    }

    /// Returns the start and the end of an activity; nil where its start is no time.
    @inline(__always)
    func span(_ place: Int, _ cells: [Int]) -> TrackerSpan? {
        if !times.isEmpty, let repaired = times[place] { return repaired }
        guard let start = time(cells[Column.start]) else { return nil }
        return TrackerSpan(start: start, end: time(cells[Column.end]))
    }

    /// Returns the members that the format does not know, as the current version has them.
    ///
    /// Times of version 1 that were parked replace those of the span.
    func unknownMembers(_ place: Int, _ span: inout TrackerSpan) -> JSONObject {
        guard var object = text.node(place).value.object else { return JSONObject() }
        if version == 1 {
            object = TrackerStep1To2.upgrade(object)
            if times[place] == nil {
                span.start = object["startTime"]?.string.flatMap(ZonedTimestamp.init) ?? span.start
                span.end = object["endTime"]?.string.flatMap(ZonedTimestamp.init) ?? span.end
            }
        }
        for name in TrackerLayout.activity { object[name] = nil }
        return object
    }

    /// Tells whether a migration has to park times of an activity of version 1: numbers that are not written as
    /// integers.
    @inline(__always)
    func hasOddTimes(_ cells: [Int]) -> Bool {
        version == 1 && (isOdd(cells[Column.start]) || isOdd(cells[Column.end]))
    }

    @inline(__always)
    private func isOdd(_ cell: Int) -> Bool {
        guard cell >= 0 else { return false }
        let word = text.word(cell)
        guard word.tag == .integer else { return word.tag == .decimal }
        return word.payload == 2 && text.bytes(from: word.offset, count: 2).elementsEqual("-0".utf8)
    }

    /// Returns the bytes of a string column; nil where it is absent or null.
    @inline(__always)
    func string(_ cell: Int) -> UnsafeBufferPointer<UInt8>? { cell < 0 ? nil : text.string(cell) }

    // MARK: Repairs

    /// Leaves activities out.
    func remove(_ removed: Set<Int>) {
        guard !removed.isEmpty else { return }
        indexes = places.indices.filter { !removed.contains(places[$0]) }
        places.removeAll { removed.contains($0) }
    }

    /// Returns the place in the document of the activity at a position, found without looking for it.
    func pointer(_ position: Int) -> JSONPointer {
        JSONPointer(tokens: ["activities", String(indexes.isEmpty ? position : indexes[position])])
    }

    /// Gives an activity other times for all who read it from here.
    func setTimes(_ place: Int, _ span: TrackerSpan) { times[place] = span }
}

/// The start and the end of an activity.
struct TrackerSpan {
    var start: ZonedTimestamp
    var end: ZonedTimestamp?
}

extension DocumentTape {
    /// Returns an integer of at most 18 digits.
    @inline(__always)
    func integer(_ word: TapeWord) -> Int {
        var number = 0
        var isNegative = false
        for byte in bytes(from: word.offset, count: word.payload) {
            if byte == UInt8(ascii: "-") { isNegative = true } else { number = number &* 10 &+ Int(byte &- 48) }
        }
        return isNegative ? -number : number
    }
}
