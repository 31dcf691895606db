"""Contenders side by side: how each is started and timed, the rows, and the targets that Satchel is held against."""

import re
import subprocess
import sys

from parts.shared import OURS, Table, Timed, judged, median, say

COLUMNS = ("measurement", "contender", "median", "fastest", "MB/s", "peak memory", "Satchel is", "target")


def comparing(parser, rounds, groups=None):
    """The options of all that compare contenders."""
    parser.add_argument("--rounds", type=int, default=rounds, help=f"repetitions after the warm-up ({rounds})")
    parser.add_argument("--only", action="append", choices=groups, help="one measurement; may be repeated")
    parser.add_argument("--rivals-only", action="store_true", help="leave Satchel out: a baseline")
    parser.add_argument("--upgrade", action="store_true", help="install the newest of each rival")


# Contenders


class Command:
    """A contender that is a whole process, timed from start to end; `prepare` comes before it, untimed."""

    def __init__(self, name, command, prepare=lambda: None):
        self.name, self.command, self.prepare = name, [str(part) for part in command], prepare
        self.samples, self.peak = [], None

    def start(self):
        self.run()  # the warm-up

    def run(self):
        self.prepare()
        return Timed(self.command, allowed=(0,))

    def measure(self):
        done = self.run()
        self.samples.append(done.seconds)
        self.peak = max(self.peak or 0, done.peak)

    def close(self):
        pass


class Worker(Command):
    """A contender that stays alive: it has warmed up once it says "ready", and runs once for each line sent."""

    def start(self):
        self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.read() != "ready":
            sys.exit(f"error: {self.name} did not start")

    def read(self):
        line = self.process.stdout.readline().strip()
        if not line:
            sys.exit(f"error: {self.name} stopped")
        return line

    def measure(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        self.samples.append(float(self.read()))

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class PeakWorker(Worker):
    """One whose peak is that of another process, which runs once."""

    def close(self):
        super().close()
        self.peak = Timed((*self.command, "--once"), allowed=(0,)).peak


class Sourcemeta(Command):
    """sourcemeta's own figure for validation alone, the mean of a few loops in one process."""

    def start(self):
        pass

    def measure(self):
        times = validation_times(self.command)
        if not times:
            sys.exit(f"error: {self.name} printed no time")
        self.samples.append(sum(times))


def validation_times(command):
    """The seconds that sourcemeta's program prints, one for each instance; none where it refuses them."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    found = re.findall(r"\bPASS ([0-9.]+)", done.stdout + done.stderr)
    return [float(microseconds) / 1e6 for microseconds in found] if done.returncode == 0 else []


def compare(group, contenders, rounds, size):
    """A row for each contender, which runs once per round: what else the machine does falls on all of them."""
    say(f"measuring: {group}")
    for contender in contenders:
        contender.start()
    for _ in range(rounds):
        for contender in contenders:
            contender.measure()
    for contender in contenders:
        contender.close()
    return [Row(group, one.name, one.samples, one.peak, size) for one in contenders]


# Rows and targets


class Row:
    """A line of the table: one contender of one measurement, and the bytes of the file that it got."""

    def __init__(self, group, name, samples, peak, size):
        self.group, self.name, self.samples, self.peak, self.size = group, name, samples, peak, size
        self.median = median(samples)


class Target:
    """What is asked of Satchel against a rival, or against itself.

    `speed`: at least so many times as fast. `time`: at most that share of the rival's time. `memory`: at most that
    share of the rival's peak. `files` and `size`: a peak of at most so many times the file, or so many bytes. An aim
    is wished for and not required.
    """

    def __init__(self, group, rival, aim=False, **bound):
        self.group, self.rival, self.word = group, rival, "aim" if aim else "target"
        ((self.kind, self.bound),) = bound.items()

    def judge(self, ours, rival):
        """The target in words and, once Satchel was measured, whether it was met."""
        bound = self.bound
        words, is_met = {
            "speed": (f"speed ≥ {bound:g}×", lambda: rival.median >= ours.median * bound),
            "time": (f"time ≤ {bound:.3g}", lambda: ours.median <= rival.median * bound),
            "memory": (f"memory ≤ {bound:.3g}", lambda: ours.peak <= rival.peak * bound),
            "files": (f"memory ≤ {bound:g} × file", lambda: ours.peak <= ours.size * bound),
            "size": (f"memory ≤ {bound / 1e6:g} MB", lambda: ours.peak <= bound),
        }[self.kind]
        return f"{self.word}: {words}" + (f", {judged(is_met())}" if ours else "")


def line(row, ours, targets):
    """The cells of a row; ours is that of Satchel in the same measurement, if there is one."""
    ratios = []
    if ours and row is not ours:
        if row.size == ours.size:
            ratios.append(f"{row.median / ours.median:.2f}× as fast")
        if row.peak and ours.peak:
            ratios.append(f"{ours.peak / row.peak:.2f} of its memory")
    asked = [target for target in targets if (target.group, target.rival) == (row.group, row.name)]
    return (
        row.group,
        f"**{row.name}**" if row is ours else row.name,
        f"{row.median:.3f} s",
        f"{min(row.samples):.3f} s",
        f"{row.size / row.median / 1e6:.0f}",
        f"{row.peak / 1e6:.0f} MB, {row.peak / row.size:.2f} × file" if row.peak else "",
        ", ".join(ratios),
        "; ".join(target.judge(ours, row) for target in asked),
    )


def report(result, rows, options, targets):
    """Adds the table of all rows, held against the targets."""
    ours = {row.group: row for row in rows if row.name == OURS}
    sizes = {row.group: f"{row.size / 1e6:.1f} MB" for row in reversed(rows)}
    if len(set(sizes.values())) == 1:
        files = f"A file of {sizes.popitem()[1]}"
    else:
        files = "Files: " + ", ".join(f"{group} {sizes[group]}" for group in reversed(sizes))
    title = f"{files}; medians of {options.rounds} rounds after a warm-up"
    result.add(Table(title, COLUMNS, [line(row, ours.get(row.group), targets) for row in rows], left=2))
    result.samples = [vars(row) for row in rows]
    return result
