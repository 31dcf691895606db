#!/usr/bin/env python3
"""Measure validation of many small documents beside rivals from PyPI, and print one Markdown table.

The cases have the shapes of sourcemeta-research/jsonschema-benchmark; `--cases` takes a checkout's `schemas` folder instead.
"""

import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

from generate_schemas import generate

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = ("orjson", "jsonschema-rs", "fastjsonschema", "jsonschema", "sourcemeta-jsonschema")
LIBRARIES = ("jsonschema-rs", "fastjsonschema", "jsonschema")


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def environment(cache):
    """The Python of a virtual environment with the rivals."""
    folder = cache / "schema-rivals"
    python = folder / "bin" / "python"
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        subprocess.run([python, "-m", "pip", "--quiet", "install", *PACKAGES], check=True)
        (folder / "ready").touch()
    return python


def contender(command, rounds):
    """The medians of a contender's numbers; None where it refuses the case."""
    samples = []
    for _ in range(rounds):
        result = run(*command)
        if result.returncode != 0:
            return None
        samples.append([int(number) for number in result.stdout.split(",")])
    return [statistics.median(column) for column in zip(*samples)]


def sourcemeta(program, schema, instances):
    """The nanoseconds that sourcemeta's program prints for validating all lines; None where it prints none."""
    result = run(program, "validate", schema, instances, "--fast", "--benchmark", "--loop", "20")
    numbers = [line.split() for line in (result.stdout + result.stderr).splitlines()]
    times = [float(line[line.index("PASS") + 1]) for line in numbers if "PASS" in line]
    return sum(times) * 1000 if times and result.returncode == 0 else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, help="a schema-bench that is built already")
    parser.add_argument("--cases", type=pathlib.Path, help="a folder of cases; without it they are made")
    parser.add_argument("--rounds", type=int, default=5)
    default = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "satchel-bench"
    parser.add_argument("--cache", type=pathlib.Path, default=default)
    options = parser.parse_args()
    program = options.program
    if program is None:
        subprocess.run(["swift", "build", "--quiet", "-c", "release", "--product", "schema-bench"], cwd=HERE.parent, check=True)
        program = HERE.parent / ".build" / "release" / "schema-bench"
    options.cache.mkdir(parents=True, exist_ok=True)
    python = environment(options.cache)
    with tempfile.TemporaryDirectory() as made:
        if options.cases is None:
            generate(made)
        print("| case | contender | compile ms | parse ms | validate ms | parse and validate ms |\n|---|---|---|---|---|---|")
        for case in sorted((options.cases or pathlib.Path(made)).iterdir()):
            schema, instances = case / "schema.json", case / "instances.jsonl"
            if not schema.exists() or not instances.exists():
                continue
            rows = {"Satchel": contender((program, schema, instances), options.rounds)}
            for library in LIBRARIES:
                rows[library] = contender((python, HERE / "schema_rival.py", library, schema, instances), options.rounds)
            alone = sourcemeta(python.parent / "jsonschema", schema, instances)
            for name, numbers in rows.items():
                if numbers is None:
                    print(f"| {case.name} | {name} | refused | | | |")
                    continue
                _, warm, compiling, parse, both = (f"{number / 1e6:.2f}" for number in numbers)
                print(f"| {case.name} | {name} | {compiling} | {parse} | {warm} | {both} |", flush=True)
            if alone is not None:
                print(f"| {case.name} | sourcemeta | | | {alone / 1e6:.2f} | |", flush=True)


if __name__ == "__main__":
    main()
