internal import CivilTime
internal import RecordStore
internal import SQLiteDatabase
internal import StrictJSON

/// The faulty references of a database: rows that name missing rows, and tasks that depend on each other in a circle.
struct SlateReferences {
    /// The kinds of faulty reference.
    enum Kind: CaseIterable {
        case planItem, dependency

        var table: SlateTable { self == .planItem ? .dayPlanItems : .tasks }
        var code: String { self == .planItem ? "slate.dangling-plan-item" : "slate.dangling-dependency" }
        var words: String { self == .planItem ? "plan tasks or habits" : "depend on tasks" }

        fileprivate var condition: String {
            switch self {
            case .planItem:
                """
                (entity_type = 'task' AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = day_plan_items.entity_id))
                    OR (entity_type = 'habit'
                        AND NOT EXISTS (SELECT 1 FROM habits h WHERE h.id = day_plan_items.entity_id))
                """
            case .dependency:
                """
                depends_on_task_id IS NOT NULL
                    AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.id = tasks.depends_on_task_id)
                """
            }
        }
    }

    /// A plan item: its day, and what it plans.
    private struct PlanItem {
        let day: String
        let table: SlateTable
        let entity: String
    }

    /// The keys of the rows at fault, in order.
    private(set) var dangling: [Kind: [String]] = [:]
    /// The plan items at fault, by their keys.
    private var items: [ScalarKey: PlanItem] = [:]
    /// The circles, each with the ids of its tasks in the order in which they depend on each other.
    private(set) var circles: [[String]] = []
    /// The tasks of the circles, by their identifiers.
    private var tasks: [ScalarKey: (title: String, updatedAt: String)] = [:]
    private let path: String

    /// Looks at all references.
    init(_ records: SlateRecords) throws {
        path = records.path
        for kind in Kind.allCases where kind == .planItem || records.version >= 2 {
            var keys: [String] = []
            let more = kind == .planItem ? ", date, entity_type, entity_id" : ""
            let sql = "SELECT id\(more) FROM \(kind.table.name) WHERE \(kind.condition) ORDER BY id"
            try records.database.forEachRow(sql) { row in
                let key = row.string(0) ?? ""
                keys.append(key)
                guard kind == .planItem else { return }
                items[ScalarKey(key)] = PlanItem(
                    day: row.string(1) ?? "",
                    table: row.string(2) == "habit" ? .habits : .tasks,
                    entity: row.string(3) ?? ""
                )
            }
            if !keys.isEmpty { dangling[kind] = keys }
        }
        guard records.version >= 2 else { return }
        circles = try Self.circles(records.database)
        let inCircles = Set(circles.joined().map(ScalarKey.init))
        guard !inCircles.isEmpty else { return }
        try records.database.forEachRow("SELECT id, title, updated_at FROM tasks") { row in
            guard let id = row.string(0), inCircles.contains(ScalarKey(id)) else { return }
            tasks[ScalarKey(id)] = (row.string(1) ?? id, row.string(2) ?? "")
        }
    }

    private static func circles(_ database: Database) throws -> [[String]] {
        var ids: [String] = []
        var targets: [String] = []
        let sql = "SELECT id, depends_on_task_id FROM tasks WHERE depends_on_task_id IS NOT NULL ORDER BY id"
        try database.forEachRow(sql) { row in
            guard let id = row.string(0), let target = row.string(1) else { return }
            ids.append(id)
            targets.append(target)
        }
        let numbers = Dictionary(ids.enumerated().map { (ScalarKey($1), $0) }, uniquingKeysWith: { first, _ in first })
        var graph = SlateDependencies(count: ids.count)
        for (number, target) in targets.enumerated() {
            if let target = numbers[ScalarKey(target)] { graph.add(number, dependsOn: target) }
        }
        return graph.cycles().map { $0.map { ids[$0] } }
    }

    // MARK: Words

    /// The warnings of an export about these references.
    var warnings: [Diagnostic] {
        var warnings = Kind.allCases.compactMap { kind in
            dangling[kind].map { keys in
                let message =
                    "\(rows(keys, of: kind)) \(kind.words) that are not there; importing the export will need --repair"
                return Diagnostic(.warning, code: kind.code, message: message, file: path)
            }
        }
        if let circle = circles.first {
            let message =
                "tasks depend on each other in a circle: \(shown(circle)); importing the export will need --repair"
            warnings.append(Diagnostic(.warning, code: "slate.dependency-cycle", message: message, file: path))
        }
        return warnings
    }

