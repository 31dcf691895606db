#!/usr/bin/env python3
"""Measure how long foldersync keeps an app from writing its store, as the app would see it.

Another process asks for the write lock of the store all the time while foldersync takes in records: all at once when a
device joins, and then changes of all of them, each with notes that both devices wrote. Prints the longest time that the
lock was not to be had.
"""

import argparse
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import time

PROBE = """
import select, sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)
print("ready", flush=True)
longest, since = 0.0, None
while not select.select([sys.stdin], [], [], 0)[0]:
    try:
        # To commit, the app also needs that nobody reads.
        if not database.in_transaction:
            database.execute("BEGIN IMMEDIATE")
        database.execute("COMMIT")
        if since is not None:
            longest, since = max(longest, time.perf_counter() - since), None
        time.sleep(0.002)
    except sqlite3.OperationalError:
        since = since or time.perf_counter()
        time.sleep(0.0002)
print(longest * 1000)
"""

MOMENT = "2026-01-01T08:00:00Z"
APPS = {
    "slate": (
        "INSERT INTO tasks (id, title, notes, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
        lambda number: (f"task-{number:08}", f"Task number {number}", "one two three four five six seven eight", MOMENT, MOMENT),
        "UPDATE tasks SET notes = 'zero ' || notes, title = title || ' of the laptop'",
        "UPDATE tasks SET notes = notes || ' nine', due_date = '2026-02-01'",
        "SELECT count(*) FROM tasks WHERE title LIKE '%laptop' AND due_date IS NOT NULL",
    ),
    "bztimer": (
        "INSERT INTO history (id, session_name, completed_at, total_duration_seconds) VALUES (?, ?, ?, ?)",
        lambda number: (f"run-{number:08}", f"Run number {number}", MOMENT, 600),
        "UPDATE history SET session_name = session_name || ' of the laptop'",
        "UPDATE history SET total_duration_seconds = 660",
        "SELECT count(*) FROM history WHERE session_name LIKE '%laptop' AND total_duration_seconds = 660",
    ),
}


def change(store, sql, rows=None):
    with sqlite3.connect(store) as database:
        database.executemany(sql, rows) if rows else database.execute(sql)
    database.close()


class Probe:
    def __init__(self, store):
        self.process = subprocess.Popen([sys.executable, "-c", PROBE, str(store)], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def end(self):
        out, _ = self.process.communicate("end\n")
        return float(out)


def measure(program, app, count):
    insert, row, ours, theirs, done = APPS[app]
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        stores = [folder / "laptop.db", folder / "phone.db"]

        def call(device, *arguments):
            command = [program, *arguments, "--config", folder / f"{device}.json"]
            result = subprocess.run([str(part) for part in command], text=True, capture_output=True)
            if result.returncode not in (0, 3):
                sys.exit(f"error: {' '.join(map(str, command))}: {result.stderr}")

        call(0, "init", folder / "shared", "--create", f"{app}={stores[0]}", "--name", "laptop", "--no-encrypt")
        call(1, "join", folder / "shared", "--create", f"{app}={stores[1]}", "--name", "phone")
        change(stores[0], insert, map(row, range(count)))
        call(0, "sync")
        for what in ("new records", "changed records"):
            probe, start = Probe(stores[1]), time.perf_counter()
            call(1, "sync")
            seconds = time.perf_counter() - start
            print(f"| {app} | {count} {what} | {probe.end():.1f} | {seconds:.2f} |", flush=True)
            if what == "new records":
                change(stores[0], ours)
                call(0, "sync")
                change(stores[1], theirs)
        database = sqlite3.connect(stores[1])
        found = database.execute(done).fetchone()[0]
        database.close()
        if found != count:
            sys.exit(f"error: {found} of {count} records were merged")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("program", help="foldersync, built for release")
    parser.add_argument("--records", type=int, default=10_000)
    arguments = parser.parse_args()
    print("| app | taken in | longest wait of the app (ms) | sync (s) |\n|---|---|--:|--:|")
    for app in APPS:
        measure(arguments.program, app, arguments.records)


if __name__ == "__main__":
    main()
