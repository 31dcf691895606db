#!/usr/bin/env python3
"""Three devices share a folder on a network drive; an oracle that knows who entered what checks every field.

usage: rounds.py PROGRAMS [ROUNDS [SEED]] | PROGRAMS watch

Runs in the machine that `run` boots. One device uses each mount, the third the server's own disk. Each round edits one
store by plain SQL and synchronises it: undisturbed, killed, at once with another, while the server is gone or its
disk is full. At the end every value that was entered is shown, or was replaced on a device that saw it, or is a choice
of a conflict; all stores have the same rows, and `verify` finds nothing.
"""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time

FIELDS = ["title", "due_date", "scheduled_for"]
CLEAN = (0, 3)  # done; done, and conflicts stand
TRY_LATER = (0, 3, 4, 74, 75)  # the drive takes nothing, fails, or is not there


class Fault(Exception):
    pass


def serve(state):
    subprocess.run(["bash", "-c", f"serve {state}"], check=True)


class Device:
    def __init__(self, name, share, programs):
        self.name, self.share, self.programs = name, share, programs
        self.store, self.config = f"/mnt/own/{name}.db", f"/mnt/own/{name}.json"
        self.serial = 0
        # Whether the last synchronisation ended as it should, so that the list of conflicts is what the store shows.
        self.is_clean = True
        self.choices = None

    def start(self, *arguments):
        return subprocess.Popen(
            [f"{self.programs}/foldersync", *arguments, "--config", self.config],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )

    def run(self, *arguments, expected=CLEAN):
        return self.finish(self.start(*arguments), expected)

    def finish(self, process, expected):
        output, errors = process.communicate()
        if process.returncode not in expected:
            raise Fault(f"{self.name}: {process.args[1:3]} ended with {process.returncode}: {output}{errors}")
        return process.returncode, output

    def start_sync(self):
        self.choices, self.is_clean = None, False
        return self.start("sync")

    def end_sync(self, process, expected=TRY_LATER):
        status, _ = self.finish(process, expected)
        self.is_clean = status in CLEAN
        return status

    def sync(self, expected=TRY_LATER):
        return self.end_sync(self.start_sync(), expected)

    def sql(self, statement, *values):
        with sqlite3.connect(self.store, timeout=60) as database:
            rows = database.execute(statement, values).fetchall()
        database.close()
        return rows

    def rows(self):
        return {row[0]: row[1:] for row in self.sql(f"SELECT id, {', '.join(FIELDS)} FROM tasks")}

    def conflicts(self):
        """What each field has besides what is shown, and the tasks whose deletion is contested."""
        if self.choices is None:
            _, output = self.run("conflicts", "--format", "json")
            values, contested = {}, set()
            for store in json.loads(output)["stores"]:
                for conflict in store["conflicts"]:
                    if conflict["collection"] != "tasks":
                        continue
                    if not conflict["path"]:
                        contested.add(conflict["key"])
                    else:
                        place = (conflict["key"], conflict["path"][0])
                        values[place] = {choice.get("value") for choice in conflict["choices"]}
            self.choices = values, contested
        return self.choices


class Oracle:
    """What was entered, and what whoever entered or deleted something saw."""

    def __init__(self):
        self.entered = {}  # (task, field): values
        self.replaced = {}  # (task, field): {value that someone saw when entering others: those others}
        self.perhaps = {}  # (task, field): values that someone may have seen so
        self.deletions = {}  # task: {field: values that were seen}, one for each deletion
        self.author = {}
        self.story = {}  # task: what happened to it, for who looks into a fault

    def tell(self, device, task, what):
        self.story.setdefault(task, []).append(f"{device.name}{'' if device.is_clean else ' (unclean)'}: {what}")

    def sees(self, device, task, field, shown):
        """The values that a person at the device sees or could see: what is shown, and the other choices of a conflict."""
        return {shown} | device.conflicts()[0].get((task, field), set())

    def enter(self, device, task, field, value, shown=None):
        place = (task, field)
        self.author[place, value] = device.name
        if shown is not None:
            hidden = self.sees(device, task, field, shown) - {shown}
            self.tell(device, task, f"{field} {shown!r} -> {value!r}" + (f", of {sorted(hidden)}" if hidden else ""))
            for seen in {shown} | (hidden if device.is_clean else set()):
                self.replaced.setdefault(place, {}).setdefault(seen, set()).add(value)
            if not device.is_clean:
                self.perhaps.setdefault(place, set()).update(hidden)
        self.entered.setdefault(place, set()).add(value)

    def delete(self, device, task, row):
        seen = {field: self.sees(device, task, field, value) for field, value in zip(FIELDS, row)}
        self.tell(device, task, f"deleted, seen {seen}")
        self.deletions.setdefault(task, []).append(seen)

    def deleted(self, task, field):
        """What those who deleted the task had seen."""
        return set().union(*(seen[field] for seen in self.deletions.get(task, [])))

    def is_replaced(self, task, field, value):
        """Whether something stands in the place of a value. What went with a deletion does not: where others bring such a
        task back, it has what they saw."""
        others = self.replaced.get((task, field), {}).get(value, set())
        return any(
            other not in self.deleted(task, field)
            and (not self.replaced[task, field].get(other) or self.is_replaced(task, field, other))
            for other in others
        )

    def faults(self, rows, conflicts):
        values, contested = conflicts
        for (task, field), entered in sorted(self.entered.items()):
            place = (task, field)
            replaced = set(self.replaced.get(place, ()))
            perhaps = self.perhaps.get(place, set())
            deleted = self.deleted(task, field)
            row = rows.get(task)
            if row is None:
                for value in entered - replaced - perhaps - deleted:
                    yield f"{place}: {value!r} of {self.author[place, value]} is gone with a deletion that had not seen it"
                continue
            shown = row[FIELDS.index(field)]
            if shown not in entered:
                yield f"{place}: {shown!r} is shown, and nobody entered it"
            elif self.is_replaced(task, field, shown):
                yield f"{place}: {shown!r} is shown, and was replaced"
            # Where a record came back, what its deleter had seen is deleted all the same: it may never have left there.
            for value in entered - {shown} - replaced - perhaps - deleted - values.get(place, set()):
                yield f"{place}: {value!r} of {self.author[place, value]} is lost; {shown!r} is shown"
        for task, deletions in sorted(self.deletions.items()):
            if task not in rows or task in contested:
                continue
            entered = {(field, value) for field in FIELDS for value in self.entered[task, field]}
            if any(entered <= {(f, v) for f in FIELDS for v in seen[f]} for seen in deletions):
                yield f"{task} was deleted by someone who saw all of it, and is there"


