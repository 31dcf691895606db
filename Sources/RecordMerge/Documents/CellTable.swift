/// The places of a record while it is being edited: those that it had, and over them those that were written or dropped.
///
/// What is left as it was is not touched, so that a small change of a large record is cheap.
struct CellTable {
    private let base: [Cell]
    /// What differs from the base; nil for a place that was dropped.
    private var changes: [CellPath: [Write]?] = [:]
    /// Elements of lists that something was written to.
    private var writtenItems: Set<ItemName> = []

    /// Places in their order.
    init(_ cells: [Cell]) { base = cells }

    /// What stands at a place; setting nil drops it.
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

    /// The places of an element of a list that are there.
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

    /// All places with what stands there, in their order.
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

    /// Where a place is in the base, or would be.
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
