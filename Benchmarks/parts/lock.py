"""How long foldersync keeps an app from writing its store, as the app would see it.

Another process asks for the write lock of the store all the time while foldersync takes in records: all at once when a
device joins, and then changes of all of them, each with notes that both devices wrote.
"""

import pathlib
import subprocess
import sys
import tempfile

from parts.devices import MOMENT, TASK, Devices, change, query, task
from parts.shared import Programs, Result, Table, say

HELP = "how long an app waits for the lock of its store during a sync"
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
# How a record is inserted, what one is, what each device changes, and how many have both changes.
APPS = {
    "slate": (
        TASK,
        lambda number: (*task(number)[:2], "one two three four five six seven eight", MOMENT, MOMENT),
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


def options(parser):
    parser.add_argument("--records", type=int, default=10_000, help="how many (10,000)")


class Probe:
    """A process that asks for the lock until it ends, and then tells its longest wait in milliseconds."""

    def __init__(self, store):
        self.process = subprocess.Popen([sys.executable, "-c", PROBE, str(store)], text=True, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def end(self):
        out, _ = self.process.communicate("end\n")
        return float(out)


def measure(program, folder, app, count):
    """What was taken in, the longest wait in milliseconds, and the seconds of the sync."""
    insert, row, ours, theirs, done = APPS[app]
    say(f"measuring: {app}")
    devices = Devices(program, folder, app=app)
    devices.init(0)
    devices.call(1, *devices.joining(1))
    change(devices.store(0), insert, map(row, range(count)))
    devices.call(0, "sync")
    for what in ("new records", "changed records"):
        probe = Probe(devices.store(1))
        seconds = devices.call(1, "sync").seconds
        yield f"{count:,} {what}", probe.end(), seconds
        if what == "new records":
            change(devices.store(0), ours)
            devices.call(0, "sync")
            change(devices.store(1), theirs)
    ((found,),) = query(devices.store(1), done)
    if found != count:
        sys.exit(f"error: {found} of {count} records were merged")


def main(options):
    program, result, lines = Programs(options).path("foldersync"), Result(options), []
    for app in APPS:
        with tempfile.TemporaryDirectory(prefix="satchel-lock-") as folder:
            for what, wait, seconds in measure(program, pathlib.Path(folder), app, options.records):
                lines.append((app, what, f"{wait:.1f} ms", f"{seconds:.2f} s"))
    result.add(Table(
        "The longest time that an app waits for the write lock of its store while foldersync takes in records",
        ("app", "taken in", "longest wait", "sync"), lines, left=2,
    ))
    return result
