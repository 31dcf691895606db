import AppList
import DirectorySync
import RecordStore
import SQLiteDatabase
import Testing

/// The apps over whose databases the scenarios run.
///
/// What the scenarios do to tasks is the same SQL in both. What rows mean to an app of its own, such as the perfect days of
/// Slate, is none of their matter.
enum ScenarioApp: String, CaseIterable {
    /// An app with code of its own.
    case slate
    /// An app that is only declared. Its tables are called like Slate's, but it numbers its rows by itself and refers to
    /// them by foreign keys: devices give out the same numbers for different tasks and lists.
    case declared

    static let declaredID = AppID("chores")

    private static let schema = """
        CREATE TABLE list (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
        CREATE TABLE tasks (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, title TEXT NOT NULL, notes TEXT, due_date TEXT,
            is_done INTEGER NOT NULL DEFAULT 0, done_at TEXT, created_at TEXT, updated_at TEXT,
            list_id INTEGER REFERENCES list (id) ON DELETE SET NULL,
            depends_on_task_id INTEGER REFERENCES tasks (number) ON DELETE SET NULL);
        CREATE TABLE day_plan_items (
            number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, date TEXT NOT NULL, entity_type TEXT NOT NULL,
            entity_id INTEGER NOT NULL REFERENCES tasks (number) ON DELETE CASCADE,
            UNIQUE (date, entity_type, entity_id));
        INSERT INTO list (name) VALUES ('Inbox');
        """

    /// The column of a task that others refer to.
    var reference: String { self == .slate ? "id" : "number" }

    /// Makes a database as an app does when it is started for the first time.
    func make(at path: String) throws {
        switch self {
        case .slate: try AppStores.all.make(.slate, at: path)
        case .declared: try DatabaseQueue(path: path).write { try $0.execute(sql: Self.schema) }
        }
    }

    /// What puts a task into the list of a name; nil where there are no lists.
    func listing(_ id: String, _ name: String) -> (sql: String, arguments: StatementArguments)? {
        guard self == .declared else { return nil }
        let sql = """
            INSERT OR IGNORE INTO list (name) VALUES (?);
            UPDATE tasks SET list_id = (SELECT id FROM list WHERE name = ?) WHERE id = ?;
            """
        return (sql, [name, name, id])
    }

    /// What removes a task, and the list that is empty without it.
    var removal: String {
        "DELETE FROM tasks WHERE id = ?"
            + (self == .slate
                ? "" : "; DELETE FROM list WHERE name <> 'Inbox' AND id NOT IN (SELECT ifnull(list_id, 0) FROM tasks)")
    }

    /// All rows of all of the app's tables, as texts in order; of a declared app without the numbers of this device.
    func rows(_ path: String) throws -> [String] {
        if self == .slate { return try slateRows(path) }
        let queries = [
            "SELECT name FROM list",
            """
            SELECT t.id, t.title, t.notes, t.due_date, t.is_done, t.done_at, t.created_at, t.updated_at, l.name, o.id
                FROM tasks t LEFT JOIN list l ON l.id = t.list_id LEFT JOIN tasks o ON o.number = t.depends_on_task_id
            """,
            "SELECT p.id, date, entity_type, t.id FROM day_plan_items p LEFT JOIN tasks t ON t.number = entity_id",
            "PRAGMA foreign_key_check",
        ]
        return try DatabaseQueue(path: path).read { database in
            try queries.flatMap { try Row.fetchAll(database, sql: $0).map { "\($0)" }.sorted() }
        }
    }
}
