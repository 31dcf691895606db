-- The indexes of the app, version 2: what Satchel keeps and the rivals go without.
CREATE INDEX idx_tasks_due ON tasks(due_date);
CREATE INDEX idx_tasks_scheduled ON tasks(scheduled_for);
CREATE INDEX idx_hc_habit_date ON habit_completions(habit_id, date);
CREATE INDEX idx_dpi_date ON day_plan_items(date);
CREATE INDEX idx_activity_log_entity ON activity_log(entity_id, timestamp);
