"""Contenders, each in a process of its own, and how they are timed."""

import os
import re
import subprocess
import sys
import tempfile
import time

from rivals import say


class Worker:
    """A contender that stays alive: it has warmed up once it says "ready", and runs once for each line sent."""

    peak = None

    def __init__(self, name, command):
        self.name, self.samples = name, []
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        if self.read() != "ready":
            sys.exit(f"error: {name} did not start")

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


class Command:
    """A contender that is a whole process: wall-clock time from start to end; `prepare` comes before it, untimed."""

    def __init__(self, name, command, prepare=lambda: None):
        self.name, self.command, self.samples, self.peak = name, [str(part) for part in command], [], 0
        self.prepare = prepare
        prepare()
        peak_of(name, self.command)  # the warm-up

    def measure(self):
        self.prepare()
        seconds, peak = peak_of(self.name, self.command)
        self.samples.append(seconds)
        self.peak = max(self.peak, peak)

    def close(self):
        pass


class Sourcemeta(Worker):
    """sourcemeta's own figure for validation alone, the mean of a few loops in one process."""

    def __init__(self, name, command):
        self.name, self.command, self.samples = name, [str(part) for part in command], []

    def measure(self):
        done = subprocess.run(self.command, capture_output=True, text=True, check=True)
        found = re.search(r"PASS ([0-9.]+)", done.stdout)
        if not found:
            sys.exit(f"error: {self.name} printed no time")
        self.samples.append(float(found.group(1)) / 1e6)

    def close(self):
        pass


def peak_of(name, command):
    """Seconds and peak resident bytes of a process that has to succeed."""
    with tempfile.TemporaryFile() as messages:
        start = time.perf_counter()
        process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=messages
        )
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            messages.seek(0)
            say(messages.read().decode(errors="replace").strip())
            sys.exit(f"error: {name} ended with {process.returncode}")
    return seconds, usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def measure(title, contenders, rounds):
    """Every contender once per round, so that what else the machine does falls on all of them."""
    say(f"measuring: {title}")
    started = [make(name) for name, make in contenders]
    for _ in range(rounds):
        for contender in started:
            contender.measure()
    for contender in started:
        contender.close()
    return started
