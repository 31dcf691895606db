#!/usr/bin/env python3
"""Write a Slate export, version 2, of 400,000 rows (about 112 MB): the data set of the benchmarks.

The same seed and row count give the same bytes on every machine and Python: only `getrandbits` of the Mersenne
twister is drawn from. The file keeps the rules that a schema cannot say (unique keys, references, no dependency
cycles), so that it can be imported as well as parsed.
"""

import argparse
import datetime
import json
import os
import random
import sys

FIRST_DAY = datetime.date(2021, 1, 1)
DAYS = 1500
HABITS = 240
SNAPSHOTS = 60
# One row in so many is written with \u escapes for all that is not ASCII, as other programs write it.
ESCAPED_EVERY = 61

VERBS = (
    "Call", "Write to", "Plan", "Répondre à", "Préparer", "Überprüfen:", "Llevar", "Organizar", "Прочитать", "Купить",
    "予約する", "整理する", "写信给", "准备", "정리하기", "اتصل بـ", "להתקשר ל", "Ověřit", "Zamów", "Đọc",
)
THINGS = (
    "the dentist", "grandma's recipe 🥧", "l’école des enfants", "café crème ☕️", "die Steuererklärung", "Größe & Maße",
    "la reunión de mañana", "el año nuevo 🎉", "отчёт за квартал", "подарок маме", "図書館の本", "来週の会議", "东京旅行 🗼",
    "猫的疫苗 🐈", "여권 갱신", "الفاتورة", "החשבון", "příliš žluťoučký kůň", "łódź na wakacje", "bánh mì", "naïve Bayes",
    "the \"quiet\" room", "C:\\Backup\\2024", "a/b test", "👩‍👩‍👧‍👦 family dinner", "🇯🇵 visa", "½ cup of sugar", "Ångström",
)
NOTES = (
    "Bring the blue folder; ask about Tuesday.\nSecond floor, door on the left.",
    "Pense à réserver avant 18 h — tél. 01 23 45 67 89.\n• passeport\n• photos",
    "資料は共有フォルダにあります。締め切りは金曜日です。",
    "She said: \"not before noon\", so leave it until 14:00.",
    "Nicht vergessen: Schlüssel, Brötchen, Äpfel\tund Öl.",
    "先去银行，再去邮局。记得带身份证 🪪。",
    "Проверить остаток и отправить подтверждение до вечера.",
    "https://example.org/notes?id=42&lang=en — see the second half",
    "Idea 💡: combine with the weekly review, 25 min + 5 min break",
    "¿Quién trae las bebidas? Preguntar a Íñigo y a Zoë.",
)
HABIT_TITLES = (
    "Stretch 🧘", "Drink water 💧", "Lire 20 pages", "Spazieren gehen", "Meditación", "日記を書く", "背单词", "Зарядка",
    "스트레칭", "Piano – scales", "No sugar 🚫🍬", "Übung macht den Meister", "Čeština", "اقرأ", "Sleep by 23:00 😴",
)
ACTIONS = ("created", "completed", "uncompleted", "updated", "added_to_today", "removed_from_today", "rescheduled")
OFFSETS = ("-07:00", "-05:00", "+00:00", "+01:00", "+02:00", "+05:30", "+09:00", "Z")


class Source:
    """Draws from one seeded generator, by `getrandbits` alone."""

    def __init__(self, seed):
        self.bits = random.Random(seed).getrandbits

    def below(self, limit):
        """An integer in 0..<limit."""
        return (self.bits(32) * limit) >> 32

    def one_in(self, count):
        return self.below(count) == 0

    def pick(self, values):
        return values[(self.bits(32) * len(values)) >> 32]

    def uuid(self):
        """A version 4 UUID in lower case."""
        digits = f"{self.bits(128):032x}"
        variant = "89ab"[self.bits(2)]
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-{variant}{digits[17:20]}-{digits[20:]}"

    def time(self, day):
        """A timestamp on that day, now and then with milliseconds."""
        second = self.below(86_400)
        fraction = f".{self.below(1000):03d}" if self.one_in(4) else ""
        clock = f"{second // 3600:02d}:{second // 60 % 60:02d}:{second % 60:02d}"
        return f"{day}T{clock}{fraction}{self.pick(OFFSETS)}"

    def sample(self, count, total):
        """`count` of the integers below `total`, ascending, each as likely as any other."""
        for index in range(total):
            if self.below(total - index) < count:
                count -= 1
                yield index


