"""`tracker-export import` beside a Python script, xmllint and PyPI's icalendar."""

import os
import pathlib
import shutil
import tempfile

from parts.compare import Command, Target, compare, comparing, report
from parts.rivals import Packages
from parts.shared import CONTENDERS, OURS, Programs, Result, generated, made, missing, program_versions

HELP = "time logs: JSON, Apple Health, iCalendar"
LINT = "xmllint --stream --noout"
TARGETS = (
    Target("json", OURS, files=3),
    Target("json", "Python, GC on", speed=4),
    Target("json", "Python, GC off", speed=4, aim=True),
    # Less than 64 MB above the start, which takes about 30.
    Target("health", OURS, size=94e6),
    Target("health", LINT, speed=1),
    Target("calendar", "icalendar", speed=20),
)
GROUPS = ("json", "health", "calendar")


def options(parser):
    comparing(parser, 5, GROUPS)
    parser.add_argument("--rows", type=int, default=1_000_000, help="activities and health records (1,000,000)")


def without_declaration(file):
    """xmllint stops at the malformed declaration that phones write: it gets the file without one."""

    def action(part):
        with file.open("rb") as source, part.open("wb") as target:
            head = source.read(1 << 16)
            begin, end = head.index(b"<!DOCTYPE"), head.index(b"]>") + 2
            target.write(head[:begin] + head[end:])
            shutil.copyfileobj(source, target)

    return made(file.with_name(f"{file.stem}-plain.xml"), action)


class Contenders:
    """A method for each measurement, which gives its file, and what starts each contender."""

    def __init__(self, options, program, python, folder):
        self.options, self.program, self.python, self.stores = options, program, python, folder

    def file(self, name, count):
        script = f"generate_{name.split('.')[0]}.py"
        return generated(self.options, f"{count}-{name}", script, count)

    def fresh(self):
        for path in self.stores.iterdir():
            path.unlink()
        os.sync()

    def ours(self, *words):
        return [Command(OURS, (self.program, *words), self.fresh)] if self.program else []

    def importing(self, file):
        return self.ours("import", file, "--store", self.stores / "store", "--yes")

    def json(self):
        file = self.file("tracker.json", self.options.rows)
        script = (self.python, CONTENDERS / "tracker_rival.py", file, self.stores / "store")
        return file, [
            *self.importing(file), Command("Python, GC on", script, self.fresh),
            Command("Python, GC off", (*script, "--gc-off"), self.fresh),
        ]

    def health(self):
        file = self.file("health.xml", self.options.rows)
        lint = ("xmllint", "--stream", "--noout", without_declaration(file))
        return file, self.importing(file) + ([] if missing("xmllint") else [Command(LINT, lint, self.fresh)])

    def calendar(self):
        file = self.file("calendar.ics", self.options.rows // 50)
        return file, [
            *self.ours("validate", file, "--time-zone", "Europe/Berlin"),
            Command("icalendar", (self.python, CONTENDERS / "calendar_rival.py", file), self.fresh),
        ]


def main(options):
    packages = Packages(options, "orjson", "icalendar")
    program = None if options.rivals_only else Programs(options).path("tracker-export")
    with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache) as folder:
        contenders = Contenders(options, program, packages.python, pathlib.Path(folder))
        groups = {name: getattr(contenders, name)() for name in options.only or GROUPS}
        result, rows = Result(options, {**packages.versions(), **program_versions("xmllint")}), []
        for name, (file, group) in groups.items():
            rows += compare(name, group, options.rounds, file.stat().st_size)
    return report(result, rows, options, TARGETS)
