#!/usr/bin/env python3
"""Read a calendar with PyPI's icalendar: the names and times of its events."""

import sys
import time

import icalendar

with open(sys.argv[1], "rb") as file:
    text = file.read()
began = time.perf_counter()
calendar = icalendar.Calendar.from_ical(text)
count = 0
for event in calendar.walk("VEVENT"):
    name, start = str(event.get("SUMMARY")), event.decoded("DTSTART")
    end = event.decoded("DTEND") if "DTEND" in event else start + event.decoded("DURATION")
    count += end >= start
print(f"icalendar {icalendar.__version__}: {count} events in {time.perf_counter() - began:.2f} s")
