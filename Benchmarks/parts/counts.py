"""Instructions of twelve small jobs, counted by valgrind's callgrind and compared with the table counts.json.

`--programs` names a folder with `satchel`, built as tests are. A count is the same whatever else the machine does, but
for what depends on the day, on file names and on the C library. Ends with 1 where a job takes over 5 % more than the
table says, and with 77 where valgrind is missing. Write the table anew where a job became faster, or slower for a
reason.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from parts.shared import DATA, HERE, ROOT, SCHEMA, instructions, missing, run, say, stripped

HELP = "instructions of twelve small jobs, compared with a table"
TABLE = HERE / "counts.json"
TOLERANCE = 0.05
# Hashes are seeded at random, and memory is filled, unless Swift is told otherwise.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ["PATH"]}
PLAIN = "--no-encrypt"
JOBS = {
    "start": ("--version",),
    "timer validate": ("timer", "validate", ROOT / "fixtures/bztimer/v3/leg-day.json"),
    "schema check": ("schema", "check", SCHEMA, "slate.json"),
    "slate verify": ("slate", "verify", "slate.json"),
    "slate import": ("slate", "import", "slate.json", "--store", "new.db", "--yes"),
    "slate export": ("slate", "export", "--store", "alone.db", "--output", "out.json", "--plain", "--yes"),
    "slate merge": ("slate", "merge", "slate.json", "theirs.json", "--base", "slate.json", "--output", "merged.json"),
    "time import": ("time", "import", "tracker.json", "--store", "new-tracker.db", "--yes"),
    "time import, health": ("time", "import", "health.xml", "--store", "health.db", "--yes"),
    "time export, calendar": ("time", "export", "--store", "tracker.db", "out.ics"),
    "sync init": ("sync", "init", "fresh", "--store", "alone.db", "--name", "desk", "--config", "desk.json", PLAIN),
    "sync, nothing new": ("sync", "--config", "laptop.json"),
}


def options(parser):
    parser.add_argument("--only", choices=tuple(JOBS), help="one job")
    parser.add_argument("--write", action="store_true", help="make the table anew")


class Files:
    """The files that the jobs need, in a folder that goes again."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = ENVIRONMENT | {
            "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"), "TMPDIR": str(folder),
        }
        folder.mkdir()
        run(sys.executable, DATA / "generate_slate.py", "slate.json", "--rows", "2000", cwd=folder)
        for kind, name in (("tracker", "tracker.json"), ("calendar", "calendar.ics"), ("health", "health.xml")):
            run(sys.executable, DATA / f"generate_{kind}.py", "1000", name, cwd=folder)
        self.run("slate", "import", "slate.json", "--store", "slate.db", "--yes")
        self.run("time", "import", "tracker.json", "--store", "tracker.db", "--yes")
        self.run("sync", "init", "known", "--store", "slate.db", "--name", "laptop", "--config", "laptop.json", PLAIN)
        shutil.copy(folder / "slate.db", folder / "alone.db")
        self.run("slate", "export", "--store", "slate.db", "--output", "theirs.json", "--plain", "--yes")

    def run(self, *arguments):
        subprocess.run(
            (self.program, *arguments), cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, check=True,
        )

    def count(self, arguments):
        """The instructions of one run, which starts from the files as they were made."""
        with tempfile.TemporaryDirectory() as saved:
            shutil.copytree(self.folder, f"{saved}/files", symlinks=True)
            found = instructions((self.program, *arguments), env=self.environment, cwd=self.folder)
            shutil.rmtree(self.folder)
            shutil.copytree(f"{saved}/files", self.folder, symlinks=True)
        return found


def main(options):
    if missing("valgrind", "strip"):
        say("skipped: make counts")
        sys.exit(77)
    if not options.programs:
        sys.exit("error: --programs has to name the folder of a satchel that is built as tests are")
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        files = Files(stripped(options.programs / "satchel", folder), folder / "files")
        slower = counted(files, table, options)
    if options.write:
        TABLE.write_text(json.dumps(table, indent=2) + "\n")
    elif slower:
        sys.exit(f"counts: over {TOLERANCE:.0%} more than {TABLE.name}: {', '.join(slower)}")


def counted(files, table, options):
    """Counts and prints; gives the jobs that take more than the table says, which then has the new counts."""
    slower = []
    print(f"{'millions of instructions':26} {'table':>9} {'now':>9}")
    for name in [options.only] if options.only else JOBS:
        now, before = files.count(JOBS[name]), table.get(name)
        for _ in range(2):
            # On a busy machine a thread spins while it waits for another: the least of three counts is without that.
            if before and now > before * (1 + TOLERANCE):
                now = min(now, files.count(JOBS[name]))
        change = f"{(now / before - 1) * 100:+6.1f} %" if before else "   new"
        print(f"{name:26} {(before or 0) / 1e6:9.1f} {now / 1e6:9.1f} {change}", flush=True)
        if not before or now > before * (1 + TOLERANCE):
            slower.append(name)
        table[name] = now
    return slower
