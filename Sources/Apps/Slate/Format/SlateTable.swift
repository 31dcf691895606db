package import StrictJSON

/// A table of Slate: of its database, and an array of the same name in its export.
///
/// The table `meta` is not among them, as an export has it as one object.
public enum SlateTable: String, Sendable, Hashable, CaseIterable {
    /// One-off items.
    case tasks
    /// Items that return every day.
    case habits
    /// A habit done on a local day.
    case habitCompletions = "habit_completions"
    /// A planned local day.
    case dayPlan = "day_plan"
    /// A task or habit chosen for a local day.
    case dayPlanItems = "day_plan_items"
    /// The actions on tasks and habits, with their times.
    case activityLog = "activity_log"
    /// The state of a local day when it ended.
    case daySnapshots = "day_snapshots"

    /// The name in the database and in the export.
    public var name: String { rawValue }

    /// The version of the format, and of the database, that brought the table.
    public var firstVersion: Int {
        switch self {
        case .activityLog, .daySnapshots: 2
        default: 1
        }
    }

    /// The columns, in the order in which they are written; the first is the primary key.
    package var columns: [SlateColumn] {
        switch self {
        case .tasks: Self.taskColumns
        case .habits: Self.habitColumns
        case .habitCompletions: Self.completionColumns
        case .dayPlan: Self.dayPlanColumns
        case .dayPlanItems: Self.itemColumns
        case .activityLog: Self.logColumns
        case .daySnapshots: Self.snapshotColumns
        }
    }

    /// Returns the columns that an older version cannot hold: a row of it says nothing of them.
    package func columnsUnknown(to version: Int) -> [SlateColumn] { columns.filter { $0.firstVersion > version } }

    /// The column by which one of two rows with the same key is the newer, if there is one.
    package var stamp: String? {
        switch self {
        case .tasks, .habits: "updated_at"
        case .habitCompletions: "completed_at"
        case .activityLog: "timestamp"
        case .dayPlan, .dayPlanItems, .daySnapshots: nil
        }
    }

    /// The columns other than the key whose values together no two rows may share.
    package var unique: [String] {
        switch self {
        case .habitCompletions: ["habit_id", "date"]
        case .dayPlanItems: ["date", "entity_type", "entity_id"]
        default: []
        }
    }

    /// Gives each row a primary key of its own, after a merge of rows that other members tell apart.
    ///
    /// An item that one side moved keeps its key, and so does the one that takes its place. Nothing refers to these keys.
    package static func separateKeys(_ document: inout JSONValue) {
        for table in allCases where !table.unique.isEmpty {
            guard var rows = document[table.name]?.array else { continue }
            let column = table.columns[0].text
            var taken = Set(rows.compactMap { $0[column]?.string.map(ScalarKey.init) })
            var seen: Set<ScalarKey> = []
            for index in rows.indices {
                guard let key = rows[index][column]?.string, !seen.insert(ScalarKey(key)).inserted else { continue }
                var number = 2
                while !taken.insert(ScalarKey("\(key)-\(number)")).inserted { number += 1 }
                rows[index][column] = .string("\(key)-\(number)")
            }
            document[table.name] = .array(rows)
        }
    }

    /// The word for a row in messages.
    package var noun: String {
        switch self {
        case .tasks: "task"
        case .habits: "habit"
        case .habitCompletions: "completion"
        case .dayPlan: "day"
        case .dayPlanItems: "plan item"
        case .activityLog: "log entry"
        case .daySnapshots: "snapshot"
        }
    }

    private static let taskColumns: [SlateColumn] = [
        .init("id", .text), .init("title", .text), .init("notes", .text, .null), .init("due_date", .text, .null),
        .init("scheduled_for", .text, .null), .init("is_done", .flag(isNumber: false), .flag(false)),
        .init("done_at", .text, .null), .init("created_at", .text, .exportedAt),
        .init("updated_at", .text, .exportedAt), .init("archived", .flag(isNumber: false), .flag(false)),
        .init("depends_on_task_id", .text, .null, firstVersion: 2),
    ]
    private static let habitColumns: [SlateColumn] = [
        .init("id", .text), .init("title", .text), .init("notes", .text, .null),
        .init("active", .flag(isNumber: false), .flag(true)), .init("reminder_time", .text, .null),
        .init("created_at", .text, .exportedAt), .init("updated_at", .text, .exportedAt),
    ]
    private static let completionColumns: [SlateColumn] = [
        .init("id", .text), .init("habit_id", .text), .init("date", .text), .init("completed_at", .text, .exportedAt),
    ]
    private static let dayPlanColumns: [SlateColumn] = [
        .init("date", .text), .init("perfect_day", .flag(isNumber: true), .flag(false)),
    ]
    private static let itemColumns: [SlateColumn] = [
        .init("id", .text), .init("date", .text), .init("entity_type", .text), .init("entity_id", .text),
    ]
    private static let logColumns: [SlateColumn] = [
        .init("id", .text), .init("timestamp", .text), .init("entity_type", .text), .init("entity_id", .text),
        .init("action_type", .text), .init("details", .json, .null),
    ]
    private static let snapshotColumns: [SlateColumn] = [
        .init("date", .text), .init("day_plan_tasks", .json, .null), .init("slate_tasks", .json, .null),
        .init("habits", .json, .null), .init("completed_task_ids", .json, .null),
        .init("completed_habit_ids", .json, .null),
    ]
}

/// A column of a table.
package struct SlateColumn: Sendable {
    /// The kinds of value in a column.
    package enum Kind: Sendable, Hashable {
        case text
        /// 0 or 1; in the export these numbers, or `false` and `true`.
        case flag(isNumber: Bool)
        /// JSON: in the database as text, in the export as it is.
        case json
    }

    /// The values of a row that leaves the member out.
    package enum Default: Sendable, Hashable {
        /// The member must be there.
        case none
        case null
        case flag(Bool)
        /// The moment of the export, for a time that the app always writes.
        case exportedAt
    }

    package let name: StaticString
    package let kind: Kind
    package let whenAbsent: Default
    /// The version that brought the column.
    package let firstVersion: Int

    init(_ name: StaticString, _ kind: Kind, _ whenAbsent: Default = .none, firstVersion: Int = 1) {
        self.name = name
        self.kind = kind
        self.whenAbsent = whenAbsent
        self.firstVersion = firstVersion
    }

    /// True if the value may be null.
    package var isNullable: Bool { whenAbsent == .null }
    /// The name as a string.
    package var text: String { "\(name)" }
}

/// The members of an export that are no tables.
package enum SlateMember {
    package static let version = "schema_version"
    package static let exportedAt = "exported_at"
    package static let meta = "meta"

    /// Returns the names at the top level of a version, in order.
    package static func top(_ version: Int) -> [String] {
        [Self.version, exportedAt, meta] + SlateTable.allCases.filter { $0.firstVersion <= version }.map(\.name)
    }

    /// The app's settings, an object of texts by key.
    package static let storage = "storage"

    /// Returns members of the top level with each of the app's settings as a member of its own: `storage/KEY`.
    static func spread(_ members: JSONObject) -> JSONObject {
        guard let settings = members[storage]?.object else { return members }
        var spread = members
        spread.removeValue(forName: storage)
        for setting in settings { spread["\(storage)/\(setting.name)"] = setting.value }
        return spread
    }

    /// The keys of `meta` that the app is known to use, in order.
    package static let metaKeys = ["schema_version", "last_open_date", "day_start", "installed_at"]
}
