"""The rows, the targets that they are held against, and the table."""

import hashlib
import json
import os
import platform
import statistics

OURS = "Satchel"


class Row:
    """A line of the table: one contender of one measurement; `size` where its file is not that of the others."""

    def __init__(self, group, name, samples, peak=None, size=None):
        self.group, self.name, self.samples, self.peak, self.size = group, name, samples, peak, size
        self.median = statistics.median(samples)


class Target:
    """What is asked of Satchel against a rival, or against itself.

    `speed`: at least so many times as fast. `time`: at most that share of the rival's time. `memory`: at most that
    share of the rival's peak. `files` and `size`: a peak of at most so many times the file, or so many bytes. An aim
    is wished for and not required.
    """

    def __init__(self, group, rival, aim=False, **bound):
        self.group, self.rival, self.word = group, rival, "aim" if aim else "target"
        ((self.kind, self.bound),) = bound.items()

    def judge(self, ours, rival, file_size):
        """The target in words and, once Satchel was measured, whether it was met."""
        kind, bound = self.kind, self.bound
        words = {
            "speed": f"speed ≥ {bound:g}×",
            "time": f"time ≤ {bound:.2g}",
            "memory": f"memory ≤ {bound:.2g}",
            "files": f"memory ≤ {bound:g} × file",
            "size": f"memory ≤ {bound / 1e6:g} MB",
        }
        text = f"{self.word}: {words[kind]}"
        if not ours:
            return text
        met = {
            "speed": lambda: rival.median >= ours.median * bound,
            "time": lambda: ours.median <= rival.median * bound,
            "memory": lambda: ours.peak <= rival.peak * bound,
            "files": lambda: ours.peak <= file_size * bound,
            "size": lambda: ours.peak <= bound,
        }
        return f"{text}, {'met' if met[kind]() else '**missed**'}"


TARGETS = (
    Target("parse", OURS, files=2.5),
    Target("parse", "orjson, GC on", speed=6),
    Target("parse", "simdjson DOM (C++), fresh", speed=1, aim=True),
    Target("parse", "Foundation JSONSerialization", speed=10),
    Target("write", "orjson, GC on", speed=1),
    Target("write", "yyjson (C)", speed=1, aim=True),
    Target("write indented", "orjson, GC on", speed=1),
    Target("write indented", "yyjson (C)", speed=1, aim=True),
    Target("check", OURS, size=100e6, aim=True),
    Target("check", "sourcemeta CLI", time=0.7),
    Target("check", "sourcemeta CLI", memory=1 / 3),
    Target("check", "sourcemeta CLI", time=0.5, aim=True),
    Target("validate", "jsonschema-rs, GC on", speed=1),
    Target("validate", "sourcemeta", speed=1, aim=True),
)


def table(rows, file_size, targets=TARGETS):
    """The Markdown table, held against the targets."""
    lines = [
        "| measurement | contender | median | fastest | MB/s | peak memory | Satchel is | target |",
        "|---|---|--:|--:|--:|--:|--:|---|",
    ]
    ours = {row.group: row for row in rows if row.name == OURS}
    lines.extend(line(row, ours.get(row.group), file_size, targets) for row in rows)
    return "\n".join(lines)


def line(row, ours, file_size, targets):
    ratios, size = [], row.size or file_size
    if ours and row is not ours:
        if not row.size:
            ratios.append(f"{row.median / ours.median:.2f}× as fast")
        if row.peak and ours.peak:
            ratios.append(f"{ours.peak / row.peak:.2f} of its memory")
    peak = f"{row.peak / 1e6:.0f} MB, {row.peak / size:.2f} × file" if row.peak else ""
    judged = [
        target.judge(ours, row, file_size)
        for target in targets
        if (target.group, target.rival) == (row.group, row.name)
    ]
    cells = (
        row.group,
        f"**{row.name}**" if row is ours else row.name,
        f"{row.median:.3f} s",
        f"{min(row.samples):.3f} s",
        f"{size / row.median / 1e6:.0f}",
        peak,
        ", ".join(ratios),
        "; ".join(judged),
    )
    return f"| {' | '.join(cells)} |"


class Report:
    """Prints the table of a run and leaves it in a folder, with every sample beside it.

    Made before anything is measured, as it says how busy the machine was then.
    """

    def __init__(self, folder, file, rounds, versions, targets=TARGETS):
        self.folder, self.file, self.rounds, self.versions = folder, file, rounds, versions
        self.targets, self.load = targets, os.getloadavg()[0]

    def publish(self, rows):
        size, machine = self.file.stat().st_size, f"{platform.system()} {platform.machine()}"
        listed = ", ".join(f"{name} {version}" for name, version in self.versions.items())
        text = (
            f"{size / 1e6:.1f} MB; medians of {self.rounds} rounds after a warm-up; {machine}, {os.cpu_count()} "
            f"processors, load {self.load:.1f} before. {listed}, Python {platform.python_version()}.\n\n"
            f"{table(rows, size, self.targets)}\n"
        )
        results = {
            "file_bytes": size,
            "file_sha256": hashlib.sha256(self.file.read_bytes()).hexdigest(),
            "rounds": self.rounds,
            "machine": machine,
            "processors": os.cpu_count(),
            "load_before": self.load,
            "versions": {**self.versions, "python": platform.python_version()},
            "results": [
                {"measurement": row.group, "contender": row.name, "seconds": row.samples, "peak_bytes": row.peak}
                for row in rows
            ],
        }
        (self.folder / "results.md").write_text(text, encoding="utf-8")
        (self.folder / "results.json").write_text(json.dumps(results, indent=2) + "\n", encoding="utf-8")
        print(text)
