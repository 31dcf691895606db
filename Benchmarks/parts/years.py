"""Ten devices over five years: what the folder, the files beside the stores and a sync come to."""

import datetime
import json
import pathlib
import random
import sqlite3
import tempfile
import time

from parts.devices import TASK, Devices, change, moment, query, task
from parts.shared import (
    DATA, Curve, Programs, Result, Table, instructions, judged, median, missing, say, stripped, text_of,
)

HELP = "ten devices, phones among them, over five years: sizes, instructions, and many writers"
START = datetime.datetime(2026, 1, 5, 8, tzinfo=datetime.timezone.utc)
WRITERS = 60


def options(parser):
    parser.add_argument("--records", type=int, default=2_000, help="live records, as many at each time (2,000)")
    parser.add_argument("--devices", type=int, default=10, help="how many, phones included (10)")
    parser.add_argument("--phones", type=int, default=2, help="how many of them only export, into inboxes (2)")
    parser.add_argument("--years", type=int, default=5, help="how many (5)")
    parser.add_argument("--changes", type=int, default=20, help="changes of each device a day (20)")
    parser.add_argument("--every", type=int, default=7, help="days between the syncs of a device (7)")
    parser.add_argument("--scale", type=float, default=1, help="a share of the days of each year, for a quick look (1)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--without-writers", action="store_true", help="leave out what many writers cost")
    parser.add_argument("--keep", type=pathlib.Path, help="make everything in this new folder, and leave it")


class Phone:
    """An app that can do no more than export all it has, and import a file that a sync wrote."""

    def __init__(self, devices, host, number):
        self.devices, self.number = devices, number
        self.inbox = devices.folder / f"phone-{number}"
        self.inbox.mkdir()
        devices.call(host, "inbox", "add", self.inbox, "--device", f"phone-{number}")
        self.document = None

    def begin(self, program, now):
        """The export of an app that was just installed."""
        store = self.devices.folder / f"phone-{self.number}.db"
        export = self.inbox / f"Slate-{now:%Y%m%d}.json"
        environment = self.devices.environment
        with sqlite3.connect(store) as database:
            database.executescript((DATA / "tables.sql").read_text())
        database.close()
        text_of(program, "export", "--db", store, "--output", export, "--plain", "--yes", env=environment)
        self.document = json.loads(export.read_text())

    def take_in(self):
        """Imports what the last sync wrote; gives whether there was something."""
        found = sorted(self.inbox.glob("Slate-synced-*.json"), key=lambda path: path.stat().st_mtime)
        if found:
            self.document = json.loads(found[-1].read_text())
        return bool(found)

    def export(self, now):
        """Leaves an export of today; those of before are cleared away, as a person would."""
        self.document["exported_at"] = moment(now)
        for path in self.inbox.glob("Slate-2*.json"):
            path.unlink()
        (self.inbox / f"Slate-{now:%Y%m%d}.json").write_text(json.dumps(self.document), encoding="utf-8")


class Life:
    """What people do on a device: three of five changes change a task, one adds one, one deletes one.

    Most are tasks of the device's own person; one change in ten is of any. A task that somebody else changed stays in
    spite of its deletion: its person finds it and deletes it once more. So there are always as many tasks, and none
    stays in conflict for ever.
    """

    def __init__(self, seed, people, records):
        self.random, self.people = random.Random(seed), people
        self.added = records
        self.numbers = [[n for n in range(records) if n % people == person] for person in range(people)]
        self.gone = [set() for _ in range(people)]

    def changes(self, person, count):
        """Texts by kind: (title, changed), (new tasks), (deleted) — a record is touched once at most.

        Deleted once more is all that this person has deleted: it is there only where somebody changed it meanwhile.
        """
        mine, titles, added, deleted = self.numbers[person], {}, [], self.gone[person]
        for index in range(count):
            kind = index % 5
            if kind == 3:
                self.added += 1
                mine.append(self.added)
                added.append(self.added)
            elif kind == 4 and len(mine) > 10:
                number = mine.pop(self.random.randrange(len(mine) - 5))
                titles.pop(number, None)
                deleted.add(number)
            else:
                owner = mine if self.random.random() < 0.9 else self.numbers[self.random.randrange(self.people)]
                number = owner[self.random.randrange(len(owner))]
                if number not in added:
                    titles[number] = f"Task number {number}, changed for the {index}th time by {person}"
        return titles, added, deleted

    def edit_store(self, store, person, count, now):
        titles, added, deleted = self.changes(person, count)
        stamp = moment(now)
        with sqlite3.connect(store) as database:
            database.executemany(
                "UPDATE tasks SET title = ?, is_done = 1 - is_done, updated_at = ? WHERE id = ?",
                ((f"{title} {stamp}", stamp, task(number)[0]) for number, title in titles.items()),
            )
            database.executemany(TASK, ((*task(number)[:3], stamp, stamp) for number in added))
            database.executemany("DELETE FROM tasks WHERE id = ?", ((task(number)[0],) for number in deleted))
        database.close()

    def edit_document(self, document, person, count, now):
        titles, added, deleted = self.changes(person, count)
        stamp, tasks = moment(now), {row["id"]: row for row in document["tasks"]}
        for number, title in titles.items():
            if row := tasks.get(task(number)[0]):
                row.update(title=f"{title} {stamp}", updated_at=stamp)
        for number in added:
            name, title, notes, _, _ = task(number)
            tasks[name] = {
                "id": name, "title": title, "notes": notes, "due_date": None, "scheduled_for": None, "is_done": False,
                "done_at": None, "created_at": stamp, "updated_at": stamp, "archived": False,
                "depends_on_task_id": None,
            }
        for number in deleted:
            tasks.pop(task(number)[0], None)
        document["tasks"] = list(tasks.values())


