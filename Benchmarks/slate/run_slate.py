#!/usr/bin/env python3
"""Measure `slate-backup import` and `export` against a Python script and the sqlite3 shell, all in the same run.

Prints one Markdown table. Everything that is fetched or made goes to a cache folder outside the tree; see README.md
in the folder above.
"""

import argparse
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from measuring import Command, measure
from report import OURS, Report, Row, Target
from rivals import PythonRivals, run, say
from run import SCHEMA, build_program, default_cache

RIVAL = HERE / "slate_rival.py"
TABLES = ("tasks", "habits", "habit_completions", "day_plan", "day_plan_items", "activity_log", "day_snapshots")
TENTH = f"{OURS}, a tenth of the rows"
TARGETS = (
    Target("import", OURS, files=2.5),
    Target("import", "Python, GC on", time=0.5),
    Target("import", "Python, GC off", time=0.5, aim=True),
    Target("import", "sqlite3 .import", time=1, aim=True),
    Target("replace", OURS, files=2.5),
    Target("replace", "Python, GC on", time=0.5),
    Target("replace", "Python, GC off", time=0.5, aim=True),
    Target("export", "Python, GC on", time=0.5),
    Target("export", "Python, GC off", time=0.5, aim=True),
    Target("export", "sqlite3 -json", time=1, aim=True),
    # Flat: ten times the rows in about the same memory.
    Target("export", TENTH, memory=1.25),
)
GROUPS = ("import", "replace", "export")