    /// Checks that no reference is at fault that was not so before.
    ///
    /// - Parameters:
    ///   - takesCircles: Whether circles are taken, as they are ended afterwards.
    ///   - parts: The parts that are imported.
    ///   - title: Returns the title of a task or habit that is not there.
    func check(
        against before: SlateReferences,
        takesCircles: Bool,
        parts: Set<SlatePart>,
        title: (SlateTable, String) -> String?
    ) throws {
        for kind in Kind.allCases {
            let known = Set((before.dangling[kind] ?? []).map(ScalarKey.init))
            let new = (dangling[kind] ?? []).filter { !known.contains(ScalarKey($0)) }
            guard new.isEmpty else {
                let message =
                    kind == .planItem
                    ? planMessage(new, parts, title)
                    : "\(rows(new, of: kind)) would \(kind.words) that the database does not have; nothing was changed"
                throw StoreError(.reference, message, path: path)
            }
        }
        guard !takesCircles, let circle = newCircles(since: before).first else { return }
        let message =
            "tasks would depend on each other in a circle: \(shown(circle)); nothing was changed; importing with "
            + "--repair ends the dependency of the task that was changed last"
        throw StoreError(.reference, message, path: path)
    }

    private func newCircles(since before: SlateReferences) -> [[String]] {
        let known = Set(before.circles.map { $0.map(ScalarKey.init) })
        return circles.filter { !known.contains($0.map(ScalarKey.init)) }
    }

    /// Ends each circle that was not there before: the task that was changed last depends on none.
    ///
    /// A task depends on one other at most, so that circles have no task in common.
    func endCircles(since before: SlateReferences, in database: Database) throws -> [SlateEndedDependency] {
        try newCircles(since: before).compactMap { circle in
            let last = circle.max { isEarlier($0, $1) }
            guard let last else { return nil }
            try database.execute(sql: "UPDATE tasks SET depends_on_task_id = NULL WHERE id = ?", arguments: [last])
            return SlateEndedDependency(id: last, title: name(last), circle: shown(circle))
        }
    }

    private func isEarlier(_ left: String, _ right: String) -> Bool {
        let moments = [left, right].map { tasks[ScalarKey($0)].flatMap { Timestamp($0.updatedAt) } }
        guard let one = moments[0], let other = moments[1], one != other else {
            return left.utf8.lexicographicallyPrecedes(right.utf8)
        }
        return one < other
    }

    private func name(_ id: String) -> String { tasks[ScalarKey(id)]?.title ?? id }

    private func rows(_ keys: [String], of kind: Kind) -> String {
        let shown = keys.prefix(5).map { quoted($0) }.joined(separator: ", ") + (keys.count > 5 ? ", …" : "")
        return "\(keys.count == 1 ? "1 row" : "\(keys.count) rows") of \(kind.table.name) (\(shown))"
    }

    /// Says what plans would name that the database would not have, and which parts have to be imported with the others.
    private func planMessage(
        _ keys: [String],
        _ parts: Set<SlatePart>,
        _ title: (SlateTable, String) -> String?
    ) -> String {
        let found = keys.compactMap { items[ScalarKey($0)] }
        let names = found.prefix(5).map { item in
            "the \(item.table.noun) \(quoted(title(item.table, item.entity) ?? item.entity)) on \(item.day)"
        }
        let list = names.joined(separator: ", ") + (found.count > 5 ? " and \(found.count - 5) more" : "")
        let missing =
            parts.contains(.table(.dayPlanItems))
            ? [SlateTable.tasks, .habits].filter { table in
                !parts.contains(.table(table)) && found.contains { $0.table == table }
            } : [.dayPlanItems]
        let options = missing.map { "--only \($0.name)" }.joined(separator: " ")
        let kept = [SlateTable.tasks, .habits].filter { table in found.contains { $0.table == table } }.map(\.name)
        let way =
            switch missing {
            case []: ""
            case [.dayPlanItems]:
                "; \(options) replaces the plans with the file's as well; --mode merge keeps the "
                    + kept.joined(separator: " and ")
            default: "; \(options) imports what they need as well"
            }
        return "plans would have \(list), which the database would not have; nothing was changed\(way)"
    }

    private func shown(_ circle: [String]) -> String {
        let rest = circle.count > 10 ? ["… (\(circle.count) tasks)"] : []
        let names = circle.prefix(10).map { quoted(name($0)) }
        return (names + rest + [quoted(name(circle[0]))]).joined(separator: " → ")
    }
}

/// A dependency that an import ended, as tasks would have depended on each other in a circle.
public struct SlateEndedDependency: Sendable, Hashable {
    /// The task that depends on none now.
    public let id: String
    /// Its title.
    public let title: String
    /// The titles of the circle, in the order in which its tasks would have depended on each other.
    public let circle: String
}
