import FormatKit
import StrictJSON

/// The checks of an export of Slate that a schema cannot make: identifiers, duplicates, references, cycles.
///
/// With repair each fault is mended and becomes a warning. Nothing that differs is dropped where it can be kept: of two
/// different rows with one id the second gets an id of its own.
final class SlateChecks {
    private(set) var findings: CheckFindings
    /// The content of the document, as far as it was repaired.
    let content: SlateContent

    private let tables: [SlateTable: SlateRows]
    private let repair: Bool
    private let origin: (JSONPointer) -> JSONPointer

    /// Checks a document that is valid by the schema of the current version.
    ///
    /// - Parameters:
    ///   - sourceVersion: The version that the document was migrated from.
    ///   - origin: Where the file that the document was migrated from has what the document has at a place.
    convenience init(
        _ document: JSONDocument,
        repair: Bool,
        sourceVersion: Int = SlateFormat.currentVersion,
        origin: @escaping (JSONPointer) -> JSONPointer = { $0 }
    ) {
        var tables: [SlateTable: SlateRows] = [:]
        var members = JSONObject()
        for member in document.root.members {
            if let table = SlateTable(rawValue: member.name) {
                tables[table] = SlateRows(table, in: document, at: member.value)
            } else {
                members.append(unique: member.name, member.value.value)
            }
        }
        self.init(tables, members, repair: repair, sourceVersion: sourceVersion, origin: origin)
    }

    /// Checks the rows and the other members of a document.
    init(
        _ tables: [SlateTable: SlateRows],
        _ members: JSONObject,
        repair: Bool,
        sourceVersion: Int = SlateFormat.currentVersion,
        origin: @escaping (JSONPointer) -> JSONPointer = { $0 }
    ) {
        self.repair = repair
        self.origin = origin
        self.tables = tables
        findings = CheckFindings(repair: repair)
        content = SlateContent(tables, members, sourceVersion: sourceVersion)
        let doubled = tables.filter { !$0.value.sort() }
        for table in SlateTable.allCases {
            checkTimes(table)
            if doubled[table] != nil { checkKeys(table) }
            checkUnique(table)
        }
        checkPlanItems()
        checkDependencies()
        checkHabits()
    }

    private func rows(_ table: SlateTable) -> SlateRows {
        tables[table] ?? SlateRows(table)
    }

    /// Returns the place in the file of a row, or of its value in a column.
    private func pointer(_ rows: SlateRows, _ row: Int, _ column: Int? = nil) -> JSONPointer {
        origin(rows.pointer(row, column))
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
                    "the \(table.noun) has no \"\(name)\"; the moment of the export is taken",
                    at: pointer(rows(table), place)
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
            let fix: String
            if repair, name == "id", !isSame(first, position, table), let cell = rows.cell(place, 0) {
                let id = fresh.next(for: value) { rows.identifiers }
                rows.replace(cell, by: id)
                fix = "the second gets the id \(quoted(id))"
            } else if repair, table == .dayPlan, !isPerfect(first), isPerfect(position) {
                fix = "the first is left out, as this one is perfect"
                removed.insert(firstPlace)
                first = position
            } else {
                fix = "this one is left out"
                removed.insert(place)
            }
            findings.addFixable(
                "slate.duplicate-id",
                "the \(name) \(quoted(value)) is used twice in \(table.name), first at \(pointer(rows, firstPlace))",
                fix: fix,
                at: pointer(rows, place, 0)
            )
        }
        guard repair else { return }
        rows.remove(removed)
        if fresh.isUsed { rows.sort() }
    }

    /// Tells whether a row of `day_plan` marks its day as perfect.
    private func isPerfect(_ position: Int) -> Bool {
        let cursor = content.cursor(.dayPlan)
        guard cursor.go(to: position), case .flag(let isPerfect) = cursor.cell(1) else { return false }
        return isPerfect
    }

    /// Tells whether two rows have the same content.
    private func isSame(_ first: Int, _ second: Int, _ table: SlateTable) -> Bool {
        let cursor = content.cursor(table)
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
                "two rows of \(table.name) have \(values(rows, place)), the first is \(pointer(rows, first))",
                fix: "this one is left out",
                at: pointer(rows, place)
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
            guard cells[2] >= 0, cells[3] >= 0, let id = items.string(cells[3]) else { continue }
            let isTask = items.string(cells[2]).map { $0.elementsEqual("task".utf8) } ?? true
            guard (isTask ? tasks : habits).find(id) == nil else { continue }
            findings.addFixable(
                "slate.dangling-plan-item",
                "no \(isTask ? "task" : "habit") of the file has the id \(quoted(String(decoding: id, as: UTF8.self)))",
                fix: "the plan item is left out",
                at: pointer(items, place, 3)
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
            guard cells[column] >= 0, let id = tasks.string(cells[column]) else { continue }
            if let target = tasks.find(id) {
                graph.add(position, dependsOn: target)
                continue
            }
            findings.addFixable(
                "slate.dangling-dependency",
                "no task of the file has the id \(quoted(String(decoding: id, as: UTF8.self)))",
                fix: "the task depends on none",
                at: pointer(tasks, place, column)
            )
            if repair { tasks.replace(cells[column], by: nil) }
        }
        for cycle in graph.cycles() {
            guard let last = cycle.last, let cell = tasks.cell(tasks.places[last], column) else { continue }
            let name = { (position: Int) in quoted(String(decoding: tasks.key(tasks.places[position]), as: UTF8.self)) }
            let rest = cycle.count > 10 ? ["… (\(cycle.count) tasks)"] : []
            let path = cycle.prefix(10).map(name) + rest + [name(cycle[0])]
            findings.addFixable(
                "slate.dependency-cycle",
                "tasks depend on each other in a circle: \(path.joined(separator: " → "))",
                fix: "the task \(name(last)) depends on none",
                at: pointer(tasks, tasks.places[last], column)
            )
            if repair { tasks.replace(cell, by: nil) }
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
            firstPlace = firstPlace ?? place
        }
        guard let firstPlace else { return }
        let what = orphans == 1 ? "1 completion belongs" : "\(orphans) completions belong"
        let rest = orphans == 1 ? "a habit that is gone; it is kept" : "habits that are gone; they are kept"
        findings.add(.note, "slate.unknown-habit", "\(what) to \(rest)", at: pointer(completions, firstPlace, 1))
    }
}

extension SlateRows {
    /// The keys of all rows.
    fileprivate var identifiers: Set<ScalarKey> {
        Set(places.map { ScalarKey(String(decoding: key($0), as: UTF8.self)) })
    }
}
