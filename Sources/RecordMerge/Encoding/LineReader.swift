internal import StrictJSON

/// Reads the parts of a line, and refuses all that no writer writes.
struct LineReader {
    /// The limits.
    let limits: MergeLimits
    /// The line, for messages.
    let line: Int

    func fail(_ message: String) -> MergeDataError { MergeDataError(line: line, message: message) }

    /// The members of an object by name, of which none is unknown.
    func object(_ node: JSONNode, _ what: String, _ names: Set<String>) throws(MergeDataError) -> [String: JSONNode] {
        guard node.kind == .object else { throw fail("found \(node.kind.rawValue), expected \(what)") }
        var members: [String: JSONNode] = [:]
        for member in node.members {
            guard names.contains(member.name) else { throw fail("found an unknown member in \(what)") }
            members[member.name] = member.value
        }
        return members
    }

    func array(_ node: JSONNode?, _ what: String, _ counts: ClosedRange<Int>) throws(MergeDataError) -> [JSONNode] {
        guard let node, node.kind == .array, counts.contains(node.count) else { throw fail("expected \(what)") }
        return node.elements.map(\.self)
    }

    func string(_ node: JSONNode?, _ what: String) throws(MergeDataError) -> String {
        guard let string = node?.string else { throw fail("expected \(what), a string") }
        return string
    }

    func integer(_ node: JSONNode?, _ what: String, _ range: ClosedRange<Int>) throws(MergeDataError) -> Int {
        // A token that another would be written for is refused, so that the same state has one form.
        guard let node, let int = node.int, range.contains(int), node.number?.token == String(int) else {
            throw fail("expected \(what), an integer from \(range.lowerBound) to \(range.upperBound)")
        }
        return int
    }

    func dot(_ parts: some Collection<JSONNode>) throws(MergeDataError) -> Dot {
        let parts = Array(parts)
        guard parts.count == 2, let writer = WriterID(try string(parts[0], "a writer")) else {
            throw fail("expected a writer's name and a number")
        }
        return Dot(writer, try integer(parts[1], "a number of a change", 1...limits.largestSequence))
    }

    func stamp(_ node: JSONNode?) throws(MergeDataError) -> Stamp {
        let parts = try array(node, "a stamp: writer, number, milliseconds and count", 3...4)
        let milliseconds = try integer(parts[2], "milliseconds", 0...(1 << 48 - 1))
        let count = parts.count == 4 ? try integer(parts[3], "a count", 1...0xFFFF) : 0
        return Stamp(try dot(parts[0..<2]), HybridClock(bits: UInt64(milliseconds) << 16 | UInt64(count)))
    }

    func vector(_ node: JSONNode?) throws(MergeDataError) -> VersionVector {
        guard let node, node.kind == .object, node.count <= limits.mostWriters else {
            throw fail("expected an object of at most \(limits.mostWriters) writers")
        }
        var vector = VersionVector()
        var last: WriterID?
        for member in node.members {
            guard let writer = WriterID(member.name) else { throw fail("found a name that is no writer's") }
            if let last, !(last < writer) { throw fail("found writers out of order") }
            last = writer
            vector.insert(
                Dot(writer, try integer(member.value, "a number of a change", 1...limits.largestSequence))
            )
        }
        return vector
    }

    func version(_ node: JSONNode) throws(MergeDataError) -> RecordVersion {
        let members = try object(node, "a version", ["by", "seen", "origins", "stamps", "cells"])
        let stamp = try stamp(members["by"])
        let seen = try members["seen"].map { node throws(MergeDataError) in try vector(node) } ?? VersionVector()
        var origins = [Origin(stamp.dot)]
        if let node = members["origins"] {
            origins = []
            for node in try array(node, "origins", 1...limits.mostWriters) { origins.append(try origin(node)) }
            try check(increasing: origins.map(\.dot), "origins")
        }
        var stamps = [stamp]
        if let node = members["stamps"] {
            for node in try array(node, "stamps", 1...limits.mostCells) { stamps.append(try self.stamp(node)) }
            guard zip(stamps.dropFirst(), stamps.dropFirst(2)).allSatisfy(<) else {
                throw fail("found stamps out of order")
            }
        }
        let cells = try self.cells(members["cells"], stamps)
        let version = RecordVersion(stamp, seen: seen, origins: origins, cells: cells)
        guard !seen.covers(stamp.dot), stamps.allSatisfy({ version.hasSeen($0.dot) }),
            origins.allSatisfy({ version.hasSeen($0.dot) })
        else { throw fail("found a change that the version's author had not seen") }
        return version
    }

    private func origin(_ node: JSONNode) throws(MergeDataError) -> Origin {
        let parts = try array(node, "an origin: writer and number", 2...3)
        if parts.count == 3, parts[2].bool != true { throw fail("expected true for an origin that was deleted") }
        return Origin(try dot(parts[0..<2]), isDeleted: parts.count == 3)
    }

    private func check(increasing dots: [Dot], _ what: String) throws(MergeDataError) {
        guard zip(dots, dots.dropFirst()).allSatisfy(<) else { throw fail("found \(what) out of order") }
    }

    private func cells(_ node: JSONNode?, _ stamps: [Stamp]) throws(MergeDataError) -> [Cell] {
        var cells: [Cell] = []
        for node in try array(node, "cells", 0...limits.mostCells) {
            let parts = try array(node, "a cell: path, stamp and value", 2...4)
            let path = try path(parts[0])
            let stamp = stamps[try integer(parts[1], "the number of a stamp", 0...stamps.count - 1)]
            let history = parts.count == 4 ? try history(parts[3]) : []
            // Not `parts.count > 2 ? … : nil`, which would be the JSON value null.
            let value = parts.dropFirst(2).first.map(\.value)
            if !history.isEmpty, value?.string == nil { throw fail("found earlier texts of what is no text") }
            let write = Write(stamp, value, history: history)
            if let last = cells.last, last.path == path {
                guard let before = last.writes.last?.stamp, before < stamp else {
                    throw fail("found values out of order")
                }
                cells[cells.count - 1] = Cell(path, last.writes + [write])
            } else {
                if let last = cells.last, !(last.path < path) { throw fail("found cells out of order") }
                cells.append(Cell(path, [write]))
            }
        }
        return cells
    }

    private func path(_ node: JSONNode) throws(MergeDataError) -> CellPath {
        if let name = node.string { return CellPath(.member, name) }
        let parts = try array(node, "the path of a cell", 1...4)
        guard let kind = CellPath.Kind(name: try string(parts[0], "the kind of a cell")), kind != .member,
            parts.count == CellPath.nameCount(kind) + 1
        else { throw fail("found a path of no known kind") }
        var names: [String] = []
        for part in parts.dropFirst() { names.append(try string(part, "a name")) }
        names += ["", "", ""]
        return CellPath(kind, names[0], names[1], names[2])
    }

    private func history(_ node: JSONNode) throws(MergeDataError) -> [Write.Earlier] {
        var history: [Write.Earlier] = []
        for node in try array(node, "earlier texts", 1...limits.mostEarlierTexts) {
            let parts = try array(node, "an earlier text: writer, number and text", 3...3)
            history.append(Write.Earlier(try dot(parts[0..<2]), try string(parts[2], "an earlier text")))
        }
        return history
    }
}
