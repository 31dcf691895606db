-- The tables of the app, version 2, as its specification lists them.
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
  archived INTEGER NOT NULL DEFAULT 0,
  depends_on_task_id TEXT
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
INSERT INTO meta VALUES ('schema_version', '2');
