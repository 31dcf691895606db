#!/usr/bin/env python3
"""Instructions of twelve small jobs, counted by valgrind's callgrind and compared with a committed table.

usage: counts.py PROGRAM [--only NAME] [--write]

PROGRAM is `satchel`, built as tests are. A count is the same whatever else the machine does, but for what depends on
the day, on file names and on the C library. Ends with 1 where a job takes over 5 % more than the table says, and with 77
where valgrind is missing. --write makes the table anew: do that where a job became faster, or slower for a reason.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "counts.json"
TOLERANCE = 0.05
# Hashes are seeded at random, and memory is filled, unless Swift is told otherwise.
ENVIRONMENT = {"SWIFT_DETERMINISTIC_HASHING": "1", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PATH": os.environ["PATH"]}


class Jobs:
    """The jobs, and the files that they need, in a folder that goes again."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.environment = ENVIRONMENT | {
            "HOME": str(folder), "XDG_DATA_HOME": str(folder / "data"), "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"), "TMPDIR": str(folder),
        }
        folder.mkdir()
        self.generate("slate/generate_slate.py", "slate.json", "--rows", "2000")
        self.generate("interchange/generate_tracker.py", "1000", "tracker.json")
        self.generate("interchange/generate_calendar.py", "1000", "calendar.ics")
        self.generate("interchange/generate_health.py", "1000", "health.xml")
        self.run("slate", "import", "slate.json", "--store", "slate.db", "--yes")
        self.run("time", "import", "tracker.json", "--store", "tracker.db", "--yes")
        self.run("sync", "init", "known", "--store", "slate.db", "--name", "laptop", "--config", "laptop.json", "--no-encrypt")
        shutil.copy(folder / "slate.db", folder / "alone.db")
        self.run("slate", "export", "--store", "slate.db", "--output", "theirs.json", "--plain", "--yes")

    def generate(self, script, *arguments):
        subprocess.run([sys.executable, str(HERE / script), *arguments], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def run(self, *arguments, under=()):
        command = [*under, self.program, *arguments]
        done = subprocess.run(
            command, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
        )
        if done.returncode not in (0, 3):
            sys.exit(f"counts: {' '.join(arguments)} ended with {done.returncode}: {done.stderr}")
        return done

    def all(self):
        session = str(HERE.parent / "fixtures/bztimer/v3/leg-day.json")
        schema = str(HERE.parent / "Schemas/slate/slate-2.schema.json")
        return {
            "start": ["--version"],
            "timer validate": ["timer", "validate", session],
            "schema check": ["schema", "check", schema, "slate.json"],
            "slate verify": ["slate", "verify", "slate.json"],
            "slate import": ["slate", "import", "slate.json", "--store", "new.db", "--yes"],
            "slate export": ["slate", "export", "--store", "alone.db", "--output", "out.json", "--plain", "--yes"],
            "slate merge": ["slate", "merge", "slate.json", "theirs.json", "--base", "slate.json", "--output", "merged.json"],
            "time import": ["time", "import", "tracker.json", "--store", "new-tracker.db", "--yes"],
            "time import, health": ["time", "import", "health.xml", "--store", "health.db", "--yes"],
            "time export, calendar": ["time", "export", "--store", "tracker.db", "out.ics"],
            "sync init": ["sync", "init", "fresh", "--store", "alone.db", "--name", "desk", "--config", "desk.json", "--no-encrypt"],
            "sync, nothing new": ["sync", "--config", "laptop.json"],
        }

    def count(self, arguments):
        """The instructions of one run, which starts from the files as they were made."""
        with tempfile.TemporaryDirectory() as saved:
            shutil.copytree(self.folder, f"{saved}/files", symlinks=True)
            output = f"{saved}/callgrind"
            done = self.run(
                *arguments, under=("valgrind", "--tool=callgrind", f"--callgrind-out-file={output}", "--trace-children=no")
            )
            shutil.rmtree(self.folder)
            shutil.copytree(f"{saved}/files", self.folder, symlinks=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if not found:
            sys.exit(f"counts: callgrind printed no count: {done.stderr}")
        return int(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", help="the built satchel")
    parser.add_argument("--only", help="the name of one job")
    parser.add_argument("--write", action="store_true", help="make the table anew")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("skipped: make counts: this machine lacks valgrind", file=sys.stderr)
        sys.exit(77)
    table = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    slower = []
    with tempfile.TemporaryDirectory() as folder:
        # Debian's valgrind does not read the debugging information of today's compilers.
        program = f"{folder}/satchel"
        subprocess.run(["strip", "--strip-debug", "-o", program, options.program], check=True)
        jobs = Jobs(program, pathlib.Path(folder).resolve() / "files")
        print(f"{'millions of instructions':26} {'table':>9} {'now':>9}")
        for name, arguments in jobs.all().items():
            if options.only not in (None, name):
                continue
            now, before = jobs.count(arguments), table.get(name)
            change = f"{(now / before - 1) * 100:+6.1f} %" if before else "   new"
            print(f"{name:26} {(before or 0) / 1e6:9.1f} {now / 1e6:9.1f} {change}", flush=True)
            if options.write:
                table[name] = now
            elif not before or now > before * (1 + TOLERANCE):
                slower.append(name)
    if options.write:
        TABLE.write_text(json.dumps(table, indent=2) + "\n")
    if slower:
        sys.exit(f"counts: over {TOLERANCE:.0%} more than {TABLE.name}: {', '.join(slower)}")


if __name__ == "__main__":
    main()
