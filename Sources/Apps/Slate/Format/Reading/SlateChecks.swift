import FormatKit
import StrictJSON

/// The checks of an export of Slate that a schema cannot make: identifiers, duplicates, references, cycles.
///
/// With repair each fault is mended and becomes a warning. Nothing that differs is dropped where it can be kept: of two
/// different rows with one id the second gets an id of its own.
final class SlateChecks {
    let findings: TapeFindings
    /// The content of the document, as far as it was repaired.
    let content: SlateContent

    private let text: DocumentTape
    private let tables: [SlateTable: SlateRows]
    private let repair: Bool

    /// Checks a document that is valid by the schema of the current version.
    ///
    /// - Parameters:
    ///   - sourceVersion: The version that the document was migrated from.
    ///   - origin: Where the file that the document was migrated from has what the document has at a place.
    init(
        _ document: JSONDocument,
        repair: Bool,
        sourceVersion: Int = SlateFormat.currentVersion,
        origin: @escaping (JSONPointer) -> JSONPointer = { $0 }
    ) {
        self.repair = repair
        text = DocumentTape(document)
        findings = TapeFindings(text, repair: repair, origin: origin)
        var tables: [SlateTable: SlateRows] = [:]
        var doubled: Set<SlateTable> = []
        for table in SlateTable.allCases {
            let rows = SlateRows(table, in: text, at: document.root[table.name]?.index)
            if !rows.sort() { doubled.insert(table) }
            tables[table] = rows
        }
        self.tables = tables
        content = SlateContent(text, tables, sourceVersion: sourceVersion)
        for table in SlateTable.allCases {
            checkTimes(table)
            if doubled.contains(table) { checkKeys(table) }
            checkUnique(table)
        }
        checkPlanItems()
        checkDependencies()
        checkHabits()
    }

    private func rows(_ table: SlateTable) -> SlateRows {
        tables[table] ?? SlateRows(table, in: text, at: nil)
    }

    // MARK: Rows of one table

    /// Times that the app always writes and the file leaves out.
    private func checkTimes(_ table: SlateTable) {
        let columns = table.columns.indices.filter { table.columns[$0].whenAbsent == .exportedAt }
        guard !columns.isEmpty else { return }
        var cells = Array(repeating: -1, count: table.columns.count)
        for place in rows(table).places {
            _ = rows(table).find(place, into: &cells)
            for column in columns where cells[column] < 0 {
                let name = table.columns[column].text
                findings.add(
                    .warning,
                    "slate.missing-time",
                    at: place,
                    "the \(table.noun) has no \"\(name)\"; the moment of the export is taken"
                )
            }
        }
    }

    private func checkKeys(_ table: SlateTable) {
        let rows = rows(table)
        let name = table.columns[0].text
        var removed: Set<Int> = []
        var fresh = FreshIDs()
        var first = 0
        for position in rows.places.indices.dropFirst() {
            let place = rows.places[position]
            let firstPlace = rows.places[first]
            let key = rows.key(place)
            guard rows.key(firstPlace).compare(key) == 0 else {
                first = position
                continue
            }
            let value = String(decoding: key, as: UTF8.self)
            let cell = rows.cell(place, 0) ?? place
            let fix: String
            if repair, name == "id", !isSame(rows, first, position) {
                let id = fresh.next(for: value) { rows.identifiers }
                text.replace(cell, by: id)
                fix = "the second gets the id \(quoted(id))"
            } else if repair, table == .dayPlan, !isPerfect(rows, first), isPerfect(rows, position) {
                fix = "the first is left out, as this one is perfect"
                removed.insert(firstPlace)
                first = position
            } else {
                fix = "this one is left out"
                removed.insert(place)
            }
            findings.addFixable(
                "slate.duplicate-id",
                at: cell,
                fix: fix,
                "the \(name) \(quoted(value)) is used twice in \(table.name), first at \(findings.pointer(firstPlace))"
            )
        }
        guard repair else { return }
        rows.remove(removed)
        if fresh.isUsed { rows.sort() }
    }

    /// Tells whether a row of `day_plan` marks its day as perfect.
    private func isPerfect(_ rows: SlateRows, _ position: Int) -> Bool {
        let cursor = SlateCursor(rows, exportedAt: content.exportedAtBytes)
        guard cursor.go(to: position), case .flag(let isPerfect) = cursor.cell(1) else { return false }
        return isPerfect
    }

    /// Tells whether two rows have the same content.
    private func isSame(_ rows: SlateRows, _ first: Int, _ second: Int) -> Bool {
        let cursor = SlateCursor(rows, exportedAt: content.exportedAtBytes)
        let texts = [first, second].map { position in
            cursor.go(to: position) ? cursor.encoded : []
        }
        return texts[0] == texts[1]
    }

