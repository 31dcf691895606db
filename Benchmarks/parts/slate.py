"""`slate-backup import` and `export` beside a Python script and the sqlite3 shell."""

import contextlib
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile

from parts.compare import Command, Target, compare, comparing, report
from parts.rivals import Packages
from parts.shared import (
    CONTENDERS, DATA, OURS, SCHEMA, Programs, Result, data_folder, generated, made, missing, program_versions, run,
)

HELP = "import and export of a Slate database"
RIVAL = CONTENDERS / "slate_rival.py"
TABLES = ("tasks", "habits", "habit_completions", "day_plan", "day_plan_items", "activity_log", "day_snapshots")
TENTH = f"{OURS}, a tenth of the rows"
TARGETS = (
    Target("import", OURS, files=1.2),
    Target("import", "Python, GC on", time=0.5),
    Target("import", "Python, GC off", time=0.5, aim=True),
    Target("import", "sqlite3 .import", time=1, aim=True),
    Target("replace", OURS, files=1.2),
    Target("replace", "Python, GC on", time=0.5),
    Target("replace", "Python, GC off", time=0.5, aim=True),
    Target("export", "Python, GC on", time=0.5),
    Target("export", "Python, GC off", time=0.5, aim=True),
    Target("export", "sqlite3 -json", time=1, aim=True),
    # Flat: ten times the rows in about the same memory.
    Target("export", TENTH, memory=1.25),
)
GROUPS = ("import", "replace", "export")
RESULT = "{result}"
PYTHON = (("Python, GC on", ()), ("Python, GC off", ("--gc-off",)))


def options(parser):
    comparing(parser, 5, GROUPS)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the data set, at least 10,000 (1,000,000)")


class Data:
    """The exports and the databases that the contenders start from."""

    def __init__(self, options, python):
        self.options, self.python, rows = options, python, options.rows
        self.folder = data_folder(options)
        self.file = self.export("slate", rows, seed=3)
        self.small = self.export("slate", rows // 10, seed=3)
        self.other = self.export("other", rows, seed=4)
        self.full = self.database(self.file, indexes=True)
        self.full_small = self.database(self.small, indexes=True)
        self.full_other = self.database(self.other, indexes=False)
        self.full_other_indexed = self.database(self.other, indexes=True)
        self.csv = made(self.folder / f"{rows}-csv", lambda part: (part.mkdir(), self.rival("csv", self.file, part)))

    def export(self, name, rows, seed):
        return generated(self.options, f"{rows}-{name}.json", "generate_slate.py", "--rows", rows, "--seed", seed)

    def database(self, file, indexes):
        def action(part):
            self.rival("import", file, part, SCHEMA)
            if indexes:
                with contextlib.closing(sqlite3.connect(part)) as database:
                    database.executescript((DATA / "indexes.sql").read_text())

        return made(self.folder / f"{file.stem}{'-indexed' if indexes else ''}.db", action)

    def rival(self, *arguments):
        run(self.python, RIVAL, *arguments)


class Contenders:
    """What starts each contender of a measurement, and where it leaves its result."""

    def __init__(self, data, program, shell, folder):
        self.data, self.program, self.shell, self.folder = data, program, shell, folder

    def group(self, name):
        if name == "export":
            return self.exports()
        before = (self.data.full_other, self.data.full_other_indexed) if name == "replace" else (None, None)
        return self.imports(name, *before)

    def result(self, group, name):
        suffix = ".json" if group == "export" else ".db"
        return self.folder / f"{group}-{''.join(c if c.isalnum() else '-' for c in name)}{suffix}"

    def command(self, group, name, before, *words):
        """A contender; where its words have RESULT stands the file that it makes from that of before."""
        result = self.result(group, name)
        return Command(name, [str(word).replace(RESULT, str(result)) for word in words], lambda: restore(result, before))

    def imports(self, group, plain, indexed):
        """Into a new database, or into a copy of one; `indexed` has the indexes of the app as well."""
        data, found = self.data, []
        if self.program:
            words = (self.program, "import", data.file, "--db", RESULT, "--yes")
            found.append(self.command(group, OURS, indexed, *words))
        for name, more in PYTHON:
            words = (data.python, RIVAL, "import", data.file, RESULT, SCHEMA, *more)
            found.append(self.command(group, name, plain, *words))
        if self.shell:
            lines = [f".import --csv '{data.csv / table}.csv' {table}" for table in TABLES]
            first = [f"DELETE FROM {table};" for table in TABLES] if plain else [f".read '{DATA / 'tables.sql'}'"]
            words = ("sqlite3", "-bail", RESULT, "BEGIN", *first, *lines, "COMMIT")
            found.append(self.command(group, "sqlite3 .import", plain, *words))
        return found

    def exports(self):
        data, commands = self.data, {}
        if self.program:
            for name, database in ((OURS, data.full), (TENTH, data.full_small)):
                commands[name] = (self.program, "export", "--db", database, "--output", RESULT, "--yes")
        for name, more in PYTHON:
            commands[name] = (data.python, RIVAL, "export", data.full, RESULT, *more)
        if self.shell:
            select = "".join(f"SELECT * FROM {table};" for table in TABLES)
            commands["sqlite3 -json"] = ("sqlite3", "-bail", "-json", data.full, f".output '{RESULT}'", select)
        return [self.command("export", name, None, *words) for name, words in commands.items()]

    def check(self, row):
        """Nobody wins by leaving something out: what was written has to hold what was read."""
        # CSV has no null, and several tables are not one document: the shell's results are another thing.
        if row.name.startswith("sqlite3"):
            return
        result = self.result(row.group, row.name)
        if row.group != "export":
            database, result = result, self.folder / "check.json"
            self.data.rival("export", database, result)
        self.data.rival("equal", self.data.small if row.name == TENTH else self.data.file, result)


def restore(target, before=None):
    """A copy of the file of before, or none, nothing beside it, and no earlier writes that are still to be done."""
    for path in target.parent.glob(f"{target.name}*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if before:
        shutil.copyfile(before, target)
    os.sync()


def main(options):
    if options.rows < 10_000:
        sys.exit("error: --rows must be at least 10000")
    packages = Packages(options, "orjson", "jsonschema-rs")
    data = Data(options, packages.python)
    program = None if options.rivals_only else Programs(options).path("slate-backup")
    shell = not missing("sqlite3")
    result, rows = Result(options, {**packages.versions(), **program_versions("sqlite3")}), []
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache) as folder:
        contenders = Contenders(data, program, shell, pathlib.Path(folder))
        for group in options.only or GROUPS:
            found = compare(group, contenders.group(group), options.rounds, data.file.stat().st_size)
            for row in found:
                if row.name == TENTH:
                    row.size = data.small.stat().st_size
                contenders.check(row)
            rows += found
    if not shell:
        result.skip("sqlite3, which is missing on this machine")
    return report(result, rows, options, TARGETS)
