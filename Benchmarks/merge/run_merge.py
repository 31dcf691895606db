#!/usr/bin/env python3
"""Measure the merge engine with its records in SQLite against SQLite's session extension, git merge, Loro and pycrdt, all
in the same run, and print one Markdown table.

Each replica changes 1 % of the records, a fifth of them those that the other changes too, adds 1 % and deletes 0.5 %. See
README.md in the folder above for what each row means.
"""

import argparse
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from report import OURS
from rivals import PythonRivals, run, say
from run import default_cache

PACKAGES = ("apsw", "loro", "pycrdt")
ALL, NOTED = f"{OURS}, all records compared", f"{OURS}, records noted by triggers"
RIVALS = {"session": "SQLite session (apsw)", "git": "git merge of sorted lines", "loro": "Loro", "pycrdt": "pycrdt"}
# What takes minutes is run three times.
SLOW = {"git", "loro", "pycrdt"}


def step(command, folder):
    """What a process prints as JSON, with its peak memory in bytes."""
    output = folder / "output"
    with output.open("w") as file:
        process = subprocess.Popen([str(part) for part in command], stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"error: {' '.join(map(str, command))} failed")
    told = json.loads(output.read_text() or "{}")
    scale = 1 if sys.platform == "darwin" else 1024
    return {**told, "peak": max(told.get("peak", 0), usage.ru_maxrss * scale)}


class Ours:
    """merge-bench: each step a process; stores and states are put back before each round."""

    def __init__(self, program, folder, count):
        self.program, self.folder, self.count = program, folder, count
        self.call("base", count)
        for name in ("ours", "theirs"):
            self.copy("base", name)
            self.call(name, count)
            self.copy(name, f"{name}-edited")

    def call(self, name, *more):
        return step((self.program, name, self.folder, *more), self.folder)

    def copy(self, source, target):
        for kind in ("store", "state"):
            shutil.copyfile(self.folder / f"{source}.{kind}", self.folder / f"{target}.{kind}")
        os.sync()

    def round(self):
        """The whole job in both ways of finding what was changed: seconds and peak by name."""
        done = {}
        for name, diff in ((ALL, "diff-all"), (NOTED, "diff")):
            for replica in ("ours", "theirs"):
                self.copy(f"{replica}-edited", replica)
            found, applied = self.call(diff), self.call("apply")
            done[name] = {
                "diff": found["diff"], "apply": applied["apply"], "peak": max(found["peak"], applied["peak"]),
                "sent": found["bytes"],
            }
        return done

    def checkpoint(self):
        """The bytes of a checkpoint, as it is and compressed, and how fast its lines are read and written."""
        self.call("checkpoint")
        plain = self.folder / "checkpoint"
        subprocess.run(["zstd", "-3", "-q", "-f", str(plain)], check=True)
        return {
            "plain": plain.stat().st_size, "zstd": plain.with_name("checkpoint.zst").stat().st_size, **self.call("read")
        }

    def join(self):
        return self.call("join", self.count)


def joins_of(program, folder, results):
    """How long a join of 100 records takes by the number of records, from 10,000 on, in words."""
    joins = {result["count"]: result["join"]["join"] for result in results}
    if 10_000 not in joins:
        folder.mkdir(parents=True, exist_ok=True)
        ours = Ours(program, folder, 10_000)
        joins[10_000] = ours.join()["join"]
        shutil.rmtree(folder)
    return ", ".join(f"{seconds * 1000:.2f} ms at {count:,}" for count, seconds in sorted(joins.items()))


def rounds_of(tool, options):
    return min(options.rounds, 3) if tool in SLOW else options.rounds


def measure(options, count, program, python, folder):
    folder.mkdir(parents=True, exist_ok=True)
    ours = Ours(program, folder, count)
    samples = {}
    for number in range(options.rounds):
        say(f"{count} records: round {number + 1} of {options.rounds}")
        for name, values in ours.round().items():
            samples.setdefault(name, []).append(values)
        for tool, name in RIVALS.items():
            if tool in options.tools and number < rounds_of(tool, options):
                values = step((python, HERE / "rivals.py", tool, count, folder), folder)
                samples.setdefault(name, []).append(values)
    checkpoint, join = ours.checkpoint(), ours.join()
    shutil.rmtree(folder)
    return {"count": count, "samples": samples, "checkpoint": checkpoint, "join": join}


def total(values):
    return sum(values.get(part, 0) for part in ("diff", "apply", "merge"))


def median(samples, key=total):
    return statistics.median(key(values) for values in samples)


