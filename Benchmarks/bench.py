#!/usr/bin/env python3
"""Measure Satchel beside its rivals: bench.py COMMAND. See README.md beside this file."""

import argparse
import importlib
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from parts.shared import default_cache

# Each is a module of the folder parts.
COMMANDS = (
    "json", "schema", "slate", "interchange", "merge", "sync", "encrypted", "lock", "years", "counts", "page",
)


def main():
    parser = argparse.ArgumentParser(prog="bench.py", description="Measure Satchel beside its rivals, in one run.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name in COMMANDS:
        part = importlib.import_module(f"parts.{name}")
        added = commands.add_parser(name, help=part.HELP, description=part.__doc__.replace("%", "%%"))
        added.add_argument("--programs", type=pathlib.Path, help="the folder of built programs; else they are built")
        added.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="for rivals, data and results")
        part.options(added)
        added.set_defaults(run=part.main)
    options = parser.parse_args()
    options.cache = options.cache.resolve()
    result = options.run(options)
    if result:
        result.publish()


if __name__ == "__main__":
    main()
