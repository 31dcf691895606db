"""Validation of many small documents, beside jsonschema-rs, fastjsonschema, jsonschema and sourcemeta.

The cases have the shapes of sourcemeta-research/jsonschema-benchmark; `--cases` takes a checkout's `schemas` folder
instead. Formats are notes everywhere.
"""

import pathlib
import subprocess

from parts.compare import comparing, validation_times
from parts.rivals import Packages
from parts.shared import CONTENDERS, OURS, Programs, Result, Table, generated, median, say

HELP = "validation of many small documents"
LIBRARIES = ("jsonschema-rs", "fastjsonschema", "jsonschema")
# What a contender prints, in nanoseconds; a table has the last four.
FIGURES = ("cold", "validate", "compile", "parse", "both")
COLUMNS = (
    "case", "contender", "compile", "parse", "validate", "parse and validate", "Satchel validates", "Satchel does both",
)
NOTE = "fastjsonschema knows drafts 4, 6 and 7: in interface and records it passes over what 2020-12 added."


def options(parser):
    comparing(parser, 5)
    parser.add_argument("--cases", type=pathlib.Path, help="a folder of cases; without it they are made")


def contender(command, rounds):
    """The medians of a contender's figures in milliseconds; none where it refuses the case."""
    samples = []
    for _ in range(rounds):
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        if done.returncode != 0:
            return {}
        samples.append([int(number) / 1e6 for number in done.stdout.split(",")])
    return {name: median(column) for name, column in zip(FIGURES, zip(*samples))}


def measured(case, program, packages, rounds):
    """The figures of each contender, by name."""
    say(f"measuring: {case.name}")
    files = (case / "schema.json", case / "instances.jsonl")
    found = {OURS: contender((program, *files), rounds)} if program else {}
    for library in LIBRARIES:
        command = (packages.python, CONTENDERS / "schema_rival.py", library, *files)
        found[library] = contender(command, rounds)
    times = validation_times((packages.sourcemeta(), "validate", *files, "--fast", "--benchmark", "--loop", "20"))
    found["sourcemeta"] = {"validate": sum(times) * 1000} if times else {}
    return found


def line(case, name, figures, ours):
    """The cells of a row: milliseconds, and how many times as fast as that contender Satchel is."""
    if not figures:
        return (case, name, "refused", *[""] * (len(COLUMNS) - 3))
    ratios = [
        f"{figures[key] / ours[key]:.2f}× as fast" if ours and name != OURS and key in figures else ""
        for key in ("validate", "both")
    ]
    cells = [f"{figures[key]:.2f}" if key in figures else "" for key in ("compile", "parse", "validate", "both")]
    return (case, f"**{name}**" if name == OURS else name, *cells, *ratios)


def main(options):
    packages = Packages(options, "orjson", *LIBRARIES, "sourcemeta-jsonschema")
    program = None if options.rivals_only else Programs(options).bench("schema-bench")
    folder = options.cases or generated(options, "schemas", "generate_schemas.py")
    result = Result(options, packages.versions())
    cases = [file.parent for file in sorted(folder.glob("*/instances.jsonl"))]
    found = {
        case.name: measured(case, program, packages, options.rounds)
        for case in cases if case.name in (options.only or [case.name])
    }
    result.add(Table(
        f"Milliseconds for all instances of a case, medians of {options.rounds} rounds", COLUMNS,
        [
            line(case, name, figures, contenders.get(OURS))
            for case, contenders in found.items() for name, figures in contenders.items()
        ],
        left=2, note=NOTE,
    ))
    result.samples = found
    return result