class World:
    """The devices, their people, and the measurements at the end of each year."""

    def __init__(self, options, programs, folder):
        self.options, self.folder = options, folder / "world"
        self.folder.mkdir()
        self.devices = Devices(programs.path("foldersync"), self.folder)
        self.slate = programs.path("slate-backup")
        self.bare = folder / "bare"
        self.bare.mkdir()
        stripped(programs.path("satchel"), self.bare)
        self.computers = list(range(options.devices - options.phones))
        self.life = Life(options.seed, options.devices, options.records)
        self.spent, self.synced, self.made = [], 0, 0
        self.weeks = []

    def begin(self):
        devices, now = self.devices, START
        devices.init(0, map(task, range(self.options.records)), now)
        self.sync(0, now)
        for device in self.computers[1:]:
            devices.spend(device, *devices.joining(device), now=now)
        self.phones = [Phone(devices, number % len(self.computers), number) for number in range(self.options.phones)]
        for phone in self.phones:
            phone.begin(self.slate, now)
        for device in self.computers:
            self.sync(device, now + datetime.timedelta(hours=1))

    def sync(self, device, now):
        self.spent.append(self.devices.spend(device, "sync", now=now))
        self.synced += 1

    def round(self, now):
        """Each device has its changes of some days, and synchronises; phones export before their computer does."""
        count = self.options.changes * self.options.every
        for device in self.computers:
            later = now + datetime.timedelta(minutes=20 * device)
            for phone in self.phones[device::len(self.computers)]:
                phone.take_in()
                self.life.edit_document(phone.document, len(self.computers) + phone.number, count, later)
                phone.export(later)
                self.made += count
            self.life.edit_store(self.devices.store(device), device, count, later)
            self.made += count
            self.sync(device, later)
        self.weeks.append(self.sizes())

    def sizes(self):
        """The bytes in the folder, beside a store, and beside one whose computer has a phone's inbox."""
        devices = self.devices
        return {
            "folder": devices.in_folder()[1], "beside": devices.beside(self.computers[-1]),
            "beside-phone": devices.beside(0),
        }

    def settle(self, now):
        """All devices in step, as nobody changes anything for a while."""
        for turn in range(2):
            for device in self.computers:
                self.devices.spend(device, "sync", now=now + datetime.timedelta(hours=turn, minutes=device))

    def at_end_of_year(self, now):
        devices, store = self.devices, self.devices.store(0)
        live = devices.check(self.computers)
        found = {
            "live": live, "files": devices.in_folder()[0], "store": store.stat().st_size,
            **{name: max(week[name] for week in self.weeks) for name in self.weeks[0]},
            "spent": median(self.spent), "slowest": max(self.spent),
            "parts": query_sizes(store.with_name(f"{store.name}.foldersync")),
            "kinds": kinds(devices.shared),
        }
        self.spent, self.weeks = [], []
        found |= self.counted(now)
        return found

    def counted(self, now):
        """Instructions of a sync with nothing new, of one change on both sides, and of a late joiner."""
        devices, found = self.devices, {}
        program, devices.program = devices.program, self.bare / "foldersync"
        later = now + datetime.timedelta(hours=3)

        def count(device, *arguments):
            return instructions(devices.command(device, *arguments, now=later), env=devices.environment)

        with devices.saved():
            # The last two computers have no phone beside them, unless there are too few.
            one, other = self.computers[-1], self.computers[-2]
            # A store that was written less than three seconds ago is opened once more.
            time.sleep(3)
            devices.spend(one, "sync", now=now)
            found["nothing"] = count(one, "sync")
            number = query(devices.store(one), "SELECT max(id) FROM tasks")[0][0]
            change(devices.store(one), f"UPDATE tasks SET title = 'One change' WHERE id = '{number}'")
            found["publish"] = count(one, "sync")
            found["receive"] = count(other, "sync")
            found["receive-phone"] = count(0, "sync")
            joiner = devices.joining("late")
            found["join"] = count("late", *joiner)
        with devices.saved():
            devices.program = program
            devices.joining("late")
            found["join-seconds"] = devices.call("late", *joiner, now=later).seconds
        devices.program = program
        return found


