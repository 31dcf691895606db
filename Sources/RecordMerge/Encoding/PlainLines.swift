package import StrictJSON

/// Writes the lines of new records straight from their objects.
///
/// A *plain* record has one version, in which members stand alone or in groups, each with the one value that the version
/// wrote. Most records are plain. These lines are the same, byte for byte, as a ``ChangeDetection`` and a ``LineWriter``
/// make of them, in a fraction of the time.
///
/// ```swift
/// let lines = PlainLines(schema, stamp)
/// if lines.append(key, object) { use(lines[0]) }
/// ```
package final class PlainLines {
    private let schema: MergeSchema
    private let stamp: [UInt8]
    private let buffer: Buffer
    @exclusivity(unchecked) private var json: JSONWriter
    /// The layout of each collection's last record: most have the same members.
    private var layouts: [ScalarKey: PlaceLayout] = [:]
    @exclusivity(unchecked) private var last: (collection: String, layout: PlaceLayout)?
    /// The number of layouts so far.
    private var layoutCount = 0
    @exclusivity(unchecked) private var starts: [Int] = []
    /// The form of each line: the number of its layout; nil where a value is more than a text, a literal or a short
    /// number.
    @exclusivity(unchecked) private var forms: [Int?] = []
    /// The keys of the records, in the order in which they were added.
    @exclusivity(unchecked) package private(set) var keys: [RecordKey] = []
    private var knownOrder: [Int]?

    private final class Buffer {
        var bytes: [UInt8] = []
    }

    /// Makes an empty list of lines.
    ///
    /// - Parameter stamp: The change that creates the records.
    package init(_ schema: MergeSchema, _ stamp: Stamp) {
        self.schema = schema
        self.stamp = LineWriter.line { $0.stamp(stamp) }
        let buffer = Buffer()
        self.buffer = buffer
        json = JSONWriter(style: .compact) { buffer.bytes.append(contentsOf: $0) }
    }

    /// Writes a new record's line of a change.
    ///
    /// - Parameter object: The record without members that are never sent.
    /// - Returns: False for a record that is not plain; nothing was written then.
    package func append(_ key: RecordKey, _ object: JSONObject) -> Bool {
        let layout = layout(key.collection, object)
        guard layout.isPlain(object) else { return false }
        starts.append(buffer.bytes.count)
        keys.append(key)
        forms.append(PlaceLayout.isFlat(object) ? layout.number : nil)
        knownOrder = nil
        json.beginObject()
        json.name(plain: "collection")
        json.string(key.collection)
        json.name(plain: "key")
        json.string(key.key)
        json.name(plain: "version")
        json.beginObject()
        json.name(plain: "by")
        json.fragment(stamp)
        json.name(plain: "cells")
        json.beginArray()
        layout.write(object, to: &json)
        json.endArray()
        json.endObject()
        json.endObject()
        json.beginNextText()
        buffer.bytes.append(UInt8(ascii: "\n"))
        return true
    }

    private func layout(_ collection: String, _ object: JSONObject) -> PlaceLayout {
        if let last, isSame(last.collection, collection), last.layout.fits(object) { return last.layout }
        let name = ScalarKey(collection)
        let layout = layouts[name].flatMap { $0.fits(object) ? $0 : nil } ?? newLayout(collection, object)
        layouts[name] = layout
        last = (collection, layout)
        return layout
    }

    private func newLayout(_ collection: String, _ object: JSONObject) -> PlaceLayout {
        layoutCount += 1
        return PlaceLayout(object, schema.record(in: collection), number: layoutCount)
    }

    /// The numbers of the lines in the order of their keys.
    package var order: [Int] {
        if let knownOrder { return knownOrder }
        let order = inOrder(Array(keys.indices)) { keys[$0] }
        knownOrder = order
        return order
    }

    /// Calls `body` with each line's number and the line without line feed, in the order of the keys.
    package func forEach(_ body: (Int, UnsafeRawBufferPointer) throws -> Void) rethrows {
        try buffer.bytes.withUnsafeBytes { all in
            for index in order {
                try body(index, UnsafeRawBufferPointer(rebasing: all[starts[index]..<(end(of: index) - 1)]))
            }
        }
    }

    /// Returns the end of a line, with its line feed.
    private func end(of index: Int) -> Int { index + 1 < starts.count ? starts[index + 1] : buffer.bytes.count }

    /// Calls `body` with lines that lie side by side, with their line feeds.
    private func withLines(_ first: Int, _ last: Int, _ body: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        try buffer.bytes.withUnsafeBytes {
            try body(UnsafeRawBufferPointer(rebasing: $0[starts[first]..<end(of: last)]))
        }
    }

    /// Returns whether a line without line feed is one of these, byte for byte.
    private func isLine(_ index: Int, _ line: UnsafeRawBufferPointer) -> Bool {
        buffer.bytes.withUnsafeBytes { all in
            let own = UnsafeRawBufferPointer(rebasing: all[starts[index]..<(end(of: index) - 1)])
            return own.count == line.count && compare(own.bytes, line.bytes) == 0
        }
    }

    /// Tells which of the lines that come back from a segment need not be taken apart again.
    ///
    /// That is a line that came back as it was written, if an earlier line of the same form was read: it has the same
    /// members with other texts, literals or short numbers, which a reader takes whatever they are.
    struct Returning {
        private let lines: PlainLines
        private var rest: ArraySlice<Int>
        private var read: Set<Int> = []

        init(_ lines: PlainLines) {
            self.lines = lines
            rest = lines.order[...]
        }

        /// True if all lines came back.
        var isComplete: Bool { rest.isEmpty }

        /// Returns the key of the record of a line that need not be read; nil for any other line.
        mutating func key(of line: UnsafeRawBufferPointer) -> RecordKey? {
            guard let index = rest.first, lines.isLine(index, line) else { return nil }
            rest.removeFirst()
            guard let form = lines.forms[index], !read.insert(form).inserted else { return nil }
            return lines.keys[index]
        }
    }

    /// Writes the lines whose keys come before another.
    ///
    /// - Parameters:
    ///   - order: The lines that are left, which are removed once they are written.
    ///   - key: The key of the next line; nil where none follows.
    func write(
        _ order: inout ArraySlice<Int>,
        before key: RecordKey?,
        to sink: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        while let first = order.first, key.map({ keys[first] < $0 }) ?? true {
            var last = first
            order.removeFirst()
            while let next = order.first, next == last + 1, key.map({ keys[next] < $0 }) ?? true {
                last = next
                order.removeFirst()
            }
            try withLines(first, last, sink)
        }
    }
}

