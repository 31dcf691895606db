#!/usr/bin/env python3
"""Write a calendar as calendar programs export them: a described zone, folded and escaped texts, times of all kinds.

The same arguments give the same bytes.
"""

import argparse
import random
import sys
from datetime import datetime, timedelta

ZONE = """BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:DAYLIGHT
TZOFFSETFROM:+0100
TZOFFSETTO:+0200
TZNAME:CEST
DTSTART:19700329T020000
RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
END:DAYLIGHT
BEGIN:STANDARD
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
TZNAME:CET
DTSTART:19701025T030000
RRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
END:STANDARD
END:VTIMEZONE
"""
NAMES = ("Work", "Study\\, chapter 4", "Meal", "Sport\\; outdoors", "Übung für das Orchester am Donnerstag\\, zweite Hälfte")


def fold(line):
    parts, octets = [""], 0
    for character in line:
        size = len(character.encode())
        if octets + size > 75:
            parts.append(" ")
            octets = 1
        parts[-1] += character
        octets += size
    return "\r\n".join(parts)


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("events", type=int, help="how many events there are")
    arguments.add_argument("output", help="the file to write")
    arguments.add_argument("--seed", type=int, default=1)
    options = arguments.parse_args()
    generator = random.Random(options.seed)
    moment = datetime(2020, 1, 1, 8)
    with open(options.output, "w", encoding="utf-8", newline="") as file:
        head = "BEGIN:VCALENDAR\nVERSION:2.0\nPRODID:-//Example//Calendar 1.0//EN\nCALSCALE:GREGORIAN\n" + ZONE
        file.write(head.replace("\n", "\r\n"))
        for number in range(options.events):
            end = moment + timedelta(minutes=generator.randrange(5, 180))
            first, last = moment.strftime("%Y%m%dT%H%M%S"), end.strftime("%Y%m%dT%H%M%S")
            times = (
                (f"DTSTART:{first}Z", f"DTEND:{last}Z"),
                (f"DTSTART;TZID=Europe/Berlin:{first}", f"DTEND;TZID=Europe/Berlin:{last}"),
                (f"DTSTART:{first}Z", f"DURATION:PT{(end - moment).seconds // 60}M"),
            )[number % 3]
            lines = (
                "BEGIN:VEVENT", f"UID:{generator.getrandbits(128):032x}@example.org", "DTSTAMP:20260301T063000Z", *times,
                f"SUMMARY:{generator.choice(NAMES)}", f"DESCRIPTION:Event number {number}\\nwith a second line\\, and a third",
                "STATUS:CONFIRMED", "TRANSP:OPAQUE", "END:VEVENT",
            )
            file.write("".join(fold(line) + "\r\n" for line in lines))
            # Nothing at night, when the clocks change: what happens then would have to be told.
            moment = end if 4 <= end.hour < 21 else (end + timedelta(hours=4)).replace(hour=4)
        file.write("END:VCALENDAR\r\n")


if __name__ == "__main__":
    sys.exit(main())
