#!/usr/bin/env python3
"""Have the PyPI packages icalendar and ics read a calendar, and say what they found.

    python3 -m venv /tmp/calendars && /tmp/calendars/bin/pip install icalendar ics
    /tmp/calendars/bin/python scripts/check-calendar.py fixtures/interchange/tracker.ics

Fails where one of them refuses the file, has errors to report, or misses an event.
"""

import pathlib
import sys

import icalendar
import ics


def main(path):
    data = pathlib.Path(path).read_bytes()
    expected = data.count(b"BEGIN:VEVENT")
    calendar = icalendar.Calendar.from_ical(data)
    events = calendar.walk("VEVENT")
    for component in [calendar, *events]:
        assert not component.errors, component.errors
    assert len(events) == expected, f"icalendar found {len(events)} of {expected} events"
    for event in events:
        assert event["UID"] and event.decoded("DTSTART") and event.decoded("DTSTAMP") and event["SUMMARY"]
    others = ics.Calendar(data.decode())
    assert len(others.events) == expected, f"ics found {len(others.events)} of {expected} events"
    assert {e.name for e in others.events} == {str(e["SUMMARY"]) for e in events}, "they read different names"
    assert {e.begin.timestamp() for e in others.events} == {e.decoded("DTSTART").timestamp() for e in events}
    print(f"{path}: {expected} events, read by icalendar {icalendar.__version__} and ics {ics.__version__}")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
