internal import StrictJSON

extension RecordVersion {
    /// Decides the largest places at which several values stand: the version has what is shown there instead.
    ///
    /// The values were concurrent, so they add up, and no reader takes a version above its limits.
    ///
    /// - Parameters:
    ///   - count: The number of places, of which half may be lacking.
    ///   - rules: The rules of the record.
    /// - Returns: The version, and the fields that were decided; nil where no more than half as many places have several values.
    package func deciding(_ count: Int, _ rules: RecordRules) -> (version: RecordVersion, fields: [String])? {
        let contested = cells.filter {
            $0.writes.count > 1 && $0.path.kind != .contribution && $0.path.kind != .setElement
        }
        guard contested.count > count / 2 else { return nil }
        let sizes = contested.map { (cell: $0, size: $0.writes.reduce(0) { $0 + $1.size }) }
        // The size and then the path, so that the same version is decided alike.
        let chosen = sizes.sorted { $0.size == $1.size ? $0.cell.path < $1.cell.path : $0.size > $1.size }.prefix(count)
        var editor = CellEditor(cells, rules, stamp)
        for (cell, _) in chosen { editor.decide(cell) }
        let version = RecordVersion(stamp, seen: seen, origins: origins, cells: editor.result)
        return (version, Set(chosen.map(\.cell.path.field)).sorted())
    }
}

extension Write {
    /// About how many bytes the value takes, with its earlier texts.
    fileprivate var size: Int {
        history.reduce(value?.text(.compact).utf8.count ?? 0) { $0 + $1.text.utf8.count }
    }
}
