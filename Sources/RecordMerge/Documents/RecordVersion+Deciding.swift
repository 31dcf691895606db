internal import StrictJSON

extension RecordVersion {
    /// Decides the largest field paths with several values: the new version has only their resolved values.
    ///
    /// Concurrent values add up, and no reader accepts a version above its limits.
    ///
    /// - Parameters:
    ///   - count: The number of field paths to decide; half as many are enough.
    ///   - rules: The rules of the record.
    /// - Returns: The version and the decided fields; nil where no more than half as many field paths have several
    ///   values.
    package func deciding(_ count: Int, _ rules: RecordRules) -> (version: RecordVersion, fields: [String])? {
        let contested = cells.filter {
            $0.writes.count > 1 && $0.path.kind != .contribution && $0.path.kind != .setElement
        }
        guard contested.count > count / 2 else { return nil }
        let sizes = contested.map { (cell: $0, size: $0.writes.reduce(0) { $0 + $1.size }) }
        // Order by size, then by path, so that all devices decide the same version alike.
        let chosen = sizes.sorted { $0.size == $1.size ? $0.cell.path < $1.cell.path : $0.size > $1.size }.prefix(count)
        var editor = CellEditor(cells, rules, stamp)
        for (cell, _) in chosen { editor.decide(cell) }
        let version = RecordVersion(stamp, seen: seen, origins: origins, cells: editor.result)
        return (version, Set(chosen.map(\.cell.path.field)).sorted())
    }
}

extension RecordVersion {
    /// Returns the version with concurrent values in the place of the decided ones: their conflicts are open again.
    ///
    /// - Parameter cells: Field paths with values whose writers this version's author had seen; others stay as they
    ///   are here.
    package func reopening(_ cells: [Cell]) -> RecordVersion {
        let known = cells.filter { cell in cell.writes.allSatisfy { hasSeen($0.stamp.dot) } }
        let changed = self.cells.map { cell in known.first { $0.path == cell.path } ?? cell }
        return RecordVersion(stamp, seen: seen, origins: origins, cells: changed)
    }
}

extension Write {
    /// The approximate size of the values in bytes, with their earlier texts.
    fileprivate var size: Int {
        history.reduce(value?.text(.compact).utf8.count ?? 0) { $0 + $1.text.utf8.count }
    }
}
