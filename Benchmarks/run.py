#!/usr/bin/env python3
"""Measure Satchel against its rivals, all in the same run, and print one Markdown table.

Everything that is fetched or made (the rivals, the data set, the results) goes to a cache folder outside the tree.
See README.md beside this file for what each row means.
"""

import argparse
import hashlib
import os
import pathlib
import sys

from measuring import Command, Sourcemeta, Worker, measure, peak_of
from report import OURS, Report, Row
from rivals import HERE, Rivals, run, say

ROOT = HERE.parent
SCHEMA = ROOT / "Schemas" / "slate" / "slate-2.schema.json"
GROUPS = ("parse", "parse and release", "write", "write indented", "check", "validate")


def build_program(name):
    """Build a program as it is installed; the same flags for all, so that nothing is built twice."""
    say(f"building {name}")
    flags = () if sys.platform == "darwin" else ("--static-swift-stdlib",)
    run("swift", "build", "--quiet", "-c", "release", *flags, "--product", "satchel", cwd=ROOT)
    run(ROOT / "scripts/links.sh", ROOT / ".build" / "release")
    return ROOT / ".build" / "release" / name


class Satchel:
    """The built programs: `bzpack` and the in-process harness of the nested package."""

    def __init__(self, build):
        if build:
            build_program("bzpack")
            say("building the harness")
            run("swift", "build", "--quiet", "-c", "release", cwd=HERE)
        self.bzpack = ROOT / ".build" / "release" / "bzpack"
        self.bench = HERE / ".build" / "release" / "satchel-bench"
        self.foundation = HERE / ".build" / "release" / "foundation-bench"
        for program in (self.bzpack, self.bench, self.foundation):
            if not program.exists():
                sys.exit(f"error: {program.name} has not been built; leave out --skip-build or give --rivals-only")


def contenders(data, rivals, ours):
    """Per measurement the contenders, each a name and what starts it."""

    def worker(*command):
        return lambda name: Worker(name, command)

    def python(package, mode, *extra):
        command = (rivals.python, HERE / "contenders" / "python_rival.py", mode, data, *extra)
        return [(f"{package}, GC on", worker(*command)), (f"{package}, GC off", worker(*command, "--gc-off"))]

    sourcemeta = (rivals.sourcemeta, "validate", "--fast", "--format-assertion")
    loop = (*sourcemeta, "--benchmark", "--loop", "3", SCHEMA, data)
    groups = {
        "parse": [
            *python("orjson", "orjson-parse"),
            *python("msgspec", "msgspec-parse"),
            ("yyjson (C)", worker(rivals.yyjson, "parse", data)),
            ("simdjson DOM (C++), fresh", worker(rivals.simdjson, "fresh", data)),
            ("simdjson DOM (C++), buffers reused", worker(rivals.simdjson, "reused", data)),
        ],
        "parse and release": [
            *python("orjson", "orjson-parse-release"),
            ("yyjson (C)", worker(rivals.yyjson, "parse-release", data)),
            ("simdjson DOM (C++), fresh", worker(rivals.simdjson, "release", data)),
        ],
        "write": [
            *python("orjson", "orjson-write"),
            *python("msgspec", "msgspec-write"),
            ("yyjson (C)", worker(rivals.yyjson, "write", data)),
        ],
        "write indented": [
            *python("orjson", "orjson-write-indented"),
            ("yyjson (C)", worker(rivals.yyjson, "write-indented", data)),
        ],
        "check": [("sourcemeta CLI", lambda name: Command(name, (*sourcemeta, SCHEMA, data)))],
        "validate": [
            *python("jsonschema-rs", "jsonschema-rs-validate", "--schema", SCHEMA),
            ("sourcemeta", lambda name: Sourcemeta(name, loop)),
        ],
    }
    if ours:
        check = (ours.bzpack, "schema", "check", SCHEMA, data)
        groups["parse"].insert(0, (OURS, worker(ours.bench, "parse", data)))
        groups["parse"].append(("Foundation JSONSerialization", worker(ours.foundation, "parse", data)))
        groups["parse and release"].insert(0, (OURS, worker(ours.bench, "parse-release", data)))
        groups["write"].insert(0, (OURS, worker(ours.bench, "write", data)))
        groups["write indented"].insert(0, (OURS, worker(ours.bench, "write-indented", data)))
        groups["check"].insert(0, (OURS, lambda name: Command(name, check)))
        groups["validate"].insert(0, (OURS, worker(ours.bench, "validate", data, "--schema", SCHEMA)))
    return groups


def peaks_of_parsing(data, rivals, ours):
    """Peak memory of a process that reads the file and parses it once, by contender."""
    commands = {
        "orjson, GC on": (rivals.python, HERE / "contenders" / "python_rival.py", "orjson-parse"),
        "msgspec, GC on": (rivals.python, HERE / "contenders" / "python_rival.py", "msgspec-parse"),
        "yyjson (C)": (rivals.yyjson, "parse"),
        "simdjson DOM (C++), fresh": (rivals.simdjson, "fresh"),
    }
    if ours:
        commands[OURS] = (ours.bench, "parse")
        commands["Foundation JSONSerialization"] = (ours.foundation, "parse")
    return {name: peak_of(name, (*command, data, "--once"))[1] for name, command in commands.items()}


def measure_all(data, rivals, ours, rounds, only):
    rows = []
    for group, started in contenders(data, rivals, ours).items():
        if group not in only:
            continue
        peaks = peaks_of_parsing(data, rivals, ours) if group == "parse" else {}
        for done in measure(group, started, rounds):
            rows.append(Row(group, done.name, done.samples, peaks.get(done.name) or done.peak))
    return rows


def data_set(cache):
    """The generated export, made anew when its generator changed."""
    digest = hashlib.sha256((HERE / "generate.py").read_bytes()).hexdigest()[:12]
    data = cache / f"slate-{digest}.json"
    if not data.exists():
        say("generating the data set")
        run(sys.executable, HERE / "generate.py", data)
    return data


def default_cache():
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "satchel-bench"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Measure Satchel against its rivals in one run.")
    parser.add_argument("--rounds", type=int, default=7, help="repetitions after the warm-up, at least 5 (7)")
    parser.add_argument("--only", action="append", choices=GROUPS, help="one measurement; may be repeated")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="for rivals, data and results")
    parser.add_argument("--rivals-only", action="store_true", help="leave Satchel out: a baseline")
    parser.add_argument("--skip-build", action="store_true", help="measure the programs that are built already")
    parser.add_argument("--upgrade", action="store_true", help="install the rivals again, the newest of each")
    options = parser.parse_args()
    if options.rounds < 5:
        parser.error("medians of fewer than 5 rounds say little")
    return options


def main():
    options = parse_arguments()
    options.cache.mkdir(parents=True, exist_ok=True)
    rivals = Rivals(options.cache, options.upgrade)
    ours = None if options.rivals_only else Satchel(build=not options.skip_build)
    data = data_set(options.cache)
    report = Report(options.cache, data, options.rounds, rivals.versions())
    report.publish(measure_all(data, rivals, ours, options.rounds, options.only or GROUPS))


if __name__ == "__main__":
    main()