class Data:
    """The exports and the databases that the contenders start from, made once for each generator and size."""

    def __init__(self, folder, python, rows):
        self.python = python
        made = hashlib.sha256()
        for source in (HERE.parent / "generate.py", *sorted(HERE.iterdir())):
            if source.is_file() and source.name != pathlib.Path(__file__).name:
                made.update(source.read_bytes())
        self.folder = folder / f"{rows}-{made.hexdigest()[:12]}"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.file = self.export("slate.json", rows, seed=3)
        self.small = self.export("tenth.json", rows // 10, seed=3)
        self.other = self.export("other.json", rows, seed=4)
        self.full = self.database("full.db", self.file, indexes=True)
        self.full_small = self.database("tenth.db", self.small, indexes=True)
        self.full_other = self.database("other.db", self.other, indexes=False)
        self.full_other_indexed = self.database("other-indexed.db", self.other, indexes=True)
        self.csv = self.folder / "csv"
        self.make(self.csv, lambda part: (part.mkdir(), self.rival("csv", self.file, part)))

    def make(self, path, action):
        """What is half done has another name, so that what has its name is whole."""
        if path.exists():
            return
        part = path.with_name(f"{path.name}.part")
        shutil.rmtree(part, ignore_errors=True) if part.is_dir() else part.unlink(missing_ok=True)
        say(f"making {path.name}")
        action(part)
        part.rename(path)

    def export(self, name, rows, seed):
        path = self.folder / name
        self.make(path, lambda part: run(
            sys.executable, HERE / "generate_slate.py", part, "--rows", rows, "--seed", seed
        ))
        return path

    def database(self, name, file, indexes):
        path = self.folder / name

        def action(part):
            self.rival("import", file, part, SCHEMA)
            if indexes:
                run("sqlite3", part, f".read '{HERE / 'indexes.sql'}'")

        self.make(path, action)
        return path

    def rival(self, *arguments):
        run(self.python, RIVAL, *arguments)


class Contenders:
    """What starts each contender of a measurement, and where it leaves its result."""

    def __init__(self, data, program, folder):
        self.data, self.program, self.folder = data, program, folder
        self.python = (data.python, RIVAL)

    def group(self, name):
        if name == "import":
            return self.imports(name)
        if name == "replace":
            return self.imports(name, self.data.full_other, self.data.full_other_indexed)
        return self.exports()

    def result(self, group, name):
        suffix = ".json" if group == "export" else ".db"
        return self.folder / f"{group}-{''.join(c if c.isalnum() else '-' for c in name)}{suffix}"

    def imports(self, group, plain=None, indexed=None):
        """Into a new database, or into a copy of one; `indexed` has the indexes of the app as well."""
        data, started = self.data, []

        def add(name, before, command):
            database = self.result(group, name)
            start = lambda name: Command(name, command(database), lambda: restore(database, before))
            started.append((name, start))

        if self.program:
            add(OURS, indexed, lambda db: (self.program, "import", data.file, "--db", db, "--yes"))
        for suffix, extra in (("GC on", ()), ("GC off", ("--gc-off",))):
            add(f"Python, {suffix}", plain, lambda db, extra=extra: (
                *self.python, "import", data.file, db, SCHEMA, *extra
            ))
        shell = [f".import --csv '{data.csv / table}.csv' {table}" for table in TABLES]
        first = [f"DELETE FROM {table};" for table in TABLES] if plain else [f".read '{HERE / 'tables.sql'}'"]
        add("sqlite3 .import", plain, lambda db: ("sqlite3", "-bail", db, "BEGIN", *first, *shell, "COMMIT"))
        return started

    def exports(self):
        data, started = self.data, []

        def add(name, command):
            output = self.result("export", name)
            start = lambda name: Command(name, command(output), lambda: restore(output))
            started.append((name, start))

        if self.program:
            add(OURS, lambda out: (self.program, "export", "--db", data.full, "--output", out, "--yes"))
            add(TENTH, lambda out: (self.program, "export", "--db", data.full_small, "--output", out, "--yes"))
        for suffix, extra in (("GC on", ()), ("GC off", ("--gc-off",))):
            add(f"Python, {suffix}", lambda out, extra=extra: (*self.python, "export", data.full, out, *extra))
        select = "".join(f"SELECT * FROM {table};" for table in TABLES)
        add("sqlite3 -json", lambda out: ("sqlite3", "-bail", "-json", data.full, f".output '{out}'", select))
        return started

    def check(self, group, name):
        """Nobody wins by leaving something out: what was written has to hold what was read."""
        result = self.result(group, name)
        if group != "export":
            database, result = result, self.folder / "check.json"
            self.data.rival("export", database, result)
        self.data.rival("equal", self.data.small if name == TENTH else self.data.file, result)


def restore(target, before=None):
    """A copy of the file of before, or none, nothing beside it, and no earlier writes that are still to be done."""
    for path in target.parent.glob(f"{target.name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if before:
        shutil.copyfile(before, target)
    os.sync()


def versions(rivals):
    shell = subprocess.run(["sqlite3", "--version"], check=True, capture_output=True, text=True).stdout.split()[0]
    listed = rivals.versions()
    return {"orjson": listed["orjson"], "jsonschema-rs": listed["jsonschema-rs"], "sqlite3": shell}


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measure slate-backup against its rivals in one run.")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions after the warm-up (5)")
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of the data set, at least 10,000 (1,000,000)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="one measurement; may be repeated")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="for rivals, data and results")
    parser.add_argument("--rivals-only", action="store_true", help="leave Satchel out: a baseline")
    parser.add_argument("--program", type=pathlib.Path, help="a slate-backup that is built already")
    parser.add_argument("--upgrade", action="store_true", help="install the rivals again, the newest of each")
    options = parser.parse_args()
    if options.rows < 10_000 or options.rounds < 1:
        parser.error("--rows must be at least 10000, --rounds at least 1")
    return options


def main():
    options = parse_arguments()
    if not shutil.which("sqlite3"):
        sys.exit("error: the sqlite3 shell is missing; on Debian: apt-get install sqlite3")
    cache = options.cache.resolve() / "slate"
    rivals = PythonRivals(options.cache.resolve(), options.upgrade)
    program = None if options.rivals_only else options.program.absolute() if options.program else build_program("slate-backup")
    data = Data(cache, rivals.python, options.rows)
    results = cache / "run"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir()
    contenders = Contenders(data, program, results)
    report = Report(cache, data.file, options.rounds, versions(rivals), TARGETS)
    rows = []
    for group in options.only or GROUPS:
        for done in measure(group, contenders.group(group), options.rounds):
            other = data.small.stat().st_size if done.name == TENTH else None
            rows.append(Row(group, done.name, done.samples, done.peak, other))
            # CSV has no null, and several tables are not one document: the shell's results are another thing.
            if not done.name.startswith("sqlite3"):
                contenders.check(group, done.name)
    shutil.rmtree(results)
    report.publish(rows)


if __name__ == "__main__":
    main()
