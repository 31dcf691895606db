/// The field paths of a record under edit: its earlier ones, and over them those that were written or dropped.
///
/// The table copies only what changes, so a small change of a large record is cheap.
struct CellTable {
    private let base: [Cell]
    /// The field paths that differ from the base; nil for a dropped one.
    private var changes: [CellPath: [Write]?] = [:]
    /// The elements of lists that got a value.
    private var writtenItems: Set<ItemName> = []

    /// Makes a table of field paths in order.
    init(_ cells: [Cell]) { base = cells }

    /// The values of a field path; setting nil drops it.
    subscript(path: CellPath) -> [Write]? {
        get {
            if !changes.isEmpty, let change = changes[path] { return change }
            return find(path)?.writes
        }
        set {
            changes[path] = .some(newValue)
            if newValue != nil, let item = path.item { writtenItems.insert(item) }
        }
    }

    /// Returns the field paths of an element of a list.
    func places(of item: ItemName) -> [CellPath] {
        // They lie side by side.
        var paths: [CellPath] = []
        var index = place(of: CellPath(.member, item.field, item.element))
        while index < base.count, isSame(base[index].path.element, item.element),
            isSame(base[index].path.field, item.field)
        {
            let path = base[index].path
            if path.item == item, self[path] != nil { paths.append(path) }
            index += 1
        }
        guard writtenItems.contains(item) else { return paths }
        let written = changes.filter { $0.key.item == item && $0.value != nil && find($0.key) == nil }
        return paths + written.keys
    }

    /// All field paths with their values, in order.
    var cells: [Cell] {
        if changes.isEmpty { return base }
        let new = changes.sorted { $0.key < $1.key }
        var cells: [Cell] = []
        cells.reserveCapacity(base.count + new.count)
        var index = 0
        for (path, writes) in new {
            while index < base.count, base[index].path < path {
                cells.append(base[index])
                index += 1
            }
            if index < base.count, base[index].path == path { index += 1 }
            if let writes { cells.append(Cell(path, writes)) }
        }
        cells += base[index...]
        return cells
    }

    private func find(_ path: CellPath) -> Cell? {
        let index = place(of: path)
        return index < base.count && base[index].path == path ? base[index] : nil
    }

    /// Returns the index of a field path in the base, or where it would be.
    private func place(of path: CellPath) -> Int {
        var low = 0
        var high = base.count
        while low < high {
            let middle = (low + high) / 2
            if base[middle].path < path { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
