#!/usr/bin/env python3
"""Measure foldersync against unison, rclone bisync and git over the same records, all in the same run.

Prints one Markdown table for each number of records. Everything that is made goes to a folder outside the tree; see
README.md in the folder above for what each row means.
"""

import argparse
import os
import pathlib
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

TASK = "INSERT INTO tasks (id, title, notes, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
MOMENT = "2026-01-01T08:00:00Z"


def task(number):
    return (f"task-{number:08}", f"Task number {number}", f"What is to be done for {number * 7919 % 100003}", MOMENT, MOMENT)


# A process counts the memory of the one that started it as its own peak: a small one starts it.
STARTER = """
import os, sys, time
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
start = time.perf_counter()
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=quiet)
_, status, usage = os.wait4(process, 0)
print(time.perf_counter() - start, usage.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


class Timed:
    """A process that has to succeed: seconds and peak bytes."""

    def __init__(self, command, folder=None, env=None):
        command = [str(part) for part in command]
        done = subprocess.run([sys.executable, "-I", "-S", "-c", STARTER, *command], cwd=folder, env=env, text=True,
                              capture_output=True, check=True)
        seconds, peak, code = done.stdout.split()
        self.seconds, self.peak = float(seconds), int(peak) * 1024
        if code not in ("0", "3"):
            sys.exit(f"error: {' '.join(command)}: {done.stderr}")


def files_below(folder):
    found = [path for path in folder.rglob("*") if path.is_file()]
    return len(found), sum(path.stat().st_size for path in found)


class Ours:
    """Two devices with a Slate store each."""

    def __init__(self, program, folder, count):
        self.program, self.folder, self.count = program, folder, count
        self.shared = folder / "shared"
        self.stores = [folder / "laptop.db", folder / "phone.db"]
        self.configs = [folder / "laptop.json", folder / "phone.json"]
        self.number = 0

    def call(self, device, *arguments):
        return Timed((self.program, *arguments, "--config", self.configs[device]))

    def first(self):
        """From a store and an empty folder to two equal stores."""
        self.call(0, "init", self.shared, "--create", f"slate={self.stores[0]}", "--name", "laptop", "--no-encrypt")
        with sqlite3.connect(self.stores[0]) as database:
            database.executemany(TASK, map(task, range(self.count)))
        database.close()
        steps = [self.call(0, "sync")]
        # Joining synchronises.
        steps.append(self.call(1, "join", self.shared, "--create", f"slate={self.stores[1]}", "--name", "phone"))
        for device in (0, 1):
            self.call(device, "sync")
        with sqlite3.connect(self.stores[1]) as database:
            found = database.execute("SELECT count(*) FROM tasks").fetchone()[0]
        database.close()
        if found != self.count:
            sys.exit(f"error: {found} of {self.count} records arrived")
        return steps

    def nothing(self):
        """What a store looks like that nobody touched is noted when its last change is three seconds old."""
        time.sleep(3.1)
        self.call(1, "sync")
        return self.call(1, "sync").seconds

    def one(self):
        """One record changed here, published and applied there: seconds, and bytes in the folder."""
        self.number += 1
        with sqlite3.connect(self.stores[0]) as database:
            database.execute("UPDATE tasks SET title = ? WHERE id = ?", (f"Changed {self.number}", "task-00000007"))
        database.close()
        before = files_below(self.shared)[1]
        seconds = self.call(0, "sync").seconds + self.call(1, "sync").seconds
        with sqlite3.connect(self.stores[1]) as database:
            title = database.execute("SELECT title FROM tasks WHERE id = 'task-00000007'").fetchone()[0]
        database.close()
        if title != f"Changed {self.number}":
            sys.exit("error: the change did not arrive")
        return seconds, files_below(self.shared)[1] - before


def lines(count, changed=None):
    for number in range(count):
        values = task(number)
        title = changed if changed and number == 7 else values[1]
        yield f"{values[0]}\t{title}\t{values[2]}\t{values[3]}\t{values[4]}\n"


class Rival:
    """A folder on each side, with the records as sorted lines in one file or in a hundred."""

    def __init__(self, folder, count, files):
        self.left, self.right = folder / "left", folder / "right"
        self.left.mkdir(parents=True)
        self.count, self.files, self.number = count, files, 0
        self.folder = folder
        self.env = dict(os.environ, HOME=str(folder), UNISON=str(folder / ".unison"), GIT_CONFIG_NOSYSTEM="1",
                        GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b")
        texts = list(lines(count))
        share = -(-count // files)
        for index in range(files):
            (self.left / f"{index:03}.txt").write_text("".join(texts[index * share:(index + 1) * share]))

    def change(self):
        self.number += 1
        path = self.left / "000.txt"
        text = path.read_text().split("\n", 8)
        text[7] = f"task-00000007\tChanged {self.number}\tnew\t{MOMENT}\t{MOMENT}"
        path.write_text("\n".join(text))

    def check(self):
        if (self.left / "000.txt").read_text() != (self.right / "000.txt").read_text():
            sys.exit(f"error: {type(self).__name__} left the sides different")


class Unison(Rival):
    def start(self):
        self.right.mkdir()
        self.sync()

    def sync(self):
        return Timed(("unison", self.left, self.right, "-batch", "-silent", "-ui", "text"), self.folder, self.env).seconds


class Rclone(Rival):
    def start(self):
        self.right.mkdir()
        Timed(("rclone", "bisync", self.left, self.right, "--resync"), self.folder, self.env)

    def sync(self):
        # All files of one have changed: it would stop.
        return Timed(("rclone", "bisync", self.left, self.right, "--force"), self.folder, self.env).seconds


class Git(Rival):
    def first(self):
        steps = []
        Timed(("git", "init", "-q", self.left), self.folder, self.env)
        for command in (("add", "-A"), ("commit", "-q", "-m", "first")):
            steps.append(Timed(("git", *command), self.left, self.env))
        steps.append(Timed(("git", "clone", "-q", "--no-local", self.left, self.right), self.folder, self.env))
        return steps

    def sync(self):
        total = Timed(("git", "add", "-A"), self.left, self.env).seconds
        total += Timed(("git", "commit", "-q", "-m", "more"), self.left, self.env).seconds
        return total + Timed(("git", "pull", "-q"), self.right, self.env).seconds


def median(values):
    return statistics.median(values)


def row(what, ours, rival, time, asked=None):
    ratio = f"{ours / time:.2f}" if time else ""
    print(f"| {what} | {ours * 1000:,.1f} ms | {rival} | {time * 1000:,.1f} ms | {ratio} | {asked or ''} |", flush=True)


def measure(program, folder, count, rounds, first_rounds):
    ours_first, git_first = [], []
    for number in range(first_rounds):
        for kind in ("ours", "git"):
            place = folder / f"{kind}-{number}"
            place.mkdir()
            if kind == "ours":
                ours = Ours(program, place, count)
                ours_first.append(ours.first())
            else:
                git = Git(place / "git", count, 1)
                git_first.append(git.first())
    unison_many = Unison(folder / "unison-100", count, 100)
    unison = Unison(folder / "unison-1", count, 1)
    rclone = Rclone(folder / "rclone", count, 1)
    for rival in (unison_many, unison, rclone):
        rival.start()
    samples = {name: [] for name in ("nothing", "unison-nothing", "one", "bytes", "unison", "rclone", "git")}
    for number in range(rounds + 1):
        found = {"nothing": ours.nothing(), "unison-nothing": unison_many.sync()}
        found["one"], found["bytes"] = ours.one()
        for name, rival in (("unison", unison), ("rclone", rclone), ("git", git)):
            # A second apart, as all of them look at times.
            time.sleep(1.1 if number == 0 else 0)
            rival.change()
            found[name] = rival.sync()
            rival.check()
        if number > 0:
            for name, value in found.items():
                samples[name].append(value)
    middle = {name: median(values) for name, values in samples.items()}
    total = [sum(step.seconds for step in steps) for steps in ours_first]
    peak = max(step.peak for steps in ours_first for step in steps)
    their = [sum(step.seconds for step in steps) for steps in git_first]
    files, size = files_below(ours.shared)
    print(f"\n### {count:,} records, medians of {rounds} (first synchronisation: of {first_rounds})\n")
    print("| what | foldersync | rival | its time | ratio | asked |\n|---|---|---|---|---|---|")
    row("nothing changed", middle["nothing"], "unison, 100 files", middle["unison-nothing"], "1")
    row("one record changed", middle["one"], "unison, one file", middle["unison"], "0.33")
    row("one record changed", middle["one"], "rclone bisync", middle["rclone"], "0.1")
    row("one record changed", middle["one"], "git add, commit, pull", middle["git"], "0.1")
    row("first synchronisation", median(total), "git add, commit, clone", median(their), "1.5")
    print(f"\nOne change writes {middle['bytes']:,.0f} bytes (asked: under 2,048). First synchronisation: "
          f"{', '.join(f'{step.seconds:.2f} s' for step in ours_first[-1])}; peak {peak / 1e6:,.0f} MB; "
          f"{files} files with {size / 1e6:,.1f} MB in the folder.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, help="the built foldersync; else it is built for release")
    parser.add_argument("--records", type=int, action="append", help="how many; may be repeated (1,000, 100,000, 1,000,000)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--first-rounds", type=int, default=3)
    options, _ = parser.parse_known_args()
    root = pathlib.Path(__file__).resolve().parents[2]
    program = options.program
    if program is None:
        scratch = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "satchel-bench/build"
        command = ("swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "satchel", "--scratch-path")
        subprocess.run([*command, scratch], cwd=root, check=True, stdout=sys.stderr)
        subprocess.run([root / "scripts/links.sh", scratch / "release"], check=True)
        program = scratch / "release/foldersync"
    for tool in ("unison", "rclone", "git"):
        if shutil.which(tool) is None:
            sys.exit(f"error: {tool} is not installed (Debian: apt-get install unison rclone git)")
    for count in options.records or (1_000, 100_000, 1_000_000):
        with tempfile.TemporaryDirectory(prefix="satchel-sync-") as folder:
            measure(program.absolute(), pathlib.Path(folder), count, options.rounds, options.first_rounds)


if __name__ == "__main__":
    main()
