"""What a script in Python does with a Slate export: orjson, jsonschema-rs and sqlite3.

    slate_rival.py import FILE DATABASE SCHEMA [--gc-off]   parse, validate, insert in one transaction; makes a new database
    slate_rival.py export DATABASE FILE [--gc-off]          select into dicts, write with two-space indentation
    slate_rival.py csv FILE FOLDER                          a CSV file for each table, for the sqlite3 shell
    slate_rival.py equal FILE FILE                          whether two exports hold the same rows, in any order

The last two are for the benchmark itself and are never timed.
"""

import csv
import gc
import pathlib
import sqlite3
import sys
from operator import itemgetter

import orjson

COLUMNS = {
    "tasks": (
        "id", "title", "notes", "due_date", "scheduled_for", "is_done", "done_at", "created_at", "updated_at",
        "archived", "depends_on_task_id",
    ),
    "habits": ("id", "title", "notes", "active", "reminder_time", "created_at", "updated_at"),
    "habit_completions": ("id", "habit_id", "date", "completed_at"),
    "day_plan": ("date", "perfect_day"),
    "day_plan_items": ("id", "date", "entity_type", "entity_id"),
    "activity_log": ("id", "timestamp", "entity_type", "entity_id", "action_type", "details"),
    "day_snapshots": (
        "date", "day_plan_tasks", "slate_tasks", "habits", "completed_task_ids", "completed_habit_ids",
    ),
}
TABLES = pathlib.Path(__file__).parent.parent / "data" / "tables.sql"
JSON_COLUMNS = {"activity_log": ("details",), "day_snapshots": COLUMNS["day_snapshots"][1:]}


def values(table, rows):
    """The rows as the database takes them; JSON columns become text."""
    if table in JSON_COLUMNS:
        for row in rows:
            for column in JSON_COLUMNS[table]:
                if row[column] is not None:
                    row[column] = orjson.dumps(row[column]).decode()
    return map(itemgetter(*COLUMNS[table]), rows)


def import_file(file, database, schema):
    import jsonschema_rs

    validator = jsonschema_rs.Draft202012Validator(orjson.loads(pathlib.Path(schema).read_bytes()))
    document = orjson.loads(pathlib.Path(file).read_bytes())
    validator.validate(document)
    tables = "" if pathlib.Path(database).exists() else TABLES.read_text(encoding="utf-8")
    connection = sqlite3.connect(database, isolation_level=None)
    connection.executescript(f"BEGIN; {tables}")
    connection.execute("DELETE FROM meta WHERE key <> 'schema_version'")
    meta = [(key, value) for key, value in document["meta"].items() if key != "schema_version"]
    connection.executemany("INSERT INTO meta VALUES (?, ?)", meta)
    for table, columns in COLUMNS.items():
        connection.execute(f"DELETE FROM {table}")
        insert = f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"
        connection.executemany(insert, values(table, document[table]))
    connection.execute("COMMIT")
    connection.close()


def export_file(database, file):
    connection = sqlite3.connect(database)
    document = {
        "schema_version": 2,
        "exported_at": "2025-02-09T21:04:05-07:00",
        "meta": dict(connection.execute("SELECT key, value FROM meta")),
    }
    for table, columns in COLUMNS.items():
        selected = connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
        rows = document[table] = [dict(zip(columns, row)) for row in selected]
        for column in JSON_COLUMNS.get(table, ()):
            for row in rows:
                if row[column] is not None:
                    row[column] = orjson.loads(row[column])
    pathlib.Path(file).write_bytes(orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def write_csv(file, folder):
    document = orjson.loads(pathlib.Path(file).read_bytes())
    for table in COLUMNS:
        with open(pathlib.Path(folder) / f"{table}.csv", "w", newline="", encoding="utf-8") as out:
            for row in values(table, document[table]):
                csv.writer(out).writerow(int(cell) if isinstance(cell, bool) else cell for cell in row)


def equal(left, right):
    documents = [orjson.loads(pathlib.Path(file).read_bytes()) for file in (left, right)]
    if documents[0]["meta"] != documents[1]["meta"]:
        sys.exit("error: meta differs")
    for table, columns in COLUMNS.items():
        rows, others = (sorted(document[table], key=itemgetter(columns[0])) for document in documents)
        # True and 1 are equal in Python, as they are in the format.
        if rows != others:
            sys.exit(f"error: {table} differs: {len(rows)} rows, and {len(others)}")


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--gc-off"]
    if len(arguments) < len(sys.argv) - 1:
        gc.disable()
    modes = {"import": import_file, "export": export_file, "csv": write_csv, "equal": equal}
    modes[arguments[0]](*arguments[1:])


main()
