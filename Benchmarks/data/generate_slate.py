#!/usr/bin/env python3
"""Write a Slate export, version 2, of 1,000,000 rows: the data set for importing and exporting.

It is laid out as `slate-backup export` lays it out: two-space indentation, rows in the order of their primary keys.
The same seed and row count give the same bytes on every machine and Python. The rules between rows hold as well:
unique keys, references, no dependency cycles.
"""

import argparse
import datetime
import os
import sys
from json.encoder import JSONEncoder

from generate_json import ACTIONS, FIRST_DAY, HABIT_TITLES, NOTES, THINGS, Slate, Source

FEWEST_ROWS = 1000
DAYS = 1500
SNAPSHOT_TASKS = 40
encode = JSONEncoder(ensure_ascii=False).encode


class Shuffler(Source):
    """A source that also deals out values in any order."""

    def shuffled(self, values):
        values = list(values)
        for index in range(len(values) - 1, 0, -1):
            other = self.below(index + 1)
            values[index], values[other] = values[other], values[index]
        return values


class LargeSlate(Slate):
    """A fifth tasks, two fifths completions, three tenths log entries; the rest is small."""

    def __init__(self, seed, rows):
        self.source = Shuffler(seed)
        self.days = [(FIRST_DAY + datetime.timedelta(days=n)).isoformat() for n in range(DAYS + 60)]
        self.habit_ids = self.ids(-(-rows // 2000))
        self.task_ids = self.ids(rows // 5)
        self.completion_count = rows * 2 // 5
        self.log_count = rows * 3 // 10
        self.plan_count = max(rows * 3 // 2000, 2)
        self.snapshot_count = max(rows * 3 // 10_000, 1)
        # Which task depends on which follows an order of its own, not that of the ids.
        self.tasks_by_age = self.source.shuffled(self.task_ids)
        self.task_places = {identifier: place for place, identifier in enumerate(self.tasks_by_age)}
        self.tasks_kept, self.habits_kept = [], []
        listed = len(self.task_ids) + len(self.habit_ids) + self.completion_count + self.log_count
        self.item_count = rows - listed - self.plan_count - self.snapshot_count

    def ids(self, count):
        return sorted(self.source.uuid() for _ in range(count))

    def tasks(self):
        source, days = self.source, self.days
        for identifier in self.task_ids:
            place = self.task_places[identifier]
            created = place * DAYS // len(self.task_ids)
            done = not source.one_in(3)
            finished = min(created + source.below(30), DAYS - 1)
            row = {
                "id": identifier,
                "title": self.title(),
                "notes": self.note() if source.one_in(2) else None,
                "due_date": days[created + source.below(60)] if source.one_in(2) else None,
                "scheduled_for": days[created + source.below(30)] if source.one_in(4) else None,
                "is_done": done,
                "done_at": source.time(days[finished]) if done else None,
                "created_at": source.time(days[created]),
                "updated_at": source.time(days[finished]),
                "archived": done and source.one_in(5),
                "depends_on_task_id": self.tasks_by_age[source.below(place)] if place and source.one_in(10) else None,
            }
            if len(self.tasks_kept) < 4000:
                self.tasks_kept.append(row)
            yield row

    def habits(self):
        source, days = self.source, self.days
        for number, identifier in enumerate(self.habit_ids):
            row = {
                "id": identifier,
                "title": source.pick(HABIT_TITLES),
                "notes": source.pick(NOTES) if source.one_in(4) else None,
                "active": number == 0 or not source.one_in(4),
                "reminder_time": f"{6 + source.below(16):02d}:{source.below(4) * 15:02d}" if source.one_in(2) else None,
                "created_at": source.time(days[source.below(30)]),
                "updated_at": source.time(days[source.below(DAYS)]),
            }
            if row["active"]:
                self.habits_kept.append(row)
            yield row

    def habit_completions(self):
        source, habits = self.source, len(self.habit_ids)
        pairs = source.shuffled(source.sample(self.completion_count, habits * DAYS))
        for identifier, pair in zip(self.ids(self.completion_count), pairs):
            day = self.days[pair // habits]
            yield {
                "id": identifier,
                "habit_id": self.habit_ids[pair % habits],
                "date": day,
                "completed_at": source.time(day),
            }

    def day_plan(self):
        for day in self.days[:self.plan_count]:
            yield {"date": day, "perfect_day": int(self.source.one_in(20))}

    def day_plan_items(self):
        source, seen = self.source, set()
        for identifier in self.ids(self.item_count):
            key = None
            while key is None or key in seen:
                kind = "habit" if source.one_in(50) else "task"
                key = (source.below(self.plan_count), source.pick(self.habit_ids if kind == "habit" else self.task_ids))
            seen.add(key)
            yield {"id": identifier, "date": self.days[key[0]], "entity_type": kind, "entity_id": key[1]}

    def activity_log(self):
        source, days = self.source, self.days
        for identifier in self.ids(self.log_count):
            habit = source.one_in(4)
            day = source.below(DAYS)
            action = source.pick(ACTIONS)
            yield {
                "id": identifier,
                "timestamp": source.time(days[day]),
                "entity_type": "habit" if habit else "task",
                "entity_id": source.pick(self.habit_ids if habit else self.task_ids),
                "action_type": action,
                "details": self.details(action, day),
            }

    def details(self, action, day):
        source = self.source
        if action == "updated":
            return {"field": "title", "from": source.pick(THINGS), "to": source.pick(THINGS)}
        if action == "rescheduled":
            later = 1 + source.below(30)
            return {"from": self.days[day], "to": self.days[day + later], "days": later}
        if action == "completed":
            return {"title": source.pick(THINGS), "streak": source.below(400), "minutes": source.below(4800) / 16}
        return {"title": source.pick(THINGS)} if source.one_in(2) else {}

    def day_snapshots(self):
        source = self.source
        for day in self.days[:self.snapshot_count]:
            planned = [source.pick(self.tasks_kept) for _ in range(8)]
            yield {
                "date": day,
                "day_plan_tasks": planned,
                "slate_tasks": [source.pick(self.tasks_kept) for _ in range(SNAPSHOT_TASKS)],
                "habits": self.habits_kept[:SNAPSHOT_TASKS],
                "completed_task_ids": [task["id"] for task in planned if task["is_done"]],
                "completed_habit_ids": [habit["id"] for habit in self.habits_kept[:20] if source.one_in(2)],
            }


def indented(value, margin):
    """JSON as `json.dumps(value, indent=2)` lays it out: that has no fast path for indentation."""
    if isinstance(value, dict) and value:
        members = [f"{encode(name)}: {indented(member, margin + '  ')}" for name, member in value.items()]
        return f"{{{margin}  " + f",{margin}  ".join(members) + f"{margin}}}"
    if isinstance(value, list) and value:
        return f"[{margin}  " + f",{margin}  ".join(indented(each, margin + "  ") for each in value) + f"{margin}]"
    return encode(value)


def write(slate, out, shuffler):
    """Write the export, a row at a time or, shuffled, a table at a time; gives the number of rows of each table."""
    today = slate.days[DAYS]
    meta = {
        "schema_version": "2",
        "last_open_date": today,
        "day_start": "04:00",
        "installed_at": f"{slate.days[0]}T08:00:00-07:00",
    }
    head = {"schema_version": 2, "exported_at": f"{today}T21:04:05-07:00", "meta": meta}
    out.write("{")
    for name, value in head.items():
        out.write(f'\n  "{name}": {indented(value, chr(10) + "  ")},')
    counts, separator = {}, ""
    for name, rows in slate.tables():
        texts = (indented(row, "\n    ") for row in rows)
        if shuffler:
            texts = shuffler.shuffled(texts)
        out.write(f'{separator}\n  "{name}": [')
        separator, comma, counts[name] = ",", "", 0
        for text in texts:
            out.write(f"{comma}\n    {text}")
            comma = ","
            counts[name] += 1
        out.write("\n  ]" if counts[name] else "]")
    out.write("\n}\n")
    return counts


def main():
    parser = argparse.ArgumentParser(description="Write a large Slate export to benchmark with.")
    parser.add_argument("output", help="the file to write")
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of all tables together")
    parser.add_argument("--shuffle", action="store_true", help="the same rows, those of each table in any order")
    options = parser.parse_args()
    if options.rows < FEWEST_ROWS:
        parser.error(f"--rows must be at least {FEWEST_ROWS}")
    temporary = f"{options.output}.part"
    with open(temporary, "w", encoding="utf-8", newline="\n", buffering=1 << 20) as out:
        counts = write(LargeSlate(options.seed, options.rows), out, Shuffler(options.seed) if options.shuffle else None)
    os.replace(temporary, options.output)
    size = os.path.getsize(options.output)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"{size / 1e6:.1f} MB, {sum(counts.values())} rows: {listed}", file=sys.stderr)


if __name__ == "__main__":
    main()