def judged(result):
    """The targets in words, by contender."""
    samples, size = result["samples"], result["checkpoint"]["zstd"]
    mine = median(samples[ALL])

    def met(condition):
        return "met" if condition else "**missed**"

    words = {ALL: f"memory ≤ 300 MB, {met(max(v['peak'] for v in samples[ALL]) <= 300e6)}"}
    for tool, asked, bound in (("session", "time ≤ 1.5×", 1 / 1.5), ("git", "speed ≥ 3×", 3), ("loro", "speed ≥ 10×", 10)):
        if RIVALS[tool] in samples:
            words[RIVALS[tool]] = f"{asked}, {met(median(samples[RIVALS[tool]]) >= mine * bound)}"
    if RIVALS["loro"] in samples:
        theirs = median(samples[RIVALS["loro"]], lambda values: values["bytes"])
        words[RIVALS["loro"]] += f"; disk ≤ 1/3, {met(size <= theirs / 3)}"
    return words


def table(result):
    lines = [
        "| records | contender | diff | join and apply | together | peak memory | on disk | Satchel is | target |",
        "|--:|---|--:|--:|--:|--:|--:|---|---|",
    ]
    words, mine = judged(result), median(result["samples"][ALL])
    for name, samples in result["samples"].items():
        parts = ["diff" in samples[0] and f"{median(samples, lambda v: v['diff']):.2f} s" or "",
                 "apply" in samples[0] and f"{median(samples, lambda v: v['apply']):.2f} s" or ""]
        own = name in (ALL, NOTED)
        size = result["checkpoint"]["zstd"] if own else median(samples, lambda v: v.get("bytes", 0))
        cells = (
            f"{result['count']:,}", f"**{name}**" if own else name, *parts, f"{median(samples):.2f} s",
            f"{max(values['peak'] for values in samples) / 1e6:.0f} MB",
            f"{size / 1e6:.1f} MB" if size and name != RIVALS["session"] else "",
            "" if own else f"{median(samples) / mine:.1f}× as fast", words.get(name, ""),
        )
        lines.append(f"| {' | '.join(cells)} |")
    read = result["checkpoint"]
    lines += [
        "",
        f"Lines of {result['count']:,} records: {read['decode']:.2f} s to read, {read['encode']:.2f} s to write; a checkpoint has "
        f"{read['plain'] / 1e6:.1f} MB, with `zstd -3` {read['zstd'] / 1e6:.1f} MB. A change of 100 records is joined in "
        f"{result['join']['join'] * 1000:.2f} ms, and durable after {result['join']['durable'] * 1000:.1f} ms.",
    ]
    return "\n".join(lines)


def build():
    say("building merge-bench")
    run("swift", "build", "--quiet", "-c", "release", "--product", "merge-bench", cwd=HERE.parent)
    return HERE.parent / ".build" / "release" / "merge-bench"


def arguments():
    parser = argparse.ArgumentParser(description="Measure merging against its rivals in one run.")
    parser.add_argument("--rounds", type=int, default=5, help="repetitions (5); of those that take minutes at most 3")
    parser.add_argument("--records", type=int, action="append", help="how many; may be repeated (100,000 and 1,000,000)")
    parser.add_argument("--only", action="append", dest="tools", choices=tuple(RIVALS), help="one rival; may be repeated")
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache(), help="for rivals, data and results")
    parser.add_argument("--program", type=pathlib.Path, help="a merge-bench that is built already")
    parser.add_argument("--upgrade", action="store_true", help="install the rivals again, the newest of each")
    options = parser.parse_args()
    options.tools = options.tools or tuple(RIVALS)
    options.records = options.records or [100_000, 1_000_000]
    return options


def main():
    options = arguments()
    for tool in ("zstd", "git"):
        if not shutil.which(tool):
            sys.exit(f"error: {tool} is missing")
    cache = options.cache.resolve() / "merge"
    cache.mkdir(parents=True, exist_ok=True)
    rivals = PythonRivals(options.cache.resolve(), options.upgrade)
    rivals.once("merge", lambda: run(*rivals.pip, "install", *PACKAGES))
    code = "import importlib.metadata as m, sys; print(*(f'{p} {m.version(p)}' for p in sys.argv[1:]), sep=', ')"
    versions = subprocess.run([rivals.python, "-c", code, *PACKAGES], check=True, capture_output=True, text=True).stdout
    program = options.program.resolve() if options.program else build()
    load = os.getloadavg()[0]
    results = [measure(options, count, program, rivals.python, cache / f"run-{count}") for count in options.records]
    joins = joins_of(program, cache / "run-join", results)
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, load {load:.1f} before"
    head = f"Medians of {options.rounds} rounds, of git, Loro and pycrdt of {min(options.rounds, 3)}; {machine}. {versions.strip()}."
    text = "\n\n".join((head, *map(table, results), f"A change of 100 records is joined in: {joins}.")) + "\n"
    (cache / "results.md").write_text(text, encoding="utf-8")
    (cache / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
