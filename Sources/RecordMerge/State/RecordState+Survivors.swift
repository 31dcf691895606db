internal import StrictJSON

/// The values of a record's concurrent versions that nobody has replaced or removed.
struct Survivors {
    /// The field paths with their values, ordered by path; several values are concurrent.
    var cells: [Cell]
    /// The list elements that one device removed while another changed them: they stay.
    var revived: Set<ItemName>
}

/// An element of a list of a record.
struct ItemName: Hashable, Comparable {
    let field: String
    let element: String

    static func == (left: ItemName, right: ItemName) -> Bool {
        isSame(left.field, right.field) && isSame(left.element, right.element)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ScalarKey(field))
        hasher.combine(ScalarKey(element))
    }

    static func < (left: ItemName, right: ItemName) -> Bool {
        let order = compare(left.field, right.field)
        return order == 0 ? precedes(left.element, right.element) : order < 0
    }
}

extension CellPath {
    /// The list element of the path; nil for a path outside list elements.
    var item: ItemName? { isOfItem ? ItemName(field: field, element: element) : nil }
}

extension RecordState {
    /// The field paths with their values when all versions merge, ordered by path; several values are concurrent.
    package var remainingCells: [Cell] { survivors().cells }

    /// Returns the values that remain when all versions merge.
    ///
    /// A value of a version stays, unless the author of another version had seen it and dropped it.
    ///
    /// A list element goes as a whole. Where one of its values stays, so do all values that the versions with the
    /// element agree on.
    func survivors() -> Survivors {
        if versions.count == 1 { return Survivors(cells: versions[0].cells, revived: []) }
        let items = versions.map { version in Set(version.cells.compactMap { $0.path.item }) }
        var columns: [Column] = []
        forEachColumn { columns.append($0) }
        let living = livingItems(columns)
        var survivors = Survivors(cells: [], revived: [])
        for column in columns {
            let path = column.path
            let item = path.item
            if let item, !living.contains(item) { continue }
            let judges = versions.indices.filter { index in item.map { items[index].contains($0) } ?? true }
            let candidates = column.candidates
            var kept = candidates.filter { write in judges.allSatisfy { leaves(write, column, $0) } }
            if kept.isEmpty, judges.allSatisfy({ !column.writes[$0].isEmpty }) { kept = latest(column) }
            if !kept.isEmpty { survivors.cells.append(Cell(path, kept.sorted { $0.stamp < $1.stamp })) }
            if let item, judges.count < versions.count, !survivors.revived.contains(item) {
                let removers = versions.indices.filter { !items[$0].contains(item) }
                let isRemoved = candidates.contains { write in
                    removers.contains { versions[$0].hasSeen(write.stamp.dot) }
                }
                if isRemoved { survivors.revived.insert(item) }
            }
        }
        return survivors
    }

    /// A field path with the values of each version.
    private struct Column {
        let path: CellPath
        let writes: [[Write]]

        /// All values of the versions, each once.
        var candidates: [Write] {
            var found: [Write] = []
            for write in writes.joined() where !found.contains(where: { $0.stamp == write.stamp }) {
                found.append(write)
            }
            return found
        }
    }

    /// Goes through the field paths of all versions in order.
    private func forEachColumn(_ body: (Column) -> Void) {
        var next = versions.map { _ in 0 }
        while true {
            var path: CellPath?
            for (index, version) in versions.enumerated() where next[index] < version.cells.count {
                let candidate = version.cells[next[index]].path
                if path.map({ candidate < $0 }) ?? true { path = candidate }
            }
            guard let path else { return }
            let writes = versions.indices.map { index -> [Write] in
                let cells = versions[index].cells
                guard next[index] < cells.count, cells[next[index]].path == path else { return [] }
                next[index] += 1
                return cells[next[index] - 1].writes
            }
            body(Column(path: path, writes: writes))
        }
    }

    /// Returns whether a version has a value, or its author had not seen it.
    private func leaves(_ write: Write, _ column: Column, _ version: Int) -> Bool {
        !versions[version].hasSeen(write.stamp.dot)
            || column.writes[version].contains { $0.stamp == write.stamp }
    }

    /// Returns the remaining values where each was seen by the author of another version.
    ///
    /// A device that deleted a record, and then changed what came back of it, has seen its own earlier values. It
    /// replaced none of them: they went with the deletion, and other devices kept them. So a version only removes
    /// values of versions that it follows.
    private func latest(_ column: Column) -> [Write] {
        let candidates = column.candidates
        let kept = candidates.filter { write in
            versions.indices.allSatisfy { index in
                !versions[index].seen.covers(write.stamp.dot)
                    || column.writes[index].contains { $0.stamp == write.stamp }
            }
        }
        return kept.isEmpty ? candidates : kept
    }

    /// Returns the list elements with a value that no version without the element had seen.
    private func livingItems(_ columns: [Column]) -> Set<ItemName> {
        var living: Set<ItemName> = []
        for column in columns {
            guard let item = column.path.item, !living.contains(item) else { continue }
            let isLiving =
                column.writes.allSatisfy { !$0.isEmpty }
                || column.candidates.contains { write in versions.indices.allSatisfy { leaves(write, column, $0) } }
            if isLiving { living.insert(item) }
        }
        return living
    }
}

extension RecordVersion {
    /// Returns the members of which the change removed elements that stood before.
    ///
    /// Its author had seen all of such an element.
    package func membersLosingElements(of earlier: RecordState) -> Set<String> {
        func elements(_ cells: [Cell]) -> [(name: ItemName, writes: [Write])] {
            cells.filter { $0.path.isOfItem || $0.path.kind == .setElement }
                .map { (ItemName(field: $0.path.field, element: $0.path.element), $0.writes) }
        }
        let standing = elements(earlier.remainingCells)
        guard !standing.isEmpty else { return [] }
        let unseen = standing.filter { !$0.writes.allSatisfy { hasSeen($0.stamp.dot) } }
        let left = Set((elements(cells) + unseen).map(\.name))
        return Set(standing.map(\.name).filter { !left.contains($0) }.map(\.field))
    }
}
