#!/usr/bin/env python3
"""Write a tracker export of version 2 with so many activities, one after the other; the same arguments give the same bytes."""

import argparse
import json
import random
from datetime import datetime, timedelta, timezone

NAMES = ("Sleep", "Work", "Meal", "Exercise", "Commute", "Study", "Break", "Entertainment")
COLORS = ("#5E5CE6", "#0A84FF", "#FF9F0A", "#30D158", "#64D2FF", "#BF5AF2", "#FFD60A", "#FF375F")


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("activities", type=int)
    arguments.add_argument("output")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    generator = random.Random(options.seed)
    zone = timezone(timedelta(hours=1))
    moment = datetime(1996, 1, 1, tzinfo=zone)
    buttons = [
        {"id": f"preset-{name.lower()}", "name": name, "color": COLORS[i], "icon": "", "isDefault": True, "position": i,
         "isVisible": True}
        for i, name in enumerate(NAMES)
    ]
    with open(options.output, "w", encoding="utf-8") as file:
        head = {"format": "tracker-export", "version": 2, "exportedAt": "2026-03-01T08:00:00+01:00", "timeZone": "Europe/Berlin"}
        file.write(json.dumps(head, indent=2)[:-2] + ',\n  "buttons": ' + json.dumps(buttons) + ',\n  "activities": [\n')
        for number in range(options.activities):
            kind = generator.randrange(len(NAMES))
            end = moment + timedelta(seconds=generator.randrange(60, 1800))
            activity = {
                "id": "%08x-%04x-4%03x-8%03x-%012x" % (
                    generator.getrandbits(32), generator.getrandbits(16), generator.getrandbits(12),
                    generator.getrandbits(12), generator.getrandbits(48)),
                "name": NAMES[kind], "buttonId": buttons[kind]["id"], "startTime": moment.isoformat(),
                "endTime": end.isoformat(), "duration": int((end - moment).total_seconds()) * 1000, "color": COLORS[kind],
            }
            file.write("    " + json.dumps(activity) + (",\n" if number + 1 < options.activities else "\n"))
            moment = end
        file.write("  ]\n}\n")


if __name__ == "__main__":
    main()
