"""Devices with a store each, of Slate if nothing else is said, one folder between them, and what people do there."""

import os
import shutil
import sqlite3
import subprocess
import sys

from parts.shared import Timed, files_below

TASK = "INSERT INTO tasks (id, title, notes, created_at, updated_at) VALUES (?, ?, ?, ?, ?)"
MOMENT = "2026-01-01T08:00:00Z"


def task(number):
    notes = f"What is to be done for {number * 7919 % 100003}"
    return (f"task-{number:08}", f"Task number {number}", notes, MOMENT, MOMENT)


def moment(time):
    return time.strftime("%Y-%m-%dT%H:%M:%SZ")


def query(path, sql, values=()):
    """The rows of one question to a database."""
    database = sqlite3.connect(path)
    try:
        return database.execute(sql, values).fetchall()
    finally:
        database.close()


def change(path, sql, rows=None):
    """One transaction of the app, of one statement."""
    with sqlite3.connect(path) as database:
        database.executemany(sql, rows) if rows is not None else database.execute(sql)
    database.close()


class Devices:
    """Devices by number, in a folder that goes again: the first makes the shared folder, the others join it."""

    def __init__(self, program, folder, encrypted=False, app="slate"):
        self.program, self.folder, self.encrypted, self.app = program, folder, encrypted, app
        self.shared = folder / "shared"
        self.passphrase = folder / "passphrase"
        self.environment = dict(os.environ, HOME=str(folder), LC_ALL="C.UTF-8", TZ="UTC")
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            self.environment[name] = str(folder / name.lower())
        if encrypted:
            self.passphrase.write_text("correct horse battery staple of the benchmark\n")

    def store(self, device):
        return self.folder / f"device-{device}" / f"{self.app}.db"

    def named(self, device):
        """The store that is made, and the name of the device."""
        return ("--create", f"{self.app}={self.store(device)}", "--name", f"device-{device}")

    def beside(self, device):
        """The bytes of the files that foldersync keeps beside a store."""
        store = self.store(device)
        return sum(path.stat().st_size for path in store.parent.glob(f"{store.name}.foldersync*") if path.is_file())

    def command(self, device, *arguments, now=None):
        clock = ("--now", moment(now)) if now else ()
        return (self.program, *arguments, "--config", self.folder / f"device-{device}" / "config.json", *clock)

    def call(self, device, *arguments, now=None):
        """A run with what it took, its peak of memory as well."""
        return Timed(self.command(device, *arguments, now=now), env=self.environment)

    def spend(self, device, *arguments, now=None):
        """The seconds of processors that a run took: quicker to start where there are thousands."""
        command = [str(part) for part in self.command(device, *arguments, now=now)]
        process = subprocess.Popen(
            command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        with process.stderr:
            messages = process.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in (0, 3):
            sys.exit(f"error: {' '.join(command)} ended with {process.returncode}: {messages}")
        return usage.ru_utime + usage.ru_stime

    def init(self, device=0, rows=(), now=None):
        """Makes the shared folder, empty; the store gets its rows after that."""
        self.store(device).parent.mkdir()
        kind = ("--encrypt", "--passphrase-file", self.passphrase) if self.encrypted else ("--no-encrypt",)
        recovery = ("--recovery-file", self.folder / "recovery") if self.encrypted else ()
        self.call(device, "init", self.shared, *self.named(device), *kind, *recovery, now=now)
        if rows:
            change(self.store(device), TASK, rows)

    def joining(self, device):
        """What joins, which synchronises as well."""
        if not self.store(device).parent.exists():
            self.store(device).parent.mkdir()
        passphrase = ("--passphrase-file", self.passphrase) if self.encrypted else ()
        return ("join", self.shared, *self.named(device), *passphrase)

    def rows(self, device):
        return query(self.store(device), "SELECT id, title, notes, is_done FROM tasks ORDER BY id")

    def check(self, devices):
        """The number of records, which all devices have to have in the same state."""
        first, *others = (self.rows(device) for device in devices)
        for device, other in zip(list(devices)[1:], others):
            if other != first:
                sys.exit(f"error: device {device} has other records: {len(set(other) ^ set(first))} differ")
        return len(first)

    def saved(self):
        return Saved(self.folder)

    def in_folder(self):
        return files_below(self.shared)


class Saved:
    """A body after which the folder's files are as they were, with their times."""

    def __init__(self, folder):
        self.folder, self.copy = folder, folder.with_name(f"{folder.name}-saved")

    def __enter__(self):
        shutil.rmtree(self.copy, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.folder), str(self.copy)], check=True)

    def __exit__(self, *_):
        shutil.rmtree(self.folder)
        self.copy.rename(self.folder)
