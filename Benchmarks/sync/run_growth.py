#!/usr/bin/env python3
"""Simulate a year of foldersync: two devices that change something and synchronise twenty times a day.

Prints one Markdown table of the files and bytes in the shared folder and beside the stores, and of what a
synchronisation takes, by month and after `compact`. The clock is simulated (`--now`); the work is real.
"""

import argparse
import datetime
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time

from run_sync import Ours, TASK, files_below

START = datetime.datetime(2026, 1, 1, 8, tzinfo=datetime.timezone.utc)


class Year(Ours):
    """Two devices whose people change, add and delete tasks."""

    def __init__(self, program, folder, count, seed):
        super().__init__(program, folder, count)
        self.random = random.Random(seed)
        self.added = 0
        self.seconds = []

    def sync(self, device, now):
        command = (self.program, "sync", "--config", self.configs[device], "--now", now.strftime("%Y-%m-%dT%H:%M:%SZ"))
        start = time.perf_counter()
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        self.seconds.append(time.perf_counter() - start)
        if done.returncode != 0:
            sys.exit(f"error: {' '.join(map(str, command))} ended with {done.returncode}: {done.stdout}{done.stderr}")

    def edit(self, device, now):
        """Six of ten change a task, three add one, one deletes one."""
        moment = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        with sqlite3.connect(self.stores[device]) as database:
            (some,) = database.execute("SELECT id FROM tasks ORDER BY random() LIMIT 1").fetchone()
            kind = self.random.random()
            if kind < 0.6:
                database.execute("UPDATE tasks SET title = ?, updated_at = ? WHERE id = ?", (f"Changed {moment}", moment, some))
            elif kind < 0.9:
                self.added += 1
                name = f"new-{self.added:06}"
                database.execute(TASK, (name, f"Something to do, number {self.added}", "As said on the phone", moment, moment))
            else:
                database.execute("DELETE FROM tasks WHERE id = ?", (some,))
        database.close()

    def day(self, number, times):
        """Each time one of the devices has a change, and both synchronise, in turn."""
        for index in range(times):
            now = START + datetime.timedelta(days=number, minutes=36 * index)
            device = self.random.randrange(2)
            self.edit(device, now)
            self.sync(device, now)
            self.sync(1 - device, now + datetime.timedelta(minutes=5))

    def rows(self):
        def all_rows(path):
            database = sqlite3.connect(path)
            rows = database.execute("SELECT id, title, notes FROM tasks ORDER BY id").fetchall()
            database.close()
            return rows

        left, right = map(all_rows, self.stores)
        if left != right:
            sys.exit("error: the stores differ")
        return len(left)

    def line(self, when):
        files, size = files_below(self.shared)
        beside = sum(store.with_name(store.name + ".foldersync").stat().st_size for store in self.stores) / 2
        spent = f"{statistics.median(self.seconds) * 1000:.0f} / {max(self.seconds) * 1000:.0f}" if self.seconds else ""
        self.seconds = []
        print(f"| {when} | {self.rows():,} | {files} | {size / 1e6:.2f} | {beside / 1e6:.2f} | {spent} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=pathlib.Path, required=True, help="the built foldersync")
    parser.add_argument("--records", type=int, default=1_000, help="how many there are at the start")
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--times", type=int, default=20, help="changes a day, each synchronised by both devices")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="satchel-growth-") as folder:
        year = Year(options.program.absolute(), pathlib.Path(folder), options.records, options.seed)
        year.first()
        print(f"\n### {options.days} days with {options.times} changes a day, from {options.records:,} records on\n")
        print("| after | records | files in the folder | MB there | MB beside a store | synchronisation, median / slowest, ms |")
        print("|---|---|---|---|---|---|")
        year.line("the start")
        for number in range(options.days):
            year.day(number, options.times)
            if number % 30 == 29 or number == options.days - 1:
                year.line(f"{number + 1} days")
        end = START + datetime.timedelta(days=options.days + 8)
        for device in (0, 1):
            year.sync(device, end)
            subprocess.run([year.program, "compact", "--config", year.configs[device], "--now", end.strftime("%Y-%m-%dT%H:%M:%SZ")],
                           check=True, stdout=subprocess.DEVNULL)
        for device in (0, 1):
            year.sync(device, end)
        year.line("`compact`")


if __name__ == "__main__":
    main()