    private func checkUnique(_ table: SlateTable) {
        guard !table.unique.isEmpty else { return }
        let rows = rows(table)
        let doubles = SlateDuplicates(rows, columns: table.unique)
        for (place, first) in doubles.found {
            findings.addFixable(
                table == .habitCompletions ? "slate.duplicate-completion" : "slate.duplicate-plan-item",
                at: place,
                fix: "this one is left out",
                "two rows of \(table.name) have \(values(rows, place)), the first is \(findings.pointer(first))"
            )
        }
        if repair { rows.remove(Set(doubles.found.map(\.place))) }
    }

    /// Returns the values that no two rows may share, for a message.
    private func values(_ rows: SlateRows, _ place: Int) -> String {
        let parts = rows.table.columns.enumerated().filter { rows.table.unique.contains($0.element.text) }
        return parts.map { index, column in
            "\(column.text) \(quoted(rows.string(place, index).map { String(decoding: $0, as: UTF8.self) } ?? ""))"
        }.joined(separator: ", ")
    }

    // MARK: References

    private func checkPlanItems() {
        let items = rows(.dayPlanItems)
        let (tasks, habits) = (rows(.tasks), rows(.habits))
        var removed: Set<Int> = []
        var cells = Array(repeating: -1, count: items.columnCount)
        for place in items.places {
            _ = items.find(place, into: &cells)
            guard cells[2] >= 0, cells[3] >= 0, let id = text.string(cells[3]) else { continue }
            let isTask = text.string(cells[2]).map { $0.elementsEqual("task".utf8) } ?? true
            guard (isTask ? tasks : habits).find(id) == nil else { continue }
            findings.addFixable(
                "slate.dangling-plan-item",
                at: cells[3],
                fix: "the plan item is left out",
                "no \(isTask ? "task" : "habit") of the file has the id \(quoted(String(decoding: id, as: UTF8.self)))"
            )
            removed.insert(place)
        }
        if repair { items.remove(removed) }
    }

    private func checkDependencies() {
        let tasks = rows(.tasks)
        guard let column = SlateTable.tasks.columns.firstIndex(where: { $0.text == "depends_on_task_id" }) else {
            return
        }
        var graph = SlateDependencies(count: tasks.places.count)
        var cells = Array(repeating: -1, count: tasks.columnCount)
        for (position, place) in tasks.places.enumerated() {
            _ = tasks.find(place, into: &cells)
            guard cells[column] >= 0, let id = text.string(cells[column]) else { continue }
            if let target = tasks.find(id) {
                graph.add(position, dependsOn: target)
                continue
            }
            findings.addFixable(
                "slate.dangling-dependency",
                at: cells[column],
                fix: "the task depends on none",
                "no task of the file has the id \(quoted(String(decoding: id, as: UTF8.self)))"
            )
            if repair { text.replace(cells[column], by: nil) }
        }
        for cycle in graph.cycles() {
            guard let last = cycle.last, let cell = tasks.cell(tasks.places[last], column) else { continue }
            let name = { (position: Int) in quoted(String(decoding: tasks.key(tasks.places[position]), as: UTF8.self)) }
            let rest = cycle.count > 10 ? ["… (\(cycle.count) tasks)"] : []
            let path = cycle.prefix(10).map(name) + rest + [name(cycle[0])]
            findings.addFixable(
                "slate.dependency-cycle",
                at: cell,
                fix: "the task \(name(last)) depends on none",
                "tasks depend on each other in a circle: \(path.joined(separator: " → "))"
            )
            if repair { text.replace(cell, by: nil) }
        }
    }

    /// Completions outlive their habit: that is no fault.
    private func checkHabits() {
        let habits = rows(.habits)
        let completions = rows(.habitCompletions)
        var orphans = 0
        var firstPlace: Int?
        for place in completions.places {
            guard let id = completions.string(place, 1), habits.find(id) == nil else { continue }
            orphans += 1
            firstPlace = firstPlace ?? completions.cell(place, 1)
        }
        guard let firstPlace else { return }
        let what = orphans == 1 ? "1 completion belongs" : "\(orphans) completions belong"
        let rest = orphans == 1 ? "a habit that is gone; it is kept" : "habits that are gone; they are kept"
        findings.add(.note, "slate.unknown-habit", at: firstPlace, "\(what) to \(rest)")
    }
}

extension SlateRows {
    /// The keys of all rows.
    fileprivate var identifiers: Set<ScalarKey> {
        Set(places.map { ScalarKey(String(decoding: key($0), as: UTF8.self)) })
    }
}
