"""Two devices and their folder, beside git, unison, rclone and the sqlite3 shell over the same records."""

import os
import pathlib
import sys
import tempfile
import time

from parts.devices import MOMENT, Devices, change, query, task
from parts.shared import Curve, Programs, Result, Table, Timed, judged, median, missing, program_versions, say

HELP = "first synchronisation, one change, nothing changed, at several sizes"
RIVALS = ("git", "unison", "rclone", "sqlite3")
# What takes a few milliseconds is measured so many times in a row.
AGAIN = 5


def options(parser):
    parser.add_argument("--records", type=int, action="append", help="may be repeated (1,000, 10,000, 100,000)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first-rounds", type=int, default=2)


class Ours(Devices):
    """Two devices with a Slate store each."""

    def __init__(self, program, folder, count, encrypted=False):
        folder.mkdir()
        super().__init__(program, folder, encrypted)
        self.count, self.number = count, 0

    def first(self):
        """From a store and an empty folder to two equal stores: publishing, and joining."""
        self.init(rows=map(task, range(self.count)))
        steps = [self.call(0, "sync"), self.call(1, *self.joining(1))]
        for device in (0, 1):
            self.call(device, "sync")
        if self.check((0, 1)) != self.count:
            sys.exit("error: records are missing")
        return steps

    def nothing(self):
        """What a store looks like that nobody touched is noted when its last change is three seconds old."""
        time.sleep(3.1)
        self.call(1, "sync")
        return median([self.call(1, "sync").seconds for _ in range(AGAIN)])

    def one(self):
        """One record changed here, published and applied there."""
        self.number += 1
        title = f"Changed {self.number}"
        change(self.store(0), "UPDATE tasks SET title = ? WHERE id = 'task-00000007'", [(title,)])
        seconds = self.call(0, "sync").seconds + self.call(1, "sync").seconds
        if query(self.store(1), "SELECT title FROM tasks WHERE id = 'task-00000007'") != [(title,)]:
            sys.exit("error: the change did not arrive")
        return seconds


