internal import StrictJSON

/// A record with its concurrent versions brought together: all that is neither replaced nor removed.
struct Survivors {
    /// The places with the values that stand there, ordered by path; several values are concurrent.
    var cells: [Cell]
    /// Elements of lists that somebody removed while somebody else changed them: they stay.
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
    /// The element that the place belongs to, nil where it belongs to none.
    var item: ItemName? { isOfItem ? ItemName(field: field, element: element) : nil }
}

extension RecordState {
    /// What stands where all versions are brought together.
    ///
    /// A value stays that is in a version, unless there is a version whose author had seen it and which has it no more.
    /// An element of a list goes as a whole: where one of its values stays, all stay that the versions with the element
    /// agree on.
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

    /// A place, and what each version has there.
    private struct Column {
        let path: CellPath
        let writes: [[Write]]

        /// All values that a version has, each once.
        var candidates: [Write] {
            var found: [Write] = []
            for write in writes.joined() where !found.contains(where: { $0.stamp == write.stamp }) {
                found.append(write)
            }
            return found
        }
    }

    /// Goes through the places of all versions in order.
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

    /// Whether a version has a value, or its author knew nothing of it.
    private func leaves(_ write: Write, _ column: Column, _ version: Int) -> Bool {
        !versions[version].hasSeen(write.stamp.dot)
            || column.writes[version].contains { $0.stamp == write.stamp }
    }

    /// The values that stand at a place where each version has one, and each was seen by the author of another version.
    ///
    /// Who deleted a record and changed what came back of it has seen their own earlier values, and replaced none of them:
    /// these went with the deletion, and others kept them. So a version only speaks against what it came after.
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

    /// The elements of lists of which a value stands that no version without it had seen.
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
