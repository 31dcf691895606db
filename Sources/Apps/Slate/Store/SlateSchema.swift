internal import RecordStore

/// The tables of Slate's own database.
enum SlateSchema {
    /// The version of the tables that this program writes to.
    static let version = 2

    /// Unknown members of rows, which the app's tables have no place for; made when there is one to keep.
    ///
    /// `table_name` and `row_key` are empty for members of the top level; `meta` has a row for each value that is no
    /// text.
    static let extraTable = "satchel_extra"

    static let makeExtraTable = """
        CREATE TABLE IF NOT EXISTS \(extraTable) (
            table_name TEXT NOT NULL,
            row_key TEXT NOT NULL,
            members TEXT NOT NULL,
            PRIMARY KEY (table_name, row_key)
        ) WITHOUT ROWID
        """

    /// The tables of version 1, as the app makes them.
    static let one = """
        CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT);
        CREATE TABLE tasks (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            notes TEXT,
            due_date TEXT,
            scheduled_for TEXT,
            is_done INTEGER NOT NULL DEFAULT 0,
            done_at TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            archived INTEGER NOT NULL DEFAULT 0
        );
        CREATE TABLE habits (
            id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            notes TEXT,
            active INTEGER NOT NULL DEFAULT 1,
            reminder_time TEXT,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        );
        CREATE TABLE habit_completions (
            id TEXT PRIMARY KEY,
            habit_id TEXT NOT NULL,
            date TEXT NOT NULL,
            completed_at TEXT NOT NULL,
            UNIQUE (habit_id, date)
        );
        CREATE TABLE day_plan (date TEXT PRIMARY KEY, perfect_day INTEGER NOT NULL DEFAULT 0);
        CREATE TABLE day_plan_items (
            id TEXT PRIMARY KEY,
            date TEXT NOT NULL,
            entity_type TEXT NOT NULL CHECK (entity_type IN ('task', 'habit')),
            entity_id TEXT NOT NULL,
            UNIQUE (date, entity_type, entity_id)
        );
        CREATE INDEX idx_tasks_due ON tasks (due_date);
        CREATE INDEX idx_tasks_scheduled ON tasks (scheduled_for);
        CREATE INDEX idx_hc_habit_date ON habit_completions (habit_id, date);
        CREATE INDEX idx_dpi_date ON day_plan_items (date);
        INSERT INTO meta (key, value) VALUES ('schema_version', '1');
        """

    /// The additions of version 2.
    static let oneToTwo = """
        ALTER TABLE tasks ADD COLUMN depends_on_task_id TEXT REFERENCES tasks (id);
        CREATE TABLE activity_log (
            id TEXT PRIMARY KEY,
            timestamp TEXT NOT NULL,
            entity_type TEXT NOT NULL CHECK (entity_type IN ('task', 'habit')),
            entity_id TEXT NOT NULL,
            action_type TEXT NOT NULL,
            details TEXT
        );
        CREATE TABLE day_snapshots (
            date TEXT PRIMARY KEY,
            day_plan_tasks TEXT,
            slate_tasks TEXT,
            habits TEXT,
            completed_task_ids TEXT,
            completed_habit_ids TEXT
        );
        CREATE INDEX idx_activity_log_entity ON activity_log (entity_id, timestamp);
        UPDATE meta SET value = '2' WHERE key = 'schema_version';
        """

    /// Tables that some part of SQLite, the app's tool for its schema or synchronisation makes, without data of the
    /// person's.
    static let technicalTables = SyncTables.names.union(["__drizzle_migrations", "android_metadata", extraTable])

    /// Returns the names of the tables of a version, `meta` among them.
    static func tables(_ version: Int) -> [String] {
        ["meta"] + SlateTable.allCases.filter { $0.firstVersion <= version }.map(\.name)
    }

    /// Returns the names of the columns of a table in a version.
    static func columns(_ table: SlateTable, _ version: Int) -> [String] {
        table.columns.filter { $0.firstVersion <= version }.map(\.text)
    }
}