class World:
    def __init__(self, programs, seed):
        self.random = random.Random(seed)
        self.oracle = Oracle()
        folders = {"A": "/mnt/one", "B": "/mnt/two", "C": "/mnt/srv"}
        self.devices = [Device(name, f"{folder}/share", programs) for name, folder in folders.items()]
        self.sync_time = 0.2
        self.counts = {}
        self.created = 0
        for device in self.devices:
            subprocess.run([f"{programs}/slate-backup", "init", "--db", device.store], check=True, stdout=subprocess.DEVNULL)
        first = self.devices[0]
        for _ in range(30):
            self.insert(first)
        first.run("init", first.share, "--store", first.store, "--name", first.name, "--no-encrypt")
        for device in self.devices[1:]:
            self.joined(device)

    def joined(self, device):
        end = time.time() + 120  # a mount may take the folder for empty for as long as its cache lives
        while not any(name.endswith(".root") for name in listing(device.share)):
            if time.time() > end:
                raise Fault(f"{device.name} does not see the shared folder")
            time.sleep(0.5)
        device.run("join", device.share, "--store", device.store, "--name", device.name)

    # Edits

    def value(self, device, field):
        device.serial += 1
        if field == "title":
            return f"{device.name}{device.serial}"
        # A day of a century of the device's own, so that no two devices enter the same.
        days = device.serial
        year = {"A": 1900, "B": 2100, "C": 2300}[device.name] + days // 336
        return f"{year}-{days // 28 % 12 + 1:02}-{days % 28 + 1:02}"

    def insert(self, device):
        self.created += 1
        task = f"task-{self.created}"
        values = [self.value(device, field) for field in FIELDS]
        stamp = "2026-01-01T00:00:00.000Z"
        device.sql(
            f"INSERT INTO tasks (id, {', '.join(FIELDS)}, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
            task, *values, stamp, stamp,
        )
        for field, value in zip(FIELDS, values):
            self.oracle.enter(device, task, field, value)

    def edit(self, device):
        choice = self.random.random()
        rows = device.rows()
        if choice < 0.15 or len(rows) < 5:
            return self.insert(device)
        task = self.random.choice(sorted(rows))
        if choice < 0.2:
            self.oracle.delete(device, task, rows[task])
            device.sql("DELETE FROM tasks WHERE id = ?", task)
            return
        index = self.random.randrange(len(FIELDS))
        field, value = FIELDS[index], self.value(device, FIELDS[index])
        self.oracle.enter(device, task, field, value, shown=rows[task][index])
        device.sql(f"UPDATE tasks SET {field} = ? WHERE id = ?", value, task)

    # Rounds

    def round(self):
        device = self.random.choice(self.devices)
        for _ in range(self.random.randint(1, 4)):
            self.edit(device)
        kinds = {"sync": 50, "kill": 28, "together": 14, "outage": 3, "full": 3, "compact": 2}
        kind = self.random.choices(list(kinds), list(kinds.values()))[0]
        self.counts[kind] = self.counts.get(kind, 0) + 1
        getattr(self, kind)(device)

    def sync(self, device):
        begun = time.time()
        device.sync()
        self.sync_time += (time.time() - begun - self.sync_time) / 10

    def kill(self, device):
        process = device.start_sync()
        time.sleep(self.random.uniform(0, min(self.sync_time, 3)))
        process.kill()
        process.communicate()

    def together(self, device):
        other = self.random.choice([one for one in self.devices if one is not device])
        self.edit(other)
        processes = [(one, one.start_sync()) for one in (device, other)]
        for one, process in processes:
            one.end_sync(process)

    def outage(self, device):
        """The server stops while a device is at work, which then waits, is killed, or fails."""
        process = device.start_sync()
        time.sleep(self.random.uniform(0, self.sync_time))
        serve("off")
        time.sleep(self.random.uniform(0, 1))
        if self.random.random() < 0.3:
            process.kill()
        serve("on")
        device.end_sync(process, TRY_LATER + (-9,))

    def full(self, device):
        """The server's disk is full, but for what a random number of bytes takes."""
        fill("/mnt/srv/filling", leaving=self.random.choice([0, 0, 1, 4, 16]) << 10)
        try:
            device.sync()
            self.edit(device)
            device.sync()
        finally:
            os.remove("/mnt/srv/filling")

    def compact(self, device):
        device.choices = None
        device.run("compact", expected=TRY_LATER)

    # The end

    def finish(self):
        end = time.time() + 600  # caches of a mount live for a minute at the most
        states = []
        while time.time() < end:
            for device in self.devices:
                device.sync()
            states = [(device.rows(), device.conflicts()) for device in self.devices]
            if all(state == states[0] for state in states):
                break
            time.sleep(2)
        else:
            raise Fault(f"the devices are not in step: {difference(states)}")
        for device in self.devices:
            device.sync(expected=CLEAN)
            if device.sql("PRAGMA integrity_check") != [("ok",)]:
                raise Fault(f"{device.name}: the store is damaged")
            device.run("verify", expected=(0, 3))
        found = list(self.oracle.faults(*states[0]))
        if found:
            tasks = sorted({fault.split("'")[1] if fault.startswith("(") else fault.split()[0] for fault in found})
            stories = [f"{task}: {line}" for task in tasks for line in self.oracle.story.get(task, [])]
            raise Fault("\n".join(found + stories))
        entered = sum(len(values) for values in self.oracle.entered.values())
        conflicts = len(states[0][1][0]) + len(states[0][1][1])
        print(f"{entered} values entered, {len(states[0][0])} tasks, {conflicts} conflicts: all accounted for", flush=True)


