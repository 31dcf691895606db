"""The merge engine with its records in SQLite, beside SQLite's session extension, git merge, Loro and pycrdt.

Each replica changes 1 % of the records, a fifth of them those that the other changes too, adds 1 % and deletes 0.5 %.
"""

import json
import os
import pathlib
import shutil
import tempfile

from parts.compare import comparing
from parts.rivals import Packages
from parts.shared import (
    CONTENDERS, OURS, Programs, Result, Table, Timed, judged, median, missing, program_versions, run, say,
)

HELP = "two replicas that come together"
ALL, NOTED = f"{OURS}, all records compared", f"{OURS}, records noted by triggers"
SESSION, GIT, LORO, PYCRDT = "SQLite session (apsw)", "git merge of sorted lines", "Loro", "pycrdt"
RIVALS = {"session": SESSION, "git": GIT, "loro": LORO, "pycrdt": PYCRDT}
# What takes minutes is run three times.
SLOW = {"git", "loro", "pycrdt"}
COLUMNS = (
    "records", "contender", "diff", "join and apply", "together", "peak memory", "on disk", "Satchel is", "target",
)


def options(parser):
    comparing(parser, 5, tuple(RIVALS))
    parser.add_argument("--records", type=int, action="append", help="may be repeated (100,000 and 1,000,000)")


def step(command, folder):
    """What a process prints as JSON, with its peak memory in bytes."""
    output = folder / "output"
    done = Timed(command, allowed=(0,), output=output)
    told = json.loads(output.read_text() or "{}")
    return {**told, "peak": max(told.get("peak", 0), done.peak)}


class Ours:
    """merge-bench: each step a process; stores and states are put back before each round."""

    def __init__(self, program, folder, count):
        self.program, self.folder, self.count = program, folder, count
        self.call("base", count)

    def edit(self):
        for name in ("ours", "theirs"):
            self.copy("base", name)
            self.call(name, self.count)
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
        run("zstd", "-3", "-q", "-f", plain)
        return {
            "plain": plain.stat().st_size, "zstd": plain.with_name("checkpoint.zst").stat().st_size, **self.call("read")
        }

    def join(self):
        return self.call("join", self.count)


def measure(options, tools, count, program, python, folder):
    """The samples of each contender, and what is told of Satchel's checkpoint and of a small join."""
    ours, samples = Ours(program, folder, count) if program else None, {}
    if ours:
        ours.edit()
    for number in range(options.rounds):
        say(f"measuring: {count:,} records, round {number + 1} of {options.rounds}")
        done = ours.round() if ours else {}
        for tool in tools:
            if number < 3 or tool not in SLOW:
                done[RIVALS[tool]] = step((python, CONTENDERS / "merge_rival.py", tool, count, folder), folder)
        for name, values in done.items():
            samples.setdefault(name, []).append(values)
    told = {"checkpoint": ours.checkpoint(), "join": ours.join()} if ours else {}
    return {"count": count, "samples": samples, **told}


def middle(samples, key=None):
    """The median of a figure, or of all seconds together."""
    keys = (key,) if key else ("diff", "apply", "merge")
    return median([sum(values.get(part, 0) for part in keys) for values in samples])


def targets(result):
    """The targets in words, by contender."""
    samples, size = result["samples"], result["checkpoint"]["zstd"]
    mine = middle(samples[ALL])
    words = {ALL: f"memory ≤ 300 MB, {judged(max(values['peak'] for values in samples[ALL]) <= 300e6)}"}
    for name, asked, bound in ((SESSION, "time ≤ 1.5×", 1 / 1.5), (GIT, "speed ≥ 3×", 3), (LORO, "speed ≥ 10×", 10)):
        if name in samples:
            words[name] = f"{asked}, {judged(middle(samples[name]) >= mine * bound)}"
    if LORO in samples:
        words[LORO] += f"; disk ≤ 1/3, {judged(size <= middle(samples[LORO], 'bytes') / 3)}"
    return words


def lines(result):
    """The rows of one number of records."""
    samples = result["samples"]
    mine, words = (middle(samples[ALL]), targets(result)) if ALL in samples else (None, {})
    for name, values in samples.items():
        is_ours = name in (ALL, NOTED)
        size = result["checkpoint"]["zstd"] if is_ours else 0 if name == SESSION else middle(values, "bytes")
        yield (
            f"{result['count']:,}", f"**{name}**" if is_ours else name,
            *(f"{middle(values, key):.2f} s" if key in values[0] else "" for key in ("diff", "apply")),
            f"{middle(values):.2f} s", f"{max(one['peak'] for one in values) / 1e6:.0f} MB",
            f"{size / 1e6:.1f} MB" if size else "",
            f"{middle(values) / mine:.1f}× as fast" if mine and not is_ours else "", words.get(name, ""),
        )


def of_lines(result):
    """In words, how fast lines are read and written, and the size of a checkpoint."""
    told = result["checkpoint"]
    return (
        f"Lines of {result['count']:,} records: {told['decode']:.2f} s to read, {told['encode']:.2f} s to write; "
        f"a checkpoint has {told['plain'] / 1e6:.1f} MB, with `zstd -3` {told['zstd'] / 1e6:.1f} MB."
    )


def of_joins(program, cache, results):
    """In words, how long a join of 100 records takes by the number of records, from 10,000 on."""
    joins = {result["count"]: result["join"] for result in results}
    if 10_000 not in joins:
        with tempfile.TemporaryDirectory(prefix="run-", dir=cache) as folder:
            joins[10_000] = Ours(program, pathlib.Path(folder), 10_000).join()
    words = (
        f"{one['join'] * 1000:.2f} ms at {count:,}, durable after {one['durable'] * 1000:.1f} ms"
        for count, one in sorted(joins.items())
    )
    return f"A change of 100 records is joined in {'; '.join(words)}."


def main(options):
    if missing("zstd"):
        return Result(options).skip("merge, which needs zstd")
    packages = Packages(options, "apsw", "loro", "pycrdt")
    program = None if options.rivals_only else Programs(options).bench("merge-bench")
    absent = missing("git")
    tools = [tool for tool in options.only or RIVALS if tool not in absent]
    result, found = Result(options, {**packages.versions(), **program_versions("git")}), []
    for count in options.records or (100_000, 1_000_000):
        with tempfile.TemporaryDirectory(prefix="run-", dir=options.cache) as folder:
            found.append(measure(options, tools, count, program, packages.python, pathlib.Path(folder)))
    result.add(Table(
        f"Medians of {options.rounds} rounds, of git, Loro and pycrdt of {min(options.rounds, 3)}", COLUMNS,
        [line for one in found for line in lines(one)], left=2,
    ))
    if program:
        result.add(*map(of_lines, found), of_joins(program, options.cache, found))
    result.samples = found
    return result
