internal import StrictJSON

/// Writes states and changes as JSON lines: a header, then a line for each record, in order.
///
/// The same state gives the same bytes.
struct LineWriter: ~Copyable {
    private var json: JSONWriter
    private let sink: (UnsafeRawBufferPointer) throws -> Void
    private var failure: (any Error)?

    init(_ sink: @escaping (UnsafeRawBufferPointer) throws -> Void) {
        json = JSONWriter(style: .compact, sink: sink)
        self.sink = sink
    }

    /// Returns what `write` writes, as one line without a line feed or as a piece of one.
    static func line(_ write: (inout LineWriter) -> Void) -> [UInt8] {
        var bytes: [UInt8] = []
        withoutActuallyEscaping({ (piece: UnsafeRawBufferPointer) in bytes.append(contentsOf: piece) }) { sink in
            var writer = LineWriter(sink)
            write(&writer)
            // Appending to an array never throws.
            try? writer.json.finish()
        }
        return bytes
    }

    /// Passes on what is written so far, and begins another line without a line feed between them.
    mutating func beginNextLine() { json.beginNextText() }

    /// Ends the last line.
    mutating func finish() throws {
        endLine()
        try finishLines()
    }

    /// Ends after a line that has ended.
    mutating func finishLines() throws {
        try json.finish()
        if let failure { throw failure }
    }

    /// Writes the header of a state.
    mutating func stateHeader(_ seen: VersionVector, recordCount: Int) {
        begin("satchel-state")
        name("seen", seen)
        json.name(plain: "records")
        json.number(recordCount)
        json.endObject()
    }

    /// Writes the header of a change.
    mutating func changeHeader(_ change: Change, recordCount: Int) {
        begin("satchel-change")
        json.name(plain: "by")
        stamp(change.stamp)
        name("base", change.base)
        json.name(plain: "records")
        json.number(recordCount)
        json.endObject()
    }

    private mutating func begin(_ format: String) {
        json.beginObject()
        json.name(plain: "format")
        json.string(format)
        json.name(plain: "version")
        json.number(1)
    }

    /// Ends a line and begins another.
    mutating func endLine() {
        json.beginNextText()
        guard failure == nil else { return }
        do { try withUnsafeBytes(of: UInt8(ascii: "\n"), sink) } catch { failure = error }
    }

    /// Writes a record of a state.
    mutating func record(_ key: RecordKey, _ state: RecordState) {
        begin(key)
        json.name(plain: "versions")
        json.beginArray()
        for version in state.versions { self.version(version) }
        json.endArray()
        json.endObject()
    }

    /// Writes a record of a change.
    mutating func record(_ changed: ChangedRecord) {
        begin(changed.key)
        json.name(plain: "version")
        if let version = changed.version { self.version(version) } else { json.null() }
        json.endObject()
    }

    private mutating func begin(_ key: RecordKey) {
        json.beginObject()
        json.name(plain: "collection")
        json.string(key.collection)
        json.name(plain: "key")
        json.string(key.key)
    }

    private mutating func version(_ version: RecordVersion) {
        json.beginObject()
        json.name(plain: "by")
        stamp(version.stamp)
        if !version.seen.isEmpty { name("seen", version.seen) }
        if version.origins != [Origin(version.stamp.dot)] {
            json.name(plain: "origins")
            json.beginArray()
            for origin in version.origins {
                json.beginArray()
                dot(origin.dot)
                if origin.isDeleted { json.bool(true) }
                json.endArray()
            }
            json.endArray()
        }
        let others = version.otherStamps
        if !others.isEmpty {
            json.name(plain: "stamps")
            json.beginArray()
            for other in others { stamp(other) }
            json.endArray()
        }
        json.name(plain: "cells")
        json.beginArray()
        // Neither is copied, for there are many.
        let cells = version.cells
        for index in cells.indices {
            for place in cells[index].writes.indices {
                let stamp = cells[index].writes[place].stamp
                let number = others.isEmpty || stamp == version.stamp ? 0 : others.place(of: stamp) + 1
                self.write(cells[index].path, cells[index].writes[place], number)
            }
        }
        json.endArray()
        json.endObject()
    }

    /// Writes the beginning of a cell: its path, and the number of a stamp.
    mutating func beginCell(_ path: CellPath, _ number: Int) {
        if path.kind == .member {
            json.string(path.field)
        } else {
            json.beginArray()
            json.string(path.kind.name)
            for name in path.names { json.string(name) }
            json.endArray()
        }
        json.number(number)
    }

    private mutating func write(_ path: CellPath, _ write: Write, _ number: Int) {
        json.beginArray()
        beginCell(path, number)
        if let value = write.value { json.value(value) }
        if !write.history.isEmpty {
            json.beginArray()
            for earlier in write.history {
                json.beginArray()
                dot(earlier.dot)
                json.string(earlier.text)
                json.endArray()
            }
            json.endArray()
        }
        json.endArray()
    }

    mutating func stamp(_ stamp: Stamp) {
        json.beginArray()
        dot(stamp.dot)
        json.number(stamp.clock.milliseconds)
        let count = Int(stamp.clock.bits & 0xFFFF)
        if count > 0 { json.number(count) }
        json.endArray()
    }

    private mutating func dot(_ dot: Dot) {
        json.string(dot.writer.description)
        json.number(dot.sequence)
    }

    private mutating func name(_ name: StaticString, _ vector: VersionVector) {
        json.name(plain: name)
        json.beginObject()
        for entry in vector.entries {
            json.name(entry.writer.description)
            json.number(entry.sequence)
        }
        json.endObject()
    }
}

extension RecordVersion {
    /// The stamps of its values except its own, each once, in order; mostly none.
    fileprivate var otherStamps: [Stamp] {
        var others: [Stamp] = []
        for index in cells.indices {
            for place in cells[index].writes.indices {
                let other = cells[index].writes[place].stamp
                if other != stamp, other != others.last { others.append(other) }
            }
        }
        guard others.count > 1 else { return others }
        others.sort()
        var distinct = 0
        for other in others where distinct == 0 || others[distinct - 1] != other {
            others[distinct] = other
            distinct += 1
        }
        others.removeLast(others.count - distinct)
        return others
    }
}

extension [Stamp] {
    /// Returns the index of a stamp, which is among these.
    fileprivate func place(of stamp: Stamp) -> Int {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < stamp { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension CellPath.Kind {
    /// The name of the kind in a line.
    var name: String {
        switch self {
        case .member: "member"
        case .group: "group"
        case .setElement: "element"
        case .contribution: "share"
        case .position: "position"
        case .item: "item"
        case .itemMember: "item-member"
        case .itemGroup: "item-group"
        case .place: "place"
        }
    }

    /// Makes the kind of that name.
    init?(name: String) {
        guard let kind = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
