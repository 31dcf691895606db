#!/usr/bin/env python3
"""Measure `tracker-export import` against a Python script, xmllint and PyPI's icalendar, each in the same run.

Prints one Markdown table for each of the three. Everything that is fetched or made goes to a cache folder outside the
tree; see README.md in the folder above.
"""

import argparse
import os
import pathlib
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from measuring import Command, measure
from report import OURS, Report, Row, Target
from rivals import PythonRivals, run
from run import build_program, default_cache

TARGETS = (
    Target("json", OURS, files=3),
    Target("json", "Python, GC on", speed=4),
    Target("json", "Python, GC off", speed=4, aim=True),
    # Less than 64 MB above the start, which takes about 30.
    Target("health", OURS, size=94e6),
    Target("health", "xmllint --stream --noout", speed=1),
    Target("calendar", "icalendar", speed=20),
)
GROUPS = ("json", "health", "calendar")


class Contenders:
    """What starts each contender of a measurement."""

    def __init__(self, cache, program, python, records):
        self.cache, self.program, self.python, self.records = cache, program, python, records
        self.stores = cache / "run"

    def file(self, name, generator, records):
        path = self.cache / f"{records}-{name}"
        if not path.exists():
            part = path.with_suffix(".part")
            run(sys.executable, HERE / generator, records, part)
            part.rename(path)
        return path

    def store(self, name):
        return self.stores / "".join(c if c.isalnum() else "-" for c in name)

    def fresh(self, name):
        for path in self.stores.glob(f"{self.store(name).name}*"):
            path.unlink()
        os.sync()

    def command(self, name, *words):
        return name, lambda name: Command(name, words, lambda: self.fresh(name))

    def ours(self, file, *more):
        return self.command(OURS, self.program, "import", file, "--store", self.store(OURS), "--yes", *more)

    def group(self, group):
        if group == "json":
            file = self.file("tracker.json", "generate_tracker.py", self.records)
            rival = HERE / "tracker_rival.py"
            on, off = "Python, GC on", "Python, GC off"
            return file, [
                self.ours(file),
                self.command(on, self.python, rival, file, self.store(on)),
                self.command(off, self.python, rival, file, self.store(off), "--gc-off"),
            ]
        if group == "health":
            file = self.file("health.xml", "generate_health.py", self.records)
            lint = "xmllint --stream --noout"
            # xmllint stops at the malformed declaration that phones write: it gets the file without one.
            plain = self.cache / f"{self.records}-health-plain.xml"
            if not plain.exists():
                # Piece by piece: what this process holds is counted as the peak of those that it starts.
                with file.open("rb") as source, plain.open("wb") as target:
                    head = source.read(1 << 16)
                    begin, end = head.index(b"<!DOCTYPE"), head.index(b"]>") + 2
                    target.write(head[:begin] + head[end:])
                    shutil.copyfileobj(source, target)
            return file, [self.ours(file), self.command(lint, "xmllint", "--stream", "--noout", plain)]
        file = self.file("calendar.ics", "generate_calendar.py", self.records // 50)
        return file, [
            self.command(OURS, self.program, "validate", file, "--time-zone", "Europe/Berlin"),
            self.command("icalendar", self.python, HERE / "calendar_rival.py", file),
        ]


def main():
    parser = argparse.ArgumentParser(description="Measure tracker-export against its rivals in one run.")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions after the warm-up (5)")
    parser.add_argument("--records", type=int, default=1_000_000, help="activities and health records (1,000,000)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="one measurement; may be repeated")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="for rivals, data and results")
    parser.add_argument("--program", type=pathlib.Path, help="a tracker-export that is built already")
    parser.add_argument("--upgrade", action="store_true", help="install the rivals again, the newest of each")
    options = parser.parse_args()
    if not shutil.which("xmllint"):
        sys.exit("error: xmllint is missing; on Debian: apt-get install libxml2-utils")
    cache = options.cache.resolve() / "interchange"
    rivals = PythonRivals(options.cache.resolve(), options.upgrade)
    rivals.once("icalendar", lambda: run(*rivals.pip, "install", "icalendar"))
    program = options.program.resolve() if options.program else build_program("tracker-export")
    contenders = Contenders(cache, program, rivals.python, options.records)
    shutil.rmtree(contenders.stores, ignore_errors=True)
    contenders.stores.mkdir(parents=True)
    reports = []
    for group in options.only or GROUPS:
        file, started = contenders.group(group)
        (cache / group).mkdir(exist_ok=True)
        report = Report(cache / group, file, options.rounds, rivals.versions(), TARGETS)
        reports.append(
            (report, [Row(group, done.name, done.samples, done.peak) for done in measure(group, started, options.rounds)])
        )
    # Reports read the whole file, which would count for those that come after.
    for report, rows in reports:
        report.publish(rows)
    shutil.rmtree(contenders.stores)


if __name__ == "__main__":
    main()