def query_sizes(path):
    """The bytes of each table of a database, its indexes included, and what is free; the largest first."""
    tables = "dbstat d JOIN sqlite_schema m ON m.name = d.name"
    rows = query(path, f"SELECT m.tbl_name, sum(d.pgsize) FROM {tables} GROUP BY 1")
    ((unused,),) = query(path, "SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size")
    return sorted([*rows, ("unused pages", unused)], key=lambda part: -part[1])


def kinds(shared):
    """Files and bytes of the folder by what they are for."""
    found = {}
    for path in shared.rglob("*"):
        if path.is_file():
            kind = path.relative_to(shared).parts[0]
            files, size = found.get(kind, (0, 0))
            found[kind] = (files + 1, size + path.stat().st_size)
    return found


def flat(values, live, bound=1.1):
    """Whether the last year's value is at most 10 % above the first's, for each live record."""
    return judged(values[-1] / live[-1] <= values[0] / live[0] * bound)


def live_years(options, programs, folder, result):
    world = World(options, programs, folder)
    began = time.monotonic()
    world.begin()
    now, years = START, []
    days = max(int(365 * options.scale), options.every)
    for year in range(options.years):
        for _ in range(0, days, options.every):
            now += datetime.timedelta(days=options.every)
            world.round(now)
        now += datetime.timedelta(days=1)
        world.settle(now)
        years.append(world.at_end_of_year(now))
        say(f"year {year + 1} after {time.monotonic() - began:.0f} s: {years[-1]}")
    columns = ("at the end of year", *range(1, options.years + 1), "flat")
    live = [year["live"] for year in years]

    def row(name, key, form, held=True):
        values = [year[key] for year in years]
        return (name, *map(form, values), flat(values, live) if held else "")

    def megabytes(value):
        return f"{value / 1e6:.2f}"

    def millions(value):
        return f"{value / 1e6:,.0f}"

    result.add(
        Table(
            f"{options.devices} devices, {options.phones} of them phones with an inbox; {world.made:,} changes, "
            f"{options.changes} a day on each; a sync of each computer every {options.every} days, "
            f"{world.synced:,} in all",
            columns,
            [
                row("live records", "live", lambda value: f"{value:,}", held=False),
                row("files in the folder", "files", str),
                row("folder, MB, the most in a week", "folder", megabytes),
                row("store, MB", "store", megabytes),
                row("beside a store, MB, the most in a week", "beside", megabytes),
                row("beside a store with a phone's inbox, MB, the most in a week", "beside-phone", megabytes),
                row("sync, nothing new: million instructions", "nothing", millions),
                row("sync that publishes one change", "publish", millions),
                row("sync that takes it in", "receive", millions),
                row("the same where a phone has its inbox", "receive-phone", millions),
                row("a late joiner", "join", millions),
                row("a late joiner, seconds", "join-seconds", lambda value: f"{value:.2f}", held=False),
                row("weekly sync, seconds of a processor, median", "spent", lambda value: f"{value:.2f}", held=False),
            ],
        ),
        *curves(options, years),
        Table(
            "What the file beside a store holds, bytes",
            ("table", *columns[1:-1]),
            [
                (name, *(f"{dict(year['parts']).get(name, 0):,}" for year in years))
                for name, size in years[-1]["parts"] if size > 8192
            ],
        ),
        Table(
            "What the folder holds: files, and bytes",
            ("part", *columns[1:-1]),
            [
                (name, *("{}, {:,}".format(*year["kinds"].get(name, (0, 0))) for year in years))
                for name in sorted(years[-1]["kinds"])
            ],
        ),
    )
    result.samples = years