/// Reads the objects of plain records from their lines, without the versions in between.
///
/// Neighbouring lines mostly have the same members: their names, and the order in which the rules show them, are kept.
package struct PlainLineReader: ~Copyable {
    private var fragments = JSONFragments()
    private var shapes: [ScalarKey: PlainShape] = [:]
    private var last: (collection: String, shape: PlainShape)?
    private var names: [UnsafeBufferPointer<UInt8>] = []
    private var values: [Int] = []
    /// Tells which names come from groups.
    private var grouped: [Bool] = []

    /// Makes a reader.
    package init() {}

    /// Returns the resolved record of a state's line that was checked before; nil where it is not plain.
    ///
    /// - Parameter schema: The rules of the records.
    package mutating func object(
        of line: UnsafeRawBufferPointer,
        in collection: String,
        _ schema: MergeSchema
    ) -> JSONObject? {
        let text = line.assumingMemoryBound(to: UInt8.self)
        guard (try? fragments.read(text)) == .object else { return nil }
        let tape = fragments.words(text)
        let reader = LineReader(tape: tape, limits: .own, line: 1, memory: LineMemory())
        guard let versions = reader.versions, let cells = reader.plainCells(versions) else { return nil }
        names.removeAll(keepingCapacity: true)
        values.removeAll(keepingCapacity: true)
        grouped.removeAll(keepingCapacity: true)
        var at = cells.first
        while at < cells.end {
            guard let cell = reader.plainCell(at) else { return nil }
            if cell.isGroup {
                guard reader.tag(cell.value) == .object else { return nil }
                var member = cell.value + 2
                let end = tape.end(cell.value)
                while member < end {
                    names.append(tape.name(member))
                    values.append(member + 1)
                    grouped.append(true)
                    member = tape.end(member + 1)
                }
            } else {
                names.append(tape.token(cell.name))
                values.append(cell.value)
                grouped.append(false)
            }
            at = tape.end(at)
        }
        let shape = shape(collection, schema)
        guard shape.isPlain else { return nil }
        var object = JSONObject(capacity: shape.order.count)
        for index in shape.order { object.append(unique: shape.names[index], tape.value(values[index])) }
        return object
    }

    private mutating func shape(_ collection: String, _ schema: MergeSchema) -> PlainShape {
        if let last, isSame(last.collection, collection), last.shape.fits(names, grouped) { return last.shape }
        let name = ScalarKey(collection)
        var shape = shapes[name] ?? PlainShape(names, grouped, schema.record(in: collection))
        if !shape.fits(names, grouped) { shape = PlainShape(names, grouped, schema.record(in: collection)) }
        shapes[name] = shape
        last = (collection, shape)
        return shape
    }
}

/// The names of a plain line's members in the line's order, and the order in which they are shown.
private struct PlainShape {
    let names: [String]
    let order: [Int]
    /// True if the members are what the general way would show.
    let isPlain: Bool
    private let grouped: [Bool]