def listing(folder):
    try:
        return os.listdir(folder)
    except OSError:
        return []


def fill(path, leaving):
    with open(path, "wb", buffering=0) as file:
        size = 1 << 20
        while size >= 512:
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    os.truncate(path, max(0, os.path.getsize(path) - leaving))


def difference(states):
    first = states[0]
    for number, state in enumerate(states[1:], 1):
        for task in sorted(set(first[0]) | set(state[0])):
            if first[0].get(task) != state[0].get(task):
                return f"{task}: {first[0].get(task)} and {state[0].get(task)} on device {number + 1}"
    return "their conflicts differ"


def watch(programs):
    """How soon a device with a watcher on a mount has what the server's own device changed."""
    world = World(programs, 1)
    server = world.devices[2]
    for device, interval in ((world.devices[0], 10), (world.devices[1], 10), (world.devices[0], 60)):
        device.sync()
        watcher = device.start("watch", "--interval", str(interval))
        time.sleep(5)
        took = []
        for number in range(4):
            title = f"seen {interval} {number}"
            begun = time.time()
            server.sql("UPDATE tasks SET title = ? WHERE id = 'task-1'", title)
            server.sync(expected=CLEAN)
            while device.rows()["task-1"][0] != title:
                if time.time() > begun + 300:
                    raise Fault(f"{device.name} did not see {title!r} within 300 s")
                time.sleep(0.2)
            took.append(time.time() - begun)
        watcher.terminate()
        watcher.communicate()
        words = ", ".join(f"{seconds:.0f}" for seconds in took)
        print(f"{device.share}, --interval {interval}: another host's change is there after {words} s", flush=True)


def main():
    programs, arguments = sys.argv[1], sys.argv[2:]
    if arguments == ["watch"]:
        return watch(programs)
    rounds = int(arguments[0]) if arguments else 60
    seed = int(arguments[1]) if len(arguments) > 1 else random.randrange(1 << 32)
    print(f"{rounds} rounds, seed {seed}", flush=True)
    begun = time.time()
    world = World(programs, seed)
    for number in range(rounds):
        world.round()
        if number % 100 == 99:
            print(f"{number + 1} rounds, {time.time() - begun:.0f} s", flush=True)
    world.finish()
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(world.counts.items()))
    print(f"{rounds} rounds in {time.time() - begun:.0f} s: {counts}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except Fault as fault:
        print(f"FAULT: {fault}", flush=True)
        sys.exit(1)