def curves(options, years):
    places = list(range(1, options.years + 1))

    def series(**keys):
        return {name.replace("_", " "): [year[key] / 1e6 for year in years] for name, key in keys.items()}

    yield Curve("years-sizes", "Sizes by year", "year", "MB", places,
                series(folder="folder", beside_a_store="beside", store="store"))
    work = series(
        nothing_new="nothing", one_change_published="publish", one_change_taken_in="receive", late_joiner="join",
    )
    yield Curve("years-instructions", "Work by year", "year", "million instructions", places, work)


def many_writers(options, programs, folder, result):
    """The same change in a folder that few and many devices have written to."""
    foldersync, found = programs.path("foldersync"), {}
    bare = folder / "bare-writers"
    bare.mkdir()
    stripped(programs.path("satchel"), bare)
    for writers in (options.devices, WRITERS):
        say(f"{writers} writers")
        place = folder / f"writers-{writers}"
        place.mkdir()
        devices, now = Devices(foldersync, place), START
        devices.init(0, map(task, range(options.records)), now)
        devices.spend(0, "sync", now=now)
        # Each phone in its turn is new, writes, and is replaced: its store is gone, and it is retired.
        for device in range(1, writers):
            now += datetime.timedelta(days=30)
            devices.spend(device, *devices.joining(device), now=now)
            change(devices.store(device), f"UPDATE tasks SET title = 'By {device}' WHERE id = '{task(device)[0]}'")
            devices.spend(device, "sync", now=now)
            devices.spend(0, "sync", now=now)
        now += datetime.timedelta(days=30)
        for device in (1, 0, 1, 0):
            devices.spend(device, "sync", now=now)
        devices.program = bare / "foldersync"

        def sync(device):
            return instructions(devices.command(device, "sync", now=now), env=devices.environment)

        title = "UPDATE tasks SET title = 'One more' WHERE id = '%s'"
        before = devices.in_folder()[1]
        taken = {"nothing": sync(1)}
        change(devices.store(1), title % task(1000)[0])
        taken["publish"] = sync(1)
        taken["bytes"] = devices.in_folder()[1] - before
        taken["receive"] = sync(0)
        change(devices.store(1), "UPDATE tasks SET title = title || '.' WHERE id < 'task-00001000'")
        before = devices.in_folder()[1]
        taken["publish-many"] = sync(1)
        taken["bytes-many"] = devices.in_folder()[1] - before
        taken["receive-many"] = sync(0)
        taken["beside"] = devices.beside(0)
        found[writers] = taken
    few, many = found.values()
    names = {
        "nothing": "sync, nothing new: instructions", "publish": "one change published: instructions",
        "receive": "one change taken in: instructions", "bytes": "one change: bytes in the folder",
        "publish-many": "1,000 changes published: instructions", "receive-many": "1,000 changes taken in: instructions",
        "bytes-many": "1,000 changes: bytes in the folder", "beside": "beside a store: bytes",
    }
    result.add(Table(
        f"{options.records:,} records and {WRITERS} devices, each of which wrote once and was replaced",
        ("what", f"{options.devices} writers", f"{WRITERS} writers", "ratio", "at most 1.10"),
        [
            (name, f"{few[key]:,}", f"{many[key]:,}", f"{many[key] / few[key]:.2f}",
             judged(many[key] <= few[key] * 1.1) if "many" in key or key in ("publish", "receive") else "")
            for key, name in names.items()
        ],
    ))


def main(options):
    result, programs = Result(options), Programs(options)
    if missing("valgrind", "strip"):
        return result.skip("years, as they are counted by valgrind")
    if options.keep:
        options.keep.mkdir()
        measure_in(options, programs, options.keep.resolve(), result)
    else:
        with tempfile.TemporaryDirectory(prefix="satchel-years-") as folder:
            measure_in(options, programs, pathlib.Path(folder), result)
    return result


def measure_in(options, programs, folder, result):
    if not options.without_writers:
        many_writers(options, programs, folder, result)
    live_years(options, programs, folder, result)