class Folders:
    """A folder on each side, with the records as sorted lines in one file or in several."""

    def __init__(self, folder, count, files=1):
        self.folder, self.left, self.right, self.number = folder, folder / "left", folder / "right", 0
        self.left.mkdir(parents=True)
        self.env = dict(os.environ, HOME=str(folder), UNISON=str(folder / ".unison"), GIT_CONFIG_NOSYSTEM="1")
        for role in ("AUTHOR", "COMMITTER"):
            self.env.update({f"GIT_{role}_NAME": "a", f"GIT_{role}_EMAIL": "a@b"})
        lines = ["\t".join(task(number)) + "\n" for number in range(count)]
        share = -(-count // files)
        for index in range(files):
            (self.left / f"{index:03}.txt").write_text("".join(lines[index * share:(index + 1) * share]))

    def call(self, *command, cwd=None):
        return Timed(command, cwd or self.folder, self.env, allowed=(0,))

    def one(self):
        """One line changed, and brought to the other side."""
        self.number += 1
        path = self.left / "000.txt"
        text = path.read_text().split("\n", 8)
        text[7] = f"task-00000007\tChanged {self.number}\tnew\t{MOMENT}\t{MOMENT}"
        path.write_text("\n".join(text))
        seconds = self.sync()
        if path.read_text() != (self.right / "000.txt").read_text():
            sys.exit(f"error: {type(self).__name__} left the sides different")
        return seconds


class Git(Folders):
    def first(self):
        self.call("git", "init", "-q", self.left)
        steps = [self.call("git", *words, cwd=self.left) for words in (("add", "-A"), ("commit", "-q", "-m", "first"))]
        return [*steps, self.call("git", "clone", "-q", "--no-local", self.left, self.right)]

    def sync(self):
        steps = [self.call("git", *words, cwd=self.left) for words in (("add", "-A"), ("commit", "-q", "-m", "more"))]
        return sum(step.seconds for step in (*steps, self.call("git", "pull", "-q", cwd=self.right)))


class Unison(Folders):
    def first(self):
        self.right.mkdir()
        return [self.call("unison", self.left, self.right, "-batch", "-silent", "-ui", "text")]

    def sync(self):
        return self.call("unison", self.left, self.right, "-batch", "-silent", "-ui", "text").seconds


class Rclone(Folders):
    def first(self):
        self.right.mkdir()
        return [self.call("rclone", "bisync", self.left, self.right, "--resync")]

    def sync(self):
        # All files of one have changed: it would stop.
        return self.call("rclone", "bisync", self.left, self.right, "--force").seconds


def shell(store, folder):
    """What the sqlite3 shell takes to write the rows as statements, and to read them."""
    dump, copy = folder / "dump.sql", folder / "copy.db"
    dump.unlink(missing_ok=True)
    copy.unlink(missing_ok=True)
    out = Timed(("sqlite3", store, f".output {dump}", ".dump tasks"), allowed=(0,)).seconds
    return out, Timed(("sqlite3", copy, f".read {dump}"), allowed=(0,)).seconds


def measure(program, folder, count, options, absent, table):
    say(f"measuring: {count:,} records")
    firsts, git_firsts, shells = [], [], []
    for number in range(options.first_rounds):
        ours = Ours(program, folder / f"ours-{number}", count)
        firsts.append(ours.first())
        if "git" not in absent:
            git = Git(folder / f"git-{number}", count)
            git_firsts.append(sum(step.seconds for step in git.first()))
        if "sqlite3" not in absent:
            shells.append(shell(ours.store(0), folder))
    rivals = {} if "git" in absent else {"git add, commit, pull": git}
    if "unison" not in absent:
        rivals["unison, one file"] = Unison(folder / "unison", count)
        hundred = Unison(folder / "unison-100", count, 100)
        hundred.first()
    if "rclone" not in absent:
        rivals["rclone bisync"] = Rclone(folder / "rclone", count)
    for name, rival in rivals.items():
        if not isinstance(rival, Git):
            rival.first()
    samples = {}
    for number in range(options.rounds + 1):
        found = {"nothing": ours.nothing(), "one": ours.one()}
        if "unison" not in absent:
            found["unison, 100 files"] = median([hundred.sync() for _ in range(AGAIN)])
        if number == 0:
            time.sleep(1.1)  # All of them look at times, in whole seconds.
        found.update((name, rival.one()) for name, rival in rivals.items())
        if number > 0:
            for name, value in found.items():
                samples.setdefault(name, []).append(value)
    middle = {name: median(values) for name, values in samples.items()}
    publish, join = (median([steps[index].seconds for steps in firsts]) for index in (0, 1))

    def row(what, mine, rival, theirs, most=None):
        ratio = mine / theirs
        bound = f"≤ {most:g}, {judged(ratio <= most)}" if most else ""
        ours, other = (f"{seconds * 1000:,.1f} ms" for seconds in (mine, theirs))
        table.append((f"{count:,}", what, ours, rival, other, f"{ratio:.2f}", bound))

    if git_firsts:
        row("first synchronisation", publish + join, "git add, commit, clone", median(git_firsts), 3)
    if shells:
        row("its publishing", publish, "sqlite3 .dump", median([out for out, _ in shells]), 1.5)
        row("its joining", join, "sqlite3 .read", median([read for _, read in shells]), 1.5)
    if "unison, 100 files" in middle:
        row("nothing changed", middle["nothing"], "unison, 100 files", middle["unison, 100 files"], 1)
    for name in rivals:
        row("one record changed", middle["one"], name, middle[name])
    files, size = ours.in_folder()
    peak = max(step.peak for steps in firsts for step in steps)
    store = ours.store(0).stat().st_size
    return {
        "publish": publish, "join": join, "git": median(git_firsts) if git_firsts else None, "peak": peak,
        "files": files, "folder": size, "store": store, "beside": ours.beside(0), "nothing": middle["nothing"],
        "one": middle["one"],
    }


def main(options):
    absent, programs = missing(*RIVALS), Programs(options)
    result = Result(options, program_versions(*RIVALS))
    counts = options.records or [1_000, 10_000, 100_000]
    lines, found = [], []
    for count in counts:
        with tempfile.TemporaryDirectory(prefix="satchel-sync-") as folder:
            found.append(measure(programs.path("foldersync"), pathlib.Path(folder), count, options, absent, lines))
    for program in absent:
        result.skip(f"{program}, which is missing on this machine")
    result.add(Table(
        f"Two devices in step, medians of {options.rounds} rounds, first synchronisation of {options.first_rounds}",
        ("records", "what", "foldersync", "rival", "its time", "ratio", "target"), lines, left=2,
    ))
    result.add(Table(
        "After the first synchronisation",
        ("records", "peak memory", "files in the folder", "folder", "store", "beside the store"),
        [
            (f"{count:,}", f"{one['peak'] / 1e6:.0f} MB", one["files"],
             *(f"{one[key] / 1e6:.2f} MB" for key in ("folder", "store", "beside")))
            for count, one in zip(counts, found)
        ],
    ))
    later = {"nothing changed": "nothing", "one change, both sides": "one"}
    series = {"foldersync": [one["publish"] + one["join"] for one in found]}
    if "git" not in absent:
        series["git"] = [one["git"] for one in found]
    result.add(
        Curve("first-synchronisation", "First synchronisation of two devices", "records", "seconds", counts, series),
        Curve("daily-synchronisation", "A synchronisation later", "records", "seconds", counts,
              {name: [one[key] for one in found] for name, key in later.items()}),
    )
    return result