    init(_ tokens: [UnsafeBufferPointer<UInt8>], _ grouped: [Bool], _ rules: RecordRules) {
        let names = tokens.map { String(decoding: $0, as: UTF8.self) }
        self.names = names
        self.grouped = grouped
        let places = names.map { rules.place(of: $0) }
        // A group with a member that the rules do not name, or that stands alone as well, is no plain one.
        let isKnown = !zip(places, grouped).contains { $0 == nil && $1 }
        isPlain = isKnown && Set(names.map { ScalarKey($0) }).count == names.count
        order = names.indices.sorted { left, right in
            let (one, two) = (places[left] ?? .max, places[right] ?? .max)
            return one == two ? precedes(names[left], names[right]) : one < two
        }
    }

    func fits(_ tokens: [UnsafeBufferPointer<UInt8>], _ grouped: [Bool]) -> Bool {
        guard tokens.count == names.count, grouped == self.grouped else { return false }
        return names.indices.allSatisfy { isSame(names[$0], tokens[$0]) }
    }
}

extension LineReader {
    /// The only version of a state's line, by the index of its word; nil for several.
    fileprivate var versions: Int? {
        guard tag(0) == .object else { return nil }
        var members = Members(index: 2, end: tape.end(0), what: "a record")
        guard take("collection", &members) != nil, take("key", &members) != nil,
            let versions = take("versions", &members), tag(versions) == .array,
            TapeWord(bits: tape.words[versions]).payload == 1
        else { return nil }
        return versions + 2
    }

    /// Returns the cells of a version that has nothing else but its stamp; nil for any other value.
    func plainCells(_ version: Int) -> Elements? {
        guard tag(version) == .object else { return nil }
        var members = Members(index: version + 2, end: tape.end(version), what: "a version")
        guard take("by", &members) != nil, let cells = take("cells", &members), members.index == members.end,
            tag(cells) == .array
        else { return nil }
        return Elements(first: cells + 2, end: tape.end(cells), count: TapeWord(bits: tape.words[cells]).payload)
    }

    /// A cell of a member or of a group, with a value of the version itself.
    struct PlainCell {
        let isGroup: Bool
        /// The index of the name's word: a string without an escape.
        let name: Int
        let value: Int
    }

    /// Returns a cell, if it is plain.
    func plainCell(_ index: Int) -> PlainCell? {
        guard tag(index) == .array, TapeWord(bits: tape.words[index]).payload == 3 else { return nil }
        let path = index + 2
        let isGroup = tag(path) == .array
        var name = path
        if isGroup {
            guard TapeWord(bits: tape.words[path]).payload == 2, tag(path + 2) == .string,
                tape.token(path + 2).elementsEqual("group".utf8)
            else { return nil }
            name = path + 3
        }
        let number = tape.end(path)
        guard tag(name) == .string, tag(number) == .integer else { return nil }
        let token = tape.token(number)
        guard token.count == 1, token[0] == UInt8(ascii: "0") else { return nil }
        return PlainCell(isGroup: isGroup, name: name, value: number + 1)
    }

    /// Returns the stamp of a plain version whose cells are in order, so that ``version(_:)`` would take them.
    ///
    /// - Returns: The index of the stamp's word, which was not looked at; nil for any other version.
    func plainStamp(_ version: Int) -> Int? {
        guard let cells = plainCells(version), cells.count <= limits.mostCells else { return nil }
        var before: PlainCell?
        var at = cells.first
        while at < cells.end {
            guard let cell = plainCell(at), before.map({ precedes($0, cell) }) ?? true else { return nil }
            before = cell
            at = tape.end(at)
        }
        // The stamp is the first member.
        return version + 3
    }

    private func precedes(_ left: PlainCell, _ right: PlainCell) -> Bool {
        let order = RecordMerge.compare(tape.token(left.name), tape.token(right.name))
        return order == 0 ? !left.isGroup && right.isGroup : order < 0
    }
}

private let version = Array(",\"version\":".utf8)
private let versions = Array(",\"versions\":[".utf8)

/// Makes a record's line of a state, from that of the change that created it and says nothing of other changes.
///
/// - Parameter bytes: The line of the state; what was in it goes.
/// - Returns: Whether `line` is such a line.
package func makeStateLine(ofCreated line: UnsafeRawBufferPointer, _ bytes: inout [UInt8]) -> Bool {
    // A quotation mark within a text is escaped, so that the first one is the member.
    guard let start = line.place(of: version), line.last == UInt8(ascii: "}") else { return false }
    bytes.removeAll(keepingCapacity: true)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[..<start]))
    bytes.append(contentsOf: versions)
    bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: line[(start + version.count)..<(line.count - 1)]))
    bytes.append(UInt8(ascii: "]"))
    bytes.append(UInt8(ascii: "}"))
    return true
}

/// Returns the line that ``makeStateLine(ofCreated:_:)`` makes; nil for another line.
package func stateLine(ofCreated line: UnsafeRawBufferPointer) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(line.count + 3)
    return makeStateLine(ofCreated: line, &bytes) ? bytes : nil
}

extension UnsafeRawBufferPointer {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> { bindMemory(to: UInt8.self) }
}