class Slate:
    """The rows of each table; later tables refer to the ids that earlier ones drew."""

    def __init__(self, seed, rows):
        self.source = Source(seed)
        self.days = [(FIRST_DAY + datetime.timedelta(days=n)).isoformat() for n in range(DAYS + 60)]
        self.habit_ids = [self.source.uuid() for _ in range(HABITS)]
        self.task_ids = []
        self.tasks_kept = []
        self.habits_kept = []
        rest = rows - HABITS - DAYS - SNAPSHOTS
        if rest < 1000:
            sys.exit(f"error: --rows must be at least {HABITS + DAYS + SNAPSHOTS + 1000}")
        self.completion_count = min(rest * 22 // 100, HABITS * DAYS)
        self.item_count = rest * 12 // 100
        self.log_count = rest * 19 // 100
        self.task_count = rest - self.completion_count - self.item_count - self.log_count

    def tables(self):
        yield "tasks", self.tasks()
        yield "habits", self.habits()
        yield "habit_completions", self.habit_completions()
        yield "day_plan", self.day_plan()
        yield "day_plan_items", self.day_plan_items()
        yield "activity_log", self.activity_log()
        yield "day_snapshots", self.day_snapshots()

    def title(self):
        title = f"{self.source.pick(VERBS)} {self.source.pick(THINGS)}"
        return f"{title} – {self.source.pick(THINGS)}" if self.source.one_in(2) else title

    def note(self):
        note = self.source.pick(NOTES)
        return f"{note}\n\n{self.source.pick(NOTES)}" if self.source.one_in(2) else note

    def tasks(self):
        source, days = self.source, self.days
        for number in range(self.task_count):
            created = source.below(DAYS)
            done = not source.one_in(3)
            finished = min(created + source.below(30), DAYS - 1)
            row = {
                "id": source.uuid(),
                "title": self.title(),
                "notes": self.note() if source.one_in(2) else None,
                "due_date": days[created + source.below(60)] if source.one_in(2) else None,
                "scheduled_for": days[created + source.below(30)] if source.one_in(4) else None,
                "is_done": done,
                "done_at": source.time(days[finished]) if done else None,
                "created_at": source.time(days[created]),
                "updated_at": source.time(days[finished]),
                "archived": done and source.one_in(5),
                "depends_on_task_id": source.pick(self.task_ids) if number and source.one_in(10) else None,
            }
            self.task_ids.append(row["id"])
            if number < 4000:
                self.tasks_kept.append(row)
            yield row

    def habits(self):
        source, days = self.source, self.days
        for identifier in self.habit_ids:
            row = {
                "id": identifier,
                "title": source.pick(HABIT_TITLES),
                "notes": source.pick(NOTES) if source.one_in(4) else None,
                "active": not source.one_in(4),
                "reminder_time": f"{6 + source.below(16):02d}:{source.below(4) * 15:02d}" if source.one_in(2) else None,
                "created_at": source.time(days[source.below(30)]),
                "updated_at": source.time(days[source.below(DAYS)]),
            }
            if row["active"]:
                self.habits_kept.append(row)
            yield row

    def habit_completions(self):
        source = self.source
        for index in source.sample(self.completion_count, HABITS * DAYS):
            day = self.days[index // HABITS]
            yield {
                "id": source.uuid(),
                "habit_id": self.habit_ids[index % HABITS],
                "date": day,
                "completed_at": source.time(day),
            }

    def day_plan(self):
        for day in self.days[:DAYS]:
            yield {"date": day, "perfect_day": int(self.source.one_in(20))}

    def day_plan_items(self):
        source, seen = self.source, set()
        while len(seen) < self.item_count:
            key = (source.below(DAYS), source.below(self.task_count))
            if key in seen:
                continue
            seen.add(key)
            yield {
                "id": source.uuid(),
                "date": self.days[key[0]],
                "entity_type": "task",
                "entity_id": self.task_ids[key[1]],
            }

    def activity_log(self):
        source, days = self.source, self.days
        for number in range(self.log_count):
            habit = source.one_in(4)
            day = number * DAYS // self.log_count
            action = source.pick(ACTIONS)
            if action == "updated":
                details = {"field": "title", "from": source.pick(THINGS), "to": source.pick(THINGS)}
            elif action == "rescheduled":
                later = 1 + source.below(30)
                details = {"from": days[day], "to": days[day + later], "days": later}
            elif action == "completed":
                details = {"title": source.pick(THINGS), "streak": source.below(400), "minutes": source.below(4800) / 16}
            else:
                details = None
            yield {
                "id": source.uuid(),
                "timestamp": source.time(days[day]),
                "entity_type": "habit" if habit else "task",
                "entity_id": source.pick(self.habit_ids if habit else self.task_ids),
                "action_type": action,
                "details": details,
            }

    def day_snapshots(self):
        source = self.source
        for number in range(SNAPSHOTS):
            planned = [source.pick(self.tasks_kept) for _ in range(8)]
            yield {
                "date": self.days[DAYS - SNAPSHOTS + number],
                "day_plan_tasks": planned,
                "slate_tasks": [source.pick(self.tasks_kept) for _ in range(60)],
                "habits": self.habits_kept[:40],
                "completed_task_ids": [task["id"] for task in planned if task["is_done"]],
                "completed_habit_ids": [habit["id"] for habit in self.habits_kept[:40] if source.one_in(2)],
            }


def write(slate, out, indented):
    """Write the export, a row at a time; returns the number of rows of each table."""
    if indented:
        encode = json.JSONEncoder(ensure_ascii=False, indent=2).encode
        escape = json.JSONEncoder(ensure_ascii=True, indent=2).encode
        newline, row_newline, colon = "\n  ", "\n    ", ": "
    else:
        encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
        escape = json.JSONEncoder(ensure_ascii=True, separators=(",", ":")).encode
        newline, row_newline, colon = "", "", ":"
    head = {
        "schema_version": 2,
        "exported_at": f"{slate.days[DAYS]}T21:04:05-07:00",
        "meta": {"schema_version": "2", "last_open_date": slate.days[DAYS], "day_start": "04:00"},
    }
    out.write("{")
    for name, value in head.items():
        text = encode(value).replace("\n", "\n  ")
        out.write(f'{newline}"{name}"{colon}{text},')
    counts, total, separator = {}, 0, ""
    for name, rows in slate.tables():
        out.write(f'{separator}{newline}"{name}"{colon}[')
        separator, comma = ",", ""
        counts[name] = 0
        for row in rows:
            text = (escape if total % ESCAPED_EVERY == 0 else encode)(row)
            out.write(comma + row_newline + (text.replace("\n", row_newline) if indented else text))
            comma = ","
            counts[name] += 1
            total += 1
        out.write(f"{newline}]")
    out.write("\n}\n" if indented else "}\n")
    return counts


def main():
    parser = argparse.ArgumentParser(description="Write a Slate export to benchmark with.")
    parser.add_argument("output", help="the file to write")
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--rows", type=int, default=400_000, help="rows of all tables together")
    parser.add_argument("--indented", action="store_true", help="two-space indentation instead of compact")
    options = parser.parse_args()
    temporary = f"{options.output}.part"
    with open(temporary, "w", encoding="utf-8", newline="\n", buffering=1 << 20) as out:
        counts = write(Slate(options.seed, options.rows), out, options.indented)
    os.replace(temporary, options.output)
    size = os.path.getsize(options.output)
    listed = ", ".join(f"{name} {count}" for name, count in counts.items())
    print(f"{size / 1e6:.1f} MB, {sum(counts.values())} rows: {listed}", file=sys.stderr)


if __name__ == "__main__":
    main()
