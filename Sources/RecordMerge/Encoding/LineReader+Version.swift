internal import StrictJSON

extension LineReader {
    mutating func version(_ index: Int) throws(MergeDataError) -> RecordVersion {
        var members = try object(index, "a version")
        let stamp = try stamp(need("by", &members))
        let seen = try seen(&members)
        let origins = try origins(&members, stamp.dot)
        let stamps = try stamps(&members, stamp)
        let cells = try cells(need("cells", &members), stamps)
        try finish(members)
        let version = RecordVersion(stamp, seen: seen, origins: origins, cells: cells)
        guard !seen.covers(stamp.dot), stamps.dropFirst().allSatisfy({ version.hasSeen($0.dot) }),
            origins.allSatisfy({ version.hasSeen($0.dot) })
        else { throw fail("found a change that the version's author had not seen") }
        return version
    }

    private func seen(_ members: inout Members) throws(MergeDataError) -> VersionVector {
        guard let index = take("seen", &members) else { return VersionVector() }
        let seen = try vector(index)
        guard !seen.isEmpty else { throw fail("found nothing seen, expected that left out") }
        return seen
    }

    private mutating func origins(_ members: inout Members, _ own: Dot) throws(MergeDataError) -> [Origin] {
        guard let index = take("origins", &members) else {
            if memory.origins.first?.dot != own { memory.origins = [Origin(own)] }
            return memory.origins
        }
        var origins: [Origin] = []
        let elements = try array(index, "origins", 1...limits.mostWriters)
        var at = elements.first
        while at < elements.end {
            let parts = try array(at, "an origin: writer and number", 2...3)
            if parts.count == 3, tag(parts.first + 2) != .true {
                throw fail("expected true for an origin that was deleted")
            }
            let origin = Origin(try dot(parts.first), isDeleted: parts.count == 3)
            if let last = origins.last, !(last.dot < origin.dot) { throw fail("found origins out of order") }
            origins.append(origin)
            at = tape.end(at)
        }
        guard origins != [Origin(own)] else { throw fail("found the version's own origin alone, expected it left out") }
        return origins
    }

    /// Reads the version's own stamp and those of its other values.
    private mutating func stamps(_ members: inout Members, _ own: Stamp) throws(MergeDataError) -> [Stamp] {
        guard let index = take("stamps", &members) else { return [own] }
        var stamps = [own]
        let elements = try array(index, "stamps", 1...limits.mostCells)
        var at = elements.first
        while at < elements.end {
            let stamp = try stamp(at)
            if stamp == own || stamps.count > 1 && !(stamps[stamps.count - 1] < stamp) {
                throw fail("found stamps out of order")
            }
            stamps.append(stamp)
            at = tape.end(at)
        }
        return stamps
    }

    private mutating func cells(_ index: Int, _ stamps: [Stamp]) throws(MergeDataError) -> [Cell] {
        let elements = try array(index, "cells", 0...limits.mostCells)
        var cells: [Cell] = []
        cells.reserveCapacity(elements.count)
        var unused = Set(stamps.indices.dropFirst())
        var at = elements.first
        while at < elements.end {
            let parts = try array(at, "a cell: path, stamp and value", 2...4)
            let path = try path(parts.first)
            let number = tape.end(parts.first)
            let write = try write(path.kind, number, parts.count, stamps, &unused)
            let order = cells.isEmpty ? -1 : CellPath.compare(cells[cells.count - 1].path, path)
            if order < 0 {
                cells.append(Cell(path, [write]))
            } else {
                guard order == 0 else { throw fail("found cells out of order") }
                let writes = cells[cells.count - 1].writes
                guard let before = writes.last?.stamp, before < write.stamp else {
                    throw fail("found values out of order")
                }
                cells[cells.count - 1] = Cell(path, writes + [write])
            }
            at = tape.end(at)
        }
        guard unused.isEmpty else { throw fail("found a stamp of no value") }
        return cells
    }

    /// Reads the rest of a cell after its path: the number of a stamp, a value, and earlier values.
    private mutating func write(
        _ kind: CellPath.Kind,
        _ number: Int,
        _ count: Int,
        _ stamps: [Stamp],
        _ unused: inout Set<Int>
    ) throws(MergeDataError) -> Write {
        let place = try integer(number, "the number of a stamp", 0...stamps.count - 1)
        if !unused.isEmpty { unused.remove(place) }
        let stamp = stamps[place]
        if count == 2 { return Write(stamp, nil) }
        let value = tape.value(number + 1)
        if count == 3 { return Write(stamp, value) }
        let history = try history(tape.end(number + 1))
        switch value {
        case .string: break
        case .number where kind == .contribution:
            guard history.allSatisfy({ old in Int(old.text).map(String.init) == old.text }) else {
                throw fail("found an earlier number that is none")
            }
        default: throw fail("found earlier texts of what is no text")
        }
        return Write(stamp, value, history: history)
    }

    private func path(_ index: Int) throws(MergeDataError) -> CellPath {
        if let name = tape.string(index) { return CellPath(.member, name) }
        let parts = try array(index, "the path of a cell", 1...4)
        let kind = CellPath.Kind(name: try string(parts.first, "the kind of a cell"))
        guard let kind, kind != .member, parts.count == CellPath.nameCount(kind) + 1 else {
            throw fail("found a path of no known kind")
        }
        // Names are strings, each of one word.
        func name(_ number: Int) throws(MergeDataError) -> String {
            number < parts.count ? try string(parts.first + number, "a name") : ""
        }
        return CellPath(kind, try name(1), try name(2), try name(3))
    }

    private mutating func history(_ index: Int) throws(MergeDataError) -> [Write.Earlier] {
        var history: [Write.Earlier] = []
        let elements = try array(index, "earlier texts", 1...limits.mostEarlierTexts)
        var at = elements.first
        while at < elements.end {
            let parts = try array(at, "an earlier text: writer, number and text", 3...3)
            history.append(Write.Earlier(try dot(parts.first), try string(parts.first + 2, "an earlier text")))
            at = tape.end(at)
        }
        return history
    }
}
